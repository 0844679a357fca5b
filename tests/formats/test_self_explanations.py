"""What language models answer about their own reasons, as a file brings it."""

import json

import pytest

from annotator.domain.models import SourceOutput
from annotator.domain.tasks import TASKS
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.registry import get_output_reader
from annotator.text.model_answers import (
    LONGEST_ANSWER,
    STRANGE,
    UNREAD,
    ExplainedAnswer,
    Unusable,
    read_answer,
    read_label,
)

LABELS = ("negative", "positive")
GOOD = '{"label": "positive", "quotes": ["best bread"]}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure! Here it is:\n{GOOD}\nI hope that helps.",
        '{"Label": " Positive. ", "Quotes": ["best bread"]}',
        '{"answer": "POSITIVE", "evidence": "best bread"}',
        '{"label": "positive", "quotes": [{"quote": "best bread"}, "best bread", ""]}',
        f'<think>{{"label": "negative", "quotes": []}} no, wait {{ </think> {GOOD}',  # the last one counts
        f'The form is {{"label": …}}. {GOOD}',
    ],
)
def test_an_answer_is_read_whatever_stands_around_it(text):
    assert read_answer(text, LABELS) == ExplainedAnswer("positive", ("best bread",))


@pytest.mark.parametrize(
    "sets",
    [
        '[["best", "bread"], ["cheap"]]',
        '[{"quotes": ["best", "bread"]}, "cheap"]',
        '[["best", "bread", "best"], [], ["cheap"], 7]',
    ],
)
def test_sets_of_quotes_are_read_and_all_quotes_are_the_reason(sets):
    answer = read_answer(f'{{"label": "positive", "sets": {sets}, "quotes": ["other"]}}', LABELS)
    assert answer == ExplainedAnswer("positive", ("best", "bread", "cheap"), (("best", "bread"), ("cheap",)))


@pytest.mark.parametrize(
    ("text", "label"),
    [('{"label": "Positive."}', "positive"), ("negative", "negative"), ("I do not know", None), ("", None)],
)
def test_a_label_alone_is_read_with_and_without_an_object(text, label):
    assert read_label(text, LABELS) == label


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", UNREAD),
        ("positive", UNREAD),
        ('{"label": "positive"}', UNREAD),  # without quotes it gives no reasons
        ('{"quotes": ["a"]}', UNREAD),
        ('{"label": ["positive"], "quotes": []}', UNREAD),
        ("{" * 10_000, UNREAD),
        ('{"a":' * 10_000, UNREAD),
        ("[" * 100_000 + GOOD[:20], UNREAD),
        ("9" * 10_000 + '{"label": ' + "9" * 10_000 + "}", UNREAD),
        (GOOD + " " * LONGEST_ANSWER, UNREAD),
        ('{"label": "mixed", "quotes": []}', STRANGE),
    ],
)
def test_an_answer_that_cannot_be_used_is_told_and_never_a_trace(text, what):
    answer = read_answer(text, LABELS)
    assert isinstance(answer, Unusable)
    assert answer.what == what
    assert len(answer.value) <= 200


def test_what_no_database_can_store_is_replaced():
    answer = read_answer('{"label": "x\\u0000", "quotes": ["half \\ud800 a character", "\\u0000"]}', ())
    assert answer == ExplainedAnswer("x\ufffd", ("half \ufffd a character", "\ufffd"))


def test_quotes_are_bounded_in_number_and_length():
    answer = read_answer(json.dumps({"label": "positive", "quotes": ["a" * 30_000, *map(str, range(900))]}), LABELS)
    assert isinstance(answer, ExplainedAnswer)
    assert len(answer.quotes) == 200
    assert len(answer.quotes[0]) == 20_000


# Files ---------------------------------------------------------------------------------------------------------------


def read(tmp_path, *lines: object, **options: object) -> list[SourceOutput | Problem]:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    given = OutputOptions(TASKS["sentiment"], LABELS, **{"model": "gpt", **options})
    return list(get_output_reader("self-explanations")(path, given))


BODY = {"model": "served", "choices": [{"message": {"role": "assistant", "content": GOOD}}]}
PARTS = {
    "choices": [{"message": {"content": [{"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}]}}]
}


@pytest.mark.parametrize(
    "line",
    [
        {"key": "k", "split": "test", "prompt_version": "1", "answer": GOOD},
        {"key": "k", "split": "test", "prompt_version": 1, "prompt": "…", "output": GOOD},
        {"custom_id": "self-explanation:1:test:k", "id": "batch_req_1", "response": {"status_code": 200, "body": BODY}},
        {"custom_id": "self-explanation:1:test:k", "response": BODY},
        {"custom_id": "self-explanation:1:test:k", "response": GOOD, "error": None},
        {"custom_id": "self-explanation:1:test:k", **PARTS},
    ],
)
def test_answers_come_back_as_text_or_as_a_server_gave_them(tmp_path, line):
    [output] = read(tmp_path, line)
    assert (output.key, output.split) == ("k", "test")
    assert (output.run.model, output.run.method) == ("gpt · self-explanation (prompt 1)", "quotes")
    assert output.predictions[0].result == "positive"
    assert output.rationales[0].quotes == ("best bread",)


def test_the_model_is_the_one_that_the_line_or_the_server_names_where_nobody_says_otherwise(tmp_path):
    by_server, by_line = read(tmp_path, {"key": "1", **BODY}, {"key": "2", "model": "line", "response": BODY}, model="")
    assert by_server.run.model == "served · self-explanation (prompt unknown)"
    assert by_line.run.model == "line · self-explanation (prompt unknown)"


@pytest.mark.parametrize(
    ("line", "field", "is_warning"),
    [
        ({"key": "k", "answer": "no idea"}, "answer", True),
        ({"key": "k", "answer": '{"label": "mixed", "quotes": []}'}, "label", True),
        (
            {"key": "k", "response": {"status_code": 500, "body": {"error": {"message": "overloaded"}}}},
            "response",
            True,
        ),
        ({"key": "k"}, "response", True),
        ({"answer": GOOD}, "key", False),
        ({"key": True, "answer": GOOD}, "key", False),
        ({"key": "k", "prompt_version": "<b>", "answer": GOOD}, "prompt_version", False),
    ],
)
def test_a_line_that_cannot_be_used_is_told_by_its_field(tmp_path, line, field, is_warning):
    [problem] = read(tmp_path, line)
    assert isinstance(problem, Problem)
    assert (problem.field, problem.is_warning) == (field, is_warning)


def test_an_instance_that_is_answered_twice_is_refused(tmp_path):
    _, problem = read(tmp_path, {"key": "k", "answer": GOOD}, {"key": "k", "answer": GOOD})
    assert problem.reason == "Duplicate of line 1. Keep one."
