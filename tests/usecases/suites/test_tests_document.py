"""docs/tests.md is true: its Python and its commands are run, and it names every change and type."""

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.suites import CAPABILITIES, EXPECTATIONS
from annotator.perturb.functional_tests import ready_suite
from annotator.perturb.text_changes import CHANGES

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "tests.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert found
    return found


def test_its_python_answers_what_it_says() -> None:
    for block in blocks("python"):
        test = doctest.DocTestParser().get_doctest(block, {}, "docs/tests.md", None, None)
        told: list[str] = []
        doctest.DocTestRunner().run(test, out=told.append)
        assert not told, "".join(told)


def test_its_commands_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANNOTATOR_DB", raising=False)
    rows = [
        {"id": str(n), "text": text, "label": label}
        for n, (text, label) in enumerate((("good", "positive"), ("bad", "negative")))
    ]
    (tmp_path / "reviews.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for block in blocks("console"):
        for line in block.splitlines():
            assert run(shlex.split(line.removeprefix("$ annotator "))) == 0, line
    assert len((tmp_path / "first.jsonl").read_text(encoding="utf-8").splitlines()) == 17 * 20


def test_it_names_every_change_type_and_capability() -> None:
    for name in CHANGES:
        assert f"`{name}`" in TEXT
    for word in (*EXPECTATIONS, *CAPABILITIES):
        assert word in TEXT
    counted = [len(ready_suite(name).recipes) for name in ("sentiment", "inference")]
    assert f"sentiment ({counted[0]}) and inference ({counted[1]})" in TEXT
