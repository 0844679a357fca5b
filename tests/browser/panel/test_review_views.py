"""The views of a review's text: the set alone, less one token, without the sets, and what changed since the round before."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.review_harness import THREE, ReviewFake, ReviewPage, second_round
from tests.browser.panel.review_harness import review as review_of

pytestmark = pytest.mark.browser
Open = Callable[..., ReviewPage]


@pytest.fixture
def shown(review: Open) -> ReviewPage:
    return review(ReviewFake([review_of(1, samples.english(), *THREE)]))


def is_faded(shown: ReviewPage) -> bool:
    return bool(shown.page.locator(".text.faded").count())


# Whether a token lies below the bar and within the window.
IN_SIGHT = """(token) => { const { starts } = instances[shownKey()].segments[0]; const range = document.createRange();
    const walker = document.createTreeWalker(shadow.querySelector('.segment-text'), NodeFilter.SHOW_TEXT);
    let at = starts[token]; for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (at < node.length) { range.setStart(node, at); range.setEnd(node, at + 1); break; } at -= node.length; }
    const box = range.getBoundingClientRect();
    return box.top >= shadow.querySelector('.bar').getBoundingClientRect().bottom && box.bottom <= innerHeight; }"""


def comes_into_sight(shown: ReviewPage, token: int) -> None:
    shown.page.wait_for_function(IN_SIGHT, arg=token)


def test_sufficiency_is_scored_with_the_set_alone(shown: ReviewPage) -> None:
    assert shown.view == "Set alone"
    assert is_faded(shown)
    assert shown.marks()["alone-0"] == [". But the lamb"]
    assert {"away-1", "away-2"} <= set(shown.marks())
    shown.keys("o")
    assert shown.view == "All sets"
    assert not is_faded(shown)
    assert set(shown.marks()) == {"current-0", "other-1", "other-2"}


def test_compactness_is_scored_with_one_token_less_and_arrows_take_the_next_one(shown: ReviewPage) -> None:
    shown.keys("j")
    assert shown.view == "Less one token"
    assert shown.marks()["out"] == ["."]
    assert shown.marks()["alone-0"] == ["But the lamb"]
    assert shown.text(".stop-words") == "without “\u2068.\u2069” 1 of 4"
    shown.keys("ArrowRight", "ArrowRight")
    assert shown.marks()["out"] == ["the"]
    assert shown.marks()["alone-0"] == [". But", "lamb"]
    assert "3 of 4" in shown.text(".stop-words")
    assert "3 of 4" in shown.said
    shown.keys("ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert shown.marks()["out"] == ["lamb"]
    shown.keys("v")
    assert "out" not in shown.marks()


def test_a_click_takes_that_token_out(shown: ReviewPage) -> None:
    shown.keys("j")
    shown.page.mouse.click(*shown.at(14))
    assert shown.marks()["out"] == ["But"]
    shown.page.mouse.click(*shown.at(2))
    assert shown.marks()["out"] == ["But"]
    shown.page.get_by_role("button", name="Next part").click()
    assert shown.marks()["out"] == ["the"]


def test_comprehensiveness_is_scored_without_the_sets(shown: ReviewPage) -> None:
    shown.keys("j", "j", "j", "j", "j", "j")
    assert shown.view == "Without sets"
    assert set(shown.marks()) == {"hidden-0", "hidden-1", "hidden-2"}
    assert not is_faded(shown)
    shown.keys("x")
    assert shown.view == "All sets"
    shown.keys("o")
    assert "This score is about all sets" in shown.text(".hint:not([hidden])")
    assert shown.view == "All sets"


def test_every_view_can_be_had_in_a_step_of_a_set_and_escape_shows_all(shown: ReviewPage) -> None:
    for key, view in (("t", "Less one token"), ("x", "Without sets"), ("o", "Set alone"), ("Escape", "All sets")):
        shown.keys(key)
        assert shown.view == view
    shown.keys("p")
    assert "first round" in shown.text(".hint:not([hidden])")
    assert not shown.page.get_by_role("button", name="Changes").is_visible()


def test_views_leave_every_letter_in_its_place(shown: ReviewPage) -> None:
    before = [shown.box(token) for token in (0, 13, 20, 46)]
    for key in ("v", "t", "x", "o"):
        shown.keys(key)
        assert [shown.box(token) for token in (0, 13, 20, 46)] == before


def test_the_text_stays_in_its_place_from_step_to_step(shown: ReviewPage) -> None:
    before = shown.box(0)
    for _ in range(6):
        shown.keys("j")
        assert shown.box(0) == before


def test_the_difference_to_the_round_before_is_shown_token_by_token(review: Open) -> None:
    shown = review(ReviewFake([second_round()]))
    shown.keys("p")
    assert shown.view == "Changes"
    assert shown.marks()["added"] == ["."]
    assert shown.marks()["gone"] == ["some bite"]
    assert shown.page.locator(".legend > span").all_inner_texts() == ["1 added", "2 removed"]
    shown.keys("j", "j", "p")
    assert shown.step == "C sufficiency score"
    assert shown.text(".legend").split("\n") == ["a new set:", "11 added"]
    assert shown.marks()["added"] == ["lamb was tender, the", "would come back for the bread"]
    shown.keys("j", "j", "p")
    assert shown.marks()["gone"] == ["arrived lukewarm", "some bite"]
    shown.keys("p")
    assert "added" not in shown.marks()


def test_why_it_was_returned_stands_with_the_set_it_is_about(review: Open) -> None:
    shown = review(ReviewFake([second_round()]))
    assert "Compactness score: 2 × not sure, 1 × concise." in shown.card(1)
    assert "“The comma adds nothing.”" in shown.card(1)
    assert "Comprehensiveness score: 2 × not sure, 1 × comprehensive." in shown.card(3)
    assert "Set B, which is gone: “The soup says the opposite.”" in shown.card(3)
    assert "Round 1" not in shown.card(2)
    assert shown.text(".instance-key").endswith("round 2 of 3")


def test_pointing_at_a_set_dims_the_others(shown: ReviewPage) -> None:
    shown.keys("v")
    shown.page.locator(".chip[data-set='1']").hover()
    assert set(shown.marks()) == {"dim-0", "current-1", "dim-2"}
    shown.page.mouse.move(5, 5)
    assert set(shown.marks()) == {"current-0", "other-1", "other-2"}


def test_arrows_follow_the_direction_of_the_text(review: Open) -> None:
    arabic = samples.instance("ar", samples.segment(samples.ARABIC), language="ar", direction="rtl")
    shown = review(ReviewFake([review_of(1, arabic, [[2, 4], [5, 6]])]))
    shown.keys("j", "ArrowLeft")
    assert "2 of 3" in shown.text(".stop-words")


def test_tokens_are_taken_out_in_reading_order(review: Open) -> None:
    instance = samples.reading()
    title = len(instance["segments"][0]["starts"])
    shown = review(ReviewFake([review_of(1, instance, [[0, 1], [title, title + 1]])]))
    shown.keys("j")
    assert shown.box(0, segment=1)[1] < shown.box(0)[1]
    shown.keys("ArrowRight")
    assert "2 of 2" in shown.text(".stop-words")
    assert shown.marks()["alone-0"] == ["The"]


def test_in_a_long_text_the_set_comes_into_sight_and_the_question_stays(review: Open) -> None:
    work = review_of(1, samples.many(5000), [[3, 9], [2040, 2044], [4800, 4810]], [[3000, 3010]])
    shown = review(ReviewFake([work]))
    comes_into_sight(shown, 3)
    for key, token in (("ArrowRight", 3), ("ArrowRight", 2040), ("ArrowRight", 4800)):
        shown.keys(key)
        comes_into_sight(shown, token)
        assert shown.page.locator(".scale").bounding_box()["y"] >= 0  # type: ignore[index]
    shown.keys("j", "j")
    comes_into_sight(shown, 3000)
    expect(shown.page.locator(".ask-question")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(640, 360), (1280, 720), (1920, 1080)])
def test_nothing_is_cut_off_sideways_and_the_scale_stays_in_view(review: Open, width: int, height: int) -> None:
    sets = [[[start, start + 5]] for start in range(100, 1000, 100)]
    shown = review(ReviewFake([review_of(1, samples.many(2000), *sets)]))
    try:
        shown.page.set_viewport_size({"width": width, "height": height})
        shown.page.evaluate("document.getElementById('side').style.display = 'none'")
        for _ in range(3):
            shown.keys("3")
        expect(shown.page.locator(".ask-where")).to_have_text("4 / 19")
        shown.page.wait_for_function(
            """(height) => { const scroller = document.getElementById('scroller');
                const boxes = ['.ask-question', '.choice'].map((name) => shadow.querySelector(name).getBoundingClientRect());
                return scroller.scrollWidth <= scroller.clientWidth
                  && boxes.every(({ top, bottom }) => top >= 0 && bottom <= height / 2); }""",
            arg=height,
        )
    finally:
        shown.page.set_viewport_size({"width": 1280, "height": 720})


def test_the_card_of_the_step_is_in_sight_with_its_comment(review: Open) -> None:
    sets = [[[start, start + 12]] for start in range(9)]
    shown = review(ReviewFake([review_of(1, samples.english(), *sets)]))
    for _ in range(7):
        comment = shown.page.locator(".card.current textarea").bounding_box()
        assert comment is not None
        assert comment["y"] + comment["height"] <= 720
        assert comment["y"] >= shown.page.locator(".bar").bounding_box()["height"]  # type: ignore[index]
        shown.keys("j", "j", "j")
    assert shown.step == "The whole · comprehensiveness score"


def test_text_that_means_harm_stays_text(review: Open) -> None:
    harm = "<img src=x onerror=alert(1)> is fine"
    work = review_of(1, samples.short("<b>key</b>", harm), [[0, 3]], result="<i>p</i>", note="<u>n</u>", round=2)
    work["previous"] = {"round": 1, "sets": [[[0, 1]]], "lines": ["<s>l</s>"], "set_lines": {"0": ["<s>m</s>"]}}
    work["sets"][0]["previous"] = 0
    shown = review(ReviewFake([work]))
    assert shown.page.locator("img, .panel b b, .panel i:not(.probe), .panel u, .panel s").count() == 0
    assert "<i>p</i>" in shown.text(".ask-question")
    assert "<s>m</s>" in shown.card(0)


def test_the_step_is_told_to_screen_readers(shown: ReviewPage) -> None:
    assert shown.said.startswith("Review of sentiment-en-05, round 1, 3 sets. Step 1 of 7: sufficiency score of set A.")
    assert ". But the lamb" in shown.said
    shown.keys("3")
    assert shown.said.startswith("3, can support the result. Step 2 of 7: compactness score of set A.")
    scale = shown.page.get_by_role("radiogroup", name="compactness score of set A")
    assert scale.get_by_role("radio").count() == 4
    assert shown.page.get_by_role(
        "radio", name="Set A, 4 tokens, sufficiency score 3 (can support the result), compactness score missing"
    ).count()


def test_keys_reach_streamlit_from_nowhere_on_the_screen(shown: ReviewPage) -> None:
    shown.keys("r", "c", "r", "Escape", "z")
    assert shown.page.evaluate("window.leaked || []") == []


def test_the_screen_goes_away_without_a_trace(shown: ReviewPage) -> None:
    shown.page.evaluate("mounted[0]()")
    assert shown.page.locator(".panel").count() == 0
    assert shown.page.evaluate("CSS.highlights.size") == 0
