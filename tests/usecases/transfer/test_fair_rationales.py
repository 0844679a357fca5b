"""FairRationales (Thorn Jakobsen et al. 2023): six annotators a text, and attributions of three models by two methods on two sets.

The attributions are brought into the generic form (id, model, method, token_index, token, score) as a user would do it; what
does not fit the texts, and NaN, is refused by name, and the rest gives a table of plausibility by model and method.
"""

import ast
import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.annotate.annotations import count_of_ties
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from tests.conftest import SHARED_DATA, needs_data

FOLDER = SHARED_DATA / "fair_rationales"
SETS = {"dynasent": "dynasent", "sst2": "SST"}
METHODS = {"lrp": "lrp", "attn_rollout": "attention"}  # and the column of the scores
MODELS = ("bert-base-uncased", "distilbert-base-uncased", "prajjwal1_bert-tiny")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scores_of(text: str) -> list[float]:
    return [float(number) for number in text.strip("[]").split(",")] if text.strip("[] ") else []


def in_generic_form(path: Path, keys: dict[tuple[str, str], str]) -> dict[str, str]:
    """Every file as one CSV; answers what was wrong with a text's own row in the source, by (model, method, key)."""
    wrong: dict[str, str] = {}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "model", "method", "token_index", "token", "score"])
        for data_set, name in SETS.items():
            for method, column in METHODS.items():
                for model in MODELS:
                    source = FOLDER / "raw" / "attributions" / f"{method}_{model}_{data_set}_attention.csv"
                    for row in rows_of(source):
                        key = keys.get((name, row["originaldata_id"]))
                        if key is None:
                            continue
                        tokens, scores = ast.literal_eval(row["tokens_merged"]), scores_of(row[column])
                        if any(math.isnan(score) for score in scores):
                            wrong[f"{model} {method} {key}"] = "NaN"
                        for index, (token, score) in enumerate(zip(tokens, scores, strict=False)):
                            writer.writerow([key, model, method, index, token, score])
    return wrong


@pytest.fixture
def sentiment(store: Store, tmp_path: Path) -> tuple[Project, dict[tuple[str, str], str]]:
    """The texts of both sentiment sets with all six annotators, each one's set a set of its own."""
    rows = [json.loads(line) for line in (FOLDER / "canonical.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["task"] == "classification"]
    path = tmp_path / "canonical.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = create_project(
        store, LOCAL_OPERATOR, "Fair", get_task("sentiment"), settings=ProjectSettings(gold_policy="all")
    )
    report = import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
    assert report.n_problems == 0
    keys = {(row["dataset"].split("/")[1], row["meta"]["original_id"]): row["id"] for row in rows}
    return find_project(store, "Fair"), keys


def imported(store: Store, project: Project, path: Path) -> ImportReport:
    options = ImportOptions(skip_invalid=True)
    return import_file(store, LOCAL_OPERATOR, project, "attributions-csv", path, options)


@needs_data
def test_six_annotators_and_three_models_give_a_table_of_plausibility_by_model_and_method(
    store: Store, tmp_path: Path, sentiment: tuple[Project, dict[tuple[str, str], str]]
) -> None:
    project, keys = sentiment
    wrong = in_generic_form(tmp_path / "attributions.csv", keys)
    report = imported(store, project, tmp_path / "attributions.csv")
    assert report.n_problems >= len(wrong) > 0
    for (
        problem
    ) in report.problems:  # each by its text's name, with the piece that is not the text's, or the score that is none
        assert problem.value in set(keys.values()) or "is not finite" in problem.reason
        assert "Piece" in problem.reason or any(key in problem.reason for key in keys.values())

    numbers = evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(n_resamples=200))
    table: dict[tuple[str, str], dict[str, Any]] = {
        (model["model"], row["method"]): row["plausibility"] for model in numbers["models"] for row in model["methods"]
    }
    assert set(table) == {(model, method) for model in MODELS for method in METHODS}
    for place, row in table.items():
        for name in ("sets.best_f1", "editing.average_precision", "eraser.auprc"):
            assert 0 < row[name]["low"] <= row[name]["value"] <= row[name]["high"] < 1, (place, name)
    n_scored = sum(row["sets.best_f1"]["n"] + row["sets.best_f1"]["n_left_out"] for row in table.values())
    n_tied = count_of_ties(store, project.id)  # texts whose annotators gave both labels as often have no gold
    assert 0 < report.n_new - n_scored <= n_tied * len(MODELS) * len(METHODS)
