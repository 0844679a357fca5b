"""Random as a method: what a ranking by chance has of each plausibility number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from annotator.metrics import against_sets as against
from annotator.metrics.aggregate import over_seeds
from annotator.metrics.gold_as_method import TEN_SEEDS, scores_drawn_for
from annotator.metrics.ragged import Floats, Integers
from annotator.scoring.blocks import SCORES_AT_ONCE, keep_freed_memory
from annotator.scoring.gold import GoldTable
from annotator.scoring.reports import NumberReport, NumberReports
from annotator.scoring.runs import Values


@dataclass(slots=True)
class OverInstances:
    """The mean of each instance over the seeds that have a value for it. Shapes: sums, counts float[n] by number."""

    n: int
    sums: Values = field(default_factory=dict)
    counts: Values = field(default_factory=dict)

    def add(self, name: str, indices: Integers, values: Floats) -> None:
        """Values of one seed. Shapes: places int[n], distinct; values float[n]."""
        is_there = ~np.isnan(values)
        self._take(name, indices, np.where(is_there, values, 0.0), is_there)

    def add_seeds(self, name: str, indices: Integers, of_seeds: Sequence[Floats]) -> None:
        """Values of several seeds at once."""
        values = np.stack(of_seeds)
        is_there = ~np.isnan(values)
        self._take(name, indices, np.where(is_there, values, 0.0).sum(axis=0), is_there.sum(axis=0))

    def _take(self, name: str, indices: Integers, sums: Floats, counts: npt.NDArray[np.bool_] | Integers) -> None:
        self.sums.setdefault(name, np.zeros(self.n))[indices] += sums
        self.counts.setdefault(name, np.zeros(self.n))[indices] += counts

    def means(self) -> Values:
        return {
            name: np.divide(sums, self.counts[name], out=np.full(self.n, np.nan), where=self.counts[name] > 0)
            for name, sums in self.sums.items()
        }


def random_numbers(gold: GoldTable, instances: OverInstances | None = None) -> NumberReports:
    """Mean and deviation over ten seeds of each plausibility number.

    The scores of a text follow from it and the seed. Of each seed only sums are kept, and of each instance its mean where that is
    asked for.
    """
    keep_freed_memory()
    with_sets = np.flatnonzero(gold.sets.n_sets) if len(gold) else np.empty(0, dtype=np.int64)
    part = gold.take(with_sets)
    sums: dict[str, Floats] = {}
    counts: dict[str, Floats] = {}
    first = 0
    for block in _blocks(part):
        indices = with_sets[first : first + len(block)]
        of_block: dict[str, list[Floats]] = {}
        for number, seed in enumerate(TEN_SEEDS):
            for name, values in _values(block, seed).items():
                defined = values[~np.isnan(values)]
                sums.setdefault(name, np.zeros(len(TEN_SEEDS)))[number] += defined.sum()
                counts.setdefault(name, np.zeros(len(TEN_SEEDS)))[number] += len(defined)
                if instances is not None:
                    of_block.setdefault(name, []).append(values)
        for name, of_seeds in of_block.items():
            if instances is not None:
                instances.add_seeds(name, indices, of_seeds)
        first += len(block)
    return {name: _summary(sums[name], counts[name]) for name in sums}


def _blocks(gold: GoldTable) -> Iterator[GoldTable]:
    """At least one, so that every number is named."""
    ends = np.cumsum(gold.n_tokens)
    first = 0
    while first < len(gold) or first == 0:
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + SCORES_AT_ONCE, side="right")))
        yield gold.take(range(first, min(last, len(gold))))
        first = last


def _values(block: GoldTable, seed: int) -> Values:
    scores = scores_drawn_for(block.identities, block.n_tokens, seed)
    selected = against.top_of_sides(against.order_of(scores), block.sides)
    values = against.of_selection(selected, block.sets) | against.of_ranking(scores, block.sets)
    return values | against.of_scores(scores, block.sets)


def _summary(sums: Floats, counts: Floats) -> NumberReport:
    means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    made = over_seeds(means)
    return {"value": made.mean, "deviation": made.deviation, "n_seeds": made.n_seeds}
