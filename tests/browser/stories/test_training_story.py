"""A researcher who uses no command line trains a small model, reads its card, and has its attributions computed next."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.stories.story import Person
from tests.models.conftest import torch

__all__ = ["torch"]

pytestmark = pytest.mark.usefixtures("torch")


def test_a_researcher_trains_a_model_by_keyboard_and_goes_on_to_its_attributions(person: Callable[..., Person]) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    page.get_by_text("Train a model").click()
    researcher.sees("It learns from 47 texts with a gold label")

    page.get_by_role("textbox", name="Name of the model").focus()
    page.keyboard.type("mine")
    page.get_by_role("spinbutton", name="Epochs, at most").focus()
    researcher.press("Control+a")
    page.keyboard.type("1")
    researcher.press("Enter")
    train = page.get_by_role("button", name="Train", exact=True)
    train.focus()
    researcher.press("Enter")
    expect(page.get_by_text("Training of 'mine'").first).to_be_visible()
    researcher.open("/metrics?project=1")  # the page that asked is gone; the work is not

    researcher.open("/saliency?project=1")
    page.get_by_text("Train a model").click()
    expect(page.get_by_text("its weights are those of epoch 1 of 1").first).to_be_visible()
    page.get_by_role("button", name="Show its card").click()
    researcher.sees("Loss by epoch")
    researcher.sees("What it learned from")

    page.get_by_role("button", name="Compute its attributions").click()
    model = page.get_by_role("textbox", name="Model", exact=True)
    expect(model).to_be_visible()
    expect(model).to_have_value("transformers:" + str(researcher.database) + ".models/1/mine")
