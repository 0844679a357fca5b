"""Charts under the table of metrics: curves over thresholds, layers and kinds of perturbation, and single instances."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import streamlit as st

from annotator.domain.measurements import is_of_people
from annotator.domain.projects import Project
from annotator.figures.bars import Bar, grouped_bars
from annotator.figures.curves import Curve, Panel, curve_panels
from annotator.language import _, together, unsaid
from annotator.scoring.table import Column, MetricRow, Number, best_layers
from annotator.usecases.compare.comparison_words import OF_ALL_TEXTS
from annotator.usecases.databases import Store
from annotator.usecases.inspect.metric_values import SIDES, WHAT_DROPS_ARE, drop_panels, names_of_runs, rows_with_curves
from annotator.usecases.inspect.metrics_table import named, names_of, title_in_words
from annotator.web.sections.metrics import choices, groups, two_models
from annotator.web.sections.metrics.instances import clicked_point, show_behind, show_confidence, show_distribution
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.tables import show_numbers
from annotator.web.session import Visit

_PARTS = {unsaid("perturbation type"): "by_kind", unsaid("whether the prediction changed"): "by_change"}
_OF_LABELS = ("Contrast", "Functional tests", "Fairness")
_OF_ALL_LABELS = ("Two models", "Contrast", "Fairness")
_UNTOLD = unsaid("perturbed")  # a kind that is not told
_BY_LAYER = ("plausibility", "consistency", "confidence")


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """One of the charts; the others are not computed. Without a table those that need the labels of texts alone."""
    views: Mapping[str, Callable[[Store, Visit, Project, ScoredTable], None]] = {
        unsaid("Instances"): show_distribution,
        unsaid("Confidence"): show_confidence,
        unsaid("AOPC curves"): _show_curves,
        unsaid("Layers"): _show_layers,
        unsaid("Perturbed pairs"): _show_pairs,
        unsaid("Two models"): two_models.show,
        unsaid("Contrast"): groups.show_contrast,
        unsaid("Functional tests"): groups.show_suites,
        unsaid("Fairness"): groups.show_fairness,
    }
    names, part = (list(views), "") if scored.table.columns else (list(_OF_LABELS), "of_labels")
    chosen = st.selectbox(
        _("Chart"), names, key=choices.choices_of(project).one(choices.CHART, names, names[0], part=part), format_func=_,
        width=280
    )  # fmt: skip
    if chosen in _OF_ALL_LABELS and is_of_people(scored.request.by) and scored.request.group is not None:
        st.caption(_(OF_ALL_TEXTS))
    views[chosen or names[0]](store, visit, project, scored)


def _show_curves(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """How far the probability falls by the share of tokens that is removed, or left alone."""
    rows = rows_with_curves(scored.rows)
    if not rows:
        st.info(
            _(
                "No predictions at several thresholds yet. Compute attributions with faithfulness on Saliency, or import some."
            ),
            icon=":material/show_chart:",
        )
        return
    names = names_of_runs(rows)
    panels = drop_panels(rows)
    clicked = clicked_point(project, curve_panels(panels), "curves", _("AOPC curves: mean drop by share of tokens"))
    st.caption(together(_(WHAT_DROPS_ARE), _("Click a point or bar to list it.")))
    _show_numbers(panels)
    if clicked:
        side = next(side for side, title in SIDES.items() if _(title) == clicked[1])
        row, column = rows[names.index(clicked[0])], scored.table.column(f"eraser.{side}_aopc")
        show_behind(store, visit, project, scored, row, column)


def _show_layers(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """A metric by layer, a line a run."""
    rows = [row for row in scored.rows if row.layer is not None]
    columns = {c.name: c for c in scored.table.columns if any(_has(row, c) for row in rows) and c.group in _BY_LAYER}
    if not columns:
        st.info(_("No single-layer attributions yet. Import some with `layer` on Saliency."), icon=":material/layers:")
        return
    name = st.selectbox(
        _("Metric"), list(columns), format_func=lambda name: named(columns[name]), key=_metric(project, columns, "layers")
    )  # fmt: skip
    runs = list({row.run: row for row in rows}.values())
    names = dict(zip([row.run for row in runs], names_of_runs(runs), strict=True))
    of_runs = {run: [row for row in rows if row.run == run and _has(row, columns[name])] for run in names}
    curves = [_curve(names[run], of_run, name) for run, of_run in of_runs.items() if of_run]
    panel = Panel("", _("layer"), named(columns[name]), curves)
    figure = curve_panels([panel], whole_numbers=True)
    clicked = clicked_point(
        project, figure, "layers", _("{metric} by layer", metric=title_in_words(columns[name].definition))
    )
    st.caption(_("Click a point or bar to list it."))
    _show_numbers([panel])
    if clicked:
        row = next(row for row in rows if names[row.run] == clicked[0] and row.layer == int(clicked[2]))
        show_behind(store, visit, project, scored, row, columns[name])


def _show_pairs(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """MAP between originals and perturbed versions, by kind or by whether the answer changed."""
    columns = {column.name: column for column in scored.table.columns if column.group == "consistency"}
    if not columns:
        st.info(
            _("No run covers a perturbed version and its original. Annotators write versions on Perturb."),
            icon=":material/difference:",
        )
        return
    of_metric, of_part = st.columns([2, 2], vertical_alignment="bottom")
    name = of_metric.selectbox(
        _("Metric"), list(columns), format_func=lambda name: named(columns[name]), key=_metric(project, columns, "pairs")
    )  # fmt: skip
    parts = list(_PARTS)
    by_key = choices.choices_of(project).one(choices.BY, parts, parts[0], part="pairs", write=lambda name: _PARTS[name])
    part = of_part.segmented_control(_("By"), parts, required=True, key=by_key, format_func=_) or parts[0]
    rows = best_layers([row for row in scored.rows if _has(row, columns[name])], columns[name])
    names = names_of(rows)
    bars = [
        bar for row, title in zip(rows, names, strict=True) for bar in _bars(title, getattr(row, _PARTS[part]), name)
    ]
    clicked = clicked_point(
        project, grouped_bars(bars, across=_(part), up=named(columns[name])), "pairs",
        _("{metric} by {part}", metric=title_in_words(columns[name].definition), part=_(part))
    )  # fmt: skip
    st.caption(_("Best layer shown. Click a bar for its perturbed versions."))
    show_numbers(
        [
            {_("row"): bar.name, _(part): bar.column, "MAP": bar.value, _("pairs"): bar.n}
            | ({} if bar.low is None else {_("low"): bar.low, _("high"): bar.high})
            for bar in bars
        ],
        {"MAP", _("low"), _("high")}, key="metrics_pairs_numbers",
    )  # fmt: skip
    if clicked:
        kinds = {_(kind or _UNTOLD): kind for row in rows for kind in row.by_kind}
        kind = (kinds[clicked[0]] or _UNTOLD) if _PARTS[part] == "by_kind" else None
        show_behind(store, visit, project, scored, rows[names.index(clicked[1])], columns[name], kind=kind)


def _metric(project: Project, columns: Mapping[str, Column], part: str) -> str:
    """The key of the choice of a chart's metric."""
    return choices.choices_of(project).one(choices.METRIC, list(columns), next(iter(columns)), part=part)


def _bars(title: str, parts: Mapping[str, Mapping[str, Number]], name: str) -> Iterator[Bar]:
    for part, maps in parts.items():
        number = maps.get(name)
        if number is not None and number.value is not None:
            yield Bar(_(part or _UNTOLD), title, number.value, number.n, number.low, number.high)


def _curve(title: str, rows: Sequence[MetricRow], name: str) -> Curve:
    numbers = [row.numbers[name] for row in rows]
    has_bounds = any(number.low is not None for number in numbers)
    return Curve(
        title,
        [float(row.layer or 0) for row in rows],
        [number.value for number in numbers],
        [number.low for number in numbers] if has_bounds else (),
        [number.high for number in numbers] if has_bounds else (),
        [number.n for number in numbers],
    )


def _has(row: MetricRow, column: Column) -> bool:
    number = row.numbers.get(column.name)
    return number is not None and number.value is not None


def _show_numbers(panels: Sequence[Panel]) -> None:
    """The same as a table, for whoever reads numbers rather than lines."""
    with st.expander(_("Chart data")):
        rows = [
            {_("row"): curve.name, _("chart"): panel.title}
            | {f"{x:g}": y for x, y in zip(curve.x, curve.y, strict=True)}
            for panel in panels
            for curve in panel.curves
        ]
        measured = {f"{x:g}" for panel in panels for curve in panel.curves for x in curve.x}
        show_numbers(rows, measured, key=f"metrics_numbers_{panels[0].across}")
