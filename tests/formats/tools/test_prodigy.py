"""Prodigy's JSONL: answers, choices, spans by characters and tokens, several annotators, and what reads back."""

import json
from dataclasses import replace

import pytest

from annotator.domain.instances import SetOrigin
from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import guess_format
from annotator.formats.tools.prodigy import read, write
from tests.formats.tools.tool_gold import gold, instances_of, problems_of, project_options, saved, spans_read


def tokens(text: str) -> list[dict]:
    listed, end = [], 0
    for number, word in enumerate(text.split()):
        start = text.index(word, end)
        end = start + len(word)
        listed.append({"text": word, "start": start, "end": end, "id": number, "ws": text[end : end + 1] == " "})
    return listed


TEXT = "so good a film"
# As `prodigy db-out` writes it (version 1.11 to 1.15).
HASHES = {"_input_hash": 1842734674, "_task_hash": -1432389, "_view_id": "ner_manual", "_is_binary": False}
ROW = {
    "text": TEXT, **HASHES, "tokens": tokens(TEXT),
    "spans": [{"start": 0, "end": 7, "token_start": 0, "token_end": 1, "label": "why"}],
    "answer": "accept", "_timestamp": 1690000000, "_annotator_id": "reviews-ada", "_session_id": "reviews-ada",
}  # fmt: skip


def test_what_was_accepted_is_the_annotation_of_whoever_accepted_it(tmp_path):
    path = saved(tmp_path / "reviews.jsonl", ROW)
    guess = guess_format(path)
    assert guess is not None
    assert guess.format_name == "prodigy"
    [instance] = instances_of(read, path)
    assert (instance.key, instance.metadata) == ("1842734674", {})
    assert [a.annotator for a in instance.annotations] == ["reviews-ada"]
    assert instance.annotations[0].result is None
    assert spans_read(instance) == [[("text", 0, 7)]]
    assert instance.segments["text"].tokens.tokens() == ["so", "good", "a", "film"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [("reject", "1 rejected row imported without marks."), ("ignore", "1 ignored row imported without marks.")],
)
def test_what_was_not_accepted_is_a_text_without_marks_and_is_told(tmp_path, answer, words):
    path = saved(tmp_path / "reviews.jsonl", {**ROW, "answer": answer, "accept": ["positive"]})
    [instance] = instances_of(read, path)
    assert (instance.annotations, instance.result) == ((), None)
    [warning] = problems_of(read, path)
    assert warning.is_warning
    assert words in warning.reason


def test_a_span_of_tokens_includes_its_last_token(tmp_path):
    row = {**ROW, "spans": [{"token_start": 1, "token_end": 3, "label": "why"}]}
    [instance] = instances_of(read, saved(tmp_path / "reviews.jsonl", row))
    assert spans_read(instance) == [[("text", 3, 14)]]


@pytest.mark.parametrize("span", [{"label": "why"}, {"token_start": 3, "token_end": 4}, {"start": 0}])
def test_a_span_that_says_no_range_is_refused_by_its_place(tmp_path, span):
    [problem] = problems_of(read, saved(tmp_path / "reviews.jsonl", {**ROW, "spans": [span]}))
    assert (problem.line, problem.field) == (1, "spans[0]")
    assert "Add start and end, or token_start, token_end and tokens." in problem.reason


CHOICES = [
    ({"accept": ["positive"]}, "positive", "one option"),
    ({"accept": [1], "options": [{"id": 1, "text": "positive"}]}, "positive", "a number by the text that was seen"),
    (
        {"accept": ["pos"], "options": [{"id": "pos", "text": "positive"}]},
        "positive",
        "the text is the project's label",
    ),
    ({"label": "positive"}, "positive", "a yes-no question that was accepted"),
    ({"accept": ["positive", "negative"]}, None, "several, of which none is the result"),
    ({"accept": []}, None, "none"),
]


@pytest.mark.parametrize(("fields", "result", "_why"), CHOICES, ids=[case[2] for case in CHOICES])
def test_choices_are_the_label(tmp_path, fields, result, _why):
    [instance] = instances_of(
        read, saved(tmp_path / "reviews.jsonl", {"text": TEXT, **HASHES, **fields, "answer": "accept"})
    )
    assert instance.result == result


def test_several_labels_are_told(tmp_path):
    row = {"text": TEXT, **HASHES, "accept": ["positive", "negative"], "answer": "accept"}
    [warning] = problems_of(read, saved(tmp_path / "reviews.jsonl", row))
    assert "1 row's multiple whole-text labels skipped." in warning.reason


def test_the_answers_word_is_never_a_label(tmp_path):
    [instance] = instances_of(read, saved(tmp_path / "x.jsonl", {"text": TEXT, **HASHES, "answer": "accept"}))
    assert (instance.result, instance.annotations) == (None, ())


def test_rows_of_several_annotators_are_one_text_wherever_they_stand(tmp_path):
    others = {"text": "dull", "_input_hash": 5, "_task_hash": 5, "spans": [], "answer": "accept"}
    bo = {**ROW, "spans": [], "_annotator_id": None, "_session_id": "reviews-bo"}
    first, second = instances_of(read, saved(tmp_path / "reviews.jsonl", ROW, others, bo))
    assert [(a.annotator, len(a.sets)) for a in first.annotations] == [("reviews-ada", 1), ("reviews-bo", 0)]
    assert [(a.annotator, a.sets) for a in second.annotations] == [("gold", ())]


def test_of_one_task_answered_twice_the_later_row_counts_and_that_is_told(tmp_path):
    later = {**ROW, "spans": [{"start": 10, "end": 14, "label": "why"}]}
    path = saved(tmp_path / "reviews.jsonl", ROW, later)
    [instance] = instances_of(read, path)
    assert spans_read(instance) == [[("text", 10, 14)]]
    assert any("superseded annotation skipped." in problem.reason for problem in problems_of(read, path))


def test_spans_that_were_accepted_one_by_one_come_together(tmp_path):
    rows = [
        {**ROW, "_task_hash": 1, "_is_binary": True},
        {**ROW, "_task_hash": 2, "spans": [{"start": 10, "end": 14, "label": "why"}]},
        {**ROW, "_task_hash": 3, "spans": [{"start": 8, "end": 9, "label": "why"}], "answer": "reject"},
    ]
    [instance] = instances_of(read, saved(tmp_path / "reviews.jsonl", *rows))
    assert spans_read(instance) == [[("text", 0, 7), ("text", 10, 14)]]


def test_characters_are_counted_as_python_does(tmp_path):
    row = {"text": "😀 good", **HASHES, "spans": [{"start": 2, "end": 6, "label": "why"}], "answer": "accept"}
    [instance] = instances_of(read, saved(tmp_path / "reviews.jsonl", row))
    assert spans_read(instance) == [[("text", 2, 6)]]


def test_highlighted_characters_do_not_become_tokens(tmp_path):
    single = [{"text": c, "start": n, "end": n + 1, "id": n} for n, c in enumerate("good") if c.strip()]
    row = {**ROW, "text": "good", "tokens": single, "spans": [{"start": 0, "end": 4, "label": "why"}]}
    [instance] = instances_of(read, saved(tmp_path / "reviews.jsonl", row))
    assert instance.segments["text"].tokens is None


def test_notes_and_flags_are_the_annotators_note(tmp_path):
    [instance] = instances_of(read, saved(tmp_path / "reviews.jsonl", {**ROW, "flagged": True, "comment": "odd"}))
    assert instance.annotations[0].note == "odd\nflagged"


def test_meta_is_metadata_and_what_only_serves_the_screen_is_not(tmp_path):
    row = {**ROW, "meta": {"source": "web"}, "config": {"x": 1}, "page": 3}
    [instance] = instances_of(read, saved(tmp_path / "reviews.jsonl", row))
    assert instance.metadata == {"page": 3, "source": "web"}


def test_a_row_without_text_is_refused(tmp_path):
    [problem] = problems_of(read, saved(tmp_path / "x.jsonl", {"image": "a.png", **HASHES, "answer": "accept"}))
    assert (problem.field, problem.reason) == ("text", "Must not be empty.")


def test_an_answer_that_prodigy_does_not_know_is_refused(tmp_path):
    [problem] = problems_of(read, saved(tmp_path / "x.jsonl", {**ROW, "answer": "yes"}))
    assert problem.field == "answer"


def test_names_of_span_labels_are_told_since_sets_do_not_keep_them(tmp_path):
    row = {**ROW, "spans": [{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 7, "label": "LOC"}]}
    [warning] = problems_of(read, saved(tmp_path / "x.jsonl", row))
    assert (warning.value, warning.is_warning) == ("'PER', 'LOC'", True)


# Writing -------------------------------------------------------------------------------------------------------------


def test_each_annotator_whose_sets_are_gold_has_a_row(tmp_path):
    made = gold("sentiment", {"text": TEXT}, RationaleSet.of((0, 2)), RationaleSet.of((1, 2), (3, 4)))
    origins = ((SetOrigin(1, "ada", 1, 0), SetOrigin(2, "bo", 1, 0)), (SetOrigin(2, "bo", 1, 1),))
    path = tmp_path / "gold.jsonl"
    write(path, [replace(made, origins=origins)], replace(project_options("sentiment"), gold_policy="all"))
    ada, bo = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert (ada["_annotator_id"], [span["label"] for span in ada["spans"]]) == ("ada", ["set 1"])
    assert [(s["start"], s["end"], s["token_start"], s["token_end"], s["label"]) for s in bo["spans"]] == [
        (0, 7, 0, 1, "set 1"), (3, 7, 1, 1, "set 2"), (10, 14, 3, 3, "set 2"),
    ]  # fmt: skip
    assert (bo["answer"], bo["accept"], bo["options"][0]) == (
        "accept",
        ["positive"],
        {"id": "negative", "text": "negative"},
    )
    [instance] = [
        i for i in read(path, ReadOptions(TASKS["sentiment"], ("negative", "positive"))) if not isinstance(i, Problem)
    ]
    assert isinstance(instance, SourceInstance)
    assert {a.annotator: len(a.sets) for a in instance.annotations} == {"ada": 1, "bo": 2}
