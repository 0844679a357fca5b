"""What somebody can do themselves in a project: texts that came back, texts to annotate, to review and to check."""

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.usecases.start.overview import OwnWork
from annotator.web.frame import as_text, link_to

_LONGEST_KEY = 40  # characters
_BELOW = ":material/subdirectory_arrow_right:"


def show(project: Project, work: OwnWork) -> None:
    """A line for each kind of work; for each of the first texts that came back one of its own."""
    if work.n_returned:
        back = f"{counted(work.n_returned, 'text')} came back to you"
        link_to("annotate", back, project_id=project.id, icon=":material/undo:")
        _show_returned(project, work)
    if work.n_versions_back:
        back = f"{counted(work.n_versions_back, 'changed version')} came back to you"
        link_to("perturb", back, project_id=project.id, icon=":material/undo:")
    if work.n_to_annotate:
        label = f"{counted(work.n_to_annotate, 'text')} to annotate"
        link_to("annotate", label, project_id=project.id, icon=":material/ink_highlighter:")
    if work.n_to_review:
        label = f"{counted(work.n_to_review, 'annotation')} to review"
        link_to("review", label, project_id=project.id, icon=":material/rate_review:")
    if work.n_to_check:
        label = f"{counted(work.n_to_check, 'changed version')} to check"
        link_to("perturb", label, project_id=project.id, icon=":material/edit_note:")


def _show_returned(project: Project, work: OwnWork) -> None:
    """Only where there are several: a single one opens first anyway."""
    if work.n_returned == 1:
        return
    for text in work.texts:
        key = text.key if len(text.key) <= _LONGEST_KEY else f"{text.key[:_LONGEST_KEY]}…"
        label = f"{as_text(f'{key}, since {text.since[:10]}')}"
        link_to("annotate", label, project_id=project.id, icon=_BELOW, instance=str(text.instance_id))
