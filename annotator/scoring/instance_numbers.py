"""What stands behind the rows of the table of metrics: numbers of single instances, so that rows are compared over the same ones.

An instance is named by its place in the gold table from which the numbers were made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotator.metrics.ragged import Flags, Floats, Integers
from annotator.scoring.gold import GoldTable
from annotator.scoring.runs import Answers, Scored, Values, confidence_inputs, values_of_pairs

RowKey = tuple[str, str, str, str, int | None]  # model, method, parameters (JSON), kind, layer


@dataclass(frozen=True, slots=True, eq=False)
class OfSeed:
    """The numbers of one seed of a row.

    Shapes: places int[n], rising; values float[n] each by column, NaN where undefined; p, is_right: of the answer, [n];
            has_changed bool[n]: of a changed version, whether the answer is another than to the original
    drops: mean fall of the probability by side and threshold, float[n], of instances that have all thresholds
    null:  of what is selected hard: the means over ten seeds of as many tokens drawn at random
    seed:  of the run, None where it has none
    is_flat: bool[n]: the map has all scores equal; None: none has
    """

    places: Integers
    values: Values
    p: Floats
    is_right: Flags
    has_changed: Flags
    drops: Mapping[str, Mapping[float, Floats]] = field(default_factory=dict)
    null: Values = field(default_factory=dict)
    seed: int | None = None
    is_flat: Flags | None = None

    @staticmethod
    def of(
        gold: GoldTable, row: Scored, faithfulness: Scored | None, answers: Answers, seed: int | None = None
    ) -> "OfSeed":
        """gold: the whole table; row, faithfulness: of some of its instances."""
        parts = [row, *([faithfulness] if faithfulness is not None else [])]
        indices, values = together(gold, parts)
        n = len(indices)
        p, is_right = np.full(n, np.nan), np.zeros(n, dtype=np.bool_)
        at = np.searchsorted(indices, places_of(gold, row))
        if "editing.mrr" in row.values:
            p[at], _, is_right[at] = confidence_inputs(row, answers)
        drops: dict[str, dict[float, Floats]] = {}
        if faithfulness is not None:
            of_faithfulness = np.searchsorted(indices, places_of(gold, faithfulness))
            for side, by_threshold in faithfulness.drop_values.items():
                drops[side] = {t: _at_places(n, of_faithfulness, fall) for t, fall in by_threshold.items()}
        null = {name: _at_places(n, at, of_null) for name, of_null in row.null.items()}
        is_flat = None
        if row.is_flat is not None and row.is_flat.any():
            is_flat = np.zeros(n, dtype=np.bool_)
            is_flat[at] = row.is_flat
        return OfSeed(indices, values, p, is_right, _changes(gold, row, answers, indices), drops, null, seed, is_flat)

    @staticmethod
    def of_answers(gold: GoldTable, quality: Scored, seed: int | None = None) -> "OfSeed":
        """How often a model is right."""
        indices, values = together(gold, [quality])
        nothing = np.zeros(len(indices), dtype=np.bool_)
        return OfSeed(indices, values, np.full(len(indices), np.nan), nothing, nothing, seed=seed)

    @property
    def n_numbers(self) -> int:
        return len(self.places) * (len(self.values) + sum(map(len, self.drops.values())) + len(self.null) + 2)


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """Numbers of all instances behind all rows, and random's.

    Shapes: ids int[n] of the gold's instances; kinds: of changed versions; has_choice bool[n]: not every word is gold, so that it
            matters which are selected; labels int[n]: of gold, by its place in label_names, −1 without
    rows:    by row, of each seed; quality: by model
    random:  means over ten seeds of scores drawn at random, by column float[n]
    left_out: by model, bool[n]: what it learned from and is not scored on
    families: int[n]: an original and its changed versions have one number
    """

    ids: Integers
    kinds: Sequence[str | None]
    has_choice: Flags
    labels: Integers
    label_names: Sequence[str]
    rows: Mapping[RowKey, Sequence[OfSeed]]
    quality: Mapping[str, Sequence[OfSeed]]
    random: Values
    left_out: Mapping[str, Flags] = field(default_factory=dict)
    families: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def n_numbers(self) -> int:
        """How much there is: what is kept of it is weighed by that."""
        of_rows = (seed.n_numbers for seeds in (*self.rows.values(), *self.quality.values()) for seed in seeds)
        return sum(of_rows) + len(self.ids) * (len(self.random) + 4)


def together(gold: GoldTable, parts: Sequence[Scored]) -> tuple[Integers, Values]:
    """The numbers of several parts over different instances, by the places of all of them; MAPs belong to changed versions."""
    of_parts = [places_of(gold, part) for part in parts]
    indices = np.unique(np.concatenate(of_parts)) if of_parts else np.empty(0, dtype=np.int64)
    values: Values = {}
    for part, of_part in zip(parts, of_parts, strict=True):
        if np.array_equal(of_part, indices):
            values |= part.values  # as they are: most rows have one part, and copies of all numbers take their time
        else:
            at = np.searchsorted(indices, of_part)
            for name, numbers in part.values.items():
                values.setdefault(name, np.full(len(indices), np.nan))[at] = numbers
        pairs, maps = values_of_pairs(part)
        changed = np.array([gold.places[second.id] for _, second in pairs], dtype=np.int64)
        for name, of_pairs in maps.items():
            column = values.setdefault(f"benchmark.{name}", np.full(len(indices), np.nan))
            column[np.searchsorted(indices, changed)] = of_pairs
    return indices, values


def places_of(gold: GoldTable, part: Scored) -> Integers:
    """int[n]: where the instances of a part stand in the whole table."""
    return np.fromiter((gold.places[row.id] for row in part.gold.rows), dtype=np.int64, count=len(part.gold))


def has_choice(gold: GoldTable) -> Flags:
    """bool[n]: some set of the instance is not all of its words, so that other selections would score otherwise.

    Of soft gold, not all words were marked by as many people.
    """
    if gold.is_soft:
        varies: Flags = gold.shares.maxima(0.0) != -gold.shares.with_values(-gold.shares.values).maxima(0.0)
        return varies
    sets = gold.sets
    is_whole = sets.tokens.lengths == gold.n_tokens[sets.instances]
    n_whole = np.bincount(sets.instances[is_whole], minlength=len(gold))
    is_choice: Flags = (sets.n_sets == 0) | (n_whole < sets.n_sets)
    return is_choice


def coded_labels(gold: GoldTable) -> tuple[Integers, Sequence[str]]:
    """int[n]: each gold label by its place among their names, −1 without one."""
    numbers: dict[str, int] = {}
    coded = [-1 if row.result is None else numbers.setdefault(row.result, len(numbers)) for row in gold.rows]
    return np.array(coded, dtype=np.int64), tuple(numbers)


def families_of(gold: GoldTable) -> Integers:
    """int[n]: instances that are versions of one text have one number."""
    numbers: dict[str, int] = {}
    keys = (row.key if row.parent_key is None else row.parent_key for row in gold.rows)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _at_places(n: int, indices: Integers, values: Floats) -> Floats:
    values_of_all = np.full(n, np.nan)
    values_of_all[indices] = values
    return values_of_all


def _changes(gold: GoldTable, row: Scored, answers: Answers, indices: Integers) -> Flags:
    has_changed = np.zeros(len(indices), dtype=np.bool_)
    for first, second in values_of_pairs(row)[0]:
        labels = [None if (answer := answers.get(of.id)) is None else answer.label for of in (first, second)]
        has_changed[np.searchsorted(indices, gold.places[second.id])] = labels[0] != labels[1]
    return has_changed
