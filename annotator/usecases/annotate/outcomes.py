"""What has become of one's own work: its state, its scores with the reviewers' reasons, and whether it may be reopened."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.instances import Annotation, Assignment, MyWorkState
from annotator.domain.reviews import Finding, Review, Round
from annotator.errors import NotFound
from annotator.language import _, unsaid
from annotator.review.gate import in_words, passed_sets
from annotator.store import Store
from annotator.store.annotate.annotations import find_annotation_of_assignment, get_annotation
from annotator.store.annotate.my_work import state_of_work
from annotator.store.annotate.proposals import Proposal, last_proposal_of, proposals_of_instances
from annotator.store.annotate.visibility import standing
from annotator.store.gold_choices import is_chosen
from annotator.store.instances import row_of
from annotator.store.review.reviews import has_scores, submitted_reviews
from annotator.store.review.rounds import find_round

# Why work was returned, and how it was scored: the scales' words and the reviewers' comments, beside the set they are about.


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is said of a round that was sent back, or of work that never came before reviewers (round 0).

    lines: about the whole; sets: by the set's number in that round; passed: the sets that may stay as they are
    """

    round_number: int
    lines: tuple[str, ...]
    sets: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    passed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FormerRound:
    """The round before a correction, for whoever corrects or scores it."""

    annotation: Annotation
    feedback: Feedback


def former_round(store: Store, annotation_id: int, reviewer_id: int | None = None) -> FormerRound:
    """The round of an annotation that was sent back; raises NotFound when it never came before reviewers.

    reviewer_id: who reads it, if one of its reviewers may
    """
    review_round = find_round(store, annotation_id)
    if review_round is None:
        raise NotFound(_("Annotation {number} was never under review.", number=annotation_id))
    annotation = get_annotation(store, annotation_id)
    failed = review_round.verdict.failed if review_round.verdict else ()
    reviews = submitted_reviews(store, annotation_id)
    return FormerRound(annotation, _summary(review_round, annotation, reviews, failed, reviewer_id))


def decided_round(store: Store, annotation_id: int) -> Feedback | None:
    """All that a decided round was scored, whatever the decision; None while it is open, or where there was none."""
    review_round = find_round(store, annotation_id)
    if review_round is None or review_round.outcome is None:
        return None
    findings = review_round.verdict.findings if review_round.verdict else ()
    return _summary(
        review_round, get_annotation(store, annotation_id), submitted_reviews(store, annotation_id), findings
    )


def _summary(
    review_round: Round, annotation: Annotation, reviews: Sequence[Review], findings: Sequence[Finding],
    reviewer_id: int | None = None,
) -> Feedback:  # fmt: skip
    lines: list[str] = []
    by_set: dict[int, list[str]] = defaultdict(list)
    if review_round.reason:
        lines.append(_("The lead decided: {reason}", reason=review_round.reason))
    for finding in findings:
        into = lines if finding.set_index is None else by_set[finding.set_index]
        into.append(in_words(finding))
    for review in reviews:
        is_own = review.user_id == reviewer_id
        for number, comment in ((None, review.scores.comment), *enumerate(s.comment for s in review.scores.sets)):
            if comment:
                line = _("You: {line}", line=comment) if is_own else _("A reviewer: {comment}", comment=comment)
                (lines if number is None else by_set[number]).append(line)
    passed = passed_sets(review_round.verdict, len(annotation.sets))
    return Feedback(
        review_round.number, _each_once(lines), {n: _each_once(comments) for n, comments in by_set.items()}, passed
    )


def _each_once(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))


# When a submission may be reopened, and what is said where it may not.


def why_closed(store: Store, assignment: Assignment, annotation: Annotation | None) -> str:
    """Why a submission cannot be reopened, as the end of a sentence ("a reviewer has scored it"); "" where it may be.

    It may until its first score is submitted, the lead has decided or made it gold, or its author has seen others' sets; a
    proposal to discard until the lead has decided.
    """
    if row_of(store, assignment.instance_id).state == "discarded":
        return _("the text was discarded")
    if assignment.state == "proposed":
        return _why_others_depend(store, None, assignment)
    if annotation is None:
        return _("it was never submitted")
    review_round = find_round(store, annotation.id)
    if review_round is not None and review_round.outcome is not None:
        return _("the round is decided")
    if assignment.state != "submitted" or annotation.state not in {"submitted", "accepted"}:
        return _("it's no longer submitted")
    return _why_others_depend(store, annotation, assignment)


def _why_others_depend(store: Store, annotation: Annotation | None, assignment: Assignment) -> str:
    if annotation is not None and has_scores(store, annotation.id):
        return _("a reviewer has already scored it")
    if annotation is not None and is_chosen(store, annotation.id):
        return _("the lead has already made it gold")
    was_shown = standing(store, assignment.instance_id, assignment.user_id).was_shown
    return _("you've since seen others' marks") if was_shown else ""


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
                "You chose the label “{label}” instead. {decision}",
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
