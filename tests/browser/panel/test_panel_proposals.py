"""Proposed sets in the panel: dashed until somebody accepts them, by key and by mouse, and never in anybody's way."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]

NOTE = "Set B: 2 of its tokens are not in the changed text; check that the rest is still sufficient."


def one(number: int, title: str, spans: list[list[int]], source: str = "carried", notes: tuple[str, ...] = ()) -> Any:
    return {"id": number, "source": source, "name": "x", "title": title, "spans": spans, "notes": list(notes)}


def offer(*proposals: Any, ignored: Any = None, notes: tuple[str, ...] = (), change: Any = None) -> Any:
    return {"proposals": list(proposals), "ignored": ignored, "notes": list(notes), "change": change}


ORIGINAL_A = one(11, "original A", [[1, 4]])  # waited forty minutes
ORIGINAL_B = one(12, "original B", [[16, 19]], notes=(NOTE,))  # the fish tasted
PRAISE = one(13, "“praise”", [[2, 3], [17, 18]], "lexicon")  # forty, fish


def proposing(*proposals: Any, draft: Any = None, **more: Any) -> Fake:
    """Two texts of which the first is proposed some sets."""
    changes = {} if draft is None else {"draft": draft}
    works = [
        work(n, samples.short(key), proposes=True, is_changed=True, **(changes if n == 1 else {}))
        for n, key in ((1, "first"), (2, "second"))
    ]
    return Fake(works, proposed={1: offer(*proposals, **more), 2: offer(ORIGINAL_A)})


def chips(shown: PanelPage) -> list[str]:
    return shown.page.locator(".proposal-title").all_inner_texts()


def opened(panel: Open, fake: Fake) -> PanelPage:
    shown = panel(fake)
    shown.page.locator(".proposal").first.wait_for()
    return shown


def hint(shown: PanelPage) -> str:
    return shown.page.locator(".hint:not([hidden])").inner_text()


def test_proposed_sets_are_drawn_and_listed_and_count_for_nothing(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B, PRAISE)
    shown = opened(panel, fake)
    assert chips(shown) == ["original A", "original B", "“praise”"]
    marks = shown.marks()
    assert marks["hand"] == ["waited forty minutes"]
    assert set(marks) == {"hand", "proposed", "current-0"}
    assert marks["current-0"] == []
    assert fake.named("draft") == []
    assert NOTE in shown.text(".proposed-notes")
    rules = shown.page.evaluate(
        "[...shadow.adoptedStyleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).filter((rule) => !rule.startsWith('@'))"
    )
    above = [rule for rule in rules if "-proposed)" in rule or "-hand)" in rule]
    assert len(above) == 2
    assert all("overline" in rule and "dashed" in rule for rule in above)


def test_a_accepts_the_one_at_hand_as_a_set_like_any_other_and_undo_takes_it_back(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B, draft=samples.draft([[5, 6]]))
    shown = opened(panel, fake)
    shown.keys("a")
    draft = shown.saved()
    assert (draft["sets"], draft["proposed"]) == ([[[5, 6]], [[1, 4]]], {"11": "accepted"})
    assert shown.marks()["current-1"] == ["waited forty minutes"]
    assert chips(shown) == ["original B"]
    shown.keys("Control+z")
    draft = shown.saved()
    assert (draft["sets"], draft["proposed"]) == ([[[5, 6]]], {})
    assert chips(shown) == ["original A", "original B"]


def test_the_first_accepted_set_takes_the_place_of_the_empty_one(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A, ORIGINAL_B))
    shown.keys("Shift+A")
    assert shown.sets() == [[[1, 4]], [[16, 19]]]
    assert shown.counts() == ["3", "3"]
    assert shown.text(".proposed-words") == "2 accepted"


def test_p_takes_the_next_to_hand_and_r_rejects_it(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B, PRAISE)
    shown = opened(panel, fake)
    shown.keys("p", "r")
    assert shown.saved()["proposed"] == {"12": "rejected"}
    assert chips(shown) == ["original A", "“praise”"]
    assert shown.text(".proposal[aria-checked=true] .proposal-title") == "“praise”"
    shown.keys("Shift+P", "a", "Shift+R")
    assert shown.saved()["proposed"] == {"11": "accepted", "12": "rejected", "13": "rejected"}
    assert shown.text(".proposed-words") == "1 accepted, 2 rejected"
    shown.keys("a")
    assert hint(shown) == "All proposed sets are decided."


def test_everything_can_be_done_by_mouse(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A, ORIGINAL_B, PRAISE))
    shown.page.locator(".proposal", has_text="praise").click()
    assert shown.marks()["hand"] == ["forty", "fish"]
    row = shown.page.locator(".proposed-row")
    row.get_by_role("button", name="Accept").click()
    row.get_by_role("button", name="Reject").click()
    row.get_by_role("button", name="Accept").click()
    draft = shown.saved()
    assert draft["proposed"] == {"11": "rejected", "12": "accepted", "13": "accepted"}
    assert draft["sets"] == [[[2, 3], [17, 18]], [[16, 19]]]


def test_an_accepted_set_is_changed_like_any_other(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A))
    shown.keys("a")
    shown.click(2)
    assert shown.sets() == [[[1, 2], [3, 4]]]


def test_marking_goes_on_beside_proposals_and_the_same_tokens_need_no_answer(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B)
    shown = opened(panel, fake)
    shown.drag(1, 3)
    draft = shown.saved()
    assert (draft["sets"], draft["proposed"]) == ([[[1, 4]]], {})  # marked by a person, not accepted
    assert chips(shown) == ["original B"]
    shown.click(3)
    assert chips(shown) == ["original A", "original B"]


def test_what_was_said_is_there_after_a_reload(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B, PRAISE)
    shown = opened(panel, fake)
    shown.keys("a", "r")
    shown.saved()
    shown.open()
    shown.page.locator(".proposal").first.wait_for()
    assert chips(shown) == ["“praise”"]
    assert shown.sets() == [[[1, 4]]]


def test_undecided_proposals_are_said_once_and_hold_nobody_up(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B, draft=samples.draft([[5, 6]]))
    fake.works[1]["draft"] = samples.draft([[5, 6]])
    shown = opened(panel, fake)
    shown.keys("Control+Enter")
    assert hint(shown).startswith("2 undecided proposed sets will be dropped.")
    assert shown.key == "first"
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.page.locator(".proposal").first.wait_for()
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".empty:not([hidden])")
    fake.wait_for_messages("submit", 2)
    assert [sent["draft"]["proposed"] for sent in fake.named("submit")] == [{}, {}]


def test_with_nothing_marked_the_way_to_a_set_is_said(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A))
    shown.keys("Control+Enter")
    assert hint(shown) == "Nothing is marked. Accept a proposed set (a), or mark tokens."


def test_ignored_words_are_struck_and_all_others_proposed_only_on_request(panel: Open) -> None:
    rest = one(14, "all but “fillers”", [[1, 6]], "complement")
    fake = proposing(rest, ignored={"names": ["fillers"], "spans": [[0, 1], [7, 8]]})
    shown = opened(panel, fake)
    assert shown.marks()["ignored"] == ["We", "we"]
    assert "hand" not in shown.marks()
    assert shown.text(".ignored-words") == "not rationale: “fillers”"
    shown.keys("Shift+A")
    assert fake.named("draft") == []
    shown.keys("a")
    assert shown.saved()["proposed"] == {"14": "undecided"}
    assert shown.marks()["hand"] == ["waited forty minutes for a"]
    shown.keys("a")
    assert shown.sets() == [[[1, 6]]]


def test_the_views_of_sets_show_no_proposal(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A, draft=samples.draft([[5, 6]])))
    for key in ("o", "x"):
        shown.keys(key)
        assert "hand" not in shown.marks()
        shown.keys(key)
        assert "hand" in shown.marks()


def test_a_text_that_is_only_read_is_proposed_nothing(panel: Open) -> None:
    fake = Fake([], read=work(1, samples.short("read"), proposes=True), proposed={1: offer(ORIGINAL_A)})
    shown = panel(fake)
    assert fake.named("proposed") == []
    assert not shown.page.locator(".proposed-row").is_visible()


def test_what_cannot_be_proposed_anything_asks_for_nothing_and_has_no_row(panel: Open) -> None:
    fake = Fake([work(1, samples.short("plain"), draft=samples.draft([[1, 2]]))])
    shown = panel(fake)
    shown.click(4)
    assert "proposed" not in shown.saved()
    assert fake.named("proposed") == []
    assert not shown.page.locator(".proposed-row").is_visible()


def test_the_next_text_asks_after_the_submit_has_arrived(panel: Open) -> None:
    """The sets that were just handed in may be what is carried over."""
    fake = proposing(draft=samples.draft([[5, 6]]))
    shown = panel(fake)
    fake.wait_for_messages("proposed", 1)
    gate = fake.hold("submit")
    shown.keys("Control+Enter")
    assert shown.key == "second"
    shown.settle()
    assert [sent["assignment"] for sent in fake.named("proposed")] == [1]
    gate.set()
    shown.page.locator(".proposal").first.wait_for()
    routes = [(route, body["assignment"]) for route, body in fake.messages if route in {"submit", "proposed"}]
    assert routes == [("proposed", 1), ("submit", 1), ("proposed", 2)]


def test_a_question_that_got_lost_is_asked_again(panel: Open) -> None:
    fake = proposing(ORIGINAL_A)
    fake.refuse["proposed"] = [(500, {"error": "…"})]
    shown = panel(fake)
    fake.wait_for_messages("proposed", 1)
    shown.click(5)
    shown.page.locator(".proposal").first.wait_for()
    assert shown.sets() == [[[5, 6]]]


def test_names_of_lists_are_shown_as_text(panel: Open) -> None:
    shown = opened(panel, proposing(one(11, "<b>bold</b>", [[1, 4]], "lexicon")))
    assert chips(shown) == ["<b>bold</b>"]
    assert shown.page.locator(".proposal-title b").count() == 0


def test_a_mark_in_a_long_text_draws_no_proposal_anew(panel: Open) -> None:
    every_other = [[token, token + 1] for token in range(0, 5000, 2)]
    rest = one(14, "all but “fillers”", [[token + 1, token + 2] for token in range(0, 5000, 2)], "complement")
    offered = offer(ORIGINAL_A, rest, ignored={"names": ["fillers"], "spans": every_other})
    fake = Fake([work(1, samples.many(5000), proposes=True)], proposed={1: offered})
    shown = opened(panel, fake)
    find = """window.drawn = () => [...CSS.highlights].filter(([name]) => /-(ignored|hand)$/.test(name)).map(([, mark]) => mark)"""
    shown.page.evaluate(f"{find}; window.before = drawn(); null")
    shown.click(9)
    assert shown.sets() == [[[9, 10]]]
    assert shown.page.evaluate("before.length === 2 && drawn().every((mark, index) => mark === before[index])")


def test_two_tabs_see_each_others_answers_as_a_conflict(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B)
    shown = opened(panel, fake)
    fake.works[0] = {**fake.works[0], "revision": 7, "draft": samples.draft(proposed={"11": "rejected"})}
    shown.keys("a")
    shown.page.get_by_role("button", name="Use the other version").click()
    assert chips(shown) == ["original B"]


CHANGE = {
    "language": "en",
    "direction": "ltr",
    "segments": [
        {
            "title": "Text",
            "is_changed": True,
            "pieces": [
                ["kept", "We waited", "We waited"],
                ["replaced", " ten", " forty"],
                ["inserted", "", " <b>long</b>"],
            ],
        }
    ],
}


def test_a_changed_version_says_so_above_the_text_with_what_is_to_be_known_of_its_sets(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A, ORIGINAL_B))
    above = shown.page.locator(".notice.changed")
    assert "A perturbed version: judge the text as it stands." in above.inner_text()
    assert NOTE in above.inner_text()
    box, text = above.bounding_box(), shown.page.locator(".text").bounding_box()
    assert box is not None
    assert text is not None
    assert box["y"] + box["height"] <= text["y"]
    shown.keys("r")
    shown.page.wait_for_function("shadow.querySelectorAll('.proposal').length === 1")
    assert NOTE in above.inner_text()


def test_what_is_said_for_a_while_does_not_lie_over_the_way_to_the_original(panel: Open) -> None:
    shown = opened(panel, proposing(ORIGINAL_A, draft=samples.draft([[1, 3]])))
    shown.keys("Control+Enter")
    assert "undecided" in hint(shown)
    said, way = (shown.page.locator(at).bounding_box() for at in (".hint", ".notice.changed .button"))
    assert said is not None
    assert way is not None
    assert said["y"] >= way["y"] + way["height"]


def test_the_original_and_what_was_changed_are_one_key_away_and_the_same_key_leads_back(panel: Open) -> None:
    fake = proposing(ORIGINAL_B)
    fake.original = CHANGE
    shown = opened(panel, fake)
    shown.keys("c")
    shown.page.wait_for_selector("dialog ins")
    assert shown.page.locator("dialog .since del").all_inner_texts() == ["ten"]
    assert shown.page.locator("dialog .since ins").all_inner_texts() == ["forty", "<b>long</b>"]
    assert NOTE in shown.text("dialog")
    shown.keys("c")
    shown.page.wait_for_function("!shadow.querySelector('dialog')")
    shown.keys("a")
    assert shown.sets() == [ORIGINAL_B["spans"]]


FLIP = {
    "words": "Contrast: positive → negative. What supported “positive” may not support “negative”.",
    "is_other_result": True,
}


def test_sets_that_supported_another_label_are_taken_one_by_one(panel: Open) -> None:
    fake = proposing(ORIGINAL_A, ORIGINAL_B, change=FLIP)
    fake.original = CHANGE
    shown = opened(panel, fake)
    assert shown.text(".proposed-notes").startswith(FLIP["words"])
    assert not shown.page.locator(".proposed-row .button", has_text="All").is_visible()
    shown.keys("Shift+A")
    assert hint(shown).startswith("These sets supported another label. Accept (a) or reject (r) each")
    assert fake.named("draft") == []
    shown.keys("c")
    shown.page.wait_for_selector("dialog ins")
    assert FLIP["words"] in shown.text("dialog")
    shown.keys("c", "a")
    assert shown.sets() == [ORIGINAL_A["spans"]]


def test_a_change_that_keeps_the_label_says_so_and_warns_of_nothing(panel: Open) -> None:
    said = "Robustness: positive, as in the original."
    shown = opened(panel, proposing(ORIGINAL_A, PRAISE, change={"words": said, "is_other_result": False}))
    assert shown.text(".proposed-notes") == f"{said} One set of the original is proposed."
    assert shown.page.locator(".proposed-notes.warns").count() == 0
    shown.keys("Shift+A")
    assert shown.sets() == [ORIGINAL_A["spans"], PRAISE["spans"]]


def test_a_text_that_is_no_changed_version_says_nothing_of_an_original(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    assert shown.page.locator(".notice.changed").count() == 0
    shown.keys("c")
    assert hint(shown) == "This text isn't a perturbed version."
