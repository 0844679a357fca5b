"""A researcher looks at attributions beside the gold, shares what they see, looks further than the gold, and finds texts by two numbers."""

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import forget_model, list_runs
from annotator.store.people import get_user
from annotator.store.perturb.perturbations import perturbations_of
from annotator.store.projects import get_project_by_id
from annotator.store.suites import cases_of_suite, list_suites
from annotator.usecases.background import AskedAttribution, ask_to_attribute
from annotator.usecases.models.attributions import AttributingOptions
from annotator.usecases.models.sufficient_sets import find_sufficient_sets
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from benchmarks.served import Server
from tests.browser.stories.story import Person, unfold

pytestmark = pytest.mark.browser

# Where the first letter of a paragraph stands.
_FIRST_WORD = """(words) => {
  const range = document.createRange();
  let text = words;
  while (text.firstChild) text = text.firstChild;
  range.setStart(text, 0);
  range.setEnd(text, 1);
  const { left, top } = range.getBoundingClientRect();
  return [left, top];
}"""
HOSTILE = "<img src=x onerror=document.title='broken'>"


@pytest.fixture
def explained(server: Server, tmp_path: Path) -> Server:
    """Two models with two methods for every text of the sentiment project; one text more, with markup and a changed version."""
    rows = [
        {"id": "hostile", "text": f"bad {HOSTILE} soup", "tokens": ["bad", HOSTILE, "soup"], "label": "negative", "rationales": [[[0, 1]], [[1, 3]]]},
        {"id": "hostile-2", "text": "poor soup", "tokens": ["poor", "soup"], "label": "negative", "rationales": [[[0, 1]]], "parent": "hostile", "perturbation_kind": "synonym"},
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
        outputs = []
        for batch in iterate_instance_batches(store, 1):
            for instance in batch:
                n = instance.layout.n_selectable
                for model, sign in (("first model", 1.0), ("second model", -1.0)):
                    answer = Prediction(None, {"negative": 0.5 + 0.4 * sign, "positive": 0.5 - 0.4 * sign})
                    for method in ("gradient", "occlusion"):
                        scores = tuple(sign * (place % 5 - 2) / 2 for place in range(n))
                        attribution = SourceAttribution((ScoredPart(scores),))
                        outputs.append(
                            SourceOutput(
                                instance.key,
                                Run(model, method, is_signed=True),
                                "f",
                                1,
                                instance.split,
                                (answer,),
                                (attribution,),
                            )
                        )
        with store.transaction():
            report = ImportReport()
            Intake(store, project, ImportOptions(), report, lambda _: None).run(outputs)
        assert report.problems == []
    return server


def _panels(server: Server) -> str:
    """The panels of both models and methods, as the address names them."""
    with open_store(server.database) as store:
        return ",".join(
            f"{stored.id}:-:"
            for stored in list_runs(store, 1)
            if stored.run.method and stored.run.model in {"first model", "second model"}
        )


def test_a_researcher_sorts_compares_and_shares(
    explained: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    researcher = person("Researcher").open(f"/saliency?project=1&panels={_panels(explained)}")
    page = researcher.page
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("button", name="Measure")).to_have_count(0)
    page.get_by_test_id("stMain").focus()  # as a click beside everything does
    researcher.press("d")
    expect(page.locator(".scatter")).to_be_visible()
    researcher.press("d")
    page.get_by_role("combobox", name="Order by a run").select_option(label="first model · gradient")
    expect(page.get_by_role("combobox", name="Number of the run")).to_have_value("-:sets.best_f1")
    expect(page.locator(".list-count")).to_contain_text("have no value of this number")
    page.get_by_role("searchbox", name="ID or words").fill("hostile")
    expect(page.locator(".list-row")).to_have_count(2)
    page.locator(".list-row", has=page.get_by_text("hostile", exact=True)).click()
    expect(page.locator(".heat-where h2")).to_have_text("hostile")
    expect(page.locator(".heat-panel")).to_have_count(4)
    assert page.title() != "broken"
    expect(page.locator(".heat-text").first).to_contain_text(HOSTILE)

    # Hovering a word tells its number and rank in every panel at once.
    page.locator(".heat-panel").first.locator("[data-token='0']").hover()
    expect(page.locator(".heat-pointed").nth(0)).to_contain_text("−1.00 · rank 3 of 3")
    expect(page.locator(".heat-pointed").nth(2)).to_contain_text("+1.00 · rank 1 of 3")

    # k by the keyboard: the top k is boxed, and the numbers follow without asking the server.
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    asked: list[str] = []
    researcher.hear("request", lambda request: asked.append(request.url) if "/api/saliency" in request.url else None)
    before = page.locator(".heat-panel").first.locator(".t.top").count()
    researcher.press("]")
    expect(page.locator(".heat-panel").first.locator(".t.top")).to_have_count(before + 1)
    researcher.press("x")
    expect(page.locator(".heat-matrix tbody tr")).to_have_count(4)
    researcher.press("x", "n")
    assert asked == []

    page.get_by_role("combobox", name="Version beside it").select_option(label="hostile-2 (synonym)")
    expect(page.locator(".heat-panel")).to_have_count(8)
    researcher.sees("MAP of the top k")
    asked_for = parse_qs(urlsplit(page.url).query)
    assert {"instance", "panels", "partner", "k", "looks"} <= set(asked_for)

    other = person("Lead").open(page.url.removeprefix(explained.address))
    expect(other.page.locator(".heat-where h2")).to_have_text("hostile")
    expect(other.page.locator(".heat-panel")).to_have_count(8)
    expect(other.page.locator(".with-numbers").first).to_be_visible()


FILES = {"HTML": "<!doctype html>", "SVG": "<svg", "LaTeX": "\\colorbox", "CSV": "token_index"}


def test_what_is_on_screen_is_saved_as_a_file_and_a_picture_is_the_drawing_at_twice_its_size(
    explained: Server, person: Callable[..., Person]
) -> None:
    page = _opened(explained, person("Researcher"), "hostile").page
    texts = {kind: _exported(page, kind).read_text(encoding="utf-8") for kind in FILES}
    for kind, words in FILES.items():
        assert words in texts[kind]
        assert "<img src=x" not in texts[kind] or kind in {"LaTeX", "CSV"}
        assert "soup" in texts[kind]

    picture = _exported(page, "PNG").read_bytes()
    root = ET.fromstring(texts["SVG"])
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (2 * int(root.get("width", 0)), 2 * int(root.get("height", 0)))
    assert "− opposes, + supports" in texts["SVG"]


def test_a_text_of_5000_tokens_becomes_a_picture(
    explained: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    words = [f"word{place % 37}" for place in range(5000)]
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"id": "long", "text": " ".join(words), "tokens": words, "label": "negative"}) + "\n")
    scores = (ScoredPart(tuple(place % 7 / 7 for place in range(5000))),)
    with open_store(explained.database) as store:
        project = get_project_by_id(store, 1)
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
        rows = [
            SourceOutput("long", Run(model, method, is_signed=True), "f", 1, None, (), (SourceAttribution(scores),))
            for model in ("first model", "second model")
            for method in ("gradient", "occlusion")
        ]
        with store.transaction():
            Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run(rows)
    page = _opened(explained, person("Researcher"), "long").page
    expect(page.locator(".heat-panel")).to_have_count(4)
    root = ET.fromstring(_exported(page, "SVG").read_text(encoding="utf-8"))
    width, height = struct.unpack(">II", _exported(page, "PNG").read_bytes()[16:24])
    # How large the drawing is depends on the machine's fonts; a picture comes of it in any case, legible and drawable.
    assert max(width, height) < 32_768
    assert width * height <= 2**27
    assert 1 <= width / float(root.get("width", 0)) <= 2


def test_a_browser_short_of_memory_draws_the_picture_at_its_own_size(
    explained: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher")
    researcher.change_browser(
        """const toBlob = HTMLCanvasElement.prototype.toBlob;
        HTMLCanvasElement.prototype.toBlob = function (done, type) {
          return this.width > 1000 ? done(null) : toBlob.call(this, done, type);
        };"""
    )
    page = _opened(explained, researcher, "hostile").page
    root = ET.fromstring(_exported(page, "SVG").read_text(encoding="utf-8"))
    picture = _exported(page, "PNG").read_bytes()
    assert struct.unpack(">II", picture[16:24]) == (int(root.get("width", 0)), int(root.get("height", 0)))


def test_a_picture_that_the_browser_cannot_draw_says_so_and_offers_the_drawing(
    explained: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher")
    researcher.change_browser("HTMLCanvasElement.prototype.toBlob = (done) => done(null)")
    page = _opened(explained, researcher, "hostile").page
    page.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="PNG", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("is too large to draw. Save as SVG, or remove heatmaps.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    assert download.value.suggested_filename == "saliency-hostile.svg"


def test_a_list_is_saved_chosen_shared_and_filled_with_the_keyboard_alone(
    explained: Server, person: Callable[..., Person]
) -> None:
    researcher = _opened(explained, person("Researcher"), "hostile")
    page = researcher.page
    researcher.press("/")
    page.keyboard.type("soup")
    expect(page.locator(".list-row", has=page.get_by_text("hostile", exact=True))).to_be_visible()
    n = page.locator(".list-row").count()
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    researcher.press("l")
    expect(page.get_by_role("textbox", name="List name")).to_be_focused()
    page.keyboard.type(f"soups {HOSTILE}")
    researcher.press("Tab")
    page.keyboard.type("is it the soup?")
    researcher.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text(f"is saved with {n} texts")

    # The text on screen goes off the list and on again; the focus stays where it is.
    on_it = page.get_by_role("region", name="soups").get_by_role("button", name="This text")
    on_it.focus()
    researcher.press("Enter")
    expect(on_it).to_have_attribute("aria-pressed", "false")
    expect(on_it).to_be_focused()
    researcher.press("Enter")
    expect(on_it).to_have_attribute("aria-pressed", "true")

    show = page.get_by_role("region", name="soups").get_by_role("button", name="Show")
    show.focus()
    researcher.press("Enter")
    page.get_by_role("searchbox", name="ID or words").fill("")
    expect(page.locator(".list-row")).to_have_count(n)
    expect(page.locator(".list-note")).to_contain_text("is it the soup?")
    expect(page.locator(".list-row").last).to_contain_text("hostile")  # taken off and put on again: at the end
    page.wait_for_url("**list=*")
    assert page.title() != "broken"

    other = person("Lead").open(page.url.removeprefix(explained.address))
    expect(other.page.locator(".list-note")).to_contain_text("is it the soup?")
    expect(other.page.locator(".list-row")).to_have_count(n)
    other.page.get_by_role("button", name="Lists").click()
    delete = other.page.get_by_role("region", name="soups").get_by_role("button", name="Delete")
    delete.click()
    delete.click()
    expect(other.page.get_by_role("region", name="soups")).to_have_count(0)
    page.reload()
    researcher.sees("The list in this link no longer exists")


def test_nobody_is_offered_a_model_against_itself_and_the_link_holds_what_is_listed(
    explained: Server, person: Callable[..., Person]
) -> None:
    page = _opened(explained, person("Researcher"), "hostile").page
    page.get_by_role("combobox", name="Which texts").select_option("won")
    first = page.get_by_role("combobox", name="Whose predictions", exact=True)
    values = [option.get_attribute("value") or "" for option in first.get_by_role("option").all()]
    assert len(values) > 1
    for value in values:
        first.select_option(value)
        others = page.get_by_role("combobox", name="The other model").get_by_role("option").all()
        offered = [option.get_attribute("value") for option in others]
        assert value not in offered
        assert offered

    first.select_option(label="first model")
    page.get_by_role("combobox", name="The other model").select_option(label="second model")
    chosen = [
        page.get_by_role("combobox", name=name, exact=True).input_value()
        for name in ("Whose predictions", "The other model")
    ]
    page.wait_for_url(f"**which=won&answers={chosen[0]}&other={chosen[1]}**")
    count = page.locator(".list-count").inner_text()
    other = person("Lead").open(page.url.removeprefix(explained.address)).page
    expect(other.locator(".list-count")).to_have_text(count)
    expect(other.get_by_role("combobox", name="Which texts")).to_have_value("won")


def test_words_are_pointed_at_by_keyboard_and_in_the_matrix(explained: Server, person: Callable[..., Person]) -> None:
    researcher = _opened(explained, person("Researcher"), "hostile")
    page = researcher.page
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    researcher.press("ArrowRight", "ArrowRight", "ArrowLeft")
    expect(page.locator(".heat-pointed").nth(0)).to_contain_text("“bad” · −1.00 · rank 3 of 3")
    expect(page.locator(".heat-pointed").nth(2)).to_contain_text("“bad” · +1.00 · rank 1 of 3")
    researcher.press("x")
    page.locator(".heat-matrix td[data-token='0']").first.hover()
    expect(page.locator(".heat-matrix tbody th").first).to_contain_text("−1.00 · rank 3 of 3")


def _opened(server: Server, researcher: Person, key: str) -> Person:
    """The page at a text, with the panels of both models."""
    researcher.open(f"/saliency?project=1&instance={researcher.instance_id(key)}&panels={_panels(server)}")
    researcher.page.locator(".heat-panel").first.wait_for()
    return researcher


def _exported(page: Page, kind: str) -> Path:
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    return Path(download.value.path())


def test_a_project_without_model_output_shows_its_texts_and_says_what_to_do(
    server: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher").open("/saliency?project=3")
    researcher.sees("No attributions yet. Import or compute some below.")
    unfold(researcher.page, "Add predictions, models and attributions")
    researcher.sees("Import predictions and attributions")
    expect(researcher.page.locator(".heat-panel h3")).to_have_text("Text and gold")
    expect(researcher.page.locator(".heat-text")).not_to_be_empty()


def test_the_text_can_be_read_before_its_maps_are_there_and_what_stands_below_is_shown_when_it_will_not_move_any_more(
    explained: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page, held = researcher.page, list[Route]()
    expect(page.get_by_role("button", name="Measure")).to_be_visible()  # an alert beside the maps ends nothing
    expect(page.locator(".heat-text").first).not_to_be_empty()
    page.wait_for_function("document.cookie.includes('annotator_words_saliency')")

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/saliency/instance*", hold)
    below = page.get_by_text("Add predictions, models and attributions")
    with page.expect_request("**/api/saliency/instance*"):
        researcher.open("/saliency?project=1")
    page.locator(".list-row").first.wait_for()
    below.wait_for(state="attached")
    expect(below).to_be_hidden()
    early = page.locator(".first-text p").evaluate(_FIRST_WORD)
    held.pop().continue_()
    expect(below).to_be_visible()
    expect(page.locator(".first-text, .begin-main")).to_have_count(0)
    drawn = page.locator(".heat-text p").first.evaluate(_FIRST_WORD)
    assert early == pytest.approx(drawn, abs=2), "the words stay where they were"


def test_a_researcher_computes_attributions_while_the_page_is_elsewhere(
    server: Server, person: Callable[..., Person]
) -> None:
    with open_store(server.database) as store, store.transaction():
        forget_model(store, 1, "built-in")
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    unfold(page, "Add predictions, models and attributions")
    unfold(page, "Compute attributions")
    page.get_by_role("button", name="Compute", exact=True).click()
    # However fast it is: the page may first hear of it when it is done.
    expect(page.get_by_text(re.compile(r"built-in.*: (queued|starting|\d|Computed)")).first).to_be_visible()
    researcher.open("/start")  # the page that asked is gone; the work is not
    researcher.open("/saliency?project=1")
    unfold(page, "Add predictions, models and attributions")
    unfold(page, "Compute attributions")
    expect(page.get_by_text("runs were measured").first).to_be_visible()
    expect(page.get_by_text("attributions and").first).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.get_by_role("button", name="Measure")).to_have_count(0)


def test_a_researcher_stops_what_takes_too_long(server: Server, person: Callable[..., Person]) -> None:
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        options = AttributingOptions(parameters={"samples": 20_000}, batch_size=1)
        researcher_user = get_user(store, "Researcher")
        ask_to_attribute(store, researcher_user, project, AskedAttribution("built-in", "lime", options))
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    # Of the job itself, since the panel counts too ("11 of 26"): one that has not begun is stopped with other words.
    expect(page.get_by_text(re.compile(r"built-in.*: [1-9]\d* of \d+")).first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    unfold(page, "Add predictions, models and attributions")
    unfold(page, "Compute attributions")
    expect(page.get_by_text("Stopped. What was stored until then stays").first).to_be_visible()


# A researcher shares what they see, goes back to the former text, and loads the page again without losing what was typed.


def _shown(page: Page) -> str:
    """The text on the screen, once its maps are drawn and the address names it."""
    expect(page.locator(".list-row[aria-selected=true]")).to_have_count(1)
    return page.locator(".heat-where h2").inner_text()


def _copied(page: Page) -> str:
    """The link that the page's button copies; the browser of these tests does not let pages copy, so it is in a field."""
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_role("textbox", name="Copy link")
    expect(field).to_be_focused()
    link = field.input_value()
    page.keyboard.press("Escape")
    return link


def _without_clipboard(researcher: Person) -> None:
    researcher.change_browser("Object.defineProperty(navigator, 'clipboard', { value: undefined })")


def test_a_link_shows_a_colleague_the_same_text_selection_and_typed_text(
    server: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher")
    page = researcher.page
    _without_clipboard(researcher)
    researcher.open("/saliency?project=1&x=-:-:text.tokens&y=-:-:gold.sets&ys=2~3&gold=union&looks=bars")
    expect(page.locator(".scatter-count")).to_contain_text("selected and listed")
    count = page.locator(".list-count").inner_text()
    page.locator(".list-row").nth(1).click()
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Type a text").click()
    page.get_by_role("textbox", name="Typed text").fill("A café & a *bar* = 100 % <b>fine</b>")
    page.wait_for_url(re.compile("typed="))
    link, name = _copied(page), _shown(page)

    colleague = person("Lead").open(link.removeprefix(server.address)).page
    expect(colleague.get_by_role("textbox", name="Typed text")).to_have_value("A café & a *bar* = 100 % <b>fine</b>")
    expect(colleague.locator(".heat-where h2")).to_have_text(name)
    expect(colleague.locator(".list-count")).to_have_text(count)
    expect(colleague.locator(".scatter-count")).to_contain_text("selected and listed")
    expect(colleague.get_by_role("combobox", name="Sets below the words")).to_have_value("union")
    colleague.locator(".heat-controls .menu summary").click()
    expect(colleague.get_by_role("button", name="Bars")).to_have_attribute("aria-pressed", "true")


def test_a_link_is_copied_where_the_browser_lets_the_page_copy(person: Callable[..., Person]) -> None:
    researcher = person("Researcher")
    page = researcher.page
    researcher.change_browser(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })"
    )
    researcher.open("/saliency?project=1")
    _shown(page)
    researcher.press("u")
    expect(page.locator(".heat-notice")).to_have_text("Link copied.")
    assert page.evaluate("window.copied") == page.url


def test_a_stale_link_says_what_is_gone_and_shows_the_rest(person: Callable[..., Person]) -> None:
    link = (
        "/saliency?project=1&panels=999:-:,<b>&by=999:-:sets.best_f1&answers=999&which=wrong&x=-:-:text.colour&y=1:-:nothing"
        "&xs=9~1&gold=everybody&typed={&drawn=x&k=high&partner=99999&looks=nothing"
    )
    page = person("Researcher").open(link).page
    notice = page.locator(".heat-notice")
    expect(notice).to_contain_text("run 999, Heatmaps “<b>”")
    for gone in ("Number of the run “999:-:sets.best_f1”", "Scatter", "Sets “everybody”", "Typed text"):
        expect(notice).to_contain_text(gone)
    expect(page.locator(".heat-panel").first).to_be_visible()
    expect(page.locator(".scatter")).to_be_hidden()


def test_what_a_link_lacks_stays_said_when_the_models_have_answered_its_typed_text(
    person: Callable[..., Person],
) -> None:
    researcher = person("Researcher")
    with researcher.page.expect_response("**/api/saliency/typed") as answer:
        page = researcher.open("/saliency?project=1&panels=999:-:&typed=%7B%22text%22%3A%22so+good%22%7D").page
    assert answer.value.ok
    expect(page.locator(".typed-lines")).not_to_be_empty()
    expect(page.get_by_role("textbox", name="Typed text")).to_have_value("so good")
    expect(page.locator(".heat-notice")).to_contain_text("run 999")


def test_of_a_text_that_is_gone_or_elsewhere_the_first_is_open_and_it_is_said_also_in_a_list_without_texts(
    person: Callable[..., Person],
) -> None:
    researcher = person("Researcher")
    page = researcher.open("/saliency?project=1&instance=999999&which=wrong&answers=999").page
    notice = page.locator(".heat-notice")
    expect(page.locator(".heat-panel").first).to_be_visible()
    expect(page.locator(".list-row").first).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("combobox", name="Which texts")).to_have_value("all")
    expect(notice).to_contain_text(
        "Text “999999”, Whose predictions “999”. The first listed text is open instead. All texts are listed."
    )
    page.wait_for_url(re.compile("instance=1&"))

    other = researcher.instance_id("similarity-en-11")
    researcher.open(f"/saliency?project=1&instance={other}")
    expect(notice).to_contain_text(f"Text “{other}”. The first listed text is open instead")
    expect(page.locator(".heat-where h2")).to_have_text("sentiment-en-01")

    researcher.open("/saliency?project=1&instance=999999&words=nowhere")
    expect(notice).to_contain_text("Text “999999”. Nothing found. Change the search or filters.")


def test_back_leads_to_the_former_text_and_forward_again(person: Callable[..., Person]) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    names = [_shown(page)]
    for row in (1, 2):
        page.locator(".list-row").nth(row).click()
        expect(page.locator(".list-row").nth(row)).to_have_attribute("aria-selected", "true")
        names.append(_shown(page))
    title = page.locator(".heat-where h2")
    page.go_back()
    expect(title).to_have_text(names[1])
    page.go_back()
    expect(title).to_have_text(names[0])
    expect(page.locator(".list-row").first).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(title).to_have_text(names[1])
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")
    assert page.locator(".heat-panel").count() > 1


def test_back_brings_the_list_as_it_was_with_the_former_text(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1").page
    name, count = _shown(page), page.locator(".list-count").inner_text()
    page.locator(".list-row").nth(1).click()
    expect(page.locator(".heat-where h2")).not_to_have_text(name)
    page.get_by_role("searchbox", name="ID or words").fill("sentiment-en-1")
    page.wait_for_url(re.compile("words="))
    page.go_back()
    expect(page.locator(".heat-where h2")).to_have_text(name)
    expect(page.locator(".list-count")).to_have_text(count)
    expect(page.get_by_role("searchbox", name="ID or words")).to_have_value("")


def test_a_typed_text_is_there_when_the_page_is_loaded_again(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1").page
    _shown(page)
    page.get_by_role("button", name="Type a text").click()
    field = page.get_by_role("textbox", name="Typed text")
    field.fill("short and typed")
    page.reload()  # at once: before anybody was asked about it
    expect(field).to_have_value("short and typed")

    long = "a very long text " * 400  # too long for an address
    field.fill(long)
    page.wait_for_url(re.compile("typed=tab"))
    page.reload()
    expect(field).to_have_value(long)

    # Of another text, too, when one comes back to it.
    page.locator(".list-row").nth(1).click()
    expect(field).not_to_have_value(long)
    page.reload()
    page.locator(".list-row").first.click()
    expect(field).to_have_value(long)


def test_a_link_to_a_typed_text_that_is_too_long_says_so_to_both(person: Callable[..., Person], server: Server) -> None:
    researcher = person("Researcher")
    page = researcher.page
    _without_clipboard(researcher)
    researcher.open("/saliency?project=1")
    _shown(page)
    page.get_by_role("button", name="Type a text").click()
    page.get_by_role("textbox", name="Typed text").fill("a very long text " * 400)
    page.wait_for_url(re.compile("typed=tab"))
    link = _copied(page)
    expect(page.locator(".heat-notice")).to_contain_text("Too long for a link. Share it as a test case.")
    colleague = person("Lead").open(link.removeprefix(server.address)).page
    expect(colleague.locator(".heat-notice")).to_contain_text("Too long for a link. Share it as a test case.")


# A researcher looks further than the gold: at everybody's own sets, at slices, and at texts that nobody has stored.

WORDS = ["the", "soup", "was", "cold", "and", HOSTILE, "dull"]


@pytest.fixture
def annotated(server: Server, tmp_path: Path) -> Server:
    """A text of the sentiment project that six people of a file annotated, with a map."""
    people = [
        {"annotator": f"w-{n}", "label": "negative", "group": f"G{n}", "rationales": [{"text": [n, 3]}]}
        for n in range(1, 7)
    ]
    row = {"id": "crowd", "fields": {"text": {"text": " ".join(WORDS), "tokens": WORDS}}, "label": "negative"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row | {"annotations": people}) + "\n", encoding="utf-8")
    scores = (ScoredPart((0.0, 0.1, 0.0, 0.9, 0.0, -0.2, 0.7)),)
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
        output = SourceOutput(
            "crowd", Run("m", "ig", is_signed=True), "f", 1, None, (), (SourceAttribution(scores, "negative"),)
        )
        with store.transaction():
            Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run([output])
    return server


def test_six_people_are_compared_with_a_map_by_keyboard_and_the_link_shows_the_same_to_others(
    annotated: Server, person: Callable[..., Person]
) -> None:
    lead = person("Lead")
    lead.open(f"/saliency?project=1&instance={lead.instance_id('crowd')}")
    page = lead.page
    page.locator(".heat-panel").first.wait_for()
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    lead.press("g")
    expect(page.locator(".person")).to_have_count(6)
    expect(page.locator(".person").first).to_contain_text("w-1")
    expect(page.locator(".person").first).to_contain_text("G1")
    expect(page.locator(".heat-fit")).to_have_count(6)
    assert page.title() != "broken"
    page.wait_for_url("**gold=people**")
    assert parse_qs(urlsplit(page.url).query)["gold"] == ["people"]

    # A slice by what the file says of annotators lists this text alone, and draws the sets of that group.
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    lead.press("f")
    page.get_by_role("combobox", name="About annotators").select_option(label="annotators' group")
    page.get_by_role("combobox", name="Value of annotators").select_option(label="G2 (1)")
    expect(page.locator(".list-row")).to_have_count(1)
    expect(page.locator(".person input:checked")).to_have_count(1)
    page.wait_for_url("**member=G2**")

    # Somebody who does not see all annotations is not told the names.
    researcher = person("Researcher").open(page.url.removeprefix(annotated.address)).page
    expect(researcher.locator(".person")).to_have_count(6)
    expect(researcher.locator(".list-row")).to_have_count(1)
    expect(researcher.locator(".person").first).to_contain_text("annotator 1")
    expect(researcher.get_by_text("w-1")).to_have_count(0)
    expect(researcher.get_by_role("rowheader", name="F1 with annotator 6")).to_be_attached()


def test_a_typed_text_is_answered_at_once_and_saved_as_a_version_and_as_a_test(
    server: Server, person: Callable[..., Person]
) -> None:
    lead = person("Lead").open("/saliency?project=1")
    page = lead.page
    page.locator(".heat-panel").first.wait_for()
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    lead.press("t")
    box = page.get_by_role("textbox", name="Typed text")
    expect(box).to_be_focused()
    stored = box.input_value()
    lead.press("End")
    page.keyboard.type(" It was a terrible waste of money")
    expect(page.locator(".typed-lines")).to_contain_text("new tokens, 0 tokens gone")
    expect(page.locator(".typed-lines")).to_contain_text("built-in ")
    expect(page.locator(".heat-panel", has_text="terrible").first).to_be_visible()

    page.get_by_role("button", name="Save as a perturbed version").press("Enter")
    expect(page.get_by_role("combobox", name="Perturbation type")).to_be_focused()
    page.get_by_role("textbox", name="Note for the checkers").press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Submitted. Others will check it.")
    lead.press("Escape")
    page.get_by_role("button", name="Save as a test case").press("Enter")
    page.get_by_role("textbox", name="Suite").press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Saved. Run it under Tests.")
    with open_store(server.database) as store:
        written = [
            p.current.changed.texts
            for p in perturbations_of(store, int(parse_qs(urlsplit(page.url).query)["instance"][0]))
        ]
        [suite] = [one for one in list_suites(store, 1) if one.name == "Typed texts"]
        [case] = cases_of_suite(store, suite.id)
    assert written[-1] == {"text": f"{stored} It was a terrible waste of money"}
    assert case.texts == (f"{stored} It was a terrible waste of money",)

    # Somebody who writes no changed versions is not offered it.
    researcher = person("Researcher").open("/saliency?project=1").page
    researcher.locator(".heat-panel").first.wait_for()
    researcher.get_by_role("button", name="Type a text").click()
    expect(researcher.get_by_role("button", name="Save as a test case")).to_be_visible()
    expect(researcher.get_by_role("button", name="Save as a perturbed version")).to_be_hidden()


# A researcher looks for texts by two numbers: the scatter, a part of it as the list, saved, opened, by pointer and by keys.

LENGTH, SETS = "-:-:text.tokens", "-:-:gold.sets"


def _count(page: Page) -> Locator:
    return page.locator(".scatter-count")


def _open_scatter(page: Page) -> None:
    expect(page.locator(".heat-where h2")).to_be_visible()
    page.keyboard.press("d")
    expect(_count(page)).to_contain_text("Draw a box or type bounds to filter.")


def _draw_around_everything(page: Page) -> None:
    page.locator(".scatter-canvas").scroll_into_view_if_needed()
    box = page.locator(".scatter-canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    page.mouse.move(box["x"] + box["width"] - 14, box["y"] + box["height"] - 42, steps=3)
    page.mouse.up()


def _selected(page: Page) -> int:
    """How many texts are selected, once the list shows exactly them."""
    expect(_count(page)).to_contain_text("selected and listed")
    match = re.match(r"([\d,]+) of", _count(page).inner_text())
    assert match is not None
    expect(page.locator(".list-count")).to_have_text(re.compile(rf"of {match[1]}$"))
    return int(match[1].replace(",", ""))


def test_beside_the_scatter_words_are_seen_on_a_low_screen_and_a_box_around_points_becomes_the_list_and_a_saved_list(
    person: Callable[..., Person],
) -> None:
    page = person("Researcher", width=1280, height=720).open("/saliency?project=1").page
    _open_scatter(page)
    words = page.locator(".heat-text [data-token='0']").first.bounding_box()
    assert words is not None
    assert words["y"] + words["height"] < 720
    expect(_count(page)).to_contain_text(re.compile(r"\d+ of \d+ texts have no"))
    _draw_around_everything(page)
    n = _selected(page)
    assert n > 1
    expect(page.locator(".scatter-note")).to_contain_text("Selected in the scatter")

    page.locator(".list-row").nth(1).click()
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")
    page.locator(".scatter").get_by_role("button", name="Close").click()
    expect(page.locator(".list-count")).to_have_text(re.compile(rf"of {n}$"))  # closing keeps what is selected

    page.locator(".heat-where h2").click()
    page.keyboard.press("l")
    page.get_by_role("textbox", name="List name").fill("around the middle")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"“around the middle” is saved with {n} texts.")).to_be_visible()


def test_ranges_and_keys_alone_select_list_and_walk_and_a_range_that_ends_before_it_begins_changes_nothing(
    person: Callable[..., Person],
) -> None:
    page = person("Researcher").open(f"/saliency?project=1&x={LENGTH}&y={SETS}").page
    expect(_count(page)).to_contain_text("Draw a box")
    page.get_by_role("spinbutton", name="y from").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    n = _selected(page)
    assert n >= 2
    page.get_by_role("spinbutton", name="x from").focus()
    page.keyboard.type("999999")
    page.keyboard.press("Enter")
    expect(page.locator(".list-count")).to_contain_text("Nothing found. Change the search or filters.")
    page.get_by_role("spinbutton", name="x from").fill("")
    page.keyboard.press("Tab")
    assert _selected(page) == n

    # What is selected is the list: its rows tell both numbers, and j goes from one to the next.
    expect(page.locator(".list-row .axes").first).to_have_text(re.compile(r"x \d+ · y \d+"))
    page.locator(".list-row").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".list-row").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("j")
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")

    page.get_by_role("spinbutton", name="y to").fill("1")
    page.keyboard.press("Tab")
    expect(_count(page)).to_have_text("Not changed: the smaller number comes first.")
    expect(page.locator(".list-count")).to_have_text(re.compile(rf"of {n}$"))


def test_a_click_on_a_point_opens_its_text(person: Callable[..., Person]) -> None:
    page = person("Researcher").open(f"/saliency?project=1&x={LENGTH}&y={LENGTH}").page
    expect(_count(page)).to_contain_text("Draw a box")
    before = page.locator(".heat-where h2").inner_text()
    box = page.locator(".scatter-canvas").bounding_box()
    assert box is not None
    # The same number on both axes is a diagonal: its upper end is the longest text of all.
    left, right = box["x"] + 44, box["x"] + box["width"] - 12
    top, bottom = box["y"] + 24, box["y"] + box["height"] - 40
    room = 0.04 / 1.08
    page.mouse.click(right - room * (right - left), top + room * (bottom - top))
    expect(page.locator(".heat-where h2")).not_to_have_text(before)


def test_one_number_of_two_models_lies_about_a_diagonal(person: Callable[..., Person], server: Server) -> None:
    with open_store(server.database) as store:
        first, second, *_ = [stored.id for stored in list_runs(store, 1) if not stored.run.method]
    axes = f"x={first}:-:answer.confidence&y={second}:-:answer.confidence"
    page = person("Researcher").open(f"/saliency?project=1&{axes}").page
    expect(page.locator(".scatter-canvas")).to_have_attribute(
        "aria-label", re.compile("Confidence, .* by Confidence, ")
    )
    expect(_count(page)).to_contain_text("Draw a box")


def test_a_models_own_sets_lie_above_the_words_and_peoples_below_with_the_three_questions(
    server: Server, person: Callable[..., Person]
) -> None:
    """Of a text in which the built-in model has sets of its own, and people too."""
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        find_sufficient_sets(store, LOCAL_OPERATOR, project, "built-in")
        shown = next(
            row["instance_id"]
            for row in store.rows("SELECT instance_id, examined FROM sufficient_sets ORDER BY instance_id")
            if (examined := json.loads(row["examined"]))["people"] and not examined["reason"]
        )
        n_own = len(examined["own"]["sets"])
    page = person("Researcher").open(f"/saliency?project=1&instance={shown}").page
    block = page.locator(".families").first
    expect(block.locator("summary")).to_contain_text("built-in: sets that are enough for its answer")
    expect(block.locator("tbody").first.locator("tr")).to_have_count(n_own + len(examined["people"]["sets"]) + 2)
    above = block.locator(".families-text .t > span[class^=fm]").first
    assert "gradient" in above.evaluate("made => getComputedStyle(made).backgroundImage")
    block.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(block.locator(".families-text")).to_be_hidden()
    for part in ("Add predictions, models and attributions", "Compute attributions", "Sets that are enough: all texts"):
        unfold(page, part)
    expect(page.get_by_text("Best-match F1")).to_contain_text("The model's sets: ")
    expect(page.get_by_test_id("stDataFrame")).to_have_count(2)
