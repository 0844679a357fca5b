"""A researcher trains a model, makes a functional test for it, and asks a language model for its own reasons."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.suites import Case, CaseAnswer
from annotator.store import open_store
from annotator.store.projects import get_project_by_id
from annotator.store.suites import add_run, cases_of_suite, save_answers
from annotator.usecases.suites.construction import remove_suite, save_test, suite_named, suites_of
from benchmarks.served import Server
from tests.browser.stories.story import Person, unfold
from tests.models.conftest import torch

__all__ = ["torch"]

pytestmark = pytest.mark.browser


@pytest.mark.usefixtures("torch")
def test_a_researcher_trains_a_model_by_keyboard_and_goes_on_to_its_attributions(person: Callable[..., Person]) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    unfold(page, "Add predictions, models and attributions")
    unfold(page, "Train a model")
    researcher.sees("Trains on 50 texts with gold")

    page.get_by_role("textbox", name="Model name").focus()
    page.keyboard.type("mine")
    page.get_by_role("spinbutton", name="Maximum epochs").focus()
    researcher.press("Control+a")
    page.keyboard.type("1")
    researcher.press("Enter")
    train = page.get_by_role("button", name="Train", exact=True)
    train.focus()
    researcher.press("Enter")
    expect(page.get_by_text("Training of 'mine'").first).to_be_visible()
    researcher.open("/start")  # the page that asked is gone; the work is not

    researcher.open("/saliency?project=1")
    unfold(page, "Add predictions, models and attributions")
    unfold(page, "Train a model")
    expect(page.get_by_text("its weights are those of epoch 1 of 1").first).to_be_visible()
    page.get_by_role("button", name="Show model card").click()
    researcher.sees("Loss by epoch")
    researcher.sees("What it learned from")

    page.get_by_role("button", name="Compute attributions").click()
    model = page.get_by_role("textbox", name="Model", exact=True)
    expect(model).to_be_visible()
    expect(model).to_have_value("transformers:" + str(researcher.database) + ".models/1/mine")


# A researcher makes a functional test, drops and edits cases, runs it on the built-in model and looks at what failed.


@pytest.fixture
def without_suites(server: Server) -> None:
    """The demonstration without the suite that it comes with."""
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        for suite in suites_of(store, LOCAL_OPERATOR, project):
            remove_suite(store, LOCAL_OPERATOR, project, suite.name)


@pytest.mark.usefixtures("without_suites")
def test_a_researcher_makes_a_test_runs_it_and_opens_what_failed(person: Callable[..., Person], tmp_path: Path) -> None:
    somebody = person("Researcher").open("/tests?project=1")
    page = somebody.page
    somebody.sees("No test suites yet.")
    somebody.section("Make a test")
    test = page.get_by_role("combobox", name="Test")
    test.click()
    test.fill("a negative word negated")
    page.keyboard.press("Enter")
    somebody.sees("A negated negative statement isn't negative.")

    # Of the ten cases that are shown one is dropped, by the keyboard alone, and one is written anew.
    drop = page.get_by_role("button", name="Drop").first
    drop.focus()
    page.keyboard.press("Enter")
    somebody.sees("200 cases, 1 dropped.")
    page.get_by_role("button", name="Edit").nth(1).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Text").fill("The soup was not <b>bad</b>.")
    dialog.get_by_label("Text").press("Control+Enter")
    dialog.get_by_role("button", name="Use text").click()
    somebody.sees("200 cases, 1 dropped, 1 edited.")
    somebody.sees("The soup was not <b>bad</b>.")
    page.get_by_role("button", name="Save test (199 cases)").click()
    somebody.sees("with 199 cases. Run it under")

    with open_store(somebody.database) as store:
        project = get_project_by_id(store, 1)
        suite = suite_named(store, project, "sentiment")
        cases = list(cases_of_suite(store, suite.id))
    assert len(cases) == 199
    assert cases[0].texts == ("The soup was not <b>bad</b>.",)
    assert LOCAL_OPERATOR.name != suite.tests[0].created_by == "Researcher"

    # A classifier that adds up words calls what is not bad bad, and so does one that says "negative" to everything.
    somebody.section("Results")
    page.get_by_role("button", name="Run tests").click()
    somebody.sees("built-in answered 1 test, 199 texts")
    cell = page.locator(".st-key-tests_table").get_by_role("button").first
    expect(cell).to_be_visible()
    cell.focus()
    page.keyboard.press("Enter")
    failing = page.get_by_role("dialog", name="Failing cases")
    expect(failing.get_by_text("✗").first).to_be_visible()
    expect(failing.get_by_text("Expected: not “negative”.").first).to_be_visible()
    page.keyboard.press("Escape")

    somebody.section("Files")
    page.get_by_role("button", name="Prepare file").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Download sentiment.jsonl (199 cases)").click()
    taken.value.save_as(tmp_path / "suite.jsonl")
    assert len((tmp_path / "suite.jsonl").read_text(encoding="utf-8").splitlines()) == 199
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.usefixtures("without_suites")
def test_long_names_of_tests_capabilities_and_models_wrap_within_their_columns(
    server: Server, person: Callable[..., Person]
) -> None:
    names = ("A" * 90, "a name of a test that somebody wrote as a sentence, with a comma, and then some more of it")
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        for name in names:
            cases = [
                Case(name, "MFT", "Capability" * 9, str(n), (f"text {n}",), "label", ("positive",)) for n in range(30)
            ]
            test = save_test(store, LOCAL_OPERATOR, project, "long", cases)
        for model in ("M" * 80, "built-in"):
            with store.transaction():
                run = add_run(store, test.suite_id, model, "", computed_by=None, created_by="x")
                save_answers(
                    store, run, test.id, [[CaseAnswer("negative", None)]] * 30, ["failed"] * 10 + ["passed"] * 20
                )
    somebody = person("Researcher").open("/tests?project=1")
    somebody.sees("33.3 % ")
    too_wide = """[...document.querySelectorAll('.st-key-tests_table p')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1).length"""
    assert somebody.page.evaluate(too_wide) == 0
    assert somebody.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.usefixtures("without_suites")
def test_in_chinese_a_researcher_makes_a_test_from_a_recipe_and_reads_what_failed(
    person: Callable[..., Person],
) -> None:
    somebody = person("Researcher", locale="zh-CN").open("/tests?project=1")
    page = somebody.page
    somebody.sees("还没有测试套件")
    somebody.section("制作测试")
    test = page.get_by_role("combobox", name="测试", exact=True)
    test.click()
    test.fill("a negative word negated")
    page.keyboard.press("Enter")
    somebody.sees("对负面陈述的否定不是负面的。")
    page.get_by_role("button", name="去掉").first.click()
    somebody.sees("200 个用例，去掉 1 个。")
    page.get_by_role("button", name="保存测试（199 个用例）").click()
    somebody.sees("共 199 个用例。请在“结果”下运行。")

    with open_store(somebody.database) as store:
        suite = suite_named(store, get_project_by_id(store, 1), "sentiment")
    assert (suite.tests[0].category, suite.tests[0].recipe["dropped"]) == ("Logic", ["0"])  # what is stored is English

    somebody.section("结果")
    somebody.sees("逻辑")
    page.get_by_role("button", name="运行测试").click()
    cell = page.locator(".st-key-tests_table").get_by_role("button").first
    expect(cell).to_be_visible()
    cell.click()
    failing = page.get_by_role("dialog", name="失败的用例")
    expect(failing.get_by_text("预期：不是“negative”。").first).to_be_visible()
    expect(failing.get_by_text("✗").first).to_be_visible()


# A researcher takes prompts along, brings the answers of a language model back, and sees its reasons beside the gold.

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
    researcher.unfold("Add predictions, models and attributions")
    researcher.unfold("Ask a model for self-explanations")
    page.get_by_role("button", name="Prepare prompts").click()
    researcher.settles()
    with page.expect_download() as download:
        page.get_by_role("button", name="prompts.jsonl").click()
    prompts, answers = tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    download.value.save_as(prompts)
    key = answered(prompts, answers)

    unfold(page, "Import predictions and attributions")
    page.locator("input[type=file]").set_input_files(answers)
    researcher.sees("Looks like")
    model = page.get_by_label("Model (if not in the file)")
    expect(model).to_have_count(1)  # while the page is drawn anew there may be an older one beside it
    model.fill("some-model")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Check").click()
    researcher.sees("1 not.")
    page.get_by_role("button", name="Store ").click()
    expect(page.get_by_role("button", name="Store ")).to_be_hidden()  # it is stored

    researcher.open(f"/saliency?project=1&instance={researcher.instance_id(key)}")
    panel = page.get_by_role("region", name=NAME).first
    expect(panel.get_by_role("group", name="1 of the model's 2 quotes is not in the text")).to_be_visible()
    expect(panel.get_by_role("listitem")).to_have_text(HOSTILE)
    expect(panel.get_by_text("what the model quoted is boxed")).to_be_visible()
    expect(panel.locator(".t.top").first).to_be_visible()

    researcher.open("/metrics?project=1")
    researcher.sees(NAME)
    assert "broken" not in page.title()
    assert researcher.foreign == []
