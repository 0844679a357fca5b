"""Scores on their way: none is lost, none is overwritten silently, whatever the connection, other tabs and leases do."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.review_harness import ReviewFake, ReviewPage, scores
from tests.browser.panel.review_harness import review as review_of

pytestmark = pytest.mark.browser
Open = Callable[..., ReviewPage]
OVER = "This annotation isn't under review any more."


@pytest.fixture
def fake() -> ReviewFake:
    return ReviewFake([review_of(1, samples.english(), [[13, 17]]), review_of(2, samples.short("second"), [[3, 6]])])


def word(shown: ReviewPage, expected: str) -> None:
    shown.page.wait_for_function("(word) => shadow.querySelector('.word').textContent.startsWith(word)", arg=expected)


def stored(shown: ReviewPage) -> list[str]:
    return list(
        shown.page.evaluate("Object.keys(localStorage).filter((key) => /^annotator:(draft|review):/.test(key))")
    )


def score_offline(shown: ReviewPage, fake: ReviewFake) -> None:
    fake.broken = True
    shown.keys("3")
    word(shown, "offline")
    fake.broken = False


def test_while_one_save_is_on_its_way_only_the_newest_waits(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    gate = fake.hold("save")
    shown.keys("3", "4", "2")
    word(shown, "saving")
    gate.set()
    assert shown.scores == scores(2, (3, 4))
    assert [body["scores"]["comprehensiveness"] for body in fake.named("save")] == [None, 2]


def test_a_lost_connection_keeps_the_scores_here_and_sends_them_when_it_is_back(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.broken = True
    shown.keys("3", "4")
    word(shown, "offline – kept in this browser")
    assert stored(shown) == ["annotator:review:1"]
    fake.broken = False
    shown.page.evaluate("window.dispatchEvent(new Event('online'))")
    assert shown.scores == scores(None, (3, 4))
    word(shown, "saved")


def test_scores_that_the_server_cannot_store_are_kept_here_and_sent_when_it_can(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.refuse["save"] = [(503, {"error": "The disk of 'annotator.db' is full; nothing was stored."})] * 100
    shown.keys("3", "4")
    word(shown, "not stored – kept in this browser")
    assert "is full; nothing was stored." in shown.page.locator(".notice").inner_text()
    assert stored(shown) == ["annotator:review:1"]
    fake.refuse.clear()
    word(shown, "saved")
    assert shown.scores == scores(None, (3, 4))
    assert shown.page.locator(".notice").count() == 0


def test_scores_given_without_connection_survive_a_reload(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    score_offline(shown, fake)
    shown.open()
    assert shown.scores == scores(None, (3, None))
    assert shown.step == "A compactness score"


def test_a_submission_without_connection_waits_and_then_goes_on_by_itself(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.broken = True
    shown.keys("3", "4", "3", "Control+Enter")
    word(shown, "offline")
    assert "kept in this browser" in shown.text(".hint:not([hidden])")
    shown.keys("1")
    fake.broken = False
    shown.page.evaluate("window.dispatchEvent(new Event('online'))")
    shown.shown("second")
    assert fake.find(1)["scores"] == scores(3, (3, 4))
    assert stored(shown) == []


def test_a_submission_cut_off_by_a_reload_is_sent_before_the_next_one_is_asked_for(
    review: Open, fake: ReviewFake
) -> None:
    shown = review(fake)
    fake.broken = True
    shown.keys("3", "4", "3", "Control+Enter")
    word(shown, "offline")
    fake.broken = False
    shown.open()
    shown.shown("second")
    assert fake.find(1)["state"] == "submitted"


def test_answers_that_get_lost_are_no_conflict(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.lose_answers = True
    shown.keys("3")
    word(shown, "offline")
    fake.lose_answers = False
    assert shown.scores == scores(None, (3, None))
    assert shown.page.locator(".notice").count() == 0
    shown.keys("4", "3")
    assert shown.scores == scores(3, (3, 4))
    fake.lose_answers = True
    shown.keys("Control+Enter")
    word(shown, "offline")
    fake.lose_answers = False
    shown.shown("second")
    assert stored(shown) == []


def test_two_tabs_cannot_overwrite_each_other_and_mine_may_win(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    other = review(fake, server=shown.server)
    shown.keys("1")
    assert shown.scores == scores(None, (1, None))
    other.keys("3")
    other.page.wait_for_selector(".notice.refused")
    assert "another tab" in other.text(".notice.refused")
    word(other, "not saved")
    other.keys("4", "3", "Control+Enter")
    assert "First decide" in other.text(".hint:not([hidden])")
    other.page.get_by_role("button", name="Keep the version here").click()
    assert other.scores == scores(3, (3, 4))
    word(other, "saved")


def test_the_other_tabs_scores_may_be_taken(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    other = review(fake, server=shown.server)
    shown.keys("1", "2")
    assert shown.scores == scores(None, (1, 2))
    other.keys("3")
    other.page.get_by_role("button", name="Use the other version").click()
    assert other.given() == ["1", "2", "–"]
    assert other.scores == scores(None, (1, 2))
    other.keys("4")
    assert other.scores == scores(None, (1, 4))


def test_what_another_tab_submitted_is_a_submitted_review_here_too(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    other = review(fake, server=shown.server)
    shown.keys("3", "4", "3", "Control+Enter")
    shown.shown("second")
    other.keys("1")
    other.page.get_by_role("button", name="Keep the version here").click()
    assert other.text(".word") == "changed – submit sends it"
    other.keys("2", "2", "Control+Enter")
    other.shown("second")
    assert fake.find(1)["scores"] == scores(2, (1, 2))


def test_a_review_that_is_over_says_so_and_lets_one_go_on(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.works[0]["state"] = "decided"
    shown.keys("3")
    shown.page.wait_for_selector(".notice.refused")
    assert OVER in shown.text(".notice.refused")
    assert shown.page.get_by_role("button", name="Take it back").count() == 0
    shown.keys("4")
    assert shown.given() == ["3", "–", "–"]
    shown.page.get_by_role("button", name="Continue").click()
    shown.shown("second")
    assert stored(shown) == []


def test_a_submission_that_comes_too_late_comes_back_with_the_sentence(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("3", "4", "3")
    assert shown.scores == scores(3, (3, 4))
    fake.works[0]["state"] = "decided"
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".notice.refused")
    assert OVER in shown.text(".notice.refused")
    shown.page.get_by_role("button", name="Continue").click()
    shown.shown("second")


def test_a_refusal_is_seen_far_down_in_a_long_text_too(review: Open) -> None:
    fake = ReviewFake([review_of(1, samples.many(3000), [[2900, 2910]])])
    shown = review(fake)
    fake.refuse["save"] = [(410, {"error": OVER})]
    shown.page.wait_for_function("document.getElementById('scroller').scrollTop > 0")  # the set came into sight
    shown.keys("3")
    expect(shown.page.locator(".notice.refused")).to_be_in_viewport()
    assert OVER in shown.text(".notice.refused")


def test_a_refused_submission_goes_to_the_set_that_is_meant(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.refuse["submit"] = [(422, {"error": "Set A needs both scores.", "set": 0})]
    shown.keys("3", "4", "3", "Control+Enter")
    shown.page.wait_for_selector(".notice.refused")
    assert shown.step == "A sufficiency score"
    assert not shown.page.locator(".panel.busy").count()
    shown.keys("2")
    assert shown.page.locator(".notice").count() == 0
    shown.keys("Control+Enter")
    shown.shown("second")


def test_signed_out_keeps_everything_and_says_so(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.refuse["save"] = [(401, {})] * 20
    shown.keys("3", "4")
    word(shown, "signed out – kept in this browser")
    assert "sign in to send it" in shown.text(".notice.refused")
    assert stored(shown) == ["annotator:review:1"]
    fake.refuse.clear()
    shown.page.get_by_role("button", name="Try again").click()
    assert shown.scores == scores(None, (3, 4))
    assert shown.page.locator(".notice").count() == 0


def test_signed_out_at_the_start_says_so_and_goes_on_afterwards(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    fake.refuse["next"] = [(401, {})]
    shown.page.evaluate("mounted[0](); mount()")
    shown.page.get_by_role("button", name="Try again").click()
    shown.shown("sentiment-en-05")


def test_what_closing_the_tab_cuts_off_is_still_sent(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    gate = fake.hold("save")
    shown.keys("3", "4")
    shown.page.goto("about:blank")
    gate.set()
    shown.open()
    assert shown.scores == scores(None, (3, 4))
    assert shown.page.locator(".notice").count() == 0


def test_scores_kept_of_another_review_are_sent_when_the_screen_opens_again(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    score_offline(shown, fake)
    fake.start = 32
    shown.open()
    shown.shown("second")
    shown.page.wait_for_function("!localStorage.getItem('annotator:review:1')")
    assert fake.find(1)["scores"] == scores(None, (3, None))


def test_the_other_kind_of_work_is_left_alone(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    entry = '{"assignment": 1, "revision": 1, "draft": {"sets": []}, "tab": null, "at": 0}'
    shown.page.evaluate("(entry) => localStorage.setItem('annotator:draft:1', entry)", entry)
    shown.open()
    shown.keys("3")
    assert shown.scores == scores(None, (3, None))
    assert stored(shown) == ["annotator:draft:1"]
    assert {name for name, _ in fake.messages} == {"save"}


def test_another_script_run_redraws_nothing_and_keeps_every_score(review: Open, fake: ReviewFake) -> None:
    shown = review(fake)
    shown.keys("3")
    shown.page.evaluate("window.before = shadow.querySelector('.segment-text').firstChild.firstChild")
    shown.page.evaluate("mount({ csrf: 'other' })")
    assert shown.page.evaluate("before === shadow.querySelector('.segment-text').firstChild.firstChild")
    assert shown.page.locator(".panel").count() == 1
    assert shown.step == "A compactness score"
    with shown.page.expect_request(lambda request: '"compactness":4' in (request.post_data or "")) as sent:
        shown.keys("4")
    assert shown.scores == scores(None, (3, 4))
    assert sent.value.headers["x-csrf-token"] == "other"
