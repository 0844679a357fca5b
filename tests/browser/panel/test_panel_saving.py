"""Drafts and submissions: none is lost, none is reordered, nothing is overwritten silently, and back again if one is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


@pytest.fixture
def fake() -> Fake:
    return Fake([work(1, samples.english()), work(2, samples.short("second")), work(3, samples.short("third"))])


def word(shown: PanelPage, expected: str) -> None:
    shown.page.wait_for_function("(word) => shadow.querySelector('.word').textContent.startsWith(word)", arg=expected)


def stored(shown: PanelPage) -> int:
    return int(
        shown.page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('annotator:draft:')).length")
    )


def mark_offline(shown: PanelPage, fake: Fake) -> None:
    fake.broken = True
    shown.click(1)
    word(shown, "offline")
    fake.broken = False


def test_each_change_is_sent_at_once_with_the_revision_it_builds_on(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    for token in (1, 5, 9):
        shown.click(token)
        shown.saved()
    drafts = fake.named("draft")
    assert [draft["revision"] for draft in drafts] == [1, 2, 3]
    assert drafts[-1]["draft"]["sets"] == [[[1, 2], [5, 6], [9, 10]]]
    assert drafts[-1]["timing"]["edits"] == 1
    assert drafts[0]["timing"]["first_action_at"]
    assert drafts[1]["timing"]["first_action_at"] is None
    word(shown, "saved")


def test_while_one_draft_is_on_its_way_only_the_newest_waits(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    gate = fake.hold("draft")
    for token in (1, 5, 9, 13):
        shown.click(token)
    word(shown, "saving")
    gate.set()
    assert len(shown.sets()[0]) == 4
    drafts = fake.named("draft")
    assert [len(draft["draft"]["sets"][0]) for draft in drafts] == [1, 4]
    assert drafts[-1]["timing"]["edits"] == 3


def test_a_lost_connection_keeps_the_marks_here_and_sends_them_when_it_is_back(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.broken = True
    shown.click(1)
    shown.click(5)
    word(shown, "offline – kept in this browser")
    assert stored(shown) == 1
    fake.broken = False
    shown.page.evaluate("window.dispatchEvent(new Event('online'))")
    assert shown.sets() == [[[1, 2], [5, 6]]]
    word(shown, "saved")


def test_the_connection_is_tried_again_by_itself(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    mark_offline(shown, fake)
    assert shown.sets() == [[[1, 2]]]


def test_without_connection_it_is_said_why_no_next_text_comes(panel: Open) -> None:
    fake = Fake([work(1, samples.english()), work(2, samples.short("second")), work(3, samples.short("third"))])
    shown = panel(fake)
    fake.broken = True
    for token in (1, 2):
        shown.click(token)
        word(shown, "offline")
        shown.keys("Control+Enter")
    shown.page.wait_for_function(
        "shadow.querySelector('.hint:not([hidden])')?.textContent.includes('Your work is kept in this browser')"
    )
    fake.broken = False
    shown.page.evaluate("window.dispatchEvent(new Event('online'))")
    shown.shown("third")
    assert shown.page.locator(".hint:not([hidden])").count() == 0


FULL = "The disk of 'annotator.db' is full; nothing was stored."


def test_what_the_server_cannot_store_is_said_kept_here_and_sent_when_it_can(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.refuse["draft"] = [(503, {"error": FULL})] * 100
    shown.click(1)
    shown.click(5)
    word(shown, "not stored – kept in this browser")
    assert stored(shown) == 1
    said = shown.page.locator(".notice").inner_text()
    assert said.startswith("The server can't save. Your work is kept in this browser. Tell the administrator:")
    assert FULL in said
    shown.click(9)
    fake.refuse.clear()
    shown.page.locator(".notice").get_by_role("button", name="Try again").click()
    word(shown, "saved")
    assert shown.sets() == [[[1, 2], [5, 6], [9, 10]]]
    assert stored(shown) == 0
    assert shown.page.locator(".notice").count() == 0


def test_a_reload_while_nothing_can_be_stored_loses_no_mark(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.refuse["draft"] = [(503, {"error": FULL})] * 100
    shown.click(1)
    word(shown, "not stored")
    shown.open()
    word(shown, "not stored")
    assert shown.counts() == ["1"]
    fake.refuse.clear()
    word(shown, "saved")
    assert shown.sets() == [[[1, 2]]]


def test_marks_made_without_connection_survive_a_reload(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    mark_offline(shown, fake)
    shown.open()
    assert shown.sets() == [[[1, 2]]]
    assert shown.counts() == ["1"]


def test_a_reload_right_after_the_last_mark_loses_none(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    gate = fake.hold("draft")
    for token in range(0, 22, 2):
        shown.click(token)
    gate.set()
    shown.open()
    assert shown.counts() == ["11"]
    assert len(shown.sets()[0]) == 11
    assert shown.page.locator(".notice").count() == 0


def test_an_answer_that_gets_lost_is_no_conflict(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.lose_answers = True
    shown.click(1)
    word(shown, "offline")
    fake.lose_answers = False
    assert shown.sets() == [[[1, 2]]]
    shown.click(5)
    assert shown.sets() == [[[1, 2], [5, 6]]]
    assert shown.page.locator(".notice").count() == 0


def test_two_tabs_cannot_overwrite_each_other_and_mine_may_win(panel: Open, fake: Fake) -> None:
    shown, other = panel(fake), None
    other = panel(fake, server=shown.server)
    shown.click(1)
    shown.saved()
    other.click(9)
    other.page.wait_for_selector(".notice.refused")
    assert "Another tab" in other.text(".notice.refused")
    assert fake.find(1)["draft"]["sets"] == [[[1, 2]]]
    word(other, "not saved")
    other.click(13)
    other.page.get_by_role("button", name="Keep the version here").click()
    assert other.sets() == [[[9, 10], [13, 14]]]
    word(other, "saved")


def test_the_other_tabs_version_may_be_taken_and_undone(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    other = panel(fake, server=shown.server)
    shown.click(1)
    shown.saved()
    other.click(9)
    other.page.get_by_role("button", name="Use the other version").click()
    assert other.sets() == [[[1, 2]]]
    assert other.marks()["current-0"] == ["soup"]
    other.keys("Control+z")
    assert other.sets() == [[[9, 10]]]


@pytest.mark.parametrize("key", ["s", "Control+Enter"])
def test_a_text_that_another_tab_submitted_is_left_and_that_is_said(panel: Open, fake: Fake, key: str) -> None:
    shown = panel(fake)
    shown.click(1)
    shown.saved()
    other = panel(fake, server=shown.server)
    shown.click(5)
    shown.keys("Control+Enter")
    shown.shown("second")
    fake.wait_for_state(1, "submitted")
    other.keys(key)
    other.shown("second")
    assert "Another tab" in other.text(".notice.refused")
    assert fake.find(1)["draft"]["sets"] == [[[1, 2], [5, 6]]]
    word(other, "saved")
    expect(other.page.locator(".progress")).to_have_text("1 today · 1 of 3")


def test_changes_to_a_text_that_another_tab_submitted_are_said_to_be_unsaved_and_can_be_left(
    panel: Open, fake: Fake
) -> None:
    shown = panel(fake)
    other = panel(fake, server=shown.server)
    shown.click(1)
    shown.keys("Control+Enter")
    shown.shown("second")
    fake.wait_for_state(1, "submitted")
    other.click(9)
    assert "Another tab" in other.text(".notice.refused")
    word(other, "not saved")
    other.page.get_by_role("button", name="Continue").click()
    other.shown("second")
    assert other.page.locator(".notice").count() == 0


def test_a_lease_that_ran_out_can_be_taken_again_with_the_marks(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.refuse["draft"] = [(410, {"error": "Your lease of this text has run out."})]
    shown.click(1)
    assert "lease" in shown.text(".notice.refused")
    shown.click(5)
    shown.page.get_by_role("button", name="Take it back").click()
    assert shown.sets() == [[[1, 2], [5, 6]]]
    assert shown.page.locator(".notice").count() == 0


def test_marks_that_are_refused_for_good_are_not_called_saved(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.refuse["draft"] = [(404, {"error": "No such project, or you have no role in it. Ask its lead."})]
    shown.click(1)
    assert "no role in it" in shown.text(".notice.refused")
    word(shown, "not saved")
    shown.click(5)  # the role was given again
    assert shown.sets() == [[[1, 2], [5, 6]]]
    word(shown, "saved")


def test_signed_out_keeps_everything_and_says_so(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.refuse["draft"] = [(401, {})] * 2
    shown.click(1)
    word(shown, "signed out – kept in this browser")
    assert "sign in to send it" in shown.text(".notice.refused")
    with shown.page.expect_response("**/draft") as answer:
        shown.click(5)
    assert answer.value.status == 401
    assert stored(shown) == 1
    fake.refuse.clear()
    shown.page.get_by_role("button", name="Try again").click()
    assert shown.sets() == [[[1, 2], [5, 6]]]
    assert shown.page.locator(".notice").count() == 0


def test_signed_out_leads_to_the_sign_in_and_back_to_the_same_text(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("s")
    shown.shown("second")
    fake.refuse["draft"] = [(401, {})] * 20
    shown.click(1)
    link = shown.page.get_by_role("link", name="Sign in")
    assert link.get_attribute("href").endswith("?theme=light&project=1&instance=102")
    fake.start = 102
    with shown.page.expect_navigation():
        link.click()
    fake.refuse.clear()
    shown.page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('annotator:draft:'))")
    assert fake.find(2)["draft"]["sets"] == [[[1, 2]]]
    assert shown.page.locator("h1").inner_text() == "Annotate: second"


def test_somebody_else_who_signs_in_neither_sees_nor_sends_what_was_kept(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.refuse["draft"] = [(401, {})] * 200
    shown.click(1)
    word(shown, "signed out – kept in this browser")
    sent = len(fake.named("draft"))
    shown.page.goto("about:blank")
    fake.wait_for_messages("draft", sent + 1)  # the last of the tab that closed, which is refused like those before
    sent = len(fake.named("draft"))
    fake.user = 2
    shown.open()
    assert shown.counts() == ["0"]
    assert len(fake.named("draft")) == sent
    assert stored(shown) == 1
    fake.refuse.clear()
    fake.user = 1
    shown.open()
    shown.page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('annotator:draft:'))")
    assert fake.find(1)["draft"]["sets"] == [[[1, 2]]]


def test_what_closing_the_tab_cuts_off_is_still_sent(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    gate = fake.hold("draft")
    shown.click(1)
    shown.click(5)
    shown.page.goto("about:blank")
    gate.set()
    fake.wait_for_revision(1, 2)
    assert fake.find(1)["draft"]["sets"] in ([[[1, 2], [5, 6]]], [[[1, 2]]])
    shown.open()
    assert shown.sets() == [[[1, 2], [5, 6]]]
    assert shown.page.locator(".notice").count() == 0


def test_first_sight_is_reported_once(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.click(1)
    shown.saved()
    assert [body["assignment"] for body in fake.named("seen")] == [1]


def test_the_note_is_saved_and_shown_again(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.page.locator("textarea").fill("the bread again?")
    assert shown.saved()["note"] == "the bread again?"
    shown.open()
    assert shown.page.locator("textarea").input_value() == "the bread again?"


def test_requests_carry_the_token_against_forgery(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    seen: list[str | None] = []
    shown.page.on(
        "request",
        lambda request: seen.append(request.headers.get("x-csrf-token")) if request.method == "POST" else None,
    )
    shown.click(1)
    shown.saved()
    assert set(seen) == {"token"}


def test_a_kept_draft_of_another_text_is_sent_when_the_panel_opens_again(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    fake.broken = True
    shown.click(1)
    word(shown, "offline")
    fake.start = 103
    fake.broken = False
    shown.open()
    shown.shown("third")
    shown.page.wait_for_function("!localStorage.getItem('annotator:draft:1')")
    assert fake.find(1)["draft"]["sets"] == [[[1, 2]]]


# Submit, skip, discard: the next text at once, the save behind it, and back again if it is refused.

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
    assert "Say briefly why." in shown.text("dialog .trouble")
    assert fake.named("discard") == []
    shown.keys(*"twice")
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.page.wait_for_function("triggers.length === 1")
    assert [(sent["reason"], sent["comment"]) for sent in fake.named("discard")] == [("other", "twice")]


def test_a_proposal_to_discard_begins_at_its_reasons_but_what_is_typed_is_its_comment(panel: Open) -> None:
    shown = panel(four())
    shown.keys("d", "ArrowDown")
    expect(shown.page.get_by_role("radio", name="names a person")).to_be_checked()
    shown.keys("Escape", "d")
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
    expect(shown.page.locator(".hint")).to_have_text("Sent to the lead.")
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
        ([[]], {}, "Nothing is marked."),
        ([[[1, 2]], [], [[4, 5]]], {}, "Set B is empty."),
        ([[[1, 3]], [[5, 6]], [[1, 2], [2, 3]]], {}, "Sets A and C are identical."),
        ([[[1, 2]]], {"result_mode": "give"}, "Choose a label first"),
        (
            [[[1, 2]]],
            {"result_mode": "give", "result_kind": "answer"},
            "Give the answer first: type it, select it (0), or press “No answer” (i).",
        ),
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
