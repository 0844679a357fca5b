"""docs/api.md and the README are true: their commands, their Python and the curl lines are run in order, and do what they say."""

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.cli.main import run
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions, close_kept_store

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
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
