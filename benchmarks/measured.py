"""What a benchmark hands back: figures, what each is compared with, and how much of that it may be."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure.

    value:   in `unit`
    against: what the same work costs when it is done in the simplest way, in the same run, same unit; None: nothing
    at_most: the limit, of the ratio when there is something to compare with, else of the value; None: only told
    """

    what: str
    value: float
    unit: str
    against: float | None = None
    beside: str = ""
    at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        """The value as a multiple of what it is compared with; None when that is not there or nothing."""
        return self.value / self.against if self.against else None

    @property
    def holds(self) -> bool | None:
        """Whether the limit is kept; None when there is none."""
        compared = self.value if self.against is None else self.ratio
        return None if self.at_most is None or compared is None else compared <= self.at_most


def table(rows: Sequence[tuple[str, Measured]]) -> str:
    """The figures of several benchmarks, as a Markdown table that also reads well in a terminal."""
    head = ("benchmark", "what", "measured", "compared with", "ratio", "at most", "")
    body = [
        (
            name,
            row.what,
            f"{_number(row.value)} {row.unit}",
            "–" if row.against is None else f"{_number(row.against)} {row.unit} {row.beside}".strip(),
            "–" if row.ratio is None else f"{row.ratio:.2f}",
            _limit(row),
            {True: "kept", False: "MISSED", None: ""}[row.holds],
        )
        for name, row in rows
    ]
    widths = [max(len(line[column]) for line in (head, *body)) for column in range(len(head))]
    lines = [head, tuple("-" * width for width in widths), *body]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def _limit(row: Measured) -> str:
    if row.at_most is None:
        return "–"
    return f"{row.at_most:g}" if row.against is not None else f"{row.at_most:g} {row.unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def by_turns(ours: Callable[[], object], direct: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Medians of rounds, after one of each that does not count; milliseconds of the processor."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for call, times in ((ours, taken[0]), (direct, taken[1])):
            began = time.process_time()
            call()
            times.append(1000 * (time.process_time() - began))
    first, second = (statistics.median(times[1:]) for times in taken)
    return first, second
