"""One metric in every group of instances, a line a group, so that groups can be read beside each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from annotator.domain.measurements import group_in_words
from annotator.domain.numbers import UNDEFINED, counted, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.figures.html_table import Cell, Head, Line
from annotator.language import _, speaking
from annotator.scoring.instance_numbers import RowKey
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.shared_instances import are_different
from annotator.scoring.table import Column, MetricRow, MetricTable, metric_table
from annotator.store import Store
from annotator.usecases.inspect.group_scores import evaluate_groups
from annotator.usecases.inspect.metric_names import ARROWS, details_of, meaning_of
from annotator.usecases.inspect.score_files import table_csv
from annotator.usecases.inspect.shown_table import TableView, judged_column


def group_tables(
    store: Store, actor: User, project: Project, options: ScoringOptions, progress: Callable[[int, int], None]
) -> dict[str, MetricTable]:
    """The whole table of each group by what `options` groups by, by its name; progress: how many of how many are done."""
    made = evaluate_groups(store, actor, project, options=options, progress=progress)
    return {scored.group: metric_table(scored.numbers, scored.behind) for scored in made}


def row_heads(rows: Sequence[MetricRow], column: Column) -> list[Head]:
    """A head for each row of the table of metrics, which here stand side by side, and for random."""
    arrow, meaning = ARROWS[column.definition.direction], meaning_of(column)
    of_rows = [
        Head(row.model, row.method or _("answers"), detail, arrow, meaning)
        for row, detail in zip(rows, details_of(rows), strict=True)
    ]
    return [*of_rows, Head("", _("random"), _("mean of ten seeds"), arrow, meaning)]


def group_lines(tables: Mapping[str, MetricTable], by: str, keys: Sequence[RowKey], name: str) -> Iterator[Line]:
    """A line a group, with the number of each of these rows, and of random; the star is the best of its line.

    name: of the metric; what a group has no number of is a dash
    """
    for group, table in tables.items():
        random = table.random.numbers.get(name)
        cells = [*_cells(table, keys, name), Cell(UNDEFINED if random is None else written(random.value))]
        n = table.groups.get(group)
        yield Line(group_in_words(by, group), "" if n is None else counted(n, "instance"), cells)


def _cells(table: MetricTable, keys: Sequence[RowKey], name: str) -> list[Cell]:
    column = next((column for column in table.columns if column.name == name), None)
    rows = [row for row in table.rows if row.key in keys]
    if column is None or not rows:
        return [Cell(UNDEFINED)] * len(keys)
    view = TableView(table, rows, [column], {name: are_different(table, rows, column)}, is_shared=False)
    of_column = judged_column(view, column)
    by_key = {row.key: of_column.cell(index) for index, row in enumerate(rows)}
    return [by_key.get(key, Cell(UNDEFINED)) for key in keys]


@speaking("en")
def groups_csv(tables: Mapping[str, MetricTable], *, explained: str) -> str:
    """Every metric of every group, in the long form of the table's own CSV, with one head."""
    texts = [table_csv(table, explained=explained) for table in tables.values()]
    return "".join([*texts[:1], *(text.split("\n", 1)[1] for text in texts[1:])])
