"""`annotator instances`: searching, changing many texts, and undoing it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

OF = ("--project", "P")


@pytest.fixture
def texts(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"t{n}", "text": text, "label": "yes"} for n, text in enumerate(("汤是冷的。", "Cold soup.", "A cat."))
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", *OF).code == 0
    return annotator


def keys(annotator: Command, *filters: str) -> list[str]:
    answer = annotator("instances", "search", *OF, *filters, "--json").json
    assert answer["n"] == len(answer["instances"])
    return [line["key"] for line in answer["instances"]]


def test_texts_are_searched(texts: Command) -> None:
    assert keys(texts) == ["t0", "t1", "t2"]
    assert keys(texts, "--words", "汤") == ["t0"]
    assert keys(texts, "--words", "SOUP", "--in", "key") == []
    answer = texts("instances", "search", *OF, "--words", "SOUP")
    assert (answer.out, answer.err) == ("t1 (open): Cold soup.\n", "1 text\n")


def test_a_change_is_tried_made_listed_and_undone(texts: Command) -> None:
    wanted = ("instances", "discard", *OF, "--words", "c", "--reason", "broken text")
    assert texts(*wanted, "--dry-run").out == "2 texts would be changed.\n"
    assert keys(texts, "--state", "discarded") == []
    assert "2 texts changed. Undo it with 'annotator instances undo 1 --project \"P\"'." in texts(*wanted).out
    assert keys(texts, "--state", "discarded") == ["t1", "t2"]
    again = texts(*wanted, "--json").json
    assert again == {"change": None, "instances": 0, "passed_over": {"discarded": 2}}
    assert "local operator discarded 2 texts (broken text)" in texts("instances", "changes", *OF).out
    assert texts("instances", "undo", "1", *OF, "--dry-run").out.startswith("2 texts would be as before; 0 had changed")
    assert texts("instances", "undo", "1", *OF).out.startswith("2 texts are as before; 0 had changed")
    assert keys(texts, "--state", "open") == ["t0", "t1", "t2"]
    refused = texts("instances", "undo", "1", *OF)
    assert (refused.code, "already been undone" in refused.err) == (1, True)


def test_each_kind_of_change_has_its_command(texts: Command) -> None:
    texts("user", "add", "Bo", "--role", "annotator", *OF)
    assert texts("instances", "set-split", "--to", "dev", *OF, "--key", "t1").code == 0
    assert keys(texts, "--split", "dev") == ["t1"]
    assert texts("instances", "mark", "--as", "no", *OF, "--all").code == 0
    assert keys(texts, "--exhaustive", "no") == ["t0", "t1", "t2"]
    assert texts("instances", "name", "--person", "Bo", "--first", *OF, "--words", "cat").code == 0
    assert keys(texts, "--for", "Bo") == ["t2"]
    assert texts("instances", "name", "--nobody", *OF, "--for", "Bo").code == 0
    assert keys(texts, "--for", "Bo") == []
    answer = texts("instances", "give-out", *OF, "--all")
    assert "passed over: 3 still wait for an annotator" in answer.out
    assert "passed over: 3 are not discarded" in texts("instances", "put-back", *OF, "--all").out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("discard", "--reason", "broken text"), "Say which texts are meant"),
        (("discard", "--reason", "other", "--all"), "say in a few words why"),
        (("name", "--all"), "with --person, or free them with --nobody"),
        (("name", "--all", "--person", "Nobody"), "'Nobody' does not annotate"),
        (("put-back", "--key", "t9"), "no text with the key 't9'"),
        (("search", "--list", "Hard"), "has no list 'Hard'"),
        (("search", "--imported-from", "today"), "'today' is no day"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(texts: Command, arguments: tuple[str, ...], reason: str) -> None:
    command, *rest = arguments
    answer = texts("instances", command, *OF, *rest)
    assert (answer.code, reason in answer.err) == (1, True), answer.err
    assert texts("instances", "changes", *OF).out == "Nothing was done to many texts yet.\n"
