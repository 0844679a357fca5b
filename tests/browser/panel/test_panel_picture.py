"""How large a picture of the Saliency screen is drawn: twice the drawing, or as large as browsers draw."""

from collections.abc import Callable

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("width", "height", "scale"),
    [
        (808, 400, 2),
        (3160, 11_274, 1.94),  # 6,320 × 22,548 pixels would be more than 2^27
        (808, 20_000, 1.64),  # a side has at most 32,767 pixels
        (8192, 16_384, 1),  # exactly 2^27
        (8192, 16_400, None),
        (100, 33_000, None),
    ],
)
def test_a_large_picture_is_drawn_smaller_before_it_is_refused(
    panel: Callable[..., PanelPage], width: int, height: int, scale: float | None
) -> None:
    page = panel(Fake([work(1, samples.english())])).page
    drawn = page.evaluate(
        "async ([width, height]) => (await import(`${panelAt}/saliency/drawing.js`)).pictureScale(width, height)",
        [width, height],
    )
    assert drawn == (None if scale is None else pytest.approx(scale, abs=0.005))
