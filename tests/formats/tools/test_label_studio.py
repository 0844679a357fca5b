"""Label Studio's JSON and JSON-MIN: what it counts, who marked what, what is left out, and what reads back."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.tools.label_studio import read, write
from tests.formats.conftest import check_items, paths_of, with_value
from tests.formats.tools import tool_gold


def region(start, end, label="set 1", text=None, **more):
    value = {"start": start, "end": end, "labels": [label] if isinstance(label, str) else label}
    said = {} if text is None else {"text": text}
    return {"id": "x", "from_name": "why", "to_name": "text", "type": "labels", "value": {**value, **said}, **more}


def choice(*labels, name="sentiment"):
    return {"id": "c", "from_name": name, "to_name": "text", "type": "choices", "value": {"choices": list(labels)}}


def task(*results, text="so good a film", task_id=7, **more):
    annotations = [
        {"id": n, "completed_by": n + 1, "result": result, "was_cancelled": False} for n, result in enumerate(results)
    ]
    return {"id": task_id, "data": {"text": text}, "annotations": annotations, "predictions": [], **more}


def saved(tmp_path: Path, *tasks) -> Path:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(list(tasks), ensure_ascii=False), encoding="utf-8")
    return path


# Reading -------------------------------------------------------------------------------------------------------------


def test_each_span_label_is_a_set_and_each_person_has_an_annotation(tmp_path):
    ada = [region(0, 2, "set 2"), region(3, 7, "set 1"), region(10, 14, "set 2"), choice("positive")]
    ben = [region(3, 7, ["set 1", "set 2"]), choice("positive")]
    [instance] = tool_gold.instances_of(read, saved(tmp_path, task(ada, ben)))
    assert (instance.key, instance.result) == ("7", "positive")
    assert [(a.annotator, a.result) for a in instance.annotations] == [("user 1", "positive"), ("user 2", "positive")]
    assert tool_gold.spans_read(instance, 0) == [[("text", 3, 7)], [("text", 0, 2), ("text", 10, 14)]]
    assert tool_gold.spans_read(instance, 1) == [[("text", 3, 7)], [("text", 3, 7)]]  # overlapping sets survive


def test_sets_go_by_the_first_number_in_their_label_after_those_without_one(tmp_path):
    labels = ["rationale 10", "evidence", "2nd reason", "cue", "Rationale 3"]
    result = [region(0, number + 1, label) for number, label in enumerate(labels)]
    [instance] = tool_gold.instances_of(read, saved(tmp_path, task(result)))
    assert [spans[0][2] for spans in tool_gold.spans_read(instance)] == [2, 4, 3, 5, 1]


def test_a_result_that_the_data_gives_is_the_instances_and_choices_are_the_annotators_own(tmp_path):
    given = task([choice("positive")], [choice("negative")])
    [without] = tool_gold.instances_of(read, saved(tmp_path, given))
    assert (without.result, [a.result for a in without.annotations]) == (None, ["positive", "negative"])
    given["data"]["result"] = "negative"
    [instance] = tool_gold.instances_of(read, saved(tmp_path, given))
    assert (instance.result, [a.result for a in instance.annotations]) == ("negative", ["positive", "negative"])


# HumanSignal/label-studio issue 1347: a version that counted UTF-16 units; the reporter asks for 12 to 22.
OLD = "💩This is an annotation."
UNITS = [
    (OLD, 13, 23, "annotation", (12, 22)),  # as reported
    (OLD, 12, 22, "annotation", (12, 22)),  # as versions since 1.4 count (label-studio-frontend pull request 308)
    ("so 😀 good", 3, 4, "😀", (3, 4)),
    ("so 😀 good", 3, 5, "😀", (3, 5)),  # with the blank, in characters: blanks are not compared
    ("so 😀 good", 6, 10, "good", (5, 9)),  # past the end in characters
    ("so 😀 good", 5, 9, None, (5, 9)),  # nothing recorded: characters
    ("so\ngood", 0, 7, "so\\ngood", (0, 7)),  # Label Studio writes a line end as backslash and n
    ("so\r\n  good", 0, 10, "so\\n\\ngood", (0, 10)),  # and a browser shows fewer blanks
]


@pytest.mark.parametrize(("text", "start", "end", "recorded", "characters"), UNITS)
def test_offsets_are_characters_unless_the_recorded_text_says_utf16(text, start, end, recorded, characters, tmp_path):
    path = saved(tmp_path, task([region(start, end, "set 1", recorded)], text=text))
    [instance] = tool_gold.instances_of(read, path)
    assert tool_gold.spans_read(instance) == [[("text", *characters)]]
    is_told = any("in UTF-16 units" in p.reason for p in tool_gold.problems_of(read, path))
    assert is_told is (characters != (start, end))


BAD_SPANS = [
    (region(3, 7, "a", "bad"), "Recorded 'bad', but the text says 'good'. Correct the region."),
    (region(10, 99, "a", "film"), "Ends at 99 (exclusive); the text is 14 characters."),
    (region(3, 99), "Ends at 99 (exclusive); the text is 14 characters."),
    (region(3, 3), "Must satisfy 0 <= start < end."),
    (region(-1, 3), "Must satisfy 0 <= start < end."),
    (region(0.5, 3.25), "Offsets must be integers; only Text regions are read."),  # seconds of a sound
    (region("/div[1]/text()[1]", "/div[1]/text()[1]"), "Offsets must be integers; only Text regions are read."),
]


@pytest.mark.parametrize(("wrong", "reason"), BAD_SPANS)
def test_a_task_with_a_bad_span_is_refused_whole_and_the_others_are_read(wrong, reason, tmp_path):
    path = saved(tmp_path, task([region(0, 2), wrong], [region(0, 2)]), task([region(0, 2)], task_id=8))
    assert [i.key for i in tool_gold.instances_of(read, path)] == ["8"]
    [problem] = tool_gold.problems_of(read, path)
    assert reason in problem.reason
    assert (problem.source, problem.field) == ("export.json[0]", "annotations[0].result[1].value")


def test_what_is_no_mark_on_text_is_left_out_and_counted(tmp_path):
    box = {"id": "b", "type": "rectanglelabels", "value": {"x": 1, "rectanglelabels": ["a"]}, "to_name": "text"}
    html = {
        "type": "hypertextlabels",
        "to_name": "text",
        "value": {"start": "/p[1]", "end": "/p[1]", "hypertextlabels": ["a"]},
    }
    relation = {"type": "relation", "from_id": "x", "to_id": "y", "direction": "right"}
    marked = [region(0, 2), region(3, 7, []), box, html, relation, relation, choice("a", "b")]
    first = task(marked, predictions=[{"result": []}, 4], drafts=[1])
    first["annotations"].append({"result": [region(3, 7)], "was_cancelled": True, "completed_by": 9})
    path = saved(tmp_path, first, task([html], task_id=8))
    assert [(i.key, len(i.annotations)) for i in tool_gold.instances_of(read, path)] == [("7", 1), ("8", 0)]
    assert tool_gold.warnings_of(read, path) == {
        "2 predictions skipped: model marks aren't gold.",
        "1 unsubmitted draft skipped.",
        "1 annotation of a cancelled task skipped.",
        "1 unreadable annotation skipped.",
        "1 region without a label skipped.",
        "1 result of type 'rectanglelabels' skipped.",
        "2 results of type 'relation' skipped.",
        "2 HTML regions skipped; use plain text.",
        "1 multi-answer question skipped.",
    }


def test_a_submitted_annotation_without_regions_says_that_there_is_no_rationale(tmp_path):
    [instance] = tool_gold.instances_of(read, saved(tmp_path, task([])))
    assert tool_gold.spans_read(instance) == []


def test_of_several_annotations_by_one_person_the_latest_counts(tmp_path):
    given = task([region(0, 2)], [region(3, 7)], [region(8, 9)])
    for annotation, at in zip(given["annotations"], ("2026-01-03", "2026-01-04", "2026-01-02"), strict=True):
        annotation |= {"completed_by": {"id": 4, "email": "ada@example.org"}, "updated_at": at}
    path = saved(tmp_path, given)
    [instance] = tool_gold.instances_of(read, path)
    assert instance.annotations[0].annotator == "ada@example.org"
    assert tool_gold.spans_read(instance) == [[("text", 3, 7)]]
    assert "2 superseded annotations skipped." in tool_gold.problems_of(read, path)[0].reason


def test_the_segment_of_a_region_is_found_by_the_tags_name_or_by_what_was_recorded(tmp_path):
    data = {"premise": "cats sleep", "hypothesis": "nothing moves"}
    by_name = {**region(0, 4), "to_name": "hypothesis"}
    by_control = {**region(0, 4), "to_name": "txt1", "from_name": "why-premise"}
    by_text = {**region(8, 13, "set 1", "moves"), "to_name": "txt2"}
    path = saved(tmp_path, {"id": 1, "data": data, "annotations": [{"result": [by_name, by_control, by_text]}]})
    [instance] = tool_gold.instances_of(read, path, "inference", ("a",))
    assert tool_gold.spans_read(instance) == [[("hypothesis", 0, 4), ("premise", 0, 4), ("hypothesis", 8, 13)]]
    path = saved(tmp_path, {"id": 1, "data": data, "annotations": [{"result": [{**region(0, 4), "to_name": "txt"}]}]})
    [problem] = tool_gold.problems_of(read, path, "inference")
    assert "Name the Text tag and its field like the marked segment ('premise', 'hypothesis')." in problem.reason


def test_the_only_text_of_a_task_is_taken_whatever_it_is_called(tmp_path):
    given = {**task([region(0, 2)]), "data": {"comment_body": "so good", "stars": 5}}
    [instance] = tool_gold.instances_of(read, saved(tmp_path, given))
    assert (instance.segments["text"].text, instance.metadata) == ("so good", {"stars": 5})


def test_a_span_inside_a_word_is_told(tmp_path):
    path = saved(tmp_path, task([region(4, 7)]))
    assert len(tool_gold.instances_of(read, path)) == 1
    [problem] = tool_gold.problems_of(read, path)
    assert problem.is_warning
    assert (problem.value, problem.reason) == ("'ood'", "1 span cuts words and grows to whole tokens.")


def test_json_min_has_a_row_for_each_annotation(tmp_path):
    # Fields as label-studio-sdk 2.1.2 writes them (converter.convert_to_json_min).
    row = {
        "text": "so good a film",
        "id": 5,
        "why": [{"start": 3, "end": 7, "text": "good", "labels": ["set 1"]}],
        "sentiment": "positive",
        "annotator": 1,
        "annotation_id": 8,
        "created_at": "2026-01-01",
        "updated_at": "2026-01-01",
        "lead_time": 3.5,
    }
    other = {**row, "annotator": "ben@example.org", "annotation_id": 9, "lead_time": 4.1, "sentiment": "negative"}
    unread = {"text": "too long", "key": "b", "id": 6, "annotator": None, "annotation_id": None, "created_at": None}
    path = saved(tmp_path, row, other, unread)
    first, second = tool_gold.instances_of(read, path)
    assert (first.key, first.result, first.metadata) == ("5", None, {})
    assert [(a.annotator, a.result) for a in first.annotations] == [
        ("user 1", "positive"),
        ("ben@example.org", "negative"),
    ]
    assert tool_gold.spans_read(first, 1) == [[("text", 3, 7)]]
    assert (second.key, second.annotations, second.metadata) == ("b", (), {})
    assert tool_gold.problems_of(read, path) == []


def test_answers_and_remarks_that_were_written(tmp_path):
    def written(name, text):
        return {"from_name": name, "to_name": "passage", "type": "textarea", "value": {"text": [text]}}

    data = {"passage": "It rained.", "question": "Why?"}
    result = [{**region(3, 9), "to_name": "passage"}, written("answer", "rain"), written("comment", "short")]
    [instance] = tool_gold.instances_of(
        read, saved(tmp_path, {"id": 1, "data": data, "annotations": [{"result": result}]}), "reading", ()
    )
    [annotation] = instance.annotations
    assert (instance.result, annotation.result, annotation.note, annotation.annotator) == (
        "rain",
        "rain",
        "short",
        "gold",
    )


FILES = [
    ("", "Invalid JSON: Expecting value at character 1 of 0."),
    ("{", "Invalid JSON: truncated at character 1."),
    ('[{"id": 1}, ', "Export as JSON from Label Studio."),
    ('{"id": 1, "data": {"text": "a"}}', "The file must be a list [...]."),
    ('{"id": 1}\n{"id": 2}', "Export as JSON from Label Studio."),
    ('[{"id": 1, "data": {"text": NaN}}]', "NaN isn't JSON. Write a number or null."),
    ("[1]", "Must be an object {...}."),
    ('[{"id": 1, "data": ["a"]}]', "Must be an object {...}, not a list."),
    ('[{"id": 1, "data": {"text": "\\ud83d so"}}]', "is a lone surrogate. Write the whole character."),
    ('[{"id": 1, "id": 2, "data": {"text": "a"}}]', "Duplicate. Keep one."),
    ('[{"data": {"text": "a"}}]', "Missing ID. Add one, or use --number-keys."),
    ('[{"id": 1, "data": {"text": "a"}}, {"id": 1, "data": {"text": "a"}}]', "Duplicate of line"),
    ('[{"id": 1, "data": {"text": " "}}]', "Must not be empty."),
    ('[{"id": 1, "data": {"text": "a", "label": "odd"}}]', "No label 'odd' (only"),
    ('[{"id": 1, "data": {"text": "a"}, "annotations": {}}]', "Must be a list or null, not an object {...}."),
]  # fmt: skip


@pytest.mark.parametrize(("content", "reason"), FILES)
def test_bad_files_and_tasks_are_told_with_what_to_do(content, reason, tmp_path):
    path = tmp_path / "export.json"
    path.write_text(content, encoding="utf-8")
    [problem] = tool_gold.problems_of(read, path)
    assert reason in problem.reason
    assert not problem.is_warning


def test_archives_and_tables_are_refused_with_a_remedy(tmp_path):
    tool_gold.check_archives_and_tables(read, tmp_path, "Export as JSON from Label Studio.")


def test_the_line_and_place_of_a_task_are_told(tmp_path):
    path = tmp_path / "export.json"
    path.write_text("\ufeff" + json.dumps([task(), {"id": 2}], indent=1), encoding="utf-8")
    [problem] = tool_gold.problems_of(read, path)
    assert str(problem).startswith("export.json[1], line 10, field data")


# Writing -------------------------------------------------------------------------------------------------------------

FILM = tool_gold.gold(
    "sentiment",
    {"text": "so 😀 good,\na film"},
    RationaleSet.of((1, 2), (2, 5)),
    RationaleSet.of((2, 3)),
    key="f",
    split="dev",
)


def test_gold_is_written_as_label_studio_writes_annotations(tmp_path):
    write(tmp_path / "out.json", [FILM], tool_gold.project_options("sentiment"))
    [written] = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["data"] == {
        "key": "f",
        "split": "dev",
        "language": "en",
        "label": "positive",
        "text": "so 😀 good,\na film",
    }
    [annotation] = written["annotations"]
    assert [(r["from_name"], r["to_name"], r["type"], r["value"]) for r in annotation["result"]] == [
        ("rationale_text", "text", "labels", {"start": 3, "end": 4, "text": "😀", "labels": ["set 1"]}),
        ("rationale_text", "text", "labels", {"start": 5, "end": 12, "text": "good,\\na", "labels": ["set 1"]}),
        ("rationale_text", "text", "labels", {"start": 5, "end": 9, "text": "good", "labels": ["set 2"]}),
        ("label", "text", "choices", {"choices": ["positive"]}),
    ]
    assert len({r["id"] for r in annotation["result"]}) == 4


def test_gold_without_a_result_reads_back(tmp_path):
    unknown = tool_gold.gold("sentiment", {"text": "so good"}, RationaleSet.of((1, 2)), result=None)
    write(tmp_path / "out.json", [unknown], tool_gold.project_options("sentiment"))
    back = tool_gold.read_one(read, tmp_path / "out.json", "sentiment")
    assert (back.instance.result, back.sets) == (None, unknown.sets)


def test_the_target_of_an_entity_task_reads_back(tmp_path):
    written = tool_gold.gold("entity", {"text": "😀 Ann met Bo"}, RationaleSet.of((2, 3)), target=(1, 2))
    write(tmp_path / "out.json", [written], tool_gold.project_options("entity"))
    target = tool_gold.read_one(read, tmp_path / "out.json", "entity").instance.target
    assert target is not None
    assert (target.segment, target.start, target.end, target.unit) == ("text", 2, 5, "char")


# Whatever stands there -----------------------------------------------------------------------------------------------

RIGHT = [
    task([region(0, 2, text="so"), choice("positive")], [region(3, 7)], meta={"a": 1}, predictions=[1]),
    {"text": "so good", "id": 5, "why": [{"start": 3, "end": 7, "text": "good", "labels": ["set 1"]}], "label": "positive", "annotator": 1, "annotation_id": 8},
]  # fmt: skip
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 20) | st.just(1.5) | st.sampled_from(["", "text", "set 1", "positive", "1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["start", "end", "labels", "text", "value", "email", "choices"]), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@given(data=st.data())
def test_one_odd_value_never_makes_the_reader_fail(data):
    right = data.draw(st.sampled_from(RIGHT))
    odd = with_value(right, data.draw(st.sampled_from(list(paths_of(right)))), data.draw(ODD))
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Path(folder), odd, right)
        try:
            items = list(read(path, ReadOptions(TASKS["sentiment"], ("negative", "positive"))))
        except AnnotatorError:
            return
    assert check_items(items) or any(not i.is_warning for i in items if isinstance(i, Problem))
