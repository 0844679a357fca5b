"""What has become of one's own work: how it stands, its scores and the reasons, and whether it may be reopened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.instances import Annotation, Assignment, MyWorkState
from annotator.store import Store
from annotator.store.annotations import find_annotation_of_assignment
from annotator.store.gold_choices import is_chosen
from annotator.store.instances import row_of
from annotator.store.my_work import state_of_work
from annotator.store.proposals import Proposal, last_proposal_of, proposals_of_instances
from annotator.store.reviews import has_scores
from annotator.store.rounds import find_round
from annotator.store.shown_sets import standing
from annotator.usecases.annotate.feedback import decided_round

DISCARDED = "The lead discarded this text."
_DECIDED = {
    "accepted": "the round has been decided, and your work was accepted",
    "returned": "the round has been decided, and the text was returned to be revised",
    "discarded": "the round has been decided, and your work was discarded",
}


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
        lines = [DISCARDED]
    closed = why_closed(store, assignment, annotation)
    if scored is None:
        return Outcome(state, closed, tuple(lines))
    return Outcome(state, closed, (*lines, *scored.lines), scored.sets)


def _of_proposals(store: Store, assignment: Assignment) -> list[str]:
    """What was proposed, by this person or (once the lead agreed) by others, whose names are not told."""
    lines = []
    own = last_proposal_of(store, assignment.id)
    if own is not None and own.kind == "discard":
        lines.append(f"You proposed to discard this text: {_reason_of(own)}. {_DECISIONS[own.state]}")
    elif own is not None:
        lines.append(f"You gave the label “{own.reason}” instead. {_DECISIONS[own.state]}")
    if own is None or own.kind != "discard":
        lines += why_discarded(store, assignment.instance_id)
    return lines


_DECISIONS = {
    "open": "The lead has not decided yet.",
    "confirmed": "The lead agreed.",
    "rejected": "The lead disagreed.",
}


def why_discarded(store: Store, instance_id: int) -> list[str]:
    """That the lead agreed to a proposal to discard a text, and its reason, for whoever did not make it."""
    proposals = proposals_of_instances(store, [instance_id]).get(instance_id, [])
    agreed = [one for one in proposals if one.kind == "discard" and one.state == "confirmed"]
    return [f"The lead discarded this text: {_reason_of(one)}." for one in agreed[-1:]]


def _reason_of(proposal: Proposal) -> str:
    said = proposal.comment.rstrip(".")
    if not said:
        return proposal.reason
    return said if proposal.reason == "other" else f"{proposal.reason} ({said})"


def why_closed(store: Store, assignment: Assignment, annotation: Annotation | None) -> str:
    """Why a submission cannot be reopened, as the end of a sentence ("a reviewer has scored it"); "" where it may be.

    It may until its first score is submitted, the lead has decided or made it gold, or its author has seen others' sets.
    """
    if row_of(store, assignment.instance_id).state == "discarded":
        return "the text was discarded"
    if annotation is None:
        return "it was never submitted"
    found = find_round(store, annotation.id)
    if found is not None and found.outcome is not None:
        return _DECIDED[found.outcome]
    if assignment.state != "submitted" or annotation.state not in {"submitted", "accepted"}:
        return "it is not submitted any more"
    return _why_others_depend(store, annotation, assignment.user_id)


def _why_others_depend(store: Store, annotation: Annotation, user_id: int) -> str:
    if has_scores(store, annotation.id):
        return "a reviewer has already scored it"
    if is_chosen(store, annotation.id):
        return "the lead has already made it gold"
    was_shown = standing(store, annotation.instance_id, user_id).was_shown
    return "you have since seen what others marked in this text" if was_shown else ""


def summary_of(outcome: Outcome, letters: Sequence[str]) -> tuple[str, ...]:
    """All of it in lines, those about a set with its letter before them."""
    of_sets = (
        f"Set {letters[number]}: {line}"
        for number, lines in sorted(outcome.sets.items())
        if number < len(letters)
        for line in lines
    )
    return (*outcome.lines, *of_sets)
