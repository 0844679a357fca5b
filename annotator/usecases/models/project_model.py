"""A model as a project asks it: its answers in the project's labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.attribution.bag_of_words import BagOfWords
from annotator.attribution.base import Answerer, Explained, Explainer, Input, Predictor
from annotator.domain.models import Prediction
from annotator.domain.projects import Project
from annotator.errors import ModelError

_SHOWN = 12
_REMEDY = "Say which is which with --rename '{label}={ours}', once for each label."


@dataclass(frozen=True, slots=True)
class ProjectModel:
    """A predictor, and what the project calls its labels.

    names: the project's label for each label of the model; empty for a model that answers otherwise
    """

    predictor: Predictor
    names: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.predictor.name

    @property
    def labels(self) -> tuple[str, ...]:
        """The project's labels that the model knows, in the order of its probabilities."""
        return tuple(self.names[label] for label in self.predictor.labels)

    def answers(self, inputs: Sequence[Input]) -> list[Prediction]:
        """The full answer to each input."""
        if isinstance(self.predictor, Answerer):
            return self.predictor.answers(inputs)
        predictions = []
        for row in self.predictor.probabilities(inputs):
            probabilities = dict(zip(self.labels, row.tolist(), strict=True))
            predictions.append(Prediction(Prediction(None, probabilities).label, probabilities))
        return predictions

    def explained(self, explainer: Explainer, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        """Scores for the project's labels, in the model's terms; see `named`."""
        label_by_name = {name: label for label, name in self.names.items()}
        return explainer.explain(inputs, [label_by_name.get(label, label) for label in labels])

    def named(self, label: str) -> str:
        """What the project calls a label of the model; answers and "" are called what they are."""
        return self.names.get(label, label)


def as_project_model(
    predictor: Predictor, project: Project, renamed: Mapping[str, str], remedy: str = _REMEDY
) -> ProjectModel:
    """A model whose answers fit a project.

    renamed: what the project calls labels of the model; others must have the project's names (upper or lower case)
    remedy:  how a person says so, with {label} and {ours}
    Raises: ModelError where the labels are others, or the model answers what the project does not ask for
    """
    if isinstance(predictor, Answerer):
        if project.task.result_kind == "label":
            raise ModelError(
                f"The model '{predictor.name}' answers questions, but the project '{project.name}' asks for labels."
            )
        return ProjectModel(predictor, {})
    if project.task.result_kind != "label":
        raise ModelError(
            f"The model '{predictor.name}' gives labels, but the project '{project.name}' asks for answers. Use a question "
            "answering model (transformers:...), or bring in what your model says (format predictions)."
        )
    return ProjectModel(predictor, _names(predictor, project, renamed, remedy))


def _names(predictor: Predictor, project: Project, renamed: Mapping[str, str], remedy: str) -> dict[str, str]:
    unknown = [label for label in renamed if label not in predictor.labels]
    if unknown:
        raise ModelError(
            f"The model '{predictor.name}' has no label '{unknown[0]}' that could be renamed. It has "
            f"{_listed(predictor.labels)}."
        )
    by_lower = {label.casefold(): label for label in project.labels}
    if len(by_lower) < len(project.labels):
        by_lower = {}
    names = {
        label: renamed.get(label, label if label in project.labels else by_lower.get(label.casefold(), ""))
        for label in predictor.labels
    }
    strange = [label for label, name in names.items() if name not in project.labels]
    twice = len(set(names.values())) < len(names)
    if strange and isinstance(predictor, BagOfWords):
        raise ModelError(
            f"The built-in model '{predictor.name}' learned the label '{strange[0]}', which the project no longer has. Train it "
            "again (Saliency, Compute attributions; or annotator attribute with --train)."
        )
    if strange or twice:
        what = f"'{strange[0]}' is none of the project's" if strange else "two of them would be one of the project's"
        label, ours = strange[0] if strange else predictor.labels[0], next(iter(project.labels), "label")
        raise ModelError(
            f"The labels of the model '{predictor.name}' ({_listed(predictor.labels)}) are not those of the project "
            f"'{project.name}' ({_listed(project.labels)}): {what}. {remedy.format(label=label, ours=ours)}"
        )
    return names


def _listed(labels: Sequence[str]) -> str:
    rest = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    return ", ".join(labels[:_SHOWN]) + rest
