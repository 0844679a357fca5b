"""A researcher looks at attributions beside the gold: lists by number, panels, k, partner, the shared link, the files."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import list_runs
from annotator.store.people import get_user
from annotator.store.projects import get_project_by_id
from annotator.usecases.attributing import AttributingOptions
from annotator.usecases.import_report import ImportOptions, ImportReport
from annotator.usecases.importing import import_file
from annotator.usecases.output_intake import OutputIntake
from annotator.usecases.queueing import AskedAttribution, ask_to_attribute
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
            OutputIntake(store, project, ImportOptions(), report, lambda _: None).run(outputs)
        assert report.problems == []
    return server


def _panels(server: Server) -> str:
    """The panels of both models and methods, as the address names them."""
    with open_store(server.database) as store:
        return ",".join(
            f"{stored.id}:-:"
            for stored in list_runs(store, 1)
            if stored.run.method in {"gradient", "occlusion"} and stored.run.model != "built-in"
        )


def test_a_researcher_sorts_compares_and_shares(
    explained: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    researcher = person("Researcher").open(f"/saliency?project=1&panels={_panels(explained)}")
    page = researcher.page
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("button", name="Measure")).to_have_count(0)
    order = page.get_by_role("combobox", name="Order")
    order.select_option(order.locator("optgroup[label='first model · gradient'] option").first.get_attribute("value"))
    page.get_by_role("searchbox", name="Key or words").fill("hostile")
    expect(page.locator(".list-row")).to_have_count(2)
    page.locator(".list-row", has=page.get_by_text("hostile", exact=True)).click()
    expect(page.locator(".heat-where h2")).to_have_text("hostile")
    expect(page.locator(".heat-panel")).to_have_count(4)
    assert page.title() != "broken"
    expect(page.locator(".heat-text").first).to_contain_text(HOSTILE)

    # Hovering a word tells its number and rank in every panel at once.
    page.locator(".heat-panel").first.locator("[data-token='0']").hover()
    expect(page.locator(".heat-pointed").nth(0)).to_contain_text("−1 · rank 3 of 3")
    expect(page.locator(".heat-pointed").nth(2)).to_contain_text("+1 · rank 1 of 3")

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

    page.get_by_role("combobox", name="Beside it").select_option(label="hostile-2 (synonym)")
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


def test_a_project_without_model_output_says_what_to_do(server: Server, person: Callable[..., Person]) -> None:
    researcher = person("Researcher").open("/saliency?project=3")
    researcher.sees("No model says anything of this text yet")
    researcher.sees("Bring in what models say")


def test_a_researcher_computes_attributions_while_the_page_is_elsewhere(
    server: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    page.get_by_text("Compute attributions").click()
    page.get_by_role("combobox", name="Method").fill("Random")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Compute", exact=True).click()
    expect(page.get_by_text("begins").or_(page.get_by_text("waits for its turn")).first).to_be_visible()
    researcher.open("/metrics?project=1")  # the page that asked is gone; the work is not
    researcher.open("/saliency?project=1")
    page.get_by_text("Compute attributions").click()
    expect(page.get_by_text("runs were measured").first).to_be_visible(timeout=60_000)
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
    expect(page.get_by_text(re.compile(r"[1-9]\d* of \d+")).first).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=60_000)
    page.get_by_text("Compute attributions").click()
    expect(page.get_by_text("Stopped. What was stored until then stays").first).to_be_visible()
