"""Sentence editing's table of a project: ranks by criterion over all, right and wrong answers, and F1 of “need edit”."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.paper_table import PaperRow, PaperTable
from annotator.store import Store
from annotator.usecases.papers.edits import edits_table
from annotator.usecases.papers.scored_rows import Choice
from tests.usecases.edited_sentences import answered, edited_project
from tests.usecases.transfer.comparing import take


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Project:
    return edited_project(store, tmp_path)


def row(table: PaperTable, group: str, title: str) -> PaperRow:
    return next(of for of in table.rows if of.group.startswith(group) and of.title == title)


def values(table: PaperTable, group: str, title: str) -> dict[str, float | None]:
    cells = row(table, group, title).cells
    return {column.title: cell.value for column, cell in zip(table.columns, cells, strict=True)}


def test_each_criterion_has_its_rows_over_all_right_and_wrong_answers(store: Store, project: Project) -> None:
    answered(store, project)
    table = edits_table(store, LOCAL_OPERATOR, project, Choice())
    assert list(dict.fromkeys(of.group for of in table.rows)) == [
        "Spelling (2 sentences)", "Deleted text (1 sentence)", "Every sentence with a gold label (6)",
    ]  # fmt: skip
    spelling = values(table, "Spelling", "bert · attention, all")
    assert (spelling["MRR"], spelling["n"], spelling["Top-1"]) == (pytest.approx((1 + 1 / 3) / 2), 2, 0.5)
    assert spelling["AUPRC"] == pytest.approx((1 + 1 / 6) / 2)  # one word at rank r: 1, else 1 / 2r
    assert values(table, "Spelling", "bert · attention, correct")["MRR"] == 1.0
    assert values(table, "Spelling", "bert · attention, wrong")["MRR"] == pytest.approx(1 / 3)
    assert values(table, "Deleted", "bert · attention, all")["MRR"] == 1.0


def test_f1_of_need_edit_is_of_a_criterions_sentences_and_of_every_sentence(store: Store, project: Project) -> None:
    answered(store, project)
    table = edits_table(store, LOCAL_OPERATOR, project, Choice())
    assert values(table, "Spelling", "bert · attention, all")["F1"] == pytest.approx(2 * 0.5 / 1.5)  # 2R / (1 + R)
    assert values(table, "Every", "bert")["F1"] == pytest.approx(2 * 3 / (4 + 4))  # 3 told of 4, and one too many
    assert any("F1 is that of the label “needs edit”" in note for note in table.notes)


def test_no_wrong_answer_is_said_and_the_correct_row_has_no_f1(store: Store, project: Project) -> None:
    answered(store, project)
    table = edits_table(store, LOCAL_OPERATOR, project, Choice())
    assert "answers wrongly" in row(table, "Deleted", "bert · attention, wrong").cells[0].reason
    f1 = row(table, "Deleted", "bert · attention, correct").cells[-1]
    assert (f1.value, f1.reason) == (None, "")


def test_seeds_are_one_row_with_their_deviation(store: Store, project: Project) -> None:
    for seed in (0, 1):
        answered(store, project, seed=seed)
    mrr = row(edits_table(store, LOCAL_OPERATOR, project, Choice()), "Spelling", "bert · attention, all").cells[0]
    assert (mrr.value, mrr.deviation, mrr.n_seeds) == (pytest.approx(2 / 3), 0.0, 2)


def test_gold_without_a_criterion_is_one_group_whose_f1_is_not_known(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project("editing", gold_policy="all")
    import_rows(made, [{"id": "line1", "text": "a b c d", "label": "positive", "rationales": [[[1, 2]]]}])
    answer = Prediction(None, {"positive": 1.0, "negative": 0.0})
    scores = (SourceAttribution((ScoredPart((0.0, 1.0, 0.0, 0.0)),)),)
    take(store, made, [SourceOutput("line1", Run("m", "ig"), "f", 1, None, (answer,), scores)])
    table = edits_table(store, LOCAL_OPERATOR, made, Choice())
    told = row(table, "Criterion not told (1 sentence)", "m · ig, all")
    assert told.cells[0].value == 1.0
    assert "no sentence says its criterion" in told.cells[-1].reason
    assert json.loads(json.dumps(dict(told.keys)))["criterion"] == ""
