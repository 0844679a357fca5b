"""The table of metrics as people read it, on the page and in a report."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Run
from annotator.domain.projects import Project
from annotator.scoring.shared_instances import are_different, over_shared
from annotator.store import Store
from annotator.usecases.inspect.shown_table import TableView, head_of, judged_column
from tests.usecases.transfer.comparing import N, blind, knowing, output, project_of, said, table_of, take

F1 = "sets.best_f1"


@pytest.fixture
def apart(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold of the first texts, another one has no idea of the others."""
    made = project_of(make_project, import_rows)
    for model, scores, places in (("knowing", knowing, range(N // 2)), ("blind", blind, range(N // 2, N))):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, True)]) for k in places))
    return made


def test_where_rows_have_no_instance_in_common_none_is_marked_as_the_best(store: Store, apart: Project) -> None:
    table = table_of(store, apart)
    column = table.column(F1)
    shared = over_shared(table, table.rows)
    differs = {F1: are_different(table, table.rows, column)}
    view = TableView(shared, shared.rows, [column], differs, is_shared=True)
    judged = judged_column(view, column)
    assert [verdict.verdict.word for verdict in judged.verdicts if verdict.verdict is not None] == [
        "not told",
        "better",
    ]
    assert not any(cell.is_best for cell in judged.cells)
    assert "no instance in common" in head_of(column, view).family


def test_the_head_says_how_many_of_the_rows_share_the_instances(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = project_of(make_project, import_rows)
    for model, places in (("whole", range(N)), ("nearly", range(1, N)), ("few", range(N // 4))):
        take(store, made, (output(k, Run(model, "ig"), knowing(k), [said(k, True)]) for k in places))
    table = table_of(store, made)
    column = table.column(F1)
    shared = over_shared(table, table.rows)
    view = TableView(shared, shared.rows, [column], {F1: True}, is_shared=True)
    assert f"n {N - 1} shared by 2 of 3 rows" in head_of(column, view).family
    both = [row for row in shared.rows if row.model != "few"]
    assert (
        f"n {N - 1} shared by all rows"
        in head_of(column, TableView(shared, both, [column], {F1: True}, is_shared=True)).family
    )
