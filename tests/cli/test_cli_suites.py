"""`annotator suite` and `annotator words`: from a ready suite to failure rates, and the ways in and out."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Answer, Command

ROWS = [("good film", "positive"), ("bad film.", "negative"), ("good food", "positive"), ("bad food!", "negative")]


@pytest.fixture
def with_texts(annotator: Command, tmp_path: Path) -> Command:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "negative,positive")
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps({"id": str(n), "text": text, "label": label}) for n, (text, label) in enumerate(ROWS)]
    file.write_text("\n".join(lines), encoding="utf-8")
    annotator("import", "jsonl", str(file), "--project", "P")
    return annotator


def make(command: Command, *more: str) -> Answer:
    return command("suite", "make", "s", "--project", "P", "--ready", "sentiment", "--n", "5", *more)


def test_a_ready_suite_is_made_run_and_scored(with_texts: Command) -> None:
    assert make(with_texts).out == "The suite 's' has 17 tests with 85 cases.\n"
    assert (
        "  Logic       MFT  negatives: a positive word negated: 5 cases"
        in with_texts("suite", "list", "--project", "P").out
    )
    ran = with_texts("suite", "run", "s", "--project", "P", "--model", "built-in")
    assert ran.code == 0
    assert ran.out.startswith("'built-in' answered 17 tests, ")
    assert "learned from all 4 instances" in ran.err
    assert with_texts("suite", "run", "s", "--project", "P", "--model", "built-in", "--as", "b").code == 0
    scored = with_texts("suite", "score", "s", "--project", "P", "--compare", "b", "built-in", "--json").json
    last = scored["rows"][-1]
    assert (last["name"], last["n_cases"], last["difference"]) == ("All tests", 85, 0.0)
    assert scored["models"] == ["b", "built-in"]
    assert last["models"]["b"]["n_failed"] == last["models"]["built-in"]["n_failed"]
    words = with_texts("suite", "score", "s", "--project", "P").out
    assert "Vocabulary (30 cases)" in words
    assert "built-in: " in words


def test_tests_on_the_projects_texts_and_what_is_left_out_is_told(with_texts: Command) -> None:
    made = make(with_texts, "--on-texts", "--test", "punctuation", "--test", "change names", "--json")
    told = json.loads(made.out)
    assert [(test["name"], test["cases"]) for test in told["tests"]] == [("punctuation", 4)]
    assert list(told["left_out"]) == ["change names"]
    assert "left out: change names: " in made.err


def test_a_suite_goes_to_a_file_and_comes_back_and_is_removed(with_texts: Command, tmp_path: Path) -> None:
    make(with_texts)
    file = tmp_path / "s.jsonl"
    assert with_texts("suite", "export", "s", str(file), "--project", "P").out == f"Wrote 85 cases to {file}.\n"
    back = with_texts("suite", "import", "t", str(file), "--project", "P")
    assert back.out == "The suite 't' has 17 tests with 85 cases.\n"
    assert with_texts("suite", "remove", "t", "--project", "P", "--test", "typos").code == 0
    assert with_texts("suite", "remove", "t", "--project", "P").code == 0
    assert with_texts("suite", "remove", "t", "--project", "P").code == 1


def test_predictions_come_back_by_test_case_and_position(with_texts: Command, tmp_path: Path) -> None:
    make(with_texts, "--test", "typos")
    file, answers = tmp_path / "s.jsonl", tmp_path / "p.jsonl"
    with_texts("suite", "export", "s", str(file), "--project", "P")
    rows = [
        {
            "test": case["test"],
            "case": case["case"],
            "position": n,
            "label": "positive",
            "probabilities": {"positive": 1},
        }
        for case in map(json.loads, file.read_text(encoding="utf-8").splitlines())
        for n in range(len(case["texts"]))
    ]
    answers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    read = with_texts("suite", "predictions", "s", str(answers), "--project", "P", "--model", "theirs")
    assert read.out == "'theirs': 1 new run, 0 changed, 0 unchanged.\n"
    answers.write_text("\n".join(map(json.dumps, rows[1:])), encoding="utf-8")
    refused = with_texts("suite", "predictions", "s", str(answers), "--project", "P", "--model", "other")
    assert refused.code == 1
    assert "1 problem; no prediction was stored." in refused.err
    assert "typos, 0, 0" in refused.err


def test_word_lists_are_saved_listed_and_removed(with_texts: Command, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("soup\nbread\n\nsoup\n", encoding="utf-8")
    assert with_texts("words", "save", "dish", str(file), "--project", "P", "--role", "keep").out == (
        "The list 'dish' has 2 words.\n"
    )
    assert with_texts("words", "list", "--project", "P").out == "dish (keep, en): soup, bread\n"
    listed = with_texts("words", "list", "--project", "P", "--json").json
    assert listed == {"word_lists": [{"name": "dish", "role": "keep", "language": "en", "words": ["soup", "bread"]}]}
    assert with_texts("words", "remove", "dish", "--project", "P").code == 0
    assert "There are no word lists yet" in with_texts("words", "list", "--project", "P").out
    file.write_bytes(b"caf\xe9")
    assert "is not UTF-8 (byte 3)" in with_texts("words", "save", "dish", str(file), "--project", "P").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("make", "s", "--project", "P", "--ready", "inference"), "'inference' is for the task 'inference'"),
        (("make", "s", "--project", "P", "--ready", "nothing"), "There is no ready suite 'nothing'"),
        (
            ("make", "s", "--project", "P", "--ready", "sentiment", "--label", "neutral=x"),
            "'x' is none of the project's",
        ),
        (
            ("make", "s", "--project", "P", "--ready", "sentiment", "--label", "x=positive"),
            "no label 'x'; it has negative",
        ),
        (("run", "s", "--project", "P", "--model", "built-in"), "has no suite 's'. There are: none yet"),
        (("score", "s", "--project", "P"), "has no suite 's'"),
    ],
)
def test_what_cannot_be_done_is_refused_with_exit_code_1(
    with_texts: Command, words: tuple[str, ...], sentence: str
) -> None:
    answer = with_texts("suite", *words)
    assert answer.code == 1
    assert sentence in answer.err


def test_the_ready_suites_are_listed_with_what_they_test(annotator: Command) -> None:
    words = annotator("suite", "ready").out
    assert "sentiment (task sentiment; labels negative, neutral, positive)" in words
    assert "  Entity      MFT  switch one entity: " in words
    assert {one["name"] for one in annotator("suite", "ready", "--json").json["suites"]} == {
        "inference",
        "sentiment",
    }
