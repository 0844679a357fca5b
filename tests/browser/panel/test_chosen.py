"""Whatever is chosen is the best legible option: at rest, under the mouse, with the focus, and while it is pressed."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.panel import review_harness, samples
from tests.browser.panel.contrast import ENOUGH, lowest_contrast
from tests.browser.panel.harness import Fake, PanelPage, project, work
from tests.browser.panel.review_harness import ReviewFake, ReviewPage

pytestmark = pytest.mark.browser
CHOSEN = "[aria-checked=true], [aria-pressed=true], [aria-selected=true]"


def states(page: Page, chosen: Locator) -> Iterator[str]:
    """Brings an option into each state that a hand can bring it into."""
    page.mouse.move(2, 2)
    page.evaluate("shadow.activeElement?.blur()")
    yield "at rest"
    chosen.focus()
    yield "with the focus"
    chosen.hover()
    yield "under the mouse"
    page.mouse.down()
    yield "pressed"
    page.mouse.move(2, 2)
    page.mouse.up()


def poor(page: Page) -> list[str]:
    """The chosen options that cannot be read well enough, with the state in which they cannot."""
    found = []
    for chosen in page.locator(CHOSEN).all():
        if not chosen.is_visible():
            continue
        for state in states(page, chosen):
            contrast = lowest_contrast(chosen)
            if contrast < ENOUGH:
                found.append(f"{chosen.inner_text()!r} {state}: {contrast:.2f}")
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_label_or_look_can_be_read_in_every_state(panel: Callable[..., PanelPage], theme: str) -> None:
    shown = panel(
        Fake([work(1, samples.english(), draft=samples.draft([[1, 2]], [[3, 4]]))], project(result_mode="contest"))
    )
    shown.open(theme)
    shown.keys("e", "o")
    assert poor(shown.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_label_can_be_read_where_only_labels_are_given(panel: Callable[..., PanelPage], theme: str) -> None:
    shown = panel(Fake([work(1, samples.english())], project(result_mode="labels_only")))
    shown.open(theme)
    shown.keys("2")
    assert poor(shown.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_given_score_can_be_read_in_every_state(review: Callable[..., ReviewPage], theme: str) -> None:
    given = [
        review_harness.review(1, samples.english(), [[1, 3]], [[4, 6]], scores=review_harness.scores(3, (3, 4), (1, 2)))
    ]
    shown = review(ReviewFake(given))
    shown.open(theme)
    assert poor(shown.page) == []


_PERTURB = """async () => {
  const [{ ResultField }, css] = await Promise.all([import(`${panelAt}/perturb/fields.js`), fetch(`${panelAt}/perturb/perturb.css`).then((r) => r.text())]);
  shadow.querySelector("style").append(css);
  const root = shadow.querySelector(".panel");
  root.classList.add("perturb");
  for (const rules of [{ labels: ["yes", "no"], result_kind: "label" }, { labels: [], result_kind: "answer" }]) {
    const made = new ResultField(rules, () => {});
    made.show(null, rules.labels.length ? "yes" : "");
    root.prepend(made.root);
  }
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chosen_label_of_a_changed_text_can_be_read_in_every_state(
    panel: Callable[..., PanelPage], theme: str
) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    shown.open(theme)
    shown.page.evaluate(_PERTURB)
    assert shown.page.locator(".pill[aria-checked=true], .pill[aria-pressed=true]").count() == 2
    assert poor(shown.page) == []
