"""What the command line says of a method's own numbers: never a bare number where the page has words."""

import re
from pathlib import Path

import pytest

from annotator.scoring.chance_verdicts import fact_summary

PAGE = Path(__file__).parents[2] / "annotator" / "web" / "panel" / "saliency" / "numbers.js"


@pytest.mark.parametrize(
    ("share", "end"),
    [
        (0.83, "Above 5 %, take more steps (--steps) or another baseline (--baseline)."),
        (0.05, "Up to 5 % is close enough."),
    ],
)
def test_how_far_an_integral_is_off_is_told_with_a_verdict(share: float, end: str) -> None:
    told = fact_summary("convergence_share", share)
    assert told.startswith(f"convergence_share: {100 * share:.1f} % (mean over what was computed now): how far")
    assert told.endswith(end)


def test_a_fact_of_one_layer_of_several_is_told_as_the_fact_is_with_the_layers_number() -> None:
    told = fact_summary("convergence_share of layer 0", 0.265)
    assert told.startswith("convergence_share of layer 0: 26.5 % (mean over what was computed now): how far")
    assert told.endswith("or another baseline (--baseline).")


def test_every_fact_that_the_page_explains_is_explained_on_the_command_line() -> None:
    named = set(re.findall(r'"(\w+)" in facts', PAGE.read_text(encoding="utf-8")))
    assert named >= {"r2", "convergence_share", "special_share", "unseen_tokens"}
    for name in named:
        assert "): " in fact_summary(name, 0.5), name
