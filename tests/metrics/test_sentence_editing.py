"""Sentence editing: against the reference table, plain loops and scikit-learn."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, f1_score, precision_recall_curve

from annotator.errors import InvalidValue
from annotator.metrics import sentence_editing as editing
from annotator.metrics.ragged import Ragged
from annotator.metrics.registry import all_definitions

CASES = json.loads((Path(__file__).parents[1] / "reference" / "sentence_editing.json").read_text(encoding="utf-8"))

MEASURES = {
    "mrr": editing.reciprocal_rank_with_removal,
    "average_precision": editing.average_precision,
    "auprc": editing.auprc,
    "auprc_as_published": editing.auprc_as_published,
    "top_1": editing.top_1_strict,
    "top_1_lenient": editing.top_1_lenient,
    "top_3": editing.top_3,
    "exact_match": editing.exact_match,
    "jaccard": editing.jaccard,
    "jaccard_match": editing.jaccard_match,
}

# Whole numbers as scores, so that ties are frequent.
SENTENCE = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=0, max_size=9)
SENTENCES = st.lists(SENTENCE, max_size=6)


def rows(sentences: list[list[tuple[int, bool]]]) -> tuple[Ragged[np.float64], Ragged[np.bool_]]:
    scores = Ragged.of([[score for score, _ in sentence] for sentence in sentences], np.float64)
    return scores, Ragged.of([[mark for _, mark in sentence] for sentence in sentences], np.bool_)


def as_number(value: Any) -> float:
    if value is None:
        return float("nan")
    return value[0] / value[1] if isinstance(value, list) else float(value)


@pytest.mark.parametrize("case", CASES["ranking"], ids=lambda case: case["why"])
def test_each_measure_has_the_value_of_the_reference_table(case: dict[str, Any]) -> None:
    both = Ragged.of([case["scores"]], np.float64), Ragged.of([case["rationale"]], np.bool_)
    for name, measure in MEASURES.items():
        if name in case:
            assert measure(*both) == pytest.approx([as_number(case[name])], nan_ok=True), name


def ranking_of(sentence: list[tuple[int, bool]]) -> list[bool]:
    """The marks in the order of the ranking."""
    return [
        sentence[place][1] for place in sorted(range(len(sentence)), key=lambda place: (-sentence[place][0], place))
    ]


def loop_mrr(sentence: list[tuple[int, bool]]) -> float:
    """As the paper tells it: find the best ranked rationale word, note its rank, take it out, again."""
    ranking, noted = ranking_of(sentence), []
    while True in ranking:
        noted.append(ranking.index(True) + 1)
        del ranking[ranking.index(True)]
    return len(noted) / sum(noted) if noted else float("nan")


def loop_jaccard(sentence: list[tuple[int, bool]], n_top: int | None) -> float:
    ranking = ranking_of(sentence)
    marked = {place for place, mark in enumerate(ranking) if mark}
    top = set(range(len(ranking))[: len(marked) if n_top is None else n_top])
    return len(marked & top) / len(marked | top) if marked else float("nan")


def points_of(sentence: list[tuple[int, bool]]) -> list[tuple[float, float]]:
    """(precision, recall) at each threshold from the highest score down."""
    n_marked = sum(mark for _, mark in sentence)
    points = []
    for threshold in sorted({score for score, _ in sentence}, reverse=True):
        taken = [mark for score, mark in sentence if score >= threshold]
        points.append((sum(taken) / len(taken), sum(taken) / n_marked))
    return points


def loop_as_published(sentence: list[tuple[int, bool]]) -> float:
    if len({mark for _, mark in sentence}) < 2:
        return float("nan")
    points = points_of(sentence)
    n_kept = 1 + next(place for place, (_, recall) in enumerate(points) if recall == 1)
    cut = sorted([*points[:n_kept], (1.0, 0.0)])
    return sum((right[0] - left[0]) * (right[1] + left[1]) / 2 for left, right in pairwise(cut))


@settings(max_examples=30)
@given(SENTENCES)
def test_mrr_is_what_taking_words_out_one_by_one_gives(sentences: list[list[tuple[int, bool]]]) -> None:
    found = editing.reciprocal_rank_with_removal(*rows(sentences))
    assert found == pytest.approx([loop_mrr(sentence) for sentence in sentences], nan_ok=True)


@settings(max_examples=30)
@given(SENTENCES, st.none() | st.integers(0, 4))
def test_jaccard_is_that_of_python_sets(sentences: list[list[tuple[int, bool]]], n_top: int | None) -> None:
    found = editing.jaccard(*rows(sentences), n_top)
    assert found == pytest.approx([loop_jaccard(sentence, n_top) for sentence in sentences], nan_ok=True)


@settings(max_examples=30)
@given(SENTENCES)
def test_matches_are_those_of_the_first_words_of_the_ranking(sentences: list[list[tuple[int, bool]]]) -> None:
    both = rows(sentences)
    found = zip(
        editing.top_1_strict(*both),
        editing.top_1_lenient(*both),
        editing.top_3(*both),
        editing.exact_match(*both),
        strict=True,
    )
    for sentence, values in zip(sentences, found, strict=True):
        ranking, k = ranking_of(sentence), sum(mark for _, mark in sentence)
        expected = (k == 1 and ranking[0], k and ranking[0], sum(ranking[:3]) == k, sum(ranking[:k]) == k)
        assert values == pytest.approx([float(value) if k else float("nan") for value in expected], nan_ok=True)


@settings(max_examples=30)
@given(SENTENCES)
def test_average_precision_and_auprc_are_those_of_scikit_learn(sentences: list[list[tuple[int, bool]]]) -> None:
    both = rows(sentences)
    precisions, areas = editing.average_precision(*both), editing.auprc(*both)
    for sentence, precision, area in zip(sentences, precisions, areas, strict=True):
        marks, scores = [mark for _, mark in sentence], [score for score, _ in sentence]
        if len(set(marks)) < 2:
            assert np.isnan(precision)
            assert np.isnan(area)
            continue
        on_y, on_x, _ = precision_recall_curve(marks, scores)
        assert precision == pytest.approx(average_precision_score(marks, scores))
        assert area == pytest.approx(auc(on_x, on_y))


@settings(max_examples=30)
@given(SENTENCES)
def test_the_published_column_is_the_sorted_curve_cut_at_full_recall(sentences: list[list[tuple[int, bool]]]) -> None:
    found = editing.auprc_as_published(*rows(sentences))
    assert found == pytest.approx([loop_as_published(sentence) for sentence in sentences], nan_ok=True)


@given(st.integers(2, 12), st.data())
def test_one_word_rationales_keep_the_identities_between_the_measures(n_words: int, data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, n_words))
    both = rows([[(-place, place == rank) for place in range(1, n_words + 1)]])
    mrr = editing.reciprocal_rank_with_removal(*both)
    assert mrr == pytest.approx([1 / rank])
    assert editing.average_precision(*both) == pytest.approx(mrr)
    assert editing.auprc(*both) == pytest.approx((mrr + editing.top_1_strict(*both)) / 2)
    assert editing.auprc_as_published(*both) == pytest.approx([0 if rank == 1 else 0.5])


@settings(max_examples=30)
@given(SENTENCES)
def test_every_measure_is_between_0_and_1_and_the_same_for_any_monotone_change_of_scores(
    sentences: list[list[tuple[int, bool]]],
) -> None:
    scores, marks = rows(sentences)
    changed = Ragged(np.exp(scores.values) * 3 + 7, scores.offsets)
    for measure in MEASURES.values():
        values = measure(scores, marks)
        there = values[~np.isnan(values)]
        assert np.all((there >= 0) & (there <= 1 + 1e-12))
        np.testing.assert_array_equal(values, measure(changed, marks))


@settings(max_examples=30)
@given(SENTENCES, st.randoms(use_true_random=False))
def test_a_sentence_has_its_values_wherever_it_stands_and_however_often(
    sentences: list[list[tuple[int, bool]]], random: Any
) -> None:
    order = [*range(len(sentences)), *range(len(sentences))]
    random.shuffle(order)
    mixed = [sentences[number] for number in order]
    for measure in MEASURES.values():
        np.testing.assert_allclose(measure(*rows(mixed)), measure(*rows(sentences))[order], rtol=1e-12)


def test_all_is_the_weighted_mean_of_correct_and_wrong() -> None:
    values, is_correct = np.array([1.0, 0.5, 0.25, np.nan]), np.array([True, False, True, False])
    found = editing.all_correct_wrong(values, is_correct)
    assert (found.correct.value, found.correct.n) == (0.625, 2)
    assert (found.wrong.value, found.wrong.n, found.wrong.n_left_out) == (0.5, 1, 1)
    assert found.all.value == pytest.approx(2 / 3 * 0.625 + 1 / 3 * 0.5)


def test_confidence_compares_perfect_rankings_with_others_among_correct_sentences_only() -> None:
    probabilities, ranks = np.array([0.9, 0.7, 0.6, 0.1]), np.array([1.0, 1.0, 0.5, 0.2])
    found = editing.confidence_by_ranking(probabilities, ranks, np.array([True, True, True, False]))
    assert (found.perfect.value, found.perfect.n, found.other.value, found.other.n) == (pytest.approx(0.8), 2, 0.6, 1)
    assert found.difference == pytest.approx(0.2)
    assert found.ratio == pytest.approx(4 / 3)


def test_confidence_has_no_comparison_when_one_group_is_empty() -> None:
    found = editing.confidence_by_ranking(np.array([0.9, 0.8]), np.array([1.0, np.nan]), np.array([True, True]))
    assert (found.perfect.n, found.other.n, found.difference, found.ratio) == (1, 0, None, None)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_f1_of_need_edit_is_that_of_scikit_learn(sentences: list[tuple[bool, bool]]) -> None:
    predicted, gold = (np.array(side) for side in zip(*sentences, strict=True))
    f1 = editing.need_edit_f1(predicted, gold)
    if predicted.any() or gold.any():
        assert f1 == pytest.approx(f1_score(gold, predicted))
    else:
        assert f1 is None


def test_scores_that_are_no_numbers_are_refused_with_their_sentence() -> None:
    scores, marks = Ragged.of([[1.0], [2.0, np.nan]], np.float64), Ragged.of([[1], [1, 0]], np.bool_)
    with pytest.raises(InvalidValue, match="Sentence 1 has a score that is not a number"):
        editing.auprc(scores, marks)


def test_marks_for_other_words_than_the_scores_are_refused() -> None:
    with pytest.raises(InvalidValue, match="one score and one mark"):
        editing.jaccard(Ragged.of([[1.0, 2.0], [1.0]], np.float64), Ragged.of([[1], [1, 0]], np.bool_))


def test_every_measure_of_the_family_is_in_the_register() -> None:
    names = {definition.name for definition in all_definitions() if definition.name.startswith("editing.")}
    assert names == {f"editing.{name}" for name in (*MEASURES, "need_edit_f1")}
