"""ERASER's metrics over arrays, against plain loops, scikit-learn and scipy, and what must not change them."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import average_precision_score, classification_report, roc_auc_score

from annotator.errors import InvalidValue
from annotator.metrics import eraser_soft, eraser_spans
from annotator.metrics.eraser_faithfulness import aopc, aopc_points, entropy, kl_divergence, label_report
from annotator.metrics.eraser_soft import areas_of_rows, auprc, average_precision, curves, marked, roc_auc, soft_scores
from annotator.metrics.eraser_spans import (
    Spans,
    best_iou,
    exact_matches,
    instance_macro,
    instance_micro,
    iou_macro,
    iou_matches,
    iou_micro,
    overlapping,
    token_matches,
)
from annotator.metrics.ragged import Ragged
from annotator.metrics.registry import all_definitions
from tests.reference import eraser_scorer as loops
from tests.reference.eraser_cases import IOU, PRF, SOFT

N_KEYS = 4
SPAN = st.tuples(st.integers(0, N_KEYS - 1), st.integers(-2, 12), st.integers(-2, 40))
MANY = st.lists(SPAN, max_size=25)
NUMBER = st.sampled_from([-2.0, 0.0, 0.25, 0.5, 1.0, 3.5, 1e-300, 7e200])
ROWS = st.lists(st.lists(st.tuples(st.booleans(), NUMBER), min_size=1, max_size=12), min_size=1, max_size=6)


def spans_of(many: list[tuple[int, int, int]], n_keys: int = N_KEYS) -> Spans:
    table = np.array(many, dtype=np.int64).reshape(-1, 3)
    return Spans.of(table[:, 0], table[:, 1], table[:, 2], n_keys)


def loop_spans(many: list[tuple[int, int, int]]) -> set[loops.Span]:
    return {(str(key), "d", start, end) for key, start, end in many}


def soft_rows(rows: list[list[tuple[bool, float]]]) -> tuple[Ragged[np.bool_], Ragged[np.float64]]:
    return Ragged.of([[t for t, _ in row] for row in rows], np.bool_), Ragged.of(
        [[s for _, s in row] for row in rows], np.float64
    )


@settings(max_examples=30)
@given(MANY, MANY, st.lists(st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]), min_size=1, max_size=3))
def test_iou_scores_are_those_of_the_plain_loops(gold, predicted, thresholds) -> None:
    expected = loops.partial_match(loop_spans(gold), loop_spans(predicted), thresholds)
    for found, wanted in zip(iou_matches(spans_of(gold), spans_of(predicted), thresholds), expected, strict=True):
        for scores, name in ((iou_micro(found), "micro"), (iou_macro(found), "macro")):
            assert (scores.p, scores.r, scores.f1) == pytest.approx(tuple(wanted[name].values()), abs=1e-12)


@settings(max_examples=30)
@given(MANY, MANY)
def test_exact_and_token_scores_are_those_of_the_plain_loops(gold, predicted) -> None:
    for matches, change in ((exact_matches, lambda spans: spans), (token_matches, loops.tokens_of)):
        found = matches(spans_of(gold), spans_of(predicted))
        truth, made = change(loop_spans(gold)), change(loop_spans(predicted))
        if not truth or not made:
            assert instance_micro(found).f1 is None
            continue
        wanted = loops.hard_prf(truth, made)
        for scores, name in ((instance_micro(found), "instance_micro"), (instance_macro(found), "instance_macro")):
            assert (scores.p, scores.r, scores.f1) == pytest.approx(tuple(wanted[name].values()), abs=1e-12)


@settings(max_examples=30)
@given(MANY, MANY, st.permutations(range(N_KEYS)))
def test_the_order_of_documents_changes_nothing_and_doubling_them_neither(gold, predicted, order) -> None:
    def numbers(gold, predicted, n_keys):
        g, p = spans_of(gold, n_keys), spans_of(predicted, n_keys)
        kinds = [*iou_matches(g, p, [0.5]), exact_matches(g, p), token_matches(g, p)]
        made = [[mean(kind) for mean in (iou_micro, iou_macro, instance_micro, instance_macro)] for kind in kinds]
        return [-1 if x is None else x for four in made for scores in four for x in (scores.p, scores.r, scores.f1)]

    plain = numbers(gold, predicted, N_KEYS)
    moved = [[(order[key], *rest) for key, *rest in side] for side in (gold, predicted)]
    assert numbers(*moved, N_KEYS) == pytest.approx(plain, abs=1e-12)
    doubled = [side + [(key + N_KEYS, *rest) for key, *rest in side] for side in (gold, predicted)]
    assert numbers(*doubled, 2 * N_KEYS) == pytest.approx(plain, abs=1e-12)


@settings(max_examples=30)
@given(MANY, MANY)
def test_precision_and_best_iou_lie_between_zero_and_one_and_a_prediction_of_gold_is_perfect(gold, predicted) -> None:
    g, p = spans_of(gold), spans_of(predicted)
    best = best_iou(g, p)
    assert ((best >= 0) & (best <= 1)).all()
    same = iou_matches(g.of_tokens(), g.of_tokens(), [1.0])[0]
    assert (same.n_matched == same.n_gold).all()
    for matches in (exact_matches(g, p), token_matches(g, p), *iou_matches(g, p, [0.5])):
        assert np.array_equal(np.isnan(matches.precision), matches.n_predicted == 0)
        assert not (matches.precision > 1).any()


@given(MANY)
def test_a_span_overlaps_when_it_shares_a_token_with_an_earlier_one(many) -> None:
    spans = spans_of(many)
    listed = list(zip(spans.keys, spans.starts, spans.ends, strict=True))
    wanted = [
        any(key == k and set(range(start, end)) & set(range(s, e)) for k, s, e in listed[:number])
        for number, (key, start, end) in enumerate(listed)
    ]
    assert overlapping(spans).tolist() == wanted


def test_pairs_are_looked_at_in_portions_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    starts = draw.integers(0, 60, size=(2, 300))
    made = [Spans.of(draw.integers(0, 3, 300), one, one + draw.integers(0, 20, 300), 3) for one in starts]
    whole = best_iou(*made)
    monkeypatch.setattr(eraser_spans, "_PAIRS_AT_ONCE", 7)
    assert np.array_equal(best_iou(*made), whole)
    assert whole.max() > 0.5


@settings(max_examples=30)
@given(ROWS)
def test_soft_scores_do_not_depend_on_how_many_are_held_at_once(rows) -> None:
    whole = soft_scores(areas_of_rows(*soft_rows(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eraser_soft, "_SCORES_AT_ONCE", 3)
        assert soft_scores(areas_of_rows(*soft_rows(rows))) == whole


def test_a_token_number_beyond_32_bits_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"between -2,147,483,647 and 2,147,483,647"):
        spans_of([(0, 0, 2**31)])


def test_many_one_token_spans_find_their_longer_ones_document_by_document() -> None:
    keys = np.repeat(np.arange(200), 600)
    starts = np.tile(np.arange(600), 200)
    predicted = Spans.of(keys, starts, starts + 1, 200)
    gold = Spans.of(keys, starts // 3 * 3, starts // 3 * 3 + 3, 200)
    found = iou_matches(gold, predicted, [0.3, 0.5])
    tokens = token_matches(gold, predicted)
    exact_matches(gold, predicted)
    assert (iou_micro(found[0]).p, iou_micro(found[1]).p, instance_micro(tokens).f1) == (1.0, 0.0, 1.0)


@settings(max_examples=30)
@given(ROWS)
def test_areas_are_those_of_scikit_learn_for_each_document(rows) -> None:
    truth, scores = soft_rows(rows)
    points = curves(truth, scores)
    found = zip(auprc(points), average_precision(points), roc_auc(points), strict=True)
    for number, (area, precision, roc) in enumerate(found):
        one_truth, one_scores = truth.row(number), scores.row(number)
        if not one_truth.any():
            assert np.isnan([area, precision, roc]).all()
            continue
        assert area == pytest.approx(loops.document_auprc(one_truth, one_scores), abs=1e-9)
        if one_truth.all():
            assert np.isnan([precision, roc]).all()
            continue
        assert precision == pytest.approx(average_precision_score(one_truth, one_scores), abs=1e-9)
        assert roc == pytest.approx(roc_auc_score(one_truth, one_scores), abs=1e-9)


@settings(max_examples=30)
@given(ROWS)
def test_soft_aggregates_are_the_scorers_with_one_half_for_a_document_without_gold(rows) -> None:
    truth, scores = soft_rows(rows)
    made = soft_scores(areas_of_rows(truth, scores))
    wanted = loops.soft([([t for t, _ in row], [s for _, s in row]) for row in rows])
    assert made.auprc == pytest.approx(wanted["auprc"], abs=1e-9)
    assert (made.average_precision, made.roc_auc_score) == (
        pytest.approx(wanted["average_precision"], abs=1e-9),
        pytest.approx(wanted["roc_auc_score"], abs=1e-9),
    )
    assert made.n_without_gold == sum(not any(t for t, _ in row) for row in rows)
    assert made.n_all_gold == sum(all(t for t, _ in row) for row in rows)
    assert made.n_with_ties == sum(len({s for _, s in row}) < len(row) for row in rows)


@settings(max_examples=30)
@given(ROWS)
def test_a_monotone_change_of_the_scores_changes_no_area(rows) -> None:
    ranks = {score: rank for rank, score in enumerate(sorted({s for row in rows for _, s in row}))}
    changed = [[(t, 3.0 * ranks[s] ** 2 - 1) for t, s in row] for row in rows]
    for one, other in zip(*(_areas(one) for one in (rows, changed)), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@settings(max_examples=30)
@given(ROWS, st.randoms(use_true_random=False))
def test_areas_lie_between_zero_and_one_and_the_order_of_tokens_and_documents_changes_nothing(rows, random) -> None:
    areas = _areas(rows)
    assert all(((area >= 0) & (area <= 1) | np.isnan(area)).all() for area in areas)
    mixed = [random.sample(row, len(row)) for row in rows]
    order = random.sample(range(len(rows)), len(rows))
    for one, other in zip(areas, _areas([mixed[place] for place in order]), strict=True):
        np.testing.assert_allclose(one[order], other, atol=1e-12)


def _areas(rows):
    points = curves(*soft_rows(rows))
    return auprc(points), average_precision(points), roc_auc(points)


def test_scores_that_are_not_finite_or_do_not_fit_are_refused() -> None:
    truth = Ragged.of([[True, False]], np.bool_)
    with pytest.raises(InvalidValue, match="not a finite number"):
        curves(truth, Ragged.of([[1.0, np.nan]], np.float64))
    with pytest.raises(InvalidValue, match="one score for each token"):
        curves(truth, Ragged.of([[1.0]], np.float64))


def test_nothing_at_all_has_no_soft_scores() -> None:
    made = soft_scores(areas_of_rows(Ragged.of([], np.bool_), Ragged.of([], np.float64)))
    assert (made.auprc, made.average_precision, made.roc_auc_score, made.n) == (None, None, None, 0)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-5, 5), st.integers(-5, 5)), max_size=8))
def test_gold_marks_tokens_as_python_lists_count_them_negative_ones_from_the_end(many) -> None:
    wanted = [[False] * 5, [False] * 6]
    for key, start, end in many:
        for place in range(start, end) if key < 2 else ():
            wanted[key][place] = True
    found = marked(spans_of(many, 3), np.array([0, 1, -1]), np.array([0, 5, 11]))
    assert [found.row(0).tolist(), found.row(1).tolist()] == wanted


@pytest.mark.parametrize(("start", "end"), [(0, 6), (-6, 0)])
def test_gold_over_an_end_of_the_document_is_refused(start: int, end: int) -> None:
    with pytest.raises(InvalidValue, match="reaches over an end"):
        marked(spans_of([(0, start, end)], 1), np.array([0]), np.array([0, 5]))


LABELLED = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20)


@settings(max_examples=30)
@given(LABELLED)
def test_the_report_is_scikit_learns(pairs) -> None:
    labels = ["no", "yes", "maybe"]
    gold, predicted = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    found = label_report(gold, predicted, labels)
    names = [label for number, label in enumerate(labels) if number in {*gold, *predicted}]
    wanted = classification_report(gold, predicted, target_names=names, output_dict=True, zero_division=0)
    rows = {**found.labels, "macro avg": found.macro, "weighted avg": found.weighted}
    for name, row in rows.items():
        given_row = [wanted[name][part] for part in ("precision", "recall", "f1-score", "support")]
        assert [row.precision, row.recall, row.f1, row.support] == pytest.approx(given_row, abs=1e-12)
    assert list(found.labels) == names
    assert found.accuracy == pytest.approx(float((gold == predicted).mean()))


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue, match="no instance"):
        label_report(np.array([], dtype=np.int64), np.array([], dtype=np.int64), ["a"])


SHARE = st.sampled_from([0.0, 0.1, 0.5, 2.0, 1e-5])


@settings(max_examples=30)
@given(st.lists(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=4), min_size=1, max_size=5))
def test_entropy_and_divergence_are_those_of_scipy_for_each_row(rows) -> None:
    full, masked = (Ragged.of([[pair[side] for pair in row] for row in rows], np.float64) for side in (0, 1))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # scipy divides by 0 where a row sums to 0
        wanted = [scipy_entropy(full.row(number)) for number in range(len(rows))]
        wanted_kl = [scipy_entropy(masked.row(number), full.row(number)) for number in range(len(rows))]
    np.testing.assert_allclose(entropy(full), wanted, atol=1e-12)
    np.testing.assert_allclose(kl_divergence(masked, full), wanted_kl, atol=1e-12)


def test_a_distribution_that_sums_to_zero_has_no_entropy_and_a_negative_share_makes_it_minus_infinity() -> None:
    assert np.isnan(entropy(Ragged.of([[0.0, 0.0]], np.float64))[0])
    assert entropy(Ragged.of([[1.5, -0.5]], np.float64))[0] == -np.inf


def test_the_scripts_area_is_that_of_the_paper_times_one_more_threshold() -> None:
    p_full, p_changed = np.array([0.9, 0.5]), np.array([[0.8, 0.1], [0.5, 0.6]])
    np.testing.assert_allclose(aopc(p_full, p_changed), [0.45, -0.05])  # (0.1 + 0.8) / 2, (0 - 0.1) / 2
    np.testing.assert_allclose(aopc(p_full, p_changed, "paper") * 3 / 2, aopc(p_full, p_changed))
    np.testing.assert_allclose(aopc_points(p_full, p_changed), [0.05, 0.35])


def test_without_thresholds_or_instances_there_is_no_area() -> None:
    assert np.isnan(aopc(np.array([0.5]), np.empty((1, 0)))).all()
    assert np.isnan(aopc_points(np.empty(0), np.empty((0, 2)))).all()


def test_the_lower_sufficiency_is_the_better_one() -> None:
    directions = {d.name: d.direction for d in all_definitions() if d.name.startswith("eraser.")}
    assert directions["eraser.sufficiency"] == directions["eraser.sufficiency_aopc_paper"] == "lower is better"
    assert directions["eraser.comprehensiveness"] == directions["eraser.auprc"] == "higher is better"
    assert {"eraser.iou_f1_macro", "eraser.token_f1_macro", "eraser.exact_f1_micro"} <= directions.keys()


# ERASER's metrics give the scorer's numbers on the table of cases; each row names its source.


def pairs_of(many: list[tuple[int, int, int]]) -> Spans:
    table = np.array(many, dtype=np.int64).reshape(-1, 3)
    return Spans.of(table[:, 0], table[:, 1], table[:, 2], 2)


@pytest.mark.parametrize("case", IOU, ids=[case[0] for case in IOU])
def test_iou_scores_are_those_of_the_table(case) -> None:
    _, gold, predicted, threshold, micro, macro, _ = case
    found = iou_matches(pairs_of(gold), pairs_of(predicted), [threshold])[0]
    for scores, wanted in ((iou_micro(found), micro), (iou_macro(found), macro)):
        assert (scores.p, scores.r, scores.f1) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("case", PRF, ids=[case[0] for case in PRF])
def test_exact_and_token_scores_are_those_of_the_table(case) -> None:
    _, gold, predicted, exact_micro, exact_macro, token_micro, token_macro, _ = case
    exact = exact_matches(pairs_of(gold), pairs_of(predicted))
    tokens = token_matches(pairs_of(gold), pairs_of(predicted))
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
