"""What a submission writes: the annotation, a proposal where the label is contested, the round that its reviewers score."""

from annotator.domain.instances import AnnotationState, Assignment, Draft, Instance, result_mode_for
from annotator.domain.people import User
from annotator.domain.projects import Project, are_rationales_reviewed
from annotator.review.gate import carried_sets, origins_of
from annotator.store import Store
from annotator.store.annotate.annotations import add_annotation, find_annotation_of_assignment, replace_annotation
from annotator.store.annotate.proposals import add_proposal
from annotator.store.project.guidelines import newest_read
from annotator.store.review.reviews import forget_unsubmitted_scores
from annotator.store.review.rounds import open_round, write_origins
from annotator.usecases.access.rights import roles_with
from annotator.usecases.annotate.feedback import former_round
from annotator.usecases.annotate.proposals import close
from annotator.usecases.notices.recipients import tell_of_stuck_round


def store_submission(
    store: Store, user: User, project: Project, instance: Instance, assignment: Assignment, draft: Draft, result: str
) -> AnnotationState:
    """Write the annotation with what follows from it: a contested label, a round for its reviewers; answers its state."""
    is_contested = result_mode_for(project, instance) == "contest" and result != instance.result
    is_reviewed = are_rationales_reviewed(project)
    state: AnnotationState = "submitted" if is_contested or is_reviewed else "accepted"
    annotation_id = _write_annotation(store, user, instance, assignment, draft, result, state)
    if is_contested:
        add_proposal(store, project.id, instance.id, assignment.id, user.name, "contest", result, draft.note)
    if is_reviewed:
        forget_unsubmitted_scores(store, annotation_id)
        open_round(store, annotation_id, project.id, instance.id, assignment.round_number, assignment.follows_id)
        tell_of_stuck_round(store, project.id, annotation_id, instance.id, roles_with("review"))
    _write_origins(store, assignment, annotation_id, draft)
    close(store, assignment.id, draft)
    return state


def _write_annotation(
    store: Store,
    user: User,
    instance: Instance,
    assignment: Assignment,
    draft: Draft,
    result: str,
    state: AnnotationState,
) -> int:
    stored = find_annotation_of_assignment(store, assignment.id)
    guidelines = None if user.id is None else newest_read(store, assignment.project_id, user.id)
    if stored is not None:
        replace_annotation(
            store, stored.id, state=state, result=result, sets=draft.sets, note=draft.note, guidelines=guidelines
        )
        return stored.id
    return add_annotation(
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
