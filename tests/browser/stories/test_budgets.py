"""How much stands on each screen of the demonstration, at 1280 × 720: words and controls before anything is opened.

A screen may say less; whoever wants it to say more takes something else away first.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser

Come = Callable[..., Person]
_PROJECT = "/project?project=1&section="

# By screen: who looks, the address, the most words (but of the text to be marked), the most controls.
BUDGETS = {
    "Annotate": ("Annotator 1", "/annotate?project=1", 350, 26),
    "Review": ("Reviewer 3", "/review?project=1", 450, 30),
    "Perturb": ("Annotator 1", "/perturb?project=1", 330, 36),
    "Saliency": ("Researcher", "/saliency?project=1", 600, 48),
    "Metrics": ("Researcher", "/metrics?project=1", 385, 28),
    "Tests": ("Researcher", "/tests?project=1", 320, 27),
    "Start": ("Lead", "/start", 130, 17),
    "Export": ("Lead", "/export?project=1", 80, 22),
    "Progress": ("Lead", f"{_PROJECT}Progress", 150, 31),
    "Decisions": ("Lead", f"{_PROJECT}Decisions", 60, 23),
    "Import": ("Lead", f"{_PROJECT}Import", 110, 33),
    "Texts": ("Lead", f"{_PROJECT}Instances", 110, 34),
    "Project, Export": ("Lead", f"{_PROJECT}Export", 85, 32),
    "Releases": ("Lead", f"{_PROJECT}Releases", 80, 33),
    "Rules": ("Lead", f"{_PROJECT}Rules", 95, 34),
    "Guidelines": ("Lead", f"{_PROJECT}Guidelines", 95, 30),
    "People": ("Lead", f"{_PROJECT}People", 90, 26),
    "Agreement": ("Lead", f"{_PROJECT}Quality", 135, 29),
    "Rounds": ("Lead", f"{_PROJECT}Rounds", 160, 32),
    "Training": ("Lead", f"{_PROJECT}Training", 85, 34),
    "Previews": ("Lead", f"{_PROJECT}Previews", 80, 34),
    "Order": ("Lead", f"{_PROJECT}Order", 80, 31),
    "Record": ("Lead", f"{_PROJECT}Record", 70, 29),
}

_COUNT = r"""
() => {
  const controls = 'button,a[href],input,select,textarea,[role=button],[role=tab],[role=radio],[role=checkbox],[role=slider],'
    + '[role=switch],[role=combobox],[role=option],[role=menuitem],summary';
  const found = {words: 0, controls: 0};
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const within = node.parentElement ?? node.getRootNode().host;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { width, height } = range.getBoundingClientRect();
      if (width >= 1 && height >= 1 && !within.closest('.segment-text'))
        found.words += (node.data.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).length;
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'svg'].includes(node.tagName)) return;
    const { visibility, display, opacity } = getComputedStyle(node);
    if (visibility === 'hidden' || display === 'none' || Number(opacity) <= 0.05) return;
    if (node.tagName === 'DETAILS' && !node.open) return node.querySelector('summary') && walk(node.querySelector('summary'));
    if (node.matches(controls)) {
      const { width, height } = node.getBoundingClientRect();
      if (width > 1 && height > 1) found.controls += 1;
    }
    for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) walk(child);
  };
  walk(document.body);
  return found;
}
"""


def test_no_screen_says_or_offers_more_than_its_budget(person: Come) -> None:
    people: dict[str, Person] = {}
    over = {}
    for screen, (name, path, words, controls) in BUDGETS.items():
        somebody = people[name] if name in people else people.setdefault(name, person(name))
        found = _settled(somebody.open(path).page)
        print(f"{screen}: {found['words']} of {words} words, {found['controls']} of {controls} controls")  # noqa: T201
        if found["words"] > words or found["controls"] > controls:
            over[screen] = (found, words, controls)
    assert not over


def _settled(page: Page) -> dict[str, int]:
    """The counts, once they stay the same while nothing runs."""
    last, same = {"words": 0, "controls": 0}, 0
    for _look in range(150):
        page.wait_for_timeout(200)
        found: dict[str, int] = page.evaluate(_COUNT)
        is_still = found == last and found["words"] > 20 and not page.get_by_test_id("stStatusWidget").count()
        same, last = (same + 1 if is_still else 0), found
        if same == 4:
            return found
    raise AssertionError(f"The page at {page.url} does not come to rest.")
