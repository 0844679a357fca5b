"""A researcher takes prompts along, brings the answers of a language model back, and sees its reasons beside the gold."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"
NAME = "some-model · self-explanation (prompt 1)"


def answered(prompts: Path, answers: Path) -> str:
    """The file of answers: the first words of every text, and of the first one a quote that it does not hold. The first key."""
    first = ""
    with answers.open("w", encoding="utf-8") as file:
        for line in map(json.loads, prompts.read_text(encoding="utf-8").splitlines()):
            words = line["prompt"].split("==========\n")[1].split()
            quotes = [" ".join(words[:2]).upper(), *([] if first else [HOSTILE])]
            content = f"```json\n{json.dumps({'label': 'Positive', 'quotes': quotes})}\n```"
            body = {"model": "served", "choices": [{"message": {"content": content}}]}
            file.write(
                json.dumps({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}}) + "\n"
            )
            first = first or line["key"]
    return first


def test_prompts_go_out_and_the_reasons_of_a_model_are_seen_on_saliency_and_metrics(
    server: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    page.get_by_text("Ask a model for its own reasons").click()
    page.get_by_role("button", name="Prepare the prompts").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="prompts.jsonl").click()
    prompts, answers = tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    download.value.save_as(prompts)
    key = answered(prompts, answers)

    page.get_by_text("Import predictions and attributions").click()
    page.locator("input[type=file]").set_input_files(answers)
    researcher.sees("This looks like self-explanations")
    model = page.get_by_label("Model, if the file names none")
    expect(model).to_have_count(1)  # while the page is drawn anew there may be an older one beside it
    model.fill("some-model")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Check").click()
    researcher.sees("1 is not there.")
    page.get_by_role("button", name="Store ").click()
    expect(page.get_by_role("button", name="Store ")).to_be_hidden()  # it is stored

    researcher.open(f"/saliency?project=1&instance={researcher.instance_id(key)}")
    panel = page.get_by_role("region", name=NAME).first
    expect(panel.get_by_role("group", name="1 of the 2 quotes of the model is not in the text")).to_be_visible()
    expect(panel.get_by_role("listitem")).to_have_text(HOSTILE)
    expect(panel.get_by_text("what the model quoted is boxed")).to_be_visible()
    expect(panel.locator(".t.top").first).to_be_visible()

    researcher.open("/metrics?project=1")
    researcher.sees(NAME)
    assert "broken" not in page.title()
    assert researcher.foreign == []
