"""The rows of a report against one of them: the table of differences in the page's words, and the texts in which two differ."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import counted, signed, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.figures.report.page import Differences, DifferingSide, DifferingTexts
from annotator.language import together
from annotator.scoring.row_differences import AgainstTable, ComparedRow, Difference, against, with_seeds_apart
from annotator.scoring.table import Column, MetricRow, MetricTable, without_repeats
from annotator.store import Store
from annotator.usecases.compare.difference_tables import heads_and_lines
from annotator.usecases.compare.difference_words import (
    LONG,
    legend,
    names_of_compared,
    reasons,
    reference_name,
    sentence_of_pair,
    sentences,
    what_could_be_told,
    what_it_is,
)
from annotator.usecases.compare.report_request import ReportRequest
from annotator.usecases.compare.row_comparison import DifferingInstance, TwoRows, differing_instances
from annotator.usecases.compare.row_names import compared_row
from annotator.usecases.inspect.metric_names import named

MOST_EITHER_WAY = 10
WHY_CLOSED = "whoever made this report annotates them or may still be given them"


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """Rows against one of them, and the row and number in whose instances two are looked at; None where none is compared."""

    made: AgainstTable
    pair: TwoRows | None

    @property
    def looked_at(self) -> list[MetricRow]:
        """The rows of the two, but for random, which is nobody's."""
        return [] if self.pair is None else [of.row for of in (self.pair.row, self.pair.reference) if not of.is_random]


def compared_rows(
    table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column], request: ReportRequest
) -> ComparedRows | None:
    """The rows of a report against the one that is asked for; None where none is. table: with all rows.

    Raises: NotFound for a row or a number that is not there; InvalidValue for two rows that are not compared
    """
    if not request.against:
        return None
    known = without_repeats(table.rows)[0]
    reference = compared_row(known, table.random, request.against)
    made = against(table, reference, with_seeds_apart(rows, reference), columns)
    return ComparedRows(made, _pair(made, known, request))


def differences_of(
    store: Store, actor: User, project: Project, compared: ComparedRows, closed: Collection[int]
) -> Differences:
    """As the page has them. closed: instances whose gold is not told."""
    made, pair = compared.made, compared.pair
    name = reference_name(made)
    if not made.rows:
        return Differences(f"Differences from {name}", (), (), ["No other row is in this report."], (), None)
    heads, lines = heads_and_lines(made)
    words = [(named(column), list(sentences(made, column))) for column in made.columns]
    return Differences(
        f"Differences from {name}", heads, lines,
        [note for note in (together(what_it_is(made, name), legend()), what_could_be_told(made), *reasons(made)) if note],
        [(title, of_column) for title, of_column in words if of_column],
        None if pair is None else _differing(store, actor, project, made, pair, closed),
    )  # fmt: skip


def most_differing(store: Store, actor: User, project: Project, pair: TwoRows, n: int) -> list[int]:
    """The instances in which two rows differ most, either way."""
    listed = differing_instances(store, actor, project, pair, most=n)
    return [of.id for of in sorted((*listed.higher, *listed.lower), key=lambda of: -abs(of.difference))[:n]]


def _pair(made: AgainstTable, known: Sequence[MetricRow], request: ReportRequest) -> TwoRows | None:
    """The row and the number that are named, else the first that are compared."""
    places = range(len(made.rows)) if not request.row else [_place(made, known, request.row)]
    columns = made.columns if not request.metric else [_column(made, request.metric)]
    for column in columns:
        for at in places:
            if isinstance(made.cell(at, column), Difference):
                return TwoRows(made.table, column, made.rows[at], made.reference)
    if request.row and request.metric:
        cell = made.cell(places[0], columns[0])
        why = LONG.get(cell, "") if isinstance(cell, str) else ""
        raise InvalidValue(
            f"{request.row} and {reference_name(made)} are not compared in {request.metric}. {why}".strip()
        )
    return None


def _place(made: AgainstTable, known: Sequence[MetricRow], name: str) -> int:
    """By its name in the table of differences, or by what tells it from the other rows."""
    names = names_of_compared(made)
    if name in names:
        return names.index(name)
    wanted = compared_row(known, made.table.random, name)
    for at, of in enumerate(made.rows):
        if _is_same(of, wanted):
            return at
    raise NotFound(f"'{name}' is not among the rows that are compared with {reference_name(made)}: {'; '.join(names)}.")


def _is_same(row: ComparedRow, other: ComparedRow) -> bool:
    return (row.row.key, row.seed) == (other.row.key, other.seed)


def _column(made: AgainstTable, name: str) -> Column:
    for column in made.columns:
        if column.name == name:
            return column
    shown = ", ".join(column.name for column in made.columns)
    raise NotFound(f"The report has no column '{name}' to compare rows in (it has {shown}).")


def _differing(
    store: Store, actor: User, project: Project, made: AgainstTable, pair: TwoRows, closed: Collection[int]
) -> DifferingTexts:
    names = dict(zip([(of.row.key, of.seed) for of in made.rows], names_of_compared(made), strict=True))
    row, reference = names[pair.row.row.key, pair.row.seed], reference_name(made)
    cell = made.cell([*names].index((pair.row.row.key, pair.row.seed)), pair.column)
    listed = differing_instances(store, actor, project, pair, most=None)
    sides = [
        DifferingSide(f"{name} is higher", [_cells(of) for of in instances if of.id not in closed][:MOST_EITHER_WAY])
        for name, instances in ((row, listed.higher), (reference, listed.lower))
    ]
    sentence = sentence_of_pair(cell, row, reference) if isinstance(cell, Difference) else ""
    if n := sum(of.id in closed for of in (*listed.higher, *listed.lower)):
        sentence += f" {counted(n, 'text that differs is', 'texts that differ are')} not listed: {WHY_CLOSED}."
    return DifferingTexts(f"Where they differ: {named(pair.column)}", sentence, sides)


def _cells(of: DifferingInstance) -> dict[str, str]:
    return {
        "text": of.key, "difference": signed(of.difference), "value": written(of.value),
        "of the other": written(of.of_reference), "gold": of.result or "–", "split": of.split or "–",
    }  # fmt: skip
