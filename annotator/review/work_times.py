"""How long a text and a token take: quartiles, and how the time changes with practice."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Seconds = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

# The first, the second .. ten submissions; later ones in longer stretches, so that a curve has few points that say much.
_LAST_POSITIONS = (10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000)


@dataclass(frozen=True, slots=True)
class Quartiles:
    """A quarter of n values lies below `lower`, a half below `median`, three quarters below `upper`; None of none.

    Between two values they are interpolated (Hyndman and Fan 1996, type 7).
    """

    n: int
    lower: float | None = None
    median: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The time per token over the submissions first .. last of each of n_people people."""

    first: int
    last: int
    n_people: int
    seconds: Quartiles


def quartiles(values: Seconds) -> Quartiles:
    """Of some values.

    >>> quartiles(np.array([1.0, 2.0, 3.0, 10.0]))
    Quartiles(n=4, lower=1.75, median=2.5, upper=4.75)
    """
    if not len(values):
        return Quartiles(0)
    lower, median, upper = np.percentile(values, (25, 50, 75)).tolist()
    return Quartiles(len(values), lower, median, upper)


def learning_curve(positions: Positions, people: Positions, per_token: Seconds) -> tuple[CurvePoint, ...]:
    """From stretch to stretch of everybody's submissions.

    Shapes: each [n submissions]: the how-manieth of its person it is, from 1; whose it is; seconds per token
    """
    points = []
    highest = int(positions.max(initial=0))
    for first, last in _stretches(highest):
        is_within = (first <= positions) & (positions <= last)
        if is_within.any():
            n_people = len(np.unique(people[is_within]))
            points.append(CurvePoint(first, min(last, highest), n_people, quartiles(per_token[is_within])))
    return tuple(points)


def _stretches(highest: int) -> Sequence[tuple[int, int]]:
    """First and last positions, until all submissions are in one.

    >>> _stretches(25), _stretches(20_000)[-2:]
    ([(1, 10), (11, 20), (21, 30)], [(5001, 10000), (10001, 20000)])
    """
    lasts = [last for last in _LAST_POSITIONS if last < highest]
    rest = [last for last in (*_LAST_POSITIONS, max(highest, _LAST_POSITIONS[-1])) if last >= highest][:1]
    borders = [0, *lasts, *rest]
    return [(before + 1, last) for before, last in pairwise(borders)] if highest else []
