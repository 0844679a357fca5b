"""The lead lets a model's answers say what comes next; annotators get it, and read nothing of it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Response, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.queue_orders import ModelOrder, QueueOrder
from annotator.store import open_store
from annotator.usecases.queue.orders import Preview, preview_order
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
LEAST = QueueOrder("random", 7, ModelOrder("least confident", ("built-in",)))


def expected(somebody: Person) -> Preview:
    with open_store(somebody.database) as store:
        return preview_order(store, LOCAL_OPERATOR, SENTIMENT, LEAST)


def choose_least_confident(lead: Person) -> None:
    lead.section("Order")
    lead.sees("Texts are given out at random (seed 7).")
    lead.page.get_by_role("combobox", name="What comes first").click()
    lead.page.get_by_role("option", name="where the model gives the label the lowest probability").click()
    lead.sees("of them can be ranked so")


def test_the_least_confident_text_comes_next_and_nothing_on_the_annotators_side_says_why(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    first = expected(lead).texts[0]
    choose_least_confident(lead)
    lead.page.get_by_role("button", name="Set this order").click()
    lead.sees(
        "Texts are given out first where built-in gives the label the lowest probability, then at random (seed 7). "
        "Lead set this on"
    )
    expect(lead.page.get_by_role("button", name="Draw it anew")).to_be_enabled()

    annotator = person("Annotator 1")
    answers: list[Response] = []
    annotator.page.on("response", lambda answer: answers.append(answer) if "/api/" in answer.url else None)
    annotator.annotate(SENTIMENT)
    assert annotator.key == first.key
    told = " ".join([annotator.page.content(), *(answer.text() for answer in answers)])
    assert first.key in told
    for secret in ("least confident", "model_order", first.reason, first.reason.split(" ", 1)[0]):
        assert secret not in told


def test_what_an_annotator_holds_stays_when_the_order_changes(person: Come) -> None:
    annotator = person("Annotator 1").annotate(SENTIMENT)
    held = annotator.key
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    choose_least_confident(lead)
    lead.page.get_by_role("button", name="Set this order").click()
    lead.sees("Lead set this on")
    annotator.annotate(SENTIMENT)
    assert annotator.key == held
