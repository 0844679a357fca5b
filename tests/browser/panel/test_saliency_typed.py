"""Texts that one types beside the stored one, and what a model wrote with a map for each subword."""

import csv
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.panel.harness import ENOUGH, lowest_contrast
from tests.browser.panel.saliency_harness import WORDS, SaliencyFake, SaliencyPage, map_of

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"


@dataclass
class TypedFake(SaliencyFake):
    """Answers what is typed with the words themselves; `held`: an answer that waits until it is let go."""

    held: dict[str, threading.Event] = field(default_factory=dict)

    def answer(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if route == "case":
            self.asked.append((route, body))
            return 200, {"test": body["test"]}
        if route != "typed":
            return super().answer(route, body)
        self.asked.append((route, body))
        text = body["texts"]["text"]
        if text in self.held:
            self.held[text].wait(60)
        words = text.split()
        segment = {
            "name": "text", "first": 0, "is_selectable": True, "tokens": words,
            "before": ["", *[" "] * (len(words) - 1)][: len(words)], "rest": "",
        }  # fmt: skip
        shown = super()._instance(1, None, None)
        positive = 0.8 if "good" in words else 0.3
        answer = {"label": "positive" if positive > 0.5 else "negative", "probabilities": {"positive": positive, "negative": 1 - positive}}  # fmt: skip
        panel = map_of(answer=answer, scores=[0.25] * len(words))
        facts = {
            "id": 0,
            "key": "first (typed)",
            "result": None,
            "split": "",
            "language": "en",
            "parent": None,
            "kind": None,
        }
        return 200, {
            **shown, "instance": facts, "segments": [segment], "gold": [], "sides": [{"name": "", "n": len(words)}],
            "panels": [panel], "aligned": [place if place < 5 else None for place in range(len(words))], "trouble": "",
        }  # fmt: skip


def typed(saliency: Callable[..., SaliencyPage], **changes: Any) -> tuple[SaliencyPage, TypedFake]:
    """The page at a text with one map, its field open by keyboard."""
    fake = TypedFake(panels=[map_of()], **changes)
    screen = saliency(fake)
    screen.page.locator(".heat-main").click(position={"x": 150, "y": 6})
    screen.page.keyboard.press("t")
    expect(screen.page.get_by_role("textbox", name="Typed text")).to_be_focused()
    return screen, fake


def test_what_is_typed_stands_beside_the_stored_text_with_what_changed(saliency: Callable[..., SaliencyPage]) -> None:
    screen, _ = typed(saliency)
    page = screen.page
    box = page.get_by_role("textbox", name="Typed text")
    expect(box).to_have_value("bad slow plot good cast")
    box.fill(f"bad slow plot dull cast {HOSTILE}")
    expect(screen.map(1).locator(".heat-text")).to_contain_text("onerror")
    expect(page.locator(".typed-lines")).to_contain_text("positive 80 % → 30 % (−50 points), now negative")
    expect(page.locator(".typed-lines")).to_contain_text("4 new tokens, 1 token gone")  # the markup has three words
    expect(page.locator(".typed-lines")).to_contain_text("“plot” −0.500 → +0.250 (+0.750)")
    assert page.title() != "broken"
    token_f1 = page.get_by_role("row", name="Token F1").locator("td:not(.definition)")
    expect(token_f1).to_have_text(["A1.00", ""])  # nobody has marked what was only typed
    box.press("Escape")
    expect(page.locator(".heat-panel")).to_have_count(1)
    expect(box).to_be_hidden()


def test_a_late_answer_of_an_older_text_is_dropped(saliency: Callable[..., SaliencyPage]) -> None:
    gate = threading.Event()
    screen, fake = typed(saliency, held={"older": gate})
    page = screen.page
    box = page.get_by_role("textbox", name="Typed text")
    shown: list[str] = []
    page.expose_function("noted", lambda words: shown.append(words))  # noqa: PLW0108  (a method has no signature)
    page.evaluate(
        """() => new MutationObserver(() => window.noted(window.shadow.querySelector('.heat-grid').textContent))
            .observe(window.shadow.querySelector('.heat-grid'), {childList: true})"""
    )
    with page.expect_request(lambda request: "older" in (request.post_data or "")):
        box.fill("older")
    box.fill("newer")
    page.wait_for_timeout(400)  # the pause is over, and the newer text waits for the older answer
    gate.set()
    expect(screen.map(1).locator(".heat-text")).to_have_text("newer")
    assert not [words for words in shown if "older" in words]
    assert [body["texts"]["text"] for route, body in fake.asked if route == "typed"][-2:] == ["older", "newer"]


def test_what_is_typed_of_a_text_is_there_again_when_one_comes_back(saliency: Callable[..., SaliencyPage]) -> None:
    screen, fake = typed(saliency)
    page = screen.page
    box = page.get_by_role("textbox", name="Typed text")
    box.fill("mine")
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.locator(".list-row").nth(1).click()
    expect(page.locator(".heat-where h2")).to_have_text("second")
    expect(page.get_by_role("textbox", name="Typed text")).to_have_value("bad slow plot good cast")
    page.locator(".list-row").first.click()
    expect(page.get_by_role("textbox", name="Typed text")).to_have_value("mine")
    assert not [route for route, _ in fake.asked if route in {"case", "hand-in"}]


def test_it_is_saved_as_a_test_case_by_keyboard_and_as_a_version_by_those_alone_who_write_them(
    saliency: Callable[..., SaliencyPage],
) -> None:
    screen, fake = typed(saliency, may_write=False)
    page = screen.page
    expect(page.get_by_role("button", name="Save as a perturbed version")).to_be_hidden()
    page.get_by_role("textbox", name="Typed text").fill("bad soup")
    page.get_by_role("button", name="Save as a test case").press("Enter")
    expect(page.get_by_role("textbox", name="Suite")).to_be_focused()
    page.get_by_role("combobox", name="What is expected").select_option(label="same prediction as for the stored text")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Saved. Run it under Tests.")
    [body] = [body for route, body in fake.asked if route == "case"]
    assert (body["texts"], body["label"], body["suite"]) == ({"text": "bad soup"}, None, "Typed texts")


# What a model wrote stands above the text; each of its subwords shows its own map, by mouse and by keyboard.

WRITTEN = {
    "subwords": [" not", " <b>good", "\n"],
    "scores": [[0.8, 0.0, 0.0, 0.4, 0.0], [0.0, 0.0, -0.4, 0.8, None], [0.1, 0.0, 0.0, 0.0, 0.0]],
    "earlier": [[], [0.4], [-0.1, 0.05]],
}
UNSCORED = "Starts with no label: neither right nor wrong."


def written_map(**changes: Any) -> dict[str, Any]:
    facts = {"label": "", "scores": [0.3, 0.0, -0.1, 0.4, 0.0], "written": WRITTEN, "facts": {"earlier_share": 0.25}}
    return map_of(**{**facts, **changes})


def subword(shown: SaliencyPage, words: str) -> Locator:
    return shown.map().get_by_role("toolbar").get_by_role("button", name=words, exact=True)


def step_of(shown: SaliencyPage, token: int) -> str:
    """The class of a word's heat."""
    classes = (shown.map().locator(f"[data-token='{token}']").get_attribute("class") or "").split()
    return next((one for one in classes if one[0] in "so" and one[1:].isdigit()), "")


def test_a_click_on_a_subword_shows_its_map_and_all_shows_the_mean(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()]))
    expect(shown.map().get_by_role("toolbar")).to_have_accessible_name("Text generated by tiny, by subword")
    expect(shown.map()).to_contain_text("Mean heatmap over the 3 subwords generated.")
    expect(shown.map().locator("header")).to_contain_text("for “not <b>good”")
    assert (step_of(shown, 0), step_of(shown, 3)) == ("s8", "s10")
    expect(shown.page.locator(".heat-numbers tr", has_text="On the generated text")).to_contain_text("25.0 %")

    subword(shown, "not").click()
    expect(subword(shown, "not")).to_have_attribute("aria-pressed", "true")
    expect(shown.map().locator("header")).to_contain_text("for “not”")
    expect(shown.map()).to_contain_text("Heatmap of subword 1 of 3")
    expect(shown.map().locator(".heat-legend")).to_contain_text("supports “not”")
    assert (step_of(shown, 0), step_of(shown, 3)) == ("s10", "s5")
    expect(shown.page.locator(".heat-numbers tr", has_text="On the generated text")).to_contain_text("0.0 %")

    subword(shown, "<b>good").click()  # as text, never as markup
    expect(subword(shown, "not")).to_have_class("written-piece s5")  # what it counted: half of the strongest word
    assert (step_of(shown, 2), step_of(shown, 3)) == ("o5", "s10")
    expect(shown.page.locator(".heat-numbers tr", has_text="On the generated text")).to_contain_text(
        "25.0 %"
    )  # .4 of 1.6
    expect(shown.map().locator("[data-token='4']")).to_have_class("t not-seen")

    subword(shown, "All").click()
    expect(subword(shown, "not")).to_have_class("written-piece")
    assert (step_of(shown, 0), step_of(shown, 3)) == ("s8", "s10")


def test_how_a_subword_is_shared_out_is_told_as_it_was_stored_with_the_prompt(
    saliency: Callable[..., SaliencyPage],
) -> None:
    facts = [{}, {"prompt_share": 0.3, "earlier_share": 0.125}, {}]
    shown = saliency(SaliencyFake(panels=[written_map(written={**WRITTEN, "facts": facts})]))
    subword(shown, "<b>good").click()
    rows = shown.page.locator(".heat-numbers tr")
    expect(rows.filter(has_text="On the generated text")).to_contain_text("12.5 %")  # and not 25 %, without the prompt
    expect(rows.filter(has_text="On the prompt")).to_contain_text("30.0 %")


COUNTED_MOST = {
    "subwords": [" and", " so"],
    "scores": [[0.8, 0.0, 0.0, 0.0, 0.0], [0.02, 0.03, -0.04, 0.063, 0.0]],
    "earlier": [[], [0.755]],
}


def test_words_and_earlier_subwords_are_coloured_on_one_scale_and_with_scores_say_their_numbers(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[written_map(written=COUNTED_MOST)]))
    subword(shown, "so").click()
    expect(subword(shown, "and")).to_have_class("written-piece s10")
    assert step_of(shown, 3) == "s1"  # a twelfth of what the subword counted, and not the strongest colour as well
    expect(shown.map().locator(".heat-legend")).to_contain_text("0.755")
    shown.page.locator(".heat-controls .menu summary").click()
    shown.page.get_by_role("button", name="Scores").click()
    expect(subword(shown, "and +0.755")).to_be_visible()
    box = shown.map().get_by_role("toolbar")
    assert box.evaluate("(made) => made.scrollHeight <= made.clientHeight")  # the number below the subword can be seen
    subword(shown, "All").click()
    expect(subword(shown, "and")).to_be_visible()  # without a number: nothing is explained by it


def saved(shown: SaliencyPage, kind: str) -> str:
    """What the file of this kind holds."""
    shown.page.get_by_role("button", name="Export").click()
    with shown.page.expect_download() as download:
        shown.page.get_by_role("dialog").get_by_role("button", name=kind, exact=True).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def at_the_second_subword(saliency: Callable[..., SaliencyPage]) -> SaliencyPage:
    shown = saliency(SaliencyFake(panels=[written_map()]))
    subword(shown, "<b>good").click()
    return shown


def test_the_csv_holds_the_answer_with_the_maps_of_all_its_subwords_and_what_earlier_ones_counted(
    saliency: Callable[..., SaliencyPage],
) -> None:
    rows = list(csv.DictReader(StringIO(saved(at_the_second_subword(saliency), "CSV"))))
    assert {row["written"] for row in rows} == {"not <b>good"}
    assert {row["label"] for row in rows} == {""}  # a subword is no label
    of_text = [(row["piece"], row["token"], row["score"]) for row in rows if row["part"] == "text"]
    assert len(of_text) == 4 * 5
    assert of_text[0] == ("", "bad", "0.3")  # the mean, and then each subword
    assert of_text[5:7] == [("1", "bad", "0.8"), ("1", "slow", "0")]
    assert of_text[14] == ("2", "cast", "")
    assert [row["rank"] for row in rows if row["part"] == "text" and row["piece"] == "2"] == ["2", "3", "4", "1", ""]
    earlier = [
        (row["piece"], row["token_index"], row["token"], row["score"]) for row in rows if row["part"] == "answer"
    ]
    assert earlier == [("2", "0", " not", "0.4"), ("3", "0", " not", "-0.1"), ("3", "1", " <b>good", "0.05")]


def test_drawings_pages_and_latex_hold_the_answer_the_subword_and_what_earlier_ones_counted(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = at_the_second_subword(saliency)
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", saved(shown, "SVG"))
    assert texts[1:6] == ["Subword 2 of 3 generated by tiny:", "not", "+0.400", "&#60;b&#62;good", "↵"]
    latex = saved(shown, "LaTeX")
    assert "Subword 2 of 3 generated by tiny:" in latex
    assert "not}\\textsubscript{+0.400} \\textbf{\\textless{}b\\textgreater{}good} " in latex
    page = saved(shown, "HTML")
    tab = shown.page.context.new_page()
    tab.set_content(page)
    subwords = tab.locator(".heat-written-pieces")
    expect(subwords.locator("span")).to_have_text(["not", "<b>good", "↵"])
    expect(subwords.locator("span.chosen")).to_have_text("<b>good")
    number = subwords.locator("span").first.evaluate("(made) => getComputedStyle(made, '::after').content")
    assert number == '"+0.400"'
    tab.close()


def test_the_address_carries_the_chosen_subword_and_a_link_opens_with_it(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(), written_map(run=2)]))
    shown.map(1).get_by_role("button", name="<b>good", exact=True).click()
    shown.page.wait_for_function("new URLSearchParams(location.search).get('written') === '-,2'")
    linked = saliency(SaliencyFake(panels=[map_of(), written_map(run=2)])).open(query="&written=-,2")
    chosen = linked.map(1).get_by_role("button", name="<b>good", exact=True)
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(linked.map(1)).to_contain_text("Heatmap of subword 2 of 3")
    linked.map(0).get_by_role("button", name="Remove this heatmap").click()  # what is drawn anew keeps its subword
    expect(linked.page.locator(".heat-panel")).to_have_count(1)
    expect(subword(linked, "<b>good")).to_have_attribute("aria-pressed", "true")
    linked.page.wait_for_function("new URLSearchParams(location.search).get('written') === '2'")
    linked.page.keyboard.press("j")  # another text begins with all subwords
    expect(subword(linked, "All")).to_have_attribute("aria-pressed", "true")


def test_a_subword_of_a_link_that_is_not_there_is_named(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()])).open(query="&written=9")
    expect(shown.page.locator(".heat-notice")).to_contain_text("Subwords “9”")
    expect(subword(shown, "All")).to_have_attribute("aria-pressed", "true")


def test_a_link_that_could_not_be_copied_stands_within_its_dialog(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()]))
    shown.page.evaluate("() => void (navigator.clipboard.writeText = () => Promise.reject())")
    shown.page.get_by_role("button", name="Copy link").click()
    field = shown.page.get_by_role("textbox", name="Copy link")
    expect(field).to_be_focused()
    dialog = shown.page.get_by_role("dialog")
    inner, outer = field.bounding_box(), dialog.bounding_box()
    assert inner
    assert outer
    assert inner["x"] - outer["x"] >= 10  # as far from the edges as all that stands in a dialog
    assert outer["x"] + outer["width"] - inner["x"] - inner["width"] >= 10
    assert dialog.evaluate("(made) => made.scrollHeight <= made.clientHeight")


def test_the_matrix_of_a_written_answer_has_its_subwords_down_and_words_and_earlier_subwords_across(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()]))
    shown.page.locator(".heat-controls .menu summary").click()
    shown.page.get_by_role("button", name="Matrix").click()
    table = shown.page.get_by_role("region", name="Generated subwords × tokens")
    expect(table.locator("thead th")).to_contain_text(["tiny", *WORDS, "not", "<b>good", "↵"])
    expect(table.locator("tbody th")).to_have_text(["1 not", "2 <b>good", "3 ↵"])
    titles = table.locator("tbody tr").nth(2).locator("td").evaluate_all("(cells) => cells.map((cell) => cell.title)")
    assert titles[0] == "bad: +0.100 for “↵”"
    assert titles[5:] == ["not: −0.100 for “↵”", "<b>good: +0.050 for “↵”", "↵: no score"]
    second = table.locator("tbody tr").nth(1).locator("td")
    expect(second.nth(3)).to_have_class("s10")  # of 0.8, the highest of all subwords
    expect(second.nth(5)).to_have_class("s5")  # what the first subword counted, on the same scale


def test_the_subwords_are_walked_with_arrows_and_chosen_with_enter(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()]))
    subword(shown, "All").focus()
    keys = shown.page.keyboard
    for key, here in (("ArrowRight", "not"), ("End", "↵"), ("ArrowRight", "↵"), ("Home", "All"), ("ArrowLeft", "All")):
        keys.press(key)
        expect(subword(shown, here)).to_be_focused()
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(subword(shown, "not")).to_have_attribute("aria-pressed", "true")
    expect(subword(shown, "not")).to_have_attribute("tabindex", "0")
    expect(subword(shown, "All")).to_have_attribute("tabindex", "-1")
    assert step_of(shown, 0) == "s10"
    keys.press("Enter")  # once more: all of them again
    expect(subword(shown, "All")).to_have_attribute("aria-pressed", "true")
    expect(shown.page.locator(".heat-where h2, h2").first).to_contain_text("first")  # the list did not walk along


def test_the_words_below_the_answer_say_what_a_word_counts_for_the_chosen_subword(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()]))
    subword(shown, "not").click()
    shown.map().locator("[data-token='0']").hover()
    expect(shown.map().locator(".heat-pointed")).to_have_text("“bad” · +0.800 for “not” · rank 1 of 5 · in the top k")


def test_an_answer_that_is_no_label_is_said_not_to_count(saliency: Callable[..., SaliencyPage]) -> None:
    scored = saliency(SaliencyFake(panels=[written_map()]))
    expect(scored.map()).not_to_contain_text(UNSCORED)
    unscored = saliency(SaliencyFake(panels=[written_map(answer=None)]))
    expect(unscored.map()).to_contain_text(UNSCORED)
    text = unscored.map().locator(".heat-text")
    top = text.evaluate("(made) => made.getBoundingClientRect().top")
    subword(unscored, "not").click()
    assert text.evaluate("(made) => made.getBoundingClientRect().top") == top  # the text stays where it is


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_subwords_can_be_read_on_their_colours(saliency: Callable[..., SaliencyPage], theme: str) -> None:
    shown = saliency(SaliencyFake(panels=[written_map()])).open(theme)
    subword(shown, "<b>good").click()
    assert lowest_contrast(shown.map().get_by_role("toolbar")) >= ENOUGH
