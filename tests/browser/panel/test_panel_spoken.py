"""What is heard, and what is read in a row of tabs: headings, titles, ranges, and labels that cannot be taken for sets."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import review_harness, samples
from tests.browser.panel.harness import Fake, PanelPage, project, work
from tests.browser.panel.review_harness import ReviewFake, ReviewPage

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


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
    assert spoken(shown) == "3 words added to set A: “arrived lukewarm,”"
    shown.keys("n")
    shown.click(6)
    assert spoken(shown) == "1 word added to set B: “for”"
    shown.keys("Space")
    assert spoken(shown) == "1 word removed from set B: “for”"


def test_only_what_is_new_in_a_set_is_announced(panel: Open) -> None:
    shown = panel(english([[1, 3]]))
    shown.drag(0, 4)
    assert spoken(shown) == "3 words added to set A: “The … lukewarm,”"


def test_of_a_long_range_the_beginning_and_the_end_are_announced(panel: Open) -> None:
    shown = panel(english())
    shown.keys("Control+Home", "Shift+Control+End", "Space")
    said = spoken(shown)
    assert said.startswith("47 words added to set A: “The soup arrived")
    assert said.endswith("… .”")
    assert len(said) < 140


def test_a_range_is_announced_while_it_grows(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert spoken(shown) == "3 words: “The soup arrived”"
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
