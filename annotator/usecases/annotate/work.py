"""What an annotator does: get work, save drafts, submit, skip, propose to discard, reopen what was submitted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from annotator.domain.instances import Assignment, AssignmentState, Draft, Instance, Timing
from annotator.domain.people import User
from annotator.domain.projects import DISCARD_REASONS, Project
from annotator.domain.rationales import RationaleSet, check_spans
from annotator.domain.submission import check_submission
from annotator.domain.texts import first_words
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotWritable, StaleDraft
from annotator.language import _, unsaid
from annotator.review.corrections import origins_of
from annotator.store import Store
from annotator.store.annotate import assignments as work_store
from annotator.store.annotate import instance_queue
from annotator.store.annotate.annotations import (
    find_annotation_of_assignment,
    set_annotation_state,
)
from annotator.store.annotate.my_work import count_submitted_since, find_last_submission, submission_time
from annotator.store.annotate.named_people import is_queue_plain
from annotator.store.annotate.proposals import add_proposal, decide_proposal, last_proposal_of
from annotator.store.annotate.proposed_sets import answers_of, save_answers
from annotator.store.annotate.shown_sets import count_shown_and_free
from annotator.store.events import record_event
from annotator.store.instances import get_instance, layout_of, row_of
from annotator.store.project.label_history import label_of_now
from annotator.store.projects import assignment_counts_of, get_project_by_id, instance_counts
from annotator.store.qualification.exercises import last_done_check
from annotator.store.qualification.rules import is_kept_from_work
from annotator.store.review.reviews import end_open_reviews
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.checks import (
    among_held,
    counts_with_checks,
    leave_check,
    outcome_of_check,
    reopen_check,
    save_check,
    submit_check,
)
from annotator.usecases.annotate.feedback import Feedback, former_round
from annotator.usecases.annotate.leases import (
    away_end,
    claim_next,
    held_by,
    hold,
    keep_leases,
    lease_end,
    open_asked,
    own_work,
)
from annotator.usecases.annotate.outcomes import Outcome, outcome_of
from annotator.usecases.annotate.reopening import why_closed
from annotator.usecases.annotate.submission_storage import store_submission
from annotator.usecases.crowd.workers import Standing, end_overdue, require_read, standing_of
from annotator.usecases.evidence.taking_over import after_acceptance

_TITLE_CHARS = 50
_LONGEST_STEP_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Work:
    """An instance that someone holds, with the draft and why it came back, if it did."""

    assignment: Assignment
    instance: Instance
    feedback: Feedback | None = None
    previous: tuple[RationaleSet, ...] | None = None  # the sets of the round before, of a correction
    outcome: Outcome | None = None  # of what has left the person's hands


@dataclass(frozen=True, slots=True)
class NextWork:
    """What the panel needs to begin: the work, the one leased ahead, and what is waiting."""

    project: Project
    work: Work | None
    ahead: Work | None
    counts: dict[str, int]
    empty: str | None


_NO_LABELS = unsaid(
    "There is nothing to annotate yet: this project has no labels, and its texts need one. Its lead can add "
    "labels on the "
    "Project page."
)


def next_work(
    store: Store, user: User, project_id: int, instance_id: int | None = None, *, day_began: str | None = None
) -> NextWork:
    """Lease work for a person: what was returned first, then what is held, then the queue; and one more ahead.

    instance_id: a deep link; opened when the person holds it, has done it, or may take it.
    day_began:   when today began where the person is; then the counts say how much they submitted since
    """
    try:
        return _lease_next(store, user, project_id, instance_id, day_began)
    except NotWritable:
        held = _held_before(store, user, project_id, instance_id, day_began)
        if held is None:
            raise
        return held


def _held_before(
    store: Store, user: User, project_id: int, instance_id: int | None, day_began: str | None
) -> NextWork | None:
    """What somebody holds can be read while nothing can be stored; what they do to it stays in their browser meanwhile."""
    project = get_project_by_id(store, project_id)
    user_id = _annotator(store, user, project_id)
    held = among_held(store, project_id, user_id, work_store.list_held(store, project_id, user_id))
    if instance_id is not None:
        held = [assignment for assignment in held if assignment.instance_id == instance_id]
    works = [_work(store, assignment) for assignment in held[:2]]
    if not works:
        return None
    counts = waiting_counts(store, project, user, day_began)
    return NextWork(project, works[0], works[1] if len(works) > 1 else None, counts, None)


def _lease_next(store: Store, user: User, project_id: int, instance_id: int | None, day_began: str | None) -> NextWork:
    user_id = _annotator(store, user, project_id)
    with store.transaction():
        end_overdue(store)
        project = get_project_by_id(store, project_id)
        if project.lacks_labels:
            counts = waiting_counts(store, project, user, day_began)
            return NextWork(project, None, None, counts, _(_NO_LABELS))
        work_store.end_expired_leases(
            store,
            project_id,
            but_not_of=user_id,
            lease_until=lease_end(store, project),
            returned_until=away_end(store, project),
        )
        first = None if instance_id is None else open_asked(store, project, user_id, instance_id)
        held = hold(store, project, user_id, first)
        counts = waiting_counts(store, project, user, day_began)
        works = [_work(store, assignment) for assignment in held[:2]]
        empty = None if works else _why_empty(store, project, user_id, counts)
    return NextWork(project, works[0] if works else None, works[1] if len(works) > 1 else None, counts, empty)


def _what_follows(
    store: Store, user: User, project: Project, shown: int | None, day_began: str | None
) -> tuple[dict[str, int], Work | None]:
    ahead = work_after(store, user, project, shown)
    return waiting_counts(store, project, user, day_began), ahead


def work_after(store: Store, user: User, project: Project, shown: int | None) -> Work | None:
    """The work to lease ahead, when the panel shows `shown` (an assignment id) now; call inside the transaction."""
    user_id = cast("int", user.id)
    all_held = among_held(store, project.id, user_id, work_store.list_held(store, project.id, user_id))
    held = [a for a in all_held if a.id != shown]
    assignment = held[0] if held else claim_next(store, project, user_id)
    return None if assignment is None else _work(store, assignment)


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
    quota, done = standing.door.rules.quota, standing.worker.done
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


def counts_in(store: Store, user: User, project_id: int, day_began: str | None) -> dict[str, int]:
    """What is waiting for an annotator in a project."""
    _annotator(store, user, project_id)
    return waiting_counts(store, get_project_by_id(store, project_id), user, day_began)


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
        draft = replace(draft, result=label_of_now(store, project, draft.result))
        _save(store, assignment, draft, revision + 1, _plausible(timing))
    return revision + 1


def _save(store: Store, assignment: Assignment, draft: Draft, revision: int, timing: Timing) -> None:
    if assignment.is_check:
        save_check(store, assignment, draft, revision, timing)
        return
    work_store.save_draft(store, assignment.id, draft, revision)
    if draft.proposed is not None:
        save_answers(store, assignment.id, draft.proposed)
    work_store.add_timing(store, assignment.id, timing)


def note_seen(store: Store, user: User, assignment_id: int, at: str) -> None:
    """When the person first saw the instance (work leased ahead is seen later than it is claimed)."""
    with store.transaction():
        if not own_work(store, user, assignment_id).is_check:
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
    day_began: str | None = None,
) -> tuple[dict[str, int], Work | None]:
    """Hand in an annotation; answers what waits now and the work leased ahead.

    Raises: InvalidAnnotation naming what the project refuses; StaleDraft, LeaseLost as save_draft
    """
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        _check_revision(assignment, revision)
        project = get_project_by_id(store, assignment.project_id)
        instance = get_instance(store, assignment.instance_id)
        draft = replace(draft, result=label_of_now(store, project, draft.result))
        require_read(store, user, project)
        result = check_submission(draft, instance, project, is_confirmed=is_confirmed)
        keep_leases(store, project, assignment)
        _save(store, assignment, draft, revision + 1, _plausible(timing))
        if assignment.is_check:
            submit_check(store, project, instance, assignment, draft, result, revision + 1)
        else:
            state = store_submission(store, user, project, instance, assignment, draft, result)
            _move(store, assignment, "submitted")
            if state == "accepted":
                after_acceptance(store, instance.id)
            _note(store, user, "submit", assignment, result=result, sets=len(draft.sets), state=state)
        return _what_follows(store, user, project, shown_next, day_began)


def skip(
    store: Store, user: User, assignment_id: int, *, shown_next: int | None = None, day_began: str | None = None
) -> tuple[dict[str, int], Work | None]:
    """Give an instance back; it is offered to others, and to the same person again when nothing else is left."""
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        project = get_project_by_id(store, assignment.project_id)
        if assignment.state == "returned":
            raise Conflict(_("Returned work cannot be skipped. Revise it, or propose to discard it."))
        if assignment.is_check:
            leave_check(store, assignment)
        else:
            _move(store, assignment, "skipped")
            _note(store, user, "skip", assignment)
        return _what_follows(store, user, project, shown_next, day_began)


def propose_discard(
    store: Store,
    user: User,
    assignment_id: int,
    reason: str,
    comment: str = "",
    *,
    shown_next: int | None = None,
    day_began: str | None = None,
) -> tuple[dict[str, int], Work | None]:
    """Propose to the lead that an instance be discarded; until the lead decides nobody gets it."""
    if reason not in DISCARD_REASONS:
        reasons = "; ".join(DISCARD_REASONS)
        if not reason:
            raise InvalidValue(_("A proposal to discard needs a reason. Choose one of: {reasons}.", reasons=reasons))
        raise InvalidValue(
            _("'{reason}' is not one of the reasons. Choose one of: {reasons}.", reason=reason, reasons=reasons)
        )
    if reason == "other" and not comment.strip():
        raise InvalidValue(_("Please say in a few words why, since you chose “other”."))
    with store.transaction():
        assignment = held_by(store, user, assignment_id)
        project = get_project_by_id(store, assignment.project_id)
        if assignment.is_check:
            leave_check(store, assignment, f"{reason}: {comment.strip()}")
        else:
            add_proposal(
                store, project.id, assignment.instance_id, assignment_id, user.name, "discard", reason, comment.strip()
            )
            _move(store, assignment, "proposed")
            _note(store, user, "propose discard", assignment, reason=reason)
        return _what_follows(store, user, project, shown_next, day_began)


def withdraw(store: Store, user: User, assignment_id: int) -> Work:
    """Take a submission back and open it again, with everything as it was submitted.

    Raises: Conflict when that is not allowed any more, saying why
    """
    with store.transaction():
        return _reopen(store, user, own_work(store, user, assignment_id))


def reopen_last(store: Store, user: User, project_id: int) -> Work:
    """Take one's last submission back and open it again.

    Raises: Conflict when there is none, or when that is not allowed any more, saying why
    """
    user_id = _annotator(store, user, project_id)
    with store.transaction():
        last = _last_submission(store, project_id, user_id)
        if last is None:
            raise Conflict(_("There is no submission to go back to: you have nothing submitted in this project."))
        assignment = own_work(store, user, last)
        title = first_words(row_of(store, assignment.instance_id).excerpt, _TITLE_CHARS)
        return _reopen(store, user, assignment, title)


def _last_submission(store: Store, project_id: int, user_id: int) -> int | None:
    """The number of what a person handed in last, a blind check too."""
    last, check = find_last_submission(store, project_id, user_id), last_done_check(store, project_id, user_id)
    if last is None or check is None:
        return check[1] if check else last
    return check[1] if check[0] > (submission_time(store, last) or "") else last


def _reopen(store: Store, user: User, assignment: Assignment, title: str = "") -> Work:
    """title: of the text, where it is not on the screen."""
    if assignment.is_check:
        reopened = reopen_check(store, assignment)
        if reopened is None:
            closed = outcome_of_check(store, assignment).closed or _("it is not submitted any more")
            raise Conflict(_cannot_reopen(title, closed))
        return _work(store, reopened)
    annotation = find_annotation_of_assignment(store, assignment.id)
    closed = why_closed(store, assignment, annotation)
    if annotation is None or closed:
        raise Conflict(_cannot_reopen(title, closed))
    project = get_project_by_id(store, assignment.project_id)
    _cancel_contest(store, user, assignment)
    set_annotation_state(store, annotation.id, "withdrawn")
    end_open_reviews(store, annotation.id)
    _move(store, assignment, "leased")
    work_store.extend_leases(store, project.id, assignment.user_id, lease_end(store, project))
    _note(store, user, "withdraw", assignment, state=annotation.state)
    return _work(store, work_store.get_assignment(store, assignment.id))


def _cannot_reopen(title: str, why: str) -> str:
    if not title:
        return _("This submission cannot be reopened: {why}.", why=why)
    return _(
        "Your last submission, “{title}”, cannot be reopened: {why}. You can read it under My work (m).",
        title=title,
        why=why,
    )


def current_work(store: Store, user: User, assignment_id: int) -> Work:
    """A person's own piece of work as it is stored now."""
    return _work(store, own_work(store, user, assignment_id))


def _move(store: Store, assignment: Assignment, state: AssignmentState) -> None:
    """Bring a piece of work into another state, and its instance after it."""
    work_store.set_assignment_state(store, assignment.id, state)
    instance_queue.settle(store, assignment.instance_id)


def _work(store: Store, assignment: Assignment) -> Work:
    instance = get_instance(store, assignment.instance_id)
    if assignment.is_check:
        is_handed_in = assignment.state == "submitted"
        return Work(assignment, instance, outcome=outcome_of_check(store, assignment) if is_handed_in else None)
    outcome = outcome_of(store, assignment) if assignment.state in {"submitted", "proposed", "ended"} else None
    decision = _decision_of_lead(store, assignment, instance)
    if assignment.follows_id is None:
        feedback = Feedback(assignment.round_number, decision) if decision else None
        proposed = answers_of(store, assignment.id) or None
        assignment = replace(assignment, draft=replace(assignment.draft, proposed=proposed))
        return Work(assignment, instance, feedback, outcome=outcome)
    former = former_round(store, assignment.follows_id)
    feedback = replace(former.feedback, lines=(*decision, *former.feedback.lines))
    origins = origins_of(assignment.draft, former.annotation.sets)
    assignment = replace(assignment, draft=replace(assignment.draft, origins=origins))
    is_told_later = outcome is not None and bool(outcome.lines or outcome.sets)
    return Work(assignment, instance, None if is_told_later else feedback, former.annotation.sets, outcome)


def _decision_of_lead(store: Store, assignment: Assignment, instance: Instance) -> tuple[str, ...]:
    """Why the lead sent work back: a proposal to discard, or another label, was not taken."""
    proposal = last_proposal_of(store, assignment.id) if assignment.state == "returned" else None
    if proposal is None or proposal.state != "rejected":
        return ()
    if proposal.kind == "discard":
        return (
            _(
                "The lead kept this text: your proposal to discard it ({reason}) was rejected. Please annotate it.",
                reason=_(proposal.reason),
            ),
        )
    return (
        _(
            "The lead decided to keep the label “{result}” (you gave “{reason}”). Please mark what supports it.",
            result=instance.result,
            reason=proposal.reason,
        ),
    )


def _cancel_contest(store: Store, user: User, assignment: Assignment) -> None:
    proposal = last_proposal_of(store, assignment.id)
    if proposal is not None and proposal.state == "open":
        decide_proposal(store, proposal.id, "rejected", user.name)


def _check_revision(assignment: Assignment, revision: int) -> None:
    if revision != assignment.revision:
        raise StaleDraft(
            _(
                "This text was also changed in another tab or window. Keep the version here, or use the version "
                "that was saved "
                "there."
            )
        )


def _plausible(timing: Timing) -> Timing:
    """Times come from a browser: never negative, never longer than a day between two messages."""

    def clamp(milliseconds: int) -> int:
        return max(0, min(milliseconds, _LONGEST_STEP_MS))

    return Timing(timing.first_action_at, clamp(timing.active_ms), clamp(timing.idle_ms), max(0, timing.edits))


def _annotator(store: Store, user: User, project_id: int) -> int:
    require(store, user, project_id, "annotate")
    if user.id is None:
        raise NotAllowed(_("The local operator cannot annotate. Sign in as a person."))
    return user.id


def _why_empty(store: Store, project: Project, user_id: int, counts: dict[str, int]) -> str:
    if is_kept_from_work(store, project.id, user_id, "annotators"):
        return _(
            "You have finished what you held. New texts come after the training: reload this page to see how it stands."
        )
    if counts["submitted"] == 0 and not instance_counts(store, project.id):
        return _(
            "There are no texts in “{name}” yet. Its lead can import some on the Project page, under Import.",
            name=project.name,
        )
    return _(
        "There is nothing left for you to annotate here. Come back later, or look at your submissions under My "
        "work (m)."
    )


def _note(store: Store, user: User, action: str, assignment: Assignment, **detail: object) -> None:
    event_detail = {"assignment": assignment.id, "round": assignment.round_number, **detail}
    record_event(
        store, store.now(), user.name, action, "instance", assignment.instance_id, assignment.project_id, event_detail
    )
