"""What an annotator does: get work, save drafts, submit, skip, propose to discard, reopen what was submitted."""

from dataclasses import dataclass, replace
from typing import cast

from annotator.domain.instances import Assignment, Draft, Timing, check_submission, plausible
from annotator.domain.people import User
from annotator.domain.projects import DISCARD_REASONS, Project
from annotator.domain.texts import check_spans, first_words
from annotator.errors import Conflict, InvalidValue, NotWritable
from annotator.language import _, unknown
from annotator.store import Store
from annotator.store.annotate import assignments as work_store
from annotator.store.annotate.proposals import add_proposal, save_answers
from annotator.store.instances import get_instance, layout_of, row_of
from annotator.store.project.label_replacement import label_of_now
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require, require_person
from annotator.usecases.annotate import leases
from annotator.usecases.annotate.blind_checks import among_held, leave_check, save_check, submit_check
from annotator.usecases.annotate.my_work import NO_LABELS, Work, projects_with_texts, waiting_counts, why_empty, work_of
from annotator.usecases.annotate.submission import last_submission, move, note_event, reopen, store_submission
from annotator.usecases.crowd.recruitment_links import end_overdue, require_read
from annotator.usecases.evidence.exhaustive_gold import after_acceptance

_TITLE_CHARS = 50


@dataclass(frozen=True, slots=True)
class NextWork:
    """What the panel needs to begin: the work, the one leased ahead, and what is waiting, here or else in other projects."""

    project: Project
    work: Work | None
    ahead: Work | None
    counts: dict[str, int]
    empty: str | None
    elsewhere: tuple[Project, ...] = ()


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
    works = [work_of(store, assignment) for assignment in held[:2]]
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
            return NextWork(project, None, None, counts, _(NO_LABELS))
        work_store.end_expired_leases(
            store,
            project_id,
            but_not_of=user_id,
            lease_until=leases.lease_end(store, project),
            returned_until=leases.away_end(store, project),
        )
        first = None if instance_id is None else leases.open_asked(store, project, user_id, instance_id)
        held = leases.hold(store, project, user_id, first)
        counts = waiting_counts(store, project, user, day_began)
        works = [work_of(store, assignment) for assignment in held[:2]]
    if works:
        return NextWork(project, works[0], works[1] if len(works) > 1 else None, counts, None)
    elsewhere = tuple(projects_with_texts(store, user))  # after the lock
    return NextWork(project, None, None, counts, why_empty(store, project, user, counts, elsewhere), elsewhere)


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
    assignment = held[0] if held else leases.claim_next(store, project, user_id)
    return None if assignment is None else work_of(store, assignment)


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
        assignment = leases.held_by(store, user, assignment_id)
        leases.require_revision(assignment.revision, revision)
        check_spans(draft.sets, layout_of(store, assignment.instance_id))
        project = get_project_by_id(store, assignment.project_id)
        leases.keep_leases(store, project, assignment)
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
        if not leases.own_work(store, user, assignment_id).is_check:
            work_store.note_first_view(store, assignment_id, at)


def submit(
    store: Store, user: User, assignment_id: int, revision: int, draft: Draft, timing: Timing = Timing(), *,
    shown_next: int | None = None, is_confirmed: bool = False, day_began: str | None = None,
) -> tuple[dict[str, int], Work | None]:  # fmt: skip
    """Hand in an annotation; answers what waits now and the work leased ahead.

    Raises: InvalidAnnotation naming what the project refuses; StaleDraft, LeaseLost as save_draft
    """
    with store.transaction():
        assignment = leases.held_by(store, user, assignment_id)
        leases.require_revision(assignment.revision, revision)
        project = get_project_by_id(store, assignment.project_id)
        instance = get_instance(store, assignment.instance_id)
        draft = replace(draft, result=label_of_now(store, project, draft.result))
        require_read(store, user, project)
        result = check_submission(draft, instance, project, is_confirmed=is_confirmed)
        leases.keep_leases(store, project, assignment)
        _save(store, assignment, draft, revision + 1, _plausible(timing))
        if assignment.is_check:
            submit_check(store, project, instance, assignment, draft, result, revision + 1)
        else:
            state = store_submission(store, user, project, instance, assignment, draft, result)
            move(store, assignment, "submitted")
            if state == "accepted":
                after_acceptance(store, instance.id)
            note_event(store, user, "submit", assignment, result=result, sets=len(draft.sets), state=state)
        return _what_follows(store, user, project, shown_next, day_began)


def skip(
    store: Store, user: User, assignment_id: int, *, shown_next: int | None = None, day_began: str | None = None
) -> tuple[dict[str, int], Work | None]:
    """Give an instance back; it is offered to others, and to the same person again when nothing else is left."""
    with store.transaction():
        assignment = leases.held_by(store, user, assignment_id)
        project = get_project_by_id(store, assignment.project_id)
        if assignment.state == "returned":
            raise Conflict(_("Returned texts can't be skipped. Revise it, or propose discarding."))
        if assignment.is_check:
            leave_check(store, assignment)
        else:
            move(store, assignment, "skipped")
            note_event(store, user, "skip", assignment)
        return _what_follows(store, user, project, shown_next, day_began)


def propose_discard(
    store: Store, user: User, assignment_id: int, reason: str, comment: str = "", *, shown_next: int | None = None,
    day_began: str | None = None,
) -> tuple[dict[str, int], Work | None]:  # fmt: skip
    """Propose to the lead that an instance be discarded; until the lead decides nobody gets it."""
    if reason not in DISCARD_REASONS:
        reasons = "; ".join(DISCARD_REASONS)
        if not reason:
            raise InvalidValue(_("Choose a reason: {reasons}.", reasons=reasons))
        raise InvalidValue(unknown(_("reason"), reason, reasons))
    if reason == "other" and not comment.strip():
        raise InvalidValue(_("Say briefly why."))
    with store.transaction():
        assignment = leases.held_by(store, user, assignment_id)
        project = get_project_by_id(store, assignment.project_id)
        if assignment.is_check:
            leave_check(store, assignment, f"{reason}: {comment.strip()}")
        else:
            add_proposal(
                store, project.id, assignment.instance_id, assignment_id, user.name, "discard", reason, comment.strip()
            )
            move(store, assignment, "proposed")
            note_event(store, user, "propose discard", assignment, reason=reason)
        return _what_follows(store, user, project, shown_next, day_began)


def withdraw(store: Store, user: User, assignment_id: int) -> Work:
    """Take a submission back and open it again, with everything as it was submitted.

    Raises: Conflict when that is not allowed any more, saying why
    """
    with store.transaction():
        return reopen(store, user, leases.own_work(store, user, assignment_id))


def reopen_last(store: Store, user: User, project_id: int) -> Work:
    """Take one's last submission back and open it again.

    Raises: Conflict when there is none, or when that is not allowed any more, saying why
    """
    user_id = _annotator(store, user, project_id)
    with store.transaction():
        last = last_submission(store, project_id, user_id)
        if last is None:
            raise Conflict(_("You haven't submitted anything yet."))
        assignment = leases.own_work(store, user, last)
        title = first_words(row_of(store, assignment.instance_id).excerpt, _TITLE_CHARS)
        return reopen(store, user, assignment, title)


def current_work(store: Store, user: User, assignment_id: int) -> Work:
    """A person's own piece of work as it is stored now."""
    return work_of(store, leases.own_work(store, user, assignment_id))


def _plausible(timing: Timing) -> Timing:
    active_ms, idle_ms = plausible(timing.active_ms), plausible(timing.idle_ms)
    return Timing(timing.first_action_at, active_ms, idle_ms, max(0, timing.edits))


def _annotator(store: Store, user: User, project_id: int) -> int:
    require(store, user, project_id, "annotate")
    return require_person(user)
