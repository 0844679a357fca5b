"""Rows of the table of metrics by reference: the same row is found again, whatever other rows have come or gone."""

import pytest

from annotator.scoring.table import MetricRow
from annotator.usecases.compare.rows import found_reference, references_of

LIME = MetricRow("bert", "lime", "attribution", parameters='{"samples":500}')
MORE = MetricRow("bert", "lime", "attribution", parameters='{"samples":1000}')
LAYER = MetricRow("bert", "attention", "attribution", 3)
HARD = MetricRow("bert", "attention", "hard")
ANSWERS = MetricRow("a/b ü", "", "answers")


def test_a_reference_is_short_where_no_other_row_has_the_same_method() -> None:
    assert references_of([LIME, LAYER, HARD, ANSWERS]) == [
        "bert/lime", "bert/attention//3", "bert/attention/hard", "a%2Fb %C3%BC//answers",
    ]  # fmt: skip


@pytest.mark.parametrize("rows", [[LIME, LAYER, HARD, ANSWERS], [LIME, MORE, LAYER], [MORE, LIME]])
def test_every_row_is_found_by_its_reference(rows) -> None:
    references = references_of(rows)
    assert len(set(references)) == len(rows)
    assert [found_reference(reference, rows) for reference in references] == references


def test_a_reference_with_parameters_is_found_when_the_other_row_is_gone() -> None:
    reference = references_of([LIME, MORE])[1]
    assert found_reference(reference, [LAYER, MORE]) == "bert/lime"
    assert found_reference(reference, [LAYER, LIME]) is None


@pytest.mark.parametrize(
    "reference", ["bert/lime", "bert", "", "////", "bert/lime//x", "%", "bert/lime///{}", "/" * 500]
)
def test_a_reference_that_means_no_row_or_several_is_not_found(reference) -> None:
    assert found_reference(reference, [LIME, MORE]) is None
