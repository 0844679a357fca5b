"""How trainings with rationales went: how far the alignment loss fell, and what the accuracy did meanwhile.

Source: ER-TEST (Joshi et al. 2022), Tables 4 and 6. The loss is the mean over an epoch's steps; the accuracy is that of the
training's validation part after it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from annotator.figures.scatter_plots import Line, ScatterPanel, scatter_svg
from annotator.metrics.aggregate import least_squares
from annotator.scoring.paper_table import PaperCell, PaperColumn, over_runs_cell
from annotator.training.card import Card, EpochResult

_GROUP = "Alignment loss"
_NOT_ALIGNED = "the model was not trained here with rationales"
_FEW_EPOCHS = "fewer than three epochs have an alignment loss and a validation accuracy, or the loss never changed"
_FEWEST_EPOCHS = 3
Epochs = Sequence[EpochResult]


def alignment_points(epochs: Epochs) -> list[tuple[float, float]]:
    """The alignment loss and the validation accuracy of each epoch that has both."""
    return [
        (epoch.alignment_loss, epoch.validation_accuracy)
        for epoch in epochs
        if epoch.alignment_loss is not None and epoch.validation_accuracy is not None
    ]


def alignment_slope(epochs: Epochs) -> tuple[float, float] | None:
    """Slope and R² of the validation accuracy over the alignment loss of the training steps, a point an epoch.

    None of fewer than three epochs that have both, or where the loss did not change. Slopes of different losses cannot be
    compared.
    Source: after ER-TEST, Table 6, which takes the loss of the part that the accuracy is of
    """
    points = alignment_points(epochs)
    return least_squares(*np.array(points, dtype=np.float64).T) if len(points) >= _FEWEST_EPOCHS else None


def alignment_drop(epochs: Epochs) -> float | None:
    """The share by which the loss fell from the first epoch to the last; None of a first loss of 0.

    >>> from annotator.training.card import EpochResult
    >>> alignment_drop([EpochResult(1.0, loss, 0, None, None, 1.0) for loss in (4.0, 5.0, 3.0)])
    0.25
    """
    first, last = epochs[0].alignment_loss, epochs[-1].alignment_loss
    return None if not first or last is None else (first - last) / first


def alignment_cells(
    rows: Mapping[str, Sequence[str]], cards: Mapping[str, Card]
) -> tuple[list[PaperColumn], dict[str, list[PaperCell]], list[str]]:
    """Columns, by row its cells, and notes; nothing where no row's model was trained here with rationales."""
    if not cards:
        return [], {title: [] for title in rows}, []
    columns = [
        PaperColumn("alignment.drop", "Drop", _GROUP, "↑", 100, 1),
        PaperColumn("alignment.slope", "Slope", _GROUP),
        PaperColumn("alignment.r2", "R²", _GROUP),
    ]
    note = (
        "Alignment loss: Drop is from the first epoch to the last; Slope and R² are of the validation "
        "accuracy over the loss, a point an epoch. Slopes of different losses cannot be compared."
    )
    return columns, {title: _cells([cards[n] for n in names if n in cards]) for title, names in rows.items()}, [note]


def _cells(cards: Sequence[Card]) -> list[PaperCell]:
    if not cards:
        return [PaperCell(reason=_NOT_ALIGNED)] * 3
    slopes = [slope for card in cards if (slope := alignment_slope(card.epochs)) is not None]
    return [
        over_runs_cell([alignment_drop(card.epochs) for card in cards], None, "the loss was 0 from the first epoch on"),
        over_runs_cell([slope for slope, _ in slopes], None, _FEW_EPOCHS),
        over_runs_cell([r_squared for _, r_squared in slopes], None, _FEW_EPOCHS),
    ]


def alignment_plot(rows: Mapping[str, Sequence[str]], cards: Mapping[str, Card]) -> str:
    """As SVG the validation accuracy over the alignment loss, a panel a row, a point an epoch, a line a training; "" of none."""
    panels = []
    for title, names in rows.items():
        lines = []
        for name in names:
            points = alignment_points(cards[name].epochs) if name in cards else []
            if points:
                fitted = least_squares(*np.array(points, dtype=np.float64).T) if len(points) >= _FEWEST_EPOCHS else None
                lines.append(Line(name, points, None if fitted is None else fitted[0]))
        if lines:
            panels.append(ScatterPanel(title, "alignment loss", "validation accuracy", lines))
    return scatter_svg(panels) if panels else ""
