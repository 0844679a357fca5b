"""Scoring a review with the keyboard, and the views of its text."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.review_harness import THREE, ReviewFake, ReviewPage, decided, scores, second_round
from tests.browser.panel.review_harness import review as review_of

pytestmark = pytest.mark.browser
Open = Callable[..., ReviewPage]


@pytest.fixture
def fake() -> ReviewFake:
    return ReviewFake([review_of(1, samples.english(), *THREE[:2]), review_of(2, samples.short("second"), [[3, 6]])])


def test_the_last_round_says_what_becomes_of_a_text_that_falls_short(review: Open) -> None:
    last = review_of(1, samples.english(), *THREE[:2], round=3)
    shown = review(ReviewFake([last, review_of(2, samples.short("second"), [[3, 6]])]))
    assert shown.text(".instance-key").endswith(" · last round")
    words = "Last round: below the thresholds the annotation is discarded."
    assert shown.page.locator(".instance-key").get_attribute("title") == words
    shown.keys("s")
    shown.shown("second")
    assert shown.text(".instance-key").endswith("round 1 of 3")


def hint(shown: ReviewPage) -> str:
    return shown.text(".hint:not([hidden])")


def test_each_step_says_what_is_asked_in_the_words_of_the_papers(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    assert shown.step == "A sufficiency score"
    assert shown.text(".ask-question") == "Can positive be inferred from set A alone?"
    assert shown.choices() == ["1 cannot support the result", "2 not sure", "3 can support the result"]
    shown.keys("j")
    assert shown.step == "A compactness score"
    assert shown.choices() == ["1 includes redundant tokens", "2 includes disturbances", "3 not sure", "4 concise"]
    shown.keys("j", "j", "j")
    assert shown.step == "The whole · comprehensiveness score"
    assert shown.choices() == ["1 not comprehensive", "2 not sure", "3 comprehensive"]
    assert shown.text(".ask-where") == "5 / 5"


def test_what_was_given_stands_in_words_and_not_sure_looks_like_no_other_answer(review: Open) -> None:
    shown = review(ReviewFake([review_of(1, samples.english(), THREE[0])]))
    boxes = shown.page.locator(".score-box")
    expect(boxes).to_have_text(["–", "–", "–"])
    shown.keys("3", "3", "3")  # the best, not sure, the best
    expect(boxes).to_have_text(["3", "3", "3"])
    expect(shown.page.locator(".chip").first).to_have_attribute("title", re.compile("can support the result.*not sure"))
    expect(shown.page.locator(".score-box.unsure")).to_have_count(1)
    expect(shown.page.locator(".ask-chosen")).to_have_text("comprehensive")
    expect(shown.page.locator(".ask-chosen")).not_to_have_class(re.compile("unsure"))
    shown.keys("k")
    expect(shown.page.locator(".ask-chosen")).to_have_text("not sure")
    expect(shown.page.locator(".ask-chosen")).to_have_class(re.compile("unsure"))
    expect(shown.page.locator(".choice.unsure")).to_have_text(["3not sure"])
    shown.keys("4")
    expect(shown.page.locator(".score-box.unsure")).to_have_count(0)


def test_nothing_moves_while_scores_are_given(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    where = "() => shadow.querySelector('.text').getBoundingClientRect().top"
    tops = {shown.page.evaluate(where)}
    for key in "34342":
        shown.keys(key)
        tops.add(shown.page.evaluate(where))
    assert len(tops) == 1


def test_a_number_gives_the_score_saves_it_and_goes_to_the_next_one_that_is_missing(
    review: Open, fake: ReviewFake
) -> None:
    shown = review(fake)
    for key, step in (("3", "A compactness score"), ("4", "B sufficiency score"), ("2", "B compactness score")):
        shown.keys(key)
        assert shown.step == step
    assert shown.scores == scores(None, (3, 4), (2, None))
    assert shown.given() == ["3", "4", "2", "–", "–"]
    saves = fake.named("save")
    assert [save["revision"] for save in saves] == list(range(1, len(saves) + 1))
    assert set(saves[0]) == {"review", "revision", "scores", "timing"}
    assert set(saves[0]["timing"]) == {"active_ms", "idle_ms"}


def test_after_the_last_score_the_focus_is_on_submit_and_enter_goes_on(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("3", "4", "3", "4", "3")
    assert shown.page.evaluate("shadow.activeElement.textContent").startswith("Submit")
    assert "All scores are given" in shown.said
    shown.keys("Enter")
    shown.shown("second")
    (sent,) = fake.named("submit")
    assert sent["scores"] == scores(3, (3, 4), (3, 4))
    assert shown.page.evaluate("shadow.activeElement.matches('.text')")
    assert ["progress", {"to_review": 1, "open": 0, "submitted": 1}] in shown.page.evaluate("triggers")


def test_a_scored_step_is_changed_by_another_number_and_taken_back_with_delete(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("3", "k", "1")
    assert shown.step == "A compactness score"
    assert shown.scores["sets"][0]["sufficiency"] == 1
    shown.keys("k", "Delete")
    assert shown.scores["sets"][0]["sufficiency"] is None
    assert shown.step == "A sufficiency score"


def test_a_number_beyond_the_scale_and_a_key_held_down_score_nothing_more(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("4")
    assert hint(shown) == "The sufficiency score is a number from 1 to 3."
    shown.page.keyboard.down("3")
    shown.page.keyboard.down("3")
    shown.page.keyboard.up("3")
    assert shown.scores == scores(None, (3, None), (None, None))


def test_submitting_with_a_missing_score_goes_to_it_and_says_so(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("3", "4", "3", "j", "3", "k", "Control+Enter")
    assert shown.step == "B compactness score"
    assert hint(shown) == "Set B needs a compactness score."
    assert fake.named("submit") == []
    shown.keys("4", "j", "Delete", "Control+Enter")
    assert hint(shown) == "The comprehensiveness score is missing."


def test_comments_of_a_set_and_of_the_whole_are_saved_and_shown_again(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("c")
    shown.page.keyboard.type("The comma, and 3 more.")
    shown.keys("Escape")
    assert shown.page.evaluate("shadow.activeElement.matches('.text')")
    assert shown.scores["sets"][0]["comment"] == "The comma, and 3 more."
    shown.keys("3", "4", "j", "j", "c")
    shown.page.keyboard.type("Bread?")
    assert shown.scores["comment"] == "Bread?"
    assert shown.scores["sets"][0]["sufficiency"] == 3
    shown.open()
    assert shown.page.locator("textarea").first.input_value() == "The comma, and 3 more."
    assert shown.step == "B sufficiency score"


def test_after_a_low_score_the_comment_is_of_what_was_scored(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("3", "2")  # the compactness of A falls short, and B is asked about
    assert shown.step == "B sufficiency score"
    shown.keys("c")
    shown.page.keyboard.type("Drop the comma.")
    shown.keys("Escape", "3")
    assert shown.scores["sets"][0]["comment"] == "Drop the comma."
    assert shown.scores["sets"][1]["sufficiency"] == 3
    shown.keys("j", "c")
    shown.page.keyboard.type("And here.")
    assert shown.scores["comment"] == "And here."


def test_a_set_that_passed_is_skipped_by_the_steps_and_shows_its_means(review: Open) -> None:
    shown = review(ReviewFake([second_round()]))
    assert shown.step == "B sufficiency score"
    assert shown.text(".ask-where") == "1 / 5"
    assert "passed" in shown.text(".chip[data-set='0']")
    assert "Passed earlier: sufficiency score 3, compactness score 11/3 ≈ 3.67" in shown.card(0)
    shown.page.locator(".chip[data-set='0']").click()
    assert "Set A passed earlier: sufficiency 3, compactness 3.67" in shown.said
    assert shown.marks()["current-0"] == [". But the lamb"]
    shown.keys("3")
    assert shown.given()[:2] == ["3", "–"]


def test_without_sets_only_the_whole_is_scored(review: Open) -> None:
    fake = ReviewFake([review_of(1, samples.english())])
    shown = review(fake)
    assert shown.step == "The whole · comprehensiveness score"
    assert shown.text(".ask-question").startswith("Nothing was marked. Does nothing in the text support")
    shown.keys("3", "Control+Enter")
    shown.page.wait_for_selector(".empty:not([hidden])")
    assert fake.named("submit")[0]["scores"] == {"comprehensiveness": 3, "comment": "", "sets": []}
    assert shown.text(".empty").startswith("Nothing to review. Annotations appear here when submitted.")
    assert (shown.text("h1"), shown.text(".question"), shown.text(".instance-key")) == ("Review", "", "")


def test_skip_brings_the_next_one(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("s")
    shown.shown("second")
    assert [body["review"] for body in fake.named("skip")] == [1]


def test_chips_and_scale_work_with_the_mouse(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.page.locator(".chip[data-set='1'] [data-property=compactness]").click()
    assert shown.step == "B compactness score"
    shown.page.get_by_role("radio", name="3 not sure").click()
    assert shown.step == "The whole · comprehensiveness score"
    shown.page.locator(".chip[data-set='1']").click(position={"x": 4, "y": 4})
    assert shown.step == "B sufficiency score"
    assert shown.scores == scores(None, (None, None), (None, 3))
    # Space still scrolls: it does not press the score that was clicked.
    shown.page.get_by_role("radio", name="2 not sure").click()
    shown.keys("Space")
    assert shown.scores == scores(None, (None, None), (2, 3))


def test_a_decided_round_shows_the_gates_arithmetic_and_takes_no_scores(review: Open) -> None:
    work = decided()
    work["scores"]["sets"][0]["comment"] = "more than I'd need"
    fake = ReviewFake([work], start=31)
    shown = review(fake)
    assert "Round 1: returned." in shown.text(".notice")
    assert (
        "Below the threshold: set B: compactness score; set C: sufficiency score; comprehensiveness score."
        in shown.text(".notice")
    )
    assert "(2 + 3 + 3) / 3 = 8/3 ≈ 2.67 < 3" in shown.card(2)
    assert "A reviewer: too long" in shown.card(1)
    assert "A reviewer" not in shown.card(0)
    assert "You: more than I'd need" in shown.card(0)
    assert not shown.page.locator(".note").first.is_visible(), "nothing that looks like a field takes words in vain"
    assert "(4 + 4 + 3) / 3 = 11/3 ≈ 3.67 ≥ 3.6" in shown.card(0)
    assert "comprehensiveness score\nfails\n(2 + 2 + 3) / 3 = 7/3 ≈ 2.33 < 2.6" in shown.card(3).replace("\n\n", "\n")
    shown.keys("1")
    assert "decided" in hint(shown)
    assert shown.given() == ["3", "4", "3", "3", "2", "4", "2"]
    assert fake.messages == []
    assert not shown.page.get_by_role("button", name="Submit").is_visible()


def test_pooled_means_stand_with_the_whole(review: Open) -> None:
    work = decided()
    work["decision"] = {
        "outcome": "accepted",
        "by": "Lee",
        "reason": "Two reviewers left.",
        "findings": [
            {"property": "sufficiency", "set": None, "scores": [3, 3], "mean": "3", "threshold": "3", "passes": True}
        ],
    }
    shown = review(ReviewFake([work], start=31))
    assert "Round 1: accepted by Lee." in shown.text(".notice")
    assert "Two reviewers left." in shown.text(".notice")
    assert "sufficiency score, all sets together" in shown.card(3)


def test_my_reviews_lists_what_i_submitted_and_opens_it(review: Open, fake: ReviewFake) -> None:
    fake.works[1].update(state="submitted", scores=scores(3, (3, 4)))
    shown = review(fake)
    shown.keys("m")
    shown.page.locator(".mine-row").click()
    shown.shown("second")
    assert "Submitted. You can change scores until the round is decided." in shown.text(".notice")
    shown.page.get_by_role("button", name="Back to work").click()
    shown.shown("sentiment-en-05")


def test_my_reviews_says_what_i_scored_and_is_searched_and_chosen_by_state(review: Open, fake: ReviewFake) -> None:
    fake.works[1].update(state="submitted", scores=scores(3, (3, 4)))
    shown = review(fake)
    shown.keys("m")
    expect(shown.page.locator(".mine-line")).to_have_text(["You: Set A: sufficiency score 3 (can support the result)"])
    expect(shown.page.locator(".mine-facts")).to_contain_text("Not decided yet")
    shown.page.keyboard.type("zebra")
    expect(shown.page.locator(".mine")).to_contain_text("Nothing found. Change the search or filters.")
    shown.page.get_by_label("Search by words or ID").fill("")
    expect(shown.page.locator(".mine-row")).to_have_count(1)
    shown.page.get_by_label("State").select_option("accepted")
    expect(shown.page.locator(".mine")).to_contain_text("Nothing found. Change the search or filters.")


def test_a_key_that_a_machine_made_names_no_review(review: Open, fake: ReviewFake) -> None:
    key = "9a0364b9e99bb480dd25e1f0284c8555"
    fake.works[0]["instance"]["key"] = key
    shown = review(fake)
    expect(shown.page.locator("h1")).to_have_text(re.compile("^Review: .*…$"))
    expect(shown.page).not_to_have_title(re.compile(key))
    assert key not in shown.text(".live")
    assert key not in shown.text(".panel")


def test_a_submitted_review_is_changed_by_submitting_again(review: Open, fake: ReviewFake) -> None:
    fake.works[1].update(state="submitted", scores=scores(3, (3, 4)))
    fake.start = 32
    shown = review(fake)
    shown.keys("Control+Enter")
    assert "This review is submitted, unchanged" in hint(shown)
    shown.keys("2")
    assert shown.text(".word") == "changed – submit sends it"
    shown.keys("m")
    shown.page.locator(".mine-row").click()
    shown.page.keyboard.press("Escape")
    assert fake.named("save") == []
    shown.keys("Control+Enter")
    shown.shown("sentiment-en-05")
    assert fake.find(2)["scores"] == scores(3, (2, 4))


def test_the_change_of_a_submitted_review_can_be_taken_back(review: Open, fake: ReviewFake) -> None:
    fake.works[1].update(state="submitted", scores=scores(3, (3, 4)))
    fake.start = 32
    shown = review(fake)
    shown.keys("1")
    shown.open()
    assert shown.given()[0] == "1"  # a reload keeps the change, and still does not send it
    assert fake.messages == []
    shown.page.get_by_role("button", name="Undo the change").click()
    assert shown.given()[0] == "3"
    assert shown.scores == scores(3, (3, 4))


def test_an_annotation_of_a_deep_link_is_opened(review: Open, fake: ReviewFake) -> None:
    fake.start = 32
    shown = review(fake)
    assert shown.key == "second"
    shown.page.evaluate("mount({ start: 31 })")
    shown.shown("sentiment-en-05")


def test_guidelines_and_the_list_of_keys(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("g")
    assert shown.page.evaluate("document.documentElement.dataset.guidelines") == "open"
    shown.keys("Shift+G", "g")
    assert shown.page.evaluate("document.documentElement.dataset.guidelines") is None
    shown.keys("?")
    assert "Score and go to the next missing one" in shown.text("dialog")
    shown.keys("3", "Escape")
    assert shown.step == "A sufficiency score"
    fake.project["has_guidelines"] = False
    shown.open()
    assert not shown.page.get_by_role("button", name="Guidelines").is_visible()


def test_a_question_to_the_lead_is_one_key_away(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("q")
    shown.page.locator("dialog textarea").fill("Does 3 in a row count?")
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".comment-text")
    assert fake.named("begin")[0]["instance"] == 101
    shown.keys("Escape", "3")
    assert shown.scores == scores(None, (3, None), (None, None))


# The views of a review's text: the set alone, less one token, without the sets, and what changed since the round before.


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
    assert shown.view == "Without the sets"
    assert set(shown.marks()) == {"hidden-0", "hidden-1", "hidden-2"}
    assert not is_faded(shown)
    shown.keys("x")
    assert shown.view == "All sets"
    shown.keys("o")
    assert "This score is about all sets" in shown.text(".hint:not([hidden])")
    assert shown.view == "All sets"


def test_every_view_can_be_had_in_a_step_of_a_set_and_escape_shows_all(shown: ReviewPage) -> None:
    for key, view in (("t", "Less one token"), ("x", "Without the sets"), ("o", "Set alone"), ("Escape", "All sets")):
        shown.keys(key)
        assert shown.view == view
    shown.keys("p")
    assert "First round" in shown.text(".hint:not([hidden])")
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
    assert "Set B (gone): “The soup says the opposite.”" in shown.card(3)
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
