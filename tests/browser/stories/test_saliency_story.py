"""A researcher looks at attributions beside the gold: lists by number, panels, k, partner, the shared link, the files."""

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import forget_model, list_runs
from annotator.store.people import get_user
from annotator.store.projects import get_project_by_id
from annotator.usecases.background import AskedAttribution, ask_to_attribute
from annotator.usecases.models.attributions import AttributingOptions
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser

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
    page.get_by_role("combobox", name="Order by a run").select_option(label="first model · gradient")
    expect(page.get_by_role("combobox", name="Number of the run")).to_have_value("-:sets.best_f1")
    expect(page.locator(".list-count")).to_contain_text("have no value of this number")
    page.get_by_role("searchbox", name="Key or words").fill("hostile")
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
    page.on("request", lambda request: asked.append(request.url) if "/api/saliency" in request.url else None)
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


@pytest.mark.parametrize(
    ("kind", "words"), [("HTML", "<!doctype html>"), ("SVG", "<svg"), ("LaTeX", "\\colorbox"), ("CSV", "token_index")]
)
def test_what_is_on_screen_is_saved_as_a_file(
    explained: Server, person: Callable[..., Person], tmp_path: Path, kind: str, words: str
) -> None:
    researcher = person("Researcher")
    researcher.open(f"/saliency?project=1&instance={researcher.instance_id('hostile')}&panels={_panels(explained)}")
    page = researcher.page
    page.locator(".heat-panel").first.wait_for()
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert words in text
    assert "<img src=x" not in text or kind in {"LaTeX", "CSV"}
    assert "soup" in text


def test_a_picture_is_the_drawing_at_twice_its_size(
    explained: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    page = _opened(explained, person("Researcher"), "hostile").page
    drawing = _exported(page, "SVG").read_text(encoding="utf-8")
    picture = _exported(page, "PNG").read_bytes()
    root = ET.fromstring(drawing)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (2 * int(root.get("width", 0)), 2 * int(root.get("height", 0)))
    assert "− opposes, + supports" in drawing


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
    researcher.page.add_init_script(
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
    researcher.page.add_init_script("HTMLCanvasElement.prototype.toBlob = (done) => done(null)")
    page = _opened(explained, researcher, "hostile").page
    page.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="PNG", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("This browser could not draw a picture of 808 ×")
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
    expect(page.get_by_role("textbox", name="Name of the list")).to_be_focused()
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
    page.get_by_role("searchbox", name="Key or words").fill("")
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


def test_the_link_holds_what_is_listed(explained: Server, person: Callable[..., Person]) -> None:
    page = _opened(explained, person("Researcher"), "hostile").page
    page.get_by_role("combobox", name="Which texts").select_option("won")
    page.get_by_role("combobox", name="Whose predictions", exact=True).select_option(label="first model")
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
    researcher.sees(
        "No model has an attribution of this text yet. Below you can import attributions or have them computed."
    )
    researcher.sees("Import predictions and attributions")
    expect(researcher.page.locator(".heat-panel h3")).to_have_text("Text and gold")
    expect(researcher.page.locator(".heat-text")).not_to_be_empty()


def test_what_stands_below_the_maps_is_shown_when_it_will_not_move_any_more(
    server: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher")
    page, held = researcher.page, list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/saliency/instance*", hold)
    below = page.get_by_text("Compute attributions")
    with page.expect_request("**/api/saliency/instance*"):
        researcher.open("/saliency?project=1")
    page.locator(".list-row").first.wait_for()
    below.wait_for(state="attached")
    expect(below).to_be_hidden()
    held.pop().continue_()
    expect(below).to_be_visible()
    expect(page.locator(".heat-text").first).not_to_be_empty()


def test_a_researcher_computes_attributions_while_the_page_is_elsewhere(
    server: Server, person: Callable[..., Person]
) -> None:
    with open_store(server.database) as store, store.transaction():
        forget_model(store, 1, "built-in")
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    page.get_by_text("Compute attributions").click()
    page.get_by_role("button", name="Compute", exact=True).click()
    expect(page.get_by_text("starting").or_(page.get_by_text("waiting for its turn")).first).to_be_visible()
    researcher.open("/metrics?project=1")  # the page that asked is gone; the work is not
    researcher.open("/saliency?project=1")
    page.get_by_text("Compute attributions").click()
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
    page.get_by_text("Compute attributions").click()
    expect(page.get_by_text("Stopped. What was stored until then stays").first).to_be_visible()
