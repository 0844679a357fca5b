"""What goes out comes in again as it was: samples, gold as CSV, and real data of others."""

import ast
import csv
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.instances import GoldInstance
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy, Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused
from annotator.formats.base import ReadOptions
from annotator.formats.rows.csv_rows import column_choices
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.annotate.annotations import accepted_of, annotations_of
from annotator.usecases.databases import find_project
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import everything_of, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from tests.conftest import SHARED_DATA, needs_data
from tests.formats.test_registry import CASES, SAMPLES
from tests.usecases.transfer.test_export import content_of


def exported(store: Store, name: str, folder: Path) -> bytes:
    """A project's own export without its name and the record of what was done."""
    path = folder / f"{name}.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, name), "jsonl", path)
    header, *lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(b'{"record":"event"')]
    return header.replace(name.encode(), b"") + b"".join(kept)


@pytest.mark.parametrize(("format_name", "path", "task", "labels"), [case[:4] for case in CASES])
def test_a_sample_imported_again_and_brought_back_from_our_own_export_is_byte_equal(
    store: Store, tmp_path: Path, format_name: str, path: str, task: str, labels: tuple[str, ...]
) -> None:
    first = create_project(store, LOCAL_OPERATOR, "First", get_task(task), labels=labels)
    import_file(store, LOCAL_OPERATOR, first, format_name, SAMPLES / path)
    before = exported(store, "First", tmp_path)
    for options in (ImportOptions(), ImportOptions(update=True)):
        report = import_file(store, LOCAL_OPERATOR, find_project(store, "First"), format_name, SAMPLES / path, options)
        assert (report.n_new, report.n_updated, report.n_problems) == (0, 0, 0)
        assert exported(store, "First", tmp_path) == before
    second = create_project(store, LOCAL_OPERATOR, "Second", get_task(task))
    import_file(store, LOCAL_OPERATOR, second, "jsonl", tmp_path / "First.jsonl")
    assert exported(store, "Second", tmp_path) == before


# Our own CSV of gold, read again: the gold is what it was.

Export = Callable[..., Any]


@pytest.fixture
def with_gold(make_project: Callable[..., Project], import_rows: Export) -> Project:
    made: Project = make_project(gold_policy="all")
    text = {"id": "a", "text": "Good, really good food.", "label": "positive", "split": "test", "exhaustive": True}
    import_rows(made, [
        {**text, "annotator": "ada; of Rome", "rationales": [[[0, 1], [3, 4]], [[3, 5]]]},
        {**text, "annotator": "ben", "rationales": [[[3, 5]], [[0, 1]]]},
        {"id": "=b", "text": "'-1 for the soup", "label": "negative", "annotator": "ben", "rationales": []},
        {"id": "c", "text": "New York wins", "tokens": ["New York", "wins"], "label": "positive",
         "annotator": "ben", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "control"},
    ])  # fmt: skip
    return made


def _import(store: Store, with_gold: Project, path: Path, **options: object) -> ImportReport:
    return import_file(store, LOCAL_OPERATOR, with_gold, "csv", path, ImportOptions(**options))  # type: ignore[arg-type]


def _gold(store: Store, with_gold: Project, policy: GoldPolicy) -> list[tuple[object, ...]]:
    return [_of_instance(item) for item in gold_instances(store, with_gold, policy)]


def _of_instance(gold: GoldInstance) -> tuple[object, ...]:
    instance = gold.instance
    texts = tuple((s.name, s.body.text, tuple(s.body.tokens())) for s in instance.segments)
    of_version = (instance.parent_key, instance.perturbation_kind, instance.is_exhaustive, instance.target)
    sets = sorted(rationale_set.token_indices for rationale_set in gold.sets)
    return instance.key, instance.split, instance.language, gold.result, *of_version, texts, sets


@pytest.mark.parametrize("policy", ["all", "chosen", "union", "majority"])
@pytest.mark.parametrize("has_names", [True, False])
def test_gold_that_was_written_as_csv_is_the_same_gold_when_it_is_read(
    store: Store,
    with_gold: Project,
    make_project: Callable[..., Project],
    tmp_path: Path,
    policy: GoldPolicy,
    has_names: bool,
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, with_gold, "csv", path, GoldOptions(gold_policy=policy), has_names=has_names)
    copy = make_project(name="Copy", gold_policy="all")
    report = _import(store, copy, path)
    assert not report.problems
    assert _gold(store, copy, "all") == _gold(store, with_gold, policy)


def test_each_set_is_read_as_that_of_all_who_marked_it(
    store: Store, with_gold: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    export_file(store, LOCAL_OPERATOR, with_gold, "csv", tmp_path / "gold.csv", has_names=True)
    copy = make_project(name="Copy", gold_policy="all", import_columns={"annotator": "annotators"})
    _import(store, copy, tmp_path / "gold.csv")
    [first, *_] = list(gold_instances(store, copy, "all"))
    marked = {
        a.annotator: [s.token_indices for s in a.sets]
        for a in annotations_of(store, [first.instance.id])[first.instance.id]
    }
    assert marked == {"ada; of Rome": [(0, 3), (3, 4)], "ben": [(3, 4), (0,)]}


def test_a_set_of_several_people_s_marks_is_nobody_s_own(
    store: Store, with_gold: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, with_gold, "csv", path, GoldOptions(gold_policy="union"), has_names=True)
    copy = make_project(name="Copy")
    _import(store, copy, path)
    [first, *_] = list(gold_instances(store, copy, "all"))
    assert [a.annotator for a in annotations_of(store, [first.instance.id])[first.instance.id]] == ["gold"]


def test_what_is_about_the_instance_comes_back_too(
    store: Store, make_project: Callable[..., Project], import_rows: Export, tmp_path: Path
) -> None:
    claims = make_project("verification", "Claims", gold_policy="all")
    row = {"id": "a", "document": "One .", "document2": "Two .", "query": "Which ?", "label": "positive"}
    import_rows(claims, [row | {"rationales": [[{"segment": "document2", "start_token": 0, "end_token": 1}]]}])
    entities = make_project("entity", "Entities", gold_policy="all")
    import_rows(
        entities, [{"id": "a", "text": "Ann saw Rome", "label": "positive", "target": [2, 3], "rationales": [[[0, 1]]]}]
    )
    for made in (claims, entities):
        path = tmp_path / f"{made.name}.csv"
        export_file(store, LOCAL_OPERATOR, made, "csv", path)
        copy = make_project(made.task.name, f"Copy of {made.name}", gold_policy="all")
        assert not _import(store, copy, path).problems
        assert _gold(store, copy, "all") == _gold(store, made, "all")


def test_a_table_that_was_written_before_its_tokens_stood_in_it_is_read_by_its_characters(
    store: Store, with_gold: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, with_gold, "csv", path, GoldOptions(split="test"))
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    last = header.index("tokens")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([row[:last] for row in (header, *rows)])
    copy = make_project(name="Copy", gold_policy="all")
    _import(store, copy, path)
    assert _gold(store, copy, "all") == _gold(store, with_gold, "all")[:1]


def test_an_instance_of_which_a_set_is_missing_is_refused_with_the_remedy(
    store: Store, with_gold: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, with_gold, "csv", path, GoldOptions(split="test"))
    header, first, _, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join((header, first, *rest)), encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        _import(store, make_project(name="Copy"), path)
    [problem] = refused.value.problems
    assert (problem.line, problem.field, problem.value) == (2, "set", "1, 3")
    assert "Number sets from 1; sort by 'id', 'split', 'set'." in problem.reason


def test_no_column_of_our_own_table_is_asked_about(store: Store, with_gold: Project, tmp_path: Path) -> None:
    export_file(store, LOCAL_OPERATOR, with_gold, "csv", tmp_path / "gold.csv")
    assert column_choices(tmp_path / "gold.csv", "csv", ReadOptions(with_gold.task, with_gold.labels)) is None


# Real data of others, where the folder is there: it comes in, is counted, and goes out and in again unchanged.

FEVER = SHARED_DATA / "eraser_fever" / "raw" / "instances.jsonl"

# folder or file, format, task, instances (counted in the files), of which fail
SOURCES = [
    ("expmrc", "jsonl", "reading", 1246),
    ("evidence_inference", "jsonl", "verification", 176),
    ("xquad", "jsonl", "reading", 1200),
    ("dutrust_samples/raw/senti_ch.jsonl", "benchmark", "sentiment", 60),
    ("dutrust_samples/raw/senti_en.jsonl", "benchmark", "sentiment", 60),
    ("dutrust_samples/raw/mrc_ch.jsonl", "benchmark", "reading", 60),
    ("dutrust_samples/raw/mrc_en.jsonl", "benchmark", "reading", 60),
]


@needs_data
@pytest.mark.parametrize(("place", "format_name", "task", "n"), SOURCES)
def test_real_data_comes_in_whole_and_our_own_form_brings_it_back_equal(
    store: Store, tmp_path: Path, place: str, format_name: str, task: str, n: int
) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Real", get_task(task), language="zh" if "_ch" in place else "en")
    report = import_file(store, LOCAL_OPERATOR, project, format_name, SHARED_DATA / place)
    assert (report.n_new, report.n_problems) == (n, 0)
    export_file(store, LOCAL_OPERATOR, find_project(store, "Real"), "jsonl", tmp_path / "all.jsonl")
    copy = create_project(store, LOCAL_OPERATOR, "Copy", get_task(task))
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
    assert content_of(store, find_project(store, "Copy")) == content_of(store, find_project(store, "Real"))
    assert store.problems() == []


@needs_data
def test_the_ten_bad_rows_of_fever_are_named_and_the_rest_goes_out_and_in_again(store: Store, tmp_path: Path) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Fever", get_task("verification"))
    with pytest.raises(ImportRefused) as refusal:
        import_file(store, LOCAL_OPERATOR, project, "eraser", FEVER, ImportOptions(split="val"))
    [problem] = refusal.value.problems  # the same of all: told once
    assert (problem.line, problem.n, problem.rows) == (402, 10, (402, 403, 404, 405, 406))
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", FEVER, ImportOptions(split="val", skip_invalid=True))
    assert (report.n_new, report.n_problems) == (401, 10)
    project = find_project(store, "Fever")
    assert len(list(everything_of(store, project))) > 401
    export_file(store, LOCAL_OPERATOR, project, "eraser", tmp_path / "out")
    copy = create_project(store, LOCAL_OPERATOR, "Copy", get_task("verification"))
    import_file(store, LOCAL_OPERATOR, copy, "eraser", tmp_path / "out")
    mine, theirs = (
        {
            g.instance.key: (g.result, sorted(g.sets, key=str))
            for g in gold_instances(store, find_project(store, name), "chosen")
        }
        for name in ("Fever", "Copy")
    )
    assert mine == theirs


# FairRationales (Thorn Jakobsen et al. 2023): six annotators a text, and attributions of three models by two methods on two sets.

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
    ) in report.problems:  # a text's name with the subword that is not the text's, or the rows of scores that are none
        if problem.field == "score":
            assert (problem.reason, problem.value) == ("Must be a finite number.", "nan")
            assert problem.line is not None
        else:
            assert problem.value in set(keys.values())
            assert "Subword" in problem.reason or any(key in problem.reason for key in keys.values())

    numbers = evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(n_resamples=200))
    table: dict[tuple[str, str], dict[str, Any]] = {
        (model["model"], row["method"]): row["plausibility"] for model in numbers["models"] for row in model["methods"]
    }
    assert set(table) == {(model, method) for model in MODELS for method in METHODS}
    for place, row in table.items():
        for name in ("sets.best_f1", "editing.average_precision", "eraser.auprc"):
            assert 0 < row[name]["low"] <= row[name]["value"] <= row[name]["high"] < 1, (place, name)
    n_scored = sum(row["sets.best_f1"]["n"] + row["sets.best_f1"]["n_left_out"] for row in table.values())
    n_tied = accepted_of(store, project.id).n_tied  # texts whose annotators gave both labels as often have no gold
    assert 0 < report.n_new - n_scored <= n_tied * len(MODELS) * len(METHODS)
