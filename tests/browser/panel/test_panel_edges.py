"""Other scripts, other hands, other windows: right-to-left texts, fingers, 200 %, tablets, and one's own size of the letters."""

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
    shown.page.get_by_role("button", name="Text size and line spacing").click()
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
