"""What is written when work is handed in or taken back; inside another's transaction."""

from dataclasses import replace
from operator import itemgetter

from annotator.domain.instances import AnnotationState, Assignment, AssignmentState, Draft, Instance, result_mode_for
from annotator.domain.people import User
from annotator.domain.projects import Project, are_rationales_reviewed
from annotator.domain.proposed_sets import corrected_origins, with_origins
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict
from annotator.language import _
from annotator.review.gate import carried_sets, origins_of
from annotator.store import Store
from annotator.store.annotate import annotations as annotations_store
from annotator.store.annotate import assignments as work_store
from annotator.store.annotate import instance_queue
from annotator.store.annotate.my_work import find_last_submission
from annotator.store.annotate.proposals import add_proposal, help_of, withdraw_proposal
from annotator.store.events import record_event
from annotator.store.project.guidelines import newest_read
from annotator.store.projects import get_project_by_id
from annotator.store.qualification.exercises import last_done_check
from annotator.store.review.reviews import end_open_reviews, forget_unsubmitted_scores
from annotator.store.review.rounds import open_round, write_origins
from annotator.usecases.access.rights import roles_with
from annotator.usecases.annotate.blind_checks import outcome_of_check, reopen_check
from annotator.usecases.annotate.leases import lease_end
from annotator.usecases.annotate.my_work import Work, work_of
from annotator.usecases.annotate.outcomes import former_round, why_closed
from annotator.usecases.annotate.proposals import close
from annotator.usecases.notices.notices import tell_of_stuck_round


def move(store: Store, assignment: Assignment, state: AssignmentState) -> None:
    """Bring a piece of work into another state, and its instance after it."""
    work_store.set_assignment_state(store, assignment.id, state)
    instance_queue.settle(store, assignment.instance_id)


def note_event(store: Store, user: User, action: str, assignment: Assignment, **detail: object) -> None:
    """Write into the record who did what to a piece of work, with its number and its round."""
    event_detail = {"assignment": assignment.id, "round": assignment.round_number, **detail}
    record_event(
        store, store.now(), user.name, action, "instance", assignment.instance_id, assignment.project_id, event_detail
    )


# What a submission writes: the annotation, a proposal where the label is contested, the round that its reviewers score.


def store_submission(
    store: Store, user: User, project: Project, instance: Instance, assignment: Assignment, draft: Draft, result: str
) -> AnnotationState:
    """Write the annotation with what follows from it: a contested label, a round for its reviewers; answers its state."""
    is_contested = result_mode_for(project, instance) == "contest" and result != instance.result
    is_reviewed = are_rationales_reviewed(project)
    state: AnnotationState = "submitted" if is_contested or is_reviewed else "accepted"
    close(store, assignment.id, draft)
    draft = replace(draft, sets=_with_origins(store, assignment, draft))
    annotation_id = _write_annotation(store, user, instance, assignment, draft, result, state)
    if is_contested:
        add_proposal(store, project.id, instance.id, assignment.id, user.name, "contest", result, draft.note)
    if is_reviewed:
        forget_unsubmitted_scores(store, annotation_id)
        open_round(store, annotation_id, project.id, instance.id, assignment.round_number, assignment.follows_id)
        tell_of_stuck_round(store, project.id, annotation_id, instance.id, roles_with("review"))
    _write_origins(store, assignment, annotation_id, draft)
    return state


def _with_origins(store: Store, assignment: Assignment, draft: Draft) -> tuple[RationaleSet, ...]:
    """The sets with what help had to do with each; work that began before help was kept says nothing of it."""
    if assignment.arm is None:
        return draft.sets
    had = help_of(store, assignment.id)
    if assignment.follows_id is None:
        return with_origins(draft.sets, had.steps, had.starting, is_given=had.is_given)
    before = former_round(store, assignment.follows_id).annotation.sets
    return corrected_origins(draft.sets, before, origins_of(draft, before), is_given=had.is_given)


def _write_annotation(
    store: Store, user: User, instance: Instance, assignment: Assignment, draft: Draft, result: str,
    state: AnnotationState,
) -> int:  # fmt: skip
    stored = annotations_store.find_annotation_of_assignment(store, assignment.id)
    guidelines = None if user.id is None else newest_read(store, assignment.project_id, user.id)
    if stored is not None:
        annotations_store.replace_annotation(
            store, stored.id, state=state, result=result, sets=draft.sets, note=draft.note, guidelines=guidelines
        )
        return stored.id
    return annotations_store.add_annotation(
        store, instance.id, user.name, state=state, result=result, sets=draft.sets, note=draft.note,
        round_number=assignment.round_number, user_id=user.id, assignment_id=assignment.id,
        guidelines=guidelines,
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


# Taking back what was handed in: which submission was the last one, and opening it again; inside another's transaction.


def last_submission(store: Store, project_id: int, user_id: int) -> int | None:
    """The number of what a person handed in last, a proposal to discard or a blind check too."""
    last, check = find_last_submission(store, project_id, user_id), last_done_check(store, project_id, user_id)
    return max(filter(None, (last, check)), key=itemgetter(0), default=("", None))[1]


def reopen(store: Store, user: User, assignment: Assignment, title: str = "") -> Work:
    """Open a submission again, a blind check too, with everything as it was handed in; a proposal to discard is withdrawn.

    title: of the text, where it is not on the screen
    Raises: Conflict saying why that is not allowed any more
    """
    if assignment.is_check:
        reopened = reopen_check(store, assignment)
        if reopened is None:
            closed = outcome_of_check(store, assignment).closed or _("it's no longer submitted")
            raise Conflict(_cannot_reopen(title, closed))
        return work_of(store, reopened)
    annotation = annotations_store.find_annotation_of_assignment(store, assignment.id)
    closed = why_closed(store, assignment, annotation)
    if closed:
        raise Conflict(_cannot_reopen(title, closed))
    project = get_project_by_id(store, assignment.project_id)
    withdraw_proposal(store, assignment.id)
    if annotation is not None:
        annotations_store.set_annotation_state(store, annotation.id, "withdrawn")
        end_open_reviews(store, annotation.id)
    move(store, assignment, "leased")
    work_store.extend_leases(store, project.id, assignment.user_id, lease_end(store, project))
    note_event(store, user, "withdraw", assignment, state=annotation.state if annotation else assignment.state)
    return work_of(store, work_store.get_assignment(store, assignment.id))


def _cannot_reopen(title: str, why: str) -> str:
    if not title:
        return _("Can't reopen this submission: {why}.", why=why)
    return _("Can't reopen “{title}”: {why}.", title=title, why=why)
