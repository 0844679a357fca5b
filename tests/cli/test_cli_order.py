"""`annotator order`: what is set, what would come, and setting it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def answered(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Three positive texts, of which m is sure of the first and unsure of the last."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"t{n}", "text": f"Text {n}.", "label": "yes"} for n in range(3)]
    outputs = [
        {"id": f"t{n}", "model": "m", "probabilities": {"yes": p, "no": 1 - p}} for n, p in enumerate((0.9, 0.6, 0.2))
    ]
    for name, lines in (("rows", rows), ("answers", outputs)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", "--project", "P").code == 0
    assert annotator("import", "predictions", "answers.jsonl", "--project", "P").code == 0
    return annotator


def next_keys(annotator: Command) -> list[str]:
    return [text["key"] for text in annotator("order", "--project", "P", "--json").json["texts"]]


def test_an_order_is_previewed_then_set_and_taken_back(answered: Command) -> None:
    wanted = ("order", "--project", "P", "--first", "least-confident", "--model", "m", "--percent", "34")
    preview = answered(*wanted, "--preview")
    assert "3 texts wait; 2 of the 3 with a number come first." in preview.out
    assert "1. t2 [yes]: 0.200 for its label “yes”; answers “no”" in preview.out
    assert next_keys(answered) == ["t0", "t1", "t2"]
    assert answered(*wanted).out.startswith(
        "Set: first where m gives the label the lowest probability (the first 34 %), then as imported"
    )
    assert next_keys(answered) == ["t2", "t1", "t0"]
    shown = answered("order", "--project", "P").out
    assert "set by " in shown
    answered("order", "--project", "P", "--first", "none")
    assert next_keys(answered) == ["t0", "t1", "t2"]


def test_a_new_seed_leaves_what_comes_first_as_it_was_chosen(answered: Command) -> None:
    answered("order", "--project", "P", "--first", "least-confident", "--model", "m")
    assert answered("order", "--project", "P", "--rest", "random", "--seed", "4").out.startswith(
        "Set: first where m gives the label the lowest probability, then at random (seed 4)"
    )
    assert next_keys(answered) == ["t2", "t1", "t0"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--model", "m"), "Say what is to come first with --first: least-confident"),
        (("--first", "least-confident"), "No model is chosen. Name one with --model"),
        (("--first", "models-disagree", "--model", "m"), "Name a second model with --model"),
    ],
)
def test_an_order_that_lacks_something_is_refused_with_the_option_that_is_missing(
    answered: Command, options: tuple[str, ...], sentence: str
) -> None:
    answer = answered("order", "--project", "P", *options)
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err
