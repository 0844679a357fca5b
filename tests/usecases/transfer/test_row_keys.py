"""Rows of a file without keys get numbers, which they keep when the file comes again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue
from annotator.store import Store
from annotator.store.events import list_events
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

Take = Callable[..., ImportReport]


@pytest.fixture
def plain(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "Plain", get_task("sentiment"), labels=("bad", "good"))


@pytest.fixture
def take(store: Store, plain: Project, tmp_path: Path) -> Take:
    def run(content: str, name: str = "rows.csv", format_name: str = "csv", **options: object) -> ImportReport:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        given = ImportOptions(**{"number_keys": True, **options})  # type: ignore[arg-type]
        return import_file(store, LOCAL_OPERATOR, find_project(store, "Plain"), format_name, path, given)

    return run


def keys(store: Store) -> dict[str, str]:
    rows = store.rows(
        "SELECT key, text FROM instances JOIN segments ON instance_id = instances.id "
        "JOIN documents ON documents.id = document_id ORDER BY instances.id"
    )
    return {row["key"]: row["text"] for row in rows}


def test_a_file_without_keys_is_refused_with_the_way_to_number_its_rows(take: Take) -> None:
    with pytest.raises(ImportRefused) as refused:
        take("text\nGood.\n", number_keys=False)
    assert "Rows without IDs can be numbered (--number-keys)." in refused.value.problems[0].reason


def test_rows_get_numbers_and_the_same_file_again_changes_nothing(store: Store, take: Take) -> None:
    content = "text,label\nGood.,good\nBad.,bad\n"
    report = take(content)
    assert keys(store) == {"1": "Good.", "2": "Bad."}
    assert report.notes == ["Numbered 2 rows without an ID."]
    again = take(content)
    assert (again.n_new, again.n_unchanged) == (0, 2)


def test_a_row_keeps_its_number_when_others_come_before_it_or_go(store: Store, take: Take) -> None:
    take("text\nGood.\nBad.\n")
    report = take("text\nNew.\nBad.\n")
    assert keys(store) == {"1": "Good.", "2": "Bad.", "3": "New."}
    assert (report.n_new, report.n_unchanged) == (1, 1)
    assert report.notes == ["Numbered 2 rows without an ID, 1 as before."]


def test_numbers_go_on_behind_the_keys_that_are_there(store: Store, take: Take) -> None:
    take("id,text\n41,Old.\na7,Named.\n", number_keys=False)
    take("text\nGood.\n")
    assert keys(store) == {"41": "Old.", "a7": "Named.", "42": "Good."}
    take("text\nGood.\n", key_prefix="b-")
    assert list(keys(store)) == ["41", "a7", "42", "b-1"]


def test_a_text_that_stands_twice_in_the_file_gets_two_numbers_and_is_named(store: Store, take: Take) -> None:
    content = "text\nSo so.\nGood.\nSo so.\n"
    report = take(content)
    assert keys(store) == {"1": "So so.", "2": "Good.", "3": "So so."}
    assert report.notes[0] == "1 text repeats an earlier one: line 4 = line 2."
    assert take(content).n_unchanged == 3


def test_rows_of_several_annotators_of_one_text_have_one_number(store: Store, take: Take) -> None:
    content = "text,annotator,rationale_index\nGood.,ada,[0]\nBad.,ada,[0]\nGood.,ben,[]\nBad.,ben,[0]\n"
    report = take(content)
    assert keys(store) == {"1": "Good.", "2": "Bad."}
    assert (report.n_annotations, take(content).n_new) == (4, 0)


def test_splits_are_numbered_apart(store: Store, take: Take) -> None:
    content = "text,split\nGood.,train\nGood.,test\n"
    take(content)
    assert take(content).n_unchanged == 2
    assert sorted(r["key"] for r in store.rows("SELECT key FROM instances")) == ["1", "2"]


def test_rows_of_json_are_numbered_too_but_not_where_some_have_keys(store: Store, take: Take) -> None:
    take('{"text": "Good."}\n{"text": "Bad."}\n', "rows.jsonl", "jsonl")
    assert keys(store) == {"1": "Good.", "2": "Bad."}
    with pytest.raises(ImportRefused) as refused:
        take('{"text": "New."}\n{"id": "3", "text": "Other."}\n', "rows.jsonl", "jsonl")
    assert refused.value.problems[0].reason.startswith("Only some rows have IDs. Add the missing ones.")


def test_other_formats_have_their_own_keys(take: Take) -> None:
    with pytest.raises(InvalidValue, match=r"aesw texts already have IDs\. Remove --number-keys\."):
        take("x", format_name="aesw")


TOOLS = [
    ("doccano", '{"text": "Good.", "label": [[0, 4, "why"]]}\n{"text": "Bad.", "label": []}\n', "rows.jsonl"),
    ("label-studio", '[{"data": {"text": "Good."}, "annotations": []}, {"data": {"text": "Bad."}}]', "rows.json"),
    ("argilla", '[{"fields": {"text": "Good."}, "responses": {}}, {"fields": {"text": "Bad."}, "responses": {}}]', "rows.json"),
    ("prodigy", '{"text": "Good.", "answer": "accept"}\n{"text": "Bad.", "answer": "accept"}\n', "rows.jsonl"),
    ("conll", "Good\tB-why\n.\tO\n\nBad\tO\n.\tO\n", "rows.conll"),
]  # fmt: skip


@pytest.mark.parametrize(("format_name", "content", "name"), TOOLS, ids=[case[0] for case in TOOLS])
def test_texts_of_labelling_tools_are_numbered_and_keep_their_numbers(
    store: Store, take: Take, format_name: str, content: str, name: str
) -> None:
    with pytest.raises(ImportRefused) as refused:
        take(content, name, format_name, number_keys=False)
    assert {problem.remedy for problem in refused.value.problems} == {"number"}
    assert "Add one, or use --number-keys." in refused.value.problems[0].reason
    take(content, name, format_name)
    assert list(keys(store)) == ["1", "2"]
    assert take(content, name, format_name).n_unchanged == 2


def test_annotators_of_one_text_in_files_of_their_own_have_one_number(
    store: Store, plain: Project, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    for name, marks in (("ada", [[0, 4, "why"]]), ("ben", [[0, 5, "why"]])):
        (tmp_path / "out" / f"{name}.jsonl").write_text(json.dumps({"text": "Good.", "label": marks}) + "\n", "utf-8")
    report = import_file(store, LOCAL_OPERATOR, plain, "doccano", tmp_path / "out", ImportOptions(number_keys=True))
    assert (list(keys(store)), report.n_new, report.n_annotations) == (["1"], 1, 2)


# Columns --------------------------------------------------------------------------------------------------------------


def test_chosen_columns_are_remembered_by_the_project_for_files_that_have_them(store: Store, take: Take) -> None:
    take("phrase,__proto__\nGood.,a\n", columns={"sentence": "phrase", "id": "__proto__"}, number_keys=False)
    assert find_project(store, "Plain").settings.import_columns == {"text": "phrase", "key": "__proto__"}
    take("phrase,__proto__\nBad.,b\n", number_keys=False)
    take("id,text\nc,Other.\n", number_keys=False)
    assert keys(store) == {"a": "Good.", "b": "Bad.", "c": "Other."}
    assert list_events(store, find_project(store, "Plain").id, limit=1)[0].action == "import"


def test_a_dry_run_and_a_refused_import_remember_nothing(store: Store, take: Take) -> None:
    take("phrase,nr\nGood.,a\n", columns={"text": "phrase", "id": "nr"}, dry_run=True)
    with pytest.raises(ImportRefused):
        take("phrase,nr\n,a\n", columns={"text": "phrase", "id": "nr"})
    assert find_project(store, "Plain").settings.import_columns == {}


def test_columns_can_be_left_out_and_forgotten(store: Store, take: Take) -> None:
    take("id,text,label\na,Good.,strange\n", left_columns=("label",), number_keys=False)
    assert find_project(store, "Plain").settings.import_left_columns == ("label",)
    with pytest.raises(ImportRefused):
        take("id,text,label\nb,Bad.,strange\n", forget_columns=True, number_keys=False)
    take("id,text,label\nb,Bad.,good\n", forget_columns=True, number_keys=False)
    assert find_project(store, "Plain").settings.import_left_columns == ()


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"colour": "text"}, "Unknown field 'colour'. Choose columns for"),
        ({"id": "text", "text": "text"}, "Column 'text' is chosen twice."),
    ],
)
def test_a_choice_that_cannot_be_is_refused(take: Take, columns: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        take("id,text\na,Good.\n", columns=columns)


# Labels of several annotators -----------------------------------------------------------------------------------------

BY_TWO = "text,annotator,label\nGood.,ada,good\nGood.,ben,bad\n"


def test_labels_of_two_annotators_of_one_text_do_not_make_two_texts(store: Store, take: Take) -> None:
    with pytest.raises(ImportRefused) as refused:
        take(BY_TWO)
    [problem] = refused.value.problems
    assert (problem.line, problem.field) == (3, "label")
    assert problem.reason.endswith("If 'label' holds the annotator's label, set --column annotator_label=label.")
    report = take(BY_TWO, columns={"annotator_label": "label"})
    assert (list(keys(store)), report.n_annotations) == (["1"], 2)


def test_of_an_annotator_whose_rows_repeat_a_text_the_lines_are_named(take: Take) -> None:
    report = take("text,annotator,label\nGood.,ada,good\nGood.,ada,good\n")
    assert report.n_new == 2
    assert "1 text repeats an earlier one: line 3 = line 2." in report.notes


def test_a_second_row_of_an_id_tells_how_its_label_is_read_as_its_annotators_own(take: Take) -> None:
    with pytest.raises(ImportRefused) as refused:
        take("id,text,annotator,label\na,Good.,ada,good\na,Good.,ben,good\n", number_keys=False)
    [problem] = refused.value.problems
    assert problem.reason == (
        "Duplicate of line 2. Keep one. If 'label' holds the annotator's label, set --column annotator_label=label."
    )


def test_without_an_annotator_a_second_row_of_an_id_is_only_one_too_many(take: Take) -> None:
    with pytest.raises(ImportRefused) as refused:
        take("id,text,label\na,Good.,good\na,Good.,good\n", number_keys=False)
    assert refused.value.problems[0].reason == "Duplicate of line 2. Keep one."


VOTES = (
    "text,annotator,label\nGood.,ada,good\nGood.,ben,bad\nGood.,eve,good\nBad.,ada,bad\nBad.,ben,good\nFine.,ada,good\n"
)


def labels(store: Store) -> dict[str, str | None]:
    return {row["key"]: row["result"] for row in store.rows("SELECT key, result FROM instances ORDER BY id")}


def test_texts_without_a_label_of_their_own_are_counted_and_the_majority_is_offered(store: Store, take: Take) -> None:
    report = take(VOTES, columns={"annotator_label": "label"})
    assert labels(store) == {"1": None, "2": None, "3": None}
    assert "3 texts have only annotators' labels. Use --majority-labels (2 available)." in report.notes


def test_the_majority_of_the_annotators_becomes_the_label_and_ties_are_named(store: Store, take: Take) -> None:
    report = take(VOTES, columns={"annotator_label": "label"}, majority_labels=True)
    assert labels(store) == {"1": "good", "2": None, "3": "good"}
    assert [row["result"] for row in report.preview] == ["good", None, "good"]
    assert (
        "3 texts had no label; 2 got the majority label. One text has tied labels (“2”). Choose its gold under “Texts”."
    ) in report.notes


def test_a_check_says_the_same_and_stores_nothing(store: Store, take: Take) -> None:
    report = take(VOTES, columns={"annotator_label": "label"}, majority_labels=True, dry_run=True)
    assert "One text has tied labels (“2”). Choose its gold under “Texts”." in " ".join(report.notes)
    assert labels(store) == {}


def test_texts_that_are_there_get_their_majority_when_the_file_comes_again(store: Store, take: Take) -> None:
    take(VOTES, columns={"annotator_label": "label"})
    again = take(VOTES, majority_labels=True)
    assert (again.n_new, again.n_updated, again.n_unchanged) == (0, 2, 1)
    assert labels(store) == {"1": "good", "2": None, "3": "good"}
    assert take(VOTES, majority_labels=True).n_unchanged == 3


def test_rows_of_an_annotator_after_those_of_another_count_for_the_majority_too(store: Store, take: Take) -> None:
    head, *rows = VOTES.splitlines()
    by_annotator = "\n".join([head, *sorted(rows, key=lambda row: row.split(",")[1])]) + "\n"
    take(by_annotator, columns={"annotator_label": "label"}, majority_labels=True)
    assert labels(store) == {"1": "good", "2": None, "3": "good"}


def test_a_label_of_the_text_is_not_touched_by_the_majority(store: Store, take: Take) -> None:
    content = "text,annotator,annotator_label,label\nGood.,ada,bad,good\nGood.,ben,bad,good\n"
    assert not [note for note in take(content, majority_labels=True).notes if "annotators labelled" in note]
    assert labels(store) == {"1": "good"}


def test_two_texts_of_one_id_show_where_they_begin_to_differ(take: Take) -> None:
    rows = "a,The plot is thin and slow.,good\na,The plot is thin but\u202e fast.,good\n"
    with pytest.raises(ImportRefused) as refused:
        take(f"id,text,label\n{rows}", number_keys=False)
    [problem] = refused.value.problems
    assert (problem.field, problem.value) == ("text", "The plot is thin but\u202e fast.")
    assert problem.reason.endswith(
        "First difference at character 18: “…e plot is thin and slow.” there, “…e plot is thin but  fast.” here."
    )
