"""The table of metrics: models and methods down, metrics across; what the columns mean; everything as a file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.figures.metric_table import UNDEFINED, Cell, Head, Line, metric_table_html
from annotator.usecases.metric_csv import table_csv
from annotator.usecases.metric_shared import are_different
from annotator.usecases.metric_table import (
    RANDOM,
    Column,
    MetricRow,
    MetricTable,
    Number,
    best_layers,
    sorted_rows,
)
from annotator.usecases.metric_verdicts import Judged, best_rows, n_without_choice
from annotator.usecases.training_texts import words_of
from annotator.web.frame import as_text
from annotator.web.sections.metrics_columns import ARROWS, family_of, first_columns, named, show_meanings
from annotator.web.sections.metrics_numbers import Found
from annotator.web.sections.metrics_words import JudgedColumn, say_trust, say_verdicts

_PAGE = 60
_NOTHING = Judged()


@dataclass(frozen=True, slots=True)
class _View:
    """What is shown of a table. order: the column by which rows are sorted, None for the order they come in."""

    found: Found
    rows: Sequence[MetricRow]
    columns: Sequence[Column]
    order: Column | None
    differs: Mapping[str, bool]

    @property
    def is_shared(self) -> bool:
        return bool(self.found.shared)


def show(project: Project, found: Found) -> Found:
    """The table with what goes with it; answers the numbers as they are shown, for the charts."""
    _say_what_it_is_of(found)
    say_trust(found.table.rows)
    view, download = _choose(project, found)
    download.download_button(
        "All as CSV", partial(_csv, view.found), f"{_file_name(project)}-metrics.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key="metrics_csv",
        help="A line a number, of every metric, with its definition and source: of every row, or, where instances are shared, of "
        "the rows shown.",
    )  # fmt: skip
    if not view.columns or not view.rows:
        st.info("Choose at least one column and one row.", icon=":material/view_column:")
        return view.found
    _show_rows(project, view)
    _show_counts(view.rows)
    return view.found


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
    told = [counted(len(seeds), "seed")] if len(seeds) > 1 else [f"seed {seed}" for seed in seeds]
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
        f"{counted(n, 'instance')} with gold ({table.gold_policy}{split})",
        *([f"{n_without:,} without sets"] if n_without else []),
        counted(gold["sets"], "set"),
        f"k = ceil(RLR × tokens), RLR {ratios}",
        *([] if n_exhaustive == n else [_recall(n_exhaustive)]),
    ]
    st.caption(as_text(" · ".join(parts)))


def _recall(n_exhaustive: int) -> str:
    """What a recall says where gold does not mark all evidence (DeYoung et al. 2020, section 4.1)."""
    if not n_exhaustive:
        return "gold is not said to mark all evidence: recall does not measure comprehensiveness"
    return f"only the {counted(n_exhaustive, 'instance')} whose gold marks all evidence let recall measure comprehensiveness"


def _choose(project: Project, found: Found) -> tuple[_View, DeltaGenerator]:
    """The controls over the table; answers what they ask for, and the place of the file."""
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
    differs = {column.name: are_different(table, rows, column) for column in columns}
    if any(differs.values()) and _wants_shared(project):
        found = found.over_shared(rows)
        rows = list(found.table.rows)
    return _View(found, sorted_rows(rows, order) if order is not None else rows, columns, order, differs), download


def _wants_shared(project: Project) -> bool:
    return st.toggle(
        "Only instances that all shown rows have", value=True, key=f"metrics_shared_{project.id}", persist_state="session",
        help="The rows shown are over different instances. Off, each row is over its own, and none is marked best. A row that "
        "lacks more than a fifth of what at least half of the others have does not compete, and takes no instance from them.",
    )  # fmt: skip


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


def _show_rows(project: Project, view: _View) -> None:
    """One page of the rows; random stands under each."""
    columns, table = [_judged(view, column) for column in view.columns], view.found.table
    n_pages = -(-len(view.rows) // _PAGE)
    page = 1
    if n_pages > 1:
        page = int(st.number_input(f"Page of {n_pages}", 1, n_pages, key=f"metrics_page_{project.id}"))
    shown = range(_PAGE * (page - 1), min(_PAGE * page, len(view.rows)))
    lines = [_line(view.rows[n], [column.cell(n) for column in columns]) for n in shown]
    if table.random.numbers:
        lines.append(_line(table.random, [_random_cell(table, column) for column in view.columns]))
    heads = [_head(column, view) for column in view.columns]
    st.html(metric_table_html(heads, lines, corner="Model · method", label="Metrics by model and method"))
    st.caption(
        "★ best of its column among rows that are over the same instances and better than random; of drops of probability and "
        "of confidence, best of its model · – not defined, or not there · n: instances behind a mean · … to …: bootstrap "
        "interval, 95 % · ±: deviation over seeds"
    )
    say_verdicts(columns, shown, [title_of(row) for row in view.rows], n_without_choice(table))


def _judged(view: _View, column: Column) -> JudgedColumn:
    verdicts = view.found.judged(view.rows, column)
    shared = view.found.table.shared.get(column.name)
    lacking = [0.0 if shared is None else shared.lacking.get(row.key, 0.0) for row in view.rows]
    may_mark = view.is_shared or not view.differs[column.name]
    best = best_rows(view.rows, column, verdicts, [share > 0 for share in lacking]) if may_mark else set()
    n_in_head = None if shared is None else shared.n
    cells = [
        _cell(row.numbers.get(column.name), n in best, verdicts[n], lacking[n], n_in_head)
        for n, row in enumerate(view.rows)
    ]
    return JudgedColumn(column, verdicts, cells)


def _head(column: Column, view: _View) -> Head:
    definition = column.definition
    shared = view.found.table.shared.get(column.name)
    notes = [family_of(column), *(["best first"] if column == view.order else [])]
    if shared is not None:
        notes.append(f"n {shared.n:,} that all have")
    elif view.differs[column.name]:
        notes.append("no instance in common" if view.is_shared else "over different instances")
    return Head(
        column.group, definition.title, " · ".join(notes), ARROWS[definition.direction],
        f"{definition.definition}. {definition.source}", column == view.order,
    )  # fmt: skip


def _line(row: MetricRow, cells: Sequence[Cell]) -> Line:
    is_random = row.model == RANDOM and not row.kind
    details = ["ten seeds"] if is_random else [detail_of(row), words_of(row.training)]
    return Line(title_of(row), " · ".join(part for part in details if part), cells, is_baseline=is_random)


def _cell(
    number: Number | None,
    is_best: bool = False,
    found: Judged = _NOTHING,
    lacking: float = 0.0,
    n_in_head: int | None = None,
) -> Cell:
    if number is None:
        return Cell(UNDEFINED)
    notes = [*_notes(number, n_in_head), *found.lines]
    if lacking:
        notes.append(f"lacks {100 * lacking:.0f} %: does not compete")
    return Cell(UNDEFINED if number.value is None else f"{number.value:.3f}", tuple(notes), is_best)


def _random_cell(table: MetricTable, column: Column) -> Cell:
    shared = table.shared.get(column.name)
    return _cell(table.random.numbers.get(column.name), n_in_head=None if shared is None else shared.n)


def _notes(number: Number, n_in_head: int | None) -> list[str]:
    """The interval, the deviation over seeds, and over how many instances, where the head of the column does not say it."""
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(f"{number.low:.3f} to {number.high:.3f}")
    if number.deviation is not None:
        notes.append(f"± {number.deviation:.3f}")
    if number.n is not None and (number.n != n_in_head or number.n_left_out):
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
