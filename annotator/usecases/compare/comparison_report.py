"""A comparison of a project's models as one HTML page: the table, charts, two models beside each other, texts with maps and gold.

What it says of numbers are the words of the Metrics page. Names of annotators are not in it unless they are asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotator import __version__
from annotator.domain.instances import GoldInstance
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.figures.report.page import Report, Texts, report_html
from annotator.formats.rows.files import new_file
from annotator.scoring.shared_instances import are_different, as_shown
from annotator.scoring.table import MetricRow, MetricTable, metric_table, without_repeats
from annotator.store import Store
from annotator.store.events import add_event
from annotator.usecases.access.independence import GoldFor
from annotator.usecases.access.rights import require
from annotator.usecases.compare.report_choice import choose_texts
from annotator.usecases.compare.report_numbers import definitions_of, numbers_of, two_models_of
from annotator.usecases.compare.report_request import ReportRequest
from annotator.usecases.compare.report_texts import reported_texts, rows_with_maps
from annotator.usecases.gold import gold_of_instances
from annotator.usecases.inspect.metric_names import first_columns
from annotator.usecases.inspect.project_scores import evaluate_with_instances
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


def comparison_report(
    store: Store, actor: User, project: Project, request: ReportRequest, *, file_name: str = "report.html",
    table: MetricTable | None = None,
) -> WrittenReport:  # fmt: skip
    """The page. table: what `score_for_report` made, where it is there already; file_name: as the command names the page.

    Raises: NotFound for a model, method, column, list or key that is not there, or where there are no numbers; NotAllowed
            for names, which leads may give away
    """
    require(store, actor, project.id, "export")
    if request.has_names:
        require(store, actor, project.id, "see all annotations")
    table = score_for_report(store, actor, project, request) if table is None else table
    view = report_view(table, request)
    models = list(dict.fromkeys(row.model for row in view.rows))
    chosen = choose_texts(store, actor, project, request, table.behind, models)
    for_them = GoldFor(store, actor, project.id)
    policy = request.options.gold_policy or project.settings.gold_policy
    with store.snapshot():
        gold = [
            item for item in gold_of_instances(store, chosen.ids, policy).values() if item.instance.state != "discarded"
        ]
        shown = [item for item in gold if item.instance.id not in for_them.closed]
        shown = list(for_them.open_to_them(shown))
        rows = rows_with_maps(view.rows)
        columns = [column for column in view.columns if column.group != "quality"]
        texts = reported_texts(
            store,
            project,
            shown,
            table,
            rows,
            columns,
            explained=request.options.explained,
            has_names=request.has_names,
        )
    notes = [*_left_out(chosen.ids, gold, shown), *_about_maps(view.rows, rows)]
    report = Report(
        request.title or _title(project, request), _facts(store, project, request, policy, view),
        numbers_of(view), two_models_of(store, actor, project, request),
        Texts(chosen.sentence, notes, texts), definitions_of(view.columns),
        request.command(store.path.name, project.name, policy, file_name), _made(request),
    )  # fmt: skip
    for_them.note()
    with store.transaction():
        add_event(
            store, actor.name, "export", "project", project.id, project_id=project.id,
            format="report", file=file_name, instances=len(shown),
        )  # fmt: skip
    return WrittenReport(report_html(report), len(shown), len(gold) - len(shown))


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


def _title(project: Project, request: ReportRequest) -> str:
    return f"{request.other} against {request.base}: {project.name}" if request.base else f"Models of {project.name}"


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
        ("Models", ", ".join(dict.fromkeys(row.model for row in view.rows))),
        ("Methods", ", ".join(methods) or "none: answers alone"),
        ("Date", store.now()[:10]),
        ("Version", f"rationale annotator {__version__}"),
    ]
    return facts + ([("Licence of the data", project.licence)] if project.licence else [])


def _left_out(ids: Sequence[int], gold: Sequence[GoldInstance], shown: Sequence[GoldInstance]) -> list[str]:
    notes = []
    if n := len(set(ids)) - len(gold):
        notes.append(f"{counted(n, 'discarded text is', 'discarded texts are')} left out.")
    if n := len(gold) - len(shown):
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
    return [
        f"The command makes this page again from the same database, with rationale annotator {__version__}. Intervals are from "
        f"{N_RESAMPLES:,} bootstrap draws of the texts with seed 0.",
        f"This page holds no script and asks no other address for anything. {with_names}",
    ]
