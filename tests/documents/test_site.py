"""The documents are a site of files: every link leads somewhere, every document is in a chapter, and nothing asks a network."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import click
import pytest

import annotator
import annotator.api
from tests.conftest import REPOSITORY
from tests.house.test_documents import click_commands
from tools.site.reference import metric_modules, public_names

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
    built = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
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


def names_on(site: Path, page: str) -> set[str]:
    """What can be pointed at on a page of the reference."""
    return set(
        re.findall(r'\bid="([^"]+)"', (site / "docs" / "reference" / f"{page}.html").read_text(encoding="utf-8"))
    )


def test_everything_public_of_the_python_interface_is_in_the_reference(site: Path) -> None:
    classes = [getattr(annotator.api, name) for name in annotator.api.__all__]
    public = {f"annotator.{name}" for name in annotator.__all__ if callable(getattr(annotator, name))}
    public |= {f"annotator.api.{of.__name__}" for of in classes}
    public |= {f"annotator.api.{of.__name__}.{name}" for of in classes for name in dir(of) if not name.startswith("_")}
    assert {"annotator.open", "annotator.api.Database.close", "annotator.api.Project.metrics"} <= public
    assert not public - names_on(site, "python")


def test_every_error_is_in_the_reference(site: Path) -> None:
    assert not {f"annotator.errors.{name}" for name in public_names("annotator.errors")} - names_on(site, "python")


def test_every_public_function_of_the_metrics_is_in_the_reference(site: Path) -> None:
    public = {f"{module}.{name}" for module in metric_modules() for name in public_names(module)}
    assert "annotator.metrics.eraser_spans.best_iou" in public
    assert not public - names_on(site, "metric_functions")


def test_every_command_and_option_is_on_its_page_with_its_default(site: Path) -> None:
    html = (site / "docs" / "commands.html").read_text(encoding="utf-8")
    text = unescape(re.sub(r"<[^>]+>", "", html))
    for name, command in click_commands().items():
        assert f'id="annotator-{name.replace(" ", "-")}' in html
        missing = [
            of.opts[0] for of in command.params if isinstance(of, click.Option) and f"\n{of.opts[0]}" not in text
        ]
        assert not missing, name
    assert "The port; 0 takes any free one. [default: 8501; 0<=x<=65535]" in text


def test_the_reference_shows_no_markup(site: Path) -> None:
    for page in ("python", "metric_functions"):
        html = (site / "docs" / "reference" / f"{page}.html").read_text(encoding="utf-8")
        text = unescape(re.sub(r"<[^>]+>", "", html[html.index("<article") : html.index("</article")]))
        assert "`" not in text
        assert "ndarray" not in text
        assert "<factory>" not in text
