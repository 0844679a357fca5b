"""Mounting: script runs that come again, read-only and the lead's own version, texts that mean harm, and what is heard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from playwright.sync_api import expect

from tests.browser.panel import review_harness, samples
from tests.browser.panel.harness import Fake, PanelPage, project, work
from tests.browser.panel.review_harness import ReviewFake, ReviewPage

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


def two() -> Fake:
    return Fake([work(1, samples.english()), work(2, samples.short("second"))])


def test_another_script_run_redraws_nothing_and_keeps_every_mark(panel: Open) -> None:
    shown = panel(two())
    shown.click(3)
    shown.page.evaluate("window.before = shadow.querySelector('.segment-text').firstChild.firstChild")
    shown.page.evaluate("mount({ csrf: 'other' })")
    assert shown.page.evaluate("before === shadow.querySelector('.segment-text').firstChild.firstChild")
    assert shown.page.locator(".panel").count() == 1
    assert shown.sets() == [[[3, 4]]]


def test_an_old_start_of_a_late_script_run_does_not_bring_the_old_text_back(panel: Open) -> None:
    fake = two()
    fake.start = 101
    fake.works[0]["draft"] = samples.draft([[1, 2]])
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.page.evaluate("mount()")
    shown.settle()
    assert shown.key == "second"


def test_a_start_that_the_page_changes_is_opened(panel: Open) -> None:
    shown = panel(two())
    shown.page.evaluate("mount({ start: 102 })")
    shown.shown("second")


def test_the_cleanup_of_an_earlier_call_does_not_take_the_panel_away(panel: Open) -> None:
    shown = panel(two())
    shown.page.evaluate("mount(); mounted[0]()")
    assert shown.page.locator(".panel").count() == 1
    shown.page.evaluate("mounted[1]()")
    assert shown.page.locator(".panel").count() == 0
    assert shown.page.evaluate("CSS.highlights.size") == 0


def test_the_read_mode_shows_sets_and_leaves_all_keys_to_the_screen(panel: Open) -> None:
    fake = Fake([])
    fake.read = work(7, samples.english(), state="submitted", draft=samples.draft([[1, 3]], [[2, 5]]))
    shown = panel(fake)
    assert shown.page.locator(".chip").count() == 2
    shown.click(10)
    shown.page.locator(".text").focus()
    shown.keys("n", "2", "Control+Enter")
    assert shown.page.evaluate("window.leaked.filter((key) => key !== 'Control')") == ["n", "2", "Enter"]
    assert shown.marks() == {"other-0": ["soup arrived"], "other-1": ["arrived lukewarm,"]}
    shown.page.get_by_role("radio", name="Set B").hover()
    assert set(shown.marks()) == {"dim-0", "current-1"}
    assert shown.page.get_by_role("button", name="Submit").count() == 0


def test_the_read_mode_shows_another_work_when_the_script_gives_one(panel: Open) -> None:
    fake = Fake([])
    fake.read = work(7, samples.english(), state="submitted", draft=samples.draft([[1, 3]]))
    shown = panel(fake)
    shown.page.evaluate("mount({ work: { ...mountData.work, draft: { ...mountData.work.draft, sets: [[[5, 6]]] } } })")
    assert list(shown.marks().values()) == [["and"]]


def test_two_panels_on_a_page_do_not_mix_their_marks(panel: Open) -> None:
    shown = panel(two())
    names = shown.page.evaluate(
        """async () => { const { default: make } = await import(`${panelAt}/annotate/main.js`);
        const host = document.createElement('div'); document.getElementById('block').append(host);
        const parentElement = host.attachShadow({ mode: 'open' });
        const cleanup = make({ data: { ...mountData, mode: 'read', work: { ...instances.work, assignment: 9, revision: 1, round: 1,
          state: 'submitted', result: { kind: 'label', given: 'a' }, draft: { sets: [[[0, 1]]] }, locked_sets: [], feedback: null,
          instance: { id: 1, ...instances['second'] } } }, parentElement, setTriggerValue() {} });
        const names = [...CSS.highlights.keys()]; cleanup(); return names; }"""
    )
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'> &amp; done",
        "nul \x00 byte and \u202e override \u202c and e\u0301\u0323 marks",
        "tabs\tand  blanks \n\n\nand lines\r\nof every kind\u2028end",
    ],
    ids=["markup", "control", "white space"],
)
def test_a_hostile_text_is_only_text_and_keeps_its_offsets(panel: Open, text: str) -> None:
    fake = Fake([work(1, samples.short("hostile", text))])
    shown = panel(fake)
    assert shown.page.evaluate("shadow.querySelector('.segment-text').textContent") == text
    count = len(fake.works[0]["instance"]["segments"][0]["starts"])
    shown.keys("Control+End", "Space")
    assert shown.sets() == [[[count - 1, count]]]
    segment = fake.works[0]["instance"]["segments"][0]
    assert shown.marks()["current-0"] == [text[segment["starts"][-1] : segment["ends"][-1]]]
    assert shown.page.evaluate("window.hurt") is None


def test_a_lone_surrogate_does_no_harm(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.short("lone", "before \ud800 after"))]))
    shown.keys("Control+End", "Space")
    assert len(shown.sets()[0]) == 1


def test_a_megabyte_in_one_line_can_be_marked_at_both_ends(panel: Open) -> None:
    text = "word " * 200_000
    shown = panel(Fake([work(1, samples.short("mega", text))]))
    shown.click(2)
    shown.page.wait_for_function("shadow.querySelector('.segment-text').textContent.length === 1000000")
    shown.keys("Control+End", "Space")
    assert shown.sets() == [[[2, 3], [199_999, 200_000]]]


def test_the_panel_says_when_there_is_nothing_to_do_and_leads_to_where_there_is(panel: Open) -> None:
    fake = Fake([])
    shown = panel(fake)
    assert "Nothing is left to annotate here." in shown.text(".empty")
    assert shown.page.locator(".empty button").all_inner_texts() == ["Go to Start"]
    fake.elsewhere = [(2, "Claims")]
    shown.open()
    assert shown.page.locator(".empty button").all_inner_texts() == ["Claims", "Go to Start"]


def test_a_server_that_is_not_there_yet_is_waited_for(panel: Open) -> None:
    fake = two()
    fake.refuse["next"] = [(503, {})]
    shown = panel(fake)
    shown.page.wait_for_selector(".segment-text")
    assert shown.key == "sentiment-en-05"


def test_a_refused_start_is_said_in_the_servers_words(panel: Open) -> None:
    fake = two()
    fake.refuse["next"] = [(403, {"error": "You are not an annotator of this project."})]
    shown = panel(fake)
    assert shown.text(".empty").startswith("You are not an annotator of this project.")  # a way on may follow


def test_everything_that_can_be_pressed_has_a_name(panel: Open) -> None:
    shown = panel(two())
    nameless = shown.page.evaluate(
        """() => [...shadow.querySelectorAll('button, input, textarea, select, [role=radio]')].filter((one) =>
        !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).length"""
    )
    assert nameless == 0
    assert shown.page.locator(".text").get_attribute("aria-label") == "Text to mark"


def test_the_dark_theme_is_recognised_by_its_background(panel: Open) -> None:
    shown = panel(two())
    assert shown.page.locator(".panel").get_attribute("data-theme") == "light"
    shown.page.evaluate("document.documentElement.style.setProperty('--st-background-color', '#0e1117'); mount()")
    assert shown.page.locator(".panel").get_attribute("data-theme") == "dark"


def test_a_page_finds_nothing_that_the_page_before_it_kept(panel: Open) -> None:
    """One tab serves all tests of a worker; what they keep lies apart, since each has an origin of its own."""
    kept = "[localStorage.getItem('kept'), sessionStorage.getItem('kept')]"
    first = panel(Fake([work(1, samples.english())]))
    first.page.evaluate("localStorage.setItem('kept', 'yes'); sessionStorage.setItem('kept', 'yes')")
    assert first.page.evaluate(kept) == ["yes", "yes"]
    second = panel(Fake([work(1, samples.english())]))
    assert second.page.evaluate(kept) == [None, None]


# The panel for a version of the lead's own: marks only; ticked sets come and go; what is stored goes to the script.

WORDS = {"store": "Store as gold", "reason": "Reason", "reason_hint": "why", "reason_missing": "Say why."}


@dataclass
class EditFake(Fake):
    """The page's script gives one version to edit; no route is asked."""

    entry: ClassVar[str] = "annotate/edit.js"

    def mount(self) -> dict[str, Any]:
        return {"project": 1, "settings": project(result_mode="give"), "work": self.works[0], "words": WORDS}


def version(*sets: list[list[int]]) -> EditFake:
    return EditFake([work(1, samples.english(), draft=samples.draft(*sets, result="positive"))])


def tick(shown: PanelPage, *sets: list[list[int]]) -> None:
    """The script runs again, with these sets to begin with."""
    shown.page.evaluate(
        "(sets) => mount({ work: { ...mountData.work, draft: { ...mountData.work.draft, sets } } })", list(sets)
    )


def test_a_version_is_stored_with_its_reason_and_no_route_is_asked(panel: Open) -> None:
    shown = panel(version([[1, 3]]))
    shown.keys("n")
    shown.click(5)
    shown.keys("Control+Enter")
    expect(shown.page.locator(".hint")).to_have_text("Say why.")
    shown.page.keyboard.type("clear")
    shown.keys("Control+Enter")
    assert shown.page.evaluate("window.triggers") == [
        ["version", {"result": "positive", "sets": [[[1, 3]], [[5, 6]]], "note": "clear", "no_rationale": False}]
    ]
    assert shown.fake.messages == []
    assert shown.page.evaluate("Object.keys(localStorage).length") == 0


def test_what_belongs_to_a_queue_of_work_is_not_there(panel: Open) -> None:
    shown = panel(version([[1, 3]]))
    for name in ("Skip", "Discard", "Guidelines", "My work", "Ask", "Submit"):
        expect(shown.page.get_by_role("button", name=name)).to_have_count(0)
    shown.keys("s", "d", "q", "m", "g")
    expect(shown.page.locator("dialog")).to_have_count(0)
    shown.keys("?")
    assert "Skip for now" not in shown.text(".key-list")


def test_sets_that_are_ticked_come_and_those_unticked_go_but_what_was_changed_here_stays(panel: Open) -> None:
    shown = panel(version([[1, 3]]))
    tick(shown, [[1, 3]], [[5, 7]])
    assert shown.counts() == ["2", "2"]
    shown.keys("2")
    shown.click(8)
    assert shown.counts() == ["2", "3"]
    tick(shown)
    assert shown.counts() == ["3"]
    shown.keys("Control+z")
    assert shown.counts() == ["2", "3"]


def test_an_empty_set_is_refused_before_anything_is_sent(panel: Open) -> None:
    shown = panel(version())
    shown.keys("Control+Enter")
    expect(shown.page.locator(".hint")).to_contain_text("Nothing is marked.")
    assert shown.page.evaluate("window.triggers") == []


# What is heard, and what is read in a row of tabs: headings, titles, ranges, and labels that cannot be taken for sets.


def english(*sets: list[list[int]], **changes: Any) -> Fake:
    works = [work(1, samples.english(), draft=samples.draft(*sets)), work(2, samples.short("second"))]
    return Fake(works, project(**changes))


def spoken(shown: PanelPage) -> str:
    return shown.page.locator(".live").inner_text()


def headings(shown: PanelPage) -> list[str]:
    found = shown.page.locator("h1, h2, h3").all()
    return [f"{one.evaluate('one => one.tagName')} {one.text_content()}" for one in found if one.is_visible()]


def test_the_page_its_text_and_its_sets_have_headings(panel: Open) -> None:
    shown = panel(english())
    assert headings(shown) == ["H1 Annotate: sentiment-en-05", "H2 Sets", "H2 Text", "H2 Table of sets and note"]


def test_segments_have_headings_below_that_of_the_text(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.reading())]))
    assert headings(shown)[2:6] == ["H2 Text", "H3 Question", "H3 Title", "H3 Passage"]


def test_a_panel_for_reading_leaves_the_first_heading_to_its_page(panel: Open) -> None:
    shown = panel(Fake([], read=work(1, samples.english(), draft=samples.draft([[1, 3]]))))
    assert [heading for heading in headings(shown) if heading.startswith("H1")] == []


def test_the_title_of_the_tab_names_the_text_and_follows_it(panel: Open) -> None:
    shown = panel(english([[1, 2]]))
    expect(shown.page).to_have_title("sentiment-en-05 · token panel")
    shown.keys("Control+Enter")
    shown.shown("second")
    expect(shown.page).to_have_title("second · token panel")
    shown.keys("s")
    shown.page.wait_for_selector(".empty:not([hidden])")
    expect(shown.page).to_have_title("token panel")


def test_the_title_of_the_tab_survives_that_the_page_writes_its_own(panel: Open) -> None:
    shown = panel(english([[1, 2]]))
    shown.page.evaluate("document.title = 'Annotate · Sentiment'")
    shown.page.wait_for_function("document.title === 'sentiment-en-05 · Annotate · Sentiment'")
    shown.page.evaluate("mounted.at(-1)()")
    shown.page.wait_for_function("document.title === 'Annotate · Sentiment'")


def test_a_review_names_its_text_in_the_tab_too(review: Callable[..., ReviewPage]) -> None:
    shown = review(ReviewFake([review_harness.review(1, samples.english(), [[1, 3]])]))
    expect(shown.page).to_have_title("sentiment-en-05 · token panel")


def test_a_panel_for_reading_leaves_the_tab_its_title(panel: Open) -> None:
    shown = panel(Fake([], read=work(1, samples.english(), draft=samples.draft([[1, 3]]))))
    expect(shown.page).to_have_title("token panel")


def test_marks_are_announced_by_their_number_and_their_words(panel: Open) -> None:
    shown = panel(english())
    shown.drag(2, 4)
    assert spoken(shown) == "3 tokens added to set A: “arrived lukewarm,”"
    shown.keys("n")
    shown.click(6)
    assert spoken(shown) == "1 token added to set B: “for”"
    shown.keys("Space")
    assert spoken(shown) == "1 token removed from set B: “for”"


def test_only_what_is_new_in_a_set_is_announced(panel: Open) -> None:
    shown = panel(english([[1, 3]]))
    shown.drag(0, 4)
    assert spoken(shown) == "3 tokens added to set A: “The … lukewarm,”"


def test_of_a_long_range_the_beginning_and_the_end_are_announced(panel: Open) -> None:
    shown = panel(english())
    shown.keys("Control+Home", "Shift+Control+End", "Space")
    said = spoken(shown)
    assert said.startswith("47 tokens added to set A: “The soup arrived")
    assert said.endswith("… .”")
    assert len(said) < 140


def test_a_range_is_announced_while_it_grows(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert spoken(shown) == "3 tokens: “The soup arrived”"
    shown.keys("ArrowRight")
    assert spoken(shown) == "lukewarm"


def choice(*labels: str, given: str = "B", choices: str = "A. aviary\nB. painting\nC. rural area") -> Fake:
    asked = samples.instance(
        "eagle",
        samples.segment("A bald eagle is likely to be found on what kind of work?", "question", "Question"),
        samples.segment(choices, "choices", "Choices", selectable=False),
    )
    rules = project(labels=list(labels or "ABC"), result_mode="contest")
    return Fake([work(1, asked, result={"kind": "label", "given": given}, draft=samples.draft([[1, 3]]))], rules)


def test_labels_that_are_letters_are_written_as_choices_and_no_set_is_named_like_one(panel: Open) -> None:
    shown = panel(choice())
    pills = shown.page.locator(".pill .pill-words").all_inner_texts()
    assert pills == ["A) aviary", "B) painting", "C) rural area"]
    assert not set(pills) & set(shown.page.locator(".badge").all_inner_texts())
    assert "“B) painting”" in shown.text(".question")
    expect(shown.page.get_by_role("radio", name="choice B, painting")).to_have_attribute("aria-checked", "true")
    shown.keys("l")
    assert spoken(shown) == "choice C, rural area"
    assert shown.saved()["result"] == "C"


@pytest.mark.parametrize("choices", ["(A) aviary\n(B) painting", "A) aviary\nB) painting", " A: aviary\n B: painting"])
def test_choices_are_found_however_they_are_written(panel: Open, choices: str) -> None:
    shown = panel(choice("A", "B", choices=choices))
    assert shown.page.locator(".pill .pill-words").all_inner_texts() == ["A) aviary", "B) painting"]


def test_letters_without_words_are_still_no_sets(panel: Open) -> None:
    shown = panel(choice("A", "B", choices="aviary or painting"))
    assert shown.page.locator(".pill .pill-words").all_inner_texts() == ["A)", "B)"]


def test_a_reviewer_reads_the_choice_and_not_a_letter(review: Callable[..., ReviewPage]) -> None:
    fake = choice()
    shown = review(ReviewFake([review_harness.review(1, fake.works[0]["instance"], [[1, 3]], result="B")]))
    assert shown.text(".ask-question") == "Can B) painting be inferred from set A alone?"
