"""A run scored a block of instances at a time: memory grows with the numbers that are kept, not with what the run says."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from annotator.domain.models import Output
from annotator.metrics.ragged import Ragged
from annotator.scoring.faithfulness import changed_answers, faithfulness_of
from annotator.scoring.gold import GoldTable
from annotator.scoring.runs import (
    Answers,
    Rankings,
    Scored,
    ScoringOptions,
    joined_values,
    layers_of,
    score_attributions,
    score_rationales,
    span_numbers,
)

SCORES_AT_ONCE = 150_000  # fits the caches of a processor; far fewer cost more in calls, far more in memory
_MOST_AT_ONCE = 5_000
_KEPT_BYTES = 32_000_000  # beyond 2^25 it would tell glibc nothing

RowKey = tuple[str, int | None]  # kind ("attribution", "hard", "ranked") and layer


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """Everything of one run. rows: by kind and layer, layers first, in their order; without `scores`; layers: all there are."""

    rows: Mapping[RowKey, Scored]
    faithfulness: Scored
    layers: frozenset[int | None] = frozenset()

    def faithfulness_of(self, key: RowKey) -> Scored | None:
        """What answers to reduced inputs tell of a row; None of a layer before the last, whose top k is what was reduced by."""
        return self.faithfulness if is_reduced_by(key, self.layers) else None


def score_run(
    gold: GoldTable,
    outputs: Iterable[Output],
    answers: Answers,
    options: ScoringOptions,
    *,
    only: RowKey | None = None,
    names: Collection[str] | None = None,
) -> ScoredRun:
    """Score what a run says, read once and in blocks.

    only: this row alone, None: all; names: the numbers that are kept, None: all ("editing.mrr" is always kept)
    """
    keep_freed_memory()
    parts: dict[RowKey, list[Scored]] = {}
    changed = []
    layers: set[int | None] = set()
    for block in blocks_of(outputs):
        part = gold.take([gold.places[number] for number in block if number in gold.places])
        changed.append(changed_answers(part, block, answers))
        layers.update(layers_of(block))
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
    return [("attribution", layer) for layer in layers_of(outputs)] + [(kind, None) for kind in sorted(kinds)]


def _score(
    gold: GoldTable, outputs: Mapping[int, Output], answers: Answers, key: RowKey, options: ScoringOptions
) -> Scored:
    kind, layer = key
    if kind == "attribution":
        scored = score_attributions(gold, outputs, answers, layer, options)
    else:
        scored = score_rationales(gold, outputs, kind, options)
    return scored if gold.has_gold else _without_gold(scored)


def _without_gold(scored: Scored) -> Scored:
    """The rankings alone, which are compared with each other."""
    meaningless = {"instances_without_gold_sets", *([] if any(scored.gold.ratios) else ["instances_with_ties_at_k"])}
    counts = {name: count for name, count in scored.counts.items() if name not in meaningless}
    return replace(scored, values={}, null={}, counts=counts)


def _of_names(scored: Scored, names: Collection[str] | None) -> Scored:
    if names is not None:
        scored.values = {n: of for n, of in scored.values.items() if n in names or n == "editing.mrr"}
    return replace(scored, scores=None)


def _joined(gold: GoldTable, key: RowKey, parts: list[Scored]) -> Scored:
    """Blocks of one row of numbers as one; counts are added up."""
    rankings = [part.rankings for part in parts if part.rankings is not None]
    joined = Scored(
        gold.put_together([part.gold for part in parts]),
        joined_values([(len(part.gold), part.values) for part in parts]),
        counts={name: sum(part.counts[name] for part in parts) for name in parts[0].counts},
        rankings=Rankings(
            [row for ranking in rankings for row in ranking.rows],
            Ragged.joined([ranking.order for ranking in rankings]),
            Ragged.joined([ranking.selected for ranking in rankings]),
        ),
        spans=[spans for part in parts for spans in part.spans],
        null=joined_values([(len(part.gold), part.null) for part in parts]),
        is_flat=np.concatenate([part.is_flat for part in parts if part.is_flat is not None]),
    )
    if key[0] == "hard" and gold.has_gold:
        joined.totals |= span_numbers(joined)
    return joined
