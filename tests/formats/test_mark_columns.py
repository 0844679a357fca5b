"""Columns of plain rows that look like marks: never metadata unless a person says so."""

import json

import pytest

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import get_reader
from annotator.formats.rows.column_choices import column_choices

TEXT = "Ada met Bo in Rome."
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
    path = _written(tmp_path, [{"id": "1", "text": TEXT, "label": "good", "spans": marks}], format_name)
    instances, [problem] = _read(path, format_name)
    assert not instances
    assert (problem.line, problem.field, problem.remedy) == (1 if format_name == "jsonl" else 2, "spans", "marks")
    assert "(--column rationales=spans)" in problem.reason
    assert "(--metadata-column spans)" in problem.reason


@pytest.mark.parametrize("format_name", ["jsonl", "csv"])
@pytest.mark.parametrize(("marks", "sets", "_why"), FORMS, ids=IDS)
def test_it_is_read_as_rationales_where_somebody_says_so(tmp_path, marks, sets, _why, format_name):
    path = _written(tmp_path, [{"id": "1", "text": TEXT, "label": "good", "spans": marks}], format_name)
    [instance], problems = _read(path, format_name, columns={"rationales": "spans"})
    assert not problems
    [annotation] = instance.annotations
    assert [[(s.unit, s.start, s.end) for s in one_set] for one_set in annotation.sets] == sets
    assert "spans" not in instance.metadata


def test_it_is_metadata_where_somebody_says_that(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": TEXT, "spans": [[0, 3, "PER"]]}], "jsonl")
    [instance], problems = _read(path, "jsonl", metadata_columns=frozenset({"spans"}))
    assert not problems
    assert instance.metadata == {"spans": [[0, 3, "PER"]]}
    assert instance.annotations == ()


def test_the_page_proposes_to_read_it_as_rationales(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": TEXT, "spans": [[0, 3, "PER"]]}], "jsonl")
    choices = column_choices(path, "jsonl", ReadOptions(TASKS["sentiment"]))
    [rationales] = [choice for choice in choices.choices if choice.name == "rationales"]
    assert (rationales.guess, choices.marks, choices.metadata) == ("spans", ("spans",), ())


def test_tags_that_are_not_as_many_as_the_tokens_are_refused(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": TEXT, "tags": ["O", "B-PER", "O", "O"]}], "jsonl")
    _instances, [problem] = _read(path, "jsonl", columns={"rationales": "tags"})
    assert "There are 4 tags, but the text has 5 tokens" in problem.reason


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
    row = {"id": "1", "text": TEXT, "spans": [{"start": 0, "end": 3}, {"label": "PER"}]}
    _instances, [problem] = _read(_written(tmp_path, [row], "jsonl"), "jsonl", columns={"rationales": "spans"})
    assert problem.reason.startswith("Mark 2 says no range.")


def test_names_of_labels_that_sets_do_not_keep_are_told(tmp_path):
    row = {"id": "1", "text": TEXT, "spans": [[0, 3, "PER"]]}
    path = _written(tmp_path, [row], "jsonl")
    items = get_reader("jsonl")(path, ReadOptions(TASKS["sentiment"], columns={"rationales": "spans"}))
    [warning] = [i for i in items if isinstance(i, Problem)]
    assert warning.is_warning
    assert "not these names" in warning.reason


def test_marks_within_the_metadata_are_asked_about_too(tmp_path):
    row = {"id": "1", "text": TEXT, "meta": {"source": "web", "spans": [[0, 3, "PER"]]}}
    path = _written(tmp_path, [row], "jsonl")
    _instances, [problem] = _read(path, "jsonl")
    assert (problem.field, problem.remedy) == ("meta.spans", "marks")
    assert problem.reason.endswith("or keep it as metadata (--metadata-column meta).")
    [instance], _problems = _read(path, "jsonl", metadata_columns=frozenset({"meta"}))
    assert instance.metadata == row["meta"]


def test_an_answer_of_prodigy_is_no_label_of_plain_rows(tmp_path):
    path = _written(tmp_path, [{"id": "1", "text": TEXT, "_input_hash": 1, "answer": "accept"}], "jsonl")
    with pytest.raises(InvalidValue, match="Import it in the format prodigy"):
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
    [instance], problems = _read(_written(tmp_path, [{"id": "1", "text": TEXT, "more": value}], "jsonl"), "jsonl")
    assert not problems
    assert instance.metadata == {"more": value}
