"""Scoring of the interpretability benchmark from files alone: each program's reading, the paper's, and our own numbers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from annotator.errors import InvalidValue
from annotator.evaluation.benchmark.counts import counts_of
from annotator.evaluation.benchmark.files import SHAPES, BenchmarkFiles, read_files, refuse_if_any
from annotator.evaluation.benchmark.paper import paper_reading, sets_reading
from annotator.evaluation.benchmark.programs import evaluator_reading, scripts_reading
from annotator.evaluation.benchmark.report import BenchmarkReport
from annotator.scoring.reports import Report

Reading = Literal["scripts", "evaluator", "paper"]
TASKS = tuple(SHAPES)
_READINGS: dict[str, Callable[[BenchmarkFiles, BenchmarkReport], Report]] = {
    "scripts": scripts_reading,
    "evaluator": evaluator_reading,
    "paper": paper_reading,
}
READINGS = tuple(_READINGS)


def evaluate_benchmark(
    task: str,
    gold: Path,
    predictions: Path,
    *,
    reading: Reading | None = None,
    inputs: Path | None = None,
    ratios: Sequence[float] = (),
    language: str | None = None,
) -> Report:
    """`scripts`, `evaluator`, `paper`, `sets` and `counts` for a predictions file; one reading and `counts` if it is asked for.

    A number that is not defined for the files is None. One for which its program stops is None too, and `counts.refused`
    names the rows; where that reading alone is asked for, the files are refused instead.
    Raises: NotFound or InvalidValue for files and values; ImportRefused, with every problem, for their rows
    """
    if task not in SHAPES:
        raise InvalidValue(f"There is no task '{task}' in the benchmark. Choose one of {', '.join(SHAPES)}.")
    files = read_files(
        task, gold, predictions, inputs=inputs, ratios=ratios, language=language, needs_links=reading != "paper"
    )
    report = BenchmarkReport()
    readings = READINGS if reading is None else (reading,)
    scores: Report = {name: _READINGS[name](files, report) for name in readings}
    if reading is None:
        scores["sets"] = sets_reading(files)
    else:
        _refuse_stops(report)
    return {**scores, "counts": counts_of(files, report, scores)}


def _refuse_stops(report: BenchmarkReport) -> None:
    """What the one program that is asked for stops at is refused."""
    refuse_if_any(
        [
            replace(
                row, reason=f"{stop.reason} No {stop.number} can be given; correct the row, or ask for all readings."
            )
            for stop in report.stops
            if stop.refuses
            for row in stop.rows
        ]
    )
