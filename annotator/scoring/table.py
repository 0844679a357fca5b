"""What `evaluate_project` answers as a table: a row a model, method and layer, a column a metric."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from annotator.metrics.against_sets import FERRET_K
from annotator.metrics.definitions import Definition
from annotator.metrics.ragged import Flags
from annotator.metrics.registry import all_definitions, definition_of
from annotator.scoring.instance_numbers import Behind, RowKey
from annotator.scoring.reports import GoldReport, MethodReport, ModelReport, NumberReport, ProjectReport, TrainingReport

Group = Literal["plausibility", "faithfulness", "consistency", "confidence", "quality"]
GROUPS: tuple[Group, ...] = ("plausibility", "faithfulness", "consistency", "confidence", "quality")

RANDOM = "random"
_PAIRS = {  # as evaluate_project names them: as the register does, and what the title says more
    "map": ("benchmark.map", ", top k"),
    "map_full_ranking": ("benchmark.map", ", full ranking"),
    "map_counting": ("benchmark.map_counting", ""),
    "map_aligned": ("benchmark.map_aligned", ""),
}
_ALIKE = 1e-9
_CONFIDENCE = ("perfect", "other", "difference", "ratio")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a row. value None: not defined; n, n_left_out None: it is no mean over instances.

    low, high: of a bootstrap interval; deviation: over n_seeds seeds
    """

    value: float | None
    n: int | None = None
    n_left_out: int | None = None
    low: float | None = None
    high: float | None = None
    deviation: float | None = None
    n_seeds: int | None = None

    @classmethod
    def of(cls, report: NumberReport) -> "Number":
        return cls(
            value=report.get("value"),
            n=report.get("n"),
            n_left_out=report.get("n_left_out"),
            low=report.get("low"),
            high=report.get("high"),
            deviation=report.get("deviation"),
            n_seeds=report.get("n_seeds"),
        )


@dataclass(frozen=True, slots=True)
class Column:
    """A metric: its name in this table, which is the register's wherever the register knows it."""

    name: str
    group: Group
    definition: Definition


@dataclass(frozen=True, slots=True, eq=False)
class SharedColumn:
    """The instances that all competing rows of a column have.

    keep:    bool[n_gold]; n: how many
    lacking: rows that lack more than a fifth of what others have, and what share; they do not compete
    """

    keep: Flags
    lacking: Mapping[RowKey, float] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return int(self.keep.sum())


@dataclass(frozen=True, slots=True)
class Points:
    """Mean drops of probability by threshold; None where a side has no such threshold."""

    thresholds: tuple[float, ...]
    comprehensiveness: tuple[float | None, ...]
    sufficiency: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class MetricRow:
    """The numbers of a model's method (at a layer, or of what it selects), or of the model's answers (method "").

    parameters: JSON; numbers: by column name; by_kind: MAPs by kind of perturbation, by_change: whether the answer changed
    counts: what was scored; of several seeds means, with their deviations in count_deviations
    training: what its model learned from, as `TrainingTexts.report`; None of a model from elsewhere
    """

    model: str
    method: str
    kind: str
    layer: int | None = None
    parameters: str = "{}"
    seeds: tuple[int | None, ...] = ()
    numbers: Mapping[str, Number] = field(default_factory=dict)
    by_kind: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    by_change: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    points: Points | None = None
    counts: Mapping[str, float] = field(default_factory=dict)
    count_deviations: Mapping[str, float | None] = field(default_factory=dict)
    training: TrainingReport | None = None

    @property
    def run(self) -> tuple[str, str, str]:
        """What rows of the same runs have in common: their faithfulness is one."""
        return self.model, self.method, self.parameters

    @property
    def key(self) -> RowKey:
        """What no other row has."""
        return *self.run, self.kind, self.layer


@dataclass(frozen=True, slots=True)
class MetricTable:
    """All rows, the columns that have a value somewhere, and what was asked.

    gold:   as evaluate_project describes it
    behind: the numbers of single instances, where they are kept
    release: of its gold, in words, as numbers cite it
    shared: by column, over which instances its rows are, where these are the same for all (shared_instances.py)
    """

    project: str
    gold_policy: str
    gamma: float
    gold: GoldReport
    splits: Mapping[str, int]
    criteria: Mapping[str, int]
    split: str | None
    criterion: str | None
    columns: tuple[Column, ...]
    rows: tuple[MetricRow, ...]
    random: MetricRow
    by: str = ""
    group: str | None = None
    groups: Mapping[str, int] = field(default_factory=dict)
    behind: Behind | None = None
    shared: Mapping[str, SharedColumn] = field(default_factory=dict)
    release: str | None = None
    ferret_k: int = FERRET_K

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def metric_table(numbers: ProjectReport, behind: Behind | None = None) -> MetricTable:
    """The answer of evaluate_project as a table; a model's quality stands in each of its rows."""
    rows = tuple(row for of_model in numbers["models"] for row in _rows_of_model(of_model))
    random = MetricRow(RANDOM, "", "", numbers={name: Number.of(report) for name, report in numbers["random"].items()})
    return MetricTable(
        numbers["project"], numbers["gold_policy"], numbers["gamma"], numbers["gold"], numbers["splits"],
        numbers["criteria"], numbers["split"], numbers["criterion"],
        tuple(_columns(numbers["models"])), rows, random, numbers["by"], numbers["group"], numbers["groups"], behind,
        release=numbers["release"], ferret_k=numbers["ferret_k"],
    )  # fmt: skip


def _rows_of_model(of_model: ModelReport) -> Iterator[MetricRow]:
    quality = {name: Number.of(report) for name, report in of_model["quality"].items()}
    if not of_model["methods"]:
        yield MetricRow(
            of_model["model"],
            "",
            "answers",
            None,
            "{}",
            tuple(of_model["seeds"]),
            quality,
            counts=of_model["counts"],
            count_deviations=of_model.get("count_deviations", {}),
            training=of_model.get("training"),
        )
    for report in of_model["methods"]:
        consistency = report.get("consistency", {})
        yield MetricRow(
            of_model["model"], report["method"], report["kind"], report["layer"],
            json.dumps(report["parameters"], sort_keys=True, ensure_ascii=False), tuple(report["seeds"]),
            {name: number for _, name, number in _numbers_of(report)} | quality,
            *consistency_maps(consistency),
            _points(report["aopc_points"]), report["counts"], report.get("count_deviations", {}), of_model.get("training"),
        )  # fmt: skip


def consistency_maps(
    report: Mapping[str, Any],
) -> tuple[Mapping[str, Mapping[str, Number]], Mapping[str, Mapping[str, Number]]]:
    """MAPs by kind of perturbation, and by whether the answer changed, of what PairsOverSeeds tells."""
    by_change = report.get("by_change", {})
    changes = ("same", "changed") if report else ()
    return (
        {kind: _maps(of_kind) for kind, of_kind in report.get("by_kind", {}).items()},
        {change: _maps({name: both[change] for name, both in by_change.items()}) for change in changes},
    )


def _numbers_of(report: MethodReport) -> Iterator[tuple[Group, str, Number]]:
    """Of a method's row: (group, column, number)."""
    for name, given in report["plausibility"].items():
        yield "plausibility", name, Number.of(given)
    for name, given in report["faithfulness"].items():
        yield "faithfulness", name, Number.of(given)
    for name, number in _maps(report.get("consistency", {})).items():
        yield "consistency", name, number
    for name, number in confidence_numbers(report.get("confidence", {})).items():
        yield "confidence", name, number


def confidence_numbers(report: Mapping[str, Any]) -> dict[str, Number]:
    """By column, of what ConfidenceOverSeeds tells; {} of nothing."""
    deviations, n_seeds = report.get("deviations", {}), report.get("n_seeds")
    return {
        f"confidence.{name}": Number(
            report[name], report.get(f"n_{name}"), deviation=deviations.get(name), n_seeds=n_seeds
        )
        for name in (_CONFIDENCE if report else ())
    }


def _maps(report: Mapping[str, Any]) -> dict[str, Number]:
    return {f"benchmark.{name}": Number.of(report[name]) for name in _PAIRS if name in report}


def _points(report: Mapping[str, Any]) -> Points | None:
    if not report:
        return None
    return Points(tuple(report["thresholds"]), tuple(report["comprehensiveness"]), tuple(report["sufficiency"]))


def _columns(models: Sequence[ModelReport]) -> Iterator[Column]:
    """Those that have a value in some row, by group and in the order in which they are computed."""
    names_by_group: dict[Group, dict[str, None]] = {group: {} for group in GROUPS}
    for of_model in models:
        for report in of_model["methods"]:
            for group, name, _ in _numbers_of(report):
                names_by_group[group][name] = None
        names_by_group["quality"] |= dict.fromkeys(of_model["quality"])
    for group, names in names_by_group.items():
        for name in names:
            yield Column(name, group, definition_in_table(name))


def all_table_definitions() -> list[Definition]:
    """What the register has, and what columns of the table say more."""
    return [*all_definitions(), *(definition_in_table(f"benchmark.{measure}") for measure in _PAIRS)]


def definition_in_table(name: str) -> Definition:
    """The definition of a column; raises NotFound for a name that no table has."""
    family, _, measure = name.partition(".")
    registered, more = _PAIRS.get(measure, (name, "")) if family == "benchmark" else (name, "")
    known = definition_of(registered)
    if not more:
        return known
    return Definition(
        name, known.title + more, known.definition, known.direction, known.lowest, known.highest, known.undefined,
        known.source,
    )  # fmt: skip


Scope = Literal["models", "model", "method"]
_OWN_SCALE = ("faithfulness", "confidence")  # groups whose numbers are on the scale of their model's probabilities
_NORMALISED = "naopc."


def scope_of(column: Column) -> Scope:
    """Which rows are ranked against each other: those of all models, of each model by itself, or of each method by itself.

    Drops of probability and confidence are on the scale of a model's own probabilities, unless they are normalised by what the
    model can drop at all; ER-TEST's losses are on that of a method's.
    """
    if column.group in _OWN_SCALE and not column.name.startswith(_NORMALISED):
        return "model"
    return "method" if column.name.startswith("er_test.") else "models"


def rivals_of(row: MetricRow, column: Column) -> tuple[str, ...]:
    """What the rows have in common that a row is ranked against in a column."""
    match scope_of(column):
        case "models":
            return ()
        case "model":
            return (row.model,)
        case "method":
            return row.method, row.parameters


def sorted_rows(rows: Sequence[MetricRow], column: Column) -> list[MetricRow]:
    """The best first, of those that are ranked against each other, which stay together; rows without a value last."""
    sign = 1 if column.definition.direction == "lower is better" else -1
    rivals = {key: number for number, key in enumerate(dict.fromkeys(rivals_of(row, column) for row in rows))}

    def order(row: MetricRow) -> tuple[bool, int, float]:
        number = row.numbers.get(column.name)
        value = None if number is None else number.value
        return value is None, rivals[rivals_of(row, column)], 0.0 if value is None else sign * value

    return sorted(rows, key=order)


def without_repeats(rows: Sequence[MetricRow]) -> tuple[list[MetricRow], frozenset[RowKey]]:
    """The rows, without those of what is selected (hard) that repeat the scores of the same runs; and which have taken one in.

    So it is where what was selected is the top k of the scores, as runs with faithfulness store it: every mean over instances
    that both have is the same. What only the selection has (ERASER's spans) then stands in the row of the scores.
    """
    scored: dict[tuple[str, str, str], list[MetricRow]] = {}
    for row in rows:
        if row.kind == "attribution":
            scored.setdefault(row.run, []).append(row)
    pairs = [(of_run[0], row) for row in rows if row.kind == "hard" and len(of_run := scored.get(row.run, [])) == 1]
    taken = {of.key: row for of, row in pairs if _repeats(of, row)}
    left_out = {row.key for row in taken.values()}
    merged = [
        replace(row, numbers={**taken[row.key].numbers, **row.numbers}) if row.key in taken else row
        for row in rows
        if row.key not in left_out
    ]
    return merged, frozenset(taken)


def _repeats(scores: MetricRow, selected: MetricRow) -> bool:
    shared = scores.numbers.keys() & selected.numbers.keys()
    unshared = selected.numbers.keys() - shared
    return (
        bool(shared)
        and all(_are_alike(scores.numbers[name], selected.numbers[name]) for name in shared)
        and all(selected.numbers[name].n is None for name in unshared)
    )


def _are_alike(first: Number, other: Number) -> bool:
    if first.value is None or other.value is None:
        return first.value is other.value
    return first.n == other.n and abs(first.value - other.value) < _ALIKE


def best_layers(rows: Sequence[MetricRow], column: Column) -> list[MetricRow]:
    """Of the layers of a run only the one with the best value, the first of equals; other rows stay. In the order of rows."""
    layers: dict[tuple[str, str, str], list[MetricRow]] = {}
    for row in rows:
        if row.layer is not None:
            layers.setdefault(row.run, []).append(row)
    best = {run: sorted_rows(of_run, column)[0] for run, of_run in layers.items()}
    return [row for row in rows if row.layer is None or best[row.run] is row]
