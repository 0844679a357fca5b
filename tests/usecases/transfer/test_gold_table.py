"""Our own CSV of gold, read again: the gold is what it was."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.instances import GoldInstance
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import ImportRefused
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_choices import column_choices
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

Export = Callable[..., Any]


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Export) -> Project:
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


def _import(store: Store, project: Project, path: Path, **options: object) -> ImportReport:
    return import_file(store, LOCAL_OPERATOR, project, "csv", path, ImportOptions(**options))  # type: ignore[arg-type]


def _gold(store: Store, project: Project, policy: GoldPolicy) -> list[tuple[object, ...]]:
    return [_of_instance(item) for item in gold_instances(store, project, policy)]


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
    project: Project,
    make_project: Callable[..., Project],
    tmp_path: Path,
    policy: GoldPolicy,
    has_names: bool,
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, project, "csv", path, GoldOptions(gold_policy=policy), has_names=has_names)
    copy = make_project(name="Copy", gold_policy="all")
    report = _import(store, copy, path)
    assert not report.problems
    assert _gold(store, copy, "all") == _gold(store, project, policy)


def test_each_set_is_read_as_that_of_all_who_marked_it(
    store: Store, project: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    export_file(store, LOCAL_OPERATOR, project, "csv", tmp_path / "gold.csv", has_names=True)
    copy = make_project(name="Copy", gold_policy="all", import_columns={"annotator": "annotators"})
    _import(store, copy, tmp_path / "gold.csv")
    [first, *_] = list(gold_instances(store, copy, "all"))
    marked = {
        a.annotator: [s.token_indices for s in a.sets]
        for a in annotations_of(store, [first.instance.id])[first.instance.id]
    }
    assert marked == {"ada; of Rome": [(0, 3), (3, 4)], "ben": [(3, 4), (0,)]}


def test_a_set_of_several_people_s_marks_is_nobody_s_own(
    store: Store, project: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, project, "csv", path, GoldOptions(gold_policy="union"), has_names=True)
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
    store: Store, project: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, project, "csv", path, GoldOptions(split="test"))
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    last = header.index("tokens")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([row[:last] for row in (header, *rows)])
    copy = make_project(name="Copy", gold_policy="all")
    _import(store, copy, path)
    assert _gold(store, copy, "all") == _gold(store, project, "all")[:1]


def test_an_instance_of_which_a_set_is_missing_is_refused_with_the_remedy(
    store: Store, project: Project, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    export_file(store, LOCAL_OPERATOR, project, "csv", path, GoldOptions(split="test"))
    header, first, _, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join((header, first, *rest)), encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        _import(store, make_project(name="Copy"), path)
    [problem] = refused.value.problems
    assert (problem.line, problem.field, problem.value) == (2, "set", "1, 3")
    assert "'n_sets' says that the instance has 3 sets, and 2 rows of it stand together here" in problem.reason


def test_no_column_of_our_own_table_is_asked_about(store: Store, project: Project, tmp_path: Path) -> None:
    export_file(store, LOCAL_OPERATOR, project, "csv", tmp_path / "gold.csv")
    assert column_choices(tmp_path / "gold.csv", "csv", ReadOptions(project.task, project.labels)) is None
