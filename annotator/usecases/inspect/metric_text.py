"""The table of metrics as text for a terminal: the numbers with their verdicts, and below them what one has to know of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import UNDEFINED, counted, written
from annotator.figures.html_table import BEST
from annotator.figures.text_tables import TextCell, TextHead, TextLine, metric_table_text
from annotator.metrics.significance import FEWEST, RANDOM, Word
from annotator.scoring.chance_verdicts import Judged, judged, n_without_choice
from annotator.scoring.shared_instances import are_different
from annotator.scoring.table import Column, Number
from annotator.usecases.inspect.flat_maps import flat_map_lines
from annotator.usecases.inspect.metric_names import ARROWS, family_of, names_of
from annotator.usecases.inspect.metric_view import MetricView, best_of, gold_summary
from annotator.usecases.inspect.missing_verdicts import unmeasured
from annotator.usecases.inspect.row_sizes import RowSizes
from annotator.usecases.inspect.training_texts import trust_lines

_SIGNS: Mapping[Word, str] = {"better": "▲", "not told": "≈", "not better": "▼", "too few": "?"}
_LEARNED = "†"
_MEANINGS: Mapping[str, str] = {
    BEST: "the best of its column, among rows that are over the same instances and better than random",
    "▲": "better than random",
    "≈": "no clear difference from random",
    "▼": "not better than random: it is worse",
    "?": f"fewer than {FEWEST} instances: too few to say whether it is better than random",
    _LEARNED: "all or partly on texts that the model learned from, or perhaps did: nothing is said of chance",
    "±": "the standard deviation over seeds",
    "[": "…, …] the 95 % bootstrap interval",
    UNDEFINED: "not defined, or not in this run",
}


def table_text(view: MetricView) -> str:
    """What is shown of the table, and random below it; the notes tell signs, instances, training, and what is missing."""
    columns = [_JudgedColumn.of(view, column) for column in view.columns]
    sizes = RowSizes.of(view.rows, view.columns)
    names = names_of(view.rows)
    has_n = sizes.by_column is None
    lines = [
        TextLine(
            name, [*([TextCell(sizes.beside(at))] if has_n else []), *(_cell(view, of, at, sizes) for of in columns)]
        )
        for at, name in enumerate(names)
    ]
    random = view.table.random
    if any(column.name in random.numbers for column in view.columns):
        cells = [_below(_plain(random.numbers.get(column.name))) for column in view.columns]
        lines.append(TextLine("random, mean of ten seeds", [*([TextCell("")] * has_n), *cells], is_baseline=True))
    heads = [*([TextHead("", "n")] * has_n), *(_head(view, column, sizes) for column in view.columns)]
    return metric_table_text(
        heads,
        lines,
        corner="Model · method",
        caption=f"{view.table.project}: {gold_summary(view.table)}",
        notes=[*_signs(lines), *_notes(view, columns, names)],
    )


@dataclass(frozen=True, slots=True)
class _JudgedColumn:
    column: Column
    verdicts: Sequence[Judged]
    best: set[int]

    @staticmethod
    def of(view: MetricView, column: Column) -> "_JudgedColumn":
        verdicts = judged(view.table, view.rows, column)
        return _JudgedColumn(column, verdicts, best_of(view.table, view.rows, column, verdicts))


def _head(view: MetricView, column: Column, sizes: RowSizes) -> TextHead:
    titles = [other.definition.title for other in view.columns]
    family = f" ({family_of(column)})" if titles.count(column.definition.title) > 1 else ""
    n = None if sizes.by_column is None else sizes.by_column.get(column.name)
    details = [ARROWS[column.definition.direction], "" if n is None else f"n {n:,}"]
    return TextHead(column.group, f"{column.definition.title}{family}", " ".join(filter(None, details)))


def _cell(view: MetricView, of: _JudgedColumn, at: int, sizes: RowSizes) -> TextCell:
    number = view.rows[at].numbers.get(of.column.name)
    if number is None:
        return TextCell(UNDEFINED)
    verdict = of.verdicts[at].verdict
    signs = ("" if verdict is None else _SIGNS[verdict.word]) + (BEST if at in of.best else "")
    signs += _LEARNED if of.verdicts[at].learned else ""
    cell = _plain(number)
    n = sizes.differing(at, number)
    return TextCell(cell.value, cell.deviation, signs, (*cell.notes, *([] if n is None else [f"n {n:,}"])))


def _plain(number: Number | None) -> TextCell:
    if number is None:
        return TextCell(UNDEFINED)
    deviation = "" if number.deviation is None else written(number.deviation, small=1)
    has_interval = number.low is not None and number.high is not None
    return TextCell(
        written(number.value),
        deviation,
        "",
        (f"[{written(number.low)}, {written(number.high)}]",) if has_interval else (),
    )


def _below(cell: TextCell) -> TextCell:
    """With the deviation below the number, so that it takes no width from all rows above."""
    return TextCell(cell.value, "", "", (*([f"± {cell.deviation}"] if cell.deviation else []), *cell.notes))


def _signs(lines: Sequence[TextLine]) -> Iterator[str]:
    """What the signs that are used mean."""
    cells = [cell for line in lines for cell in line.cells]
    used = {sign for cell in cells for sign in cell.signs}
    used |= {note[0] for cell in cells for note in cell.notes} | {"±" for cell in cells if cell.deviation}
    used |= {UNDEFINED for cell in cells if cell.value == UNDEFINED}
    meanings = [f"{sign} {meaning}".replace("[ ", "[") for sign, meaning in _MEANINGS.items() if sign in used]
    if meanings:
        yield "; ".join([*meanings, "↑ higher is better, ↓ lower is better"]) + "."


def _notes(view: MetricView, columns: Sequence[_JudgedColumn], names: Sequence[str]) -> Iterator[str]:
    yield from _of_nulls(columns)
    yield from _of_instances(view)
    yield from _of_left_out(view)
    yield from trust_lines(view.rows, says_training=True)
    yield from flat_map_lines(view.rows)
    lacking = dict.fromkeys(
        names[at]
        for shared in view.table.shared.values()
        for at, row in enumerate(view.rows)
        if row.key in shared.lacking
    )
    if lacking:
        yield f"Not compared, since they lack more than a fifth of the instances of the others: {', '.join(lacking)}."
    n_all_gold = n_without_choice(view.table)
    if n_all_gold:
        left_out = counted(n_all_gold, "instance is", "instances are")
        yield f"{left_out} left out of verdicts on plausibility: every token is gold there."
    yield from _of_unmeasured(view, columns)


def _of_unmeasured(view: MetricView, columns: Sequence[_JudgedColumn]) -> Iterator[str]:
    """Verdicts that are missing, and how they are had."""
    judged_columns = [(of.column, of.verdicts) for of in columns]
    for titles, models in unmeasured(judged_columns, view.rows, range(len(view.rows))):
        yield (
            f"There is no verdict on {', '.join(titles)} of {', '.join(models)}, since random attributions of the same model "
            "were not measured: compute them with 'annotator attribute --method random --faithfulness'."
        )


def _of_nulls(columns: Sequence[_JudgedColumn]) -> Iterator[str]:
    """Of columns that are held against something else than random."""
    for of in columns:
        nulls = dict.fromkeys(judged.null for judged in of.verdicts if judged.verdict is not None)
        if nulls and RANDOM not in nulls:
            yield f"The verdict on {of.column.definition.title} is beside {', '.join(nulls)}."


def _of_instances(view: MetricView) -> Iterator[str]:
    if view.table.shared:
        yield "Each column is over the instances that all of its rows have; with --own-instances each row is over its own."
    elif any(are_different(view.table, view.rows, column) for column in view.columns):
        yield "The rows are over different instances, so that none is marked as the best."


def _of_left_out(view: MetricView) -> Iterator[str]:
    """For how many instances of the rows a metric is not defined."""
    parts = []
    for column in view.columns:
        numbers = [row.numbers[column.name] for row in view.rows if column.name in row.numbers]
        counts = sorted({number.n_left_out for number in numbers if number.n_left_out})
        if counts:
            least = "up to " if len(counts) > 1 or any(not number.n_left_out for number in numbers) else ""
            parts.append(f"{column.definition.title} {least}{counts[-1]:,}")
    if parts:
        yield f"Instances for which the metric is not defined are left out of a row: {'; '.join(parts)}."
