"""An instance in a notebook: its own text colour can be read on every shade, on light and on dark ground."""

import pytest

from annotator.figures.instance_html import OPPOSES, STRONGEST, SUPPORTS, WEIGHT

Colour = tuple[float, float, float]


def luminance(colour: Colour) -> float:
    """WCAG 2, relative luminance."""
    parts = [of / 255 for of in colour]
    red, green, blue = (of / 12.92 if of <= 0.04045 else ((of + 0.055) / 1.055) ** 2.4 for of in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("ground", "text"),
    [((255, 255, 255), (33, 33, 33)), ((17, 17, 17), (224, 224, 224)), ((30, 30, 30), (204, 204, 204))],
)
@pytest.mark.parametrize("hue", [SUPPORTS, OPPOSES, WEIGHT])
def test_text_on_the_strongest_shade_has_the_contrast_that_reading_needs(
    hue: Colour, ground: Colour, text: Colour
) -> None:
    shade = tuple(STRONGEST * of + (1 - STRONGEST) * under for of, under in zip(hue, ground, strict=True))
    lighter, darker = sorted((luminance(shade), luminance(text)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
