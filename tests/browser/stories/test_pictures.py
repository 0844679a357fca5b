"""Every picture of the documents: how one comes to it. `make pictures` puts them into docs/pictures."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.stories.story import Person
from tests.browser.stories.test_perturb_story import choose_kind, copy_of, write_at
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.browser

Come = Callable[..., Person]
Take = Callable[..., None]

SENTIMENT = 1
DOCUMENTED = REPOSITORY / "docs" / "pictures"
_COLOURS = 128  # of a picture's palette: a third of the bytes, and nothing that one would see


@pytest.fixture
def take(request: pytest.FixtureRequest, tmp_path: Path) -> Take:
    """Take the picture that the test is named after: of the whole screen, or of it without the sidebar."""
    name = request.node.name.removeprefix("test_").replace("_", "-")
    folder = request.config.getoption("pictures") or tmp_path

    def take(somebody: Person, whole: bool = True) -> None:
        page = somebody.page
        page.mouse.move(1, 719)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        page.evaluate("document.fonts.ready")
        bar = 0 if whole else int(page.get_by_test_id("stSidebar").bounding_box()["width"])  # type: ignore[index]
        path = Path(folder) / f"{name}.png"
        page.screenshot(
            path=path, animations="disabled", caret="hide", clip={"x": bar, "y": 0, "width": 1280 - bar, "height": 720}
        )
        Image.open(path).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
        assert (DOCUMENTED / path.name).is_file(), "no document shows it yet: make pictures"

    return take


def test_annotate(person: Come, take: Take) -> None:
    annotator = person("Annotator 1").annotate(SENTIMENT, "sentiment-en-29")
    annotator.press("g")
    annotator.mark("only let four people in at a time so that it looks busy")
    annotator.press("n")
    annotator.mark("Inside: stale croissants")
    annotator.press("n")
    annotator.mark("Inside")
    annotator.mark("sticky tables")
    annotator.saved()
    take(annotator)


def test_review(person: Come, take: Take) -> None:
    """A correction: one of its sets has passed before, another was told to lose tokens."""
    reviewer = person("Reviewer 3").open(f"/review?project={SENTIMENT}")
    reviewer.wait_for_text()
    assert reviewer.key == "sentiment-en-14"
    reviewer.press("g", "3", "p")
    reviewer.sees("5 removed")
    take(reviewer, whole=False)


def test_perturb(person: Come, take: Take) -> None:
    page = write_at(author := person("Annotator 1"), "sentiment-en-01")
    choose_kind(page, "contrast")
    text = copy_of(page)
    text.fill(text.input_value().replace("Crisp", "Shrill").replace("never drowns", "always drowns"))
    expect(page.locator(".desk-facts")).to_contain_text(re.compile(r"^2 of \d+ tokens edited \("))
    take(author)


def test_saliency(person: Come, take: Take) -> None:
    researcher = person("Researcher").open(f"/saliency?project={SENTIMENT}")
    researcher.page.locator(".panel .heat-text").nth(1).wait_for()
    take(researcher, whole=False)


def test_metrics(person: Come, take: Take) -> None:
    researcher = person("Researcher").open(f"/metrics?project={SENTIMENT}")
    researcher.sees("About these numbers")
    take(researcher)


def test_progress(person: Come, take: Take) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=Progress")
    take(lead)
