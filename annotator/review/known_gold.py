"""What somebody marked or scored beside gold that is known: which sets match, what was too much, what was missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from annotator.domain.project.qualification import Known, Measures, Spoiling
from annotator.domain.reviews import Scores, SetScore, Thresholds
from annotator.domain.texts import RationaleSet


@dataclass(frozen=True, slots=True)
class SetMatch:
    """A set with the gold set that fits it best (the first of equals); None where there is no gold set, or no common token."""

    gold: int | None
    f1: Fraction
    too_much: tuple[int, ...]
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A person's sets against gold sets; unmatched: gold sets that share no token with any of the person's sets."""

    matches: tuple[SetMatch, ...]
    unmatched: tuple[int, ...]
    f1: Fraction


def compare_sets(marked: Sequence[RationaleSet], gold: Sequence[RationaleSet]) -> Comparison:
    """Each set with its best gold set, and the mean of best token F1 over the sets of both sides.

    Both sides count, so that a gold set that was not marked costs as much as a set that is not in the gold.

    Range:     0 to 1, higher is better; no sets on either side: 1, on one side alone: 0
    """
    marks, known = [frozenset(s.token_indices) for s in marked], [frozenset(s.token_indices) for s in gold]
    best_of_gold = [max((token_f1(tokens, other) for other in marks), default=Fraction(0)) for tokens in known]
    matches = tuple(_match(tokens, known) for tokens in marks)
    best = [*(match.f1 for match in matches), *best_of_gold]
    mean = sum(best, Fraction(0)) / len(best) if best else Fraction(1)
    return Comparison(matches, tuple(n for n, value in enumerate(best_of_gold) if not value), mean)


def _match(tokens: frozenset[int], gold: Sequence[frozenset[int]]) -> SetMatch:
    values = [token_f1(tokens, other) for other in gold]
    best = max(values, default=Fraction(0))
    if not best:
        return SetMatch(None, Fraction(0), tuple(sorted(tokens)), ())
    number = values.index(best)
    return SetMatch(number, best, tuple(sorted(tokens - gold[number])), tuple(sorted(gold[number] - tokens)))


def token_f1(tokens: frozenset[int], others: frozenset[int]) -> Fraction:
    """Token F1 of two sets of token indices.

    >>> token_f1(frozenset({1, 2}), frozenset({2, 3, 4}))
    Fraction(2, 5)
    """
    total = len(tokens) + len(others)
    return Fraction(2 * len(tokens & others), total) if total else Fraction(1)


def measure_marks(
    marked: Sequence[RationaleSet], result: str | None, known: Known, *, has_sets: bool, gives_label: bool
) -> Measures:
    """How an annotator's answer came out. has_sets: sets are asked for; gives_label: the label was theirs to say."""
    f1 = compare_sets(marked, known.sets).f1 if has_sets else None
    counts_label = gives_label and known.result is not None
    return Measures(f1, int(counts_label and result == known.result), int(counts_label))


def measure_scores(given: Scores, expected: Scores, thresholds: Thresholds) -> Measures:
    """Of the scores that are expected, how many given ones lie on the same side of their threshold."""
    sides = [side for side in score_sides(given, expected, thresholds) if side is not None]
    return Measures(None, sum(sides), len(sides))


def score_sides(given: Scores, expected: Scores, thresholds: Thresholds) -> list[bool | None]:
    """Set by set sufficiency and compactness, then comprehensiveness: whether each is on the right side; None: not expected."""
    sides: list[bool | None] = []
    for score, right in zip(given.sets, expected.sets, strict=True):
        sides.append(_is_same_side(score.sufficiency, right.sufficiency, thresholds.sufficiency))
        sides.append(_is_same_side(score.compactness, right.compactness, thresholds.compactness))
    sides.append(_is_same_side(given.comprehensiveness, expected.comprehensiveness, thresholds.comprehensiveness))
    return sides


def _is_same_side(given: int | None, expected: int | None, threshold: Fraction) -> bool | None:
    if expected is None:
        return None
    return given is not None and (given >= threshold) == (expected >= threshold)


_GOOD = SetScore(sufficiency=3, compactness=4)


def spoiled(known: Known, spoiling: Spoiling, seed: int, selectable: Sequence[int]) -> Known | None:
    """Gold sets worsened on purpose, with the scores that they are to get; None where these sets cannot be worsened so.

    A token too much makes a set less compact; a token missing leaves it insufficient (whether what is left is compact, or the
    sets comprehensive, is then nobody's to say: not expected); a set left out leaves the whole not comprehensive.
    """
    draw, sets = Random(seed), known.sets  # noqa: S311  (no secret)
    scores = Scores((_GOOD,) * len(sets), 3)
    if not sets:
        return None
    if not spoiling:
        return replace(known, scores=scores)
    if spoiling == "set left out":
        if len(sets) == 1:
            return None
        number = draw.randrange(len(sets))
        return Known(known.result, (*sets[:number], *sets[number + 1 :]), Scores((_GOOD,) * (len(sets) - 1), 1))
    return _with_another_set(known, spoiling, draw, selectable)


def _with_another_set(known: Known, spoiling: Spoiling, draw: Random, selectable: Sequence[int]) -> Known | None:
    marked = {token for s in known.sets for token in s.token_indices}
    is_added = spoiling == "token too much"
    numbers = [n for n, s in enumerate(known.sets) if is_added or len(s.token_indices) > 1]
    free = [token for token in selectable if token not in marked]
    if not numbers or (is_added and not free):
        return None
    number = draw.choice(numbers)
    tokens = known.sets[number].token_indices
    if is_added:
        tokens, score, whole = (*tokens, draw.choice(free)), SetScore(3, 1), 3
    else:
        missing = draw.choice(tokens)
        tokens, score, whole = tuple(token for token in tokens if token != missing), SetScore(1, None), None
    sets = [*known.sets[:number], RationaleSet.of_tokens(tokens), *known.sets[number + 1 :]]
    scores = [_GOOD] * number + [score] + [_GOOD] * (len(sets) - number - 1)
    return Known(known.result, tuple(sets), Scores(tuple(scores), whole))
