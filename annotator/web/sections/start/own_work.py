"""What somebody can do themselves in a project: texts that came back, texts to annotate, to review and to check."""

from annotator.domain.project.qualification import Audience
from annotator.domain.projects import Project
from annotator.language import _, several
from annotator.usecases.start.overview import OwnWork, Training
from annotator.web.frame import as_text, link_to
from annotator.web.visit_times import shown_day

_PAGES: dict[Audience, str] = {"annotators": "annotate", "reviewers": "review"}
_LONGEST_KEY = 40  # characters
_BELOW = ":material/subdirectory_arrow_right:"


def show(project: Project, work: OwnWork) -> None:
    """A line for each kind of work; for each of the first texts that came back one of its own."""
    if work.n_returned:
        back = several("{n} text came back to you", "{n} texts came back to you", work.n_returned)
        link_to("annotate", back, project_id=project.id, icon=":material/undo:")
        _show_returned(project, work)
    if work.n_versions_back:
        back = several(
            "{n} changed version came back to you", "{n} changed versions came back to you", work.n_versions_back
        )
        link_to("perturb", back, project_id=project.id, icon=":material/undo:")
    for audience, training in work.trainings:
        if label := _training_words(audience, training):
            link_to(_PAGES[audience], label, project_id=project.id, icon=":material/school:")
    if work.n_to_annotate:
        label = several("{n} text to annotate", "{n} texts to annotate", work.n_to_annotate)
        link_to("annotate", label, project_id=project.id, icon=":material/ink_highlighter:")
    if work.n_to_review:
        label = several("{n} annotation to review", "{n} annotations to review", work.n_to_review)
        link_to("review", label, project_id=project.id, icon=":material/rate_review:")
    if work.n_to_check:
        label = several("{n} changed version to check", "{n} changed versions to check", work.n_to_check)
        link_to("perturb", label, project_id=project.id, icon=":material/edit_note:")


def _training_words(audience: Audience, training: Training) -> str:
    """What comes before work; "" while the work in hand comes first, which has a line of its own."""
    match training.stage:
        case "begin":
            return several("Training first: {n} text", "Training first: {n} texts", training.of)
        case "open" | "feedback":
            return _("Training: go on at text {number} of {all}", number=training.number, all=training.of)
        case "failed" if audience == "annotators":
            return _("No texts to annotate: you have no try left in the training. Ask the lead for another one.")
        case "failed":
            return _("Nothing to review: you have no try left in the training. Ask the lead for another one.")
        case "no texts":
            return _("There is no text left for your training. Tell the lead of this project.")
    return ""


def _show_returned(project: Project, work: OwnWork) -> None:
    """Only where there are several: a single one opens first anyway."""
    if work.n_returned == 1:
        return
    for text in work.texts:
        key = text.key if len(text.key) <= _LONGEST_KEY else f"{text.key[:_LONGEST_KEY]}…"
        label = as_text(_("{key}, since {day}", key=key, day=shown_day(text.since)))
        link_to("annotate", label, project_id=project.id, icon=_BELOW, instance=str(text.instance_id))
