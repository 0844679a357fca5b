"""What is chosen is legible, also in a contrast theme, and nothing moves under the pointer."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.panel import review_harness, samples
from tests.browser.panel.harness import ENOUGH, Fake, PanelPage, lowest_contrast, project, work
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
  const [{ ResultField }, css] = await Promise.all([import(`${panelAt}/perturb/desk_fields.js`), fetch(`${panelAt}/perturb/perturb.css`).then((r) => r.text())]);
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


@pytest.mark.parametrize("width", [975, 1240])
def test_the_answers_of_a_review_begin_at_the_same_place_whatever_is_asked(
    review: Callable[..., ReviewPage], width: int
) -> None:
    shown = review(ReviewFake([review_harness.review(1, samples.english(), [[1, 3]])]))
    shown.page.evaluate(f"document.getElementById('block').style.width = '{width}px'")
    shown.page.wait_for_function(f"shadow.querySelector('.panel').clientWidth === {width}")
    corners = set()
    for score in ("3", "4", "3"):
        box = shown.page.locator(".choice").first.bounding_box()
        assert box
        corners.add((box["x"], box["y"]))
        shown.keys(score)
    assert len(corners) == 1


def test_on_a_phone_what_a_review_asks_and_its_submit_button_stay_and_the_rest_of_its_bar_leaves(
    review: Callable[..., ReviewPage],
) -> None:
    shown = review(ReviewFake([review_harness.review(1, samples.many(900), [[1, 3]], [[4, 6]], [[8, 9]])]))
    shown.page.evaluate("document.getElementById('block').style.width = '358px'")
    shown.page.wait_for_function("shadow.querySelector('.panel').clientWidth === 358")
    shown.page.evaluate("document.getElementById('scroller').scrollTop = 2000")
    expect(shown.page.get_by_role("button", name="Submit")).to_be_in_viewport(ratio=1)
    expect(shown.page.locator(".ask")).to_be_in_viewport(ratio=1)
    expect(shown.page.locator(".sets")).not_to_be_in_viewport()
    assert shown.page.evaluate("shadow.querySelector('.bar').getBoundingClientRect().bottom / innerHeight") < 1 / 3


# Where the person's system forces its own colours (a contrast theme): what is chosen and what is marked can still be told apart.

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


def english(*sets: list[list[int]], **changes: Any) -> Fake:
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


# Nothing moves under the pointer: whatever changes in the bar or comes up while one works has its place kept free.

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
    note = "Set B has no tokens left and isn't proposed. " * 3
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
            result_kind="answer",
            result_mode="give",
            question="Which tokens support the prediction “{result}”? Mark them.",
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
