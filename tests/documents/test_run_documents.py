"""What documents show is true: their commands, their Python and the notebook are run in order, and do what they say."""

import ast
import doctest
import json
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.cli.main import run
from annotator.domain.suites import CAPABILITIES, EXPECTATIONS
from annotator.perturb.functional_tests import ready_suite
from annotator.perturb.text_changes import CHANGES
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions, close_kept_store
from tests.conftest import REPOSITORY

# docs/api.md and the README are true: their commands, their Python and the curl lines are run in order, and do what they say.

TEXT = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HOST = "http://127.0.0.1:8501"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANNOTATOR_DB", raising=False)
    yield tmp_path
    close_kept_store()


def run_python(block: str, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block, names, "docs/api.md", None, None)
    runner = doctest.DocTestRunner()
    told: list[str] = []
    runner.run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)
    names |= test.globs


def run_curl(words: list[str], folder: Path) -> str:
    """The few options of curl that the document uses."""
    options = dict(zip(words[1::2], words[2::2], strict=False)) if words[0] == "curl" else {}
    address = next(word for word in words if word.startswith("http"))
    header, _, value = options["-H"].partition(": ")
    body = (folder / options["--data-binary"].removeprefix("@")).read_bytes() if "--data-binary" in options else None
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(folder / "annotator.db")))
    assert f"{urlsplit(address).scheme}://{urlsplit(address).netloc}" == HOST
    with TestClient(app, base_url=HOST) as client:
        answer = client.request("POST" if body else "GET", address, content=body, headers={header: value})
    assert answer.status_code == 200, answer.text
    if "-o" in options:
        (folder / options["-o"]).write_bytes(answer.content)
    return answer.text


def test_everything_on_the_page_works_in_its_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    done: list[str] = []
    token = answer = ""
    for language, block in BLOCK.findall(TEXT):
        if language == "jsonl":
            (folder / "reviews.jsonl").write_text(block, encoding="utf-8")
        elif language == "python":
            run_python(block, names)
        for line in block.splitlines() if language == "sh" else ():
            words = shlex.split(line.replace("$TOKEN", token).replace("curl -sf", "curl").replace("curl -s", "curl"))
            if words[0] == "annotator":
                assert run(words[1:]) == 0, line
                token = capsys.readouterr().out.strip().splitlines()[-1]
            else:
                answer = run_curl(words, folder)
        done.append(language)
    assert {language: done.count(language) for language in done} == {"jsonl": 1, "sh": 5, "python": 9}
    assert '"n_unchanged":4' in answer  # what was taken out goes in again and changes nothing
    assert (folder / "gold.jsonl").read_text(encoding="utf-8").count("\n") == 2


def test_the_readme_takes_two_reviews_in_and_reads_them_in_python(folder: Path) -> None:
    """Its commands in their order, but those that serve, split, write and back up, and then its Python."""
    [rows] = re.findall(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (folder / "reviews.jsonl").write_text(rows, encoding="utf-8")
    for line in re.findall(r"^    \.venv/bin/annotator (.*(?:project create|import jsonl).*)$", README, re.MULTILINE):
        assert run(shlex.split(line)) == 0, line
    [block] = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    run_python(block, {})


def test_the_page_names_every_route_and_every_name_of_an_address() -> None:
    from annotator.web.routes import scripts

    for route in scripts.routes:
        assert route.path.rsplit("/", 1)[1] in TEXT
    for name in (*scripts._WORDS, *scripts._FLAGS, "seed", "policy"):
        assert f"`{name}`" in TEXT, name


TUTORIALS = REPOSITORY / "docs" / "tutorials"
REVIEWS = TUTORIALS.parent / "examples" / "reviews.csv"
TOLD_BLOCK = re.compile(r"^```(sh|text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

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
    for language, block in TOLD_BLOCK.findall((TUTORIALS / f"{name}.md").read_text(encoding="utf-8")):
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


# The example notebook runs from its first cell to its last, and brings what it promises.

EXAMPLES = REPOSITORY / "docs" / "examples"
NOTEBOOK = json.loads((EXAMPLES / "paper_table.ipynb").read_text(encoding="utf-8"))
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def shown(source: str, names: dict[str, Any]) -> object:
    """Run a cell; what its last line is worth, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_is_one_without_what_a_run_left_in_it() -> None:
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 4)
    assert {cell["cell_type"] for cell in NOTEBOOK["cells"]} == {"markdown", "code"}
    for cell in NOTEBOOK["cells"]:
        assert isinstance(cell["source"], list)
        assert cell["metadata"] == {}
    for cell in CODE:
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_the_notebook_goes_from_a_csv_to_a_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names: dict[str, Any] = {}
    values = [shown("".join(cell["source"]), names) for cell in CODE]
    assert values[1][0] == 199
    pictures = [value._repr_html_() for value in values if type(value).__name__ == "ShownInstance"]
    assert len(pictures) == 3
    assert all("background:" in picture for picture in pictures[1:])
    assert all(len(value) for value in values if isinstance(value, pd.DataFrame))
    numbers = names["numbers"].query("metric == 'sets.best_f1'").set_index("method")
    assert numbers["n"].drop("").tolist() == [39] * 4
    assert numbers["n_seeds"]["lime"] == 3
    assert "160 training texts (split train) excluded" in [value for value in values if isinstance(value, str)]
    assert "\\toprule" in (names["folder"] / "table.tex").read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    assert "{\\emph{built-in}} \\\\\n" in printed
    assert "\n    linear & " in printed
    assert "\\begin{table}\n" in printed  # which fits one column of a paper
    assert not list(EXAMPLES.glob("*.db*"))


# docs/tests.md is true: its Python and its commands are run, and it names every change and type.

TESTS_TEXT = (REPOSITORY / "docs" / "tests.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", TESTS_TEXT, re.MULTILINE | re.DOTALL)
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
        assert f"`{name}`" in TESTS_TEXT
    for word in (*EXPECTATIONS, *CAPABILITIES):
        assert word in TESTS_TEXT
    counted = [len(ready_suite(name).recipes) for name in ("sentiment", "inference")]
    assert f"sentiment ({counted[0]}) and inference ({counted[1]})" in TESTS_TEXT
