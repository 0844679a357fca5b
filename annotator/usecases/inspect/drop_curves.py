"""How far the probability falls by the share of tokens that is removed, or left alone: the curves behind AOPC."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotator.figures.curves import Curve, Panel
from annotator.language import _, unsaid
from annotator.scoring.table import MetricRow
from annotator.usecases.inspect.metrics_table import names_of

SIDES = {"comprehensiveness": unsaid("Comprehensiveness ↑"), "sufficiency": unsaid("Sufficiency ↓")}
WHAT_DROPS_ARE = unsaid(
    "The mean drop of the predicted label's probability, over the instances that have an answer at every threshold. AOPC is "
    "the mean over the thresholds (DeYoung et al. 2020, section 4.2)."
)
_CURVES = (
    ("comprehensiveness", unsaid("share of tokens removed, highest scores first"), "eraser.comprehensiveness_aopc"),
    ("sufficiency", unsaid("share of tokens kept, highest scores first"), "eraser.sufficiency_aopc"),
)


def rows_with_curves(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """The first row of each run that has answers at several thresholds."""
    return list({row.run: row for row in reversed(rows) if row.points is not None}.values())[::-1]


def drop_panels(rows: Sequence[MetricRow]) -> list[Panel]:
    """A panel for each side, a line for each of such rows."""
    names = names_of_runs(rows)
    return [
        Panel(_(SIDES[side]), _(across), _("mean drop of probability"), list(_drops(rows, names, side, column)))
        for side, across, column in _CURVES
    ]


def names_of_runs(rows: Sequence[MetricRow]) -> list[str]:
    """Names without the layer, which is one of several."""
    return names_of([replace(row, layer=None, kind="") for row in rows])


def _drops(rows: Sequence[MetricRow], names: Sequence[str], side: str, column: str) -> Iterator[Curve]:
    for row, name in zip(rows, names, strict=True):
        if row.points is not None:
            pairs = zip(row.points.thresholds, getattr(row.points, side), strict=True)
            points = [(x, y) for x, y in pairs if y is not None]
            if points:
                n = row.numbers[column].n if column in row.numbers else None
                yield Curve(name, [x for x, _y in points], [y for _x, y in points], n=[n] * len(points))
