"""The tutorials are true: their commands and their Python are run in order, and print what stands there."""

import re
import shlex
import shutil
import tempfile
from pathlib import Path

import pytest

from annotator.cli.main import run
from tests.api.test_document import run_python

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
REVIEWS = TUTORIALS.parent / "examples" / "reviews.csv"
BLOCK = re.compile(r"^```(sh|text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def numbers(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text)]


@pytest.mark.parametrize("name", ["researcher", "lead"])
def test_a_tutorial_does_and_prints_what_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANNOTATOR_DB", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # what other processes left in the machine's is not ours
    shutil.copy(REVIEWS, tmp_path)
    names: dict[str, object] = {}
    printed, n_compared = "", 0
    for language, block in BLOCK.findall((TUTORIALS / f"{name}.md").read_text(encoding="utf-8")):
        if language == "python":
            run_python(block, names)
        elif language == "text":
            assert NUMBER.sub("0", block.strip()) == NUMBER.sub("0", printed.strip())
            assert numbers(block) == pytest.approx(
                numbers(printed), abs=0.005
            )  # what another processor may round otherwise
            n_compared += 1
        for line in block.splitlines() if language == "sh" else ():
            [program, *words] = shlex.split(line)
            assert program == "annotator"
            capsys.readouterr()
            assert run(words) == 0, line
            printed = capsys.readouterr().out
    assert n_compared


def test_the_first_lines_of_the_file_stand_in_the_researchers_tutorial() -> None:
    first = "".join(REVIEWS.read_text(encoding="utf-8").splitlines(keepends=True)[:3])
    assert f"```csv\n{first}```" in (TUTORIALS / "researcher.md").read_text(encoding="utf-8")
