"""Nothing moves under the pointer: whatever changes in the bar or comes up while one works has its place kept free."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]
LABELS = ["positive", "negative", "neither of the two, or both at once"]

# Where everything stands that a hand may be about to press, and the text. Chips are compared as far as there were any before.
_PLACES = """() => Object.fromEntries(
  [".question", ".head-buttons .button", ".result-title", ".pill", ".answer", ".labels", ".ways .button", ".word", ".chip",
   ".tools-row > .views .button", ".proposed-row .views .button", ".segment-text", ".segment-title"].flatMap((selector) =>
    [...shadow.querySelectorAll(selector)].filter((one) => one.checkVisibility()).map((one, at) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return [`${selector} ${at + 1}`, [left, top, width, height].map((pixels) => Math.round(pixels * 10) / 10)];
    })))"""


def places(shown: PanelPage) -> dict[str, list[float]]:
    return dict(shown.page.evaluate(_PLACES))


def moved(before: dict[str, list[float]], after: dict[str, list[float]]) -> dict[str, Any]:
    return {name: (place, after[name]) for name, place in before.items() if name in after and after[name] != place}


def english(*sets: list[list[int]], **changes: Any) -> Fake:
    return Fake([work(1, samples.english(), draft=samples.draft(*sets))], project(**changes))


def test_contesting_a_label_moves_nothing(panel: Open) -> None:
    shown = panel(english([[1, 3]], result_mode="contest", labels=LABELS))
    before = places(shown)
    assert len([name for name in before if name.startswith(".pill")]) == 3
    for label in LABELS[1:]:
        shown.page.get_by_role("radio", name=label).click()
        shown.page.mouse.move(2, 2)
        assert moved(before, places(shown)) == {}, label


def test_growing_sets_and_their_numbers_move_nothing(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.many(900), draft=samples.draft([[1, 3]], [[5, 6]]))]))
    before = places(shown)
    shown.drag(20, 60)
    shown.keys("Control+Home", "Shift+Control+End", "Space")
    assert shown.counts() == ["900", "1"]
    shown.page.evaluate("document.getElementById('scroller').scrollTop = 0")
    assert moved(before, places(shown)) == {}


def test_new_sets_move_neither_the_text_nor_the_button_that_makes_them(panel: Open) -> None:
    shown = panel(english([[0, 1]]))
    before = places(shown)
    for made in range(1, 12):
        shown.page.get_by_role("button", name="New set").click()
        shown.click(made)
        assert shown.page.locator(".chip").count() == made + 1
        after = {name: place for name, place in places(shown).items() if made < 3 or not name.startswith(".chip")}
        assert moved(before, after) == {}, f"after {made + 1} sets"


def test_four_letters_stand_beside_one_another_where_the_guidelines_are_open(panel_in: Open) -> None:
    draft = samples.draft(*([[place, place + 1]] for place in range(4)))
    shown = panel_in(Fake([work(1, samples.english(), draft=draft)]), viewport={"width": 970, "height": 720})
    # As much room as is left beside open guidelines at 1280 pixels, whatever the fonts of the other buttons.
    shown.page.locator(".sets").evaluate("(sets) => Object.assign(sets.style, { flex: 'none', width: '241px' })")
    bar = shown.page.locator(".sets").bounding_box()
    assert bar is not None
    for letter in range(4):
        badge = shown.page.locator(".sets .chip .badge").nth(letter).bounding_box()
        assert badge is not None
        assert bar["x"] <= badge["x"] <= badge["x"] + badge["width"] <= bar["x"] + bar["width"]


def test_the_current_set_stays_in_sight_among_many(panel: Open) -> None:
    shown = panel(english(*[[[place, place + 1]] for place in range(14)]))
    for _ in range(3):
        shown.keys("n", "ArrowRight", "Space")
    chip, bar = (shown.page.locator(name).bounding_box() for name in (".chip[aria-checked=true]", ".sets"))
    assert chip
    assert bar
    assert bar["x"] <= chip["x"] <= chip["x"] + chip["width"] <= bar["x"] + bar["width"]


def test_looks_that_are_switched_on_move_nothing(panel: Open) -> None:
    shown = panel(english([[1, 3]]))
    before = places(shown)
    for key in "eoxt":
        shown.keys(key)
        assert moved(before, places(shown)) == {}, key
        shown.keys(key)


def test_losing_the_connection_moves_nothing(panel: Open) -> None:
    fake = english()
    shown = panel(fake)
    before = places(shown)
    fake.broken = True
    shown.click(1)
    shown.page.wait_for_function("shadow.querySelector('.word').textContent.startsWith('offline')")
    assert moved(before, places(shown)) == {}


def test_a_refusal_that_comes_up_while_one_marks_moves_nothing(panel: Open) -> None:
    fake = english()
    shown = panel(fake)
    before = places(shown)
    fake.refuse["draft"] = [(410, {"error": "Your lease of this text has run out."})]
    shown.click(1)
    shown.page.wait_for_selector(".notice.refused")
    assert moved(before, places(shown)) == {}
    shown.page.get_by_role("button", name="Take it back").click()
    shown.page.wait_for_selector(".notice.refused", state="detached")
    assert moved(before, places(shown)) == {}


def test_a_refusal_that_is_mended_moves_nothing(panel: Open) -> None:
    fake = Fake([work(1, samples.english(), draft=samples.draft([[1, 3]])), work(2, samples.short("second"))])
    fake.refuse["submit"] = [(422, {"error": "Set A is too long.", "set": 0, "warning": False})]
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".notice.refused")
    before = places(shown)
    shown.click(5)
    shown.page.wait_for_selector(".notice.refused", state="detached")
    assert moved(before, places(shown)) == {}


def test_a_refusal_that_was_read_can_be_put_away(panel: Open) -> None:
    fake = Fake([work(1, samples.english(), draft=samples.draft([[1, 3]])), work(2, samples.short("second"))])
    fake.refuse["submit"] = [(422, {"error": "Set A is too long.", "set": 0, "warning": False})]
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.page.get_by_role("button", name="Close").click()
    assert shown.page.locator(".notice").count() == 0
    shown.keys("Control+Enter")
    shown.shown("second")


def test_comments_that_arrive_move_nothing(panel: Open) -> None:
    comment = {"id": 1, "author": "Lee", "voice": "lead", "mine": False, "at": "2026-01-31T10:20:00Z", "text": "Look."}
    fake = english([[1, 3]])
    fake.threads = [{"id": 4, "about": "this text", "waits_for_lead": False, "comments": [comment] * 12}]
    gate = fake.hold("of")
    shown = panel(fake)
    before = places(shown)
    gate.set()
    shown.page.wait_for_function("shadow.querySelector('.talk-count').textContent === '12'")
    assert moved(before, places(shown)) == {}


def test_unlocking_a_set_moves_nothing(panel: Open) -> None:
    returned = work(1, samples.english(), draft=samples.draft([[1, 3]], [[5, 6]]), state="returned", round=2)
    shown = panel(Fake([returned | {"locked_sets": [0], "feedback": {"round": 1, "lines": ["More."], "sets": {}}}]))
    before = places(shown)
    shown.keys("1", "u")
    assert shown.page.locator(".icon-unlocked").count() == 1
    assert moved(before, places(shown)) == {}


def test_accepting_one_of_two_proposed_sets_leaves_the_buttons_where_they_are(panel: Open) -> None:
    proposed = [
        {
            "id": 7 + at,
            "source": "carried",
            "name": "important",
            "title": f"original {letter}",
            "spans": [[at, at + 2]],
            "notes": [],
        }
        for at, letter in enumerate("ABC")
    ]
    fake = Fake(
        [work(1, samples.english(), proposes=True)], proposed={1: {"proposals": proposed, "ignored": None, "notes": []}}
    )
    shown = panel(fake)
    shown.page.wait_for_selector(".proposal")
    before = {name: place for name, place in places(shown).items() if "chip" not in name}
    for _ in range(3):
        shown.keys("a")
        assert moved(before, places(shown)) == {}


def test_warnings_about_proposed_sets_that_arrive_move_nothing(panel: Open) -> None:
    note = "Set B: none of its tokens is left in the changed text, so it is not proposed. " * 3
    fake = Fake(
        [work(1, samples.english(), proposes=True, is_changed=True)],
        proposed={1: {"proposals": [], "ignored": None, "notes": [note]}},
    )
    gate = fake.hold("proposed")
    shown = panel(fake)
    before = places(shown)
    gate.set()
    shown.page.wait_for_function("shadow.querySelector('.proposed-notes').textContent.includes('Set B')")
    assert moved(before, places(shown)) == {}


def test_an_answer_moves_nothing(panel: Open) -> None:
    fake = Fake(
        [work(1, samples.reading(), result={"kind": "answer", "given": None, "mode": "give"})],
        project(
            result_kind="answer", result_mode="give", question="Which tokens support the answer “{result}”? Mark them."
        ),
    )
    shown = panel(fake)
    before = places(shown)
    shown.keys("0")
    assert moved(before, places(shown)) == {}
    shown.drag(66, 79)
    assert len(shown.saved()["result"]) > 40
    assert moved(before, places(shown)) == {}
    shown.keys("i")
    assert moved(before, places(shown)) == {}
