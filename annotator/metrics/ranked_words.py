"""Words in the order of their scores beside a rationale, ranked once and shared by every metric that looks at the order."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged


@dataclass(frozen=True, eq=False)
class Points:
    """Points of precision-recall curves, one for each distinct score of a sentence, from the highest down.

    Shapes: int[n_points] each. rows: the sentence; n_hits, ranks: rationale words and words down to here; hits_before,
            ranks_before: those of the point before, 0 at a sentence's first
    """

    rows: Integers
    n_hits: Integers
    ranks: Integers
    hits_before: Integers
    ranks_before: Integers

    @cached_property
    def precision(self) -> Floats:
        return np.asarray(self.n_hits / self.ranks, dtype=np.float64)

    @cached_property
    def precision_before(self) -> Floats:
        """1 before a sentence's first point."""
        ones = np.ones(len(self.rows))
        return np.divide(self.hits_before, self.ranks_before, out=ones, where=self.ranks_before > 0)


@dataclass(frozen=True, eq=False)
class RankedWords:
    """Words of each sentence by falling score, ties by position.

    Shapes: is_rationale, is_last_of_tie bool[total] in the order of the ranking; hits_before int[total + 1]: rationale
            words of all sentences before each rank; words: rows of the sentences
    """

    words: Ragged[np.bool_]
    hits_before: Integers
    is_last_of_tie: Flags

    @property
    def is_rationale(self) -> Flags:
        return self.words.values

    @cached_property
    def n_marked(self) -> Integers:
        """int[n_sentences]: words of the rationale."""
        return np.diff(self.hits_before[self.words.offsets])

    @cached_property
    def is_divided(self) -> Flags:
        """bool[n_sentences]: some words are in the rationale and some are not."""
        return (self.n_marked > 0) & (self.n_marked < self.words.lengths)

    def hits_within(self, n_top: Integers) -> Integers:
        """int[n_sentences]: rationale words among the first `n_top` of each sentence."""
        starts = self.words.offsets[:-1]
        return self.hits_before[starts + np.minimum(n_top, self.words.lengths)] - self.hits_before[starts]

    @cached_property
    def borders(self) -> tuple[Integers, Integers]:
        """int[n_points] each: the first and the last rank of each distinct score, counted over all sentences."""
        ends = np.flatnonzero(self.is_last_of_tie)
        return ends if self.has_no_ties else np.concatenate(([0], ends + 1))[:-1], ends

    @cached_property
    def has_no_ties(self) -> bool:
        return bool(self.is_last_of_tie.all())

    @cached_property
    def points(self) -> Points:
        return self.points_between(*self.borders)

    @cached_property
    def steps(self) -> Points:
        """The points at which recall grows: areas over recall have nothing elsewhere."""
        if self.has_no_ties:
            hits = np.flatnonzero(self.is_rationale)
            return self.points_between(hits, hits)
        begins, ends = self.borders
        grows = self.hits_before[ends + 1] > self.hits_before[begins]
        return self.points_between(begins[grows], ends[grows])

    def points_between(self, begins: Integers, ends: Integers) -> Points:
        """Some of the points, by their `borders`: to make those alone that are looked at is a part of the work."""
        rows = self.words.rows_of_values[ends]
        start = self.words.offsets[rows]
        before = self.hits_before[start]
        return Points(
            rows,
            self.hits_before[ends + 1] - before,
            ends + 1 - start,
            self.hits_before[begins] - before,
            begins - start,
        )

    def recall(self, points: Points) -> Floats:
        return np.asarray(points.n_hits / np.maximum(self.n_marked[points.rows], 1), dtype=np.float64)

    def recall_before(self, points: Points) -> Floats:
        return np.asarray(points.hits_before / np.maximum(self.n_marked[points.rows], 1), dtype=np.float64)


def rank_words(scores: Ragged[np.float64], rationale: Ragged[np.bool_]) -> RankedWords:
    """Rank the words of each sentence; raises InvalidValue for rows that differ or a score that is not a number."""
    if not np.array_equal(scores.offsets, rationale.offsets):
        raise InvalidValue("Each word has one score and one mark; some sentence has more of one than of the other.")
    if np.any(np.isnan(scores.values)):
        row = int(scores.rows_of_values[np.isnan(scores.values)][0])
        raise InvalidValue(f"Sentence {row} has a score that is not a number; leave it out or give all its scores.")
    order = scores.ranked()
    values, marks = scores.values[order], rationale.values[order]
    before = np.zeros(len(marks) + 1, dtype=np.int64)
    np.cumsum(marks, out=before[1:])
    is_last = np.ones(len(values), dtype=np.bool_)
    is_last[:-1] = values[1:] != values[:-1]
    is_last[scores.offsets[1:][scores.is_filled] - 1] = True
    return RankedWords(scores.with_values(marks), before, is_last)
