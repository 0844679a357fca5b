"""`annotator stats`: agreement and the papers' tables, for people and for programs."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from tests.cli.test_cli_people import Answer, annotator, path

__all__ = ["annotator", "path"]  # fixtures

Command = Callable[..., Answer]


@pytest.fixture
def seven(annotator: Command, tmp_path: Path) -> Command:
    """Seven annotators on one text: 21 pairs."""
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": "1", "text": "a b c d", "label": "yes", "annotator": f"ann{n}", "rationales": [[[0, 1 + n % 2]]]}
        for n in range(7)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    return annotator


def test_stats_as_json_hold_every_pair_and_what_is_not_defined_as_null(seven: Command) -> None:
    found = json.loads(seven("stats", "--project", "P", "--json").out)
    pairs = found["agreement"]["tokens"]["pairs"]
    assert [(p["first"], p["second"]) for p in pairs] == list(combinations([f"ann{n}" for n in range(7)], 2))
    assert found["agreement"]["labels"]["krippendorff_alpha"] is None
    assert (found["instances"], found["n_done"], found["done_share"]) == ({"complete": 1}, 1, 1.0)
    assert found["tables"]["eraser_table_5"][0]["n_instances"] == 1


def test_stats_for_people_show_the_first_rows_and_a_dash_for_what_is_not_defined(seven: Command) -> None:
    lines = seven("stats", "--project", "P").out.splitlines()
    assert "    krippendorff_alpha: –" in lines
    assert "      ... and 1 more (--json has all)" in lines
    assert sum(line.startswith("      - first ann") for line in lines) == 2 * 20  # of labels and of tokens
    assert "    - language en, n_pairs 0, n_gold 1, rlr 0.25, rsn 1" in lines


def test_with_one_annotator_it_is_said_once_why_there_is_no_agreement(annotator: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [{"id": str(n), "text": "a b c d", "label": "yes", "rationales": [[[0, 1]]]} for n in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    lines = annotator("stats", "--project", "P").out.splitlines()
    assert (
        "agreement: There is none to tell: no text has two annotations that are submitted or accepted (3 texts have one)."
        in lines
    )
    assert "work: Nothing has been submitted here." in lines
    assert "  rsn: 1" in lines
    assert not [line for line in lines if "–" in line]
    found = json.loads(annotator("stats", "--project", "P", "--json").out)
    assert found["agreement"]["labels"]["krippendorff_alpha"] is None  # programs get all of it


def test_an_empty_project_has_no_dashes(annotator: Command) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    out = annotator("stats", "--project", "P").out
    assert "rationales: There is no gold yet, so there are no numbers of rationales." in out
    assert "–" not in out
