"""Sentence editing's table of a project: ranks by criterion over all, right and wrong answers, and F1 of “need edit”."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.scoring.paper_table import PaperRow, PaperTable
from annotator.store import Store
from annotator.usecases.papers.edits import edits_table
from annotator.usecases.papers.scored_rows import Choice
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.usecases.transfer.comparing import take

# Two misspelt words, one deleted one, an insertion, and two sentences without an edit.
MARKUP = (
    "The <del>weigthed</del><ins>weighted</ins> mean .\n"
    "An <del>obtianed</del><ins>obtained</ins> one .\n"
    "It is <del>very </del>good .\n"
    "Both cross <ins>the </ins>zero .\n"
    "Nothing to mend .\n"
    "Nothing at all .\n"
)
# Of each line the scores, of which one is the edited word's, and whether the model tells an edit.
SAID: tuple[tuple[tuple[float, ...], bool], ...] = (
    ((0, 9, 1, 2), True),  # first
    ((5, 3, 4, 1), False),  # third: and the edit is missed
    ((5, 4, 6, 1, 0), True),  # "very", first
    ((1, 2, 3, 4), True),
    ((1, 2, 3, 4), True),  # an edit where there is none
    ((1, 2, 3, 4), False),
)


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Project:
    path = tmp_path / "edits.txt"
    path.write_text(MARKUP, encoding="utf-8")
    made = create_project(
        store, LOCAL_OPERATOR, "Edits", get_task("editing"), labels=["correct", "needs edit"]
    )  # fmt: skip
    import_file(store, LOCAL_OPERATOR, made, "aesw", path, ImportOptions())
    return made


def answered(store: Store, project: Project, model: str = "bert", seed: int | None = None) -> None:
    def output(number: int, scores: tuple[float, ...], needs_edit: bool) -> SourceOutput:
        prediction = Prediction(None, {"needs edit": float(needs_edit), "correct": float(not needs_edit)})
        attribution = SourceAttribution((ScoredPart(tuple(float(score) for score in scores)),))
        run = Run(model, "attention", seed=seed)
        return SourceOutput(f"line{number}", run, "f", number, None, (prediction,), (attribution,))

    take(store, project, (output(number, *of_line) for number, of_line in enumerate(SAID, start=1)))


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
