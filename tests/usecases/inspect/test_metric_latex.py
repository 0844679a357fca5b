"""The LaTeX of a project's table: the same rows, columns, numbers and marks as on the page."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.models import Run
from annotator.domain.numbers import written
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.scoring.reports import TrainingReport
from annotator.store import Store
from annotator.usecases.inspect.metric_formats import table_latex
from annotator.usecases.inspect.metrics_table import metric_view
from tests.usecases.transfer.comparing import (
    N,
    blind,
    knowing,
    mistaken,
    output,
    project_of,
    row_of,
    said,
    table_of,
    take,
)

F1 = "sets.best_f1"


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold, one is mistaken; the third looked at half of the texts."""
    made = project_of(make_project, import_rows)
    for model, scores, n in (("knowing", knowing, N), ("mistaken", mistaken, N), ("half", blind, N // 2)):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, k < 30)]) for k in range(n)))
    return made


def cells(made: str, name: str) -> list[str]:
    line = next(line for line in made.splitlines() if line.strip().startswith(name))
    return [cell.strip() for cell in line.removesuffix("\\\\").split("&")]


def test_the_best_is_bold_and_numbers_are_as_they_are_shown(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    rows = [row for row in table.rows if row.model != "half"]
    made = table_latex(table, rows, [table.column(F1)])
    values = {model: written(row_of(table, model).numbers[F1].value) for model in ("knowing", "mistaken")}
    assert cells(made, "knowing")[1] == f"\\textbf{{{values['knowing']}}}"
    assert cells(made, "mistaken")[1] == values["mistaken"]
    assert f"\\caption{{Metrics of Project (gold policy all), n = {N}. F1: Best-set token F1 (set by set).}}" in made
    assert f"}}{written(table.random.numbers[F1].value)} \\\\" in cells(made, "random")[1]


def test_rows_stand_under_their_model_where_one_has_several(store: Store, compared: Project) -> None:
    take(store, compared, (output(k, Run("knowing", "lime"), knowing(k), [said(k, k < 30)]) for k in range(N)))
    table = table_of(store, compared)
    made = [line.strip() for line in table_latex(table, table.rows, [table.column(F1)]).splitlines()]
    start = made.index(r"\multicolumn{2}{@{}l}{\emph{knowing, n = 40}} \\")
    assert made[start + 1].startswith("ig & ")
    assert made[start + 2].startswith("lime & ")
    assert made[start + 3] == r"\midrule"


def test_two_columns_of_one_short_name_have_their_titles(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    made = table_latex(table, table.rows, [table.column(F1), table.column("eraser.macro_f1")])
    assert r"Best-set \\ token \\ F1" in made
    assert r"Macro \\ F1" in made


def test_where_rows_are_over_different_instances_each_tells_its_n_and_the_notes_why_nothing_is_bold(
    store: Store, compared: Project
) -> None:
    table = table_of(store, compared)
    made = table_latex(table, table.rows, [table.column(F1)])
    assert "\\textbf{" not in made
    assert cells(made, "knowing")[0].endswith(f"{{\\scriptsize n = {N}}}")
    assert cells(made, "half")[0].endswith(f"{{\\scriptsize n = {N // 2}}}")
    assert "The rows are over different instances (n), so that none is marked as the best." in made
    assert f"n = {N // 2} to {N}" not in made


def test_n_stands_beside_the_model_where_all_of_its_rows_have_one(store: Store, compared: Project) -> None:
    take(store, compared, (output(k, Run("knowing", "lime"), knowing(k), [said(k, k < 30)]) for k in range(N)))
    table = table_of(store, compared)
    made = table_latex(table, table.rows, [table.column(F1)])
    assert f"\\emph{{knowing, n = {N}}}" in made
    assert cells(made, "lime")[0] == "lime"


def test_a_row_that_is_not_compared_is_named_with_the_reason(store: Store, compared: Project) -> None:
    view = metric_view(table_of(store, compared))
    made = table_latex(view.table, view.rows, view.columns)
    assert "since it lacks more than a fifth of the instances of the others, and therefore never bold: half" in made
    assert "over different instances (n)" not in made


def test_what_a_model_learned_from_and_what_is_too_few_are_told_below(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    learned: TrainingReport = {"is_known": True, "split": "train", "left_out": 21, "changed_left_out": 0, "seen": 0}
    rows = [replace(row, training=learned) if row.model == "half" else row for row in table.rows]
    made = table_latex(table, rows, [table.column(F1)])
    assert "half: 21 texts that it learned from (split train) are left out." in made
    assert "too few to say" not in made  # it has twenty
    take(store, compared, (output(k, Run("few", "ig"), blind(k), [said(k, k < 30)]) for k in range(9)))
    table = table_of(store, compared)
    made = table_latex(table, table.rows, [table.column(F1)])
    assert "too few to say whether a row is better than random: few $\\cdot$ ig." in made


def test_the_table_has_a_label(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    assert "\\label{tab:metrics-project}" in table_latex(table, table.rows, [table.column(F1)])


def test_what_is_printed_first_is_over_the_instances_that_competing_rows_have(store: Store, compared: Project) -> None:
    view = metric_view(table_of(store, compared))
    made = table_latex(view.table, view.rows, view.columns)
    assert "\\textbf{" in made
    assert [cells(made, name)[0] for name in ("knowing", "mistaken", "half", "random")]


def test_a_project_without_output_is_refused_with_what_helps(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    with pytest.raises(NotFound, match="There are no numbers of 'Project' yet"):
        metric_view(table_of(store, project_of(make_project, import_rows)))
