"""Rounds come to an end: by the gate when the last reviewer has scored, or by the lead; inside another use case's transaction."""

from collections.abc import Sequence
from typing import cast

from annotator.domain.instances import Annotation, Draft
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.domain.reviews import OUTCOMES, Outcome, Review, Round, SetScores, Verdict
from annotator.errors import Conflict, InvalidValue, NotFound
from annotator.language import _
from annotator.review.gate import decide as decide_by_scores
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotation, set_annotation_state
from annotator.store.annotate.assignments import claim, end_work_on, get_assignment, save_draft, set_assignment_state
from annotator.store.annotate.instance_queue import drops_out, is_held, settle
from annotator.store.events import add_event
from annotator.store.instances import discard
from annotator.store.people import get_user_by_id, roles_of
from annotator.store.projects import get_project_by_id
from annotator.store.review import rounds as rounds_store
from annotator.store.review.reviews import end_open_reviews, end_reviews_of_instance, reviews_of, submitted_reviews
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.leases import away_end
from annotator.usecases.evidence.exhaustive_gold import after_acceptance
from annotator.usecases.notices.notices import tell

GATE = "gate"


def decide_if_complete(store: Store, project: Project, annotation_id: int) -> Outcome | None:
    """Let the gate decide a round when as many reviewers as the project wants have scored it; answers the outcome.

    Where the project wants none, a round that is still open is accepted as it is.
    """
    review_round = rounds_store.find_round(store, annotation_id)
    annotation = get_annotation(store, annotation_id)
    if review_round is None or review_round.outcome is not None or annotation.state != "submitted":
        return None
    if is_held(store, review_round.instance_id):
        return None  # decided when the lead has decided
    reviews = submitted_reviews(store, annotation_id)
    if len(reviews) < project.settings.reviewers_per_annotation:
        return None
    verdict = _verdict(store, project, review_round, annotation, reviews) if reviews else None
    outcome: Outcome = verdict.outcome if verdict else "accepted"
    _close(store, project, review_round, annotation, outcome, GATE, "", verdict)
    return outcome


def decide_all_complete(store: Store, project: Project) -> None:
    """The same for every open round of a project, after its rules have changed."""
    for annotation_id in rounds_store.undecided_rounds(store, project.id):
        decide_if_complete(store, project, annotation_id)


def decide_complete_of(store: Store, project: Project, instance_id: int) -> None:
    """The same for the open rounds of one instance, which waited for the lead."""
    for review_round in rounds_store.rounds_of_instances(store, [instance_id]).get(instance_id, []):
        decide_if_complete(store, project, review_round.annotation_id)


def decide_round(store: Store, actor: User, annotation_id: int, outcome: Outcome, reason: str) -> None:
    """The lead decides a round that is stuck, saying why; the scores that are there stay.

    Raises: Conflict when it is decided already, or withdrawn; InvalidValue without a reason
    """
    if not reason.strip():
        raise InvalidValue(_("Say briefly why."))
    with store.transaction():
        review_round = rounds_store.find_round(store, annotation_id)
        if review_round is None:
            raise NotFound(_("Annotation {number} was never under review.", number=annotation_id))
        require(store, actor, review_round.project_id, "manage project")
        annotation = get_annotation(store, annotation_id)
        if review_round.outcome is not None:
            raise Conflict(
                _(
                    "Already decided: {outcome}, by {decider}.",
                    outcome=_(OUTCOMES[review_round.outcome]),
                    decider=review_round.decided_by,
                )
            )
        if annotation.state != "submitted" or is_held(store, review_round.instance_id):
            raise Conflict(_("This annotation isn't under review any more."))
        project = get_project_by_id(store, review_round.project_id)
        _close(store, project, review_round, annotation, outcome, actor.name, reason.strip(), None)


def scores_by_set(store: Store, annotation: Annotation, reviews: Sequence[Review]) -> list[SetScores]:
    """All scores of each set; a set that passed before brings the scores it carries."""
    carried = rounds_store.carried_sets_of(store, annotation.id)
    elsewhere = reviews_of(store, [c.scored_annotation_id for c in carried.values()])
    by_set = []
    for position in range(len(annotation.sets)):
        scored_position, those = position, reviews
        if position in carried:
            scored_position = carried[position].scored_position
            those = [r for r in elsewhere[carried[position].scored_annotation_id] if r.state == "submitted"]
        by_set.append(_set_scores(those, scored_position))
    return by_set


def _set_scores(reviews: Sequence[Review], position: int) -> SetScores:
    scores = [review.scores.sets[position] for review in reviews]
    return SetScores(
        tuple(cast("int", score.sufficiency) for score in scores),
        tuple(cast("int", score.compactness) for score in scores),
    )


def _verdict(
    store: Store, project: Project, review_round: Round, annotation: Annotation, reviews: Sequence[Review]
) -> Verdict:
    whole = [cast("int", review.scores.comprehensiveness) for review in reviews]
    return decide_by_scores(
        scores_by_set(store, annotation, reviews), whole, project.settings.thresholds, review_round.number
    )


def _close(
    store: Store, project: Project, review_round: Round, annotation: Annotation, outcome: Outcome, by: str, reason: str,
    verdict: Verdict | None,
) -> None:  # fmt: skip
    rounds_store.close_round(store, annotation.id, outcome, by, reason, verdict)
    end_open_reviews(store, annotation.id)
    set_annotation_state(store, annotation.id, outcome)
    if outcome != "accepted":
        _end_work(store, annotation)
    if outcome == "returned":
        _return(store, project, annotation, by)
    if outcome == "discarded" and annotation.annotator != by:
        tell(store, None, [annotation.user_id], project.id, "returned", review_round.instance_id, "discarded")
    settle(store, review_round.instance_id)
    if outcome == "accepted":
        after_acceptance(store, review_round.instance_id)
    detail = {} if verdict is None else rounds_store.pack_verdict(verdict)
    add_event(
        store, by, f"decide round: {outcome}", "instance", review_round.instance_id, project_id=project.id,
        annotation=annotation.id, annotator=annotation.annotator, round=review_round.number, reason=reason, **detail,
    )  # fmt: skip
    if outcome == "discarded" and drops_out(store, review_round.instance_id):
        end_work_on(store, review_round.instance_id)
        end_reviews_of_instance(store, review_round.instance_id)
        discard(store, review_round.instance_id)


def _end_work(store: Store, annotation: Annotation) -> None:
    if annotation.assignment_id is not None:
        set_assignment_state(store, annotation.assignment_id, "ended")


def _return(store: Store, project: Project, annotation: Annotation, by: str) -> None:
    """The correction belongs to the same annotator; when they cannot go on, anybody may take it over."""
    if annotation.user_id is None:
        return
    arm = None if annotation.assignment_id is None else get_assignment(store, annotation.assignment_id).arm
    correction = claim(
        store, project.id, annotation.instance_id, annotation.user_id, away_end(store, project),
        round_number=annotation.round_number + 1, follows_id=annotation.id, state="returned",
        arm=arm,
    )  # fmt: skip
    draft = Draft(
        annotation.result, annotation.sets, annotation.note, no_rationale=not annotation.sets,
        origins=tuple(range(len(annotation.sets))),
    )  # fmt: skip
    save_draft(store, correction.id, draft, 1)
    user = get_user_by_id(store, annotation.user_id)
    if not has_right(user, roles_of(store, user, project.id), "annotate"):
        set_assignment_state(store, correction.id, "expired")
    elif user.name != by:
        tell(store, None, [user.id], project.id, "returned", annotation.instance_id)
