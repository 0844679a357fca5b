"""The table of metrics: models and methods down, metrics across; what the columns mean; everything as a file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from annotator.domain.projects import Project
from annotator.figures.metric_table import UNDEFINED, Cell, Head, Line, metric_table_html
from annotator.usecases.metric_csv import table_csv
from annotator.usecases.metric_table import (
    RANDOM,
    Column,
    MetricRow,
    MetricTable,
    Number,
    best_layers,
    best_rows,
    sorted_rows,
)
from annotator.web.frame import as_text
from annotator.web.sections.metrics_columns import ARROWS, family_of, first_columns, named, show_meanings
from annotator.web.sections.metrics_numbers import Found

_PAGE = 60


@dataclass(frozen=True, slots=True)
class _View:
    """What is shown of a table. order: the column by which rows are sorted, None for the order they come in."""

    rows: Sequence[MetricRow]
    columns: Sequence[Column]
    order: Column | None


def show(project: Project, found: Found) -> None:
    """The table with what goes with it."""
    _say_what_it_is_of(found)
    view = _choose(project, found)
    if not view.columns or not view.rows:
        st.info("Choose at least one column and one row.", icon=":material/view_column:")
        return
    _show_rows(project, found.table, view)
    _show_counts(view.rows)


def title_of(row: MetricRow) -> str:
    """A row in a few words: its model and method, the layer, and whether it is of what was selected or ranked."""
    parts = [row.model, row.method or ("" if row.model == RANDOM else "its answers")]
    parts += [] if row.layer is None else [f"layer {row.layer}"]
    parts += [row.kind] if row.kind in {"hard", "ranked"} and row.kind not in row.method else []
    return " · ".join(part for part in parts if part)


def detail_of(row: MetricRow) -> str:
    """What a row's runs were made with."""
    parameters = [f"{name} {value}" for name, value in json.loads(row.parameters).items()]
    seeds = [seed for seed in row.seeds if seed is not None]
    told = [f"{len(seeds)} seeds"] if len(seeds) > 1 else [f"seed {seed}" for seed in seeds]
    return ", ".join([*parameters, *told])


def names_of(rows: Sequence[MetricRow]) -> list[str]:
    """The rows by name, each another one: what they were made with is told where the rest is the same."""
    titles = [title_of(row) for row in rows]
    return [
        f"{title} ({detail_of(row)})" if titles.count(title) > 1 and detail_of(row) else title
        for row, title in zip(rows, titles, strict=True)
    ]


def _say_what_it_is_of(found: Found) -> None:
    table, gold = found.table, found.table.gold
    ratios = ", ".join(f"{f'{side} ' if side else ''}{ratio:.3f}" for side, ratio in gold["ratios"].items())
    n, n_without, n_exhaustive = gold["instances"], gold["instances_without_sets"], gold["exhaustive_instances"]
    split = "" if found.asked.split is None else f", split {found.asked.split or '(none)'}"
    parts = [
        f"{n:,} instance{'s' if n != 1 else ''} with gold ({table.gold_policy}{split})",
        *([f"{n_without:,} without sets"] if n_without else []),
        f"{gold['sets']:,} sets",
        f"k = ceil(RLR × tokens), RLR {ratios}",
        *([] if n_exhaustive == n else [_recall(n_exhaustive)]),
    ]
    st.caption(as_text(" · ".join(parts)))


def _recall(n_exhaustive: int) -> str:
    """What a recall says where gold does not mark all evidence (DeYoung et al. 2020, section 4.1)."""
    if not n_exhaustive:
        return "gold is not said to mark all evidence: recall does not measure comprehensiveness"
    return f"only the {n_exhaustive:,} instances whose gold marks all evidence let recall measure comprehensiveness"


def _choose(project: Project, found: Found) -> _View:
    """The controls over the table."""
    table = found.table
    pick, filtering, sorting, meaning, download = st.columns([1, 0.9, 1.8, 1.3, 1.1], vertical_alignment="bottom")
    with pick.popover("Columns", icon=":material/view_column:", width="stretch"):
        columns = _choose_columns(project, table)
    with sorting:
        order = _choose_order(project, columns)
    with filtering.popover("Rows", icon=":material/filter_list:", width="stretch"):
        rows = _choose_rows(project, table, order or (columns[0] if columns else None))
    with meaning.popover("What they mean", icon=":material/menu_book:", width="stretch"):
        show_meanings(columns)
    download.download_button(
        "All as CSV", partial(_csv, found), f"{_file_name(project)}-metrics.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key="metrics_csv",
        help="A line a number, of every row and every metric, with its definition and source.",
    )  # fmt: skip
    return _View(sorted_rows(rows, order) if order is not None else rows, columns, order)


def _choose_columns(project: Project, table: MetricTable) -> list[Column]:
    by_name = {column.name: column for column in table.columns}
    key = f"metrics_columns_{project.id}"
    # Another gold policy or split may have other columns.
    st.session_state[key] = [n for n in st.session_state.get(key, first_columns(table)) if n in by_name]
    chosen = st.multiselect(
        f"Columns, of {len(by_name)}", list(by_name), key=key, persist_state="session",
        format_func=lambda name: f"{by_name[name].group}: {named(by_name[name])}",
    )  # fmt: skip
    return [column for column in table.columns if column.name in chosen]


def _choose_order(project: Project, columns: Sequence[Column]) -> Column | None:
    by_name = {column.name: column for column in columns}
    key = f"metrics_order_{project.id}"
    if st.session_state.get(key, "") not in by_name:
        st.session_state[key] = ""
    chosen = st.selectbox(
        "Rows by", ["", *by_name], key=key, persist_state="session", label_visibility="collapsed",
        format_func=lambda name: f"Rows by {named(by_name[name])}" if name else "Rows by model and method",
    )  # fmt: skip
    return by_name.get(chosen)


def _choose_rows(project: Project, table: MetricTable, by: Column | None) -> list[MetricRow]:
    rows = list(table.rows)
    for word, values in (
        ("model", [row.model for row in table.rows]),
        ("method", [row.method for row in table.rows if row.method]),
    ):
        chosen = st.multiselect(
            f"Only {word}s", list(dict.fromkeys(values)), key=f"metrics_{word}s_{project.id}", placeholder="all",
            persist_state="session",
        )  # fmt: skip
        rows = [row for row in rows if not chosen or getattr(row, word) in chosen]
    if by is not None and any(row.layer is not None for row in table.rows):
        only_best = st.checkbox(
            f"Of several layers only the best by {named(by)}",
            key=f"metrics_layers_{project.id}",
            persist_state="session",
        )
        return best_layers(rows, by) if only_best else rows
    return rows


def _csv(found: Found) -> str:
    return table_csv(found.table, split=found.asked.split, explained=found.asked.explained)


def _file_name(project: Project) -> str:
    return "".join(c if c.isalnum() else "-" for c in project.name).strip("-") or "project"


def _show_rows(project: Project, table: MetricTable, view: _View) -> None:
    """One page of the rows; random stands under each."""
    best = {column.name: best_rows(view.rows, column) for column in view.columns}
    n_pages = -(-len(view.rows) // _PAGE)
    page = 1
    if n_pages > 1:
        page = int(st.number_input(f"Page of {n_pages}", 1, n_pages, key=f"metrics_page_{project.id}"))
    shown = range(_PAGE * (page - 1), min(_PAGE * page, len(view.rows)))
    lines = [_line(view.rows[n], view.columns, [n in best[column.name] for column in view.columns]) for n in shown]
    if table.random.numbers:
        lines.append(_line(table.random, view.columns, [False] * len(view.columns)))
    heads = [_head(column, column == view.order) for column in view.columns]
    st.html(metric_table_html(heads, lines, corner="Model · method", label="Metrics by model and method"))
    st.caption(
        "★ best of its column (random left aside) · – not defined, or not there · n: instances behind a mean · … to …: bootstrap "
        "interval, 95 % · ±: deviation over seeds"
    )


def _head(column: Column, is_sorted: bool) -> Head:
    definition = column.definition
    return Head(
        column.group, definition.title, family_of(column), ARROWS[definition.direction],
        f"{definition.definition}. {definition.source}", is_sorted,
    )  # fmt: skip


def _line(row: MetricRow, columns: Sequence[Column], is_best: Sequence[bool]) -> Line:
    cells = [_cell(row.numbers, column.name, best) for column, best in zip(columns, is_best, strict=True)]
    detail = "ten seeds" if row.model == RANDOM and not row.kind else detail_of(row)
    return Line(title_of(row), detail, cells, is_baseline=row.model == RANDOM and not row.kind)


def _cell(numbers: Mapping[str, Number], name: str, is_best: bool) -> Cell:
    number = numbers.get(name)
    if number is None:
        return Cell(UNDEFINED)
    return Cell(UNDEFINED if number.value is None else f"{number.value:.3f}", tuple(_notes(number)), is_best)


def _notes(number: Number) -> list[str]:
    """The interval, the deviation over seeds, and over how many instances."""
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(f"{number.low:.3f} to {number.high:.3f}")
    if number.deviation is not None:
        notes.append(f"± {number.deviation:.3f}")
    if number.n is not None:
        notes.append(f"n {number.n:,}" + (f", {number.n_left_out:,} left out" if number.n_left_out else ""))
    return notes


def _show_counts(rows: Sequence[MetricRow]) -> None:
    """What was scored of each row, and what one should know of it."""
    names = list(dict.fromkeys(name for row in rows for name in row.counts))
    differ = {name for row in rows for name, deviation in row.count_deviations.items() if deviation}
    told = [
        {"row": title_of(row), **{name.replace("_", " "): _count(row, name, name in differ) for name in names}}
        for row in rows
    ]
    with st.expander("What was scored and what was left out, row by row"):
        st.dataframe(told, hide_index=True, key="metrics_counts", height=min(360, 38 + 35 * len(rows)))
        st.caption(
            "Ties at k are broken by position. Instances seen in part have tokens that the model did not see: these rank last. "
            "Of several seeds the counts are means, with ± their standard deviation where they differ."
        )


def _count(row: MetricRow, name: str, differs: bool) -> float | str | None:
    """A number; as words, with the deviation, where seeds of some row differ."""
    count, deviation = row.counts.get(name), row.count_deviations.get(name)
    if count is None or not differs:
        return count
    return f"{count:,.1f} ± {deviation:,.1f}" if deviation else f"{count:,g}"
