"""A comparison of a project's models as one HTML page: the table, charts, two models beside each other, texts with maps and gold.

What it says of numbers are the words of the Metrics page. Names of annotators are not in it unless they are asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotator import __version__
from annotator.domain.instances import GoldInstance
from annotator.domain.measurements import ANNOTATOR
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.figures.report.page import Report, Texts, report_html
from annotator.formats.rows.files import new_file
from annotator.language import speaking
from annotator.scoring.shared_instances import are_different, as_shown
from annotator.scoring.table import MetricRow, MetricTable, metric_table, without_repeats
from annotator.store import Store
from annotator.store.events import add_event
from annotator.usecases.access.independence import GoldFor
from annotator.usecases.access.rights import require
from annotator.usecases.compare import report_content
from annotator.usecases.compare.report_request import NOT_NAMED, ReportRequest
from annotator.usecases.compare.report_texts import reported_texts, rows_with_maps
from annotator.usecases.gold import gold_of_instances
from annotator.usecases.inspect.metrics_table import asked_group, first_columns
from annotator.usecases.inspect.project_scores import evaluate_with_instances, require_group, require_may_group
from annotator.usecases.inspect.shown_table import TableView

N_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """The page, how many texts are on it, and how many were left out since the person may still annotate them."""

    html: str
    n_texts: int
    n_closed: int


def score_for_report(store: Store, actor: User, project: Project, request: ReportRequest) -> MetricTable:
    """The numbers that a report is about, with intervals."""
    options = replace(request.options, n_resamples=N_RESAMPLES)
    return metric_table(*evaluate_with_instances(store, actor, project, options=options))


@speaking("en")  # it is sent to others
def comparison_report(
    store: Store, actor: User, project: Project, request: ReportRequest, *, file_name: str = "report.html",
    table: MetricTable | None = None,
) -> WrittenReport:  # fmt: skip
    """The page. table: what `score_for_report` made, where it is there already; file_name: as the command names the page.

    Raises: NotFound for a model, method, column, list or key that is not there, or where there are no numbers; NotAllowed
            for names, which leads may give away, and for an annotator's sets alone, which they see
    """
    require(store, actor, project.id, "export")
    require_may_group(store, actor, project, request.options.grouping[0])
    if request.has_names:
        require(store, actor, project.id, "see all annotations")
    table = score_for_report(store, actor, project, request) if table is None else table
    require_group(table.by, table.group, table.groups)
    if not request.has_names:
        table = _without_names(table)
    view = report_view(table, request)
    compared = report_content.compared_rows(table, view.rows, view.columns, request)
    for_them = GoldFor(store, actor, project.id)
    policy = request.options.gold_policy or project.settings.gold_policy
    texts, shown, n_closed = _texts(store, actor, project, request, view, compared, for_them)
    differences = (
        None if compared is None else report_content.differences_of(store, actor, project, compared, for_them.closed)
    )
    report = Report(
        request.title or _title(project, request, view), _facts(store, project, request, policy, view),
        report_content.numbers_of(view), differences, report_content.two_models_of(store, actor, project, request),
        texts, report_content.definitions_of(view.columns),
        request.command(store.path.name, project.name, policy, file_name), _made(request),
    )  # fmt: skip
    for_them.note()
    with store.transaction():
        add_event(
            store, actor.name, "export", "project", project.id, project_id=project.id,
            format="report", file=file_name, instances=len(shown),
        )  # fmt: skip
    return WrittenReport(report_html(report), len(shown), n_closed)


def _texts(
    store: Store, actor: User, project: Project, request: ReportRequest, view: TableView,
    compared: report_content.ComparedRows | None, for_them: GoldFor,
) -> tuple[Texts, Sequence[GoldInstance], int]:  # fmt: skip
    """The texts with their maps; the gold of those that are shown, and how many are closed to the person."""
    options, behind = request.options, view.table.behind
    policy = options.gold_policy or project.settings.gold_policy
    chosen = report_content.choose_texts(
        store, actor, project, request, view, None if compared is None else compared.pair
    )
    with store.snapshot():
        gold = gold_of_instances(store, chosen.ids, policy, whose=options.whose).values()
        undiscarded = [item for item in gold if item.instance.state != "discarded"]
        of_group = [item for item in undiscarded if report_content.is_of_group(options, behind, item)]
        shown = list(for_them.open_to_them([item for item in of_group if item.instance.id not in for_them.closed]))
        rows = rows_with_maps(view.rows, [] if compared is None else compared.looked_at)
        columns = [column for column in view.columns if column.group != "quality"]
        texts = reported_texts(
            store, project, shown, view.table, rows, columns, explained=options.explained, has_names=request.has_names
        )
    n_closed = len(of_group) - len(shown)
    left_out = _left_out(
        len(set(chosen.ids)) - len(undiscarded), len(undiscarded) - len(of_group), n_closed, asked_group(view.table)
    )
    return Texts(chosen.sentence, [*left_out, *_about_maps(view.rows, rows)], texts), shown, n_closed


def _without_names(table: MetricTable) -> MetricTable:
    """Without whose sets are scored, and whose there are, where that is what instances are grouped by."""
    if table.by != ANNOTATOR:  # what is told of several people names nobody
        return table
    return replace(table, group=None if table.group is None else "", groups={}, criteria={})


def write_report(store: Store, actor: User, project: Project, request: ReportRequest, path: Path) -> WrittenReport:
    """The same in a file, which is there whole or not at all."""
    written = comparison_report(store, actor, project, request, file_name=path.name)
    with new_file(path) as file:
        file.write(written.html.encode("utf-8", "replace"))
    return written


def report_view(table: MetricTable, request: ReportRequest) -> TableView:
    """The rows and columns of a report: as the Metrics page shows them first, unless others are asked for.

    Raises: NotFound for a model, a method or a column that the table lacks, and where nothing is left to show
    """
    rows, merged = without_repeats(table.rows)
    _require_known("model", request.shown_models, [row.model for row in rows], table.project)
    _require_known("method", request.methods, [row.method for row in rows if row.method], table.project)
    _require_known("column", request.columns, [column.name for column in table.columns], table.project)
    rows = [
        row
        for row in rows
        if (not request.shown_models or row.model in request.shown_models)
        and (not request.methods or not row.method or row.method in request.methods)
    ]
    names = request.columns or first_columns(table)
    columns = [column for column in table.columns if column.name in names]
    if not rows or not columns:
        raise NotFound(
            f"There are no numbers of '{table.project}' to report: no model that was asked for has output for texts with gold. "
            "Import some, or compute attributions with 'annotator attribute'."
        )
    differs = {column.name: are_different(table, rows, column) for column in columns}
    shown, rows_shown = as_shown(table, rows, columns, N_RESAMPLES)
    return TableView(shown, rows_shown, columns, differs, is_shared=bool(shown.shared), merged=merged)


def _require_known(what: str, wanted: Sequence[str], known: Sequence[str], project: str) -> None:
    for name in wanted:
        if name not in known:
            alternatives = ", ".join(dict.fromkeys(known)) or "none"
            raise NotFound(f"The numbers of '{project}' have no {what} '{name}' (there is {alternatives}).")


def _title(project: Project, request: ReportRequest, view: TableView) -> str:
    group = asked_group(view.table)
    of_group = f", {group}" if group else ""
    if request.base:
        return f"{request.other} against {request.base}: {project.name}{of_group}"
    return f"Models of {project.name}{of_group}"


def _facts(
    store: Store, project: Project, request: ReportRequest, policy: str, view: TableView
) -> list[tuple[str, str]]:
    """What was asked."""
    gold = view.table.gold
    methods = dict.fromkeys(row.method for row in view.rows if row.method)
    facts = [
        ("Project", project.name),
        ("Gold", f"policy “{policy}”: {counted(gold['instances'], 'text')}, {counted(gold['sets'], 'rationale set')}"),
        ("Split", "all" if request.options.split is None else request.options.split or "(none)"),
        *([("Group", f"{group}: {counted(gold['instances'], 'text')}")] if (group := asked_group(view.table)) else []),
        ("Models", ", ".join(dict.fromkeys(row.model for row in view.rows))),
        ("Methods", ", ".join(methods) or "none: answers alone"),
        ("Date", store.now()[:10]),
        ("Version", f"rationale annotator {__version__}"),
    ]
    return facts + ([("Licence of the data", project.licence)] if project.licence else [])


def _left_out(n_discarded: int, n_of_others: int, n_closed: int, group: str) -> list[str]:
    notes = []
    if n := n_discarded:
        notes.append(f"{counted(n, 'discarded text is', 'discarded texts are')} left out.")
    if n := n_of_others:
        notes.append(f"{counted(n, 'text is', 'texts are')} left out, not being of the group “{group}”.")
    if n := n_closed:
        notes.append(
            f"{counted(n, 'text is', 'texts are')} left out, which whoever made this report annotates or may still be given."
        )
    return notes


def _about_maps(rows: Sequence[MetricRow], drawn: Sequence[MetricRow]) -> list[str]:
    """What holds of all maps."""
    n_with_maps = sum(bool(row.method) and row.kind != "answers" for row in rows)
    notes = [
        "The colours of a map reach from minus its largest score to plus its largest score, so that white, or the dark ground, "
        "is zero; maps of one method and unit share their scale within a text."
    ]
    if n_with_maps > len(drawn):
        notes.append(
            f"{len(drawn)} of {counted(n_with_maps, 'row')} of the table are drawn; name methods or models to have others."
        )
    return notes


def _made(request: ReportRequest) -> list[str]:
    with_names = (
        "Names of annotators are in it, as was asked." if request.has_names else "No names of annotators are in it."
    )
    name = f", with the annotator’s name in the place of {NOT_NAMED}" if request.leaves_name_out else ""
    return [
        f"The command makes this page again from the same database{name}, with rationale annotator {__version__}. Intervals are "
        f"from {N_RESAMPLES:,} bootstrap draws of the texts with seed 0.",
        f"This page holds no script and asks no other address for anything. {with_names}",
    ]
