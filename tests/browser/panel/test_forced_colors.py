"""Where the person's system forces its own colours (a contrast theme): what is chosen and what is marked can still be told apart."""

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.panel import samples
from tests.browser.panel.contrast import ENOUGH, lowest_contrast
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]

GROUND = "one => getComputedStyle(one).backgroundColor"

# The picture of a part of the page: for each of its rows the share of pixels in the ink of selected things, and in any ink.
_ROWS = """async (picture) => {
  const bitmap = await createImageBitmap(await fetch(`data:image/png;base64,${picture}`).then((answer) => answer.blob()));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), brush = canvas.getContext('2d');
  const ink = (name) => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.cssText = `forced-color-adjust: none; color: ${name}; background: Canvas`;
    const dot = new OffscreenCanvas(1, 1).getContext('2d');
    const { color, backgroundColor } = getComputedStyle(probe);
    for (const coat of [backgroundColor, color]) { dot.fillStyle = coat; dot.fillRect(0, 0, 1, 1); }
    probe.remove();
    return [...dot.getImageData(0, 0, 1, 1).data];
  };
  const [selected, paper] = [ink('Highlight'), ink('Canvas')];
  brush.drawImage(bitmap, 0, 0);
  const { data, width, height } = brush.getImageData(0, 0, bitmap.width, bitmap.height);
  const near = (at, color) => [0, 1, 2].every((part) => Math.abs(data[at + part] - color[part]) < 24);
  return Array.from({ length: height }, (_, y) => {
    const row = Array.from({ length: width }, (_, x) => 4 * (y * width + x));
    return [selected, paper].map((color) => row.filter((at) => near(at, color)).length / width);
  });
}"""


def rows(shown: PanelPage, first: int, last: int) -> list[tuple[float, float]]:
    """Of each row of pixels across some words: the share in the colour of selected things, and the share of bare ground.

    Of words that stand in two lines with this machine's fonts, those of the first.
    """
    left, top, _, height = shown.box(first)
    right = max(x + width for x, y, width, _ in map(shown.box, range(first, last + 1)) if y == top)
    clip = {"x": left, "y": top, "width": right - left, "height": height + 10}
    picture = base64.b64encode(shown.page.screenshot(clip=clip)).decode()
    return [(selected, ground) for selected, ground in shown.page.evaluate(_ROWS, picture)]


@pytest.fixture(params=["light", "dark"])
def forced(panel_in: Open, request: pytest.FixtureRequest) -> Callable[[Fake], PanelPage]:
    """Opens the panel in a light and in a dark contrast theme."""
    return lambda fake: panel_in(fake, forced_colors="active", color_scheme=request.param)


def english(*sets: list[list[int]], **changes: object) -> Fake:
    return Fake([work(1, samples.english(), draft=samples.draft(*sets))], project(**changes))


def grounds(page: Page, kind: str) -> tuple[str, str]:
    """Behind the chosen one of a kind, and behind another one."""
    chosen = page.locator(f"{kind}[aria-checked=true], {kind}[aria-pressed=true]").first
    other = page.locator(f"{kind}[aria-checked=false], {kind}[aria-pressed=false]").first
    return chosen.evaluate(GROUND), other.evaluate(GROUND)


@pytest.mark.parametrize("kind", [".pill", ".sets .chip", ".button.toggle"])
def test_what_is_chosen_stands_out_and_can_be_read(forced: Callable[[Fake], PanelPage], kind: str) -> None:
    shown = forced(english([[1, 3]], [[8, 10]], result_mode="contest"))
    shown.keys("e")
    chosen, other = grounds(shown.page, kind)
    assert chosen != other
    option = shown.page.locator(f"{kind}[aria-checked=true], {kind}[aria-pressed=true]").first
    assert lowest_contrast(option) >= ENOUGH
    option.hover()
    assert grounds(shown.page, kind)[0] == chosen
    assert lowest_contrast(option) >= ENOUGH


def test_sets_keep_their_lines_and_only_the_current_one_has_the_colour_of_what_is_selected(
    forced: Callable[[Fake], PanelPage],
) -> None:
    shown = forced(english([[1, 4]], [[13, 17]]))
    current, other, bare = rows(shown, 1, 2), rows(shown, 13, 15), rows(shown, 20, 22)
    assert max(selected for selected, _ in current) > 0.9, "a line under the words of the current set"
    assert max(selected for selected, _ in other) < 0.1
    assert max(selected for selected, _ in bare) < 0.1
    dashed = min(ground for _, ground in other[-12:])
    assert 0.05 < dashed < 0.6, "a broken line under the words of set B"
    assert min(ground for _, ground in bare[-8:]) > 0.9


def test_words_that_are_hidden_cannot_be_read(forced: Callable[[Fake], PanelPage]) -> None:
    shown = forced(english([[1, 4]], [[13, 17]]))
    shown.keys("x")
    for first, last in ((1, 2), (13, 15)):
        middle = rows(shown, first, last)[6:16]
        assert {ground for _, ground in middle} == {0.0}
        assert {selected for selected, _ in middle} == {0.0}


def test_what_a_drag_will_add_is_shown_before_it_does(forced: Callable[[Fake], PanelPage]) -> None:
    shown = forced(english())
    shown.drag(1, 3, release=False)
    assert max(selected for selected, _ in rows(shown, 1, 2)) > 0.9
    shown.page.mouse.up()
