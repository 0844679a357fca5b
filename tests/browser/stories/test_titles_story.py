"""Many tabs side by side: each is named after its text, its page and its project, and follows its person through the work."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1


def test_the_tab_of_every_screen_with_a_text_names_the_text_the_page_and_the_project(person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT, "sentiment-en-08")
    expect(ann.page).to_have_title("sentiment-en-08 · Annotate · Sentiment")
    ann.press("s")
    expect(ann.page.locator(".instance-key").first).not_to_contain_text("sentiment-en-08")
    expect(ann.page).to_have_title(f"{ann.key} · Annotate · Sentiment")
    ann.page.get_by_role("link", name="Perturb").click()
    expect(ann.page).to_have_title("Perturb · Sentiment")
    ann.open(f"/perturb?project={SENTIMENT}&instance={ann.instance_id('sentiment-en-01')}")
    expect(ann.page).to_have_title("sentiment-en-01 · Perturb · Sentiment")
    reviewer = person("Reviewer 1").open(f"/review?project={SENTIMENT}")
    expect(reviewer.page).to_have_title(re.compile("^sentiment-.* · Review · Sentiment$"))
    researcher = person("Researcher").open(f"/saliency?project={SENTIMENT}")
    expect(researcher.page).to_have_title(re.compile("^sentiment-.* · Saliency · Sentiment$"))
    researcher.open(f"/metrics?project={SENTIMENT}")
    expect(researcher.page).to_have_title("Metrics · Sentiment")
