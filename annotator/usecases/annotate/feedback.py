"""Why work was returned, and how it was scored: the scales' words and the reviewers' comments, beside the set they are about."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.instances import Annotation
from annotator.domain.reviews import Finding, Review, Round
from annotator.errors import NotFound
from annotator.language import _
from annotator.review.gate import in_words, passed_sets
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotation
from annotator.store.review.reviews import submitted_reviews
from annotator.store.review.rounds import find_round


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is said of a round that was sent back.

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


def former_round(store: Store, annotation_id: int) -> FormerRound:
    """The round of an annotation that was sent back; raises NotFound when it never came before reviewers."""
    review_round = find_round(store, annotation_id)
    if review_round is None:
        raise NotFound(_("There is no round of annotation number {number}.", number=annotation_id))
    annotation = get_annotation(store, annotation_id)
    return FormerRound(annotation, _feedback(review_round, annotation, submitted_reviews(store, annotation_id)))


def decided_round(store: Store, annotation_id: int) -> Feedback | None:
    """All that a decided round was scored, whatever the decision; None while it is open, or where there was none."""
    review_round = find_round(store, annotation_id)
    if review_round is None or review_round.outcome is None:
        return None
    findings = review_round.verdict.findings if review_round.verdict else ()
    return _summary(
        review_round, get_annotation(store, annotation_id), submitted_reviews(store, annotation_id), findings
    )


def _feedback(review_round: Round, annotation: Annotation, reviews: Sequence[Review]) -> Feedback:
    return _summary(review_round, annotation, reviews, review_round.verdict.failed if review_round.verdict else ())


def _summary(
    review_round: Round, annotation: Annotation, reviews: Sequence[Review], findings: Sequence[Finding]
) -> Feedback:
    lines: list[str] = []
    by_set: dict[int, list[str]] = defaultdict(list)
    if review_round.reason:
        lines.append(_("The lead decided: {reason}", reason=review_round.reason))
    for finding in findings:
        into = lines if finding.set_index is None else by_set[finding.set_index]
        into.append(in_words(finding))
    for review in reviews:
        if review.scores.comment:
            lines.append(_("A reviewer: {comment}", comment=review.scores.comment))
        for number, score in enumerate(review.scores.sets):
            if score.comment:
                by_set[number].append(_("A reviewer: {comment}", comment=score.comment))
    passed = passed_sets(review_round.verdict, len(annotation.sets))
    return Feedback(
        review_round.number, _each_once(lines), {n: _each_once(comments) for n, comments in by_set.items()}, passed
    )


def _each_once(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
