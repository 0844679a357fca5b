"""What waits for a project's lead, each line a link to the section where it is mended."""

from annotator.domain.jobs import JobKind
from annotator.domain.projects import Project
from annotator.language import _, listed, several
from annotator.usecases.start.overview import LeadWork, QuietPerson, Waiting
from annotator.web.frame import as_text, link_to
from annotator.web.page_parts import shown_day

_JOB_PAGES: dict[JobKind, str] = {"suite": "tests"}  # the others are asked for, and told of, on Saliency
_NAMED_PEOPLE = 3


def show(project: Project, work: LeadWork) -> None:
    """People who wait for an answer first, then what hinders everybody, then what may be looked after."""
    if work.is_empty:
        _link(project, "Import", ":material/upload_file:", _("There are no texts yet: import a file"))
    _show_waiting(project, work)
    _show_without_tries(project, work)
    _show_stuck(project, work)
    _show_missing_people(project, work)
    for person in work.quiet:
        _link(project, "Progress", ":material/schedule:", _quiet_words(person))
    for kind, failed in work.failed:
        label = several("{n} job failed since {day}", "{n} jobs failed since {day}", failed.n, day=_day(failed))
        link_to(_JOB_PAGES.get(kind, "saliency"), label, project_id=project.id, icon=":material/error:")
    if work.release is not None:
        release = as_text(work.release.words)
        label = _("Gold may have changed since {release}: compare it", release=release)
        _link(project, "Export", ":material/inventory_2:", label)


def _show_waiting(project: Project, work: LeadWork) -> None:
    if work.questions is not None:
        label = several(
            "{n} question waits for an answer, the oldest since {day}",
            "{n} questions wait for an answer, the oldest since {day}",
            work.questions.n,
            day=_day(work.questions),
        )
        _link(project, "Decisions", ":material/help:", label)
    if work.decisions is not None:
        label = several(
            "{n} proposal waits for your decision, the oldest since {day}",
            "{n} proposals wait for your decision, the oldest since {day}",
            work.decisions.n,
            day=_day(work.decisions),
        )
        _link(project, "Decisions", ":material/gavel:", label)


def _show_without_tries(project: Project, work: LeadWork) -> None:
    """Who has failed the training for good gets no work until the lead says so: named, as they wait for it."""
    if work.without_tries:
        shown = [as_text(name) for name in work.without_tries[:_NAMED_PEOPLE]]
        more = len(work.without_tries) - len(shown)
        label = several(
            "{names} has no try left in the training: give another one, or let them through",
            "{names} have no try left in the training: give others, or let them through",
            len(work.without_tries),
            names=listed([*shown, *([_("{n} more", n=f"{more:,}")] if more else [])], "and"),
        )
        _link(project, "Training", ":material/school:", label)


def _show_stuck(project: Project, work: LeadWork) -> None:
    if work.n_stuck_rounds:
        label = several(
            "{n} round is stuck: more scores are needed than people are left",
            "{n} rounds are stuck: more scores are needed than people are left",
            work.n_stuck_rounds,
        )
        _link(project, "Rounds", ":material/hourglass_disabled:", label)
    if work.n_stuck_texts:
        label = several(
            "{n} text is stuck: everybody who may annotate has done them or has seen others’ sets",
            "{n} texts are stuck: everybody who may annotate has done them or has seen others’ sets",
            work.n_stuck_texts,
        )
        _link(project, "Rounds", ":material/hourglass_disabled:", label)


def _show_missing_people(project: Project, work: LeadWork) -> None:
    if work.n_missing_reviewers:
        label = several(
            "{n} reviewer is missing for each annotation",
            "{n} reviewers are missing for each annotation",
            work.n_missing_reviewers,
        )
        _link(project, "People", ":material/group_add:", label)
    if work.n_missing_annotators:
        label = several(
            "{n} annotator is missing for each text",
            "{n} annotators are missing for each text",
            work.n_missing_annotators,
        )
        _link(project, "People", ":material/group_add:", label)


def _quiet_words(person: QuietPerson) -> str:
    return several(
        "{name} has {n} piece of work in hand; last activity {day}",
        "{name} has {n} pieces of work in hand; last activity {day}",
        person.n_held,
        name=as_text(person.name),
        day=as_text(shown_day(person.since)),
    )


def _day(waiting: Waiting) -> str:
    return as_text(shown_day(waiting.since))


def _link(project: Project, section: str, icon: str, label: str) -> None:
    link_to("project", label, project_id=project.id, icon=icon, section=section)
