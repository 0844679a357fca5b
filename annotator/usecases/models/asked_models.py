"""A model that a person names, as a project asks it: loaded, with its answers in the project's labels."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotator.attribution.base import Predictor
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.domain.labels import LabelTable
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.usecases.models.built_in_model import built_in_model, built_in_name, notes_of
from annotator.usecases.models.label_tables import (
    ModelLabels,
    confirmed_table,
    notes_of_table,
    remember,
    require_one_table,
    stored_table,
)
from annotator.usecases.models.model_places import spec_of_trained
from annotator.usecases.models.project_model import ProjectModel, as_project_model


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model that is going to be asked.

    model_labels: where a table says what the project calls them; None for the built-in model and for one that gives none
    notes:        what a person should know of it before its answers are used
    """

    model: ProjectModel
    model_labels: ModelLabels | None
    notes: tuple[str, ...]

    @property
    def table(self) -> LabelTable:
        return LabelTable(self.model.names)

    def require_one_table(self, store: Store, project: Project) -> None:
        """Raise InvalidValue where what is stored of it was computed with other labels."""
        if self.model_labels is not None:
            require_one_table(store, project, self.model_labels, self.table)

    def is_by_another_table(self, store: Store, project: Project) -> bool:
        """Whether what is stored of it was computed with other labels."""
        stored = None if self.model_labels is None else stored_table(store, project, self.model_labels)
        return stored is not None and stored.names != self.table.names

    def remember(self, store: Store, actor: User, project: Project) -> None:
        """Keep what was confirmed of its labels."""
        if self.model_labels is not None:
            remember(store, actor, project, self.model_labels, self.table)


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
        predictor = load_predictor(spec, replace(load, labels=tuple(project.labels)))
        return _foreign(store, project, spec, predictor, renamed)
    if renamed:
        raise InvalidValue(
            f"The labels of the built-in model are the project's own, which are not renamed. Ask '{spec}' without --rename."
        )
    model = built_in_model(store, actor, project, name, trains=trains, seed=seed)
    project_model = as_project_model(model, project, lambda _: {})
    return AskedModel(project_model, None, tuple(notes_of(store, project, model)))


def _foreign(store: Store, project: Project, spec: str, predictor: Predictor, renamed: Mapping[str, str]) -> AskedModel:
    model_labels = ModelLabels.of_model(predictor.name, predictor.labels, spec)
    model = as_project_model(predictor, project, lambda _: confirmed_table(store, project, model_labels, renamed).names)
    if not model.names:
        return AskedModel(model, None, ())
    notes = notes_of_table(project, model_labels, LabelTable(model.names))
    return AskedModel(model, model_labels, tuple(notes))
