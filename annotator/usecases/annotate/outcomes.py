"""What has become of one's own work: how it stands, its scores and the reasons, and whether it may be reopened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.instances import Assignment, MyWorkState
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate.annotations import find_annotation_of_assignment
from annotator.store.annotate.my_work import state_of_work
from annotator.store.annotate.proposals import Proposal, last_proposal_of, proposals_of_instances
from annotator.usecases.annotate.feedback import decided_round
from annotator.usecases.annotate.reopening import why_closed

DISCARDED = unsaid("The lead discarded this text.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What there is to say of work that has left one's hands.

    closed: why it cannot be reopened, as the end of a sentence; "" where it may be
    lines:  about the whole; sets: by the set's number
    """

    state: MyWorkState
    closed: str
    lines: tuple[str, ...] = ()
    sets: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def outcome_of(store: Store, assignment: Assignment) -> Outcome:
    """The outcome of a person's own piece of work."""
    annotation = find_annotation_of_assignment(store, assignment.id)
    lines = _of_proposals(store, assignment)
    scored_id = annotation.id if annotation else assignment.follows_id
    scored = None if scored_id is None else decided_round(store, scored_id)
    state = state_of_work(store, assignment.id)
    if state == "discarded" and not lines and scored is None:
        lines = [_(DISCARDED)]
    closed = why_closed(store, assignment, annotation)
    if scored is None:
        return Outcome(state, closed, tuple(lines))
    return Outcome(state, closed, (*lines, *scored.lines), scored.sets)


def _of_proposals(store: Store, assignment: Assignment) -> list[str]:
    """What was proposed, by this person or (once the lead agreed) by others, whose names are not told."""
    lines = []
    proposal = last_proposal_of(store, assignment.id)
    if proposal is not None and proposal.kind == "discard":
        lines.append(
            _(
                "You proposed to discard this text: {reason}. {decision}",
                reason=_reason_of(proposal),
                decision=_(_DECISIONS[proposal.state]),
            )
        )
    elif proposal is not None:
        lines.append(
            _(
                "You gave the label “{label}” instead. {decision}",
                label=proposal.reason,
                decision=_(_DECISIONS[proposal.state]),
            )
        )
    if proposal is None or proposal.kind != "discard":
        lines += why_discarded(store, assignment.instance_id)
    return lines


_DECISIONS = {
    "open": unsaid("The lead has not decided yet."),
    "confirmed": unsaid("The lead agreed."),
    "rejected": unsaid("The lead disagreed."),
}


def why_discarded(store: Store, instance_id: int) -> list[str]:
    """That the lead agreed to a proposal to discard a text, and its reason, for whoever did not make it."""
    proposals = proposals_of_instances(store, [instance_id]).get(instance_id, [])
    agreed = [candidate for candidate in proposals if candidate.kind == "discard" and candidate.state == "confirmed"]
    return [_("The lead discarded this text: {reason}.", reason=_reason_of(candidate)) for candidate in agreed[-1:]]


def _reason_of(proposal: Proposal) -> str:
    comment = proposal.comment.rstrip(".")
    if not comment:
        return _(proposal.reason)
    if proposal.reason == "other":
        return comment
    return _("{reason} ({comment})", reason=_(proposal.reason), comment=comment)


def summary_of(outcome: Outcome, letters: Sequence[str]) -> tuple[str, ...]:
    """All of it in lines, those about a set with its letter before them."""
    of_sets = (
        _("Set {letter}: {line}", letter=letters[number], line=line)
        for number, lines in sorted(outcome.sets.items())
        if number < len(letters)
        for line in lines
    )
    return (*outcome.lines, *of_sets)
