"""Sentence editing: how high a model ranks the words that an edit changed. Only rank matters, never the size of a score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged
from annotator.metrics.registry import Definition, Direction, register

Scores = Ragged[np.float64]
Marks = Ragged[np.bool_]
Measure = Callable[[Scores, Marks], Floats]


def reciprocal_rank_with_removal(scores: Scores, rationale: Marks) -> Floats:
    """1 / mean of the ranks that the rationale's words have when each is taken out of the ranking once it was found.

    Shapes:    one row of word scores and of marks a sentence, without special tokens; returns float[n_sentences]
    Range:     above 0 to 1, higher is better
    Undefined: NaN where the rationale has no word (our decision; the paper does not say)
    Source:    Stevens and Su 2021, section 4 (mean reciprocal rank); closed form 1 / mean(r_i - (i - 1))
    >>> worked = Ragged.of([[0.5, 0.3, 0.2, 0.1]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)
    >>> reciprocal_rank_with_removal(*worked).round(3).tolist()
    [0.667]
    """
    ranked = _ranked(scores, rationale)
    noted = np.where(ranked.is_rationale, ranked.ranks - ranked.n_hits + 1, 0)
    sums = np.bincount(ranked.rows, weights=noted, minlength=len(scores))
    return _ratio(ranked.n_marked, sums, ranked.n_marked > 0)


def average_precision(scores: Scores, rationale: Marks) -> Floats:
    """Sum over thresholds of (R_n - R_(n-1)) P_n; equal scores pass a threshold together.

    Undefined: NaN where no word or every word is in the rationale: there is nothing to tell apart (our decision)
    Source:    scikit-learn `average_precision_score`
    >>> worked = Ragged.of([[0.5, 0.3, 0.2, 0.1]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)
    >>> average_precision(*worked).round(3).tolist(), auprc(*worked).round(3).tolist()
    ([0.833], [0.792])
    """
    curve = _curve(_ranked(scores, rationale))
    return curve.area((curve.recall - curve.recall_before) * curve.precision)


def auprc(scores: Scores, rationale: Marks) -> Floats:
    """Area under precision over recall by trapezoids, from precision 1 at recall 0; undefined as `average_precision`.

    Source: scikit-learn `precision_recall_curve` and `auc(recall, precision)`
    """
    curve = _curve(_ranked(scores, rationale))
    return curve.area((curve.recall - curve.recall_before) * (curve.precision + curve.precision_before) / 2)


def auprc_as_published(scores: Scores, rationale: Marks) -> Floats:
    """The formula that the published AUPRC columns follow: precision on x, points sorted, cut at full recall. Not an AUPRC.

    A rationale of one word has 0 at rank 1 and 0.5 at any other, so that the lower value is the better ranking.

    Undefined: as `average_precision`
    Source:    Stevens and Su 2021, Tables 4 and 5, where `auc(precision, recall, reorder=True)` of scikit-learn before 1.1
               explains all 54 rows; inferred, no code was released
    """
    curve = _curve(_ranked(scores, rationale))
    is_kept = curve.recall_before < 1
    rows = np.concatenate([curve.rows[is_kept], np.arange(len(scores))])
    precision = np.concatenate([curve.precision[is_kept], np.ones(len(scores))])
    recall = np.concatenate([curve.recall[is_kept], np.zeros(len(scores))])
    order = np.lexsort((recall, precision, rows))
    rows, precision, recall = rows[order], precision[order], recall[order]
    width = np.where(rows[1:] == rows[:-1], np.diff(precision), 0.0)
    areas = np.bincount(rows[1:], weights=width * (recall[1:] + recall[:-1]) / 2, minlength=len(scores))
    return np.asarray(np.where(curve.is_defined, areas, np.nan), dtype=np.float64)


def top_1_strict(scores: Scores, rationale: Marks) -> Floats:
    """1 where the rationale is one word and the best ranked; every rationale of several words has 0, as in the paper."""
    ranked = _ranked(scores, rationale)
    return _where_marked(ranked, (ranked.n_marked == 1) & (_hits_within(ranked, ranked.n_marked) == 1))


def top_1_lenient(scores: Scores, rationale: Marks) -> Floats:
    """1 where the best ranked word is in the rationale, of however many words."""
    ranked = _ranked(scores, rationale)
    return _where_marked(ranked, _hits_within(ranked, np.ones_like(ranked.n_marked)) == 1)


def top_3(scores: Scores, rationale: Marks) -> Floats:
    """1 where the whole rationale is among the first three words; not to be had by a rationale of more."""
    ranked = _ranked(scores, rationale)
    return _where_marked(ranked, _hits_within(ranked, np.full_like(ranked.n_marked, 3)) == ranked.n_marked)


def exact_match(scores: Scores, rationale: Marks) -> Floats:
    """1 where the rationale is the first k words, k its size."""
    ranked = _ranked(scores, rationale)
    return _where_marked(ranked, _hits_within(ranked, ranked.n_marked) == ranked.n_marked)


def jaccard(scores: Scores, rationale: Marks, n_top: int | None = None) -> Floats:
    """|H and top-k| / |H or top-k|; k is the rationale's size unless `n_top` says another.

    Undefined: NaN where the rationale has no word
    Source:    the code of Stevens and Su 2021
    >>> jaccard(Ragged.of([[0.5, 0.3, 0.2, 0.1]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)).round(3).tolist()
    [0.333]
    """
    ranked = _ranked(scores, rationale)
    taken = ranked.n_marked if n_top is None else np.minimum(scores.lengths, n_top)
    hits = _hits_within(ranked, taken)
    return _ratio(hits, ranked.n_marked + taken - hits, ranked.n_marked > 0)


def jaccard_match(scores: Scores, rationale: Marks) -> Floats:
    """1 where Jaccard at the rationale's size is at least a half."""
    values = jaccard(scores, rationale)
    return np.asarray(np.where(np.isnan(values), np.nan, values >= 0.5), dtype=np.float64)


def n_tied_words(scores: Scores) -> Integers:
    """int[n_sentences]: words that share their score with another of the sentence, so that position ranks them."""
    order = np.lexsort((scores.values, scores.rows_of_values))
    values, rows = scores.values[order], scores.rows_of_values[order]
    is_as_next = (values[1:] == values[:-1]) & (rows[1:] == rows[:-1])
    is_tied = (
        np.concatenate([is_as_next, [False]])[: len(values)] | np.concatenate([[False], is_as_next])[: len(values)]
    )
    return np.bincount(rows[is_tied], minlength=len(scores)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Rows:
    """A metric's means over all sentences, over those the model got right and over those it got wrong."""

    all: Aggregate
    correct: Aggregate
    wrong: Aggregate


def all_correct_wrong(values: Floats, is_correct: Flags) -> Rows:
    """The rows of the paper's tables. All = R x Correct + (1 - R) x Wrong, R the share of correct ones with a value."""
    return Rows(mean_of(values), mean_of(values[is_correct]), mean_of(values[~is_correct]))


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure a model is of its correct answers, with a perfect ranking of the rationale and with another.

    difference, ratio: perfect against other; None when one group is empty (the paper does not say which of the two it gives)
    """

    perfect: Aggregate
    other: Aggregate
    difference: float | None
    ratio: float | None


def confidence_by_ranking(probabilities: Floats, reciprocal_ranks: Floats, is_correct: Flags) -> Confidence:
    """Mean probability of the predicted label over correct sentences, by whether the reciprocal rank is 1.

    Sentences without a reciprocal rank are in neither group.

    Source: Stevens and Su 2021, section 5; that perfect means a reciprocal rank of 1 is our reading
    >>> found = confidence_by_ranking(np.array([0.9, 0.6]), np.array([1.0, 0.5]), np.array([True, True]))
    >>> found.difference, found.ratio
    (0.30000000000000004, 1.5)
    """
    perfect = mean_of(probabilities[is_correct & (reciprocal_ranks == 1)])
    other = mean_of(probabilities[is_correct & (reciprocal_ranks < 1)])
    if perfect.value is None or other.value is None:
        return Confidence(perfect, other, None, None)
    ratio = perfect.value / other.value if other.value else None
    return Confidence(perfect, other, perfect.value - other.value, ratio)


def by_layer(measure: Measure, layers: Sequence[Scores], rationale: Marks) -> list[Aggregate]:
    """A metric's mean for the scores of each layer, first layer first."""
    return [mean_of(measure(scores, rationale)) for scores in layers]


@dataclass(frozen=True)
class _Ranked:
    """Words of each sentence by descending score, ties by position.

    Shapes: for each word rows, ranks (from 1), n_hits (rationale words down to here), is_last_of_tie; n_marked, n_words
            for each sentence
    """

    rows: Integers
    ranks: Integers
    is_rationale: Flags
    n_hits: Integers
    is_last_of_tie: Flags
    n_marked: Integers
    n_words: Integers


def _ranked(scores: Scores, rationale: Marks) -> _Ranked:
    if not np.array_equal(scores.offsets, rationale.offsets):
        raise InvalidValue("Each word has one score and one mark; some sentence has more of one than of the other.")
    if np.any(np.isnan(scores.values)):
        row = int(scores.rows_of_values[np.isnan(scores.values)][0])
        raise InvalidValue(f"Sentence {row} has a score that is not a number; leave it out or give all its scores.")
    order = scores.ranked()
    values, marks, rows = scores.values[order], rationale.values[order], scores.rows_of_values
    before = np.concatenate(([0], np.cumsum(marks)))
    n_hits = before[1:] - before[scores.offsets[rows]]
    is_last = np.ones(len(values), dtype=np.bool_)
    is_last[:-1] = (values[1:] != values[:-1]) | (rows[1:] != rows[:-1])
    n_marked = np.diff(before[scores.offsets])
    return _Ranked(rows, scores.places + 1, marks, n_hits, is_last, n_marked, scores.lengths)


@dataclass(frozen=True)
class _Curve:
    """The points of each sentence's precision-recall curve, one a threshold, each with the point before it."""

    rows: Integers
    recall: Floats
    precision: Floats
    recall_before: Floats
    precision_before: Floats
    is_defined: Flags

    def area(self, pieces: Floats) -> Floats:
        sums = np.bincount(self.rows, weights=pieces, minlength=len(self.is_defined))
        return np.asarray(np.where(self.is_defined, sums, np.nan), dtype=np.float64)


def _curve(ranked: _Ranked) -> _Curve:
    kept = ranked.is_last_of_tie
    rows = ranked.rows[kept]
    recall = ranked.n_hits[kept] / np.maximum(ranked.n_marked[rows], 1)
    precision = ranked.n_hits[kept] / ranked.ranks[kept]
    is_first = np.diff(rows, prepend=-1) != 0
    recall_before = np.where(is_first, 0.0, np.roll(recall, 1))
    precision_before = np.where(is_first, 1.0, np.roll(precision, 1))
    is_defined = (ranked.n_marked > 0) & (ranked.n_marked < ranked.n_words)
    return _Curve(rows, recall, precision, recall_before, precision_before, is_defined)


def _hits_within(ranked: _Ranked, n_top: Integers) -> Integers:
    """int[n_sentences]: rationale words among the first `n_top` of each sentence."""
    is_hit = ranked.is_rationale & (ranked.ranks <= n_top[ranked.rows])
    return np.bincount(ranked.rows[is_hit], minlength=len(n_top)).astype(np.int64)


def _where_marked(ranked: _Ranked, holds: Flags) -> Floats:
    return np.asarray(np.where(ranked.n_marked > 0, holds, np.nan), dtype=np.float64)


def _ratio(above: Integers, below: Integers | Floats, is_defined: Flags) -> Floats:
    return np.asarray(np.where(is_defined, above / np.where(is_defined, below, 1), np.nan), dtype=np.float64)


_NO_WORD = "not defined where the rationale has no word; left out and counted"
_NOTHING_APART = "not defined where no word or every word is in the rationale; left out and counted"
_PAPER, _CODE = "Stevens and Su 2021, section 4", "the released code of Stevens and Su 2021"


def _definition(
    name: str,
    title: str,
    definition: str,
    undefined: str,
    source: str,
    direction: Direction = "higher is better",
) -> Definition:
    return Definition(f"editing.{name}", title, definition, direction, 0.0, 1.0, undefined, source)


_NO_GROUP = "where no sentence is in one of the two groups"
_SURE = "Stevens and Su 2021, section 5; that perfect means a reciprocal rank of 1 is our reading"

register(
    [
        _definition("mrr", "MRR with removal", "mean of 1 / mean(r_i - (i - 1)) over sentences", _NO_WORD, _PAPER),
        _definition(
            "average_precision",
            "Average precision",
            "sum of (R_n - R_(n-1)) P_n over thresholds on the word scores; mean over sentences",
            _NOTHING_APART,
            "scikit-learn average_precision_score",
        ),
        _definition(
            "auprc",
            "AUPRC",
            "area under precision over recall by trapezoids, recall on x; mean over sentences",
            _NOTHING_APART,
            "Stevens and Su 2021, section 4, computed as scikit-learn's auc(recall, precision)",
        ),
        _definition(
            "auprc_as_published",
            "AUPRC column as published (not an AUPRC)",
            "area over sorted precision on x, cut at full recall: 0 for one word at rank 1, 0.5 at any other",
            _NOTHING_APART,
            "Stevens and Su 2021, Tables 4 and 5; formula inferred from all 54 rows",
            "lower is better",
        ),
        _definition("top_1", "Top-1 match", "share of sentences with k = 1 and r_1 = 1", _NO_WORD, _PAPER),
        _definition(
            "top_1_lenient",
            "Top-1 in rationale",
            "share of sentences whose best word is in the rationale",
            _NO_WORD,
            "ours",
        ),
        _definition("top_3", "Top-3 match", "share of rationales within the first 3 words", _NO_WORD, _CODE),
        _definition(
            "exact_match",
            "Exact match",
            "share of rationales that are the first k words, k their size",
            _NO_WORD,
            _CODE,
        ),
        _definition("jaccard", "Jaccard at k", "|H and top-k| / |H or top-k|; k = |H| unless said", _NO_WORD, _CODE),
        _definition("jaccard_match", "Jaccard match", "share of sentences with Jaccard at |H| >= 0.5", _NO_WORD, _CODE),
        *(
            Definition(
                f"confidence.{part}", f"Confidence, {title}", definition, "neither", lowest, highest, _NO_GROUP, _SURE
            )
            for part, title, definition, lowest, highest in (
                (
                    "perfect",
                    "perfect ranking",
                    "mean probability of right answers whose gold words are ranked perfectly (MRR with removal of 1)",
                    0.0,
                    1.0,
                ),
                ("other", "other ranking", "mean probability of right answers with another ranking", 0.0, 1.0),
                ("difference", "difference", "with a perfect ranking − with another", -1.0, 1.0),
                ("ratio", "ratio", "with a perfect ranking / with another", 0.0, None),
            )
        ),
    ]
)
