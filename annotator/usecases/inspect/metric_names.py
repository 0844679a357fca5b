"""How rows and columns of the table of metrics are named, and which columns are shown before anybody chose."""

import json
from collections.abc import Mapping, Sequence

from annotator.language import _, listed, several, together, unsaid
from annotator.metrics.definitions import Definition, Direction
from annotator.scoring.table import RANDOM, Column, Group, MetricRow, MetricTable
from annotator.usecases.inspect.training_texts import words_of
from annotator.usecases.models.parameter_words import parameter_words

ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}
_FAMILIES = {
    "sets": unsaid("set by set"),
    "benchmark": unsaid("benchmark"),
    "editing": unsaid("sentence editing"),
    "eraser": "ERASER",
    "er_test": "ER-TEST",
    "method": unsaid("rationale as input"),
    "confidence": unsaid("sentence editing"),
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
_KINDS = {"hard": unsaid("selected tokens"), "ranked": unsaid("ranking")}
_GROUPS: Mapping[Group, str] = {
    "plausibility": unsaid("plausibility"),
    "faithfulness": unsaid("faithfulness"),
    "consistency": unsaid("consistency"),
    "confidence": unsaid("confidence"),
    "quality": unsaid("quality"),
}
_WAYS: Mapping[Direction, str] = {
    "higher is better": unsaid("Higher is better."),
    "lower is better": unsaid("Lower is better."),
    "neither": "",
}
Parameters = Mapping[str, object]  # of a method, from JSON


def title_of(row: MetricRow) -> str:
    """A row in a few words: its model and method, the layer, and whether it is of what was selected or ranked."""
    is_chance = row.model == RANDOM and not row.method
    parts = [_("random")] if is_chance else [row.model, row.method or _("its answers")]
    parts += [] if row.layer is None else [_("layer {layer}", layer=row.layer)]
    parts += [_(_KINDS[row.kind])] if row.kind in _KINDS else []
    return " · ".join(part for part in parts if part)


def details_of(rows: Sequence[MetricRow]) -> list[str]:
    """What each row's runs were made with, less what all rows of its method have in common; and its seeds."""
    common = _common(rows)
    return [
        listed([*_summary(_parameters(row), less=common.get(row.method, {})), *_seeds(row)])
        for row in rows
    ]  # fmt: skip


def parameters_in_common(rows: Sequence[MetricRow]) -> str:
    """What all rows of a method were made with, method by method; "" where there is nothing to say."""
    return _("; ").join(
        _("{method}: {parameters}", method=method, parameters=listed(_summary(same)))
        for method, same in _common(rows).items()
        if same
    )


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
    return [parameter_words(name, value) for name, value in parameters.items() if name not in (less or {})]


def _seeds(row: MetricRow) -> list[str]:
    seeds = [seed for seed in row.seeds if seed is not None]
    if len(seeds) > 1:
        return [several("mean of {n} seed", "mean of {n} seeds", len(seeds))]
    return [_("seed {seed}", seed=seed) for seed in seeds]


def criterion_in_words(criterion: str) -> str:
    """The rule by which an edit became its rationale, or that it is not told."""
    return criterion or _("not told")


def family_of(column: Column) -> str:
    """Whose metric it is."""
    family = column.name.partition(".")[0]
    return _(_FAMILIES.get(family, family))


def group_of(column: Column) -> str:
    """Under which heading a column stands."""
    return _(_GROUPS[column.group])


def title_in_words(definition: Definition) -> str:
    """The title of a metric; names of the papers stay as they are."""
    return _(definition.title)


def plain_words_of(definition: Definition) -> str:
    """What a metric tells newcomers, and which way is better; "" of one that no table of a project has."""
    plain = definition.in_plain_words
    return "" if plain is None else together(_(plain), way_of(definition))


def named(column: Column) -> str:
    """A column where it stands outside of the table."""
    arrow = ARROWS[column.definition.direction]
    name = _("{metric} ({family})", metric=title_in_words(column.definition), family=family_of(column))
    return f"{name} {arrow}" if arrow else name


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
    return _(_WAYS[definition.direction])


def meaning_of(column: Column) -> str:
    """What a column tells, on its head."""
    return plain_words_of(column.definition) or together(_(column.definition.definition), way_of(column.definition))


def sentence_of(definition: Definition) -> str:
    """A definition with its bounds, and what happens where it is not defined."""
    lowest, highest = ("–" if bound is None else f"{bound:g}" for bound in (definition.lowest, definition.highest))
    formula, undefined = _(definition.definition), _(definition.undefined)
    if definition.lowest is definition.highest is None:
        return _("Definition: {definition}. Not defined: {undefined}.", definition=formula, undefined=undefined)
    return _(
        "Definition: {definition}, from {lowest} to {highest}. Not defined: {undefined}.",
        definition=formula, lowest=lowest, highest=highest, undefined=undefined,
    )  # fmt: skip
