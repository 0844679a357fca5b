"""What `evaluate_project` answers as a table: a row a model, method and layer, a column a metric."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotator.metrics.registry import Definition, definition_of

Group = Literal["plausibility", "faithfulness", "consistency", "confidence", "quality"]
GROUPS: tuple[Group, ...] = ("plausibility", "faithfulness", "consistency", "confidence", "quality")

RANDOM = "random"
_PAIRS = {  # as evaluate_project names them: as the register does, and what the title says more
    "map": ("benchmark.map", ", top k"),
    "map_full_ranking": ("benchmark.map", ", full ranking"),
    "map_counting": ("benchmark.map_counting", ""),
    "map_aligned": ("benchmark.map_aligned", ""),
}
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
    def of(cls, told: Mapping[str, Any]) -> "Number":
        return cls(**{name: told.get(name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class Column:
    """A metric: its name in this table, which is the register's wherever the register knows it."""

    name: str
    group: Group
    definition: Definition


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

    @property
    def run(self) -> tuple[str, str, str]:
        """What rows of the same runs have in common: their faithfulness is one."""
        return self.model, self.method, self.parameters


@dataclass(frozen=True, slots=True)
class MetricTable:
    """All rows, the columns that have a value somewhere, and what was asked. gold: as evaluate_project describes it."""

    project: str
    gold_policy: str
    gamma: float
    gold: Mapping[str, Any]
    splits: Mapping[str, int]
    columns: tuple[Column, ...]
    rows: tuple[MetricRow, ...]
    random: MetricRow

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def metric_table(numbers: Mapping[str, Any]) -> MetricTable:
    """The answer of evaluate_project as a table; a model's quality stands in each of its rows."""
    rows = tuple(row for of_model in numbers["models"] for row in _rows_of_model(of_model))
    random = MetricRow(RANDOM, "", "", numbers={name: Number.of(told) for name, told in numbers["random"].items()})
    return MetricTable(
        numbers["project"], numbers["gold_policy"], numbers["gamma"], numbers["gold"], numbers["splits"],
        tuple(_columns(numbers["models"])), rows, random,
    )  # fmt: skip


def _rows_of_model(of_model: Mapping[str, Any]) -> Iterator[MetricRow]:
    quality = {name: Number.of(told) for name, told in of_model["quality"].items()}
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
        )
    for told in of_model["methods"]:
        consistency = told.get("consistency", {})
        yield MetricRow(
            of_model["model"], told["method"], told["kind"], told["layer"],
            json.dumps(told["parameters"], sort_keys=True, ensure_ascii=False), tuple(told["seeds"]),
            {name: number for _, name, number in _numbers_of(told)} | quality,
            {kind: _maps(of_kind) for kind, of_kind in consistency.get("by_kind", {}).items()},
            {change: _maps({name: both[change] for name, both in consistency["by_change"].items()})
             for change in ("same", "changed") if consistency},
            _points(told["aopc_points"]), told["counts"], told.get("count_deviations", {}),
        )  # fmt: skip


def _numbers_of(told: Mapping[str, Any]) -> Iterator[tuple[Group, str, Number]]:
    """Of a method's row: (group, column, number)."""
    groups: tuple[Group, Group] = ("plausibility", "faithfulness")
    for group in groups:
        for name, number in told.get(group, {}).items():
            yield group, name, Number.of(number)
    for name, number in _maps(told.get("consistency", {})).items():
        yield "consistency", name, number
    confidence = told.get("confidence") or {}
    deviations, n_seeds = confidence.get("deviations", {}), confidence.get("n_seeds")
    for name in _CONFIDENCE if confidence else ():
        n = confidence.get(f"n_{name}")
        yield (
            "confidence",
            f"confidence.{name}",
            Number(confidence[name], n, None, None, None, deviations.get(name), n_seeds),
        )


def _maps(told: Mapping[str, Any]) -> dict[str, Number]:
    return {f"benchmark.{name}": Number.of(told[name]) for name in _PAIRS if name in told}


def _points(told: Mapping[str, Any]) -> Points | None:
    if not told:
        return None
    return Points(tuple(told["thresholds"]), tuple(told["comprehensiveness"]), tuple(told["sufficiency"]))


def _columns(models: Sequence[Mapping[str, Any]]) -> Iterator[Column]:
    """Those that have a value in some row, by group and in the order in which they are computed."""
    found: dict[Group, dict[str, None]] = {group: {} for group in GROUPS}
    for of_model in models:
        for told in of_model["methods"]:
            for group, name, _ in _numbers_of(told):
                found[group][name] = None
        found["quality"] |= dict.fromkeys(of_model["quality"])
    for group, names in found.items():
        for name in names:
            yield Column(name, group, definition_in_table(name))


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


def best_rows(rows: Sequence[MetricRow], column: Column) -> set[int]:
    """The places of the rows with the best value of a column; none where no direction is better, or all values are equal."""
    values = {
        place: number.value
        for place, row in enumerate(rows)
        if (number := row.numbers.get(column.name)) is not None and number.value is not None
    }
    if len(set(values.values())) < 2 or column.definition.direction == "neither":
        return set()
    best = (max if column.definition.direction == "higher is better" else min)(values.values())
    return {place for place, value in values.items() if value == best}


def sorted_rows(rows: Sequence[MetricRow], column: Column) -> list[MetricRow]:
    """The best first; rows without a value last."""
    sign = 1 if column.definition.direction == "lower is better" else -1

    def place(row: MetricRow) -> tuple[bool, float]:
        number = row.numbers.get(column.name)
        value = None if number is None else number.value
        return (True, 0.0) if value is None else (False, sign * value)

    return sorted(rows, key=place)


def best_layers(rows: Sequence[MetricRow], column: Column) -> list[MetricRow]:
    """Of the layers of a run only the one with the best value, the first of equals; other rows stay. In the order of rows."""
    layers: dict[tuple[str, str, str], list[MetricRow]] = {}
    for row in rows:
        if row.layer is not None:
            layers.setdefault(row.run, []).append(row)
    kept = {run: sorted_rows(of_run, column)[0] for run, of_run in layers.items()}
    return [row for row in rows if row.layer is None or kept[row.run] is row]
