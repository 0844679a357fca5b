"""Labels that models speak of and a project does not have: the same check for what is imported and what is restored."""

from annotator.domain.models import Output, SourceOutput
from annotator.domain.projects import Project
from annotator.formats.rows.label_remedies import label_remedy
from annotator.language import _, listed

_SHOWN = 12


def strange_label(project: Project, output: SourceOutput | Output) -> tuple[str, str] | None:
    """The first label that a project does not have: what it is of ("target", "prediction"), and the label.

    Scores of no label ("") are of whatever the model predicts; a project that has no labels yet, or asks for answers, takes any.
    """
    labels = project.labels if project.task.result_kind == "label" else ()
    if not labels:
        return None
    for attribution in output.attributions:
        if attribution.label and attribution.label not in labels:
            return "target", attribution.label
    for prediction in output.predictions:
        for label in (*prediction.probabilities, prediction.result):
            if label is not None and label not in labels:
                return "prediction", label
    return None


def strange_label_report(project: Project, label: str) -> str:
    """Why a row with such a label is refused, and what to do about it."""
    more = len(project.labels) - _SHOWN
    labels = listed(project.labels[:_SHOWN])
    if more > 0:
        labels = _("{names} and {n} more", names=labels, n=more)
    return _(
        "The label '{label}' is not one of the project's ({labels}); {remedy}.",
        label=label,
        labels=labels,
        remedy=label_remedy(label, project.labels),
    )
