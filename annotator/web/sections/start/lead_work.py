"""What waits for a project's lead, each line a link to the section where it is mended."""

from annotator.domain.jobs import JobKind
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.usecases.start.overview import LeadWork, QuietPerson, Waiting
from annotator.web.frame import as_text, link_to

_JOB_PAGES: dict[JobKind, str] = {"suite": "tests"}  # the others are asked for, and told of, on Saliency


def show(project: Project, work: LeadWork) -> None:
    """People who wait for an answer first, then what hinders everybody, then what may be looked after."""
    if work.is_empty:
        _link(project, "Import", ":material/upload_file:", "There are no texts yet: import a file")
    _show_waiting(project, work)
    _show_stuck(project, work)
    _show_missing_people(project, work)
    for person in work.quiet:
        _link(project, "Progress", ":material/schedule:", _quiet_words(person))
    for kind, failed in work.failed:
        label = f"{counted(failed.n, 'job failed', 'jobs failed')} since {_day(failed)}"
        link_to(_JOB_PAGES.get(kind, "saliency"), label, project_id=project.id, icon=":material/error:")
    if work.release is not None:
        release = as_text(work.release.words)
        _link(project, "Export", ":material/inventory_2:", f"Gold may have changed since {release}: compare it")


def _show_waiting(project: Project, work: LeadWork) -> None:
    if work.questions is not None:
        n = counted(work.questions.n, "question waits", "questions wait")
        label = f"{n} for an answer, the oldest since {_day(work.questions)}"
        _link(project, "Decisions", ":material/help:", label)
    if work.decisions is not None:
        n = counted(work.decisions.n, "proposal waits", "proposals wait")
        label = f"{n} for your decision, the oldest since {_day(work.decisions)}"
        _link(project, "Decisions", ":material/gavel:", label)


def _show_stuck(project: Project, work: LeadWork) -> None:
    if work.n_stuck_rounds:
        n = counted(work.n_stuck_rounds, "round is stuck", "rounds are stuck")
        _link(project, "Rounds", ":material/hourglass_disabled:", f"{n}: more scores are needed than people are left")
    if work.n_stuck_texts:
        n = counted(work.n_stuck_texts, "text is stuck", "texts are stuck")
        label = f"{n}: everybody who may annotate has done them or has seen others’ sets"
        _link(project, "Rounds", ":material/hourglass_disabled:", label)


def _show_missing_people(project: Project, work: LeadWork) -> None:
    if work.n_missing_reviewers:
        label = f"{counted(work.n_missing_reviewers, 'reviewer is', 'reviewers are')} missing for each annotation"
        _link(project, "People", ":material/group_add:", label)
    if work.n_missing_annotators:
        label = f"{counted(work.n_missing_annotators, 'annotator is', 'annotators are')} missing for each text"
        _link(project, "People", ":material/group_add:", label)


def _quiet_words(person: QuietPerson) -> str:
    pieces = counted(person.n_held, "piece")
    return f"{as_text(person.name)} has {pieces} of work in hand; last activity {as_text(person.since[:10])}"


def _day(waiting: Waiting) -> str:
    return as_text(waiting.since[:10])


def _link(project: Project, section: str, icon: str, label: str) -> None:
    link_to("project", label, project_id=project.id, icon=icon, section=section)
