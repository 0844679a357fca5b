"""Single instances behind the table: how a number is distributed, how two rows differ, and links that open Saliency."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted, signed, written
from annotator.domain.projects import Project
from annotator.figures.curves import saves_svg
from annotator.figures.instance_html import LinkedRow, instance_list_html
from annotator.figures.instance_values import MOST_POINTS, Point, beside_confidence, distribution
from annotator.language import _, in_brackets, several, together, unsaid
from annotator.scoring.table import Column, MetricRow
from annotator.usecases.compare.rows import found_reference, references_of
from annotator.usecases.databases import Store
from annotator.usecases.inspect import metric_values
from annotator.usecases.inspect.metrics_table import ARROWS, named, names_of, title_in_words
from annotator.web.frame import as_text
from annotator.web.page_parts import ask_page, show_chart
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.metrics.numbers import ScoredTable, instance_values
from annotator.web.sections.tables import file_stem
from annotator.web.session import Visit

_PAGE = 10
_NO_ROW = ""
_ORDERS = (unsaid("lowest first"), unsaid("highest first"))
_NO_VALUES = unsaid("No values for this metric. Choose another metric or row.")


@dataclass(frozen=True, slots=True)
class Behind:
    """Instances with a value each, of one row and metric. what: said above the list."""

    what: str
    name: str
    instances: Sequence[metric_values.ScoredInstance]
    values: Sequence[float]


def show_distribution(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """How many instances have which value; or, of two rows, by how much they differ."""
    *places, place_of_other = st.columns([1.3, 1.3, 1])
    picked = _pick(store, visit, project, scored, "distribution", places)
    if picked is None:
        return
    name, column, values = picked.name, picked.column, picked.values
    other = _pick_other(store, visit, project, scored, picked, place_of_other)
    if other is None:
        behind = _behind(values, column, _("{metric} of {row}", metric=named(column), row=name))
    else:
        comparison = metric_values.compare_rows(values, other[1], column.name)
        _say_difference(comparison, name, other[0])
        title = title_in_words(column.definition)
        behind = Behind(f"{title}: {name} − {other[0]}", _("{metric} difference", metric=title),
                        comparison.instances, comparison.differences.tolist())  # fmt: skip
    if not behind.instances:
        st.info(_(_NO_VALUES), icon=":material/bar_chart:")
        return
    points = _points(behind)
    figure = distribution(points, name=behind.name, marked=float(np.mean(behind.values)))
    chosen = clicked_point(project, figure, "distribution", _("Histogram of {name} over instances", name=behind.name))
    _say_how_many(len(points), len(values.instances))
    list_instances(project, behind, chosen, key="distribution")


def show_confidence(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """A number of each instance beside the probability of the model's answer."""
    picked = _pick(store, visit, project, scored, "confidence", st.columns(2))
    if picked is None:
        return
    column, values = picked.column, picked.values
    behind = _behind(values, column, _("{metric} of {row}", metric=named(column), row=picked.name))
    points = [point for point in _points(behind) if point.p is not None]
    if not points:
        st.info(
            _("No prediction probabilities. Import some on Saliency (format `predictions`)."),
            icon=":material/scatter_plot:",
        )
        return
    chosen = clicked_point(
        project, beside_confidence(points, name=behind.name), "confidence",
        _("{name} by the predicted label's probability", name=behind.name)
    )  # fmt: skip
    _say_how_many(len(points), len(values.instances))
    _say_perfect(picked.row)
    list_instances(project, behind, chosen, key="confidence")


def show_behind(
    store: Store, visit: Visit, project: Project, scored: ScoredTable, row: MetricRow, column: Column, *, kind: str | None = None
) -> None:  # fmt: skip
    """The instances behind a point of a chart of means, the worst first. kind: of these perturbed versions alone."""
    values = instance_values(store, visit, project, scored, _choice(row, row.seeds[0] if row.seeds else None))
    values = _shared(scored, values, column)
    what = _("{metric} of {row}", metric=named(column), row=names_of([row])[0])
    behind = _behind(values, column, f"{what}, {_(kind)}" if kind else what, kind=kind)
    list_instances(project, behind, (), key="behind", is_open=True)


def list_instances(project: Project, behind: Behind, chosen: Sequence[Any], *, key: str, is_open: bool = False) -> None:
    """A page of instances with links: those of the point or bar that was clicked, else all, and folded at first."""
    is_chosen = _selection(chosen)
    rows = [pair for pair in zip(behind.instances, behind.values, strict=True) if is_chosen(*pair)]
    what = _("{what}: {instances}", what=behind.what, instances=counted(len(rows), "instance"))
    with st.expander(as_text(what), expanded=is_open or bool(chosen), key=f"metrics_list_{key}_{bool(chosen)}"):
        _list(project, rows, behind.what, key)


def _list(project: Project, rows: list[tuple[metric_values.ScoredInstance, float]], label: str, key: str) -> None:
    order, pages = st.columns([4, 1], vertical_alignment="bottom")
    choices = state.choices_of(project)
    lowest_first = order.segmented_control(
        _("Order"), _ORDERS, required=True, label_visibility="collapsed", format_func=_,
        key=choices.one(state.LIST_ORDER, _ORDERS, _ORDERS[0], part=key, write=lambda words: words.split()[0])
    ) == _ORDERS[0]  # fmt: skip
    n_pages = max(1, -(-len(rows) // _PAGE))
    page_key = choices.number(state.LIST_PAGE, 1, n_pages, 1, part=key)
    page = ask_page(n_pages, key=page_key, parent=pages)
    rows.sort(key=lambda pair: pair[1] if lowest_first else -pair[1])
    rows = rows[_PAGE * (page - 1) : _PAGE * page]
    with_kind = any(instance.kind for instance, _value in rows)
    shown = [_linked(project, instance, value, with_kind=with_kind) for instance, value in rows]
    heads = [_("value"), _("predicted"), "p", _("gold"), _("split"), *([_("perturbed")] if with_kind else [])]
    st.html(instance_list_html(shown, heads, label=label))


def _linked(project: Project, instance: metric_values.ScoredInstance, value: float, *, with_kind: bool) -> LinkedRow:
    address = state.saliency_address(project, instance=instance.id)
    cells = [
        written(value), instance.predicted or "–", written(instance.p), instance.result or "–", instance.split or "–",
        *([_(instance.kind or "–")] if with_kind else []),
    ]  # fmt: skip
    return LinkedRow(address, instance.key, cells)


def _selection(chosen: Sequence[Any]) -> Callable[[metric_values.ScoredInstance, float], bool]:
    """Whether an instance was clicked, or lies in the bar that was."""
    if not chosen:
        return lambda _one, _value: True
    if chosen[0] == "between":
        low, high = float(chosen[1]), float(chosen[2])
        return lambda _one, value: low - 1e-12 <= value <= high + 1e-12
    return lambda instance, _value: instance.id == int(chosen[1])


@dataclass(frozen=True, slots=True)
class _Picked:
    """A row and a metric, and the numbers of the row's instances."""

    row: MetricRow
    name: str
    column: Column
    values: metric_values.InstanceValues


def _pick(
    store: Store, visit: Visit, project: Project, scored: ScoredTable, key: str, places: Sequence[DeltaGenerator]
) -> _Picked | None:
    """None where the row has nothing to pick from. places: for the choice of the row and of the metric."""
    rows, names, choices = scored.rows, names_of(scored.rows), state.choices_of(project)
    references = references_of(rows)
    chosen_row = places[0].selectbox(
        _("Row"), references, format_func=dict(zip(references, names, strict=True)).__getitem__,
        key=choices.one(
            state.ROW, references, references[0], part=key, find=lambda reference: found_reference(reference, rows)
        )
    )  # fmt: skip
    index = references.index(chosen_row)
    row = rows[index]
    seed = row.seeds[0] if row.seeds else None
    if len(row.seeds) > 1:
        seed = places[0].segmented_control(
            _("Seed"), row.seeds, required=True, format_func=lambda number: _("seed {seed}", seed=number),
            key=choices.one(state.SEED, row.seeds, seed, part=key), label_visibility="collapsed"
        )  # fmt: skip
    values = instance_values(store, visit, project, scored, _choice(row, seed))
    columns = {column.name: column for column in scored.table.columns if column.name in values.values}
    if not columns:
        st.info(_(_NO_VALUES), icon=":material/bar_chart:")
        return None
    chosen = places[1].selectbox(
        _("Metric"), list(columns), format_func=lambda name: named(columns[name]),
        key=choices.one(state.METRIC, list(columns), next(iter(columns)), part=key)
    )  # fmt: skip
    return _Picked(row, names[index], columns[chosen], _shared(scored, values, columns[chosen]))


def _pick_other(
    store: Store, visit: Visit, project: Project, scored: ScoredTable, picked: _Picked, container: DeltaGenerator
) -> tuple[str, metric_values.InstanceValues] | None:
    """Another row to take the difference to."""
    rows, names = scored.rows, names_of(scored.rows)
    others = {
        reference: n
        for n, (reference, row) in enumerate(zip(references_of(rows), rows, strict=True))
        if row is not picked.row and picked.column.name in row.numbers
    }
    options = [_NO_ROW, *others]
    chosen = container.selectbox(
        _("Subtract"), options,
        key=state.choices_of(project).one(
            state.MINUS, options, _NO_ROW, find=lambda reference: found_reference(reference, rows)
        ),
        format_func=lambda reference: names[others[reference]] if reference else in_brackets(_("none"))
    )  # fmt: skip
    if chosen not in others:
        return None
    other = rows[others[chosen]]
    of_other = instance_values(store, visit, project, scored, _choice(other, other.seeds[0]))
    return names[others[chosen]], _shared(scored, of_other, picked.column)


def _shared(scored: ScoredTable, values: metric_values.InstanceValues, column: Column) -> metric_values.InstanceValues:
    """The instances that the shown rows share for a column, where they do."""
    shared, behind = scored.table.shared.get(column.name), scored.table.behind
    if shared is None or behind is None:
        return values
    return metric_values.only(values, set(behind.ids[shared.keep].tolist()))


def _choice(row: MetricRow, seed: int | None) -> metric_values.RowChoice:
    return metric_values.RowChoice(row.model, row.method, row.kind, row.layer, row.parameters, seed)


def _behind(values: metric_values.InstanceValues, column: Column, what: str, *, kind: str | None = None) -> Behind:
    """Those for which the metric is defined."""
    of_metric = values.values.get(column.name, np.full(len(values.instances), np.nan)).tolist()
    pairs = [
        (instance, value)
        for instance, value in zip(values.instances, of_metric, strict=True)
        if np.isfinite(value) and (kind is None or instance.kind == kind)
    ]
    arrow = ARROWS[column.definition.direction]
    name = f"{title_in_words(column.definition)}{f' {arrow}' if arrow else ''}"
    return Behind(what, name, [instance for instance, _value in pairs], [value for _instance, value in pairs])


def _points(behind: Behind) -> list[Point]:
    return [
        Point(
            instance.id,
            instance.key,
            value,
            instance.p,
            None if instance.predicted is None or instance.result is None else instance.predicted == instance.result,
            instance.predicted is not None,
        )
        for instance, value in zip(behind.instances, behind.values, strict=True)
    ]


def clicked_point(project: Project, figure: Any, chart: str, alt: str) -> Sequence[Any]:
    """What stands behind the point or bar that was clicked."""
    event = show_chart(
        figure, key=f"metrics_{chart}_chart_{project.id}", on_select="rerun", selection_mode="points",
        config=saves_svg(f"{file_stem(project.name)}-{chart}"), alt=alt
    )  # fmt: skip
    points = event["selection"]["points"]
    return points[0].get("customdata", ()) if points else ()


def _say_how_many(n_points: int, n_instances: int) -> None:
    lines = []
    if n_instances > n_points:
        sentence = several(
            "{n} instance; {left_out} without a value excluded.",
            "{n} instances; {left_out} without a value excluded.", n_points, left_out=f"{n_instances - n_points:,}"
        )  # fmt: skip
        lines.append(sentence)
    if n_points > MOST_POINTS:
        lines.append(_("Points show a random {n} (seed 0).", n=f"{MOST_POINTS:,}"))
    st.caption(together(*lines, _("Click a point or bar to list it.")))


def _say_difference(comparison: metric_values.Comparison, name: str, other: str) -> None:
    if comparison.difference is None:
        return
    interval = comparison.interval
    bounds = (
        _("({low} to {high}, 95 % paired bootstrap)", low=written(interval.low), high=written(interval.high))
        if interval
        else ""
    )
    mean = f"**{signed(comparison.difference)}**{f' {bounds}' if bounds else ''}"
    words = _(
        "Mean difference {mean} over {instances}. {name} higher: {n_higher}; {other} higher: {n_lower}; "
        "equal: {n_equal}; unpaired, excluded: {n_left_out}.",
        mean=mean, instances=counted(len(comparison.instances), "instance"), name=as_text(name), other=as_text(other),
        n_higher=f"{comparison.n_higher:,}", n_lower=f"{comparison.n_lower:,}", n_equal=f"{comparison.n_equal:,}",
        n_left_out=f"{comparison.n_left_out:,}",
    )  # fmt: skip
    st.markdown(words)


def _say_perfect(row: MetricRow) -> None:
    """Stevens and Su's comparison, where the table has it."""
    perfect, other = (row.numbers.get(f"confidence.{name}") for name in ("perfect", "other"))
    if perfect is not None and other is not None and perfect.value is not None and other.value is not None:
        words = _(
            "Mean probability of correct predictions: {first} with gold ranked first (n {n_first}), "
            "otherwise {other} (n {n_other}); Stevens and Su 2021, section 5.",
            first=written(perfect.value), n_first=f"{perfect.n:,}", other=written(other.value), n_other=f"{other.n:,}",
        )  # fmt: skip
        st.caption(words)
