"""What a method says of its own scores: each number has a name of its own, and stands once."""

from collections.abc import Callable

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

pytestmark = pytest.mark.browser

FACTS = """async (panel) => {
  const { factsOf } = await import(`${panelAt}/saliency/numbers.js`);
  return factsOf(panel).map(({ title, value }) => [title, value]);
}"""
MAP = "async () => (await (await fetch(`${panelAt}/saliency/tables.js`)).text()).includes('Convergence')"


def test_what_the_scores_miss_is_named_by_whether_it_is_a_difference_or_a_share(
    panel: Callable[..., PanelPage],
) -> None:
    page = panel(Fake([work(1, samples.english())])).page
    assert page.evaluate(FACTS, {"convergence": 0.02, "facts": {}}) == [["Convergence delta", "0.020"]]
    shares = {"convergence": 0.02, "facts": {"convergence_share": 0.05, "output_change": 0.4}}
    assert page.evaluate(FACTS, shares) == [["Convergence delta, relative", "5.0 %"]]
    assert page.evaluate(FACTS, {"convergence": None, "facts": {}}) == []
    assert not page.evaluate(MAP)  # a map adds these facts to its numbers, and has none of its own by that name
