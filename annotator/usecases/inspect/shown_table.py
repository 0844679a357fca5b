"""The table of metrics as people read it, on the page and in a report: heads, cells and what stands below them, verdicts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from annotator.domain.numbers import UNDEFINED, by_key, percent, written
from annotator.figures.html_table import Cell, Head, Line
from annotator.language import _, listed, several, together, unsaid
from annotator.metrics.significance import Verdict, word_in_words
from annotator.scoring.chance_verdicts import Judged, judged
from annotator.scoring.instance_numbers import RowKey
from annotator.scoring.row_differences import ComparedRow, against
from annotator.scoring.shared_instances import are_comparable
from annotator.scoring.table import Column, MetricRow, MetricTable, Number, Scope, scope_of
from annotator.usecases.inspect import metrics_table
from annotator.usecases.inspect.training_texts import trust_lines, words_of

LEGEND = unsaid(
    "▲ better than baseline (random; accuracy: majority label, if several) · ≈ no clear difference · ▼ worse · "
    "? too few instances · † training texts · ★ best (faithfulness: per model; only normalised AOPC compares models). "
    "Uncorrected for multiple comparisons. Hover for n, interval."
)
_NOTHING = Judged()
_BEST_FIRST: Mapping[Scope, str] = {
    "models": unsaid("best first"),
    "model": unsaid("best first in each model"),
    "method": unsaid("best first in each method"),
}


@dataclass(frozen=True, slots=True)
class TableView:
    """What is shown of a table.

    differs:   by column, whether its rows are over different instances; is_shared: its numbers are over those that all have
    merged:    rows that stand for what is selected as well; order: the column by which rows are sorted, None for none
    """

    table: MetricTable
    rows: Sequence[MetricRow]
    columns: Sequence[Column]
    differs: Mapping[str, bool]
    is_shared: bool
    merged: frozenset[RowKey] = frozenset()
    order: Column | None = None


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """A column of the rows shown, with a verdict and a cell for each."""

    column: Column
    verdicts: Sequence[Judged]
    cells: Sequence[Cell]

    def cell(self, row_index: int) -> Cell:
        return self.cells[row_index]


def judged_column(view: TableView, column: Column, verdicts: Sequence[Judged] | None = None) -> JudgedColumn:
    """The cells of a column. verdicts: on each row, where they are known already."""
    verdicts = judged(view.table, view.rows, column) if verdicts is None else verdicts
    shared = view.table.shared.get(column.name)
    lacking = [0.0 if shared is None else shared.lacking.get(row.key, 0.0) for row in view.rows]
    best = metrics_table.best_of(view.table, view.rows, column, verdicts)
    n_in_head = _n_in_head(view, column)
    cells = [
        _cell(row.numbers.get(column.name), n in best, verdicts[n], lacking[n], n_in_head)
        for n, row in enumerate(view.rows)
    ]
    return JudgedColumn(column, verdicts, cells)


def head_of(column: Column, view: TableView) -> Head:
    """The head of a column, with over how many instances it is."""
    definition = column.definition
    sizes = size_words(column, view)
    notes = [metrics_table.family_of(column), *([_(_BEST_FIRST[scope_of(column)])] if column == view.order else [])]
    notes += [sizes] if sizes else []
    return Head(
        metrics_table.group_of(column), metrics_table.title_in_words(definition), " · ".join(notes),
        metrics_table.ARROWS[definition.direction], metrics_table.meaning_of(column), column == view.order,
    )  # fmt: skip


def size_words(column: Column, view: TableView) -> str:
    """Over how many instances a column is, or that its rows differ in them."""
    shared = view.table.shared.get(column.name)
    if shared is not None:
        n_lacking = sum(shared.lacking.get(row.key, 0) > 0 for row in view.rows)
        n_rows, n_all = f"{len(view.rows) - n_lacking:,}", f"{len(view.rows):,}"
        if n_lacking:
            return _("n {n} shared by {n_rows} of {n_all} rows", n=f"{shared.n:,}", n_rows=n_rows, n_all=n_all)
        return _("n {n} shared by all rows", n=f"{shared.n:,}")
    if view.differs[column.name]:
        is_said_above = not view.is_shared and all(view.differs.values())  # in the sentence above the table
        return "" if is_said_above else _("no shared instances") if view.is_shared else _("n differs")
    n = _n_in_head(view, column)
    return "" if n is None else f"n {n:,}"


def lines_of(view: TableView, columns: Sequence[JudgedColumn], shown: Iterable[int]) -> list[Line]:
    """Some of the rows, and random below them."""
    below = _below_names(view)
    lines = [
        Line(
            metrics_table.title_of(view.rows[n]), below[n][0], [column.cell(n) for column in columns], meaning=below[n][1],
            size=_size(view, view.rows[n]),
        )
        for n in shown
    ]  # fmt: skip
    if view.table.random.numbers:
        cells = [_random_cell(view.table, column) for column in view.columns]
        lines.append(Line(metrics_table.title_of(view.table.random), _("mean of ten seeds"), cells, is_baseline=True))
    return lines


def summaries_of_rows(rows: Sequence[MetricRow]) -> list[str]:
    """What need not stand in each row: how far the models are to be trusted, and what all rows of a method were made with."""
    lines = (
        trust_lines(rows, says_training=metrics_table.training_in_common(rows))
        + metrics_table.self_explanation_lines(rows)
        + metrics_table.constant_attribution_lines(rows)
        + metrics_table.degenerate_mask_lines(rows)
        + metrics_table.normalised_aopc_lines(rows)
    )
    parameters = metrics_table.parameters_in_common(rows)
    if parameters:
        lines.append(_("Shared parameters per method: {parameters}.", parameters=parameters))
    return lines


_HEADLINE = unsaid("{row} agrees best with people: {metric} {value}, {verdict}.")
_NOT_BETTER = unsaid("{row} is highest: {metric} {value}, {verdict}.")
_MOST_NAMED = 3


def headline(view: TableView, columns: Sequence[JudgedColumn]) -> str:
    """Whose reasons agree best with people's, whether that is better than random, and which other runs are clearly behind.

    By the first plausibility column that is shown; "" where there is none, or no row of it has a verdict. Rows over different
    instances are not ranked, and those that lack some of the shared ones do not compete.
    """
    of = next((judged for judged in columns if judged.column.group == "plausibility"), None)
    if of is None:
        return ""
    name, sign = of.column.name, -1 if of.column.definition.direction == "lower is better" else 1
    values = {n: row.numbers[name].value for n, row in enumerate(view.rows) if name in row.numbers}
    shared = view.table.shared.get(name)
    lacking = {} if shared is None else shared.lacking
    known = {
        n: value
        for n, value in values.items()
        if value is not None and of.verdicts[n].verdict is not None and view.rows[n].key not in lacking
    }
    places = sorted(known, key=lambda n: -sign * known[n])
    if not places:
        return ""
    if not are_comparable(view.table, view.rows, of.column):
        return several(
            "{n} of {all} rows is better than random ({metric}); none is best, as instances differ.",
            "{n} of {all} rows are better than random ({metric}); none is best, as instances differ.",
            sum(cast("Verdict", of.verdicts[n].verdict).word == "better" for n in places),
            all=len(places), metric=metrics_table.title_in_words(of.column.definition),
        )  # fmt: skip
    first = view.rows[places[0]]
    verdict = cast("Verdict", of.verdicts[places[0]].verdict)
    is_few = verdict.word == "too few"
    best = _(
        _HEADLINE if verdict.word in {"better", "too few"} else _NOT_BETTER, row=metrics_table.title_of(first),
        metric=metrics_table.title_in_words(of.column.definition), value=written(known[places[0]]),
        verdict=_("too few to tell (n {n})", n=f"{verdict.n:,}") if is_few else word_in_words(verdict.word, _("random"))
    )  # fmt: skip
    n_learned = 0 if first.training is None else first.training.get("seen", 0)
    learned = several("{n} of its texts is a training text.", "{n} of its texts are training texts.", n_learned)
    tied = [metrics_table.title_of(view.rows[n]) for n in places[1:] if known[n] == known[places[0]]]
    others = [view.rows[n] for n in places[1:] if view.rows[n].run != first.run]
    behind = _of_the_others(view, of.column, first, others)
    return together(best, _("Tied with {rows}.", rows=listed(tied)) if tied else behind, learned if n_learned else "")


def _of_the_others(view: TableView, column: Column, first: MetricRow, others: Sequence[MetricRow]) -> str:
    """From which rows the best one is told apart, as where all are compared with it."""
    reference = ComparedRow(first)
    rows = [ComparedRow(row) for row in others]
    made = against(view.table, reference, rows, [column], metrics_table.comparisons_of(view.table, reference))
    compared = [
        (row, cell) for row, cell in zip(others, made.cells[column.name], strict=True) if not isinstance(cell, str)
    ]
    unclear = [metrics_table.title_of(row) for row, cell in compared if cell.word != "worse"]
    if not compared:
        return ""
    if not unclear:
        names = metrics_table.title_of(compared[0][0])
        return several("{names} is clearly behind.", "All {n} others are clearly behind.", len(compared), names=names)
    if len(unclear) > _MOST_NAMED:
        return _("{n} of {all} others aren't clearly behind.", n=len(unclear), all=len(compared))
    return _("Not clearly behind: {rows}.", rows=listed(unclear))


def verdict_sentences(of: JudgedColumn, shown: Iterable[int], titles: Sequence[str]) -> Iterator[str]:
    """A line a row; rows of which the same is said share theirs."""
    same = by_key((of.verdicts[n].sentence, titles[n]) for n in shown if of.verdicts[n].sentence)
    for sentence, of_rows in same.items():
        yield _("{rows}: {verdict}", rows=listed(of_rows), verdict=sentence)


def what_a_verdict_is(n_left_out: int) -> str:
    """What a number is held against. n_left_out: instances in which nothing can be chosen."""
    whole = several(
        "{n} instance excluded: all tokens are gold.", "{n} instances excluded: all tokens are gold.", n_left_out
    )
    verdict = _(
        "Verdicts: each instance's number minus its mean over ten random rankings (selected tokens: as "
        "many random tokens; accuracy: majority label). Above 0 is better. Brackets: 95 % bootstrap "
        "interval."
    )
    plausibility = _("Plausibility is agreement with people, not what the model relies on.")
    return together(verdict, whole if n_left_out else "", plausibility)


def _n_in_head(view: TableView, column: Column) -> int | None:
    """Over how many instances all rows of a column are, or those that compete; None where they differ."""
    shared = view.table.shared.get(column.name)
    if shared is not None:
        return shared.n
    sizes = {row.numbers[column.name].n for row in view.rows if column.name in row.numbers}
    return sizes.pop() if len(sizes) == 1 else None


def _size(view: TableView, row: MetricRow) -> str:
    """Over how many instances a row is in the first column, where its head does not say it."""
    number = row.numbers.get(view.columns[0].name)
    if number is None or number.n is None or _n_in_head(view, view.columns[0]) is not None:
        return ""
    return f"n {number.n:,}"


def _below_names(view: TableView) -> list[tuple[str, str]]:
    """What stands below each row's name, which tells it from the others, and what hovering says of its training texts."""
    has_training = not metrics_table.training_in_common(view.rows)
    below = []
    for row, detail in zip(view.rows, metrics_table.details_of(view.rows), strict=True):
        same = _("same numbers for selected tokens") if row.key in view.merged else ""
        below.append((" · ".join(filter(None, (detail, same))), words_of(row.training) if has_training else ""))
    return below


def _cell(
    number: Number | None, is_best: bool = False, judged_number: Judged = _NOTHING, lacking: float = 0.0,
    n_in_head: int | None = None,
) -> Cell:  # fmt: skip
    if number is None:
        return Cell(UNDEFINED)
    # The interval and the deviation over seeds
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(_("{low} to {high}", low=written(number.low), high=written(number.high)))
    if number.deviation is not None:
        notes.append(f"± {written(number.deviation, small=1)}")
    if lacking:
        notes.append(_("not compared: lacks {share} of the instances", share=percent(lacking)))
    meaning = " · ".join([*_sizes(number, n_in_head), *judged_number.lines])
    return Cell(written(number.value), tuple(notes), is_best, judged_number.sign, meaning)


def _random_cell(table: MetricTable, column: Column) -> Cell:
    shared = table.shared.get(column.name)
    return _cell(table.random.numbers.get(column.name), n_in_head=None if shared is None else shared.n)


def _sizes(number: Number, n_in_head: int | None) -> list[str]:
    """Over how many instances, where the head of the column does not say it."""
    if number.n is None:
        return []
    sizes = [f"n {number.n:,}"] if number.n != n_in_head else []
    return [*sizes, *([_("{n} excluded", n=f"{number.n_left_out:,}")] if number.n_left_out else [])]
