"""docs/metrics.md is what the register says."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from annotator.metrics.__main__ import FAMILIES, _range_of, _row, document
from annotator.metrics.registry import all_definitions, definition_of

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "metrics.md"
AGAIN = "write it again: python -m annotator.metrics > docs/metrics.md"


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), AGAIN


def test_the_command_prints_the_document() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "annotator.metrics"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert done.stdout == document()


def test_every_metric_has_one_row_of_six_cells() -> None:
    rows = [line for line in document().splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) == len(all_definitions())
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == 7, row  # a bar in a formula is escaped


def test_every_family_has_a_title_and_every_title_a_family() -> None:
    families = {definition.name.partition(".")[0] for definition in all_definitions()}
    assert families == FAMILIES.keys(), "name the family in annotator/metrics/__main__.py"


def test_a_range_without_bounds_is_said_in_words() -> None:
    known = definition_of("er_test.mse")
    assert _range_of(replace(known, lowest=None, highest=None)) == "any"
    assert _range_of(replace(known, lowest=None, highest=0.5)) == "up to 0.5"


def test_a_row_stays_one_row() -> None:
    row = _row(replace(definition_of("er_test.mse"), definition="|p −\n y|"))
    assert row.count("\n") == 1
    assert r"\|p − y\|" in row
