"""A project's numbers for each of its groups: all of them, and one metric as a table, a line a group."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
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
from annotator.scoring.shared_instances import are_different, as_shown
from annotator.scoring.table import Column, MetricRow, MetricTable, metric_table
from annotator.store import Store
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.gold_table import GoldGroups, gold_groups
from annotator.usecases.inspect.gold_release import gold_release
from annotator.usecases.inspect.metric_formats import table_csv
from annotator.usecases.inspect.metrics_table import ARROWS, details_of, meaning_of
from annotator.usecases.inspect.project_scores import require_fact, require_may_group, runs_asked, score_gold
from annotator.usecases.inspect.shown_table import TableView, judged_column, size_words


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
) -> Generator[GroupNumbers, None, None]:  # fmt: skip
    """Each group by what `options` groups by, one after the other, all of one state of the database until it is closed.

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


def group_lines(
    tables: Mapping[str, MetricTable], by: str, keys: Sequence[RowKey], name: str, n_resamples: int = 0,
    *, is_shared: bool | None = None,
) -> Iterator[Line]:  # fmt: skip
    """A line a group, with the number of each of these rows, and of random; the star is the best of its line.

    name: of the metric; what a group has no number of is a dash. is_shared: as of `as_shown`, as for a group by itself
    """
    for group, whole in tables.items():
        columns = tuple(column for column in whole.columns if column.name == name)
        own_rows = [row for row in whole.rows if row.key in keys]
        differs = {name: any(are_different(whole, own_rows, column) for column in columns)}
        table, rows = as_shown(replace(whole, columns=columns), own_rows, columns, n_resamples, is_shared)
        view = TableView(table, rows, columns, differs, is_shared=bool(table.shared))
        random = table.random.numbers.get(name)
        cells = [*_cells(view, keys), Cell(UNDEFINED if random is None else written(random.value))]
        n = table.groups.get(group)
        sizes = [] if n is None else [counted(n, "instance")]
        sizes += [words for column in columns if (words := size_words(column, view)) not in ("", f"n {n or 0:,}")]
        yield Line(group_in_words(by, group), " · ".join(sizes), cells)


def _cells(view: TableView, keys: Sequence[RowKey]) -> list[Cell]:
    """A cell for each row, with its own number of instances where these differ."""
    by_key: dict[RowKey, Cell] = {}
    for column in view.columns:
        for row, cell in zip(view.rows, judged_column(view, column).cells, strict=True):
            n = row.numbers[column.name].n if column.name in row.numbers else None
            is_noted = n is not None and view.differs[column.name] and not view.is_shared
            by_key[row.key] = replace(cell, notes=(*cell.notes, f"n {n:,}")) if is_noted else cell
    return [by_key.get(key, Cell(UNDEFINED)) for key in keys]


@speaking("en")
def groups_csv(tables: Mapping[str, MetricTable], *, explained: str) -> str:
    """Every metric of every group, in the long form of the table's own CSV, with one head."""
    texts = [table_csv(table, explained=explained) for table in tables.values()]
    return "".join([*texts[:1], *(text.split("\n", 1)[1] for text in texts[1:])])
