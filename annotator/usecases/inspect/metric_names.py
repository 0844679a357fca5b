"""How rows and columns of the table of metrics are named, and which columns are shown before anybody chose."""

import json
from collections.abc import Mapping, Sequence

from annotator.domain.numbers import counted
from annotator.metrics.definitions import Definition
from annotator.scoring.table import RANDOM, Column, MetricRow, MetricTable
from annotator.usecases.inspect.training_texts import words_of

ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}
_FAMILIES = {
    "sets": "set by set",
    "benchmark": "benchmark",
    "editing": "sentence editing",
    "eraser": "ERASER",
    "er_test": "ER-TEST",
    "method": "rationale as input",
    "confidence": "sentence editing",
}
# What is shown before anybody chose: the first of each line that the project has, then spare ones until there are six.
_FIRST: tuple[tuple[str, ...], ...] = (
    ("sets.best_f1",),
    ("eraser.average_precision", "eraser.token_f1_macro"),
    ("method.comprehensiveness", "eraser.comprehensiveness_aopc", "benchmark.new_p"),
    ("method.sufficiency", "eraser.sufficiency_aopc"),
    ("benchmark.map",),
    ("eraser.accuracy", "benchmark.answer_f1_english", "benchmark.answer_f1_chinese"),
)
_SPARE = (
    "editing.mrr", "editing.need_edit_f1", "benchmark.iou_f1_paper", "sets.whole_set", "eraser.comprehensiveness_aopc",
    "eraser.macro_f1",
)  # fmt: skip
_N_FIRST = 6
_KINDS = {"hard": "selected tokens", "ranked": "ranking"}
Parameters = Mapping[str, object]  # of a method, from JSON


def title_of(row: MetricRow) -> str:
    """A row in a few words: its model and method, the layer, and whether it is of what was selected or ranked."""
    parts = [row.model, row.method or ("" if row.model == RANDOM else "its answers")]
    parts += [] if row.layer is None else [f"layer {row.layer}"]
    parts += [_KINDS[row.kind]] if row.kind in _KINDS else []
    return " · ".join(part for part in parts if part)


def details_of(rows: Sequence[MetricRow]) -> list[str]:
    """What each row's runs were made with, less what all rows of its method have in common; and its seeds."""
    common = _common(rows)
    return [
        ", ".join([*_summary(_parameters(row), less=common.get(row.method, {})), *_seeds(row)])
        for row in rows
    ]  # fmt: skip


def parameters_in_common(rows: Sequence[MetricRow]) -> str:
    """What all rows of a method were made with, method by method; "" where there is nothing to say."""
    return "; ".join(f"{method}: {', '.join(_summary(same))}" for method, same in _common(rows).items() if same)


def training_in_common(rows: Sequence[MetricRow]) -> bool:
    """Whether the same is to be said of the training of each row's model, so that it need not stand in each row."""
    return len({words_of(row.training) for row in rows}) == 1


def names_of(rows: Sequence[MetricRow]) -> list[str]:
    """The rows by name, each another one: what they were made with is told where the rest is the same."""
    titles, details = [title_of(row) for row in rows], details_of(rows)
    return [
        f"{title} ({detail})" if titles.count(title) > 1 and detail else title
        for title, detail in zip(titles, details, strict=True)
    ]


def _parameters(row: MetricRow) -> Parameters:
    return dict(json.loads(row.parameters))


def _common(rows: Sequence[MetricRow]) -> dict[str, Parameters]:
    """By method, the parameters that have one value in all of its rows."""
    by_method: dict[str, list[Parameters]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(_parameters(row))
    return {
        method: {
            name: value
            for name, value in of[0].items()
            if all(name in parameters and parameters[name] == value for parameters in of)
        }
        for method, of in by_method.items()
    }


def _summary(parameters: Parameters, less: Parameters | None = None) -> list[str]:
    return [
        f"{name.replace('_', ' ')} {_value(value)}" for name, value in parameters.items() if name not in (less or {})
    ]


def _value(value: object) -> str:
    """A parameter's value, from JSON, as people write it.

    >>> [_value(value) for value in (None, True, 500, 0.001, "all", [1, "b"])]
    ['not set', 'yes', '500', '0.001', 'all', '1, b']
    """
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def _seeds(row: MetricRow) -> list[str]:
    seeds = [seed for seed in row.seeds if seed is not None]
    return [f"mean of {counted(len(seeds), 'seed')}"] if len(seeds) > 1 else [f"seed {seed}" for seed in seeds]


def criterion_in_words(criterion: str) -> str:
    """The rule by which an edit became its rationale, or that it is not told."""
    return criterion or "not told"


def family_of(column: Column) -> str:
    """Whose metric it is."""
    family = column.name.partition(".")[0]
    return _FAMILIES.get(family, family)


def named(column: Column) -> str:
    """A column where it stands outside of the table."""
    arrow = ARROWS[column.definition.direction]
    return f"{column.definition.title} ({family_of(column)}){f' {arrow}' if arrow else ''}"


def first_columns(table: MetricTable) -> list[str]:
    """The names of the columns that are shown before anybody chose."""
    names = [column.name for column in table.columns]
    chosen = [
        name
        for line in _FIRST
        if (name := next((candidate for candidate in line if candidate in names), None)) is not None
    ]
    spare = [name for name in (*_SPARE, *names) if name in names and name not in chosen]
    shown = {*chosen, *spare[: max(0, _N_FIRST - len(chosen))]}
    return [name for name in names if name in shown]


def way_of(definition: Definition) -> str:
    """Which way is better, as a sentence."""
    return "" if definition.direction == "neither" else f"{definition.direction.capitalize()}."


def meaning_of(column: Column) -> str:
    """What a column tells, on its head."""
    return f"{column.definition.in_plain_words or column.definition.definition} {way_of(column.definition)}".strip()


def sentence_of(definition: Definition) -> str:
    """A definition with its bounds, and what happens where it is not defined."""
    lowest, highest = ("–" if bound is None else f"{bound:g}" for bound in (definition.lowest, definition.highest))
    bounds = "" if definition.lowest is definition.highest is None else f", from {lowest} to {highest}"
    return f"Definition: {definition.definition}{bounds}. Not defined: {definition.undefined}."
