"""Leases: what a person holds, gets next, and may go on with; inside the transaction of another use case."""

import datetime as dt
from random import SystemRandom

from annotator.domain.instances import Assignment
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import Arm, chance_of_help
from annotator.errors import LeaseLost, NotAllowed, StaleDraft
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate import assignments as work_store
from annotator.store.annotate import instance_queue
from annotator.store.annotate.annotations import find_starting_draft
from annotator.store.annotate.proposals import note_help
from annotator.store.annotate.visibility import is_for_others, standing
from annotator.store.connection.database import iso
from annotator.store.instances import project_of_instance
from annotator.store.packed_rows import pack_sets
from annotator.store.qualification.rules import is_kept_from_work
from annotator.usecases.access.rights import require, require_of_project
from annotator.usecases.annotate.blind_checks import among_held, claim_check, find_check, find_check_of
from annotator.usecases.crowd.recruitment_links import is_worker, may_take_more

_LOT = SystemRandom()  # nobody can foretell it; what it said is kept with the work


def hold(store: Store, project: Project, user_id: int, first: Assignment | None) -> list[Assignment]:
    """What the person holds, at least two pieces where there are as many; `first` before the others."""
    held = among_held(store, project.id, user_id, work_store.list_held(store, project.id, user_id))
    while len(held) < 2 and (claimed := claim_next(store, project, user_id)) is not None:
        held.append(claimed)
    work_store.extend_leases(store, project.id, user_id, lease_end(store, project))
    return held if first is None else [first, *(a for a in held if a.id != first.id)]


def claim_next(store: Store, project: Project, user_id: int) -> Assignment | None:
    """One more text for somebody; None where there is none, or a worker has as many as their link gives."""
    if not may_take_more(store, project.id, user_id):
        return None
    if is_kept_from_work(store, project.id, user_id, "annotators"):
        return None
    if (check := claim_check(store, project, user_id)) is not None:
        return check
    held = [a.instance_id for a in work_store.list_held(store, project.id, user_id)]
    instance_id = (
        instance_queue.next_set_aside(store, project.id, user_id, "expired", held)
        or instance_queue.next_in_queue(store, project.id, user_id, no_corrections=is_worker(store, user_id))
        or instance_queue.next_set_aside(store, project.id, user_id, "skipped", held)
    )
    return None if instance_id is None else _claim(store, project, user_id, instance_id)


def _claim(store: Store, project: Project, user_id: int, instance_id: int) -> Assignment:
    mine = work_store.find_assignment(store, instance_id, user_id)
    before = mine or work_store.find_given_up_correction(store, instance_id)
    assignment = work_store.claim(
        store, project.id, instance_id, user_id, lease_end(store, project),
        round_number=before.round_number if before else 1, follows_id=before.follows_id if before else None,
        arm=before.arm if before else _arm(store, project, instance_id),
    )  # fmt: skip
    starting = None if assignment.revision else find_starting_draft(store, instance_id)
    if before is not None and mine is None:
        work_store.set_assignment_state(store, before.id, "ended")
        starting = before.draft
    if starting is not None:
        for spans in pack_sets(starting.sets):
            note_help(store, assignment.id, "starting", "", spans=spans)
        work_store.save_draft(store, assignment.id, starting, 1)
        assignment = work_store.get_assignment(store, assignment.id)
    return assignment


def _arm(store: Store, project: Project, instance_id: int) -> Arm:
    """Whether a person's new work is helped: as the project says, or by a lot that splits the people of each text in half."""
    help_for = project.settings.help_for
    if help_for != "lot":
        return help_for
    chance = chance_of_help(project.settings.annotators_per_instance, *work_store.drawn_arms(store, instance_id))
    return "helped" if _LOT.random() < chance else "blind"


def open_asked(store: Store, project: Project, user_id: int, instance_id: int) -> Assignment | None:
    require_of_project(project_of_instance(store, instance_id), project.id, instance_id, _("text"))
    mine = work_store.find_assignment(store, instance_id, user_id) or find_check_of(
        store, project, instance_id, user_id
    )
    if mine is not None and mine.is_check:
        return mine
    if mine is not None and mine.state in {"leased", "returned", "submitted", "proposed", "ended"}:
        return mine  # what ended can still be read
    if is_worker(store, user_id):
        raise NotAllowed(_("This text isn't yours."))
    if is_kept_from_work(store, project.id, user_id, "annotators"):
        raise NotAllowed(_(TRAINING_FIRST))
    if instance_queue.is_free_for(store, instance_id, user_id):
        return _claim(store, project, user_id, instance_id)
    if mine is not None:
        return mine  # what was skipped, or expired, and went to others can be read too, and talked about
    if standing(store, instance_id, user_id).was_shown:
        raise NotAllowed(_("You've seen others' marks in this text and can't annotate it."))
    raise NotAllowed(_("This text is assigned to others."))


def keep_leases(store: Store, project: Project, assignment: Assignment) -> None:
    """Work goes on: every lease of the person starts anew; what was given up is taken back (its slot was found free)."""
    if not assignment.is_check and assignment.state in {"expired", "skipped"}:
        work_store.claim(
            store, project.id, assignment.instance_id, assignment.user_id, lease_end(store, project),
            round_number=assignment.round_number, follows_id=assignment.follows_id,
        )  # fmt: skip
    work_store.extend_leases(store, project.id, assignment.user_id, lease_end(store, project))


def lease_end(store: Store, project: Project) -> str:
    """Until when work that is given out now stays with whoever has it."""
    return iso(store.moment() + dt.timedelta(minutes=project.settings.lease_minutes))


def require_revision(stored: int, revision: int) -> None:
    """Raise StaleDraft where another tab was faster."""
    if revision != stored:
        raise StaleDraft(_("Changed in another tab. Keep this version, or use that one."))


def away_end(store: Store, project: Project) -> str:
    """Until when returned work waits for its annotator alone."""
    return iso(store.moment() + dt.timedelta(days=project.settings.away_after_days))


def own_work(store: Store, user: User, assignment_id: int) -> Assignment:
    assignment = find_check(store, assignment_id) or work_store.get_assignment(store, assignment_id)
    if user.id is None or assignment.user_id != user.id:
        raise NotAllowed(_("This text is assigned to others."))
    require(store, user, assignment.project_id, "annotate")
    return assignment


def held_by(store: Store, user: User, assignment_id: int) -> Assignment:
    """The person's own open work; what expired may be taken up again while its slot is free."""
    assignment = own_work(store, user, assignment_id)
    if assignment.state in {"leased", "returned"} or (assignment.is_check and assignment.state == "skipped"):
        return assignment
    if assignment.state in {"expired", "skipped"}:
        if instance_queue.is_free_for(store, assignment.instance_id, assignment.user_id):
            return assignment
        if standing(store, assignment.instance_id, assignment.user_id).was_shown:
            raise LeaseLost(_(_SHOWN))
        if is_for_others(store, assignment.instance_id, assignment.user_id):
            raise LeaseLost(_(_FOR_OTHERS))
    if assignment.state == "submitted":
        raise StaleDraft(_(_SUBMITTED))
    raise LeaseLost(_(_WHY_LOST[assignment.state]))


TRAINING_FIRST = unsaid("Training comes before new work. Open Annotate or Review again.")
_SUBMITTED = unsaid("Already submitted. Reopen it under My work (m).")
_SHOWN = unsaid("You've seen others' marks in this text. Yours are kept, but can't be submitted.")
_FOR_OTHERS = unsaid("Someone else has this text now. Your marks are kept, but can't be submitted.")
_WHY_LOST = {
    "expired": _FOR_OTHERS,
    "skipped": unsaid("This text is assigned to others."),
    "proposed": unsaid("You proposed to discard this text."),
    "ended": unsaid("This text was discarded or reassigned. Nothing more to do."),
}
