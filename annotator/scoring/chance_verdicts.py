"""Whether numbers of the table of metrics mean something: each beside chance on the same gold, and which of a column is best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.numbers import percent, written
from annotator.language import _, unsaid
from annotator.metrics.ragged import Flags, Floats
from annotator.metrics.significance import FEWEST, RANDOM, Verdict, Word, beside, difference, sentence, short
from annotator.scoring.instance_numbers import Behind, OfSeed
from annotator.scoring.scored_blocks import OverInstances
from annotator.scoring.shared_instances import seeds_of, values_of
from annotator.scoring.table import Column, MetricRow, MetricTable, rivals_of

_GOLD = "gold"
_ACCURACY = "eraser.accuracy"


# Beside a number, in tables of the page and of a terminal.
SIGNS: Mapping[Word, str] = {"better": "▲", "not told": "≈", "not better": "▼", "too few": "?"}
LEARNED = "†"  # it is of texts that the model learned from, or perhaps did


@dataclass(frozen=True, slots=True)
class Judged:
    """A number beside chance: random, or always saying the commonest label.

    is_unmeasured: random would have to be computed first
    learned: why there can be no verdict on how often a model is right; "" where there can
    """

    verdict: Verdict | None = None
    label: str = ""
    is_unmeasured: bool = False
    learned: str = ""

    @property
    def null(self) -> str:
        """What the number is compared with, in words."""
        return _("always predicting “{label}”", label=self.label) if self.label else RANDOM

    @property
    def sentence(self) -> str:
        """With all its numbers; "" without a verdict."""
        return "" if self.verdict is None else sentence(self.verdict, self.null)

    @property
    def sign(self) -> str:
        """One of SIGNS; "" where there is no verdict and nothing is in its way."""
        if self.verdict is None:
            return LEARNED if self.learned else ""
        return SIGNS[self.verdict.word]

    @property
    def lines(self) -> list[str]:
        """In a few words, and the difference with its interval, or why there is no verdict."""
        if self.verdict is None:
            return [_(self.learned)] if self.learned else []
        words = _("no clear difference") if self.verdict.word == "not told" else short(self.verdict, self.null)
        return [words, *difference(self.verdict)]


def judged(table: MetricTable, rows: Sequence[MetricRow], column: Column) -> list[Judged]:
    """The verdict on each row's number: over the instances that the table shares, else over the row's own.

    Plausibility is compared with scores drawn at random (of what is selected hard: with as many tokens), what looks at the
    model's answers with the method `random` of the same model, accuracy with always saying the commonest label.
    What a model says of texts that it learned from is compared with nothing: it would be better than chance by knowing them.
    """
    sides = [_sides(table, row, column) for row in rows]
    compared = [(values, side.null) for side, values in sides if side.null is not None and values is not None]
    verdicts = iter(beside(compared, column.definition.direction))
    return [
        Judged(
            next(verdicts) if side.null is not None and values is not None else None,
            side.label,
            side.is_unmeasured,
            _learned(row, column),
        )
        for row, (side, values) in zip(rows, sides, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Null:
    """What a row's numbers are compared with; None: with nothing."""

    null: Floats | None = None
    label: str = ""
    is_unmeasured: bool = False


def _sides(table: MetricTable, row: MetricRow, column: Column) -> tuple[_Null, Floats | None]:
    """A row's null and its own numbers, float[n_gold] each."""
    behind = table.behind
    seeds = () if behind is None else seeds_of(behind, row, column)
    if behind is None or not seeds or row.method == RANDOM or column.definition.direction == "neither":
        return _Null(), None
    if _learned(row, column):
        return _Null(), None
    values = means_over_seeds(seeds, column, len(behind.ids))
    if column.name in table.shared:
        values = np.where(table.shared[column.name].keep, values, np.nan)
    if np.isnan(values).all():
        return _Null(), None
    of_method = column.group in {"faithfulness", "consistency"}
    if column.name == _ACCURACY:
        return _commonest(behind, values), values
    return (_of_method if of_method else _drawn)(behind, row, column, seeds), values


def _learned(row: MetricRow, column: Column) -> str:
    """Of how often a model is right: whether that is on texts that it learned from; "" where it is not."""
    number, training = row.numbers.get(column.name), row.training
    if column.group != "quality" or number is None or number.value is None or training is None:
        return ""
    if not training["is_known"]:
        return unsaid("possibly on training texts")
    seen = training["seen"]
    if number.n is not None and 0 < seen < number.n:
        return unsaid("partly on training texts")
    return unsaid("on training texts") if seen else ""


def _commonest(behind: Behind, values: Floats) -> _Null:
    """Always saying the commonest label of the instances that are compared, the first of equals.

    Where all have one label, as in a group by label, that is right by construction, and no baseline.
    """
    labels = np.where(np.isnan(values), -1, behind.labels)
    counts = np.bincount(labels[labels >= 0], minlength=len(behind.label_names))
    if np.count_nonzero(counts) < 2:
        return _Null()
    commonest = int(counts.argmax())
    is_commonest = np.where(labels >= 0, (labels == commonest).astype(np.float64), np.nan)
    return _Null(is_commonest, behind.label_names[commonest])


def _drawn(behind: Behind, row: MetricRow, column: Column, seeds: Sequence[OfSeed]) -> _Null:
    """What needs no model; instances in which nothing can be chosen have none."""
    if row.kind == "hard":
        over_seeds = OverInstances(len(behind.ids))
        for seed in seeds:
            if column.name in seed.null:
                over_seeds.add(column.name, seed.places, seed.null[column.name])
        null = over_seeds.means().get(column.name)
    else:
        null = behind.random.get(column.name)
    return _Null(None if null is None else np.where(behind.has_choice, null, np.nan))


def _of_method(behind: Behind, row: MetricRow, column: Column, seeds: Sequence[OfSeed]) -> _Null:
    """The method `random` of the same model; gold's rationales are of their own size, so that k at random is no null of them."""
    if row.method == _GOLD:
        return _Null()
    runs = [of for (model, method, *_key), of in behind.rows.items() if (model, method) == (row.model, RANDOM)]
    measured = [
        seed
        for of in runs
        for seed in of
        if values_of(seed, column) is not None and have_same_thresholds(seed, seeds[0], column)
    ]
    return _Null(means_over_seeds(measured, column, len(behind.ids))) if measured else _Null(is_unmeasured=True)


def have_same_thresholds(first: OfSeed, other: OfSeed, column: Column) -> bool:
    """Whether two AOPCs are over the same thresholds."""
    side = next((side for side in ("comprehensiveness", "sufficiency") if f".{side}_aopc" in column.name), None)
    return side is None or first.drops.get(side, {}).keys() == other.drops.get(side, {}).keys()


def means_over_seeds(seeds: Sequence[OfSeed], column: Column, n: int) -> Floats:
    """float[n_gold]: each instance's mean over the seeds, NaN where none has a value.

    Of plausibility, a map that has all scores equal has none: its areas are defined, but it has said nothing of the text.
    """
    over_seeds = OverInstances(n)
    for seed in seeds:
        values = values_of(seed, column)
        if values is not None and column.group == "plausibility" and seed.is_flat is not None:
            values = np.where(seed.is_flat, np.nan, values)
        if values is not None:
            over_seeds.add(column.name, seed.places, values)
    return over_seeds.means().get(column.name, np.full(n, np.nan))


def n_without_choice(table: MetricTable) -> int:
    """How many instances are left out of verdicts on plausibility since every word of them is gold."""
    choice: Flags = np.ones(0, dtype=np.bool_) if table.behind is None else table.behind.has_choice
    return int((~choice).sum())


def best_rows(
    rows: Sequence[MetricRow], column: Column, verdicts: Sequence[Judged] = (), lacking: Sequence[bool] = ()
) -> set[int]:
    """The places of the rows with the best value of a column, in each of its scopes that has different values.

    None where no direction is better. Random takes no part; what is not better than chance, is over fewer than twenty instances,
    or was answered by a model that learned from it, is not marked. lacking: rows that lack instances which others have.
    """
    if column.definition.direction == "neither":
        return set()
    values = {
        index: number.value
        for index, row in enumerate(rows)
        if (number := row.numbers.get(column.name)) is not None
        and number.value is not None
        and not (lacking and lacking[index])
        and row.method != RANDOM
    }
    best = max if column.definition.direction == "higher is better" else min
    best_indices: set[int] = set()
    for scope in _scopes(rows, column, list(values)):
        if len({values[index] for index in scope}) < 2:
            continue
        may = [index for index in scope if _may_be_best(rows[index], column, verdicts[index] if verdicts else Judged())]
        best_indices |= {index for index in may if values[index] == best(values[other] for other in may)}
    return best_indices


def _scopes(rows: Sequence[MetricRow], column: Column, indices: Sequence[int]) -> list[list[int]]:
    scopes: dict[object, list[int]] = {}
    for index in indices:
        scopes.setdefault(rivals_of(rows[index], column), []).append(index)
    return list(scopes.values())


def _may_be_best(row: MetricRow, column: Column, judged: Judged) -> bool:
    number = row.numbers[column.name]
    if number.n is not None and number.n < FEWEST:
        return False
    return not _learned(row, column) and (judged.verdict is None or judged.verdict.word == "better")


# What methods say of their own scores, in words: the value, what it is, and what to do where it is not as it should be.


OF_LAYER = " of layer "  # between a fact's name and the layer's number, where there are several
_MOST_SHARE = 0.05  # of F(x) − F(baseline); where scores miss more of it, the integral was cut too coarsely
_LIMIT = f"{100 * _MOST_SHARE:.0f} %"
_SHARES = frozenset({"absorbed_share", "convergence_share", "special_share", "earlier_share", "prompt_share"})
_WORDS = {
    "r2": "fit (R²) of LIME's linear model to the predictions; 1 is best",
    "spread": "the standard deviation over the seeds, mean over the tokens, in the unit of the scores; lower is better",
    "convergence": "how far all scores together are from what they explain; 0 is best",
    "convergence_share": "how far all scores together are from F(x) − F(baseline), as a share of it",
    "absorbed_share": "the share of what is explained that biases, position embeddings and the softmax keep",
    "special_share": "the share of all |score| that lies on [CLS], [SEP] and their like, which belong to no word",
    "prompt_share": "the share of all |score|, of words, prompt, special and earlier pieces, that lies on the prompt around "
    "the text",
    "shared_tokens": "how many tokens of a text got a part of their score in equal shares with their neighbours, since the model "
    "was asked no further (--set evaluations=N)",
    "earlier_share": "the share of all |score|, of words, prompt, special and earlier pieces, that lies on pieces of the answer "
    "that were written before",
    "unseen_tokens": "how many tokens of a text the model did not see, because the text is too long for it",
}


def fact_summary(name: str, value: float) -> str:
    """A line for the mean of a fact; of one that is not known here only the value.

    >>> print(fact_summary("r2", 0.87))
    r2: 0.870 (mean over what was computed now): fit (R²) of LIME's linear model to the predictions; 1 is best.
    >>> print(fact_summary("depth", 3.0))
    depth: 3.00 (mean over what was computed now).
    """
    fact = name.partition(OF_LAYER)[0]
    shown = percent(value) if fact in _SHARES else written(value)
    words = f": {_WORDS[fact]}" if fact in _WORDS else ""
    return f"{name}: {shown} (mean over what was computed now){words}.{_verdict(fact, value)}"


def _verdict(name: str, value: float) -> str:
    if name != "convergence_share":
        return ""
    if value <= _MOST_SHARE:
        return f" Up to {_LIMIT} is close enough."
    return f" Above {_LIMIT}, take more steps (--steps) or another baseline (--baseline)."
