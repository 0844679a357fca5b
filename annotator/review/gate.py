"""The gate: accepted, returned or discarded, from all scores of a round (Wang et al. 2022, section 3.3).

Exact numbers throughout: 18/5 and 13/5 lie exactly on a threshold and pass.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from annotator.domain import reviews
from annotator.domain.instances import Draft
from annotator.domain.texts import RationaleSet, set_letter
from annotator.errors import InvalidAnnotation
from annotator.language import _, listed, parted, unsaid


def decide(
    sets: Sequence[reviews.SetScores],
    comprehensiveness: Sequence[int],
    thresholds: reviews.Thresholds,
    round_number: int,
) -> reviews.Verdict:
    """The verdict on one annotation.

    sets:              each set's scores, one a reviewer; a set that passed before brings the scores it carries
    comprehensiveness: one score a reviewer, at least one
    Accepted when every mean reaches its threshold; otherwise returned, or discarded after the last scoring. The words of the
    paper ("at least two-thirds ...") do not match its own thresholds; the thresholds count.
    """
    findings = [
        *_of_sets("sufficiency", [s.sufficiency for s in sets], thresholds.sufficiency, thresholds.is_pooled),
        *_of_sets("compactness", [s.compactness for s in sets], thresholds.compactness, thresholds.is_pooled),
        _finding("comprehensiveness", None, tuple(comprehensiveness), thresholds.comprehensiveness),
    ]
    return reviews.Verdict(_outcome(findings, round_number, thresholds.max_rounds), tuple(findings))


def _of_sets(
    name: reviews.Property, by_set: Sequence[tuple[int, ...]], threshold: Fraction, is_pooled: bool
) -> list[reviews.Finding]:
    if is_pooled and by_set:
        together = tuple(score for scores in by_set for score in scores)
        return [_finding(name, None, together, threshold)]
    return [_finding(name, number, scores, threshold) for number, scores in enumerate(by_set)]


def _finding(
    name: reviews.Property, set_index: int | None, scores: tuple[int, ...], threshold: Fraction
) -> reviews.Finding:
    return reviews.Finding(name, set_index, scores, Fraction(sum(scores), len(scores)), threshold)


def _outcome(findings: Sequence[reviews.Finding], round_number: int, max_rounds: int) -> reviews.Outcome:
    if all(finding.passes for finding in findings):
        return "accepted"
    return "returned" if round_number < max_rounds else "discarded"


# From one round to the next: which sets passed, what a correction may change, what need not be scored again.


def passed_sets(verdict: reviews.Verdict | None, n_sets: int) -> tuple[int, ...]:
    """The sets about which nothing fell short; none where a lead decided without the gate's arithmetic."""
    return () if verdict is None else tuple(number for number in range(n_sets) if verdict.has_passed(number))


def origins_of(draft: Draft, previous: Sequence[RationaleSet]) -> tuple[int | None, ...]:
    """For each set of a correction, the set of the round before that it was, or None.

    Where the draft does not say it, a set is the one with the same tokens.
    """
    by_tokens = {s.token_indices: number for number, s in reversed(list(enumerate(previous)))}
    stated = (*draft.origins, *[None] * len(draft.sets)) if draft.origins else None
    origins = [
        by_tokens.get(s.token_indices) if stated is None else stated[number] for number, s in enumerate(draft.sets)
    ]
    seen: set[int] = set()
    return tuple(_once(origin, len(previous), seen) for origin in origins)


def _once(origin: int | None, n_previous: int, seen: set[int]) -> int | None:
    """A set has one successor; what points nowhere is a new set."""
    if origin is None or not 0 <= origin < n_previous or origin in seen:
        return None
    seen.add(origin)
    return origin


def carried_sets(draft: Draft, previous: Sequence[RationaleSet], passed: Sequence[int]) -> frozenset[int]:
    """The positions of the sets that carry their scores: passed before, and neither opened again nor changed.

    Raises: InvalidAnnotation when a set that passed was changed or removed without being opened again
    """
    origins = origins_of(draft, previous)
    carried = set()
    for number in passed:
        if number in draft.unlocked:
            continue
        position = origins.index(number) if number in origins else None
        if position is None or draft.sets[position].token_indices != previous[number].token_indices:
            raise InvalidAnnotation(
                _("Set {letter} passed and is locked. Unlock it (u), or undo.", letter=set_letter(number)),
                set_index=position,
            )
        carried.add(position)
    return frozenset(carried)


# Scores and what the gate found, in words.


def describe(finding: reviews.Finding) -> str:
    """A mean against its threshold, in one line.

    >>> describe(reviews.Finding("compactness", 0, (4, 3, 3), Fraction(10, 3), Fraction(18, 5)))
    'Compactness score 3.33 (4, 3, 3), needs 3.6: not concise enough.'
    """
    score, mean, threshold = _(reviews.SCORE_TITLES[finding.name]), decimal(finding.mean), decimal(finding.threshold)
    scores = ", ".join(map(str, finding.scores))
    if finding.passes:
        return _(
            "{score} {mean} ({scores}), reaches {threshold}.",
            score=score, mean=mean, scores=scores, threshold=threshold
        )  # fmt: skip
    return _(
        "{score} {mean} ({scores}), needs {threshold}: {lack}.",
        score=score, mean=mean, scores=scores, threshold=threshold, lack=_(_LACKS[finding.name])
    )  # fmt: skip


_LACKS: Mapping[reviews.Property, str] = {
    "sufficiency": unsaid("the set alone doesn't support the result"),
    "compactness": unsaid("not concise enough"),
    "comprehensiveness": unsaid("the text without the sets still supports the result"),
}
_DECIDED: Mapping[reviews.Outcome, str] = {
    "accepted": unsaid("Accepted by {decider}"),
    "returned": unsaid("Returned by {decider}"),
    "discarded": unsaid("Discarded by {decider}"),
}


def decimal(number: Fraction) -> str:
    """An exact number as people read it; the fraction is kept beside it where it matters.

    >>> decimal(Fraction(8, 3)), decimal(Fraction(18, 5)), decimal(Fraction(3))
    ('2.67', '3.6', '3')
    """
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def decision_lines(review_round: reviews.Round | None) -> tuple[str, ...]:
    """What a round came to: outcome, who decided, why, and the gate's arithmetic."""
    if review_round is None or review_round.outcome is None:
        return ()
    decision = _(_DECIDED[review_round.outcome], decider=decider(review_round))
    if review_round.reason:
        decision = _("{decision}: {reason}", decision=decision, reason=review_round.reason)
    findings = review_round.verdict.findings if review_round.verdict else ()
    return (decision, *(finding_line(finding) for finding in findings))


def decider(review_round: reviews.Round) -> str:
    """Who decided a round, as it stands in a sentence."""
    return _("the thresholds") if review_round.decided_by == "gate" else str(review_round.decided_by)


def finding_line(finding: reviews.Finding) -> str:
    """One mean against its threshold, with the set it is about."""
    if finding.set_index is None:
        return describe(finding)
    return _("Set {letter} · {finding}", letter=set_letter(finding.set_index), finding=describe(finding))


def score_line(review: reviews.Review) -> str:
    """Everything that a reviewer gave: of each set sufficiency and compactness, of the whole comprehensiveness, the comments."""
    sets = [
        scores_of_set(number, score.sufficiency, score.compactness) + _quoted(score.comment)
        for number, score in enumerate(review.scores.sets)
        if (score.sufficiency, score.compactness, score.comment) != (None, None, "")
    ]
    whole = _("comprehensiveness {score}", score=shown_score(review.scores.comprehensiveness))
    return f"{review.reviewer} · {parted([*sets, whole + _quoted(review.scores.comment)])}"


def scores_of_set(number: int, sufficiency: int | None, compactness: int | None) -> str:
    """Both scores of a set."""
    return _(
        "set {letter}: sufficiency {sufficiency}, compactness {compactness}",
        letter=set_letter(number),
        sufficiency=shown_score(sufficiency),
        compactness=shown_score(compactness),
    )


def shown_score(score: int | None) -> str:
    """A score, or a dash."""
    return "–" if score is None else str(score)


def _quoted(comment: str) -> str:
    return f" “{comment}”" if comment else ""


def in_words(finding: reviews.Finding) -> str:
    """What the reviewers scored, in the words of the scale that they scored with, the lowest first.

    >>> in_words(reviews.Finding("compactness", 0, (3, 2, 3), Fraction(8, 3), Fraction(18, 5)))
    'Compactness score: 1 × includes disturbances, 2 × not sure.'
    """
    scale = reviews.SCALES[finding.name]
    counts = sorted(Counter(finding.scores).items())
    scores = listed([f"{count} × {_(scale[score - 1])}" for score, count in counts])
    title = _(reviews.SCORE_TITLES[finding.name])
    if finding.set_index is None and finding.name != "comprehensiveness":
        return _("{score} of all sets: {scores}.", score=title, scores=scores)
    return _("{score}: {scores}.", score=title, scores=scores)
