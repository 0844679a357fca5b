"""What the lead decides: proposals to discard, and contested labels."""

from typing import Literal, cast

from annotator.domain.instances import Annotation, Instance
from annotator.domain.people import User
from annotator.domain.projects import are_rationales_reviewed
from annotator.errors import Conflict, NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.annotations import find_annotation_of_assignment, set_annotation_state
from annotator.store.annotate.assignments import end_work_on, get_assignment, give_back_to_annotator
from annotator.store.annotate.instance_queue import settle
from annotator.store.annotate.proposals import (
    Proposal,
    decide_proposal,
    find_proposal,
    list_open_proposals,
    list_open_proposals_of,
)
from annotator.store.annotate.visibility import give_back_what_was_shown
from annotator.store.events import add_event
from annotator.store.instances import discard, get_instance, set_result
from annotator.store.projects import get_project_by_id
from annotator.store.review.reviews import end_reviews_of_instance
from annotator.store.review.rounds import forget_round, open_round
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.leases import away_end
from annotator.usecases.evidence.taking_over import after_acceptance
from annotator.usecases.notices.recipients import tell
from annotator.usecases.review.rounds import decide_complete_of

__all__ = ["Decision", "Proposal", "decide", "open_proposals"]

Decision = Literal["discard", "keep", "relabel"]


def open_proposals(
    store: Store, actor: User, project_id: int, *, limit: int = 20, offset: int = 0
) -> list[tuple[Proposal, Instance]]:
    """What waits for the lead, oldest first, with the instances it is about."""
    require(store, actor, project_id, "manage project")
    proposals = list_open_proposals(store, project_id, limit=limit, offset=offset)
    return [(proposal, get_instance(store, proposal.instance_id)) for proposal in proposals]


def decide(store: Store, actor: User, proposal_id: int, decision: Decision) -> None:
    """Decide a proposal.

    discard: the instance leaves the data set. keep: the text, or the label it has, stays, and the work goes back to the
    annotator. relabel: a contested label becomes the instance's own, and the annotation counts.
    Raises: Conflict when it is decided already
    """
    with store.transaction():
        proposal = find_proposal(store, proposal_id)
        if proposal is None:
            raise NotFound(_("There is no proposal number {number}.", number=proposal_id))
        require(store, actor, proposal.project_id, "manage project")
        if proposal.state != "open":
            raise Conflict(_("This has already been decided by {name}.", name=proposal.decided_by))
        if decision == "relabel" and proposal.kind != "contest":
            raise Conflict(_("Only a contested label can be taken over."))
        is_confirmed = decision == ("discard" if proposal.kind == "discard" else "relabel")
        decide_proposal(store, proposal_id, "confirmed" if is_confirmed else "rejected", actor.name)
        _tell(store, actor, proposal, decision)
        _carry_out(store, actor, proposal, decision)
        add_event(
            store, actor.name, f"decide: {decision}", "instance", proposal.instance_id,
            project_id=proposal.project_id, proposal=proposal.id, kind=proposal.kind, reason=proposal.reason,
        )  # fmt: skip


def _carry_out(store: Store, actor: User, proposal: Proposal, decision: Decision) -> None:
    if decision == "discard":
        _set_annotation(store, proposal, "discarded")
        for other in list_open_proposals_of(store, proposal.instance_id):
            decide_proposal(store, other.id, "confirmed" if other.kind == "discard" else "rejected", actor.name)
            _tell(store, actor, other, decision)
        end_work_on(store, proposal.instance_id)
        end_reviews_of_instance(store, proposal.instance_id)
        discard(store, proposal.instance_id)
        return
    if decision == "keep":
        _set_annotation(store, proposal, "returned")
        if proposal.assignment_id is not None:
            project = get_project_by_id(store, proposal.project_id)
            give_back_to_annotator(store, proposal.assignment_id, away_end(store, project))
            give_back_what_was_shown(store, [proposal.instance_id])
    else:
        set_result(store, proposal.instance_id, proposal.reason)
        _hand_in_again(store, proposal)
    settle(store, proposal.instance_id)
    after_acceptance(store, proposal.instance_id)
    decide_complete_of(store, get_project_by_id(store, proposal.project_id), proposal.instance_id)


def _tell(store: Store, actor: User, proposal: Proposal, decision: Decision) -> None:
    """Whoever proposed it; what a file brought was proposed by nobody who works here."""
    if proposal.assignment_id is not None:
        author = get_assignment(store, proposal.assignment_id).user_id
        tell(store, actor, [author], proposal.project_id, "decision", proposal.instance_id, decision)


def _hand_in_again(store: Store, proposal: Proposal) -> None:
    """A contested annotation counts, or comes before its reviewers, now that its label is the instance's."""
    annotation = _annotation_of(store, proposal)
    if annotation is None:
        return
    project = get_project_by_id(store, proposal.project_id)
    if not are_rationales_reviewed(project):
        set_annotation_state(store, annotation.id, "accepted")
        forget_round(store, annotation.id)
        return
    set_annotation_state(store, annotation.id, "submitted")
    former = get_assignment(store, cast("int", annotation.assignment_id)).follows_id
    open_round(store, annotation.id, project.id, annotation.instance_id, annotation.round_number, former)


def _annotation_of(store: Store, proposal: Proposal) -> Annotation | None:
    return None if proposal.assignment_id is None else find_annotation_of_assignment(store, proposal.assignment_id)


def _set_annotation(store: Store, proposal: Proposal, state: Literal["discarded", "returned"]) -> None:
    annotation = _annotation_of(store, proposal)
    if annotation is not None:
        set_annotation_state(store, annotation.id, state)
