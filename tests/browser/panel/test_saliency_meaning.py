"""What a map's scores mean is said wherever they are shown: in its head, beside its colours, of each word, in every file."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel.contrast import ENOUGH, lowest_contrast
from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, attention, map_of

pytestmark = pytest.mark.browser

NO_LABEL = "weight; belongs to no label"

FILE = """async (kind) => {
  const wait = new Promise((done) => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { URL.createObjectURL = make; blob.text().then(done); return make.call(URL, blob); };
  });
  [...shadow.querySelectorAll(".heat-controls button")].find((one) => one.textContent.startsWith("Export")).click();
  [...shadow.querySelectorAll("dialog button")].find((one) => one.textContent === kind).click();
  return wait;
}"""


def test_scores_without_sign_and_label_never_support_what_the_model_answers(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake())
    signed, weights = shown.map(0), shown.map(1)
    expect(signed.locator(".heat-legend")).to_contain_text("− opposes, + supports “negative”")
    expect(signed.locator("header")).to_contain_text("for “negative”")
    expect(weights.locator("header")).to_contain_text(NO_LABEL)
    expect(weights.locator(".heat-legend")).to_contain_text(NO_LABEL)
    expect(weights).to_have_attribute("aria-label", f"tiny · attention, {NO_LABEL}")
    assert NO_LABEL in (weights.locator("h3").get_attribute("title") or "")
    shown.page.mouse.move(0, 0)
    weights.locator("[data-token='0']").hover()
    expect(weights.locator(".heat-pointed")).to_have_text(
        "“bad” · weight 0.400; belongs to no label · rank 1 of 5 · in the top k"
    )
    expect(signed.locator(".heat-pointed")).to_have_text("“bad” · +0.500 for “negative” · rank 1 of 5 · in the top k")
    assert "supports" not in weights.inner_text()
    shown.page.get_by_role("button", name="Matrix").click()
    cell = shown.page.locator(".heat-matrix tr").nth(2).locator("td").first
    expect(cell).to_have_attribute("title", "bad: weight 0.400; belongs to no label")


def test_a_size_that_was_computed_for_a_label_says_that_it_has_no_sign(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[attention(method="gradient", label="negative")])).map()
    expect(shown.locator("header")).to_contain_text("weight for “negative”, without a sign")
    expect(shown.locator(".heat-legend")).to_contain_text("does not say whether a word supports or opposes it")


def test_scores_with_signs_whose_source_names_no_label_are_not_put_to_the_answer(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(label="")])).map()
    expect(shown.locator("header")).to_contain_text("label not named")
    expect(shown.locator(".heat-legend")).to_contain_text("supports a label that the source does not name")


def test_a_reading_model_may_explain_that_there_is_no_answer(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(label="", answer={"label": "", "probabilities": {}})])).map()
    expect(shown.locator(".heat-legend")).to_contain_text("− opposes, + supports “no answer”")


@pytest.mark.parametrize("kind", ["SVG", "HTML", "LaTeX"])
def test_files_say_that_weights_belong_to_no_label(saliency: Callable[..., SaliencyPage], kind: str) -> None:
    text = saliency(SaliencyFake()).page.evaluate(FILE, kind)
    assert NO_LABEL in text
    assert "supports “positive”" not in text


def test_the_csv_names_the_label_of_each_score_and_whether_it_has_a_sign(
    saliency: Callable[..., SaliencyPage],
) -> None:
    lines = saliency(SaliencyFake()).page.evaluate(FILE, "CSV").split("\r\n")
    assert lines[0] == "instance,map,label,signed,token_index,token,score,rank,in_top_k,gold_sets"
    assert lines[1] == "first,tiny · occlusion,negative,1,0,bad,0.5,1,1,A"
    assert lines[6] == "first,tiny · attention,,0,0,bad,0.4,1,1,A"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_zero_is_the_page_s_ground_and_words_stay_legible_on_the_strongest_colours(
    saliency: Callable[..., SaliencyPage], theme: str
) -> None:
    shown = saliency(SaliencyFake(gold=())).open(theme)
    ground = "getComputedStyle(shadow.querySelector('.heat-paper')).backgroundColor"
    page = "getComputedStyle(document.body).backgroundColor"
    assert shown.page.evaluate(f"{ground} === {page}")
    for place, token in ((0, 0), (0, 2), (1, 0)):
        assert lowest_contrast(shown.map(place).locator(f"[data-token='{token}']")) >= ENOUGH
    # A weight has a hue of its own, neither that of support nor that of opposition.
    colours = [shown.map(at).locator(f"[data-token='{token}']").evaluate("(word) => getComputedStyle(word).backgroundColor")
               for at, token in ((0, 0), (0, 2), (1, 0))]  # fmt: skip
    assert len(set(colours)) == 3


def test_words_that_the_model_did_not_see_can_be_read(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(scores=[0.5, None, -0.5, 0.1, 0.2])])).map()
    expect(shown.locator("[data-token='1']")).to_be_visible()
    expect(shown.locator("[data-token='1']")).to_have_css("visibility", "visible")
