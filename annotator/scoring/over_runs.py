"""Numbers over the runs (seeds) of a model, and what they are made from where an interval is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from annotator.metrics.aggregate import bootstrap, over_seeds, paired_bootstrap
from annotator.metrics.ragged import Floats
from annotator.scoring.reports import Report, RunsReport


def over_runs(values: Sequence[float | None]) -> RunsReport:
    """A number of each run, with their mean and deviation (n − 1); None where it is not defined.

    >>> over_runs([0.5, None])
    {'value': 0.5, 'deviation': None, 'runs': [0.5, None]}
    """
    made = over_seeds(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    return {"value": made.mean, "deviation": made.deviation, "runs": list(values)}


def means_of_runs(values: Floats) -> Floats:
    """float[n]: the mean of each column of float[n_runs, n] over the runs for which it is defined, else NaN."""
    is_there = ~np.isnan(values)
    counts = is_there.sum(axis=0)
    means = np.full(values.shape[1], np.nan)
    np.divide(np.where(is_there, values, 0.0).sum(axis=0), counts, out=means, where=counts > 0)
    return means


@dataclass(slots=True)
class Samples:
    """By the place of a number: the values whose mean it is, and those of a second model where it is a difference."""

    single: dict[str, Floats] = field(default_factory=dict)
    paired: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)

    def intervals(self, n_resamples: int) -> dict[str, Report | None]:
        """Bootstrap intervals (percentiles); None of fewer than two values."""
        intervals = {cell: bootstrap(values, n_resamples=n_resamples) for cell, values in self.single.items()}
        intervals |= {cell: paired_bootstrap(*pair, n_resamples=n_resamples) for cell, pair in self.paired.items()}
        return {cell: None if interval is None else asdict(interval) for cell, interval in intervals.items()}


def lists(rows: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """Counts of each run as a list a name.

    >>> lists([{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
