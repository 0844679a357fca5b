"""Long texts, other scripts, other hands, other windows."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import review_harness, samples
from tests.browser.panel.harness import Fake, PanelPage, project, work
from tests.browser.panel.review_harness import ReviewFake, ReviewPage

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]
ARABIC_QUESTION = "هل كانت الخدمة سريعة جدًا؟"
LONG_LABELS = ["no significant difference", "significantly decreased", "significantly increased"]
FINGERS = {"has_touch": True, "is_mobile": True}


def asked(passage: str, question: str, language: str = "ar", direction: str = "rtl") -> Fake:
    segments = (
        samples.segment(passage, "passage", "Passage"),
        samples.segment(question, "question", "Question", selectable=False),
    )
    return Fake([work(1, samples.instance("asked", *segments, language=language, direction=direction))])


def ends(shown: PanelPage, segment: int) -> tuple[float, float]:
    """The left and the right end of the first line of a segment's words."""
    left, right = shown.page.evaluate(
        """(segment) => { const range = document.createRange();
        range.selectNodeContents(shadow.querySelector(`.segment-text[data-segment="${segment}"]`));
        const boxes = [...range.getClientRects()].filter((box) => box.width), first = boxes[0];
        const line = boxes.filter((box) => Math.abs(box.top - first.top) < 5);
        return [Math.min(...line.map((box) => box.left)), Math.max(...line.map((box) => box.right))]; }""",
        segment,
    )
    return left, right


def test_a_right_to_left_question_begins_where_its_passage_and_their_titles_begin(panel: Open) -> None:
    shown = panel(asked(samples.ARABIC, ARABIC_QUESTION))
    passage, question = ends(shown, 0), ends(shown, 1)
    titles = [
        box["x"] + box["width"]
        for box in (one.bounding_box() for one in shown.page.locator(".segment-title").all())
        if box
    ]
    box = shown.page.locator(".segment.quiet").bounding_box()
    assert box
    assert abs(box["x"] + box["width"] - passage[1]) < 2, "the question's ground ends where the passage begins"
    assert 0 <= passage[1] - question[1] < 20
    assert all(abs(box["x"] + box["width"] - title) < 20 or abs(passage[1] - title) < 2 for title in titles)


def test_a_text_runs_as_it_is_written_whatever_language_it_was_imported_in(panel: Open) -> None:
    shown = panel(asked(samples.ARABIC, ARABIC_QUESTION, "en", "ltr"))
    runs = "one => getComputedStyle(one).direction"
    assert [one.evaluate(runs) for one in shown.page.locator(".segment-text").all()] == ["rtl", "rtl"]
    shown.keys("ArrowLeft", "ArrowLeft", "Space")
    assert shown.sets() == [[[1, 2]]]


def test_an_english_passage_under_an_arabic_question_runs_from_left_to_right(panel: Open) -> None:
    shown = panel(asked(samples.ENGLISH, ARABIC_QUESTION))
    runs = "one => getComputedStyle(one).direction"
    assert shown.page.locator(".segment-text[data-segment='0']").evaluate(runs) == "ltr"
    assert shown.page.locator(".segment-text[data-segment='1']").evaluate(runs) == "rtl"
    shown.keys("ArrowRight", "ArrowRight", "Space")
    assert shown.sets() == [[[1, 2]]]


def test_names_in_another_script_do_not_turn_a_text_round(panel: Open) -> None:
    mixed = "Peyton Manning, Broncos (NFL) " + samples.ARABIC
    shown = panel(asked(mixed, ARABIC_QUESTION))
    assert shown.page.locator(".segment-text").first.evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_sets_of_a_right_to_left_text_stand_in_the_order_of_their_letters(panel: Open) -> None:
    fake = asked(samples.ARABIC, ARABIC_QUESTION)
    fake.works[0]["draft"] = samples.draft([[0, 1]], [[2, 3]], [[4, 5]])
    shown = panel(fake)
    lefts = [box["x"] for box in (one.bounding_box() for one in shown.page.locator(".chip").all()) if box]
    assert lefts == sorted(lefts)
    assert shown.page.locator(".badge").all_inner_texts()[:3] == ["A", "B", "C"]


# What can be pressed, and how large it is, as far as it is in sight.
_TARGETS = """() => [...shadow.querySelectorAll('.bar button, .bar select, .bar input, .head button, .asked-line')]
  .filter((one) => one.checkVisibility()).map((one) => [one.getAttribute('aria-label') || one.innerText, one.getBoundingClientRect()])
  .map(([name, { width, height }]) => [name, Math.round(width), Math.round(height)])"""


@pytest.mark.parametrize("size", [(768, 1024), (1024, 768), (390, 844)])
def test_fingers_find_targets_of_44_pixels_and_no_keys_printed(panel_in: Open, size: tuple[int, int]) -> None:
    fake = Fake([work(1, samples.english(), draft=samples.draft([[1, 3]], [[5, 7]]))], project(result_mode="contest"))
    shown = panel_in(fake, viewport={"width": size[0], "height": size[1]}, **FINGERS)
    targets = shown.page.evaluate(_TARGETS)
    assert len(targets) > 12
    assert [target for target in targets if target[1] < 44 or target[2] < 44] == []
    assert [cap for cap in shown.page.locator("kbd").all() if cap.is_visible()] == []


def test_a_finger_marks_by_tapping_and_by_dragging_along_a_line(panel_in: Open) -> None:
    shown = panel_in(Fake([work(1, samples.english())]), viewport={"width": 768, "height": 1024}, **FINGERS)
    shown.page.touchscreen.tap(*shown.at(1))
    assert shown.sets() == [[[1, 2]]]


_WINDOW = """() => {
  const bar = shadow.querySelector('.bar').getBoundingClientRect(), asked = shadow.querySelector('.asked-line:not([hidden])')?.getBoundingClientRect();
  const row = [...shadow.querySelectorAll('.main-row > *, .tools-row > *')].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect());
  const parts = [...shadow.querySelectorAll('.bar button, .bar select, .bar input')].filter((one) => one.checkVisibility() && !one.closest('.sets'))
    .map((one) => [one.getAttribute('aria-label') || one.innerText.trim(), one.getBoundingClientRect()]);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return {
    upper: (asked ?? bar).bottom, height: innerHeight, wide: Math.max(...row.map((box) => box.right)), right: bar.right,
    over: parts.flatMap(([name, a], at) => parts.slice(at + 1).filter(([, b]) => meet(a, b)).map(([other]) => `${name} / ${other}`)),
  };
}"""
WINDOWS = [
    pytest.param({"width": 640, "height": 360}, {}, id="1280x720 at 200 %"),
    pytest.param({"width": 960, "height": 540}, {}, id="1920x1080 at 200 %"),
    pytest.param({"width": 768, "height": 1024}, FINGERS, id="tablet upright"),
    pytest.param({"width": 1024, "height": 768}, FINGERS, id="tablet on its side"),
    pytest.param({"width": 390, "height": 844}, FINGERS, id="phone"),
]


def labels(**changes: Any) -> Fake:
    segments = samples.many(3000)["segments"][0], samples.segment("Is it so? " * 20, "query", "Query", selectable=False)
    rules = project(labels=LONG_LABELS, result_mode="give", may_be_empty=False, **changes)
    draft = samples.draft([[1, 3]], [[5, 7]], [[9, 12]])
    return Fake(
        [work(1, samples.instance("long", *segments), result={"kind": "label", "given": None}, draft=draft)], rules
    )


def answers() -> Fake:
    fake = labels(result_kind="answer")
    fake.works[0]["result"] = {"kind": "answer", "given": None, "mode": "give"}
    return fake


@pytest.mark.parametrize(("viewport", "hand"), WINDOWS)
@pytest.mark.parametrize("make", [labels, answers])
def test_the_bar_leaves_two_thirds_of_the_window_to_the_text(
    panel_in: Open, make: Callable[[], Fake], viewport: dict[str, int], hand: dict[str, bool]
) -> None:
    shown = panel_in(make(), viewport=viewport, **hand)
    # The stand-in page has a side bar that stays and a broad margin; the real one folds it away in such windows.
    shown.page.evaluate(
        "() => { document.getElementById('side').style.display = 'none'; document.getElementById('block').style.padding = '16px 20px'; }"
    )
    shown.page.evaluate("document.getElementById('scroller').scrollTop = 900")
    expect(shown.page.locator(".asked-line")).to_be_visible()
    window = shown.page.evaluate(_WINDOW)
    assert window["upper"] <= window["height"] / 3
    assert window["wide"] <= window["right"] + 1
    assert window["over"] == []


def test_labels_that_do_not_fit_into_a_low_window_come_as_a_list_with_all_of_them(panel_in: Open) -> None:
    shown = panel_in(labels(), viewport={"width": 640, "height": 360})
    choice = shown.page.get_by_role("combobox", name="Label")
    assert choice.locator("option").all_inner_texts() == ["Choose a label", *LONG_LABELS]
    choice.select_option(LONG_LABELS[1])
    assert shown.saved()["result"] == LONG_LABELS[1]
    shown.page.set_viewport_size({"width": 1280, "height": 720})
    expect(shown.page.get_by_role("radio", name=LONG_LABELS[1])).to_have_attribute("aria-checked", "true")


def test_the_table_of_sets_takes_no_room_that_the_text_needs(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.many(80))]))
    shown.page.evaluate("document.getElementById('block').style.width = '1190px'")  # 1920 pixels beside open guidelines
    text, table = shown.page.locator(".text").bounding_box(), shown.page.locator(".aside").bounding_box()
    assert text
    assert table
    assert (text["width"], text["x"] + text["width"] <= table["x"]) == (760, True)


@pytest.mark.parametrize("n_sets", [2, 3])
def test_beside_open_guidelines_no_chip_of_a_set_is_cut(panel_in: Open, n_sets: int) -> None:
    draft = samples.draft(*([[10 * n, 10 * n + 9]] for n in range(n_sets)))
    fake = Fake([work(1, samples.instance("many", samples.many(80)["segments"][0]), draft=draft)])
    shown = panel_in(fake, viewport={"width": 1280, "height": 720})
    shown.page.evaluate("document.getElementById('block').style.width = '654px'")  # so wide is the panel there
    chips = shown.page.locator(".sets .chip")
    expect(chips).to_have_count(n_sets)
    cut = shown.page.evaluate(
        """() => { const row = shadow.querySelector(".sets").getBoundingClientRect();
        return [...shadow.querySelectorAll(".sets .chip")].map((chip) => chip.getBoundingClientRect())
          .filter((box) => box.left < row.left - 1 || box.right > row.right + 1).length; }"""
    )
    assert (shown.page.evaluate("shadow.querySelector('.panel').clientWidth"), cut) == (654, 0)


def letters(shown: PanelPage) -> tuple[float, float]:
    """The size of the letters and the height of a line, in pixels."""
    size, line = shown.page.locator(".segment-text").first.evaluate(
        "one => [getComputedStyle(one).fontSize, getComputedStyle(one).lineHeight].map(parseFloat)"
    )
    return size, line


def test_plus_and_minus_change_the_letters_and_this_browser_remembers_them(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    usual = letters(shown)
    shown.keys("+", "+", "+", "-")
    assert letters(shown) == (pytest.approx(usual[0] * 1.2), pytest.approx(usual[1] * 1.2))
    assert shown.page.locator(".live").inner_text() == "text size 120 %, line spacing 100 %"
    shown.open()
    assert letters(shown)[0] == pytest.approx(usual[0] * 1.2)


def test_text_size_and_line_spacing_have_buttons_that_show_what_they_do_at_once(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    usual = letters(shown)
    more = shown.page.locator(".menu summary")
    more.press("Enter")
    expect(shown.page.get_by_role("button", name="Keys")).to_be_visible()
    shown.page.keyboard.press("Escape")
    expect(more).to_be_focused()
    expect(shown.page.get_by_role("button", name="Keys")).to_be_hidden()
    more.press("Enter")
    shown.page.get_by_role("button", name="Text size and line spacing").click()
    expect(shown.page.get_by_role("button", name="Keys")).to_be_hidden()
    shown.page.get_by_role("button", name="Line spacing: more").click()
    shown.page.get_by_role("button", name="Text size: less").click()
    assert letters(shown) == (pytest.approx(usual[0] * 0.9), pytest.approx(usual[1] * 0.9 * 1.1))
    assert shown.page.locator(".reading-value").all_inner_texts() == ["90 %", "110 %"]
    shown.page.get_by_role("button", name="As usual").click()
    assert letters(shown) == usual


def test_a_setting_that_cannot_be_is_not_taken_from_the_browser(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    usual = letters(shown)
    for kept in ("{", '{"size": 40, "space": "wide"}', "null"):
        shown.page.evaluate("(kept) => localStorage.setItem('annotator:reading', kept)", kept)
        shown.open()
        assert usual[0] <= letters(shown)[0] < usual[0] * 2.5


# The character that begins the first whole line below the bar, and how far below the bar it stands.
FIRST_LINE = """() => { const line = (shadow.querySelector('.asked-line:not([hidden])') ?? shadow.querySelector('.bar')).getBoundingClientRect().bottom;
        let char = 0; const range = document.createRange();
        const walker = document.createTreeWalker(shadow.querySelector('.segment-text'), NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          for (let at = 0; at < node.length; at += 1) {
            range.setStart(node, at); range.setEnd(node, at + 1);
            const box = range.getClientRects()[0];
            if (box && box.width && box.top >= line) return [char + at, box.top - line];
          }
          char += node.length;
        } }"""


def test_other_letters_keep_the_place_where_one_reads(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.many(2500))]))
    shown.page.evaluate("document.getElementById('scroller').scrollTop = 4000")
    # What comes into sight is laid out in the frames that follow; before that lines stand where they were guessed to be.
    shown.page.evaluate("async () => { for (let n = 0; n < 12; n += 1) await new Promise(requestAnimationFrame); }")
    before, _ = shown.page.evaluate(FIRST_LINE)
    usual = letters(shown)[0]
    shown.keys("+", "+", "+")
    assert letters(shown)[0] > usual
    # The same line, or one beside it: its place is held for some frames while the text is laid out.
    shown.page.wait_for_function(
        f"(before) => {{ const [after, away] = ({FIRST_LINE})(); return Math.abs(after - before) < 200 && away < 80; }}",
        arg=before,
    )


def test_marking_with_other_letters_hits_the_words_under_the_pointer(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    shown.keys("+", "+", "+", "+", "+", "+")
    shown.drag(1, 3)
    assert shown.sets() == [[[1, 4]]]


def test_a_reviewer_has_the_same_letters(review: Callable[..., ReviewPage]) -> None:
    shown = review(ReviewFake([review_harness.review(1, samples.english(), [[1, 3]])]))
    usual = letters(shown)
    shown.keys("+")
    assert letters(shown)[0] == pytest.approx(usual[0] * 1.1)


def test_a_long_key_and_its_round_end_before_the_first_button(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english("nli-dev-16-hypothesis-second"), round=2)]))
    key, button = (
        shown.page.locator(css).first.bounding_box() for css in (".where .instance-key", ".head-buttons .button")
    )
    assert key is not None
    assert button is not None
    assert key["x"] + key["width"] <= button["x"]


# Long texts: the question stays in sight, one finds the marks again, and a map shows where they lie.

CLAIM = "Does the evening train still cross the narrow bridge when the river carries the ice down from the hills, and who hums?"


def long(*sets: list[list[int]], tokens: int = 5000, claim: str | None = CLAIM, **changes: Any) -> Fake:
    segment = samples.many(tokens)["segments"][0]
    asked = [] if claim is None else [samples.segment(claim, "query", "Query", selectable=False)]
    return Fake([work(1, samples.instance("long", segment, *asked), draft=samples.draft(*sets))], project(**changes))


def scroll(shown: PanelPage, pixels: int) -> None:
    """To a place of the page, and until what follows from it has been drawn."""
    shown.page.evaluate(
        """(pixels) => { document.getElementById('scroller').scrollTop = pixels;
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))); }""",
        pixels,
    )


def top(shown: PanelPage) -> float:
    return float(shown.page.evaluate("document.getElementById('scroller').scrollTop"))


# Whether a token lies in the part of the window where text can be read.
IN_SIGHT = """(token) => { const source = instances[shownKey()].segments[0]; let start = source.starts[token];
    const walker = document.createTreeWalker(shadow.querySelector('.segment-text[data-segment="0"]'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (start < node.length) {
        const range = document.createRange(); range.setStart(node, start); range.setEnd(node, start + 1);
        const box = range.getBoundingClientRect(), asked = shadow.querySelector('.asked-line:not([hidden])');
        const upper = (asked ?? shadow.querySelector('.bar')).getBoundingClientRect().bottom;
        return box.top >= upper && box.bottom <= innerHeight;
      }
      start -= node.length;
    } }"""


def in_sight(shown: PanelPage, token: int) -> bool:
    return bool(shown.page.evaluate(IN_SIGHT, token))


def arrives(shown: PanelPage, *tokens: int) -> None:
    """Waits until a jump has brought one of these tokens into sight."""
    shown.page.wait_for_function(f"(tokens) => tokens.some({IN_SIGHT})", arg=list(tokens))


def test_the_claim_comes_into_one_line_when_it_has_scrolled_away(panel: Open) -> None:
    shown = panel(long())
    asked = shown.page.locator(".asked-line")
    expect(asked).to_be_hidden()
    bar = shown.page.locator(".bar").bounding_box()
    scroll(shown, 1500)
    expect(asked).to_be_visible()
    assert asked.inner_text().startswith("Query")
    assert CLAIM in (asked.locator(".asked-words").text_content() or "")
    box, here = asked.bounding_box(), shown.page.locator(".bar").bounding_box()
    assert box
    assert bar
    assert here
    assert box["height"] < 36
    shown.page.locator(".asked-words").evaluate("(words) => (words.textContent = words.textContent.repeat(9))")
    key = asked.locator("kbd").bounding_box()
    assert key
    assert key["x"] + key["width"] <= here["x"] + here["width"]
    assert here["height"] == bar["height"]
    scroll(shown, 0)
    expect(asked).to_be_hidden()


def test_the_claim_unfolds_by_key_and_by_click_without_moving_the_text(panel: Open) -> None:
    shown = panel(long())
    scroll(shown, 1500)
    asked = shown.page.locator(".asked-line")
    folded, before = asked.bounding_box(), top(shown)
    shown.keys("f")
    unfolded = asked.bounding_box()
    assert folded
    assert unfolded
    assert unfolded["height"] > folded["height"] + 15
    assert "Which tokens support “positive”?" in asked.inner_text()
    assert top(shown) == before
    asked.click()
    assert asked.bounding_box() == folded


def test_where_nothing_is_asked_in_the_text_the_projects_question_stays(panel: Open) -> None:
    shown = panel(long(claim=None, result_mode="contest"))
    scroll(shown, 1500)
    expect(shown.page.locator(".asked-line")).to_contain_text("Which tokens support “positive”?")
    shown.keys("l")
    expect(shown.page.locator(".asked-line")).to_contain_text("Which tokens support “negative”?")


def test_in_a_short_text_no_line_is_taken_from_it(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.reading())]))
    scroll(shown, 40)
    expect(shown.page.locator(".asked-line")).to_be_hidden()


def test_a_reviewer_keeps_the_claim_in_sight_too(review: Callable[..., ReviewPage]) -> None:
    fake = long()
    shown = review(ReviewFake([review_harness.review(1, fake.works[0]["instance"], [[4, 6]])]))
    scroll(shown, 1500)
    expect(shown.page.locator(".asked-line")).to_be_visible()
    shown.keys("f")
    assert CLAIM in shown.text(".asked-line")


def test_brackets_go_to_the_next_mark_and_to_the_one_before_across_all_sets(panel: Open) -> None:
    shown = panel(long([[3, 5], [4200, 4210]], [[2000, 2004]]))
    said = shown.page.locator(".live")
    for token, words in ((3, "mark 1 of 3"), (2000, "mark 2 of 3"), (4200, "mark 3 of 3"), (3, "mark 1 of 3")):
        shown.keys("]")
        arrives(shown, token)
        assert words in said.inner_text()
    shown.keys("[")
    arrives(shown, 4200)
    shown.keys("[")
    arrives(shown, 2000)
    assert said.inner_text().startswith("set B, 4 tokens: “")


def test_the_next_mark_is_looked_for_from_where_one_reads(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[2000, 2004]], [[4200, 4210]]))
    scroll(shown, 3000)
    shown.keys("]")
    arrives(shown, 2000)


def test_with_one_set_alone_the_brackets_stay_within_it(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[2000, 2004]], [[4200, 4210]]))
    shown.keys("3", "o", "]")
    arrives(shown, 4200)


@pytest.mark.parametrize(
    "pressed",
    [
        {"key": "]", "code": "Digit9", "ctrlKey": True, "altKey": True},  # AltGr as Windows reports it
        {"key": "د", "code": "BracketRight"},  # an Arabic layout
    ],
)
def test_brackets_are_found_on_keyboards_that_write_them_otherwise(panel: Open, pressed: dict[str, Any]) -> None:
    shown = panel(long([[2000, 2004]]))
    shown.page.evaluate(
        """(pressed) => shadow.querySelector('.text').dispatchEvent(
        new KeyboardEvent('keydown', { ...pressed, bubbles: true, composed: true, cancelable: true }))""",
        pressed,
    )
    arrives(shown, 2000)


def test_a_click_on_a_set_chooses_it_and_goes_to_its_place_and_another_click_goes_back(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[4200, 4210]]))
    scroll(shown, 6000)
    chip = shown.page.get_by_role("radio", name="Set B")
    chip.click()
    arrives(shown, 4200)
    expect(chip).to_have_attribute("aria-checked", "true")
    chip.click()
    assert abs(top(shown) - 6000) < 3
    expect(chip).to_have_attribute("aria-checked", "true")


def test_a_set_in_sight_and_a_key_leave_the_text_where_it_is(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[4200, 4210]]))
    shown.page.get_by_role("radio", name="Set A").click()
    shown.keys("2")
    assert top(shown) == 0


def test_b_goes_back_to_where_one_was_reading(panel: Open) -> None:
    shown = panel(long([[4200, 4210], [4900, 4902]]))
    scroll(shown, 3000)
    shown.keys("]")
    arrives(shown, 4200)
    shown.keys("]")
    arrives(shown, 4900)
    shown.keys("b")
    assert abs(top(shown) - 3000) < 3


# How many pixels of a colour the map has, and how far down their middle lies (0 to 1).
_DRAWN = """(hex) => {
  const canvas = shadow.querySelector('.map-marks'), { width, height } = canvas;
  if (!width || shadow.querySelector('.map-track').hidden) return [0, 0];
  const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  let count = 0, sum = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (wanted.every((part, place) => Math.abs(part - data[at + place]) < 3) && data[at + 3] === 255) {
      count += 1; sum += Math.floor(at / 4 / width);
    }
  }
  return [count, count ? sum / count / height : 0];
}"""
BLUE, ORANGE = "#1A5FE0", "#C84B00"


def drawn(shown: PanelPage, color: str) -> float:
    """Where in the map a set's marks lie, once they are drawn."""
    shown.page.wait_for_function(f"(hex) => ({_DRAWN})(hex)[0] > 0", arg=color)
    return float(shown.page.evaluate(_DRAWN, color)[1])


@pytest.mark.parametrize("tokens", [5_000, 50_000])
def test_the_map_shows_where_each_set_lies_in_its_colour(panel: Open, tokens: int) -> None:
    half, end = tokens // 2, tokens - 20
    shown = panel(long([[half, half + 5]], [[end, end + 5]], tokens=tokens))
    assert abs(drawn(shown, BLUE) - 0.5) < 0.02
    assert drawn(shown, ORANGE) > 0.97


def test_a_new_mark_comes_into_the_map_and_goes_with_undo(panel: Open) -> None:
    shown = panel(long())
    shown.click(3)
    assert drawn(shown, BLUE) < 0.05
    shown.keys("Control+z")
    shown.page.wait_for_function(f"(hex) => ({_DRAWN})(hex)[0] === 0", arg=BLUE)


def test_a_click_on_the_map_goes_to_the_mark_there_and_elsewhere_to_that_part_of_the_text(panel: Open) -> None:
    shown = panel(long([[2500, 2503]]))
    for place, tokens in ((drawn(shown, BLUE), [2500]), (0.9, range(4400, 4600, 50))):
        box = shown.page.locator(".map").bounding_box()
        assert box
        shown.page.mouse.click(box["x"] + 5, box["y"] + box["height"] * place)
        arrives(shown, *tokens)


def test_a_short_text_has_no_map(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english(), draft=samples.draft([[1, 3]]))]))
    shown.page.evaluate("new Promise((done) => requestIdleCallback(() => setTimeout(done, 50)))")
    expect(shown.page.locator(".map-track")).to_be_hidden()


def test_a_short_text_far_down_on_a_page_has_no_map_either(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english(), draft=samples.draft([[1, 3]]))]))
    shown.page.evaluate("shadow.host.style.cssText = 'display: block; margin-top: 640px; width: 900px'")
    shown.page.evaluate("new Promise((done) => setTimeout(done, 500))")
    expect(shown.page.locator(".map-track")).to_be_hidden()


def test_the_map_takes_nothing_from_the_text_and_moves_nothing_when_it_comes(panel: Open) -> None:
    shown = panel(long([[3, 5]]))
    before = shown.page.locator(".segment-text").last.bounding_box()
    drawn(shown, BLUE)
    assert shown.page.locator(".segment-text").last.bounding_box() == before


def test_t_keeps_the_table_of_sets_in_sight_and_lets_it_go(panel: Open) -> None:
    shown = panel(long([[3, 5]]))
    scroll(shown, 1500)
    table = shown.page.locator(".numbers")
    expect(table).not_to_be_in_viewport()
    shown.keys("t")
    expect(table).to_be_in_viewport(ratio=1)
    assert top(shown) == 1500
    expect(shown.page.get_by_role("button", name="Table")).to_have_attribute("aria-pressed", "true")
    shown.keys("Escape")
    expect(table).not_to_be_in_viewport()


def test_the_cursor_stays_above_the_table_that_is_kept_in_sight(panel: Open) -> None:
    shown = panel(long([[3, 5]]))
    shown.keys("t", "ArrowRight", *["ArrowDown"] * 25)
    cursor, table = shown.page.locator(".cursor-box").first.bounding_box(), shown.page.locator(".aside").bounding_box()
    assert cursor
    assert table
    assert cursor["y"] + cursor["height"] <= table["y"]
