"""An annotator's own work: the list of it, one piece as it is shown, and how much waits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from annotator.domain.instances import Assignment, Instance, MyWorkState
from annotator.domain.people import User
from annotator.domain.projects import Project, are_rationales_reviewed
from annotator.domain.texts import RationaleSet, first_words, set_letter
from annotator.errors import InvalidValue
from annotator.language import _, listed, unknown, unsaid
from annotator.review.gate import origins_of
from annotator.store import Store
from annotator.store.annotate import instance_queue
from annotator.store.annotate.annotations import get_annotations
from annotator.store.annotate.assignments import get_assignment
from annotator.store.annotate.my_work import WorkLine, count_submitted_since, find_last_decided, list_my_work
from annotator.store.annotate.proposals import answers_of, last_proposal_of
from annotator.store.annotate.visibility import count_shown_and_free, is_queue_plain
from annotator.store.instances import get_instance
from annotator.store.people import roles_of
from annotator.store.projects import assignment_counts_of, get_project_by_id, instance_counts, list_projects_of
from annotator.store.qualification.rules import is_kept_from_work
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.blind_checks import check_lines, counts_with_checks, find_check, outcome_of_check
from annotator.usecases.annotate.outcomes import Feedback, Outcome, former_round, outcome_of, summary_of
from annotator.usecases.crowd.recruitment_links import Standing, standing_of

PAGE_SIZE = 20
STATES: tuple[MyWorkState, ...] = get_args(MyWorkState)
_EXCERPT_CHARS = 160
_LINE_CHARS = 200
_TOLD = {"discarded", "proposed", "accepted", "returned"}


@dataclass(frozen=True, slots=True)
class MyWorkRow:
    """One line of one's own work; may_reopen: the submission can still be taken back; lines: its reasons and scores."""

    line: WorkLine
    excerpt: str
    result: str | None
    n_sets: int
    may_reopen: bool
    lines: tuple[str, ...]


def my_work(
    store: Store, user: User, project_id: int, page: int = 1, *, state: str = "", words: str = ""
) -> tuple[list[MyWorkRow], int]:
    """One page of one's own work, newest first, and how much there is.

    state: one of STATES, or "" for all; words: what its key or texts hold, whatever the case
    """
    require(store, user, project_id, "annotate")
    if state not in {"", *STATES}:
        raise InvalidValue(unknown(_("state"), state, listed(STATES)))
    lines, n = _lines(store, project_id, cast("int", user.id), state, words.strip(), PAGE_SIZE * (page - 1))
    annotations = get_annotations(store, [line.annotation_id for line in lines if line.annotation_id is not None])
    last_decided = _last_decided(store, project_id, cast("int", user.id))
    rows = []
    for line in lines:
        assignment = find_check(store, line.assignment_id) or get_assignment(store, line.assignment_id)
        is_draft = line.state == "draft" or assignment.is_check
        work = assignment.draft if is_draft else annotations.get(cast("int", line.annotation_id))
        outcome = outcome_of_check(store, assignment) if assignment.is_check else outcome_of(store, assignment)
        n_sets = len(work.sets) if work else 0
        rows.append(
            MyWorkRow(
                line, first_words(line.excerpt, _EXCERPT_CHARS), work.result if work else None, n_sets,
                may_reopen=line.state in {"submitted", "accepted", "proposed"} and not outcome.closed,
                lines=_summary(line, outcome, n_sets, last_decided),
            )
        )  # fmt: skip
    return rows, n


def _lines(
    store: Store, project_id: int, user_id: int, state: str, words: str, offset: int
) -> tuple[Sequence[WorkLine], int]:
    """The lines of a page and how many there are, blind checks among them; only who has some pays for the pages before."""
    checks = check_lines(store, project_id, user_id, state, words)
    if not checks:
        return list_my_work(store, project_id, user_id, state, words, limit=PAGE_SIZE, offset=offset)
    lines, n = list_my_work(store, project_id, user_id, state, words, limit=offset + PAGE_SIZE, offset=0)
    merged = sorted([*lines, *checks], key=lambda line: (line.at, line.assignment_id), reverse=True)
    return merged[offset : offset + PAGE_SIZE], n + len(checks)


def _last_decided(store: Store, project_id: int, user_id: int) -> tuple[str, int] | None:
    """The newest of a person's work that is decided, by time and number; None where decisions follow from no review."""
    if not are_rationales_reviewed(get_project_by_id(store, project_id)):
        return None
    return find_last_decided(store, project_id, user_id)


def _summary(line: WorkLine, outcome: Outcome, n_sets: int, last_decided: tuple[str, int] | None) -> tuple[str, ...]:
    """The reasons and scores; of what was left behind by decisions of later work (as a blind check is for ever), that."""
    if line.state == "submitted" and last_decided and (line.at, line.assignment_id) < last_decided:
        return (_("No decision shown yet."),)
    if line.state not in _TOLD:
        return ()
    letters = [set_letter(number) for number in range(n_sets)]
    return tuple(first_words(sentence, _LINE_CHARS) for sentence in summary_of(outcome, letters))


# A piece of work as its annotator sees it: the draft, why it came back, and what has become of what was handed in.


@dataclass(frozen=True, slots=True)
class Work:
    """An instance that someone holds, with the draft and why it came back, if it did."""

    assignment: Assignment
    instance: Instance
    feedback: Feedback | None = None
    previous: tuple[RationaleSet, ...] | None = None  # the sets of the round before, of a correction
    outcome: Outcome | None = None  # of what has left the person's hands


def work_of(store: Store, assignment: Assignment) -> Work:
    """All that the panel shows of a piece of work, as it is stored now."""
    instance = get_instance(store, assignment.instance_id)
    if assignment.is_check:
        is_handed_in = assignment.state == "submitted"
        return Work(assignment, instance, outcome=outcome_of_check(store, assignment) if is_handed_in else None)
    outcome = None if assignment.state in {"leased", "returned"} else outcome_of(store, assignment)
    decision = _decision_of_lead(store, assignment, instance)
    if assignment.follows_id is None:
        feedback = Feedback(0, decision) if decision else None
        proposed = answers_of(store, assignment.id) or None
        assignment = replace(assignment, draft=replace(assignment.draft, proposed=proposed))
        return Work(assignment, instance, feedback, outcome=outcome)
    former = former_round(store, assignment.follows_id)
    last = _last_round(store, assignment, former.feedback) if outcome is None else ()
    feedback = replace(former.feedback, lines=(*last, *decision, *former.feedback.lines))
    origins = origins_of(assignment.draft, former.annotation.sets)
    assignment = replace(assignment, draft=replace(assignment.draft, origins=origins))
    is_told_later = outcome is not None and bool(outcome.lines or outcome.sets)
    return Work(assignment, instance, None if is_told_later else feedback, former.annotation.sets, outcome)


def _last_round(store: Store, assignment: Assignment, former: Feedback) -> tuple[str, ...]:
    settings = get_project_by_id(store, assignment.project_id).settings
    if not settings.reviewers_per_annotation or former.round_number + 1 < settings.max_rounds:
        return ()
    return (_("Last round: below the thresholds the annotation is discarded."),)


def _decision_of_lead(store: Store, assignment: Assignment, instance: Instance) -> tuple[str, ...]:
    """Why the lead sent work back: a proposal to discard, or another label, was not taken."""
    proposal = last_proposal_of(store, assignment.id) if assignment.state == "returned" else None
    if proposal is None or proposal.state != "rejected":
        return ()
    if proposal.kind == "discard":
        return (_("Proposal to discard rejected ({reason}). Please annotate this text.", reason=_(proposal.reason)),)
    return (
        _(
            "The label stays “{result}” (you chose “{reason}”). Mark what supports it.",
            result=instance.result,
            reason=proposal.reason,
        ),
    )


# How much waits for an annotator in a project, and why there is nothing for them.


NO_LABELS = unsaid("This project has no labels. Its lead can add some (Project, Rules).")


def waiting_counts(store: Store, project: Project, user: User, day_began: str | None = None) -> dict[str, int]:
    """What is waiting for a person in a project: returned, open, waiting, submitted, skipped; today: since their day began.

    Of a worker: quota, done and seconds_left instead of today.
    """
    user_id = cast("int", user.id)
    mine = assignment_counts_of(store, project.id, user_id)
    standing = standing_of(store, user_id) if user.is_worker else None
    if standing is not None:
        return _counts_of_worker(store, mine, standing)
    if project.lacks_labels or is_kept_from_work(store, project.id, user_id, "annotators"):
        waiting = 0  # nothing is given out before there is a label to give, or the person has passed the training
    elif project.settings.annotators_per_instance == 1 and is_queue_plain(store, project.id):
        waiting = instance_counts(store, project.id).get("queued", 0)
        waiting -= count_shown_and_free(store, project.id, user_id)
    else:
        waiting = instance_queue.waiting_for(store, project.id, user_id)
    today = {} if day_began is None else {"today": count_submitted_since(store, project.id, user_id, day_began)}
    counts = today | {
        "returned": mine.get("returned", 0),
        "open": mine.get("leased", 0),
        "waiting": waiting,
        "submitted": mine.get("submitted", 0),
        "skipped": mine.get("skipped", 0),
    }
    return counts_with_checks(store, project, user_id, counts, day_began)


def _counts_of_worker(store: Store, mine: Mapping[str, int], standing: Standing) -> dict[str, int]:
    """What they need to know of their own work, and nothing of how large the project is."""
    quota, done = standing.link.rules.quota, standing.worker.done
    held = mine.get("returned", 0) + mine.get("leased", 0)
    return {
        "returned": mine.get("returned", 0),
        "open": mine.get("leased", 0),
        "waiting": max(0, quota - done - held),
        "submitted": mine.get("submitted", 0),
        "skipped": mine.get("skipped", 0),
        "quota": quota,
        "done": done,
        "seconds_left": standing.seconds_left(store.moment()),
    }


def why_empty(store: Store, project: Project, user: User, counts: dict[str, int], elsewhere: Sequence[Project]) -> str:
    """What is said to somebody who has nothing to annotate here.

    counts: theirs, as waiting_counts answers them; elsewhere: projects_with_texts
    """
    if is_kept_from_work(store, project.id, cast("int", user.id), "annotators"):
        return _("Training comes before new work. Open Annotate or Review again.")
    if elsewhere:
        names = listed([f"“{other.name}”" for other in elsewhere])
        return _("Nothing left to annotate here. Texts wait in {projects}.", projects=names)
    if counts["submitted"] == 0 and not instance_counts(store, project.id):
        return _("No texts yet. A lead can import some.")
    return _("Nothing left to annotate. Come back later.")


def projects_with_texts(store: Store, user: User) -> Iterator[Project]:
    """The projects in which somebody is an annotator and has something to annotate."""
    for project in list_projects_of(store, user):
        if not project.is_archived and "annotator" in roles_of(store, user, project.id):
            counts = waiting_counts(store, project, user)
            if any(counts[name] for name in ("returned", "open", "waiting")):
                yield project
