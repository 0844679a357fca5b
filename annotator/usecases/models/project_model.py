"""A model as a project asks it: its answers in the project's labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.attribution.base import Answerer, Explained, Explainer, Input, Predictor, Writes
from annotator.attribution.built_in_model import BagOfWords
from annotator.domain.models import Prediction
from annotator.domain.projects import Project
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats


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
        for row in self._of_own_labels(self.predictor.probabilities(inputs)):
            probabilities = dict(zip(self.labels, row.tolist(), strict=True))
            predictions.append(Prediction(Prediction(None, probabilities).label, probabilities))
        return predictions

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
                    "The model '{name}' answers questions, but the project '{project}' asks for labels.",
                    name=predictor.name,
                    project=project.name,
                )
            )
        return ProjectModel(predictor, {})
    if project.task.result_kind != "label":
        raise ModelError(
            _(
                "The model '{name}' gives labels, but the project '{project}' asks for answers. Use a question answering model "
                "(transformers:...), or bring in what your model says (format predictions).",
                name=predictor.name,
                project=project.name,
            )
        )
    if not isinstance(predictor, BagOfWords):
        return ProjectModel(predictor, names_of(predictor))
    strange = [label for label in predictor.labels if label not in project.labels]
    if strange:
        raise ModelError(
            _(
                "The built-in model '{name}' learned the label '{strange}', which the project no longer has. Train it again "
                "(Saliency, Compute attributions; or annotator attribute with --train).",
                name=predictor.name,
                strange=strange[0],
            )
        )
    return ProjectModel(predictor, {label: label for label in predictor.labels})
