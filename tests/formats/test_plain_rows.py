"""Plain JSONL rows: lines, names of columns, rationales, several annotators, columns that look like marks, and what can be wrong."""

import json
from pathlib import Path

import pytest

from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceSpan, SourceText
from annotator.domain.tasks import TASKS, SegmentSpec, Task
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import jsonl
from annotator.formats.registry import get_reader
from annotator.formats.rows import lines
from annotator.formats.rows.csv_rows import column_choices
from annotator.formats.rows.findings import listed, shown

Read = tuple[list[SourceInstance], list[Problem]]
TEXT = "A calm, clever film."


def read_rows(rows: list[dict], tmp_path: Path, task: Task | str = "sentiment", **options) -> Read:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    chosen = TASKS[task] if isinstance(task, str) else task
    items = list(jsonl.read(path, ReadOptions(chosen, **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def test_a_full_row_becomes_an_instance_with_its_annotation(tmp_path):
    row = {
        "id": 7,
        "split": "val",
        "lang": "en",
        "text": TEXT,
        "label": "positive",
        "annotator": "ada",
        "annotator_label": "neutral",
        "rationales": [
            [{"segment": "text", "start_token": 1, "end_token": 2}, [3, 4]],
            [{"segment": "text", "start_char": 8, "end_char": 14}],
        ],
        "note": "two reasons",
        "exhaustive": True,
        "parent": 3,
        "perturbation_kind": "syntax",
        "stars": 4,
        "metadata": {"source": "own"},
    }
    [instance], problems = read_rows([row], tmp_path)
    assert problems == []
    assert instance == SourceInstance(
        key="7",
        segments={"text": SourceText(TEXT)},
        source="rows.jsonl",
        line=1,
        split="val",
        language="en",
        result="positive",
        annotations=(
            SourceAnnotation(
                "ada",
                "neutral",
                ((SourceSpan("text", 1, 2), SourceSpan("text", 3, 4)), (SourceSpan("text", 8, 14, "char"),)),
                note="two reasons",
            ),
        ),
        parent_key="3",
        perturbation_kind="syntax",
        is_exhaustive=True,
        metadata={"stars": 4, "source": "own"},
    )


NAMES = [
    ("sentiment", {"sentence": "a"}, {"text": "a"}),
    ("sentiment", {"context": "a"}, {"text": "a"}),
    ("sentiment", {"review": "a"}, {"text": "a"}),
    ("sentiment", {"context": "b", "text": "a"}, {"text": "a"}),  # the segment's own name goes first
    ("similarity", {"query": "a", "title": "b"}, {"sentence1": "a", "sentence2": "b"}),
    ("similarity", {"sentence2": "b", "sentence1": "a"}, {"sentence1": "a", "sentence2": "b"}),
    ("reading", {"context": "a", "question": "q"}, {"passage": "a", "question": "q"}),
    ("reading", {"passage": "a", "title": "t", "query": "q"}, {"passage": "a", "title": "t", "question": "q"}),
    ("reading", {"passage": "a", "title": "", "question": "q"}, {"passage": "a", "question": "q"}),  # empty: left out
    ("inference", {"premise": "a", "hypothesis": "b"}, {"premise": "a", "hypothesis": "b"}),
    ("inference", {"sentence1": "a", "sentence2": "b"}, {"premise": "a", "hypothesis": "b"}),
    ("verification", {"document": "a", "claim": "c"}, {"document": "a", "query": "c"}),
    ("verification", {"document": "a", "document2": "b", "query": "c"}, {"document": "a", "document2": "b", "query": "c"}),
    ("choice", {"question": "a", "choices": "b"}, {"question": "a", "choices": "b"}),
]  # fmt: skip


@pytest.mark.parametrize(("task", "columns", "segments"), NAMES)
def test_segments_are_found_by_their_own_and_other_names(task, columns, segments, tmp_path):
    [instance], problems = read_rows([{"id": "1", **columns}], tmp_path, task)
    assert problems == []
    assert {name: body.text for name, body in instance.segments.items()} == segments


KEYS = ["id", "key", "instance_id", "annotation_id", "sent_id"]


@pytest.mark.parametrize("name", KEYS)
def test_the_key_may_have_any_of_its_names(name, tmp_path):
    [instance], _ = read_rows([{name: "a", "text": TEXT}], tmp_path)
    assert (instance.key, instance.metadata) == ("a", {})


RESULTS = [
    ("sentiment", {"label": "positive"}, "positive"),
    ("sentiment", {"answer": "positive"}, "positive"),
    ("sentiment", {"label": 1}, "1"),
    ("sentiment", {"label": ""}, None),
    ("sentiment", {"label": None}, None),
    ("sentiment", {}, None),
    ("reading", {"answer": "in May"}, "in May"),
    ("reading", {"answer": ""}, ""),  # there is no answer
    ("reading", {"answer": None}, None),
    ("reading", {}, None),  # not given
]


@pytest.mark.parametrize(("task", "columns", "result"), RESULTS)
def test_a_missing_result_is_none_and_an_empty_answer_is_an_answer(task, columns, result, tmp_path):
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "question": "When?", **columns}], tmp_path, task)
    assert problems == []
    assert instance.result == result


ANNOTATIONS = [
    ({}, None),
    ({"rationales": None}, None),
    ({"rationales": []}, ("gold", "positive", 0)),  # annotated, with no rationale
    ({"rationales": [[[0, 1]]]}, ("gold", "positive", 1)),
    ({"annotator": "ada"}, None),  # the name alone is no annotation
    ({"annotator": "ada", "annotator_label": "negative"}, ("ada", "negative", 0)),
    ({"annotator": "ada", "rationales": [[[0, 1]], [[2, 3]]]}, ("ada", "positive", 2)),
]


@pytest.mark.parametrize(("columns", "expected"), ANNOTATIONS)
def test_a_row_is_annotated_when_it_has_rationales_or_an_annotators_label(columns, expected, tmp_path):
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "label": "positive", **columns}], tmp_path)
    assert problems == []
    found = [(a.annotator, a.result, len(a.sets)) for a in instance.annotations]
    assert found == ([] if expected is None else [expected])


def test_tokens_of_the_source_are_kept_with_their_offsets(tmp_path):
    rows = [
        {"id": "1", "text": "don't  stop", "tokens": ["do", "n't", "stop"]},
        {"id": "2", "tokens": {"text": ["Well", "done"]}},  # no text: made from the tokens
        {"id": "3", "tokens": ["好", "吃"], "language": "zh"},
    ]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    bodies = [i.segments["text"] for i in instances]
    assert [b.text for b in bodies] == ["don't  stop", "Well done", "好吃"]
    assert [b.tokens.tokens() for b in bodies] == [["do", "n't", "stop"], ["Well", "done"], ["好", "吃"]]
    assert bodies[0].tokens.starts == (0, 2, 7)


BAD_ROWS = [
    ("sentiment", {"id": None}, "id", "Must be an integer or text, not null."),
    ("sentiment", {"id": ""}, "id", "Must not be empty."),
    ("sentiment", {"id": True}, "id", "not true or false"),
    ("sentiment", {"text": None}, "text", "must be text"),
    ("sentiment", {"text": ["a"]}, "text", "must be text"),
    ("sentiment", {"text": ""}, "text", "Must not be empty."),
    ("sentiment", {"text": "  \u3000"}, "text", "Must not be empty."),
    ("sentiment", {"label": True}, "label", "not true or false"),
    ("sentiment", {"label": "joyful"}, "label", "No label 'joyful' (only 'negative', 'positive'); add it (--add-label joyful), rename it (--rename joyful=negative), or skip it (--leave-out-label joyful)."),
    ("sentiment", {"annotator_label": "joyful"}, "annotator_label", "No label 'joyful' (only 'negative', 'positive'); add it (--add-label joyful), rename it (--rename joyful=negative), or skip it (--leave-out-label joyful)."),
    ("sentiment", {"exhaustive": "yes"}, "exhaustive", "true or false or null, not text"),
    ("sentiment", {"parent": "1"}, "parent", "An instance can't be its own perturbed version."),
    ("sentiment", {"rationales": "good"}, "rationales", "a list or null, not text"),
    ("sentiment", {"rationales": [[]]}, "rationales[0]", "Remove the empty set; [] means no rationale."),
    ("sentiment", {"rationales": [[[0, "1"]]]}, "rationales[0][0][1]", "Must be an integer, not text."),
    ("sentiment", {"rationales": [[[0, 1, 2]]]}, "rationales[0][0]", "length 2"),
    ("sentiment", {"rationales": [[[3, 1]]]}, "rationales[0][0]", "Must satisfy 0 <= start < end."),
    ("sentiment", {"rationales": [[[3, 3]]]}, "rationales[0][0]", "0 <= start < end"),
    ("sentiment", {"rationales": [[[-1, 1]]]}, "rationales[0][0]", "0 <= start < end"),
    ("sentiment", {"rationales": [[{"start_char": 15, "end_char": 21}]]}, "rationales[0][0]", "Ends at character 21 (exclusive); 'text' has 20."),
    ("sentiment", {"rationales": [[{"start_token": 1}]]}, "rationales[0][0]", "Needs start_token and end_token, or start_char and end_char (ends exclusive)."),
    ("sentiment", {"rationales": [[{"segment": "body", "start_token": 1, "end_token": 2}]]}, "rationales[0][0].segment", "Unknown segment 'body'. Available:"),
    ("sentiment", {"tokens": ["A", "calm"]}, "tokens.text", "The 2 tokens end at character 6"),
    ("sentiment", {"tokens": ["B"]}, "tokens.text", "Token 0 'B' isn't in the text at character"),
    ("sentiment", {"tokens": {"body": []}}, "tokens.body", "no segment 'body'"),
    ("sentiment", {"tokens": ["A", "calm", ",", "clever", "film", "."], "rationales": [[[5, 7]]]}, "rationales[0][0]", "Ends at token 7 (exclusive); 'text' has 6."),
    ("similarity", {"sentence2": "b"}, "sentence1", "Task 'similarity' needs segment 'sentence1' (as 'sentence1' or 'query' or 'text1')."),
    ("similarity", {"sentence1": "a", "sentence2": "b", "rationales": [[[0, 1]]]}, "rationales[0][0]", "must name its segment"),
    ("similarity", {"sentence1": "a", "sentence2": "b", "tokens": ["a"]}, "tokens", "Name the segment:"),
    ("reading", {"passage": "a", "question": "q", "rationales": [[{"segment": "question", "start_token": 0, "end_token": 1}]]}, "rationales[0][0]", "Segment 'question' can't be marked."),
    ("reading", {"passage": "a", "question": "q", "rationales": [[{"segment": "title", "start_token": 0, "end_token": 1}]]}, "rationales[0][0]", "No such segment, only 'passage', 'question'."),
    ("entity", {"text": TEXT}, "target", "No target."),
    ("entity", {"text": TEXT, "target": [4, 2]}, "target", "Must satisfy 0 <= start < end."),
]  # fmt: skip


@pytest.mark.parametrize(("task", "columns", "field", "reason"), BAD_ROWS)
def test_a_bad_row_names_its_field_and_gives_no_instance(task, columns, field, reason, tmp_path):
    row = {"id": "1", **({"text": TEXT} if task == "sentiment" else {}), **columns}
    good = {"id": "2", "text": TEXT, "label": "positive"}
    labels = ("negative", "positive") if task == "sentiment" else ()
    instances, problems = read_rows([row, *([good] if task == "sentiment" else [])], tmp_path, task, labels=labels)
    assert [i.key for i in instances] == (["2"] if task == "sentiment" else [])
    assert [(p.source, p.line, p.field, p.is_warning) for p in problems] == [("rows.jsonl", 1, field, False)]
    assert reason in problems[0].reason


def test_a_row_without_key_or_text_says_what_is_missing(tmp_path):
    instances, problems = read_rows([{"text": TEXT}, {"id": "2", "stars": 3}], tmp_path)
    assert instances == []
    assert (problems[0].line, problems[0].field) == (1, "key")
    assert "Missing ID. Add one, or use --number-keys." in problems[0].reason
    assert "Add 'text' or 'sentence' or 'context' or 'review'." in problems[1].reason


def test_several_things_wrong_with_a_row_are_all_said(tmp_path):
    row = {"id": "1", "text": TEXT, "label": "odd", "rationales": [[[3, 1]], []]}
    _, problems = read_rows([row], tmp_path, labels=("a", "b"))
    assert [p.field for p in problems] == ["label", "annotator_label", "rationales[0][0]", "rationales[1]"]


def test_rows_of_several_annotators_in_a_row_are_one_instance(tmp_path):
    base = {"id": "1", "text": TEXT, "label": "positive", "year": 2001}
    rows = [
        {**base, "annotator": "ada", "rationales": [[[0, 1]]]},
        {**base, "annotator": "ben", "annotator_label": "negative", "rationales": []},
        {**base, "id": "2"},
    ]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    assert [(i.key, [a.annotator for a in i.annotations]) for i in instances] == [("1", ["ada", "ben"]), ("2", [])]
    assert instances[0].annotations[1].result == "negative"


def test_a_later_row_of_an_instance_comes_as_an_addition_to_it(tmp_path):
    rows = [
        {"id": "1", "text": TEXT, "annotator": "ada", "rationales": [[[0, 1]]]},
        {"id": "2", "text": TEXT},
        {"id": "1", "text": TEXT, "annotator": "ben", "rationales": [[[1, 2]]]},
        {"id": "1", "text": TEXT, "annotator": "cem", "rationales": [[[2, 3]]]},
    ]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    assert [(i.key, i.is_addition, [a.annotator for a in i.annotations]) for i in instances] == [
        ("1", False, ["ada"]),
        ("2", False, []),
        ("1", True, ["ben", "cem"]),
    ]
    assert (instances[2].segments, instances[2].line) == ({}, 3)


def test_the_same_key_in_two_splits_is_two_instances(tmp_path):
    rows = [{"id": "1", "text": TEXT, "split": split} for split in ("train", "test")]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    assert [i.split for i in instances] == ["train", "test"]


DISAGREEMENTS = [
    ({"text": "Another film."}, "text", "only annotator, annotator_label, rationales and note may."),
    ({"label": "negative"}, "label", "only annotator, annotator_label, rationales and note may."),
    ({"language": "de"}, "language", "only annotator, annotator_label, rationales and note may."),
    ({"year": 1999}, "metadata", "only annotator, annotator_label, rationales and note may."),
    ({"parent": "0"}, "parent", "only annotator, annotator_label, rationales and note may."),
    ({"exhaustive": True}, "exhaustive", "only annotator, annotator_label, rationales and note may."),
    (
        {"tokens": ["A", "calm", ",", "clever", "film", "."]},
        "text",
        "only annotator, annotator_label, rationales and note may.",
    ),
    ({"annotator": "ada"}, "annotator", "Duplicate of line"),
    ({"rationales": None}, "id", "Duplicate of line 1. Keep one."),
]


@pytest.mark.parametrize("is_next", [True, False])
@pytest.mark.parametrize(("changes", "field", "reason"), DISAGREEMENTS)
def test_rows_of_one_instance_that_disagree_are_refused_naming_field_and_line(
    changes, field, reason, is_next, tmp_path
):
    base = {"id": "1", "text": TEXT, "label": "positive", "year": 2001, "annotator": "ada", "rationales": [[[0, 1]]]}
    between = [] if is_next else [{"id": "2", "text": TEXT}]
    instances, problems = read_rows([base, *between, {**base, "annotator": "ben", **changes}], tmp_path)
    assert [a.annotator for i in instances for a in i.annotations] == ["ada"]
    assert [(p.line, p.field) for p in problems] == [(2 if is_next else 3, field)]
    assert reason in problems[0].reason


def test_rows_of_one_instance_with_other_segments_are_refused(tmp_path):
    rows = [
        {"id": "1", "passage": "a", "question": "q", "rationales": []},
        {"id": "1", "passage": "a", "title": "t", "question": "q", "annotator": "ben", "rationales": []},
    ]
    _, problems = read_rows(rows, tmp_path, "reading")
    assert "only annotator, annotator_label, rationales and note may." in problems[0].reason


def test_the_options_fill_what_a_row_does_not_say(tmp_path):
    rows = [{"id": "1", "text": TEXT, "parent": "2"}, {"id": "2", "text": TEXT, "split": "test", "language": "de"}]
    instances, _ = read_rows(rows, tmp_path, language="en", split="val", key_prefix="sst-")
    assert [(i.key, i.split, i.language, i.parent_key) for i in instances] == [
        ("sst-1", "val", "en", "sst-2"),
        ("sst-2", "test", "de", None),
    ]


def test_a_target_is_read_for_entities_and_is_metadata_elsewhere(tmp_path):
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "target": [3, 5]}], tmp_path, "entity")
    assert (instance.target, problems) == (SourceSpan("text", 3, 5), [])
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "target": "films"}], tmp_path)
    assert (instance.metadata, problems) == ({"target": "films"}, [])


def test_a_custom_task_is_read_by_the_names_of_its_segments(tmp_path):
    task = Task("custom", (SegmentSpec("note", "Note"), SegmentSpec("key", "Key", is_selectable=False)), "label", "?")
    [instance], problems = read_rows([{"id": "1", "note": "a", "key": "b"}], tmp_path, task)
    assert problems == []
    assert {name: body.text for name, body in instance.segments.items()} == {"note": "a", "key": "b"}


def test_metadata_that_is_no_object_is_kept_under_its_name(tmp_path):
    [instance], _ = read_rows([{"id": "1", "text": TEXT, "meta": "from 2001"}], tmp_path)
    assert instance.metadata == {"meta": "from 2001"}


def test_rows_are_read_one_at_a_time(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), "text": TEXT}) + "\n" for n in range(50_000)))
    items = jsonl.read(path, ReadOptions(TASKS["sentiment"]))
    assert next(items).key == "0"
    items.close()


# Lines that cannot be read become problems, and the lines around them are read all the same.

SENTIMENT = ReadOptions(TASKS["sentiment"])
GOOD = b'{"id": "good", "text": "A calm, clever film."}'

BAD_LINES = [
    (
        b'{"id": "1", "text": "caf\xe9"}',
        "line: Not UTF-8. Set --encoding, or save as UTF-8 (Excel: “CSV UTF-8”).",
    ),  # Latin-1
    (
        b'{"id": "1", "text": "\xed\xa0\x80"}',
        "line: Not UTF-8. Set --encoding, or save as UTF-8 (Excel: “CSV UTF-8”).",
    ),  # a surrogate in bytes
    (b'{"id": "1", "text": "a', "Invalid JSON: unterminated string at character 21 of 22."),
    (b'{"id": "1"', "Invalid JSON: truncated at character 10."),
    (b'{"id": "1",', "Invalid JSON: truncated at character 11."),
    (b'{"id": 1} true', "Invalid JSON:"),
    (b'{"id": "1", "text": "a"} {', "Invalid JSON:"),
    (b"not json", "Expecting value at character"),
    (b'["a", "b"]', "Must be like {"),
    (b'"text"', "Must be like {"),
    (b"null", "Must be like {"),
    (b'{"id": "1", "text": "a", "x": NaN}', "NaN isn't JSON. Write a number or null."),
    (b'{"id": "1", "text": "a", "x": -Infinity}', "-Infinity isn't JSON. Write a number or null."),
    (b'{"id": "1", "text": "a", "x": 1e999}', "Unreadable: Number out of range - at `$[...]`."),  # no float holds it
    (b'{"id": "1", "text": "a", "x": ' + b"9" * 5000 + b"}", "too long"),
    (b'{"id": "1", "text": "a\x00b"}', "Invalid JSON: Invalid control character at character 23 of 26."),
    (b'{"id": "1", "text": "a\\u0000b"}', "Contains a NUL character. Remove it."),
    (b'{"id": "1", "text": "a", "x": [{"y\\u0000": 1}]}', "Contains a NUL character."),
    (b'{"id": "1", "text": "a\\ud800"}', "is a lone surrogate. Write the whole character."),
    (b'{"id": "1", "text": "a\\udc00 and more text"}', "is a lone surrogate. Write the whole character."),
    (b'{"id": "1", "id": "2", "text": "a"}', "id: Duplicate. Keep one."),
    (b'{"id": "1", "text": "a", "x": [{"y": 1, "y" : 2}]}', "y: Duplicate. Keep one."),
    (b'{"a":' * 100_000, "JSON nested over 100 levels. Flatten it."),
    (b"[" * 40_000, "JSON nested over 100 levels. Flatten it."),
    (b'{"id": "1", "text": "a", "x": ' + b"[" * 200 + b"]" * 200 + b"}", "JSON nested over 100 levels. Flatten it."),
]


def read(path: Path, *, options: ReadOptions = SENTIMENT) -> tuple[list[SourceInstance], list[Problem]]:
    items = list(jsonl.read(path, options))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


@pytest.mark.parametrize(("line", "reason"), BAD_LINES)
def test_a_bad_line_is_a_problem_with_its_number_and_the_next_line_is_read(line, reason, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n" + line + b"\n" + GOOD + b"\n")
    instances, problems = read(path)
    assert [i.key for i in instances] == ["good"]
    assert [(p.source, p.line, p.is_warning) for p in problems] == [("rows.jsonl", 2, False)]
    assert reason in f"{problems[0].field}: {problems[0].reason}"
    assert len(problems[0].value) <= 200


GOOD_FILES = [
    (b"\xef\xbb\xbf" + GOOD + b"\n", "a byte order mark"),
    (GOOD + b"\r\n", "line ends of Windows"),
    (b"\n\n  \t\n" + GOOD + b"\n\n", "blank lines"),
    (GOOD, "no line end at the end"),
    (b"   " + GOOD + b"  ", "blanks around the object"),
]


@pytest.mark.parametrize(("content", "why"), GOOD_FILES)
def test_harmless_oddities_are_tolerated(content, why, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    instances, problems = read(path)
    assert ([i.key for i in instances], problems) == (["good"], []), why


KEY_LIKE_TEXTS = ['he said ": no"', '"', '":"', '\\":', "\\u0000", "a\tb", "a\u2028b"]


@pytest.mark.parametrize("text", KEY_LIKE_TEXTS)
def test_a_text_that_looks_like_json_is_a_text(text, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines.msgspec.json.encode({"id": "1", "text": text, "nested": {"a": [{"b": text}]}}))
    instances, problems = read(path)
    assert problems == []
    assert instances[0].segments["text"].text == text


def test_a_line_of_one_megabyte_is_read(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "1", "text": "' + "word " * 250_000 + '"}\n')
    instances, problems = read(path)
    assert problems == []
    assert len(instances[0].segments["text"].text) == 1_250_000


def test_a_line_past_the_limit_is_a_problem_and_the_next_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 100)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"id": "1", "text": "' + b"x" * 250 + b'"}\n' + GOOD + b"\n")
    instances, problems = read(path)
    assert [i.key for i in instances] == ["good"]
    assert (problems[0].line, "Line exceeds 0 MB. Split it." in problems[0].reason) == (1, True)


def test_lines_are_found_again_by_their_offset(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n{"b": 2}')
    assert [lines.line_at(path, line.offset) for line in lines.read_lines(path)] == [b'{"a": 1}', b'{"b": 2}']


def test_an_empty_file_has_no_instances(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"")
    assert read(path) == ([], [])


def test_a_missing_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(NotFound, match="No file or folder '.*nowhere.jsonl'."):
        read(tmp_path / "nowhere.jsonl")


def test_a_folder_in_place_of_a_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(InvalidValue, match=r"is a folder\. Name a file\."):
        read(tmp_path)


TYPE_ERRORS = [
    ("Expected `int | str`, got `bool` - at `$.id`", ("id", "Must be an integer or text, not true or false.")),
    ("Expected `array | null`, got `str` - at `$.a[0].b`", ("a[0].b", "Must be a list or null, not text.")),
    ("Expected `array` of length 2, got 3 - at `$.r[0]`", ("r[0]", "Expected `array` of length 2, got 3.")),
    ("Object missing required field `id`", ("id", "Required field 'id' is missing.")),
    ("Object missing required field `start` - at `$.a[1]`", ("a[1].start", "Required field 'start' is missing.")),
]  # fmt: skip


@pytest.mark.parametrize(("message", "expected"), TYPE_ERRORS)
def test_what_the_decoder_says_is_turned_into_a_field_and_a_sentence(message, expected):
    assert lines.explain_type_error(message) == expected


def test_values_are_shown_short():
    assert shown("x" * 500) == "x" * 197 + "..."
    assert shown({"a": [1, None]}) == '{"a":[1,null]}'
    assert listed(["a"]) == "'a'"


# Columns of plain rows that look like marks: never metadata unless a person says so.

MARKED_TEXT = "Ada met Bo in Rome."
# A column as other tools write it, and the marks in it: (unit, start, end) by set.
FORMS = [
    ([[0, 3, "PER"], [14, 18, "LOC"], [8, 10, "PER"]], [[("char", 0, 3), ("char", 8, 10)], [("char", 14, 18)]], "triples"),
    ([{"start": 0, "end": 3, "label": "PER"}], [[("char", 0, 3)]], "start and end"),
    ([{"start_offset": 0, "end_offset": 3, "label": 7, "user": 1}], [[("char", 0, 3)]], "older doccano"),
    ([{"start_char": 0, "end_char": 3}], [[("char", 0, 3)]], "spaCy's characters"),
    ([{"token_start": 0, "token_end": 1, "label": "PER"}], [[("token", 0, 2)]], "tokens, the last one included"),
    ([[{"start_token": 0, "end_token": 1}], [{"start_token": 3, "end_token": 5}]],
     [[("token", 0, 1)], [("token", 3, 5)]], "our own sets under another name"),
    ({"entities": [[0, 3, "PER"]]}, [[("char", 0, 3)]], "spaCy's training data"),
    (["B-PER", "O", "B-PER", "O", "B-LOC"], [[("token", 0, 1), ("token", 2, 3)], [("token", 4, 5)]], "BIO"),
    (["B-PER", "I-PER", "L-PER", "O", "U-LOC"], [[("token", 0, 3)], [("token", 4, 5)]], "BILUO"),
    ("S-PER O B-PER E-PER O", [[("token", 0, 1), ("token", 2, 4)]], "BIOES in one string"),
]  # fmt: skip
IDS = [form[2] for form in FORMS]


def _written(tmp_path, rows, format_name):
    path = tmp_path / f"rows.{format_name}"
    if format_name == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        cells = [[v if isinstance(v, str) else json.dumps(v) for v in row.values()] for row in rows]
        lines = [",".join(rows[0]), *(",".join('"' + c.replace('"', '""') + '"' for c in row) for row in cells)]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _read(path, format_name, **options):
    items = list(get_reader(format_name)(path, ReadOptions(TASKS["sentiment"], ("good", "bad"), **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [
        i for i in items if isinstance(i, Problem) and not i.is_warning
    ]


@pytest.mark.parametrize("format_name", ["jsonl", "csv"])
@pytest.mark.parametrize(("marks", "_sets", "_why"), FORMS, ids=IDS)
def test_a_column_that_looks_like_marks_is_refused_with_what_can_be_done(tmp_path, marks, _sets, _why, format_name):
    path = _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "label": "good", "spans": marks}], format_name)
    instances, [problem] = _read(path, format_name)
    assert not instances
    assert (problem.line, problem.field, problem.remedy) == (1 if format_name == "jsonl" else 2, "spans", "marks")
    assert "(--column rationales=spans)" in problem.reason
    assert "(--metadata-column spans)" in problem.reason


@pytest.mark.parametrize("format_name", ["jsonl", "csv"])
@pytest.mark.parametrize(("marks", "sets", "_why"), FORMS, ids=IDS)
def test_it_is_read_as_rationales_where_somebody_says_so(tmp_path, marks, sets, _why, format_name):
    path = _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "label": "good", "spans": marks}], format_name)
    [instance], problems = _read(path, format_name, columns={"rationales": "spans"})
    assert not problems
    [annotation] = instance.annotations
    assert [[(s.unit, s.start, s.end) for s in one_set] for one_set in annotation.sets] == sets
    assert "spans" not in instance.metadata


def test_it_is_metadata_where_somebody_says_that(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "spans": [[0, 3, "PER"]]}], "jsonl")
    [instance], problems = _read(path, "jsonl", metadata_columns=frozenset({"spans"}))
    assert not problems
    assert instance.metadata == {"spans": [[0, 3, "PER"]]}
    assert instance.annotations == ()


def test_the_page_proposes_to_read_it_as_rationales(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "spans": [[0, 3, "PER"]]}], "jsonl")
    choices = column_choices(path, "jsonl", ReadOptions(TASKS["sentiment"]))
    [rationales] = [choice for choice in choices.choices if choice.name == "rationales"]
    assert (rationales.guess, choices.marks, choices.metadata) == ("spans", ("spans",), ())


def test_tags_that_are_not_as_many_as_the_tokens_are_refused(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "tags": ["O", "B-PER", "O", "O"]}], "jsonl")
    _instances, [problem] = _read(path, "jsonl", columns={"rationales": "tags"})
    assert "4 tags for 5 tokens. Add a list 'tokens'." in problem.reason


def test_tags_beside_tokens_mark_these_tokens(tmp_path):
    row = {"id": "1", "tokens": ["Ada", "met", "Bo", "."], "ner_tags": ["B-PER", "O", "B-PER", "O"]}
    [instance], problems = _read(_written(tmp_path, [row], "jsonl"), "jsonl", columns={"rationales": "ner_tags"})
    assert not problems
    assert [[(s.start, s.end) for s in one] for one in instance.annotations[0].sets] == [[(0, 1), (2, 3)]]


def test_tags_that_mark_nothing_say_that_there_is_no_rationale(tmp_path):
    row = {"id": "1", "tokens": ["Ada", "met"], "ner_tags": ["O", "O"]}
    [instance], problems = _read(_written(tmp_path, [row], "jsonl"), "jsonl", columns={"rationales": "ner_tags"})
    assert not problems
    assert [annotation.sets for annotation in instance.annotations] == [()]


def test_a_mark_without_a_range_is_refused_by_its_number(tmp_path):
    row = {"id": "1", "text": MARKED_TEXT, "spans": [{"start": 0, "end": 3}, {"label": "PER"}]}
    _instances, [problem] = _read(_written(tmp_path, [row], "jsonl"), "jsonl", columns={"rationales": "spans"})
    assert problem.reason.startswith("Mark 2 needs a start and an end.")


def test_names_of_labels_that_sets_do_not_keep_are_told(tmp_path):
    row = {"id": "1", "text": MARKED_TEXT, "spans": [[0, 3, "PER"]]}
    path = _written(tmp_path, [row], "jsonl")
    items = get_reader("jsonl")(path, ReadOptions(TASKS["sentiment"], columns={"rationales": "spans"}))
    [warning] = [i for i in items if isinstance(i, Problem)]
    assert warning.is_warning
    assert "Each span label became a rationale set (names not kept)." in warning.reason


def test_marks_within_the_metadata_are_asked_about_too(tmp_path):
    row = {"id": "1", "text": MARKED_TEXT, "meta": {"source": "web", "spans": [[0, 3, "PER"]]}}
    path = _written(tmp_path, [row], "jsonl")
    _instances, [problem] = _read(path, "jsonl")
    assert (problem.field, problem.remedy) == ("meta.spans", "marks")
    assert problem.reason.endswith("Move it to its own field, or use --metadata-column meta.")
    [instance], _problems = _read(path, "jsonl", metadata_columns=frozenset({"meta"}))
    assert instance.metadata == row["meta"]


def test_an_answer_of_prodigy_is_no_label_of_plain_rows(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "_input_hash": 1, "answer": "accept"}], "jsonl")
    with pytest.raises(InvalidValue, match=r"is a Prodigy export\. Import it as prodigy\."):
        _read(path, "jsonl")
    [instance], _problems = _read(path, "jsonl", left_columns=frozenset({"answer"}))
    assert (instance.result, instance.metadata) == (None, {"_input_hash": 1})


@pytest.mark.parametrize(
    "value",
    [
        "O yes, B-movies are fun",
        [[0, 2], [3, 4]],
        {"start": 1, "end": 2},
        ["O", "positive"],
        [1, 2, 3],
        "[draft] a text",
    ],
)
def test_what_only_resembles_marks_is_metadata_as_before(tmp_path, value):
    [instance], problems = _read(
        _written(tmp_path, [{"id": "1", "text": MARKED_TEXT, "more": value}], "jsonl"), "jsonl"
    )
    assert not problems
    assert instance.metadata == {"more": value}
