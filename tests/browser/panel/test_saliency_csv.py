"""The CSV of the maps on screen: words and names that a spreadsheet would carry out are words, numbers are numbers."""

from collections.abc import Callable

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

pytestmark = pytest.mark.browser

CSV_OF_ONE_MAP = """async (words) => {
  const { csvOf } = await import(`${panelAt}/saliency/export.js`);
  const segment = { first: 0, tokens: words, before: words.map(() => " ") };
  const map = {
    title: () => "@model", view: { gold: [[0]], segments: [segment], instance: { key: "-key" } },
    panel: { label: "-label", is_signed: true, scores: words.map((_, place) => -0.5 * place) }, ranks: new Map([[0, 1]]), selected: new Set([0]),
  };
  return csvOf([map]);
}"""


def test_words_that_begin_like_a_formula_get_an_apostrophe_and_numbers_none(panel: Callable[..., PanelPage]) -> None:
    shown = panel(Fake([work(1, samples.english())]))
    lines = shown.page.evaluate(CSV_OF_ONE_MAP, ["=1+1", "-0.5", "＝1", "\n=2", "a=b"]).split("\r\n")
    assert lines[1:] == [
        "'-key,'@model,'-label,1,0,'=1+1,0,1,1,A",
        "'-key,'@model,'-label,1,1,-0.5,-0.5,,0,",
        "'-key,'@model,'-label,1,2,'＝1,-1,,0,",
        "'-key,'@model,'-label,1,3,\"'\n=2\",-1.5,,0,",
        "'-key,'@model,'-label,1,4,a=b,-2,,0,",
    ]
