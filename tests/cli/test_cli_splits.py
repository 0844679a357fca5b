"""`--split` with a name that no text has: every command that has the option names the splits that there are."""

import json
from pathlib import Path

import pytest

from annotator.cli.main import annotator as program
from tests.cli.conftest import Command

COMMANDS = {
    "evaluate project": ("evaluate", "project"),
    "evaluate models": ("evaluate", "models", "--base", "m", "--other", "n"),
    "evaluate minutes": ("evaluate", "minutes", "--minutes", "5", "--folder", "minutes"),
    "attribute": ("attribute", "--model", "built-in", "--method", "random"),
    "export": ("export", "csv", "out.csv"),
    "report": ("report", "report.html"),
    "table eraser-soft": ("table", "eraser-soft"),
    "table benchmark": ("table", "benchmark"),
    "table edits": ("table", "edits"),
    "table er-test": ("table", "er-test"),
    "train": ("train", "--name", "t"),
    "prompts": ("prompts", "prompts.jsonl"),
    "order": ("order", "--first", "least-confident", "--model", "m"),
    "evidence start": ("evidence", "start", "Second"),
    "instances search": ("instances", "search"),
    "instances discard": ("instances", "discard", "--reason", "broken text"),
    "instances give-out": ("instances", "give-out"),
    "instances mark": ("instances", "mark", "--as", "yes"),
    "instances name": ("instances", "name", "--nobody"),
    "instances put-back": ("instances", "put-back"),
    "instances set-split": ("instances", "set-split", "--to", "dev"),
    "import": ("import", "predictions", "answers.jsonl"),
}
ELSEWHERE = {
    "evaluate eraser",
    "explain-self",
}  # the splits are files of a folder; a server is asked (the same use case as prompts)


@pytest.fixture
def split(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Two texts in two splits, with answers beside them."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"{n}", "split": name, "text": f"Text {n}.", "label": "yes", "rationales": [[[0, 1]]]}
        for n, name in enumerate(("train", "test"))
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("answers.jsonl").write_text(json.dumps({"text": "Text 0.", "model": "m", "prediction": "yes"}) + "\n")
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", "--project", "P").code == 0
    return annotator


@pytest.mark.parametrize("name", COMMANDS)
def test_a_split_that_is_not_there_is_refused_with_those_that_are(split: Command, name: str) -> None:
    answer = split(*COMMANDS[name], "--project", "P", "--split", "tst")
    assert (answer.code, answer.out) == (1, "")
    assert "The project 'P' has no split 'tst'; it has 'test', 'train'." in answer.err


def test_every_command_with_the_option_is_among_them() -> None:
    assert set(with_split(program)) == set(COMMANDS) | ELSEWHERE


def with_split(group, before: str = ""):
    """The commands that have the option, with the names of their groups."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from with_split(command, f"{before}{name} ")
        elif any("--split" in option.opts for option in command.params):
            yield f"{before}{name}"
