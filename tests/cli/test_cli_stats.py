"""`annotator stats`: agreement and the papers' tables, for people and for programs."""

import csv
import io
import json
from itertools import combinations
from pathlib import Path

import pytest

from tests.cli.conftest import Command


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


def test_stats_fit_a_screen_and_name_the_first_of_many_people(annotator: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": str(n), "text": "a b c d", "label": "yes", "annotator": f"ann{n}-{who}", "rationales": [[[0, 1 + who]]]}
        for n in range(40)
        for who in range(2)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    lines = annotator("stats", "--project", "P").out.splitlines()
    assert len(lines) <= 24
    [imported] = [line for line in lines if line.startswith("imported: ")]
    assert imported.startswith("imported: 80 annotations by 80 annotators: ann0-0 (1), ")
    assert imported.endswith(" and 74 more")
    assert any(line.startswith("  tokens (40 texts): Krippendorff's α ") for line in lines)
    assert "--all to read, --csv as a table" in lines[-1]
    assert len(annotator("stats", "--project", "P", "--all").out.splitlines()) > 200


def test_stats_as_csv_hold_a_number_a_row_with_whom_it_is_of(seven: Command) -> None:
    rows = list(csv.DictReader(io.StringIO(seven("stats", "--project", "P", "--csv").out)))
    by_name = {(row["name"], row["of"]): row["value"] for row in rows}
    assert by_name["size.n_tokens", ""] == "4"
    assert by_name["agreement.tokens.pairs.n_instances", "ann0 / ann1"] == "1"
    assert by_name["agreement.labels.krippendorff_alpha", ""] == ""  # not defined


def test_stats_for_people_show_all_rows_and_a_dash_for_what_is_not_defined(seven: Command) -> None:
    lines = seven("stats", "--project", "P", "--all").out.splitlines()
    assert "    krippendorff_alpha: –" in lines
    assert sum(line.startswith("      - first ann") for line in lines) == 2 * 21  # of labels and of tokens
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
    found = annotator("stats", "--project", "P", "--json").json
    assert found["agreement"]["labels"]["krippendorff_alpha"] is None  # programs get all of it


def test_an_empty_project_has_no_dashes(annotator: Command) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    out = annotator("stats", "--project", "P").out
    assert "rationales: There is no gold yet, so there are no numbers of rationales." in out
    assert "–" not in out
