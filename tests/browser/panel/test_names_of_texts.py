"""What a text is called in the tab's title and the headings: what is asked of it, else its key, else its first words."""

from collections.abc import Callable

import pytest

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage

pytestmark = pytest.mark.browser

NAME = "async (instance) => (await import('/panel/shared/naming.js')).nameOf(instance)"
ABSTRACT = {"name": "document", "selectable": True, "text": "We studied four hundred patients."}
CLAIM = {"name": "query", "selectable": False, "text": "The drug lowers blood pressure."}


@pytest.mark.parametrize(
    ("segments", "name"),
    [
        ([ABSTRACT, CLAIM], "The drug lowers blood pressure."),
        ([ABSTRACT, {**CLAIM, "text": " "}], "c-17"),
        ([ABSTRACT], "c-17"),
        ([{**ABSTRACT, "name": "premise"}, {**CLAIM, "name": "hypothesis", "selectable": True}], CLAIM["text"]),
        ([{**ABSTRACT, "name": "text"}, {**CLAIM, "name": "choices"}], "c-17"),
        (
            [{"name": "query", "is_selectable": False, "tokens": ["The", "drug", "helps"], "before": ["", " ", " "]}],
            "The drug helps",  # as Saliency gets it
        ),
    ],
)
def test_a_text_is_called_by_what_is_asked_of_it(
    saliency: Callable[..., SaliencyPage], segments: list[dict[str, object]], name: str
) -> None:
    assert saliency(SaliencyFake()).page.evaluate(NAME, {"key": "c-17", "segments": segments}) == name
