"""A piece of work as its annotator sees it: the draft, why it came back, and what has become of what was handed in."""

from dataclasses import dataclass, replace

from annotator.domain.instances import Assignment, Instance
from annotator.domain.texts import RationaleSet
from annotator.language import _
from annotator.review.gate import origins_of
from annotator.store import Store
from annotator.store.annotate.proposals import answers_of, last_proposal_of
from annotator.store.instances import get_instance
from annotator.usecases.annotate.checks import outcome_of_check
from annotator.usecases.annotate.feedback import Feedback, former_round
from annotator.usecases.annotate.outcomes import Outcome, outcome_of


@dataclass(frozen=True, slots=True)
class Work:
    """An instance that someone holds, with the draft and why it came back, if it did."""

    assignment: Assignment
    instance: Instance
    feedback: Feedback | None = None
    previous: tuple[RationaleSet, ...] | None = None  # the sets of the round before, of a correction
    outcome: Outcome | None = None  # of what has left the person's hands


def work_of(store: Store, assignment: Assignment) -> Work:
    """All that the panel shows of a piece of work, as it is stored now."""
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
