"""ER-TEST's table: accuracy by project, marks against the base, contrast sets and functional tests."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, NotFound
from annotator.metrics.aggregate import Interval
from annotator.scoring.paper_table import PaperCell, PaperTable
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.usecases.inspect.model_comparison import PartComparison
from annotator.usecases.papers.er_test import Trained, er_test_table, is_different
from annotator.usecases.project.projects import create_project
from annotator.usecases.suites.files import import_suite, import_suite_predictions

Importer = Callable[..., Any]
TRAINED = Trained.of(["None=n"], ["MAE=m0", "MAE=m1"])
N = 8


@pytest.fixture
def projects(store: Store, import_rows: Importer) -> list[Project]:
    """Eight texts in distribution, of which two have a changed version, and four out of it; all originals are “yes”."""
    made = [
        create_project(store, LOCAL_OPERATOR, name, get_task("sentiment"), labels=["no", "yes"])
        for name in ("ID", "OOD")
    ]
    rows: list[dict[str, object]] = [{"id": f"t{n}", "text": f"text {n}", "label": "yes"} for n in range(N)]
    changed = {"label": "no", "perturbation_kind": "importance"}
    rows += [{"id": f"t{n}c", "text": f"other {n}", "parent": f"t{n}", **changed} for n in (0, 1)]
    import_rows(made[0], rows)
    import_rows(made[1], [{"id": f"o{n}", "text": f"far {n}", "label": "yes"} for n in range(4)])
    return made


def answer(store: Store, project: Project, model: str, yes: Mapping[str, bool], seed: int | None = None) -> None:
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run(model, "", "{}", seed))
        ids = {key: number for key, [(_, _, number)] in ids_of_keys(store, project.id, list(yes)).items()}
        outputs = [
            Output(ids[key], (Prediction(None, {"yes": float(says_yes), "no": float(not says_yes)}),))
            for key, says_yes in yes.items()
        ]
        store_outputs(store, run, outputs)


def texts(n_right: int) -> dict[str, bool]:
    """The first n texts right, and all changed versions wrong."""
    return {**{f"t{n}": n < n_right for n in range(N)}, "t0c": True, "t1c": True}


def cell(table: PaperTable, row: str, column: str) -> PaperCell:
    at = [of.name for of in table.columns].index(column)
    return next(of for of in table.rows if of.title == row).cells[at]


def test_the_first_project_is_in_distribution_and_trainings_of_one_title_are_seeds_of_one_row(
    store: Store, projects: list[Project]
) -> None:
    answer(store, projects[0], "n", texts(4))
    for model, n_right in (("m0", 6), ("m1", 8)):
        answer(store, projects[0], model, texts(n_right))
    answer(store, projects[1], "m0", {f"o{n}": n < 3 for n in range(4)})
    table = er_test_table(store, LOCAL_OPERATOR, projects, TRAINED)
    assert [(of.title, of.group, of.scale) for of in table.columns][:2] == [
        ("ID", "In distribution", 100), ("OOD", "Out of distribution", 100),
    ]  # fmt: skip
    assert [of.title for of in table.rows] == ["None", "MAE", "majority label"]
    assert cell(table, "None", "accuracy.ID").value == 0.4
    mae = cell(table, "MAE", "accuracy.ID")
    assert (mae.value, mae.deviation, mae.n, mae.n_seeds) == (pytest.approx(0.7), pytest.approx(0.02**0.5), 10, 2)
    assert "no answers of the model" in cell(table, "None", "accuracy.OOD").reason
    assert cell(table, "majority label", "accuracy.ID").value == 0.8


def test_a_row_with_another_number_of_runs_than_the_base_is_not_compared_and_a_note_says_so(
    store: Store, projects: list[Project]
) -> None:
    for model in ("n0", "n1", "n2", "m0", "m1"):
        answer(store, projects[0], model, texts(8 if model[0] == "m" else 2))
    trained = Trained.of(["None=n0", "None=n1", "None=n2"], ["MAE=m0", "MAE=m1"])
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], trained)
    assert any("not compared with the base, which has another number of runs" in note for note in table.notes)
    assert cell(table, "MAE", "accuracy.ID").mark == ""


def test_contrast_sets_have_original_contrast_and_their_difference(store: Store, projects: list[Project]) -> None:
    answer(store, projects[0], "n", texts(1))
    answer(store, projects[0], "m0", {**texts(8), "t0c": False})
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], ["m0"]))
    names = [f"contrast.{part}.ID" for part in ("original", "contrast", "delta")]
    assert [cell(table, "m0", name).value for name in names] == [1.0, 0.5, -0.5]
    assert [cell(table, "n", name).value for name in names] == [0.5, 0.0, -0.5]
    assert cell(table, "majority label", names[0]) == PaperCell()


def test_of_few_texts_the_exact_test_marks_a_difference_and_the_caption_says_so(
    store: Store, projects: list[Project], import_rows: Importer
) -> None:
    import_rows(projects[1], [{"id": f"q{n}", "text": f"near {n}", "label": "yes"} for n in range(6)])
    keys = [f"q{n}" for n in range(6)] + [f"o{n}" for n in range(4)]
    answer(store, projects[1], "n", dict.fromkeys(keys, False))
    answer(store, projects[1], "better", dict.fromkeys(keys, True))  # ten won, none lost: p = 2 / 1024
    answer(store, projects[1], "same", {key: number < 2 for number, key in enumerate(keys)})  # two won: p = .5
    table = er_test_table(store, LOCAL_OPERATOR, projects[1:], Trained.of(["n"], ["better", "same"]))
    assert [cell(table, row, "accuracy.OOD").mark for row in ("n", "better", "same")] == ["", "*", ""]
    assert "differs from “n”" in table.caption
    assert "McNemar" in table.caption


@pytest.mark.parametrize(
    ("n", "low", "p", "expected"),
    [(60, 0.01, 0.9, True), (60, -0.01, 0.001, False), (49, 0.01, 0.9, False), (49, -0.01, 0.001, True)],
)
def test_from_fifty_texts_on_the_interval_decides(n: int, low: float, p: float, expected: bool) -> None:
    runs: Any = {"value": 0.5, "deviation": None, "runs": [0.5]}
    interval = Interval(low, 0.1, 0.95, 1000, 0)
    part = PartComparison(n, runs, runs, 0.05, interval, runs, (1,), (0,), (1,), (1,), (p,))
    assert is_different(part) is expected


def test_failure_rates_of_a_stored_suite_stand_by_capability(
    store: Store, projects: list[Project], tmp_path: Path
) -> None:
    cases = [
        {"test": test, "type": "MFT", "category": category, "case": number, "texts": ["x"], "label": "yes"}
        for test, category in (("t", "Vocabulary"), ("u", "Logic"))
        for number in range(2)
    ]
    suite = tmp_path / "suite.jsonl"
    suite.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    import_suite(store, LOCAL_OPERATOR, projects[0], suite, "S")
    labels = {("t", 0): "yes", ("t", 1): "no", ("u", 0): "yes", ("u", 1): "yes"}
    told = [{"test": test, "case": case, "position": 0, "label": label} for (test, case), label in labels.items()]
    path = tmp_path / "told.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in told), encoding="utf-8")
    import_suite_predictions(store, LOCAL_OPERATOR, projects[0], "S", [path], model="m0")
    for model in ("n", "m0"):
        answer(store, projects[0], model, texts(8))
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], ["MAE=m0"]))
    columns = [of for of in table.columns if of.group == "Failure rate, S"]
    assert [(of.title, of.arrow, of.scale) for of in columns] == [
        ("Vocabulary", "↓", 100), ("Logic", "↓", 100), ("All tests", "↓", 100),
    ]  # fmt: skip
    assert [cell(table, "MAE", of.name).value for of in columns] == [0.5, 0.0, 0.25]
    assert cell(table, "n", columns[0].name).reason == "the model has not answered all of these tests"


def test_without_a_base_nothing_is_marked_and_all_models_are_rows(store: Store, projects: list[Project]) -> None:
    for model, n_right in (("n", 0), ("m0", 8)):
        answer(store, projects[0], model, texts(n_right))
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of([], []))
    assert {of.title for of in table.rows} == {"n", "m0", "majority label"}
    assert {of.mark for row in table.rows for of in row.cells} == {""}
    assert "No base was named" in table.caption


def test_a_split_without_texts_and_a_model_that_is_not_there(store: Store, projects: list[Project]) -> None:
    answer(store, projects[0], "n", texts(4))
    options = ScoringOptions(split="test")
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], []), options)
    assert cell(table, "n", "accuracy.ID").reason == "no text has a gold label and an answer, and was not learned from"
    with pytest.raises(NotFound, match="None of these projects has a model 'x' \\(there is n\\)"):
        er_test_table(store, LOCAL_OPERATOR, projects, Trained.of(["n"], ["x"]))
    with pytest.raises(InvalidValue, match="write MODEL, or TITLE=MODEL"):
        Trained.of(["None="], [])
