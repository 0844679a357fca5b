"""Submit, skip, discard: the next text at once, the save behind it, and back again if it is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]
WORDS = ["first", "second", "third", "fourth"]


def four(*sets: list[list[int]], **changes: Any) -> Fake:
    works = [work(number + 1, samples.short(key), draft=samples.draft([[1, 2]])) for number, key in enumerate(WORDS)]
    if sets:
        works[0]["draft"] = samples.draft(*sets)
    return Fake(works, project(**changes))


def hint(shown: PanelPage) -> str:
    return shown.page.locator(".hint").inner_text()


def test_submit_shows_the_next_text_before_the_save_is_acknowledged(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    gate = fake.hold("submit")
    shown.keys("Control+Enter")
    assert shown.key == "second"
    assert fake.find(1)["state"] == "open"
    assert shown.page.evaluate("!!localStorage.getItem('annotator:draft:1')")
    gate.set()
    shown.page.wait_for_function("!localStorage.getItem('annotator:draft:1')")
    [sent] = fake.named("submit")
    assert (sent["assignment"], sent["ahead"], sent["draft"]["sets"]) == (1, 2, [[[1, 2]]])


def test_the_counts_are_reported_when_the_submit_has_arrived(panel: Open) -> None:
    shown = panel(four())
    shown.keys("Control+Enter")
    shown.page.wait_for_function("triggers.length")
    [[name, counts]] = shown.page.evaluate("triggers")
    assert (name, counts["submitted"], counts["open"]) == ("progress", 1, 3)


def test_a_mark_that_is_still_on_its_way_goes_out_before_the_submit(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    gate = fake.hold("draft")
    shown.click(4)
    shown.click(7)
    shown.keys("Control+Enter")
    gate.set()
    shown.page.wait_for_function("triggers.length")
    [sent] = fake.named("submit")
    assert sent["draft"]["sets"] == [[[1, 2], [4, 5], [7, 8]]]
    assert sent["revision"] == 2


def test_two_quick_submits_are_kept_in_order(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    gate = fake.hold("submit")
    shown.keys("Control+Enter", "Control+Enter")
    assert shown.page.locator(".panel.busy").count() == 1
    gate.set()
    shown.shown("third")
    shown.page.wait_for_function("triggers.length === 2")
    assert [(sent["assignment"], sent["ahead"]) for sent in fake.named("submit")] == [(1, 2), (2, 3)]
    assert shown.key == "third"


def test_a_refused_submit_comes_back_with_the_reason_and_everything_as_it_was(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    gate = fake.hold("submit")
    fake.refuse["submit"] = [(422, {"error": "Set A lies outside the passage.", "set": 0, "warning": False})]
    shown.click(5)
    shown.saved()
    shown.keys("Control+Enter")
    assert shown.key == "second"
    shown.click(8)
    gate.set()
    shown.shown("first")
    assert "Set A lies outside the passage." in shown.text(".notice.refused")
    assert shown.marks()["current-0"] == ["waited", "a"]
    shown.keys("Control+z")
    assert shown.marks()["current-0"] == ["waited"]
    shown.keys("Control+Enter")
    shown.shown("second")
    assert shown.sets() == [[[1, 2], [8, 9]]]
    fake.wait_for_state(1, "submitted")


def test_a_warning_may_be_confirmed(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    fake.refuse["submit"] = [(422, {"error": "Everything is highlighted.", "set": None, "warning": True})]
    shown.keys("Control+Enter")
    shown.page.get_by_role("button", name="Submit anyway").click()
    shown.shown("second")
    shown.page.wait_for_function("triggers.length")
    assert [sent.get("confirmed") for sent in fake.named("submit")] == [None, True]


def test_the_last_text_is_followed_by_a_sentence(panel: Open) -> None:
    fake = Fake([work(1, samples.short("only"), draft=samples.draft([[1, 2]]))])
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".empty:not([hidden])")
    assert shown.text(".empty").startswith("Nothing is left to annotate here.")
    assert (shown.text("h1"), shown.text(".question"), shown.text(".instance-key")) == ("Annotate", "", "")


def test_an_unacknowledged_submit_is_sent_by_the_next_page(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    fake.broken = True
    shown.keys("Control+Enter")
    shown.page.wait_for_function("shadow.querySelector('.word').textContent.startsWith('offline')")
    fake.broken = False
    shown.open()
    shown.shown("second")
    fake.wait_for_state(1, "submitted")
    assert shown.page.evaluate("localStorage.getItem('annotator:draft:1')") is None


def test_an_unacknowledged_submit_that_is_refused_later_comes_back(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    fake.broken = True
    shown.keys("Control+Enter")
    shown.page.wait_for_function("shadow.querySelector('.word').textContent.startsWith('offline')")
    fake.broken = False
    fake.refuse["submit"] = [(422, {"error": "The label was changed meanwhile.", "set": None, "warning": False})] * 2
    shown.open()
    shown.shown("first")
    assert "The label was changed meanwhile." in shown.text(".notice.refused")


def test_a_submit_whose_answer_got_lost_is_done(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    fake.lose_answers = True
    shown.keys("Control+Enter")
    shown.page.wait_for_function("shadow.querySelector('.word').textContent.startsWith('offline')")
    fake.lose_answers = False
    shown.page.wait_for_function("!localStorage.getItem('annotator:draft:1')")
    assert shown.key == "second"
    fake.wait_for_state(1, "submitted")
    shown.keys("Control+Enter")
    shown.shown("third")


def test_a_proposal_to_discard_has_no_reason_beforehand_and_is_not_sent_without_one(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    shown.keys("d")
    assert shown.page.locator("dialog input:checked").count() == 0
    shown.keys("Control+Enter")
    assert shown.text("dialog .trouble") == "Choose a reason first."
    shown.page.get_by_role("radio", name="other").check()
    assert shown.text("dialog .trouble") == ""
    shown.page.get_by_role("dialog").get_by_role("button", name="Propose to discard").click()
    assert "say in a few words why" in shown.text("dialog .trouble")
    assert fake.named("discard") == []
    shown.keys(*"twice")
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.page.wait_for_function("triggers.length === 1")
    assert [(sent["reason"], sent["comment"]) for sent in fake.named("discard")] == [("other", "twice")]


def test_what_is_typed_first_in_a_proposal_to_discard_is_its_comment_and_chooses_no_reason(panel: Open) -> None:
    shown = panel(four())
    shown.keys("d")
    shown.page.keyboard.type("does not fit the claim")
    assert shown.page.get_by_label("Comment").input_value() == "does not fit the claim"
    assert shown.page.locator("dialog input:checked").count() == 0


def test_skip_and_discard_bring_the_next_text_too(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    shown.keys("s")
    shown.shown("second")
    shown.keys("d")
    shown.page.get_by_role("radio", name="broken text").check()
    shown.page.get_by_role("textbox", name="Comment").fill("cut in the middle")
    shown.keys("Control+Enter")
    shown.shown("third")
    shown.page.wait_for_function("triggers.length === 2")
    [sent] = fake.named("discard")
    assert (sent["assignment"], sent["reason"], sent["comment"], sent["ahead"]) == (
        2,
        "broken text",
        "cut in the middle",
        3,
    )
    fake.wait_for_state(1, "skipped")


def test_an_untouched_empty_last_set_is_dropped(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    shown.keys("n", "Control+Enter")
    shown.shown("second")
    shown.page.wait_for_function("triggers.length")
    assert fake.find(1)["draft"]["sets"] == [[[1, 2]]]


@pytest.mark.parametrize(
    ("sets", "changes", "sentence"),
    [
        ([[]], {}, "Nothing is marked yet."),
        ([[[1, 2]], [], [[4, 5]]], {}, "Set B has no tokens."),
        ([[[1, 3]], [[5, 6]], [[1, 2], [2, 3]]], {}, "Sets A and C hold the same tokens."),
        ([[[1, 2]]], {"result_mode": "give"}, "Choose a label first"),
        ([[[1, 2]]], {"result_mode": "give", "result_kind": "answer"}, "Give the answer first"),
    ],
)
def test_what_is_plainly_wrong_is_said_before_anything_is_sent(
    panel: Open, sets: list[list[list[int]]], changes: dict[str, Any], sentence: str
) -> None:
    fake = four(*sets, **changes)
    shown = panel(fake)
    shown.keys("Control+Enter")
    assert hint(shown).startswith(sentence)
    assert shown.key == "first"
    assert fake.named("submit") == []


def test_no_rationale_in_the_text_is_a_choice_where_the_project_allows_it(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    shown.page.get_by_role("button", name="No rationale").click()
    assert shown.saved() == samples.draft(no_rationale=True)
    shown.keys("Control+z")
    assert shown.sets() == [[[1, 2]]]
    shown.keys("Control+Shift+Z", "Control+Enter")
    shown.shown("second")
    assert panel(four(may_be_empty=False)).page.get_by_role("button", name="No rationale").count() == 0


def test_a_locked_set_cannot_be_changed_until_it_is_unlocked(panel: Open) -> None:
    returned = work(
        1,
        samples.short("first"),
        state="returned",
        round=2,
        locked_sets=[0],
        draft=samples.draft([[1, 2]], [[4, 5]]),
        feedback={"round": 1, "lines": ["Comprehensiveness 2.0"], "sets": {"1": ["Compactness 3.0"]}},
    )
    shown = panel(Fake([returned]))
    assert "Returned after round 1" in shown.text(".notice.returned")
    assert shown.page.get_by_text("Compactness 3.0").count() == 1
    assert "Compactness 3.0" in shown.text(".notice.returned .set-line")
    shown.keys("1")
    shown.click(7)
    assert "locked" in hint(shown)
    shown.keys("Delete")
    assert shown.counts() == ["1", "1"]
    shown.keys("u")
    shown.click(7)
    assert shown.saved() == samples.draft([[1, 2], [7, 8]], [[4, 5]], unlocked=[0])


def test_a_correction_says_which_set_of_the_round_before_each_set_was(panel: Open) -> None:
    returned = work(
        1,
        samples.short("first"),
        state="returned",
        round=2,
        locked_sets=[2],
        draft=samples.draft([[1, 2]], [[4, 5]], origins=[0, 2]),
        feedback={"round": 1, "lines": [], "sets": {"2": ["Sufficiency 3"], "1": ["a set that is gone"]}},
    )
    shown = panel(Fake([returned]))
    assert "Sufficiency 3" in shown.text(".notice.returned .set-line")
    shown.keys("2")
    shown.click(7)
    assert "locked" in hint(shown)
    shown.keys("u", "n")
    shown.click(7)
    assert shown.saved() == samples.draft([[1, 2]], [[4, 5]], [[7, 8]], origins=[0, 2, None], unlocked=[2])


def test_a_conflict_on_submit_comes_back_for_a_decision(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    fake.find(1)["revision"] = 9
    fake.find(1)["draft"] = samples.draft([[3, 4]])
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".notice.refused")
    assert shown.key == "first"
    shown.page.get_by_role("button", name="Keep the version here").click()
    assert shown.sets() == [[[1, 2]]]
    shown.keys("Control+Enter")
    shown.shown("second")


def test_a_given_result_that_may_be_contested_needs_no_choice(panel: Open) -> None:
    fake = four(result_mode="contest")
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.keys("l", "Control+Enter")
    shown.shown("third")
    shown.page.wait_for_function("triggers.length === 2")
    assert [fake.find(number)["draft"]["result"] for number in (1, 2)] == [None, "negative"]


def test_after_a_submit_from_the_note_the_keys_mean_the_next_text(panel: Open) -> None:
    shown = panel(four())
    shown.page.locator("textarea").fill("short")
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.keys("ArrowRight", "Space")
    assert shown.sets() == [[[0, 2]]]
    assert shown.page.locator("textarea").input_value() == ""
