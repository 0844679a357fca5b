"""Failure rates and differences in words, with what each interval is over."""

import pytest

from annotator.domain.suites import StoredSuite
from annotator.figures.bars import RateBar, rate_bar_html
from annotator.metrics.significance import Bounds
from annotator.usecases.suites.results import (
    ALL,
    Rate,
    ResultRow,
    SuiteResults,
    beside_rate,
    comparison_sentence,
    difference_words,
    rate_words,
)

SUITE = StoredSuite(1, 1, "s", ())


def row(verdict: str, difference: float | None = -0.176, unit: str = "tests") -> ResultRow:
    bounds = None if difference is None else Bounds(-0.308, -0.043, unit)  # type: ignore[arg-type]
    return ResultRow(ALL, "", None, 850, {}, difference, 845, bounds, verdict)


def test_a_rate_says_how_many_failed_and_below_it_its_interval_its_seeds_and_what_does_not_apply() -> None:
    rate = Rate(0.145, 0.003, (6, 5), (12, 12), Bounds(0.061, 0.257, "cases"))
    assert rate_words(rate, 50) == "14.5 % · 6 of 38"
    assert beside_rate(rate).replace("\u00a0", " ") == "6.1 to 25.7 % · ± 0.3 over 2 seeds · 12 n/a"
    assert beside_rate(Rate(None, None, (), ())) == ""


def test_a_difference_stands_with_its_interval_and_what_that_comes_to() -> None:
    assert difference_words(row("less")) == ("−17.6", "−30.8 to −4.3", "fails less often")
    assert difference_words(row("", None)) == ("–", "", "")


@pytest.mark.parametrize(
    ("verdict", "begins"),
    [
        (
            "less",
            "ours fails less often than theirs: −17.6 percentage points over the 845 cases on which both are judged, ",
        ),
        ("more", "ours fails more often than theirs: "),
        ("not told", "There is no clear difference between ours and theirs: "),
        ("too few", "There are too few cases to compare ours with theirs: "),
    ],
)
def test_two_models_are_compared_in_a_sentence(verdict: str, begins: str) -> None:
    results = SuiteResults(SUITE, ("theirs", "ours"), (row(verdict),), ("theirs", "ours"))
    assert comparison_sentence(results).startswith(begins)


@pytest.mark.parametrize(
    ("unit", "words"), [("tests", "other tests like these"), ("cases", "other cases of these tests")]
)
def test_the_sentence_says_what_the_interval_is_about(unit: str, words: str) -> None:
    results = SuiteResults(SUITE, ("a", "b"), (row("less", unit=unit),), ("a", "b"))
    assert comparison_sentence(results).endswith(f"95 % interval −30.8 to −4.3, which is about {words}.")


def test_without_two_models_or_their_answers_there_is_no_sentence() -> None:
    assert comparison_sentence(SuiteResults(SUITE, ("a",), (row("less"),), None)) == ""
    assert comparison_sentence(SuiteResults(SUITE, ("a", "b"), (row("", None),), ("a", "b"))) == ""


def test_a_bar_is_as_long_as_its_share_and_words_below_it_are_text() -> None:
    html = rate_bar_html(RateBar(0.27, 0.167, 0.406, ["<b>x</b>", ""]))
    assert '<i style="width:27.0%"></i><b style="left:16.7%;width:23.9%"></b>' in html
    assert html.count("<small>") == 1
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "track" not in rate_bar_html(RateBar(None, None, None, ["–"]))
