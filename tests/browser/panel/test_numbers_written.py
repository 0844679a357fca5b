"""The browser writes measured numbers as the server's pages do."""

from collections.abc import Callable

import pytest

from tests.browser.panel.harness import PanelPage
from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage

pytestmark = pytest.mark.browser

WRITE = "async ([name, values]) => values.map((await import('/panel/saliency/written_numbers.js'))[name])"


def test_a_number_has_as_many_digits_as_its_size_asks_for(saliency: Callable[..., SaliencyPage]) -> None:
    shown: PanelPage = saliency(SaliencyFake())
    values = [0.3711, 0.05, 0.0042, -0.187, 1.0, 12.345, 1234.4, 0.00002, -1e-17, -0.0, 0.0, 0.99999, None]
    assert shown.page.evaluate(WRITE, ["written", values]) == [
        "0.371", "0.050", "0.0042", "−0.187", "1.00", "12.3", "1,234", "2.0e−5", "0", "0", "0", "1.00", "–",
    ]  # fmt: skip
    assert shown.page.evaluate(WRITE, ["signed", [0.021, -0.0042, -1e-17]]) == ["+0.021", "−0.0042", "0"]
    assert shown.page.evaluate(WRITE, ["percent", [0.4444, -1e-17, None]]) == ["44.4 %", "0.0 %", "–"]
