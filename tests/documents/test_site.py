"""The documents are a site of files: every link leads somewhere, every document is in a chapter, and nothing asks a network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What a browser fetches by itself; a link that a person follows may lead anywhere.
FETCHED = re.compile(
    r'<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)="((?:https?:)?//[^"]*)"|url\(["\']?((?:https?:)?//[^)"\']*)'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-c",
        "tools/site",
        "-d",
        str(folder / "trees"),
        ".",
        str(folder / "html"),
    ]
    built = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_it_begins_with_a_way_to_the_tutorials_of_each_role(site: Path) -> None:
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")
    index = (site / "docs" / "index.html").read_text(encoding="utf-8")
    for role in ("annotator", "reviewer", "author", "researcher", "lead"):
        assert f'href="tutorials/{role}.html"' in index
        assert (site / "docs" / "tutorials" / f"{role}.html").is_file()


def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    pages = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".js")]
    fetched = {
        (str(path.relative_to(site)), "".join(match))
        for path in pages
        for match in FETCHED.findall(path.read_text(encoding="utf-8"))
    }
    assert len(pages) > 100
    assert not fetched
