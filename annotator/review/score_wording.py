"""Scores and what the gate found, in words."""

from collections import Counter
from fractions import Fraction

from annotator.domain.rationales import set_letter
from annotator.domain.reviews import SCALES, Finding, Review, Round


def describe(finding: Finding) -> str:
    """A mean against its threshold, in one line.

    >>> describe(Finding("compactness", 0, (4, 3, 3), Fraction(10, 3), Fraction(18, 5)))
    'Compactness score 3.33 (4, 3, 3), needs 3.6: not concise enough.'
    """
    scores = ", ".join(map(str, finding.scores))
    verb = "reaches" if finding.passes else "needs"
    end = "." if finding.passes else f": {_LACKS[finding.name]}."
    return f"{finding.name.capitalize()} score {decimal(finding.mean)} ({scores}), {verb} {decimal(finding.threshold)}{end}"


_LACKS = {
    "sufficiency": "the set alone does not support the result",
    "compactness": "not concise enough",
    "comprehensiveness": "the text without the sets still supports the result",
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
    reason = f": {review_round.reason}" if review_round.reason else ""
    lines = [f"{review_round.outcome.capitalize()} by {decider(review_round)}{reason}"]
    return (
        *lines,
        *(finding_line(finding) for finding in (review_round.verdict.findings if review_round.verdict else ())),
    )


def decider(review_round: Round) -> str:
    """Who decided a round, as it stands in a sentence."""
    return "the thresholds" if review_round.decided_by == "gate" else str(review_round.decided_by)


def finding_line(finding: Finding) -> str:
    """One mean against its threshold, with the set it is about."""
    of_set = "" if finding.set_index is None else f"Set {set_letter(finding.set_index)} · "
    return of_set + describe(finding)


def score_line(review: Review) -> str:
    """Everything that a reviewer gave: of each set sufficiency and compactness, of the whole comprehensiveness, the comments."""
    sets = [
        f"{set_letter(number)}: sufficiency score {_score(s.sufficiency)}, "
        f"compactness score {_score(s.compactness)}{_quoted(s.comment)}"
        for number, s in enumerate(review.scores.sets)
        if (s.sufficiency, s.compactness, s.comment) != (None, None, "")
    ]
    whole = f"comprehensiveness score {_score(review.scores.comprehensiveness)}{_quoted(review.scores.comment)}"
    return f"{review.reviewer} · {'; '.join([*sets, whole])}"


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
    scores = ", ".join(f"{count} × {scale[score - 1]}" for score, count in counts)
    whole = " of all sets" if finding.set_index is None and finding.name != "comprehensiveness" else ""
    return f"{finding.name.capitalize()} score{whole}: {scores}."
