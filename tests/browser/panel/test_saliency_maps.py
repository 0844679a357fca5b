"""Maps on the Saliency screen: their heads, what their scores mean, their numbers, everybody's sets below, and their files."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import saliency_harness, samples
from tests.browser.panel.harness import ENOUGH, Fake, PanelPage, lowest_contrast, work
from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, annotator, attention, map_of

pytestmark = pytest.mark.browser

EMPTY = {"scores": None, "label": "", "unit": "none"}


def of_layer(run: int, layer: int, **changes: Any) -> dict[str, Any]:
    """A map of a run that differs from its neighbours in its layer alone, with names as long as they are."""
    facts = {"model": "bert_tiny_classifier", "method": "layer-integrated-gradients", "layers": [layer]}
    return map_of(run, layer=layer, parameters=json.dumps({"layer": layer, "steps": 50}), **facts, **changes)


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720)])
def test_the_layer_that_tells_maps_apart_is_seen_whole_and_said_once(
    saliency: Callable[..., SaliencyPage], width: int, height: int
) -> None:
    shown = saliency(SaliencyFake(panels=[of_layer(run, run) for run in range(3)]))
    shown.page.set_viewport_size({"width": width, "height": height})
    shown.open()
    apart = shown.page.locator(".heat-apart")
    expect(apart).to_have_text(["layer 0", "layer 1", "layer 2"])
    sizes = apart.evaluate_all("all => all.map(one => [one.scrollWidth, one.getBoundingClientRect().width])")
    assert all(0 < content <= box + 1 for content, box in sizes)
    name = "bert_tiny_classifier · layer-integrated-gradients · layer 2, for “negative”"
    expect(shown.map(2)).to_have_accessible_name(name)


def test_a_map_without_an_attribution_of_the_text_is_a_line_beside_others(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(), map_of(3, method="lime", **EMPTY), map_of(4, method="linear")]))
    empty = shown.map(1)
    expect(empty).to_contain_text("no attribution of this text in this run")
    heights = [(shown.map(place).bounding_box() or {})["height"] for place in range(3)]
    assert heights[1] < 80 < min(heights[0], heights[2])
    expect(empty.locator(".heat-text")).to_be_hidden()
    expect(empty.get_by_role("button", name="Remove this heatmap")).to_be_visible()


def test_the_text_stands_in_a_map_of_nothing_where_no_other_shows_it(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(3, method="lime", **EMPTY)]))
    expect(shown.map().locator(".heat-text")).to_be_visible()


def test_a_link_to_a_layer_and_a_label_that_are_gone_names_them_and_opens_the_runs_own(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[of_layer(17, 2)])).open(query="&panels=17:7:nosuch&k=9999&looks=foo")
    notice = shown.page.locator(".heat-notice")
    for gone in ("Layer “7” (run 17)", "Label “nosuch” (run 17)", "Top k “9999”", "View “foo”"):
        expect(notice).to_contain_text(gone)
    expect(shown.page.locator(".heat-apart")).to_have_text(["layer 2"])
    shown.page.wait_for_url("**panels=17%3A-%3A&**")


def test_the_box_of_a_single_sign_is_wider_than_the_sign_and_moves_no_word(
    saliency: Callable[..., SaliencyPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saliency_harness, "WORDS", (".", "slow", "plot", "good", "cast"))
    shown = saliency(SaliencyFake()).open()
    expect(shown.map(0).locator(".t.top.narrow")).to_have_text(".")
    measured = shown.map(0).evaluate("""(map) => {
      const [sign, next] = map.querySelectorAll("[data-token]");
      const now = () => [sign.getBoundingClientRect().width, next.getBoundingClientRect().left];
      const before = now();
      sign.classList.remove("narrow");
      return before.map((value, at) => value - now()[at]);
    }""")
    assert measured == pytest.approx([4, 0], abs=0.01)


# What a map's scores mean is said wherever they are shown: in its head, beside its colours, of each word, in every file.

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
    shown.page.locator(".heat-controls .menu summary").click()
    shown.page.get_by_role("button", name="Matrix").click()
    cell = shown.page.locator(".heat-matrix tr").nth(2).locator("td").first
    expect(cell).to_have_attribute("title", "bad: weight 0.400; belongs to no label")


def test_a_size_that_was_computed_for_a_label_says_that_it_has_no_sign(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[attention(method="gradient", label="negative")])).map()
    expect(shown.locator("header")).to_contain_text("weight for “negative”, unsigned")
    expect(shown.locator(".heat-legend")).to_contain_text("weight for “")


def test_scores_with_signs_whose_source_names_no_label_are_not_put_to_the_answer(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(label="")])).map()
    expect(shown.locator("header")).to_contain_text("label not named")
    expect(shown.locator(".heat-legend")).to_contain_text("− opposes, + supports an unnamed label")


def test_a_reading_model_may_explain_that_there_is_no_answer(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(label="", answer={"label": "", "probabilities": {}})])).map()
    expect(shown.locator(".heat-legend")).to_contain_text("− opposes, + supports “no answer”")


@pytest.mark.parametrize("kind", ["SVG", "HTML", "LaTeX"])
def test_files_say_that_weights_belong_to_no_label(saliency: Callable[..., SaliencyPage], kind: str) -> None:
    text = saliency(SaliencyFake()).page.evaluate(FILE, kind)
    assert NO_LABEL in text
    assert "supports “positive”" not in text


@pytest.mark.parametrize("kind", ["SVG", "HTML", "LaTeX"])
def test_files_say_how_many_tokens_of_a_side_are_boxed(saliency: Callable[..., SaliencyPage], kind: str) -> None:
    assert "boxed: top 2" in saliency(SaliencyFake()).page.evaluate(FILE, kind)


def test_latex_holds_signs_of_which_tex_would_make_others(saliency: Callable[..., SaliencyPage]) -> None:
    text = saliency(SaliencyFake(panels=[map_of(model="a--b ``c'' <<?`")])).page.evaluate(FILE, "LaTeX")
    assert "a-{}-b `{}`c'{}' \\textless{}\\textless{}?{}`" in text


def test_the_csv_names_the_label_of_each_score_and_whether_it_has_a_sign(saliency: Callable[..., SaliencyPage]) -> None:
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


# What a method says of its own scores: each number has a name of its own, and stands once.

FACTS = """async (panel) => {
  const { factsOf } = await import(`${panelAt}/saliency/map_numbers.js`);
  return factsOf(panel).map(({ title, value }) => [title, value]);
}"""
MAP = "async () => (await (await fetch(`${panelAt}/saliency/tables.js`)).text()).includes('Convergence')"


def test_what_the_scores_miss_is_named_by_whether_it_is_a_difference_or_a_share(
    panel: Callable[..., PanelPage],
) -> None:
    page = panel(Fake([work(1, samples.english())])).page
    assert page.evaluate(FACTS, {"convergence": 0.02, "facts": {}}) == [["Convergence delta", "0.020"]]
    shares = {"convergence": 0.02, "facts": {"convergence_share": 0.05, "output_change": 0.4}}
    assert page.evaluate(FACTS, shares) == [["Convergence delta, relative", "5.0 %"]]
    assert page.evaluate(FACTS, {"convergence": None, "facts": {}}) == []
    assert not page.evaluate(MAP)  # a map adds these facts to its numbers, and has none of its own by that name


# How far a model is to be trusted stands with its answer, in the head of its map.

LINE = "right on 58.7 % of 138 held-out texts; always “negative”: 44.9 %"


def test_how_often_a_model_is_right_stands_under_its_answer_and_of_one_from_elsewhere_nothing(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(held_out=LINE), attention()]))
    expect(shown.map(0).locator("header")).to_contain_text(LINE)
    expect(shown.map(1).locator(".heat-held-out")).to_have_count(0)


def test_without_an_answer_there_is_nothing_to_trust(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(held_out=LINE, answer=None)]))
    expect(shown.map().locator("h3")).to_be_visible()
    expect(shown.map().locator(".heat-held-out")).to_have_count(0)


# The numbers of all maps stand in one table that is read across, and the maps use the room that there is.


def test_numbers_are_rows_and_maps_are_columns_in_the_order_of_the_screen(
    saliency: Callable[..., SaliencyPage],
) -> None:
    lime = map_of(3, method="lime", numbers={"editing.mrr": 0.0042}, facts={"r2": 0.5})
    page = saliency(SaliencyFake(panels=[map_of(numbers={"editing.mrr": 1.0}), attention(), lime])).page
    table = page.get_by_role("region", name="Numbers of the maps")
    heads = table.locator("thead th:not(.definition)")
    assert [head.evaluate("(one) => one.firstChild.data") for head in heads.all()] == page.locator(
        ".heat-panel h3"
    ).all_inner_texts()
    values = {
        row.locator("th").inner_text(): [cell.inner_text() for cell in row.locator("td:not(.definition)").all()]
        for row in table.locator("tbody tr").all()
    }
    assert values["IoU"] == ["1.00", "0.500", "1.00"]
    assert values["MRR"] == ["1.00", "", "0.0042"]
    assert values["R²"] == ["", "", "0.500"]
    # The same number stands in one line, and each map's numbers end in one column.
    rights = (
        "(row) => [...row.querySelectorAll('td:not(.definition)')].map((cell) => cell.getBoundingClientRect().right)"
    )
    ends = [row.evaluate(rights) for row in table.locator("tbody tr").all()]
    assert all(row == ends[0] for row in ends)
    # What a number means is read without a pointer.
    page.get_by_text("About these numbers").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("average precision")).to_have_count(0)
    expect(page.locator("dd", has_text="fit (R²) of LIME's linear model; 1 is best")).to_be_visible()


def test_convergence_stands_there_once(saliency: Callable[..., SaliencyPage]) -> None:
    page = saliency(SaliencyFake(panels=[map_of(convergence=0.01, facts={"convergence_share": 0.02, "output_change": 0.5})])).page  # fmt: skip
    rows = page.get_by_role("region", name="Numbers of the maps").locator("th[scope=row]")
    assert [words for words in rows.all_inner_texts() if words.startswith("Convergence")] == [
        "Convergence delta, relative"
    ]


def test_maps_stand_in_rows_of_equal_length(saliency: Callable[..., SaliencyPage]) -> None:
    columns = "async (asked) => (await import(`${panelAt}/saliency/tables.js`)).columnsFor(...asked)"
    page = saliency(SaliencyFake()).page
    found = {(n, width): page.evaluate(columns, [n, width]) for n in (1, 3, 4, 5) for width in (300, 720, 1300)}
    assert [found[1, width] for width in (300, 720, 1300)] == [1, 1, 1]
    assert [found[3, width] for width in (300, 720, 1300)] == [1, 2, 3]
    assert [found[4, width] for width in (300, 720, 1300)] == [1, 2, 2]
    assert [found[5, width] for width in (300, 720, 1300)] == [1, 2, 3]


def test_the_numbers_of_one_map_stand_beside_it_where_there_is_room(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of()]))
    page = shown.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    try:
        page.wait_for_function("shadow.querySelector('.heat-content').clientWidth > 900")
        sides = "(one) => { const { left, right } = one.getBoundingClientRect(); return [left, right]; }"
        left, right = shown.map().evaluate(sides)
        assert page.locator(".heat-numbers").evaluate(sides)[0] >= right
        assert right - left <= 760
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("shadow.querySelector('.heat-content').clientWidth < 800")
    assert page.evaluate(
        "document.querySelector('#scroller').scrollWidth <= document.querySelector('#scroller').clientWidth"
    )


# Everybody's own sets below the words: who is who, how a map agrees with each, and how many stay readable.

HOSTILE = "<img src=x onerror=document.title='broken'>"


def test_people_stand_in_the_place_of_gold_with_the_agreement_of_each_map(
    saliency: Callable[..., SaliencyPage],
) -> None:
    people = (
        annotator("ann", (0, 1), facts=["G1"]),
        annotator(HOSTILE, (2,), (3,), label="positive"),
        annotator("cem"),
    )
    screen = saliency(SaliencyFake(people=people)).open(query="&gold=people")
    page = screen.page
    expect(page.get_by_role("combobox", name="Sets below the words")).to_have_value("people")
    expect(page.locator(".person")).to_have_count(3)
    expect(page.locator(".person").first).to_contain_text("annnegative · G1")
    expect(page.locator(".person").nth(1)).to_contain_text(HOSTILE)
    expect(page.locator(".person").nth(2)).to_contain_text("marked nothing")
    # k is 2 of 5: "bad" and "slow" of the first map, "bad" and "plot" or "good" of the second.
    expect(screen.map(0).locator(".heat-fit")).to_have_text(["11.00", "20", "3–"])
    expect(page.get_by_role("rowheader", name="F1 with ann")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Token F1")).to_have_count(0)
    screen.map(0).locator("[data-token='2']").hover()
    assert page.title() != "broken"


def test_the_keyboard_goes_from_gold_to_people_and_back_and_takes_lanes_away(
    saliency: Callable[..., SaliencyPage],
) -> None:
    screen = saliency(SaliencyFake(people=(annotator("ann", (0, 1)), annotator("bob", (2,))))).open()
    page = screen.page
    expect(page.locator(".gold-chip")).to_have_count(2)
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    page.keyboard.press("g")
    box = page.get_by_role("checkbox").nth(1)
    expect(box).to_be_checked()
    expect(screen.map(0).locator("[data-token='2']")).to_have_class("t o10 g1")
    box.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox").nth(1)).not_to_be_checked()
    expect(page.get_by_role("checkbox").nth(1)).to_be_focused()
    expect(screen.map(0).locator("[data-token='2']")).to_have_class("t o10")
    expect(screen.map(0).locator(".heat-fit")).to_have_count(2)
    page.keyboard.press("Escape")
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    page.keyboard.press("g")
    expect(page.locator(".gold-chip")).to_have_count(2)


def test_twenty_people_leave_room_for_the_text(saliency: Callable[..., SaliencyPage]) -> None:
    crowd = tuple(annotator(f"somebody with a long name {n}", (n % 5,), facts=["G1", "30"]) for n in range(20))
    screen = saliency(SaliencyFake(people=crowd)).open(query="&gold=people")
    expect(screen.page.locator(".person input:checked")).to_have_count(12)
    expect(screen.map(0).locator(".heat-fit")).to_have_count(20)
    box = screen.map(0).locator(".heat-text").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720


# The CSV of the maps on screen: words and names that a spreadsheet would carry out are words, numbers are numbers.

CSV_OF_ONE_MAP = """async (words) => {
  const { csvOf } = await import(`${panelAt}/saliency/export.js`);
  const segment = { first: 0, tokens: words, before: words.map(() => " ") };
  const map = {
    title: () => "@model", view: { gold: [[0]], segments: [segment], instance: { key: "-key" } },
    panel: { label: "-label", is_signed: true, scores: words.map((_, place) => -0.5 * place) }, ranks: new Map([[0, 1]]), selected: new Set([0]),
  };
  return csvOf([map]);
}"""


def test_words_that_begin_like_a_formula_get_an_apostrophe_and_numbers_none(panel: Callable[..., PanelPage]) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    lines = shown.page.evaluate(CSV_OF_ONE_MAP, ["=1+1", "-0.5", "＝1", "\n=2", "a=b"]).split("\r\n")
    assert lines[1:] == [
        "'-key,'@model,'-label,1,0,'=1+1,0,1,1,A",
        "'-key,'@model,'-label,1,1,-0.5,-0.5,,0,",
        "'-key,'@model,'-label,1,2,'＝1,-1,,0,",
        "'-key,'@model,'-label,1,3,\"'\n=2\",-1.5,,0,",
        "'-key,'@model,'-label,1,4,a=b,-2,,0,",
    ]


# How large a picture of the Saliency screen is drawn: twice the drawing, or as large as browsers draw.


@pytest.mark.parametrize(
    ("width", "height", "scale"),
    [
        (808, 400, 2),
        (3160, 11_274, 1.94),  # 6,320 × 22,548 pixels would be more than 2^27
        (808, 20_000, 1.64),  # a side has at most 32,767 pixels
        (8192, 16_384, 1),  # exactly 2^27
        (8192, 16_400, None),
        (100, 33_000, None),
    ],
)
def test_a_large_picture_is_drawn_smaller_before_it_is_refused(
    panel: Callable[..., PanelPage], width: int, height: int, scale: float | None
) -> None:
    page = panel(Fake([work(1, samples.english())])).page
    drawn = page.evaluate(
        "async ([width, height]) => (await import(`${panelAt}/saliency/drawing.js`)).pictureScale(width, height)",
        [width, height],
    )
    assert drawn == (None if scale is None else pytest.approx(scale, abs=0.005))
