"""What a project calls the labels of the model that its previews ask."""

from collections.abc import Mapping

from annotator.attribution.base import Predictor
from annotator.domain.projects import Project
from annotator.errors import ModelError
from annotator.language import _
from annotator.store import Store
from annotator.usecases.models.label_tables import ModelLabels, listed, remembered


def preview_names(
    store: Store, project: Project, predictor: Predictor, preview_labels: Mapping[str, str]
) -> Mapping[str, str]:
    """As the lead says it under Rules, else as it was confirmed when the model's answers were computed, else by equal names.

    preview_labels: what the lead says of this model
    Nothing that previews say is kept, so that names that differ in upper and lower case alone are equal here.
    Raises: ModelError where that leaves a label without a name, or two with one
    """
    unknown = [label for label in preview_labels if label not in predictor.labels]
    if unknown:
        raise ModelError(
            _(
                "The model '{name}' has no label '{unknown}' that could be renamed. It has {labels}.",
                name=predictor.name,
                unknown=unknown[0],
                labels=listed(predictor.labels),
            )
        )
    confirmed = remembered(store, project, ModelLabels.of_model(predictor.name, predictor.labels))
    if confirmed is not None and not preview_labels:
        return {label: confirmed.names[label] for label in predictor.labels}
    by_lower = {label.casefold(): label for label in project.labels}
    if len(by_lower) < len(project.labels):
        by_lower = {}
    names = {
        label: preview_labels.get(label, label if label in project.labels else by_lower.get(label.casefold()))
        for label in predictor.labels
    }
    return _checked(project, predictor, names)


def _checked(project: Project, predictor: Predictor, names: Mapping[str, str | None]) -> dict[str, str]:
    strange = [label for label, name in names.items() if name is None or name not in {*project.labels, ""}]
    given = [name for name in names.values() if name]
    if strange or len(set(given)) < len(given):
        what = (
            _("'{label}' is none of the project's", label=strange[0])
            if strange
            else _("two of them would be one of the project's")
        )
        label, ours = strange[0] if strange else predictor.labels[0], next(iter(project.labels), "label")
        raise ModelError(
            _(
                "The labels of the model '{name}' ({labels}) are not those of the project '{project}' ({project_labels}): "
                "{what}. The lead says which is which under Project, Rules (for example {label}={ours}, or {label}= where it "
                "is never an answer).",
                name=predictor.name,
                labels=listed(predictor.labels),
                project=project.name,
                project_labels=listed(project.labels),
                what=what,
                label=label,
                ours=ours,
            )
        )
    return {label: name or "" for label, name in names.items()}
