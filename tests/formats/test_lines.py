"""Lines that cannot be read become problems, and the lines around them are read all the same."""

from pathlib import Path

import pytest

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import jsonl
from annotator.formats.rows import lines
from annotator.formats.rows.findings import listed, shown

SENTIMENT = ReadOptions(TASKS["sentiment"])
GOOD = b'{"id": "good", "text": "A calm, clever film."}'

BAD_LINES = [
    (b'{"id": "1", "text": "caf\xe9"}', "The line is not UTF-8"),  # Latin-1
    (b'{"id": "1", "text": "\xed\xa0\x80"}', "is not UTF-8"),  # a surrogate in bytes
    (
        b'{"id": "1", "text": "a',
        "the line ends in the middle of a string that begins at character 21 of 22; it may be cut off",
    ),
    (b'{"id": "1"', "the line ends in the middle of a record, at character 10; it may be cut off"),
    (b'{"id": "1",', "the line ends in the middle of a record, at character 11; it may be cut off"),
    (b'{"id": 1} true', "not valid JSON: Extra data"),
    (b'{"id": "1", "text": "a"} {', "not valid JSON: Extra data"),
    (b"not json", "not valid JSON: Expecting value at character 1"),
    (b'["a", "b"]', "must hold one JSON object"),
    (b'"text"', "must hold one JSON object"),
    (b"null", "must hold one JSON object"),
    (b'{"id": "1", "text": "a", "x": NaN}', "NaN is not JSON"),
    (b'{"id": "1", "text": "a", "x": -Infinity}', "-Infinity is not JSON"),
    (b'{"id": "1", "text": "a", "x": 1e999}', "cannot be read"),  # no float holds it
    (b'{"id": "1", "text": "a", "x": ' + b"9" * 5000 + b"}", "too long"),
    (b'{"id": "1", "text": "a\x00b"}', "not valid JSON: Invalid control character"),
    (b'{"id": "1", "text": "a\\u0000b"}', "holds a NUL character (character 1)"),
    (b'{"id": "1", "text": "a", "x": [{"y\\u0000": 1}]}', "holds a NUL character"),
    (b'{"id": "1", "text": "a\\ud800"}', "half of a character"),
    (b'{"id": "1", "text": "a\\udc00 and more text"}', "half of a character"),
    (b'{"id": "1", "id": "2", "text": "a"}', "'id' appears twice"),
    (b'{"id": "1", "text": "a", "x": [{"y": 1, "y" : 2}]}', "'y' appears twice"),
    (b'{"a":' * 100_000, "nested more than 100 deep"),
    (b"[" * 40_000, "nested more than 100 deep"),
    (b'{"id": "1", "text": "a", "x": ' + b"[" * 200 + b"]" * 200 + b"}", "nested more than 100 deep"),
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
    assert reason in problems[0].reason
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
    assert (problems[0].line, "longer than" in problems[0].reason) == (1, True)


def test_lines_are_found_again_by_their_offset(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n{"b": 2}')
    assert [lines.line_at(path, line.offset) for line in lines.read_lines(path)] == [b'{"a": 1}', b'{"b": 2}']


def test_an_empty_file_has_no_instances(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"")
    assert read(path) == ([], [])


def test_a_missing_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(NotFound, match=r"There is no file or folder '.*nowhere.jsonl'. Check the path."):
        read(tmp_path / "nowhere.jsonl")


def test_a_folder_in_place_of_a_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(InvalidValue, match="is a folder, but this format reads one file"):
        read(tmp_path)


TYPE_ERRORS = [
    ("Expected `int | str`, got `bool` - at `$.id`", ("id", "It must be a whole number or text, not true or false.")),
    ("Expected `array | null`, got `str` - at `$.a[0].b`", ("a[0].b", "It must be a list or null, not text.")),
    ("Expected `array` of length 2, got 3 - at `$.r[0]`", ("r[0]", "Expected `array` of length 2, got 3.")),
    ("Object missing required field `id`", ("id", "The field 'id' is missing; every row needs it.")),
    ("Object missing required field `start` - at `$.a[1]`", ("a[1].start", "The field 'start' is missing; every row needs it.")),
]  # fmt: skip


@pytest.mark.parametrize(("message", "expected"), TYPE_ERRORS)
def test_what_the_decoder_says_is_turned_into_a_field_and_a_sentence(message, expected):
    assert lines.explain_type_error(message) == expected


def test_values_are_shown_short():
    assert shown("x" * 500) == "x" * 197 + "..."
    assert shown({"a": [1, None]}) == '{"a":[1,null]}'
    assert listed(["a"]) == "'a'"
