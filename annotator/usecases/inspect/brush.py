"""Which points lie in a part of a scatter."""

from collections.abc import Sequence

import numpy as np

from annotator.domain.measurements import Bounds, Brush
from annotator.metrics.ragged import Flags, Floats


def inside(brush: Brush, xs: Sequence[float], ys: Sequence[float]) -> list[bool]:
    """Of each point whether it is within the bounds, whose ends belong to them, and inside the outline."""
    of_x, of_y = np.array(xs, dtype=np.float64), np.array(ys, dtype=np.float64)
    is_in = _between(of_x, brush.x_bounds) & _between(of_y, brush.y_bounds)
    if brush.outline:
        is_in &= inside_outline(brush.outline, of_x, of_y)
    return [bool(is_inside) for is_inside in is_in]


def _between(values: Floats, bounds: Bounds) -> Flags:
    low, high = bounds
    is_in: Flags = np.ones(len(values), dtype=np.bool_)
    if low is not None:
        is_in &= values >= low
    if high is not None:
        is_in &= values <= high
    return is_in


def inside_outline(outline: tuple[tuple[float, float], ...], xs: Floats, ys: Floats) -> Flags:
    """bool[n]: which points lie inside a closed outline, by the parity of the edges to their right.

    >>> square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    >>> inside_outline(square, np.array([0.5, 1.5]), np.array([0.5, 0.5])).tolist()
    [True, False]
    """
    is_in: Flags = np.zeros(len(xs), dtype=np.bool_)
    for (x1, y1), (x2, y2) in zip(outline, (*outline[1:], outline[0]), strict=True):
        crosses = (y1 > ys) != (y2 > ys)
        if y1 != y2:
            is_in ^= crosses & (xs < (x2 - x1) * (ys - y1) / (y2 - y1) + x1)
    return is_in
