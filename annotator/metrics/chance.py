"""Whether a number means something: a method beside a null (chance), over the instances for which both have a value.

Source: trust is put in a paired bootstrap over instances (Koehn 2004): it speaks of other texts like these. Seeds only say where
chance lies on these texts, so that the null is each instance's mean over them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np

from annotator.domain.numbers import signed
from annotator.language import _, unsaid
from annotator.metrics.aggregate import Interval, bootstrap_many
from annotator.metrics.definitions import Direction
from annotator.metrics.ragged import Floats

RANDOM = unsaid("random")
FEWEST = 20  # instances; below, nothing is said
_TOLD = 0.01  # the difference for which it is said how many instances would tell it
_Z = 2.8016  # two-sided 5 %, power 80 %: z(0.975) + z(0.8)

Word = Literal["better", "not better", "not told", "too few"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A number beside its null.

    difference: mean of value − null over n instances, the sign turned where lower is better: above 0 is better
    low, high:  its 95 % interval; None of fewer than two
    needed:     how many instances would tell a difference of 0.01, where nothing is told
    """

    word: Word
    n: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    needed: int | None = None


def beside(pairs: Sequence[tuple[Floats, Floats]], direction: Direction) -> list[Verdict | None]:
    """Whether values are better than their null; None where no direction is better, or nothing can be compared.

    "better": the whole interval (percentiles, 1,000 draws, seed 0) lies above 0; "not better": below it; "not told": neither.
    Shapes: pairs of values and null, float[n] each, of the same instances, NaN where there is none
    >>> values, null = np.tile([0.5, 0.7], 15), np.full(30, 0.4)
    >>> [verdict] = beside([(values, null)], "higher is better")
    >>> verdict.word, verdict.n, round(verdict.difference, 9)
    ('better', 30, 0.2)
    >>> beside([(values, null)], "lower is better")[0].word
    'not better'
    """
    if direction == "neither":
        return [None] * len(pairs)
    sign = 1.0 if direction == "higher is better" else -1.0
    with np.errstate(invalid="ignore"):  # a loss may be infinite in both
        differences = [sign * (values - null) for values, null in pairs]
    defined = [of_pair[np.isfinite(of_pair)] for of_pair in differences]
    return [_verdict(of_pair, interval) for of_pair, interval in zip(defined, bootstrap_many(defined), strict=True)]


def _verdict(differences: Floats, interval: Interval | None) -> Verdict | None:
    n = len(differences)
    if not n:
        return None
    mean = float(differences.mean())
    if n < FEWEST or interval is None:
        return Verdict("too few", n, mean)
    figures = (n, mean, interval.low, interval.high)
    if interval.low > 0:
        return Verdict("better", *figures)
    if interval.high < 0:
        return Verdict("not better", *figures)
    return Verdict("not told", *figures, needed=_needed(float(differences.std(ddof=1))))


def _needed(deviation: float) -> int | None:
    """How many instances would tell .01 of differences that deviate so; None where they do not.

    >>> _needed(0.3)
    7065
    """
    return ceil((_Z * deviation / _TOLD) ** 2 - 1e-9) or None


def sentence(verdict: Verdict, null: str = RANDOM) -> str:
    """In words, with the difference and its interval.

    >>> sentence(Verdict("not better", 312, -0.07, -0.1, -0.03))
    'not better than random on this gold (−0.070 [−0.100, −0.030], n 312)'
    >>> sentence(Verdict("too few", 12, 0.1))
    'too few to say (n 12)'
    """
    figures = difference(verdict)
    if not figures:
        return _("too few to say (n {n})", n=verdict.n)
    if verdict.needed is None:
        return _(
            "{verdict} on this gold ({difference}, n {n})",
            verdict=short(verdict, null), difference=figures[0], n=f"{verdict.n:,}",
        )  # fmt: skip
    return _(
        "{verdict} on this gold ({difference}, n {n}; about {needed} instances would show a difference of {told})",
        verdict=short(verdict, null), difference=figures[0], n=f"{verdict.n:,}", needed=f"{_rounded(verdict.needed):,}",
        told=_TOLD,
    )  # fmt: skip


def difference(verdict: Verdict) -> list[str]:
    """The difference with its interval; [] where there are too few to say anything.

    >>> difference(Verdict("better", 312, 0.07, 0.03, 0.1))
    ['+0.070 [+0.030, +0.100]']
    """
    if verdict.difference is None or verdict.low is None or verdict.high is None:
        return []
    mean, low, high = (signed(number) for number in (verdict.difference, verdict.low, verdict.high))
    return [f"{mean} [{low}, {high}]"]


def short(verdict: Verdict, null: str = RANDOM) -> str:
    """In a few words, without numbers."""
    return word_in_words(verdict.word, _(null))


def word_in_words(word: Word, null: str) -> str:
    """Beside a null that is named in the reader's language."""
    match word:
        case "too few":
            return _("too few to say")
        case "not told":
            return _("no clear difference from {null}", null=null)
        case "better":
            return _("better than {null}", null=null)
        case "not better":
            return _("not better than {null}", null=null)


def _rounded(number: int) -> int:
    """To two digits that count.

    >>> _rounded(2183)
    2200
    """
    return int(float(f"{number:.2g}"))
