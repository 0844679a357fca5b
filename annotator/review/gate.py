"""The gate: accepted, returned or discarded, from all scores of a round (Wang et al. 2022, section 3.3).

Exact numbers throughout: 18/5 and 13/5 lie exactly on a threshold and pass.
"""

from collections.abc import Sequence
from fractions import Fraction

from annotator.domain.reviews import Finding, Outcome, Property, SetScores, Thresholds, Verdict


def decide(
    sets: Sequence[SetScores], comprehensiveness: Sequence[int], thresholds: Thresholds, round_number: int
) -> Verdict:
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
    return Verdict(_outcome(findings, round_number, thresholds.max_rounds), tuple(findings))


def _of_sets(name: Property, by_set: Sequence[tuple[int, ...]], threshold: Fraction, is_pooled: bool) -> list[Finding]:
    if is_pooled and by_set:
        together = tuple(score for scores in by_set for score in scores)
        return [_finding(name, None, together, threshold)]
    return [_finding(name, number, scores, threshold) for number, scores in enumerate(by_set)]


def _finding(name: Property, set_index: int | None, scores: tuple[int, ...], threshold: Fraction) -> Finding:
    return Finding(name, set_index, scores, Fraction(sum(scores), len(scores)), threshold)


def _outcome(findings: Sequence[Finding], round_number: int, max_rounds: int) -> Outcome:
    if all(finding.passes for finding in findings):
        return "accepted"
    return "returned" if round_number < max_rounds else "discarded"
