"""ERASER's metrics give the scorer's numbers on the table of cases; each row names its source."""

import numpy as np
import pytest

from annotator.metrics.eraser_soft import areas_of_rows, soft_scores
from annotator.metrics.eraser_spans import (
    Spans,
    exact_matches,
    instance_macro,
    instance_micro,
    iou_macro,
    iou_matches,
    iou_micro,
    token_matches,
)
from annotator.metrics.ragged import Ragged
from tests.reference.eraser_cases import IOU, PRF, SOFT


def spans_of(many: list[tuple[int, int, int]]) -> Spans:
    table = np.array(many, dtype=np.int64).reshape(-1, 3)
    return Spans.of(table[:, 0], table[:, 1], table[:, 2], 2)


@pytest.mark.parametrize("case", IOU, ids=[case[0] for case in IOU])
def test_iou_scores_are_those_of_the_table(case) -> None:
    _, gold, predicted, threshold, micro, macro, _ = case
    found = iou_matches(spans_of(gold), spans_of(predicted), [threshold])[0]
    for scores, wanted in ((iou_micro(found), micro), (iou_macro(found), macro)):
        assert (scores.p, scores.r, scores.f1) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("case", PRF, ids=[case[0] for case in PRF])
def test_exact_and_token_scores_are_those_of_the_table(case) -> None:
    _, gold, predicted, exact_micro, exact_macro, token_micro, token_macro, _ = case
    exact = exact_matches(spans_of(gold), spans_of(predicted))
    tokens = token_matches(spans_of(gold), spans_of(predicted))
    for found, micro, macro in ((exact, exact_micro, exact_macro), (tokens, token_micro, token_macro)):
        scores = instance_macro(found)
        assert instance_micro(found).f1 == (micro if micro is None else pytest.approx(micro, abs=1e-12))
        assert (scores.p, scores.r, scores.f1) == pytest.approx(macro, abs=1e-12)


@pytest.mark.parametrize("case", SOFT, ids=[case[0] for case in SOFT])
def test_soft_scores_are_those_of_the_table(case) -> None:
    _, truth, scores, *wanted, _ = case
    made = soft_scores(areas_of_rows(Ragged.of([truth], np.bool_), Ragged.of([scores], np.float64)))
    found = [made.auprc, made.average_precision, made.roc_auc_score]
    assert found == [value if value is None else pytest.approx(value, abs=1e-12) for value in wanted]
