"""Plain CSV: the same rows as plain JSONL, with lists as JSON in their cells."""

from pathlib import Path

import pytest

from annotator.domain.sources import Problem, SourceInstance, SourceSpan, SourceText
from annotator.domain.tasks import TASKS
from annotator.errors import NotFound
from annotator.formats import csv_rows
from annotator.formats.base import ReadOptions

Read = tuple[list[SourceInstance], list[Problem]]


def read(content: str | bytes, tmp_path: Path, task: str = "sentiment", **options) -> Read:
    path = tmp_path / "rows.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    items = list(csv_rows.read(path, ReadOptions(TASKS[task], **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def test_a_row_with_rationales_in_its_cell_becomes_an_instance(tmp_path):
    content = (
        "id,text,label,annotator,rationales,exhaustive,stars,meta\n"
        '1,"A calm, clever film.",positive,ada,"[[[1,2],{""start_char"":8,""end_char"":14}]]",yes,4,"{""year"": 2001}"\n'
    )
    [instance], problems = read(content, tmp_path)
    assert problems == []
    assert (instance.key, instance.result, instance.line) == ("1", "positive", 2)
    assert instance.segments == {"text": SourceText("A calm, clever film.")}
    assert instance.annotations[0].sets == ((SourceSpan("text", 1, 2), SourceSpan("text", 8, 14, "char")),)
    assert instance.is_exhaustive is True
    assert instance.metadata == {"stars": "4", "year": 2001}


CELLS = [
    ("", None),  # not annotated
    ("[]", 0),  # annotated, with no rationale
    ('"[[[0,1]],[[2,3]]]"', 2),
]


@pytest.mark.parametrize(("cell", "n_sets"), CELLS)
def test_an_empty_cell_is_not_annotated_and_empty_brackets_are_zero_sets(cell, n_sets, tmp_path):
    [instance], problems = read(f"id,text,rationales\n1,A calm film.,{cell}\n", tmp_path)
    assert problems == []
    assert [len(a.sets) for a in instance.annotations] == ([] if n_sets is None else [n_sets])


RESULTS = [
    ("sentiment", "id,text,label\n1,a,\n", None),
    ("reading", "id,passage,question,answer\n1,a,q,\n", ""),  # an empty answer: there is none
    ("reading", "id,passage,question\n1,a,q\n", None),
]


@pytest.mark.parametrize(("task", "content", "result"), RESULTS)
def test_an_empty_cell_is_no_label_but_an_answer(task, content, result, tmp_path):
    [instance], problems = read(content, tmp_path, task)
    assert (instance.result, problems) == (result, [])


GOOD_FILES = [
    ("\ufeffid,text\n1,a b\n", "a byte order mark, as Excel writes it"),
    ("id,text\r\n1,a b\r\n", "line ends of Windows"),
    ("id;text\n1;a b\n", "semicolons, as Excel writes in half of Europe"),
    ("id\ttext\n1\ta b\n", "tabs"),
    ("id,text\n\n1,a b\n\n,\n", "blank rows"),
    (" id , text\n1,a b\n", "blanks around names"),
    ('"id","text"\n"1","a b"\n', "everything quoted"),
]


@pytest.mark.parametrize(("content", "why"), GOOD_FILES)
def test_usual_ways_of_writing_csv_are_read(content, why, tmp_path):
    instances, problems = read(content, tmp_path)
    assert ([(i.key, i.segments) for i in instances], problems) == ([("1", {"text": SourceText("a b")})], []), why


def test_a_quoted_cell_may_hold_lines_and_the_next_row_has_its_own_line_number(tmp_path):
    instances, problems = read('id,text\n1,"first\n\nthird"\n2,\n', tmp_path)
    assert instances[0].segments["text"].text == "first\n\nthird"
    assert [(p.line, p.field) for p in problems] == [(5, "text")]


BAD_ROWS = [
    ("1", 2, "line", "has 1 cell, but the header names 3 columns"),
    ("1,a,[],more", 2, "line", "has 4 cells"),
    ("1,a,good", 2, "rationales", "must hold JSON. The line is not valid JSON"),
    ('1,a,"[[[0,NaN]]]"', 2, "rationales", "NaN is not JSON"),
    ('1,a,"{""a"":1}"', 2, "rationales", "It must be a list or null, not an object"),
    ("1,a\0b,", 2, "text", "NUL"),
    ('1,"a"b,', 2, "line", "not valid CSV"),
    (",a,", 2, "id", "The key is empty"),
    ("1,,", 2, "text", "has no text"),
]


@pytest.mark.parametrize(("row", "line", "field", "reason"), BAD_ROWS)
def test_a_bad_row_is_a_problem_and_the_next_row_is_read(row, line, field, reason, tmp_path):
    instances, problems = read(f"id,text,rationales\n{row}\n2,fine,\n", tmp_path)
    assert [i.key for i in instances] == ["2"]
    assert [(p.source, p.line, p.field) for p in problems] == [("rows.csv", line, field)]
    assert reason in problems[0].reason


def test_bytes_that_are_not_utf8_are_named_by_line_and_byte(tmp_path):
    instances, problems = read(b"id,text\n1,caf\xe9\n2,fine\n", tmp_path)
    assert [i.key for i in instances] == ["2"]
    assert [(p.line, p.reason) for p in problems] == [
        (2, "Byte 6 of the line (0xe9) is not UTF-8; save the file as UTF-8.")
    ]


def test_a_quotation_mark_that_is_never_closed_is_a_problem_of_the_row_where_it_opens(tmp_path):
    instances, problems = read('id,text\n1,fine\n2,"open\n3,lost\n', tmp_path)
    assert [i.key for i in instances] == ["1"]
    assert [p.line for p in problems] == [3]
    assert "quotation mark that is not closed" in problems[0].reason


HEADERS = [
    ("text,label\na,b\n", "No column holds the id"),
    ("id,text,text\n1,a,b\n", "Two columns are called 'text'"),
    ("", "No column holds the id"),
    (b"id,caf\xe9\n1,a\n", "is not UTF-8"),
]


@pytest.mark.parametrize(("content", "reason"), HEADERS)
def test_a_header_that_cannot_be_used_is_one_problem(content, reason, tmp_path):
    instances, problems = read(content, tmp_path)
    assert instances == []
    assert [p.line for p in problems] == [1]
    assert reason in problems[0].reason


def test_a_cell_of_one_megabyte_is_read(tmp_path):
    instances, problems = read("id,text\n1," + "word " * 250_000 + "\n", tmp_path)
    assert problems == []
    assert len(instances[0].segments["text"].text) == 1_250_000


def test_a_missing_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(NotFound, match="There is no file or folder"):
        list(csv_rows.read(tmp_path / "nowhere.csv", ReadOptions(TASKS["sentiment"])))
