"""Scoring a review with the keyboard: the steps, their scales, what is sent, and the way to the next one."""

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
    return ReviewFake(
        [review_of(1, samples.english(), *THREE[:2]), review_of(2, samples.short("second"), [[3, 6]])],
    )


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
    given = shown.page.locator(".ask-given")
    expect(given).to_have_text("A––The whole–")
    shown.keys("3", "3", "3")  # the best, not sure, the best
    expect(shown.page.locator(".given-words")).to_have_text(["can support the result", "not sure", "comprehensive"])
    expect(given.locator(".unsure")).to_have_text(["not sure"])
    expect(shown.page.locator(".score-box.unsure")).to_have_count(1)
    expect(shown.page.locator(".ask-chosen")).to_have_text("comprehensive")
    expect(shown.page.locator(".ask-chosen")).not_to_have_class(re.compile("unsure"))
    shown.keys("k")
    expect(shown.page.locator(".ask-chosen")).to_have_text("not sure")
    expect(shown.page.locator(".ask-chosen")).to_have_class(re.compile("unsure"))
    expect(shown.page.locator(".choice.unsure")).to_have_text(["3not sure"])
    shown.keys("4")
    expect(given.locator(".unsure")).to_have_count(0)


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
    assert hint(shown) == "Set B has no compactness score yet."
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


def test_a_set_that_passed_is_skipped_by_the_steps_and_shows_its_means(review: Open) -> None:
    shown = review(ReviewFake([second_round()]))
    assert shown.step == "B sufficiency score"
    assert shown.text(".ask-where") == "1 / 5"
    assert "passed" in shown.text(".chip[data-set='0']")
    assert "Passed in an earlier round\nsufficiency score 3\ncompactness score 11/3 ≈ 3.67" in shown.card(0).replace(
        "\n\n", "\n"
    )
    shown.page.locator(".chip[data-set='0']").click()
    assert "Set A passed in an earlier round: sufficiency score 3, compactness score 3.67" in shown.said
    assert shown.marks()["current-0"] == [". But the lamb"]
    shown.keys("3")
    assert shown.given()[:2] == ["3", "–"]


def test_without_sets_only_the_whole_is_scored(review: Open) -> None:
    fake = ReviewFake([review_of(1, samples.english())])
    shown = review(fake)
    assert shown.step == "The whole · comprehensiveness score"
    assert shown.text(".ask-question").startswith("No rationale was marked.")
    shown.keys("3", "Control+Enter")
    shown.page.wait_for_selector(".empty:not([hidden])")
    assert fake.named("submit")[0]["scores"] == {"comprehensiveness": 3, "comment": "", "sets": []}
    assert shown.text(".empty").startswith("There is nothing for you to review.")
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
    fake = ReviewFake([decided()], start=31)
    shown = review(fake)
    assert "Returned to the annotator after round 1." in shown.text(".notice")
    assert (
        "Below the threshold: set B: compactness score; set C: sufficiency score; comprehensiveness score."
        in shown.text(".notice")
    )
    assert "(2 + 3 + 3) / 3 = 8/3 ≈ 2.67 < 3" in shown.card(2)
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
    assert "Accepted in round 1 by Lee." in shown.text(".notice")
    assert "Two reviewers left." in shown.text(".notice")
    assert "sufficiency score, all sets together" in shown.card(3)


def test_my_reviews_lists_what_i_submitted_and_opens_it(review: Open, fake: ReviewFake) -> None:
    fake.works[1].update(state="submitted", scores=scores(3, (3, 4)))
    shown = review(fake)
    shown.keys("m")
    shown.page.locator(".mine-row").click()
    shown.shown("second")
    assert "You have submitted this review" in shown.text(".notice")
    shown.page.get_by_role("button", name="Back to work").click()
    shown.shown("sentiment-en-05")


def test_my_reviews_says_what_i_scored_and_is_searched_and_chosen_by_state(review: Open, fake: ReviewFake) -> None:
    fake.works[1].update(state="submitted", scores=scores(3, (3, 4)))
    shown = review(fake)
    shown.keys("m")
    expect(shown.page.locator(".mine-line")).to_have_text(["You: Set A: sufficiency score 3 (can support the result)"])
    expect(shown.page.locator(".mine-facts")).to_contain_text("Not decided yet")
    shown.page.keyboard.type("zebra")
    expect(shown.page.locator(".mine")).to_contain_text("No review matches.")
    shown.page.get_by_label("Search my reviews").fill("")
    expect(shown.page.locator(".mine-row")).to_have_count(1)
    shown.page.get_by_label("State").select_option("accepted")
    expect(shown.page.locator(".mine")).to_contain_text("No review matches.")


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
    assert "nothing has changed" in hint(shown)
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
    assert "give the score, and go to the next missing one" in shown.text("dialog")
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
