"""The numbers of a report: the table in the words of the Metrics page, charts of it, two models, and what each number means."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotator.domain.numbers import counted, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.figures.report.drawings import (
    BarChart,
    Interval,
    IntervalChart,
    bar_chart,
    interval_chart,
    line_charts,
)
from annotator.figures.report.page import Definition, Numbers, TwoModels
from annotator.scoring.chance_verdicts import n_without_choice
from annotator.scoring.table import Column, MetricRow
from annotator.store import Store
from annotator.usecases.compare.comparison_words import (
    CONFIDENCE,
    OF_ALL_TEXTS,
    in_words,
    meaning_of_parts,
    row_of_part,
    title_of_bin,
)
from annotator.usecases.compare.model_comparison import ConfidenceBin, ModelPair, compare_models
from annotator.usecases.compare.report_request import ReportRequest
from annotator.usecases.inspect.drop_curves import WHAT_DROPS_ARE, drop_panels, rows_with_curves
from annotator.usecases.inspect.metric_names import ARROWS, family_of, named, names_of, sentence_of, title_of, way_of
from annotator.usecases.inspect.metric_view import asked_group, gold_summary
from annotator.usecases.inspect.shown_table import (
    LEGEND,
    TableView,
    head_of,
    judged_column,
    lines_of,
    summaries_of_rows,
    verdict_sentences,
    what_a_verdict_is,
)


def numbers_of(view: TableView) -> Numbers:
    """The table as the page has it, with its charts."""
    columns = [judged_column(view, column) for column in view.columns]
    shown = range(len(view.rows))
    titles = [title_of(row) for row in view.rows]
    sentences = [(named(of.column), list(verdict_sentences(of, shown, titles))) for of in columns]
    curved = rows_with_curves(view.rows)
    group = asked_group(view.table)
    n = counted(view.table.gold["instances"] or view.table.gold["scored_without_gold"], "text")
    return Numbers(
        title=f"Metrics: {group} ({n})" if group else "Metrics",
        heads=[head_of(column, view) for column in view.columns],
        lines=lines_of(view, columns, shown),
        about=[gold_summary(view.table), *summaries_of_rows(view.rows)],
        legend=f"{LEGEND} “What the numbers mean” explains each column.",
        verdicts=[(title, lines) for title, lines in sentences if lines],
        verdict_note=what_a_verdict_is(n_without_choice(view.table)),
        intervals=[chart for column in view.columns if (chart := _intervals(view, column)) is not None],
        curves=line_charts(drop_panels(curved)) if curved else (),
        curve_note=WHAT_DROPS_ARE,
    )


def definitions_of(columns: Sequence[Column]) -> list[Definition]:
    """What each column is, which way is better, when it is not defined, and where it is from."""
    return [
        Definition(
            named(column),
            f"{column.definition.in_plain_words} {way_of(column.definition)}"
            if column.definition.in_plain_words
            else "",
            sentence_of(column.definition),
            column.definition.source,
        )
        for column in columns
    ]


def _intervals(view: TableView, column: Column) -> IntervalChart | None:
    """A point a row; a model's quality, which all of its rows have, once a model. None where fewer than two are to be seen."""
    intervals = list(_of_models(view.rows, column) if column.group == "quality" else _of_rows(view.rows, column))
    random = view.table.random.numbers.get(column.name)
    if random is not None and random.value is not None:
        intervals.append(Interval("random, mean of ten seeds", random.value, random.low, random.high, is_baseline=True))
    if len(intervals) < 2:
        return None
    definition = column.definition
    note = " · ".join(filter(None, (family_of(column), f"{ARROWS[definition.direction]} {definition.direction}")))
    return interval_chart(definition.title, note, intervals)


def _of_rows(rows: Sequence[MetricRow], column: Column) -> Iterator[Interval]:
    for row, name in zip(rows, names_of(rows), strict=True):
        yield from _interval(row, name, column)


def _of_models(rows: Sequence[MetricRow], column: Column) -> Iterator[Interval]:
    firsts: dict[str, MetricRow] = {}
    for row in rows:
        yield from _interval(row, row.model, column) if firsts.setdefault(row.model, row) is row else ()


def _interval(row: MetricRow, name: str, column: Column) -> Iterator[Interval]:
    number = row.numbers.get(column.name)
    if number is not None and number.value is not None:
        yield Interval(name, number.value, number.low, number.high)


def two_models_of(store: Store, actor: User, project: Project, request: ReportRequest) -> TwoModels | None:
    """What the other model wins and loses against the base; None where no two were named.

    Raises: InvalidValue of a project that asks for answers, since models are compared by their labels
    """
    if not request.base:
        return None
    if project.task.result_kind != "label":
        raise InvalidValue(
            f"Two models are compared by the labels that they give; '{project.name}' asks for answers. Leave out --base and "
            "--other."
        )
    pair = ModelPair((request.base,), (request.other,))
    options = replace(request.options, n_resamples=0)
    comparison = compare_models(store, actor, [project], pair, options)[project.name]
    part, title = comparison.parts["all"], f"{request.other} against {request.base}"
    if not part.n:
        return TwoModels(
            title, ["No text with a gold label has answers of both that neither learned from."], (), "", None
        )
    rows = [
        {name: _cell(value) for name, value in row_of_part(of, of_part).items()}
        for of, of_part in comparison.parts.items()
    ]
    return TwoModels(
        title,
        [in_words(request.base, request.other, part), *([OF_ALL_TEXTS] if options.whose is not None else [])],
        rows,
        meaning_of_parts(comparison),
        _bins(comparison.confidence),
    )


def _cell(value: object) -> str:
    return written(value) if value is None or isinstance(value, int | float) else str(value)


def _bins(bins: Sequence[ConfidenceBin]) -> BarChart | None:
    filled = [of_bin for of_bin in bins if of_bin.n]
    if not filled:
        return None
    rows = [
        (
            title_of_bin(of_bin),
            (of_bin.n_won / of_bin.n, of_bin.n_lost / of_bin.n),
            f"{of_bin.n_won:,} won, {of_bin.n_lost:,} lost of {counted(of_bin.n, 'text')}",
        )
        for of_bin in filled
    ]
    return bar_chart(
        "Where the base was unsure", "share of the texts of each bin that the other wins and loses (ER-TEST, Figure 9)",
        CONFIDENCE, ("won", "lost"), rows,
    )  # fmt: skip
