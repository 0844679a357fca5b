"""Several files in one import: texts before what models said of them, labels of all of them, all or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue
from annotator.store import Store
from annotator.store.models import list_runs
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.several_files import NamedFile, import_files

TEXTS = [{"id": "a", "text": "Good food.", "label": "yes"}, {"id": "b", "text": "Bad food.", "label": "no"}]
ANSWERS = [{"id": key, "model": "m", "prediction": "yes"} for key in "ab"]


@pytest.fixture
def project(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"))


def written(tmp_path: Path, name: str, format_name: str, rows: list[dict[str, Any]]) -> NamedFile:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return NamedFile(name, path, format_name)


def stored(store: Store) -> tuple[int, int]:
    return store.value("SELECT count(*) FROM instances"), store.value("SELECT count(*) FROM predictions")


def test_texts_are_read_first_whatever_the_order_and_the_project_takes_their_labels(
    store: Store, project: Project, tmp_path: Path
) -> None:
    answers = written(tmp_path, "answers.jsonl", "predictions", ANSWERS)
    texts = written(tmp_path, "texts.jsonl", "jsonl", TEXTS)
    reports = import_files(store, LOCAL_OPERATOR, project, [answers, texts])
    assert [file.name for file in reports] == ["texts.jsonl", "answers.jsonl"]
    assert stored(store) == (2, 2)


def test_a_dry_run_of_both_says_the_same_and_stores_nothing(store: Store, project: Project, tmp_path: Path) -> None:
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "a", "predictions", ANSWERS)]
    reports = import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(dry_run=True))
    assert [file.report.words for file in reports] == [
        "2 new and 0 changed instances with 0 annotations",
        "2 predictions of 2 instances",
    ]
    assert all(file.report.is_dry_run for file in reports)
    assert stored(store) == (0, 0)


def test_where_the_model_output_has_a_problem_the_texts_are_not_stored_either_and_the_other_way_is_said(
    store: Store, project: Project, tmp_path: Path
) -> None:
    strange = [*ANSWERS, {"id": "nobody", "model": "m", "prediction": "yes"}]
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "a", "predictions", strange)]
    with pytest.raises(ImportRefused, match="1 of 2 files has problems; nothing of any was stored") as refused:
        import_files(store, LOCAL_OPERATOR, project, files)
    assert "'t': no problem (2 new and 0 changed instances with 0 annotations)." in refused.value.notes
    assert "The texts can also be stored by themselves" in refused.value.notes[-1]
    assert stored(store) == (0, 0)
    import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(skip_invalid=True))
    assert stored(store) == (2, 2)


def test_where_the_texts_have_problems_nothing_is_said_of_texts_that_model_output_would_lack(
    store: Store, project: Project, tmp_path: Path
) -> None:
    texts = written(tmp_path, "t", "jsonl", [{"id": "a"}])
    with pytest.raises(ImportRefused) as refused:
        import_files(store, LOCAL_OPERATOR, project, [texts, written(tmp_path, "a", "predictions", ANSWERS)])
    assert {problem.source for problem in refused.value.problems} == {"t"}
    assert refused.value.notes[-1] == "The file of model output was not looked at, since the texts come first."


def test_of_texts_alone_nothing_is_said_of_model_output(store: Store, project: Project, tmp_path: Path) -> None:
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "bad", "jsonl", [{"id": "a"}])]
    with pytest.raises(ImportRefused) as refused:
        import_files(store, LOCAL_OPERATOR, project, files)
    assert refused.value.notes[-1] == "'t': no problem (2 new and 0 changed instances with 0 annotations)."


@pytest.mark.parametrize("how", [{"renamed": {"maybe": "no"}}, {"left_labels": ("maybe",)}])
def test_what_is_said_of_a_label_holds_for_the_files_that_have_it_and_one_of_them_has_to(
    store: Store, project: Project, tmp_path: Path, how: dict[str, Any]
) -> None:
    other = [{"id": "a", "model": "n", "prediction": "maybe"}, {"id": "b", "model": "n", "prediction": "yes"}]
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "a", "predictions", ANSWERS)]
    with pytest.raises(InvalidValue, match="None of the files has a label 'maybe'"):
        import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(**how))
    assert stored(store) == (0, 0)
    files.append(written(tmp_path, "n", "predictions", other))
    import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(**how))
    assert {run.run.model for run in list_runs(store, project.id)} == {"m", "n"}


def test_columns_that_are_chosen_for_the_texts_are_not_looked_for_in_model_output(
    store: Store, project: Project, tmp_path: Path
) -> None:
    texts = written(tmp_path, "t", "jsonl", [{"id": "a", "body": "Good food.", "label": "yes"}])
    answers = written(tmp_path, "a", "predictions", ANSWERS[:1])
    import_files(store, LOCAL_OPERATOR, project, [texts, answers], ImportOptions(columns={"text": "body"}))
    assert stored(store) == (1, 1)
