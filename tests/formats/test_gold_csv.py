"""Gold as CSV with a row a set, or as CoNLL with a tag a token; a spreadsheet carries nothing of it out."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import ExportRefused
from annotator.formats.rows.gold_csv import as_words, without_apostrophe, written_csv
from annotator.store import Store
from annotator.usecases.gold import GoldOptions
from annotator.usecases.transfer.export import export_file

Export = Callable[..., Any]


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Export) -> Project:
    made: Project = make_project(gold_policy="all")
    text = {"id": "a", "text": "Good, really good food.", "label": "positive", "split": "test"}
    import_rows(made, [
        {**text, "annotator": "ada", "rationales": [[[0, 1], [3, 4]], [[3, 5]]]},
        {**text, "annotator": "ben", "rationales": [[[3, 5]]]},
        {"id": "=b", "text": "-1 for the soup", "label": "negative", "rationales": []},
    ])  # fmt: skip
    return made


@pytest.fixture
def exported(store: Store, project: Project, tmp_path: Path) -> Export:
    def export(format_name: str, *, has_names: bool = False, **options: object) -> str:
        path = tmp_path / f"gold.{format_name}"
        export_file(store, LOCAL_OPERATOR, project, format_name, path, GoldOptions(**options), has_names=has_names)
        assert path.stat().st_mode & 0o777 == 0o600
        return path.read_text(encoding="utf-8")

    return export


def test_each_set_has_a_row_with_what_it_says_and_whose_it_is(exported: Export) -> None:
    rows = list(csv.DictReader(exported("csv", has_names=True).splitlines()))
    assert [
        (row["id"], row["set"], row["n_sets"], row["marked"], row["token_indices"], row["annotators"]) for row in rows
    ] == [
        ("a", "1", "2", "Good … good", "0 3", "ada"),
        ("a", "2", "2", "good food", "3 4", "ada; ben"),
        ("'=b", "", "0", "", "", ""),  # no formula for a spreadsheet
    ]
    spans = json.loads(rows[0]["spans"])
    assert [rows[0]["text"][span["start_char"] : span["end_char"]] for span in spans] == ["Good", "good"]
    assert rows[2]["text"] == "'-1 for the soup"
    assert {row["gold_policy"] for row in rows} == {"all"}
    assert len(list(csv.DictReader(exported("csv", gold_policy="union", split="test").splitlines()))) == 1


def test_further_documents_of_a_text_stand_together(
    store: Store, make_project: Callable[..., Project], import_rows: Export, tmp_path: Path
) -> None:
    made = make_project("verification", "Claims")
    row = {"id": "a", "document": "One .", "document2": "Two .", "query": "Which ?", "label": "positive"}
    import_rows(made, [row | {"rationales": [[{"segment": "document2", "start_token": 0, "end_token": 1}]]}])
    export_file(store, LOCAL_OPERATOR, made, "csv", tmp_path / "gold.csv")
    [exported] = csv.DictReader((tmp_path / "gold.csv").read_text(encoding="utf-8").splitlines())
    assert (exported["document"], json.loads(exported["more_texts"]), exported["query"]) == (
        "One .",
        {"document2": "Two ."},
        "Which ?",
    )
    assert (exported["token_indices"], exported["marked"]) == ("2", "Two")


def test_each_token_has_its_tag_and_the_sets_that_it_is_in(exported: Export) -> None:
    first, second, end = exported("conll").split("\n\n")
    assert first.splitlines() == [
        "# id = a", "# split = test", "# label = positive",
        "Good\ttext\t1\tB-RATIONALE", ",\ttext\t_\tO", "really\ttext\t_\tO", "good\ttext\t1,2\tB-RATIONALE",
        "food\ttext\t2\tI-RATIONALE", ".\ttext\t_\tO",
    ]  # fmt: skip
    assert second.splitlines()[:2] == ["# id = =b", "# label = negative"]
    assert end == ""


def test_a_token_that_no_line_can_hold_is_refused_and_nothing_is_written(
    store: Store, project: Project, import_rows: Export, tmp_path: Path
) -> None:
    import_rows(
        project,
        [
            {
                "id": "c",
                "text": "New York wins",
                "tokens": ["New York", "wins"],
                "label": "positive",
                "rationales": [[[0, 1]]],
            }
        ],
    )
    with pytest.raises(
        ExportRefused,
        match=r"1 instances have tokens that are empty or have blanks; export as csv or jsonl \(instances: 'c'\)\.",
    ):
        export_file(store, LOCAL_OPERATOR, project, "conll", tmp_path / "gold.conll")
    assert not list(tmp_path.glob("gold.conll*"))


@pytest.mark.parametrize("format_name", ["csv", "conll"])
def test_nothing_is_written_where_there_is_no_gold(
    store: Store, make_project: Callable[..., Project], tmp_path: Path, format_name: str
) -> None:
    with pytest.raises(ExportRefused, match=r"No gold yet\. Choose another split\."):
        export_file(store, LOCAL_OPERATOR, make_project(), format_name, tmp_path / "gold")
    assert not (tmp_path / "gold").exists()


# CSV for people: a spreadsheet must not carry out what somebody named a model.

FORMULAS = ["=1+1", "+cmd", "-a", "@sum", "\t=1", "\r=1", "\n=1", "＝1+1", "=HYPERLINK(\"http://e.com\")", "-1 2", "+1-555", "--1"]  # fmt: skip
PLAIN = ["", "model", "a=b", "1-2", " =1", "'a", "–", "−0.5", "好"]
NUMBERS = ["-0.5", "+1", "-1e-09", "-.5", "3", -0.5, 3, 0.0, None]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_like_a_formula_gets_an_apostrophe(text):
    assert as_words(text) == f"'{text}"


@pytest.mark.parametrize("value", [*PLAIN, *NUMBERS])
def test_words_and_numbers_stay_as_they_are(value):
    assert as_words(value) == value


@pytest.mark.parametrize("text", [*FORMULAS, "'=1", "''-a", "'a", "-0.5", ""])
def test_an_apostrophe_that_was_added_is_taken_off_and_no_other_one(text):
    assert without_apostrophe(as_words(text)) == text


def test_heads_and_rows_are_written_with_their_cells_as_words():
    told = written_csv(("name", "=value"), [("=1+1", -0.5), ('a "b", c\nd', None)])
    rows = list(csv.reader(io.StringIO(told)))
    assert rows == [["name", "'=value"], ["'=1+1", "-0.5"], ['a "b", c\nd', ""]]
