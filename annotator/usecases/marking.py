"""What an annotator does: get work, save drafts, submit, skip, propose to discard, withdraw, look at finished work."""

from dataclasses import dataclass, replace
from typing import cast

from annotator.domain.instances import Annotation, AnnotationState, Assignment, AssignmentState, Draft, Instance, Timing
from annotator.domain.people import User
from annotator.domain.projects import DISCARD_REASONS, Project
from annotator.domain.rationales import RationaleSet, check_spans
from annotator.domain.submission import check_submission, result_mode_for
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotWritable, StaleDraft
from annotator.review.rounds import carried_sets, origins_of
from annotator.store import Store, queue
from annotator.store import assignments as work_store
from annotator.store.annotations import (
    add_annotation,
    find_annotation_of_assignment,
    replace_annotation,
    set_annotation_state,
)
from annotator.store.database import now
from annotator.store.events import record_event
from annotator.store.gold_choices import is_chosen
from annotator.store.instances import get_instance, layout_of, row_of
from annotator.store.projects import assignment_counts_of, get_project_by_id, instance_counts
from annotator.store.proposals import add_proposal, decide_proposal, last_proposal_of
from annotator.store.proposed_sets import answers_of, save_answers
from annotator.store.reviews import end_open_reviews, forget_unsubmitted_scores, has_scores
from annotator.store.rounds import find_round, open_round, write_origins
from annotator.store.shown_sets import count_shown_and_free, standing
from annotator.usecases.feedback import Feedback, former_round
from annotator.usecases.leasing import (
    away_end,
    claim_next,
    held_by,
    hold,
    keep_leases,
    lease_end,
    open_asked,
    own_work,
)
from annotator.usecases.proposing import close
from annotator.usecases.rights import require

PAGE_SIZE = 20
_LONGEST_STEP_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Work:
    """An instance that someone holds, with the draft and why it came back, if it did."""

    assignment: Assignment
    instance: Instance
    feedback: Feedback | None = None
    previous: tuple[RationaleSet, ...] | None = None  # the sets of the round before, of a correction


@dataclass(frozen=True, slots=True)
class NextWork:
    """What the panel needs to begin: the work, the one leased ahead, and what is waiting."""

    project: Project
    work: Work | None
    ahead: Work | None
    counts: dict[str, int]
    empty: str | None


@dataclass(frozen=True, slots=True)
class FinishedRow:
    """One line of a person's own finished work."""

    assignment_id: int
    instance_id: int
    key: str
    excerpt: str
    state: str
    result: str | None
    n_sets: int
    submitted_at: str | None
    may_withdraw: bool


_NO_LABELS = (
    "Nothing can be given out yet: this project has no labels, and its texts need one. A lead of the project adds labels on the "
    "Project page."
)


def next_work(store: Store, user: User, project_id: int, instance_id: int | None = None) -> NextWork:
    """Lease work for a person: what was returned first, then what is held, then the queue; and one more ahead.

    instance_id: a deep link; opened when the person holds it, has done it, or may take it.
    """
    try:
        return _lease_next(store, user, project_id, instance_id)
    except NotWritable:
        held = _held_before(store, user, project_id, instance_id)
        if held is None:
            raise
        return held


def _held_before(store: Store, user: User, project_id: int, instance_id: int | None) -> NextWork | None:
    """What somebody holds can be read while nothing can be stored; what they do to it stays in their browser meanwhile."""
    project = get_project_by_id(store, project_id)
    held = work_store.list_held(store, project_id, _annotator(store, user, project_id))
    if instance_id is not None:
        held = [assignment for assignment in held if assignment.instance_id == instance_id]
    works = [_work(store, assignment) for assignment in held[:2]]
    if not works:
        return None
    return NextWork(project, works[0], works[1] if len(works) > 1 else None, waiting_counts(store, project, user), None)


def _lease_next(store: Store, user: User, project_id: int, instance_id: int | None) -> NextWork:
    user_id = _annotator(store, user, project_id)
    with store.transaction():
        project = get_project_by_id(store, project_id)
        if project.lacks_labels:
            counts = waiting_counts(store, project, user)
            return NextWork(project, None, None, counts, _NO_LABELS)
        work_store.end_expired_leases(
            store, project_id, but_not_of=user_id, lease_until=lease_end(project), returned_until=away_end(project)
        )
        first = None if instance_id is None else open_asked(store, project, user_id, instance_id)
        held = hold(store, project, user_id, first)
        counts = waiting_counts(store, project, user)
        works = [_work(store, assignment) for assignment in held[:2]]
        empty = None if works else _why_empty(store, project, counts)
    return NextWork(project, works[0] if works else None, works[1] if len(works) > 1 else None, counts, empty)


def _what_follows(store: Store, user: User, project: Project, shown: int | None) -> tuple[dict[str, int], Work | None]:
    ahead = work_after(store, user, project, shown)
    return waiting_counts(store, project, user), ahead


def work_after(store: Store, user: User, project: Project, shown: int | None) -> Work | None:
    """The work to lease ahead, when the panel shows `shown` (an assignment id) now; call inside the transaction."""
    user_id = cast("int", user.id)
    held = [a for a in work_store.list_held(store, project.id, user_id) if a.id != shown]
    assignment = held[0] if held else claim_next(store, project, user_id)
    return None if assignment is None else _work(store, assignment)


def waiting_counts(store: Store, project: Project, user: User) -> dict[str, int]:
    """What waits for a person in a project: returned, open, waiting, submitted, skipped."""
    user_id = cast("int", user.id)
    mine = assignment_counts_of(store, project.id, user_id)
    if project.lacks_labels:
        waiting = 0  # nothing is given out before there is a label to give
    elif project.settings.annotators_per_instance == 1:
        waiting = instance_counts(store, project.id).get("queued", 0)
        waiting -= count_shown_and_free(store, project.id, user_id)
    else:
        waiting = queue.waiting_for(store, project.id, user_id)
    return {
        "returned": mine.get("returned", 0),
        "open": mine.get("leased", 0),
        "waiting": waiting,
        "submitted": mine.get("submitted", 0),
        "skipped": mine.get("skipped", 0),
    }


def save_draft(
    store: Store, user: User, assignment_id: int, revision: int, draft: Draft, timing: Timing = Timing()
) -> int:
    """Keep what is marked so far; answers the new revision.

    Raises: StaleDraft when the draft was saved elsewhere since `revision`; LeaseLost when the work went to someone else
    """
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        _check_revision(assignment, revision)
        check_spans(draft.sets, layout_of(store, assignment.instance_id))
        project = get_project_by_id(store, assignment.project_id)
        keep_leases(store, project, assignment)
        _save(store, assignment_id, draft, revision + 1)
        work_store.add_timing(store, assignment_id, _plausible(timing))
    return revision + 1


def _save(store: Store, assignment_id: int, draft: Draft, revision: int) -> None:
    work_store.save_draft(store, assignment_id, draft, revision)
    if draft.proposed is not None:
        save_answers(store, assignment_id, draft.proposed)


def note_seen(store: Store, user: User, assignment_id: int, at: str) -> None:
    """When the person first saw the instance (work leased ahead is seen later than it is claimed)."""
    with store.transaction():
        own_work(store, user, assignment_id)
        work_store.note_first_view(store, assignment_id, at)


def submit(
    store: Store,
    user: User,
    assignment_id: int,
    revision: int,
    draft: Draft,
    timing: Timing = Timing(),
    *,
    shown_next: int | None = None,
    is_confirmed: bool = False,
) -> tuple[dict[str, int], Work | None]:
    """Hand in an annotation; answers what waits now and the work leased ahead.

    Raises: InvalidAnnotation naming what the project refuses; StaleDraft, LeaseLost as save_draft
    """
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        _check_revision(assignment, revision)
        project = get_project_by_id(store, assignment.project_id)
        instance = get_instance(store, assignment.instance_id)
        result = check_submission(draft, instance, project, is_confirmed=is_confirmed)
        keep_leases(store, project, assignment)
        _save(store, assignment_id, draft, revision + 1)
        work_store.add_timing(store, assignment_id, _plausible(timing))
        _store_submission(store, user, project, instance, assignment, draft, result)
        return _what_follows(store, user, project, shown_next)


def skip(
    store: Store, user: User, assignment_id: int, *, shown_next: int | None = None
) -> tuple[dict[str, int], Work | None]:
    """Give an instance back; it is offered to others, and to the same person again when nothing else is left."""
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        project = get_project_by_id(store, assignment.project_id)
        if assignment.state == "returned":
            raise Conflict("Returned work cannot be skipped: it waits for you. Correct it, or propose to discard it.")
        _move(store, assignment, "skipped")
        _note(store, user, "skip", assignment)
        return _what_follows(store, user, project, shown_next)


def propose_discard(
    store: Store, user: User, assignment_id: int, reason: str, comment: str = "", *, shown_next: int | None = None
) -> tuple[dict[str, int], Work | None]:
    """Propose to the lead that an instance be discarded; until the lead decides nobody gets it."""
    if reason not in DISCARD_REASONS:
        raise InvalidValue(f"'{reason}' is no reason to discard; choose one of: {'; '.join(DISCARD_REASONS)}.")
    if reason == "other" and not comment.strip():
        raise InvalidValue("Say in a few words why, since the reason is “other”.")
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        project = get_project_by_id(store, assignment.project_id)
        add_proposal(
            store, project.id, assignment.instance_id, assignment_id, user.name, "discard", reason, comment.strip()
        )
        _move(store, assignment, "proposed")
        _note(store, user, "propose discard", assignment, reason=reason)
        return _what_follows(store, user, project, shown_next)


def withdraw(store: Store, user: User, assignment_id: int) -> Work:
    """Take a submission back and open it again, with everything as it was submitted.

    Raises: Conflict when it has been decided upon, or was never submitted
    """
    with store.transaction():
        assignment = own_work(store, user, assignment_id)
        annotation = find_annotation_of_assignment(store, assignment_id)
        if annotation is not None and _saw_others(store, annotation):
            raise Conflict("You have seen what others marked in this text since, so you cannot take yours back.")
        if assignment.state != "submitted" or annotation is None or not may_withdraw(store, annotation):
            raise Conflict("This work cannot be taken back: it is not submitted, or others have begun to judge it.")
        project = get_project_by_id(store, assignment.project_id)
        instance = get_instance(store, assignment.instance_id)
        if instance.state == "discarded":
            raise Conflict("This instance was discarded by the lead, so its annotation cannot be opened again.")
        _cancel_contest(store, user, assignment)
        set_annotation_state(store, annotation.id, "withdrawn")
        end_open_reviews(store, annotation.id)
        _move(store, assignment, "leased")
        work_store.extend_leases(store, project.id, assignment.user_id, lease_end(project))
        _note(store, user, "withdraw", assignment, state=annotation.state)
        return _work(store, work_store.get_assignment(store, assignment_id))


def current_work(store: Store, user: User, assignment_id: int) -> Work:
    """A person's own piece of work as it is stored now."""
    return _work(store, own_work(store, user, assignment_id))


def may_withdraw(store: Store, annotation: Annotation) -> bool:
    """Whether a submission may still be taken back: until its first score is handed in, or the lead has decided or chosen it.

    Not by somebody who was shown others' sets of the text since.
    """
    found = find_round(store, annotation.id)
    is_judged = (found is not None and found.outcome is not None) or is_chosen(store, annotation.id)
    is_judged = is_judged or has_scores(store, annotation.id) or _saw_others(store, annotation)
    return annotation.state in {"submitted", "accepted"} and not is_judged


def _saw_others(store: Store, annotation: Annotation) -> bool:
    return annotation.user_id is not None and standing(store, annotation.instance_id, annotation.user_id).was_shown


def list_finished(store: Store, user: User, project_id: int, page: int) -> tuple[list[FinishedRow], int]:
    """One page of a person's own submitted work and proposals, newest first; and how many there are."""
    user_id = _annotator(store, user, project_id)
    mine = assignment_counts_of(store, project_id, user_id)
    total = mine.get("submitted", 0) + mine.get("proposed", 0)
    rows = work_store.list_assignments(
        store, project_id, user_id, ["submitted", "proposed"], limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1)
    )
    return [_finished_row(store, assignment) for assignment in rows], total


def _finished_row(store: Store, assignment: Assignment) -> FinishedRow:
    instance = row_of(store, assignment.instance_id)
    annotation = find_annotation_of_assignment(store, assignment.id)
    state = annotation.state if annotation is not None and assignment.state == "submitted" else "proposed to discard"
    return FinishedRow(
        assignment_id=assignment.id,
        instance_id=instance.id,
        key=instance.key,
        excerpt=instance.excerpt,
        state=state,
        result=annotation.result if annotation else None,
        n_sets=len(annotation.sets) if annotation else 0,
        submitted_at=work_store.submitted_at(store, assignment.id),
        may_withdraw=assignment.state == "submitted"
        and annotation is not None
        and may_withdraw(store, annotation)
        and instance.state != "discarded",
    )


def _store_submission(
    store: Store, user: User, project: Project, instance: Instance, assignment: Assignment, draft: Draft, result: str
) -> None:
    is_contested = result_mode_for(project, instance) == "contest" and result != instance.result
    is_reviewed = are_rationales_reviewed(project)
    state: AnnotationState = "submitted" if is_contested or is_reviewed else "accepted"
    annotation_id = _write_annotation(store, user, instance, assignment, draft, result, state)
    if is_contested:
        add_proposal(store, project.id, instance.id, assignment.id, user.name, "contest", result, draft.note)
    if is_reviewed:
        forget_unsubmitted_scores(store, annotation_id)
        open_round(store, annotation_id, project.id, instance.id, assignment.round_number, assignment.follows_id)
    _write_origins(store, assignment, annotation_id, draft)
    close(store, assignment.id, draft)
    _move(store, assignment, "submitted")
    _note(store, user, "submit", assignment, result=result, sets=len(draft.sets), state=state)


def are_rationales_reviewed(project: Project) -> bool:
    """Whether submissions come before reviewers; where only labels are given there is no rationale to score."""
    return project.settings.reviewers_per_annotation > 0 and project.settings.result_mode != "labels_only"


def _write_annotation(
    store: Store,
    user: User,
    instance: Instance,
    assignment: Assignment,
    draft: Draft,
    result: str,
    state: AnnotationState,
) -> int:
    there = find_annotation_of_assignment(store, assignment.id)
    if there is not None:
        replace_annotation(store, there.id, state=state, result=result, sets=draft.sets, note=draft.note)
        return there.id
    return add_annotation(
        store, instance.id, user.name, state=state, result=result, sets=draft.sets, note=draft.note,
        round_number=assignment.round_number, user_id=user.id, assignment_id=assignment.id,
    )  # fmt: skip


def _write_origins(store: Store, assignment: Assignment, annotation_id: int, draft: Draft) -> None:
    """Of a correction: which sets go on from the round before, and which carry their scores.

    Raises: InvalidAnnotation when a set that passed was changed without being opened again
    """
    if assignment.follows_id is None:
        return
    former = former_round(store, assignment.follows_id)
    previous = former.annotation.sets
    carried = carried_sets(draft, previous, former.feedback.passed)
    write_origins(store, annotation_id, origins_of(draft, previous), carried)


def _move(store: Store, assignment: Assignment, state: AssignmentState) -> None:
    """Bring a piece of work into another state, and its instance after it."""
    work_store.set_assignment_state(store, assignment.id, state)
    queue.settle(store, assignment.instance_id)


def _work(store: Store, assignment: Assignment) -> Work:
    instance = get_instance(store, assignment.instance_id)
    decision = _decision_of_lead(store, assignment, instance)
    if assignment.follows_id is None:
        feedback = Feedback(assignment.round_number, decision) if decision else None
        proposed = answers_of(store, assignment.id) or None
        assignment = replace(assignment, draft=replace(assignment.draft, proposed=proposed))
        return Work(assignment, instance, feedback)
    former = former_round(store, assignment.follows_id)
    feedback = replace(former.feedback, lines=(*decision, *former.feedback.lines))
    origins = origins_of(assignment.draft, former.annotation.sets)
    assignment = replace(assignment, draft=replace(assignment.draft, origins=origins))
    return Work(assignment, instance, feedback, former.annotation.sets)


def _decision_of_lead(store: Store, assignment: Assignment, instance: Instance) -> tuple[str, ...]:
    """Why the lead sent work back: a proposal to discard, or another label, was not taken."""
    proposal = last_proposal_of(store, assignment.id) if assignment.state == "returned" else None
    if proposal is None or proposal.state != "rejected":
        return ()
    if proposal.kind == "discard":
        return (
            f"The lead keeps this text: the proposal to discard it ({proposal.reason}) was rejected. Please annotate it.",
        )
    return (
        f"The lead keeps the label “{instance.result}” (you gave “{proposal.reason}”). Please mark what supports it.",
    )


def _cancel_contest(store: Store, user: User, assignment: Assignment) -> None:
    proposal = last_proposal_of(store, assignment.id)
    if proposal is not None and proposal.state == "open":
        decide_proposal(store, proposal.id, "rejected", user.name)


def _check_revision(assignment: Assignment, revision: int) -> None:
    if revision != assignment.revision:
        raise StaleDraft(
            "This text was changed in another tab or window as well. Keep what is here, or take what was saved there."
        )


def _plausible(timing: Timing) -> Timing:
    """Times come from a browser: never negative, never longer than a day between two messages."""

    def clamp(milliseconds: int) -> int:
        return max(0, min(milliseconds, _LONGEST_STEP_MS))

    return Timing(timing.first_action_at, clamp(timing.active_ms), clamp(timing.idle_ms), max(0, timing.edits))


def _annotator(store: Store, user: User, project_id: int) -> int:
    require(store, user, project_id, "annotate")
    if user.id is None:
        raise NotAllowed("The local operator has no work of its own. Sign in as a person to annotate.")
    return user.id


def _why_empty(store: Store, project: Project, counts: dict[str, int]) -> str:
    if counts["submitted"] == 0 and not instance_counts(store, project.id):
        return f"There are no texts in “{project.name}” yet. Its lead imports them on the Project page."
    return "Everything that can be given to you is done. New work appears here by itself when there is some."


def _note(store: Store, user: User, action: str, assignment: Assignment, **detail: object) -> None:
    said = {"assignment": assignment.id, "round": assignment.round_number, **detail}
    record_event(store, now(), user.name, action, "instance", assignment.instance_id, assignment.project_id, said)
