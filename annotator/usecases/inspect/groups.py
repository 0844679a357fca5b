"""A project's numbers for each of its groups: all of them, and one metric as a table, a line a group."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.domain.measurements import group_in_words, is_of_people
from annotator.domain.numbers import UNDEFINED, counted, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.figures.html_table import Cell, Head, Line
from annotator.language import _, speaking
from annotator.scoring.instance_numbers import Behind, RowKey
from annotator.scoring.reports import ProjectReport
from annotator.scoring.runs import Answers, ScoringOptions
from annotator.scoring.shared_instances import are_different
from annotator.scoring.table import Column, MetricRow, MetricTable, metric_table
from annotator.store import Store
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.gold_table import GoldGroups, gold_groups
from annotator.usecases.inspect.gold_release import gold_release
from annotator.usecases.inspect.metric_formats import table_csv
from annotator.usecases.inspect.metrics_table import ARROWS, details_of, meaning_of
from annotator.usecases.inspect.project_scores import require_fact, require_may_group, runs_asked, score_gold
from annotator.usecases.inspect.shown_table import TableView, judged_column


@dataclass(frozen=True, slots=True)
class GroupNumbers:
    """What `evaluate_with_instances` answers for a group. n: its instances with gold; behind: None where not asked for."""

    group: str
    n: int
    numbers: ProjectReport
    behind: Behind | None


def group_counts(store: Store, actor: User, project: Project, options: ScoringOptions) -> Mapping[str, int]:
    """How many instances with gold each group has by what `options` groups by."""
    _require_may(store, actor, project, options)
    with store.snapshot():
        return _groups(store, project, options).counts


def evaluate_groups(
    store: Store, actor: User, project: Project, *, model: str | None = None, method: str | None = None,
    options: ScoringOptions, keeps_instances: bool = True,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Iterator[GroupNumbers]:  # fmt: skip
    """Each group by what `options` groups by, one after the other, all of one state of the database.

    progress: called with how many groups are done, and how many there are
    """
    _require_may(store, actor, project, options)
    answers_by_run: dict[int, Answers] = {}
    with store.snapshot():
        groups = _groups(store, project, options)
        policy = options.policy_of(project)
        release = gold_release(store, project, policy, is_of_people=is_of_people(options.by))
        runs = runs_asked(store, project, model, method)
        for n_done, (group, n) in enumerate(groups.counts.items()):
            progress(n_done, len(groups.counts))
            of_group = replace(options, group=group, has_null=keeps_instances)
            made = score_gold(
                store, project, runs, groups.of(group), of_group, lambda _done, _of: None,
                keeps_instances=keeps_instances, answers_by_run=answers_by_run, release=release,
            )  # fmt: skip
            yield GroupNumbers(group, n, *made)
        progress(len(groups.counts), len(groups.counts))


def _require_may(store: Store, actor: User, project: Project, options: ScoringOptions) -> None:
    require(store, actor, project.id, "export")
    require_may_group(store, actor, project, options.by)


def _groups(store: Store, project: Project, options: ScoringOptions) -> GoldGroups:
    require_split(store, [project], options.split)
    require_fact(store, project, options.by)
    policy = options.policy_of(project)
    return gold_groups(store, project, policy, options.split, options.by)


# One metric in every group of instances, a line a group, so that groups can be read beside each other.


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
        Head(row.model, row.method or _("predictions"), detail, arrow, meaning)
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
