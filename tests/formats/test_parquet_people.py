"""What each person marked, beside the gold of a folder for Hugging Face `datasets`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.access.accounts import add_user
from annotator.usecases.gold import GoldOptions
from annotator.usecases.transfer.export import export_file


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    made: Project = make_project()
    text = {"id": "a", "text": "Good, really good food.", "label": "positive", "split": "test"}
    import_rows(made, [
        {**text, "annotator": "zoe", "rationales": [[[0, 1], [3, 4]], [[3, 5]]], "note": "Zoe says so"},
        {**text, "annotator": "ben", "annotator_label": "negative", "rationales": [[[3, 5]]]},
        {"id": "b", "text": "Cold soup", "label": "negative", "split": "train", "annotator": "ben", "rationales": [[[0, 2]]]},
        {"id": "c", "text": "Nobody marked this", "label": "negative", "split": "train"},
    ])  # fmt: skip
    return made


def exported(store: Store, project: Project, folder: Path, *, has_names: bool = False, **options: Any) -> Path:
    export_file(store, LOCAL_OPERATOR, project, "datasets", folder, GoldOptions("all", **options), has_names=has_names)
    return folder


def rows_of(folder: Path, split: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / "annotations" / f"{split}.parquet").to_pylist()


def test_a_row_is_what_one_person_marked_with_labels_by_number(store: Store, project: Project, tmp_path: Path) -> None:
    folder = exported(store, project, tmp_path / "out")
    rows = rows_of(folder, "test")
    names = ("key", "round", "state", "label", "instance_label", "rationale_tokens")
    positive, negative = project.labels.index("positive"), project.labels.index("negative")
    assert sorted(tuple(row[name] for name in names) for row in rows) == sorted([
        ("a", 1, "accepted", positive, positive, [[0, 3], [3, 4]]),
        ("a", 1, "accepted", negative, positive, [[3, 4]]),
    ])  # fmt: skip
    [row] = rows_of(folder, "train")
    [ben] = [row["annotator"] for row in rows if row["label"] == negative]
    assert row["annotator"] == ben
    assert [span["text"] for span in row["rationales"][0]] == ["Cold soup"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert (
        '- config_name: annotations\n  data_files:\n  - split: "test"\n    path: "annotations/test.parquet"\n' in card
    )
    assert "| test | 2 | 1 | 2 |" in card


def test_the_folder_names_people_where_that_is_asked_for(store: Store, project: Project, tmp_path: Path) -> None:
    named = exported(store, project, tmp_path / "named", has_names=True)
    assert [row["annotator"] for row in rows_of(named, "test")] == ["zoe", "ben"]
    [gold] = pq.read_table(named / "data" / "test.parquet").to_pylist()
    assert gold["rationale_origins"][0][0]["annotator"] == "zoe"


def test_the_gold_and_the_annotations_of_a_folder_call_a_person_the_same(
    make_project: Callable[..., Project], import_rows: Callable[..., Any], store: Store, tmp_path: Path
) -> None:
    told = [{"annotator": "worker-zoe", "group": "G1"}, {"annotator": "worker-ben", "group": "G2"}]
    text = {"id": "a", "text": "Good food.", "label": "positive", "metadata": {"year": 2, "annotations": told}}
    made = make_project()
    sets = {"worker-zoe": [[[0, 1]]], "worker-ben": [[[1, 2]]]}
    import_rows(made, [{**text, "annotator": name, "rationales": of} for name, of in sets.items()])
    folder = exported(store, made, tmp_path / "out")
    [gold] = pq.read_table(folder / "data" / "train.parquet").to_pylist()
    groups = {row["annotator"]: row["group"] for row in json.loads(gold["metadata"])["annotations"]}
    assert sorted(groups.values()) == ["G1", "G2"]
    rows = {row["annotator"]: row for row in rows_of(folder, "train")}
    assert {name: json.loads(row["facts"])["group"] for name, row in rows.items()} == groups
    assert list(rows) == sorted(rows)  # not as in the file
    assert {of[0]["annotator"] for of in gold["rationale_origins"]} == set(rows)
    named = exported(store, made, tmp_path / "named", has_names=True)
    [gold] = pq.read_table(named / "data" / "train.parquet").to_pylist()
    assert json.loads(gold["metadata"])["annotations"] == told


def test_how_many_annotations_were_written_is_told_beside_the_instances(
    store: Store, project: Project, tmp_path: Path
) -> None:
    def words(format_name: str) -> str:
        return export_file(store, LOCAL_OPERATOR, project, format_name, tmp_path / format_name).words

    assert words("datasets") == "2 instances and 3 annotations"
    assert words("parquet-annotations") == "2 instances and 3 annotations"
    assert words("parquet") == "2 instances"


def test_who_may_not_see_all_annotations_gets_the_gold_alone(store: Store, project: Project, tmp_path: Path) -> None:
    ria = add_user(store, LOCAL_OPERATOR, "ria", "researcher", project.name).user
    export_file(store, ria, project, "datasets", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["README.md", "data"]
    assert "annotations" not in (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n")[1]


def test_a_split_and_a_half_concern_the_annotations_as_the_gold(store: Store, project: Project, tmp_path: Path) -> None:
    folder = exported(store, project, tmp_path / "out", split="train")
    assert [path.name for path in (folder / "annotations").iterdir()] == ["train.parquet"]


def test_answers_are_texts(
    make_project: Callable[..., Project], import_rows: Callable[..., Any], store: Store, tmp_path: Path
) -> None:
    reading = make_project(task="reading")
    row = {"id": "q", "passage": "It is blue.", "title": "", "question": "What?", "answer": "blue", "annotator": "zoe"}
    import_rows(reading, [{**row, "rationales": [[{"segment": "passage", "start_token": 2, "end_token": 3}]]}])
    [row] = rows_of(exported(store, reading, tmp_path / "out"), "train")
    assert (row["answer"], row["instance_answer"], row["split"]) == ("blue", "blue", "")


LOADING = """
import json, sys
from datasets import ClassLabel, load_dataset
folder = sys.argv[1]
data = load_dataset(folder, "annotations")
of_label = data["test"].features["label"]
assert isinstance(of_label, ClassLabel), of_label
labels = [of_label.int2str(row["label"]) for row in data["test"]]
print(json.dumps([sorted(data), of_label.names, labels, load_dataset(folder)["test"].num_rows]))
"""


@pytest.mark.skipif(find_spec("datasets") is None, reason="the package datasets is not here; it is no dependency")
def test_hugging_face_datasets_knows_the_labels_without_a_script(
    store: Store, project: Project, tmp_path: Path
) -> None:
    folder = exported(store, project, tmp_path / "out")
    (tmp_path / "loading.py").write_text(LOADING)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "loading.py"), str(folder)],
        env={**os.environ, **offline}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["test", "train"], list(project.labels), ["positive", "negative"], 1]
