"""`annotator training`: rules, texts and people."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def of_gold(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Two texts with gold and one without."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {
            "id": f"t{n}",
            "text": "good and not bad",
            "label": "yes",
            "rationales": [[[0, 1]], [[2, 4]]],
            "annotator": "x",
        }
        for n in range(2)
    ]
    lines = [*rows, {"id": "t2", "text": "good", "label": "yes"}]
    Path("rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", "--project", "P").code == 0
    annotator("user", "add", "ann", "--role", "annotator", "--project", "P")
    return annotator


def test_training_is_set_up_shown_and_undone(of_gold: Command) -> None:
    refused = of_gold("training", "set", "--project", "P", "--on")
    assert refused.code == 1
    assert "no training texts for annotators" in refused.err
    picked = of_gold("training", "pick", "t0", "t1", "t2", "--project", "P")
    assert (picked.out, picked.err) == ("Picked 2 new texts.\n", "“t2” has no gold.\n")
    assert of_gold("training", "set", "--project", "P", "--on", "--texts", "2").out == "Training of annotators is on.\n"
    shown = of_gold("training", "show", "--project", "P").out
    assert "Training of annotators is on: texts 2, tries 2, least f1 60" in shown
    assert "  ann: not begun, 0 tries" in shown
    assert "t0: for annotators; gold as picked" in shown
    assert of_gold("training", "allow", "ann", "--project", "P", "--through").out == "ann gets work now.\n"
    answer = of_gold("training", "show", "--project", "P", "--json").json
    assert answer["people"]["annotators"][0]["training"] == "let through"
    assert of_gold("training", "remove", "t0", "--project", "P").out == "Took 1 text out.\n"
    missing = of_gold("training", "remove", "t0", "--project", "P")
    assert "'t0' is not among the texts for annotators" in missing.err


def test_reviewers_texts_are_worsened_as_it_is_said(of_gold: Command) -> None:
    ways = ("--worsened", "set-left-out", "--worsened", "not", "--worsened", "token-missing")
    assert (
        of_gold("training", "pick", "t0", "--project", "P", "--for", "reviewers", *ways).out == "Picked 3 new texts.\n"
    )
    answer = of_gold("training", "show", "--project", "P", "--json").json
    assert {text["worsened"] for text in answer["texts"]} == {"", "set left out", "token missing"}
