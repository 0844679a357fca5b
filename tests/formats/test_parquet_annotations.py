"""Every person's annotations as one Parquet file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.usecases.access.accounts import add_user
from annotator.usecases.gold import GoldOptions
from annotator.usecases.transfer.export import export_file

FORMAT = "parquet-annotations"


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    made: Project = make_project()
    text = {"id": "a", "text": "Good, really good food.", "label": "positive", "split": "test"}
    import_rows(made, [
        {**text, "annotator": "ada", "rationales": [[[0, 1], [3, 4]], [[3, 5]]], "note": "two reasons"},
        {**text, "annotator": "ben", "annotator_label": "negative", "rationales": [[[3, 5]]]},
        {"id": "b", "text": "Nobody marked this", "label": "negative"},
    ])  # fmt: skip
    return made


def test_each_annotation_has_a_row_with_its_own_label_sets_and_date(
    store: Store, project: Project, tmp_path: Path
) -> None:
    exported = export_file(store, LOCAL_OPERATOR, project, FORMAT, tmp_path / "all.parquet", has_names=True)
    assert exported.n == 1  # instance with annotations
    table = pd.read_parquet(tmp_path / "all.parquet")
    assert table[["key", "annotator", "round", "state", "result", "instance_result", "note"]].values.tolist() == [
        ["a", "ada", 1, "accepted", "positive", "positive", "two reasons"],
        ["a", "ben", 1, "accepted", "negative", "positive", ""],
    ]
    assert [[list(tokens) for tokens in sets] for sets in table["rationale_tokens"]] == [[[0, 3], [3, 4]], [[3, 4]]]
    [segment] = table["segments"][0]
    assert list(segment["tokens"]) == ["Good", ",", "really", "good", "food", "."]
    assert [span["text"] for span in table["rationales"][0][0]] == ["Good", "good"]
    assert str(table["created_at"].dt.tz) == "UTC"
    assert table["created_at"].notna().all()


def test_a_split_that_is_not_there_is_refused_and_nothing_is_written(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(InvalidValue, match="has no split 'train'; it has 'test'"):
        export_file(store, LOCAL_OPERATOR, project, FORMAT, tmp_path / "x.parquet", GoldOptions(split="train"))
    assert not list(tmp_path.glob("x.parquet*"))


def test_it_is_for_those_who_may_see_all_annotations(store: Store, project: Project, tmp_path: Path) -> None:
    ria = add_user(store, LOCAL_OPERATOR, "ria", "researcher", project.name).user
    with pytest.raises(NotAllowed):
        export_file(store, ria, project, FORMAT, tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()
