"""doccano's JSONL: its versions' forms, what it counts, one file an annotator, and what reads back."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, InvalidValue
from annotator.formats.base import ReadOptions
from annotator.formats.registry import guess_format
from annotator.formats.tools.doccano import read, write
from tests.formats.conftest import check_items
from tests.formats.tools.tool_gold import gold, instances_of, problems_of, project_options, saved, spans_read

ROW = {"id": 1, "text": "so good a film", "label": [[0, 2, "set 2"], [3, 7, "set 1"], [10, 14, "set 2"]]}


# Reading -------------------------------------------------------------------------------------------------------------

SAME_ROW = [
    ROW,  # sequence labelling, 1.8
    {"id": 1, "data": "so good a film", "label": ROW["label"]},  # 1.0 to 1.4
    {"id": 1, "text": "so good a film", "labels": ROW["label"], "meta": {}},  # before 1.0, with text labels
    {"id": 1, "text": "so good a film", "entities": ROW["label"], "cats": []},  # intents and slots
    {"id": 1, "text": "so good a film", "relations": [], "Comments": [], "entities": [{"id": n, "label": label, "start_offset": start, "end_offset": end} for n, (start, end, label) in enumerate(ROW["label"])]},
    {"doc_id": 1, "text": "so good a film", "entities": ROW["label"], "username": "export"},  # the first versions
]  # fmt: skip


@pytest.mark.parametrize("row", SAME_ROW)
def test_each_span_label_is_a_set_in_the_forms_of_all_versions(row, tmp_path):
    [instance] = instances_of(read, saved(tmp_path / "export.jsonl", row))
    assert (instance.key, instance.segments["text"].text) == ("1", "so good a film")
    assert [a.annotator for a in instance.annotations] == ["export"]
    assert spans_read(instance) == [[("text", 3, 7)], [("text", 0, 2), ("text", 10, 14)]]


def test_each_file_of_a_folder_is_an_annotator(tmp_path):
    other = {
        **ROW,
        "label": [[3, 7, "why"]],
        "Comments": [{"id": 1, "comment": "short"}, {"id": 2, "comment": "enough"}],
    }
    saved(tmp_path / "out" / "ada.jsonl", ROW, {**ROW, "id": 2, "label": []})
    saved(tmp_path / "out" / "ben.jsonl", other, {**ROW, "id": 2})
    saved(tmp_path / "out" / "unknown.jsonl", {**ROW, "label": []})
    first, second, more, more_of_second = instances_of(read, tmp_path / "out")
    assert (first.key, second.key, more.key, more_of_second.key) == ("1", "2", "1", "2")
    assert [a.annotator for a in first.annotations + second.annotations] == ["ada"]
    assert (more.is_addition, more.annotations[0].annotator, more.annotations[0].note) == (True, "ben", "short\nenough")
    assert (more_of_second.is_addition, more_of_second.annotations[0].annotator) == (True, "ben")
    [problem] = problems_of(read, tmp_path / "out")
    assert problem.is_warning
    assert problem.reason == "2 rows without labels count as unannotated."


def test_a_shared_file_is_nobodys_in_particular(tmp_path):
    [instance] = instances_of(read, saved(tmp_path / "all.jsonl", ROW))
    assert instance.annotations[0].annotator == "gold"


def test_users_of_old_exports_are_annotators(tmp_path):
    marks = [
        {"label": 2, "start_offset": 0, "end_offset": 2, "user": 1},
        {"label": 5, "start_offset": 3, "end_offset": 7, "user": 8},
    ]
    [instance] = instances_of(
        read, saved(tmp_path / "a.jsonl", {"id": 1, "text": "so good", "annotations": marks, "meta": {}})
    )
    assert [a.annotator for a in instance.annotations] == ["user 1", "user 8"]


def test_the_first_versions_name_labels_by_numbers_and_users_by_theirs(tmp_path):
    """As doccano 0.x and 1.0 write the export called JSONL."""
    row = {
        "id": 1, "text": "EU rejects", "meta": {"source": "wire"}, "annotation_approver": None, "comments": [],
        "annotations": [
            {"label": 7, "start_offset": 0, "end_offset": 2, "user": 1},
            {"label": 7, "start_offset": 3, "end_offset": 10, "user": 2},
        ],
    }  # fmt: skip
    path = saved(tmp_path / "old.jsonl", {**row, "id": 0, "annotations": []}, row)
    guess = guess_format(path)
    assert guess is not None
    assert guess.format_name == "doccano"
    _unread, instance = instances_of(read, path)
    assert [a.annotator for a in instance.annotations] == ["user 1", "user 2"]
    assert [spans_read(instance, n) for n in (0, 1)] == [[[("text", 0, 2)]], [[("text", 3, 10)]]]
    assert instance.metadata == {"source": "wire"}


def test_what_users_said_of_the_whole_text_is_their_own(tmp_path):
    marks = [{"label": 1, "user": 1}, {"label": 2, "user": 2}]
    (tmp_path / "out").mkdir()
    config = [{"id": 1, "text": "positive", "prefix_key": None}, {"id": 2, "text": "negative", "prefix_key": None}]
    (tmp_path / "out" / "label_config.json").write_text(json.dumps(config), "utf-8")
    path = saved(tmp_path / "out" / "old.jsonl", {"id": 1, "text": "so good", "annotations": marks})
    for place in (path, path.parent):
        [instance] = instances_of(read, place)
        assert {a.annotator: a.result for a in instance.annotations} == {"user 1": "positive", "user 2": "negative"}
        assert instance.result is None


def test_numbers_of_labels_are_taken_where_somebody_names_them(tmp_path):
    path = saved(tmp_path / "old.jsonl", {"id": 1, "text": "so good", "annotations": [{"label": 7, "user": 1}]})
    [problem] = problems_of(read, path)
    assert (problem.remedy, problem.value) == ("label", "7")
    options = ReadOptions(TASKS["sentiment"], ("negative", "positive"), renamed=frozenset({"7"}))
    [instance] = read(path, options)
    assert isinstance(instance, SourceInstance)
    assert [a.result for a in instance.annotations] == ["7"]  # which the import then renames


RESULTS = [
    ({"label": ["positive"]}, "positive", 0),  # text classification
    ({"label": "positive"}, "positive", 0),
    ({"cats": ["positive"], "entities": [[0, 2, "a"]]}, "positive", 1),
    ({"label": [[0, 2, "a"]], "result": "positive"}, "positive", 1),
    ({"label": ["positive", "negative"]}, None, None),
]


@pytest.mark.parametrize(("fields", "result", "n_sets"), RESULTS)
def test_the_result_is_the_label_of_the_whole_text_or_a_field(fields, result, n_sets, tmp_path):
    path = saved(tmp_path / "a.jsonl", {"id": 1, "text": "so good", **fields})
    [instance] = instances_of(read, path)
    assert instance.result == result
    assert [len(a.sets) for a in instance.annotations] == ([] if n_sets is None else [n_sets])
    assert [p.reason for p in problems_of(read, path)][:1] == (
        [] if result else ["1 row's multiple whole-text labels skipped."]
    )


def test_the_result_of_several_files_is_what_all_say(tmp_path):
    def row(key, label):
        return {"id": key, "text": "so good", "label": [label]}

    saved(tmp_path / "out" / "ada.jsonl", row(1, "positive"), row(2, "positive"))
    saved(tmp_path / "out" / "ben.jsonl", row(1, "positive"), row(2, "negative"))
    items = instances_of(read, tmp_path / "out")
    assert problems_of(read, tmp_path / "out") == []
    assert [i.result for i in items if not i.is_addition] == ["positive", None]
    assert [a.result for i in items for a in i.annotations] == ["positive", "positive", "positive", "negative"]


# doccano/doccano issue 2290: doccano gives 22 to 32 for the last word, which in Python is 19 to 29.
FIRE = "👨🏻\u200d🚒 firemen drive firetrucks"
COUNTED = [
    (FIRE, 22, 32, None, (19, 29)),
    (FIRE, 22, 32, "utf-16", (19, 29)),
    (FIRE, 19, 29, "characters", (19, 29)),
    (FIRE, 16, 26, "graphemes", (19, 29)),  # the project counts the fireman as one
    ("e\u0301te\u0301 so", 4, 6, "graphemes", (6, 8)),
    ("so\r\ngood", 3, 7, "graphemes", (4, 8)),
    ("𠮷野家 so", 2, 4, None, (1, 3)),
]


@pytest.mark.parametrize(("text", "start", "end", "offsets", "characters"), COUNTED)
def test_offsets_are_utf16_units_unless_the_row_says_otherwise(text, start, end, offsets, characters, tmp_path):
    said = {} if offsets is None else {"offsets": offsets}
    path = saved(tmp_path / "a.jsonl", {"id": 1, "text": text, "label": [[start, end, "a"]], **said})
    [instance] = instances_of(read, path)
    assert spans_read(instance) == [[("text", *characters)]]
    problems = problems_of(read, path)
    assert [
        'row with emoji or similar read as UTF-16. Otherwise set "offsets": "graphemes" / "characters".' in p.reason
        for p in problems
    ] == [True] * (offsets is None)


def test_segments_are_cut_out_of_the_one_text(tmp_path):
    row = {
        "id": 1,
        "text": "😀 sleeps\n\nIt moves",
        "segments": {"premise": [0, 9], "hypothesis": [11, 19]},
        "label": [[0, 2, "a"], [3, 13, "b"], [14, 19, "a"]],
    }
    [instance] = instances_of(read, saved(tmp_path / "a.jsonl", row), "inference", ())
    assert {n: t.text for n, t in instance.segments.items()} == {"premise": "😀 sleeps", "hypothesis": "It moves"}
    assert spans_read(instance) == [
        [("premise", 0, 1), ("hypothesis", 3, 8)],
        [("premise", 2, 8), ("hypothesis", 0, 2)],  # a span over both is cut where a segment ends
    ]


def test_other_segments_stand_in_fields_of_their_own(tmp_path):
    row = {"id": 1, "text": "It rained.", "question": "Why?", "page": "5", "label": [[3, 9, "a"]], "result": "rain"}
    [instance] = instances_of(read, saved(tmp_path / "a.jsonl", row), "reading", ())
    assert {n: t.text for n, t in instance.segments.items()} == {"passage": "It rained.", "question": "Why?"}
    assert (instance.result, instance.metadata) == ("rain", {"page": "5"})


BAD_ROWS = [
    ({**ROW, "label": [[0, 99, "a"]]}, "Ends at 99 (exclusive); the text is 14 UTF-16 units."),
    ({**ROW, "label": [[5, 5, "a"]]}, "Must satisfy 0 <= start < end."),
    ({**ROW, "text": "😀 so", "label": [[0, 1, "a"]]}, "Offset 1 (UTF-16 units) splits a character. Check the unit."),
    ({**ROW, "label": [[0, "2", "a"]]}, "Must be an integer, not text."),
    ({**ROW, "label": {"a": 1}}, "Must be an integer or text or a list or null, not an object {...}."),
    ({**ROW, "offsets": "bytes"}, 'Must be one of "utf-16", "graphemes", "characters".'),
    ({**ROW, "text": None}, "Must not be empty."),
    ({**ROW, "text": " ", "label": []}, "Must not be empty."),
    ({**ROW, "id": None}, "Missing ID. Add one, or use --number-keys."),
    ({**ROW, "result": "odd"}, "No label 'odd' (only"),
    ({**ROW, "annotations": [{"label": 3, "user": 1}]}, "The label is a number. Use --rename 3=LABEL or label_config.json."),
    ({**ROW, "segments": {"text": [0, 99]}}, "Ends at 99 (exclusive); the text is"),
    ({**ROW, "segments": {"text": [0, 2]}}, "It's between segments. Remove it."),
    ({**ROW, "segments": {"other": [0, 14]}}, "No such segment, only 'text'."),
]  # fmt: skip


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS)
def test_a_bad_row_is_refused_and_the_others_are_read(row, reason, tmp_path):
    path = saved(tmp_path / "a.jsonl", row, {**ROW, "id": 2})
    assert [i.key for i in instances_of(read, path)] == ["2"]
    problems = [p for p in problems_of(read, path) if not p.is_warning]
    assert reason in problems[0].reason
    assert {p.line for p in problems} == {1}


def test_a_task_of_several_texts_needs_to_be_told_where_they_stand(tmp_path):
    [problem] = problems_of(read, saved(tmp_path / "a.jsonl", ROW), "inference")
    assert 'Add "segments": {"premise": [0, 12], ...}.' in problem.reason


def test_one_file_of_several_users_as_the_first_versions_wrote_it(tmp_path):
    rows = [
        {"doc_id": 1, "text": "so good", "labels": [label], "username": user}
        for user, label in (("ada", "positive"), ("ben", "negative"))
    ]
    path = saved(tmp_path / "a.jsonl", *rows)
    assert problems_of(read, path) == []
    [instance] = instances_of(read, path)
    assert [(a.annotator, a.result) for a in instance.annotations] == [("ada", "positive"), ("ben", "negative")]
    assert instance.result is None


def test_comments_on_a_row_without_a_label_are_counted(tmp_path):
    path = saved(tmp_path / "a.jsonl", {"id": 1, "text": "so good", "label": [], "Comments": ["why?", "what?"]})
    assert "2 comments on unlabelled rows skipped." in {p.reason for p in problems_of(read, path)}


def test_relations_are_left_out_and_counted(tmp_path):
    path = saved(tmp_path / "a.jsonl", {**ROW, "relations": [{"from_id": 1, "to_id": 2}] * 3})
    [problem] = problems_of(read, path)
    assert (problem.is_warning, problem.reason) == (True, "3 relations skipped.")


def test_a_row_that_stands_twice_is_refused(tmp_path):
    [problem] = problems_of(read, saved(tmp_path / "ada.jsonl", ROW, ROW))
    assert "Duplicate of line" in problem.reason


def test_the_export_called_json_is_a_list(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": 1, "text": "so good", "label": ["positive"]}, 3]))
    assert [i.result for i in instances_of(read, path)] == ["positive"]
    assert [p.reason for p in problems_of(read, path)] == ["Must be an object {...}."]


def test_archives_tables_and_folders_without_rows_are_refused_with_a_remedy(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04...")
    with pytest.raises(InvalidValue, match=r"is an archive\. Unpack it first\."):
        problems_of(read, tmp_path / "a.zip")
    (tmp_path / "a.csv").write_text("id,text")
    with pytest.raises(InvalidValue, match=r"Export as JSONL from doccano\."):
        problems_of(read, tmp_path / "a.csv")
    with pytest.raises(InvalidValue, match=r"Export as JSONL from doccano\."):
        problems_of(read, tmp_path)


# Writing -------------------------------------------------------------------------------------------------------------

FILM = gold(
    "sentiment", {"text": "so 😀 good"}, RationaleSet.of((1, 2), (2, 3)), RationaleSet.of((2, 3)), key="f", split="dev"
)


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_row_has_the_same_fields_and_offsets_as_doccano_counts(tmp_path):
    none = gold("sentiment", {"text": "so so"}, key="g", result=None, metadata={"page": 3})
    write(tmp_path / "out.jsonl", [FILM, none], project_options("sentiment"))
    first, second = rows_of(tmp_path / "out.jsonl")
    assert first["label"] == [[3, 5, "set 1"], [6, 10, "set 1"], [6, 10, "set 2"]]
    assert (first["id"], first["result"], first["split"], first["no_rationale"]) == ("f", "positive", "dev", None)
    assert (second["label"], second["no_rationale"], second["metadata"]) == ([], True, {"page": 3})
    # A field that only some rows have becomes NaN in doccano's data frame, which its database refuses (doccano 1.8.4).
    assert list(first) == list(second)


def test_several_segments_are_one_text_with_their_places(tmp_path):
    pair = gold("inference", {"premise": "😀 sleeps", "hypothesis": "It moves"}, RationaleSet.of((1, 2), (3, 4)))
    write(tmp_path / "out.jsonl", [pair], project_options("inference"))
    [row] = rows_of(tmp_path / "out.jsonl")
    assert (row["text"], row["segments"]) == ("😀 sleeps\n\nIt moves", {"premise": [0, 9], "hypothesis": [11, 19]})
    assert row["label"] == [[3, 9, "set 1"], [14, 19, "set 1"]]


# Whatever stands there -----------------------------------------------------------------------------------------------

NAMES = ["id", "text", "data", "label", "labels", "entities", "annotations", "cats", "relations", "Comments", "offsets", "segments", "result", "user", "username", "no_rationale", "start_offset", "end_offset", "premise"]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.just(1.5) | st.sampled_from(["", "a 😀 b", "positive", "graphemes", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
RIGHT = st.fixed_dictionaries(
    {"id": st.integers(0, 3), "text": st.just("a 😀 b c"), "label": st.just([[0, 1, "x"], [5, 6, "y"]])}
)
ROWS = st.lists(
    RIGHT.flatmap(lambda row: st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=2).map(lambda odd: row | odd)),
    max_size=4,
)


@given(first=ROWS, second=ROWS, task=st.sampled_from(["sentiment", "inference", "reading"]))
def test_odd_values_never_make_the_reader_fail(first, second, task):
    with tempfile.TemporaryDirectory() as folder:
        saved(Path(folder) / "ada.jsonl", *first)
        saved(Path(folder) / "ben.jsonl", *second)
        try:
            items = list(read(Path(folder), ReadOptions(TASKS[task], ("negative", "positive"))))
        except AnnotatorError:
            return
    check_items(items)
