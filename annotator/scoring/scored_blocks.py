"""A run scored a block of instances at a time, so that memory stays small; random as a method beside it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from annotator.domain.models import Output
from annotator.metrics import against_sets as against
from annotator.metrics.aggregate import over_seeds
from annotator.metrics.gold_as_method import TEN_SEEDS, scores_drawn_for
from annotator.metrics.ragged import Floats, Integers, Ragged
from annotator.scoring import runs
from annotator.scoring.faithfulness import changed_answers, faithfulness_of
from annotator.scoring.gold import GoldTable
from annotator.scoring.reports import NumberReport, NumberReports
from annotator.scoring.soft import PersonValues

SCORES_AT_ONCE = 150_000  # fits the caches of a processor; far fewer cost more in calls, far more in memory
_MOST_AT_ONCE = 5_000
_KEPT_BYTES = 32_000_000  # beyond 2^25 it would tell glibc nothing

RowKey = tuple[str, int | None]  # kind ("attribution", "hard", "ranked") and layer


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """Everything of one run. rows: by kind and layer, layers first, in their order; without `scores`; layers: all there are."""

    rows: Mapping[RowKey, runs.Scored]
    faithfulness: runs.Scored
    layers: frozenset[int | None] = frozenset()

    def faithfulness_of(self, key: RowKey) -> runs.Scored | None:
        """What answers to reduced inputs tell of a row; None of a layer before the last, whose top k is what was reduced by."""
        return self.faithfulness if is_reduced_by(key, self.layers) else None


def score_run(
    gold: GoldTable,
    outputs: Iterable[Output],
    answers: runs.Answers,
    options: runs.ScoringOptions,
    *,
    only: RowKey | None = None,
    names: Collection[str] | None = None,
) -> ScoredRun:
    """Score what a run says, read once and in blocks.

    only: this row alone, None: all; names: the numbers that are kept, None: all ("editing.mrr" is always kept)
    """
    keep_freed_memory()
    parts: dict[RowKey, list[runs.Scored]] = {}
    changed = []
    layers: set[int | None] = set()
    for block in blocks_of(outputs):
        part = gold.take([gold.places[number] for number in block if number in gold.places])
        changed.append(changed_answers(part, block, answers))
        layers.update(runs.layers_of(block))
        for key in _rows_of(block):
            if only is None or key == only:
                parts.setdefault(key, []).append(_of_names(_score(part, block, answers, key, options), names))
    return ScoredRun(
        {key: _joined(gold, key, parts[key]) for key in sorted(parts, key=row_order)},
        faithfulness_of(gold, changed),
        frozenset(layers),
    )


def is_reduced_by(key: RowKey, layers: Collection[int | None]) -> bool:
    """Whether a row's tokens are those that a run's reduced inputs leave out or keep: not of the layers before the last."""
    kind, layer = key
    return kind != "attribution" or layer is None or layer == max((n for n in layers if n is not None), default=None)


def keep_freed_memory() -> None:
    """Let the process keep what the arrays of one block had for those of the next.

    glibc gives free memory at the end of its heap back, beyond twice the largest piece that was ever freed; every array then has
    to be given its pages anew, which is a fifth of the time of scoring. The piece that is freed here is never written to, so
    that it takes no memory; elsewhere than on glibc nothing happens.
    """
    np.empty(_KEPT_BYTES, dtype=np.uint8)


def row_order(key: RowKey) -> tuple[str, int]:
    """Layers first, in their order, then what is selected hard, then what is ranked."""
    return key[0], -1 if key[1] is None else key[1]


def blocks_of(outputs: Iterable[Output]) -> Iterator[dict[int, Output]]:
    """Outputs in their order, in blocks of not many scores; one of an enormous text is a block of its own."""
    block: dict[int, Output] = {}
    n_scores = 0
    for output in outputs:
        n = sum(len(attribution.scores) for attribution in output.attributions)
        if block and (n_scores + n > SCORES_AT_ONCE or len(block) >= _MOST_AT_ONCE):
            yield block
            block, n_scores = {}, 0
        block[output.instance_id] = output
        n_scores += n
    if block:
        yield block


def _rows_of(outputs: Mapping[int, Output]) -> list[RowKey]:
    kinds = {rationale.kind for output in outputs.values() for rationale in output.rationales}
    return [("attribution", layer) for layer in runs.layers_of(outputs)] + [(kind, None) for kind in sorted(kinds)]


def _score(
    gold: GoldTable, outputs: Mapping[int, Output], answers: runs.Answers, key: RowKey, options: runs.ScoringOptions
) -> runs.Scored:
    kind, layer = key
    if kind == "attribution":
        scored = runs.score_attributions(gold, outputs, answers, layer, options)
    else:
        scored = runs.score_rationales(gold, outputs, kind, options)
    return scored if gold.has_gold else _without_gold(scored)


def _without_gold(scored: runs.Scored) -> runs.Scored:
    """The rankings alone, which are compared with each other."""
    meaningless = {"instances_without_gold_sets", *([] if any(scored.gold.ratios) else ["instances_with_ties_at_k"])}
    counts = {name: count for name, count in scored.counts.items() if name not in meaningless}
    return replace(scored, values={}, null={}, counts=counts)


def _of_names(scored: runs.Scored, names: Collection[str] | None) -> runs.Scored:
    if names is not None:
        scored.values = {n: of for n, of in scored.values.items() if n in names or n == "editing.mrr"}
    return replace(scored, scores=None)


def _joined(gold: GoldTable, key: RowKey, parts: list[runs.Scored]) -> runs.Scored:
    """Blocks of one row of numbers as one; counts are added up."""
    rankings = [part.rankings for part in parts if part.rankings is not None]
    joined = runs.Scored(
        gold.put_together([part.gold for part in parts]),
        runs.joined_values([(len(part.gold), part.values) for part in parts]),
        counts={name: sum(part.counts[name] for part in parts) for name in parts[0].counts},
        rankings=runs.Rankings(
            [row for ranking in rankings for row in ranking.rows],
            Ragged.joined([ranking.order for ranking in rankings]),
            Ragged.joined([ranking.selected for ranking in rankings]),
        ),
        spans=[spans for part in parts for spans in part.spans],
        null=runs.joined_values([(len(part.gold), part.null) for part in parts]),
        is_flat=np.concatenate([part.is_flat for part in parts if part.is_flat is not None]),
    )
    if gold.is_soft:
        of_people = PersonValues.joined([part.of_people for part in parts if part.of_people is not None])
        joined.totals |= of_people.totals("person.token_f1")
    elif key[0] == "hard" and gold.has_gold:
        joined.totals |= runs.span_numbers(joined)
    return joined


# Random as a method: what a ranking by chance has of each plausibility number.


@dataclass(slots=True)
class OverInstances:
    """The mean of each instance over the seeds that have a value for it. Shapes: sums, counts float[n] by number."""

    n: int
    sums: runs.Values = field(default_factory=dict)
    counts: runs.Values = field(default_factory=dict)

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

    def means(self) -> runs.Values:
        return {
            name: np.divide(sums, self.counts[name], out=np.full(self.n, np.nan), where=self.counts[name] > 0)
            for name, sums in self.sums.items()
        }


def random_numbers(
    gold: GoldTable, instances: OverInstances | None = None, ferret_k: int = against.FERRET_K
) -> NumberReports:
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
            for name, values in _values(block, seed, ferret_k).items():
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


def _values(block: GoldTable, seed: int, ferret_k: int) -> runs.Values:
    scores = scores_drawn_for(block.identities, block.n_tokens, seed)
    selected = against.top_of_sides(against.order_of(scores), block.sides)
    if block.is_soft:
        return runs.selection_values(selected, block)
    values = runs.selection_values(selected, block) | against.of_ranking(scores, block.sets)
    return values | against.of_scores(scores, block.sets, ferret_k=ferret_k)


def _summary(sums: Floats, counts: Floats) -> NumberReport:
    means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    made = over_seeds(means)
    return {"value": made.mean, "deviation": made.deviation, "n_seeds": made.n_seeds}
