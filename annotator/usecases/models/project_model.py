"""A model that a person names, as a project asks it: loaded, its answers in the project's labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from annotator.attribution.base import Answerer, Explained, Explainer, Input, Predictor, Writes
from annotator.attribution.built_in_model import BagOfWords
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.attribution.served_models import ServedLabels
from annotator.domain.labels import LabelTable
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats
from annotator.store import Store
from annotator.usecases.models import label_tables
from annotator.usecases.models.built_in_model import built_in_model, built_in_name, notes_of
from annotator.usecases.models.engines import Doing, Engine, Setup
from annotator.usecases.models.model_places import spec_of_trained


@dataclass(frozen=True, slots=True)
class ProjectModel:
    """A predictor, and what the project calls its labels.

    names: the project's label for each label of the model, "" for one that is never an answer; empty for a model that answers
           otherwise
    """

    predictor: Predictor
    names: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.predictor.name

    @property
    def labels(self) -> tuple[str, ...]:
        """The project's labels that the model knows, in the order of its probabilities."""
        return tuple(self.names[label] for label in self.predictor.labels if self.names[label])

    def answers(self, inputs: Sequence[Input]) -> list[Prediction]:
        """The full answer to each input. Without labels that are never an answer the others' probabilities sum to 1."""
        if isinstance(self.predictor, Answerer):
            return self.predictor.answers(inputs)
        predictions = []
        for row in self.probabilities(inputs):
            probabilities = dict(zip(self.labels, row.tolist(), strict=True))
            predictions.append(Prediction(Prediction(None, probabilities).label, probabilities))
        return predictions

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        """float[n_inputs, n_labels], in the order of `labels`. Raises: ModelError for other than one of each label."""
        probabilities = self.predictor.probabilities(inputs)
        if probabilities.shape[1:] != (len(self.predictor.labels),):
            raise ModelError(
                _(
                    "'{name}' gives {n} probabilities for {labels}.",
                    name=self.name,
                    n=probabilities.shape[-1],
                    labels=counted(len(self.predictor.labels), "label"),
                )
            )
        return self._of_own_labels(probabilities)

    def _of_own_labels(self, probabilities: Floats) -> Floats:
        """float[n_inputs, n_own], of float[n_inputs, n_labels]; all equal where the model is certain of what is no answer."""
        is_own = np.array([bool(self.names[label]) for label in self.predictor.labels])
        if is_own.all():
            return probabilities
        answerable = probabilities[:, is_own]
        sums = answerable.sum(axis=1, keepdims=True)
        shares: Floats = np.where(sums > 0, answerable / np.where(sums > 0, sums, 1), 1 / is_own.sum())
        return shares

    def explained(self, explainer: Explainer, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        """Scores for the project's labels, in the model's terms; see `named`."""
        label_by_name = {name: label for label, name in self.names.items() if name}
        return explainer.explain(inputs, [label_by_name.get(label, label) for label in labels])

    def named(self, label: str) -> str:
        """What the project calls a label of the model; answers and "" are called what they are."""
        return self.names.get(label, label)


def as_project_model(
    predictor: Predictor, project: Project, names_of: Callable[[Predictor], Mapping[str, str]]
) -> ProjectModel:
    """A model whose answers fit a project.

    names_of: what the project calls each of its labels, "" for one that is never an answer; not asked of the built-in model,
              whose labels are the project's
    Raises: ModelError where the model answers what the project does not ask for, or the built-in one is of other labels
    """
    if isinstance(predictor, Writes):
        return ProjectModel(predictor, {})
    if isinstance(predictor, Answerer):
        if project.task.result_kind == "label":
            raise ModelError(
                _(
                    "'{name}' answers questions, but '{project}' needs labels.",
                    name=predictor.name,
                    project=project.name,
                )
            )
        return ProjectModel(predictor, {})
    if project.task.result_kind != "label":
        raise ModelError(_("This project needs answers. Use transformers:..., or import answers (format predictions)."))
    if not isinstance(predictor, BagOfWords):
        return ProjectModel(predictor, names_of(predictor))
    strange = [label for label in predictor.labels if label not in project.labels]
    if strange:
        raise ModelError(
            _("'{name}' learned label '{strange}', since removed. Retrain it.", name=predictor.name, strange=strange[0])
        )
    return ProjectModel(predictor, {label: label for label in predictor.labels})


# A model that a person names, as a project asks it: loaded, with its answers in the project's labels.


@dataclass(frozen=True, slots=True)
class ModelSource:
    """From what a worker elsewhere loads a model as it was loaded here (see `models.engines`).

    built_in: the built-in model itself, which is small; None of others
    """

    spec: str
    options: LoadOptions
    names: Mapping[str, str]
    built_in: Predictor | None = None

    def load(self) -> ProjectModel:
        return ProjectModel(self.built_in or load_predictor(self.spec, self.options), self.names)

    @property
    def files(self) -> Path | None:
        """The model's folder, unless it is named otherwise, such as by its name at the hub."""
        folder = Path(self.spec.partition(":")[2]).expanduser()
        return folder.resolve() if self.built_in is None and folder.is_dir() else None

    def setup(self, load: Callable[[], Doing]) -> Setup:
        return Setup(load, self.options.threads, self.options.device, self.files)


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model that is going to be asked.

    model_labels: where a table says what the project calls them; None for the built-in model and for one that gives none
    notes:        what a person should know of it before its answers are used
    """

    model: ProjectModel
    model_labels: label_tables.ModelLabels | None
    notes: tuple[str, ...]
    spec: str
    options: LoadOptions

    @property
    def table(self) -> LabelTable:
        return LabelTable(self.model.names)

    def source(self, engine: Engine) -> ModelSource:
        """Raises InvalidValue for a model that is asked elsewhere already, with an engine whose workers would all ask there."""
        if isinstance(self.model.predictor, ServedLabels) and not engine.is_local:
            raise InvalidValue(f"'{self.model.name}' is asked at its own server. Ask it with --engine local.")
        built_in = self.model.predictor if isinstance(self.model.predictor, BagOfWords) else None
        source = ModelSource(self.spec, self.options, dict(self.model.names), built_in)
        kind, files = self.spec.partition(":")[0], source.files  # workers have another working folder
        return source if files is None else replace(source, spec=f"{kind}:{files}")

    def require_one_table(self, store: Store, project: Project) -> None:
        """Raise InvalidValue where what is stored of it was computed with other labels."""
        if self.model_labels is not None:
            label_tables.require_one_table(store, project, self.model_labels, self.table)

    def is_by_another_table(self, store: Store, project: Project) -> bool:
        """Whether what is stored of it was computed with other labels."""
        stored = None if self.model_labels is None else label_tables.stored_table(store, project, self.model_labels)
        return stored is not None and stored.names != self.table.names

    def remember(self, store: Store, actor: User, project: Project) -> None:
        """Keep what was confirmed of its labels."""
        if self.model_labels is not None:
            label_tables.remember(store, actor, project, self.model_labels, self.table)


def asked_model(
    store: Store, actor: User, project: Project, spec: str, load: LoadOptions, renamed: Mapping[str, str],
    *, trains: bool = False, seed: int = 0,
) -> AskedModel:  # fmt: skip
    """The model that a spec names.

    renamed: what the project calls labels of the model
    trains:  the built-in model is trained again, with the seed
    Raises: ModelError where it cannot be had, or where nobody said which of the project's labels its labels are
    """
    name = built_in_name(spec)
    if name is None:
        if trains:
            raise InvalidValue(f"Only the built-in model is trained here, not '{spec}'. Leave --train out.")
        spec = spec_of_trained(store, project, spec)
        load = replace(load, labels=tuple(project.labels))
        predictor = load_predictor(spec, load)
        return AskedModel(*_foreign(store, project, spec, predictor, renamed), spec, load)
    if renamed:
        raise InvalidValue(
            f"The labels of the built-in model are the project's own, which are not renamed. Ask '{spec}' without --rename."
        )
    model = built_in_model(store, actor, project, name, trains=trains, seed=seed)
    project_model = as_project_model(model, project, lambda _: {})
    return AskedModel(project_model, None, tuple(notes_of(store, project, model)), spec, load)


def _foreign(
    store: Store, project: Project, spec: str, predictor: Predictor, renamed: Mapping[str, str]
) -> tuple[ProjectModel, label_tables.ModelLabels | None, tuple[str, ...]]:
    model_labels = label_tables.ModelLabels.of_model(predictor.name, predictor.labels, spec)
    model = as_project_model(
        predictor, project, lambda _: label_tables.confirmed_table(store, project, model_labels, renamed).names
    )
    if not model.names:
        return model, None, ()
    notes = label_tables.notes_of_table(project, model_labels, LabelTable(model.names))
    return model, model_labels, tuple(notes)
