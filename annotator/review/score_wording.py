"""Scores and what the gate found, in words."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from annotator.domain.reviews import SCALES, SCORE_TITLES, Finding, Outcome, Property, Review, Round, SetScore
from annotator.domain.texts import set_letter
from annotator.language import _, listed, parted, unsaid


def describe(finding: Finding) -> str:
    """A mean against its threshold, in one line.

    >>> describe(Finding("compactness", 0, (4, 3, 3), Fraction(10, 3), Fraction(18, 5)))
    'Compactness score 3.33 (4, 3, 3), needs 3.6: not concise enough.'
    """
    score, mean, threshold = _(SCORE_TITLES[finding.name]), decimal(finding.mean), decimal(finding.threshold)
    scores = ", ".join(map(str, finding.scores))
    if finding.passes:
        return _(
            "{score} {mean} ({scores}), reaches {threshold}.",
            score=score, mean=mean, scores=scores, threshold=threshold,
        )  # fmt: skip
    return _(
        "{score} {mean} ({scores}), needs {threshold}: {lack}.",
        score=score, mean=mean, scores=scores, threshold=threshold, lack=_(_LACKS[finding.name]),
    )  # fmt: skip


_LACKS: Mapping[Property, str] = {
    "sufficiency": unsaid("the set alone does not support the result"),
    "compactness": unsaid("not concise enough"),
    "comprehensiveness": unsaid("the text without the sets still supports the result"),
}
_DECIDED: Mapping[Outcome, str] = {
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


def decision_lines(review_round: Round | None) -> tuple[str, ...]:
    """What a round came to: outcome, who decided, why, and the gate's arithmetic."""
    if review_round is None or review_round.outcome is None:
        return ()
    decision = _(_DECIDED[review_round.outcome], decider=decider(review_round))
    if review_round.reason:
        decision = _("{decision}: {reason}", decision=decision, reason=review_round.reason)
    findings = review_round.verdict.findings if review_round.verdict else ()
    return (decision, *(finding_line(finding) for finding in findings))


def decider(review_round: Round) -> str:
    """Who decided a round, as it stands in a sentence."""
    return _("the thresholds") if review_round.decided_by == "gate" else str(review_round.decided_by)


def finding_line(finding: Finding) -> str:
    """One mean against its threshold, with the set it is about."""
    if finding.set_index is None:
        return describe(finding)
    return _("Set {letter} · {finding}", letter=set_letter(finding.set_index), finding=describe(finding))


def score_line(review: Review) -> str:
    """Everything that a reviewer gave: of each set sufficiency and compactness, of the whole comprehensiveness, the comments."""
    sets = [
        _scores_of_set(set_letter(number), score)
        for number, score in enumerate(review.scores.sets)
        if (score.sufficiency, score.compactness, score.comment) != (None, None, "")
    ]
    whole = _("comprehensiveness score {score}", score=_score(review.scores.comprehensiveness))
    return f"{review.reviewer} · {parted([*sets, whole + _quoted(review.scores.comment)])}"


def _scores_of_set(letter: str, score: SetScore) -> str:
    scores = _(
        "{letter}: sufficiency score {sufficiency}, compactness score {compactness}",
        letter=letter,
        sufficiency=_score(score.sufficiency),
        compactness=_score(score.compactness),
    )
    return scores + _quoted(score.comment)


def _score(score: int | None) -> str:
    return "–" if score is None else str(score)


def _quoted(comment: str) -> str:
    return f" “{comment}”" if comment else ""


def in_words(finding: Finding) -> str:
    """What the reviewers scored, in the words of the scale that they scored with, the lowest first.

    >>> in_words(Finding("compactness", 0, (3, 2, 3), Fraction(8, 3), Fraction(18, 5)))
    'Compactness score: 1 × includes disturbances, 2 × not sure.'
    """
    scale = SCALES[finding.name]
    counts = sorted(Counter(finding.scores).items())
    scores = listed([f"{count} × {_(scale[score - 1])}" for score, count in counts])
    title = _(SCORE_TITLES[finding.name])
    if finding.set_index is None and finding.name != "comprehensiveness":
        return _("{score} of all sets: {scores}.", score=title, scores=scores)
    return _("{score}: {scores}.", score=title, scores=scores)
