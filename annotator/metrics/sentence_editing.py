"""Sentence editing: how high a model ranks the words that an edit changed. Only rank matters, never the size of a score."""

from dataclasses import dataclass

import numpy as np

from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.definitions import Definition, from_0_to_1
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged
from annotator.metrics.ranked_words import Points, RankedWords, rank_words

Scores = Ragged[np.float64]
Marks = Ragged[np.bool_]


def reciprocal_rank_with_removal(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """1 / mean of the ranks that the rationale's words have when each is taken out of the ranking once it was found.

    Shapes:    one row of word scores and of marks a sentence, without special tokens; returns float[n_sentences]
    Range:     above 0 to 1, higher is better
    Undefined: NaN where the rationale has no word (our decision; the paper does not say)
    Source:    Stevens and Su 2021, section 4 (mean reciprocal rank); closed form 1 / mean(r_i - (i - 1))
    >>> worked = Ragged.of([[0.5, 0.3, 0.2, 0.1]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)
    >>> reciprocal_rank_with_removal(*worked).round(3).tolist()
    [0.667]
    """
    ranked = ranked or rank_words(scores, rationale)
    hits = np.flatnonzero(ranked.is_rationale)
    rows = ranked.words.rows_of_values[hits]
    start = ranked.words.offsets[rows]
    noted = (hits + 1 - start) - (np.arange(len(hits)) - ranked.hits_before[start])
    sums = np.bincount(rows, weights=noted, minlength=len(scores))
    return _ratio(ranked.n_marked, sums, ranked.n_marked > 0)


def average_precision(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """Sum over thresholds of (R_n - R_(n-1)) P_n; equal scores pass a threshold together.

    Undefined: NaN where no word or every word is in the rationale: there is nothing to tell apart (our decision)
    Source:    scikit-learn `average_precision_score`
    >>> worked = Ragged.of([[0.5, 0.3, 0.2, 0.1]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)
    >>> average_precision(*worked).round(3).tolist(), auprc(*worked).round(3).tolist()
    ([0.833], [0.792])
    """
    ranked = ranked or rank_words(scores, rationale)
    steps = ranked.steps
    return _area(ranked, steps, (ranked.recall(steps) - ranked.recall_before(steps)) * steps.precision)


def auprc(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """Area under precision over recall by trapezoids, from precision 1 at recall 0; undefined as `average_precision`.

    Source: scikit-learn `precision_recall_curve` and `auc(recall, precision)`
    """
    ranked = ranked or rank_words(scores, rationale)
    steps = ranked.steps
    widths = ranked.recall(steps) - ranked.recall_before(steps)
    return _area(ranked, steps, widths * (steps.precision + steps.precision_before) / 2)


def auprc_as_published(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """The formula that the published AUPRC columns follow: precision on x, points sorted, cut at full recall. Not an AUPRC.

    A rationale of one word has 0 at rank 1 and 0.5 at any other, so that the lower value is the better ranking.

    Undefined: as `average_precision`
    Source:    Stevens and Su 2021, Tables 4 and 5, where `auc(precision, recall, reorder=True)` of scikit-learn before 1.1
               explains all 54 rows; inferred, no code was released
    """
    ranked = ranked or rank_words(scores, rationale)
    points = _that_shape_published_area(ranked)
    n_points = (
        np.bincount(points.rows, minlength=len(scores)) + 1
    )  # one more for each sentence, of precision 1 and recall 0
    precision, recall = np.ones(n_points.sum()), np.zeros(n_points.sum())
    indices = np.arange(len(points.rows)) + points.rows + 1
    precision[indices], recall[indices] = points.precision, ranked.recall(points)
    rows = Ragged(-precision, np.concatenate(([0], np.cumsum(n_points))).astype(np.int64))
    order = rows.ranked()  # recall never falls from point to point, so that equal precisions stay in its order
    precision, recall, of = precision[order], recall[order], rows.rows_of_values
    width = np.where(of[1:] == of[:-1], np.diff(precision), 0.0)
    areas = np.bincount(of[1:], weights=width * (recall[1:] + recall[:-1]) / 2, minlength=len(scores))
    return np.asarray(np.where(ranked.is_divided, areas, np.nan), dtype=np.float64)


def _that_shape_published_area(ranked: RankedWords) -> Points:
    """Those before full recall; of those without a hit only the first, since (0, 0) need stand but once."""
    hits, words = ranked.hits_before, ranked.words
    begins, ends = ranked.borders
    rows = words.rows_of_values if ranked.has_no_ties else words.rows_of_values[ends]
    all_hits = hits[words.offsets]
    shapes = (hits[begins] < all_hits[1:][rows]) & (hits[ends + 1] > all_hits[:-1][rows])
    first = np.flatnonzero(words.is_filled)
    shapes[np.searchsorted(begins, words.offsets[first])] = True
    return ranked.points_between(begins[shapes], ends[shapes])


def top_1_strict(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """1 where the rationale is one word and the best ranked; every rationale of several words has 0, as in the paper."""
    ranked = ranked or rank_words(scores, rationale)
    return _where_marked(ranked, (ranked.n_marked == 1) & (ranked.hits_within(ranked.n_marked) == 1))


def top_1_lenient(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """1 where the best ranked word is in the rationale, of however many words."""
    ranked = ranked or rank_words(scores, rationale)
    return _where_marked(ranked, ranked.hits_within(np.ones_like(ranked.n_marked)) == 1)


def top_3(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """1 where the whole rationale is among the first three words; not to be had by a rationale of more."""
    ranked = ranked or rank_words(scores, rationale)
    return _where_marked(ranked, ranked.hits_within(np.full_like(ranked.n_marked, 3)) == ranked.n_marked)


def exact_match(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """1 where the rationale is the first k words, k its size."""
    ranked = ranked or rank_words(scores, rationale)
    return _where_marked(ranked, ranked.hits_within(ranked.n_marked) == ranked.n_marked)


def jaccard(scores: Scores, rationale: Marks, n_top: int | None = None, *, ranked: RankedWords | None = None) -> Floats:
    """|H and top-k| / |H or top-k|; k is the rationale's size unless `n_top` says another.

    Undefined: NaN where the rationale has no word
    Source:    the code of Stevens and Su 2021
    >>> jaccard(Ragged.of([[0.5, 0.3, 0.2, 0.1]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)).round(3).tolist()
    [0.333]
    """
    ranked = ranked or rank_words(scores, rationale)
    taken = ranked.n_marked if n_top is None else np.minimum(scores.lengths, n_top)
    hits = ranked.hits_within(taken)
    return _ratio(hits, ranked.n_marked + taken - hits, ranked.n_marked > 0)


def jaccard_match(scores: Scores, rationale: Marks, *, ranked: RankedWords | None = None) -> Floats:
    """1 where Jaccard at the rationale's size is at least a half."""
    values = jaccard(scores, rationale, ranked=ranked)
    return np.asarray(np.where(np.isnan(values), np.nan, values >= 0.5), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Rows:
    """A metric's means over all sentences, over those the model got right and over those it got wrong."""

    all: Aggregate
    correct: Aggregate
    wrong: Aggregate


def all_correct_wrong(values: Floats, is_correct: Flags) -> Rows:
    """The rows of the paper's tables. All = R x Correct + (1 - R) x Wrong, R the share of correct ones with a value."""
    return Rows(mean_of(values), mean_of(values[is_correct]), mean_of(values[~is_correct]))


def need_edit_f1(is_predicted: Flags, is_gold: Flags) -> float | None:
    """F1 of one label, that a sentence needs an edit. Where all sentences do it is 2R / (1 + R), R the share that is told.

    Undefined: None where no sentence has the label, neither of the model nor of gold
    >>> need_edit_f1(np.array([True, False]), np.array([True, True])).__round__(3)
    0.667
    """
    n_either = int(is_predicted.sum()) + int(is_gold.sum())
    return 2 * int((is_predicted & is_gold).sum()) / n_either if n_either else None


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


def _area(ranked: RankedWords, points: Points, pieces: Floats) -> Floats:
    """float[n_sentences]: the sum of each sentence's pieces, one a point; NaN where there is nothing to tell apart."""
    sums = np.bincount(points.rows, weights=pieces, minlength=len(ranked.words))
    return np.asarray(np.where(ranked.is_divided, sums, np.nan), dtype=np.float64)


def _where_marked(ranked: RankedWords, holds: Flags) -> Floats:
    return np.asarray(np.where(ranked.n_marked > 0, holds, np.nan), dtype=np.float64)


def _ratio(above: Integers, below: Integers | Floats, is_defined: Flags) -> Floats:
    return np.asarray(np.where(is_defined, above / np.where(is_defined, below, 1), np.nan), dtype=np.float64)


_NO_WORD = "without gold or with all scores equal; excluded and counted"
_NOTHING_APART = "with no or only gold tokens; excluded and counted"
_PAPER, _CODE = "Stevens and Su 2021, section 4", "released code of Stevens and Su 2021"


_NO_GROUP = "where either group has no sentences"
_SURE = "Stevens and Su 2021, section 5; “perfect” interpreted as reciprocal rank 1"

DEFINITIONS: tuple[Definition, ...] = (
    from_0_to_1("editing.mrr", "MRR with removal", "mean of 1 / mean(r_i - (i - 1)) over sentences", _NO_WORD, _PAPER),
    from_0_to_1(
        "editing.average_precision",
        "Average precision",
        "sum of (R_n - R_(n-1)) P_n over thresholds on the word scores; mean over sentences",
        _NOTHING_APART,
        "scikit-learn average_precision_score",
    ),
    from_0_to_1(
        "editing.auprc",
        "AUPRC",
        "area under precision over recall (x) by trapezoids; mean over sentences",
        _NOTHING_APART,
        "Stevens and Su 2021, section 4, as scikit-learn's auc(recall, precision)",
    ),
    from_0_to_1(
        "editing.auprc_as_published",
        "AUPRC column as published (not an AUPRC)",
        "area over sorted precision on x, cut at full recall; for one word: 0 at rank 1, else 0.5",
        _NOTHING_APART,
        "Stevens and Su 2021, Tables 4 and 5; formula inferred from all 54 rows",
        direction="lower is better",
    ),
    from_0_to_1("editing.top_1", "Top-1 match", "share of sentences with k = 1 and r_1 = 1", _NO_WORD, _PAPER),
    from_0_to_1(
        "editing.top_1_lenient",
        "Top-1 in rationale",
        "share of sentences whose top word is in the rationale",
        _NO_WORD,
        "defined here",
    ),
    from_0_to_1("editing.top_3", "Top-3 match", "share of rationales within the first 3 words", _NO_WORD, _CODE),
    from_0_to_1(
        "editing.exact_match",
        "Exact match",
        "share of rationales equal to the first k words, k their size",
        _NO_WORD,
        _CODE,
    ),
    from_0_to_1(
        "editing.jaccard", "Jaccard at k", "|H and top-k| / |H or top-k|; k = |H| unless said", _NO_WORD, _CODE
    ),
    from_0_to_1(
        "editing.jaccard_match", "Jaccard match", "share of sentences with Jaccard at |H| >= 0.5", _NO_WORD, _CODE
    ),
    from_0_to_1(
        "editing.need_edit_f1",
        "F1 of “need edit”",
        "2 × sentences with the label in both / (predicted + gold sentences with it)",
        "no sentence has it in either",
        "Stevens and Su 2021; if all sentences need an edit: 2R / (1 + R), R the share found",
    ),
    *(
        Definition(
            f"confidence.{part}", f"Confidence, {title}", definition, "neither", lowest, highest, _NO_GROUP, _SURE
        )
        for part, title, definition, lowest, highest in (
            (
                "perfect",
                "perfect ranking",
                "mean probability of correct predictions with perfectly ranked gold words (MRR with removal of 1)",
                0.0,
                1.0,
            ),
            ("other", "other ranking", "mean probability of correct predictions with other rankings", 0.0, 1.0),
            ("difference", "difference", "perfect ranking − other ranking", -1.0, 1.0),
            ("ratio", "ratio", "perfect ranking / other ranking", 0.0, None),
        )
    ),
)
