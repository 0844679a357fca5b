"""Rows of different lengths in one array, which every metric takes; gold sets and evidence groups as such rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Identities = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)
U = TypeVar("U", bound=np.generic)

_OF_BORDERS = ("lengths", "rows_of_values", "places", "is_filled")  # what other values in the same rows have in common


@dataclass(frozen=True, eq=False)
class Ragged(Generic[T]):
    """Rows of values, one after the other.

    Shapes: values T[total], offsets int[n_rows + 1]; row i is values[offsets[i]:offsets[i + 1]]
    """

    values: npt.NDArray[T]
    offsets: Integers

    @staticmethod
    def of(rows: Iterable[Sequence[Any] | npt.NDArray[Any]], dtype: type[T]) -> "Ragged[T]":
        """Rows put together.

        >>> Ragged.of([[1, 2], [], [3]], np.int64).offsets.tolist()
        [0, 2, 2, 3]
        """
        listed = [np.asarray(row, dtype=dtype) for row in rows]
        lengths = np.fromiter((len(row) for row in listed), dtype=np.int64, count=len(listed))
        values = np.concatenate(listed) if listed else np.empty(0, dtype=dtype)
        return Ragged(values, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))

    @staticmethod
    def joined(parts: Sequence["Ragged[T]"]) -> "Ragged[T]":
        """The rows of several tables, at least one, one after the other."""
        lengths = np.concatenate([part.lengths for part in parts])
        values = np.concatenate([part.values for part in parts])
        return Ragged(values, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))

    def __post_init__(self) -> None:
        offsets = self.offsets
        if not len(offsets) or offsets[0] or offsets[-1] != len(self.values) or np.any(np.diff(offsets) < 0):
            raise InvalidValue(
                f"The rows' borders do not fit: {counted(len(self.values), 'value')}, borders {offsets[:5]} ..."
            )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, number: int) -> npt.NDArray[T]:
        """One row."""
        return self.values[self.offsets[number] : self.offsets[number + 1]]

    @cached_property
    def lengths(self) -> Integers:
        """int[n_rows]: how many values each row has."""
        return np.diff(self.offsets)

    @cached_property
    def rows_of_values(self) -> Integers:
        """int[total]: the number of the row that each value stands in."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    @cached_property
    def places(self) -> Integers:
        """int[total]: the place of each value in its row."""
        return np.arange(len(self.values), dtype=np.int64) - np.repeat(self.offsets[:-1], self.lengths)

    @cached_property
    def is_filled(self) -> Flags:
        """bool[n_rows]: rows with a value."""
        return self.lengths > 0

    def sums(self) -> Floats:
        """float[n_rows]: the sum of each row, 0 of an empty one."""
        sums = np.zeros(len(self))
        if len(self.values):
            sums[self.is_filled] = np.add.reduceat(self.values, self.offsets[:-1][self.is_filled], dtype=np.float64)
        return sums

    def means(self) -> Floats:
        """float[n_rows]: the mean of each row, NaN of an empty one."""
        means = np.full(len(self), np.nan)
        np.divide(self.sums(), self.lengths, out=means, where=self.is_filled)
        return means

    def maxima(self, of_nothing: float) -> Floats:
        """float[n_rows]: the highest value of each row, of_nothing for an empty one."""
        highest = np.full(len(self), of_nothing)
        if len(self.values):
            highest[self.is_filled] = np.maximum.reduceat(self.values, self.offsets[:-1][self.is_filled])
        return highest

    def ranked(self) -> Integers:
        """int[total]: where the values stand, row by row from the highest to the lowest, equal ones by position.

        Rows of about one length are sorted together, which is many times faster than one sort by row and value.
        >>> Ragged.of([[1, 3, 1], [], [5, 6]], np.int64).ranked().tolist()
        [1, 0, 2, 4, 3]
        """
        return self._ranking

    @cached_property
    def _ranking(self) -> Integers:
        ranking = np.empty(len(self.values), dtype=np.int64)
        for rows in self._rows_of_like_length():
            starts, lengths = self.offsets[rows][:, None], self.lengths[rows][:, None]
            columns = np.arange(lengths.max(), dtype=np.int64)
            if lengths.min() == lengths.max():
                where = starts + columns
                ranking[where] = starts + np.argsort(-self.values[where].astype(np.float64), axis=1, kind="stable")
                continue
            is_there = columns < lengths
            padded = np.full(is_there.shape, np.nan)  # sorts last, behind a row's own NaN
            where = (starts + columns)[is_there]
            padded[is_there] = -self.values[where].astype(np.float64)
            order = np.argsort(padded, axis=1, kind="stable")
            ranking[where] = (starts + order)[is_there]
        return ranking

    def _rows_of_like_length(self) -> Iterator[Integers]:
        """Rows with values, in groups in which the longest is at most a fifth (and two) longer than the shortest."""
        by_length = np.argsort(self.lengths, kind="stable")
        lengths = self.lengths[by_length]
        first = int(np.searchsorted(lengths, 1))
        while first < len(lengths):
            end = int(np.searchsorted(lengths, lengths[first] * 1.2 + 2, side="right"))
            yield by_length[first:end]
            first = end

    def take(self, rows: Integers) -> "Ragged[T]":
        """Some rows, in the order asked; a row may be asked for several times.

        >>> Ragged.of([[1, 2], [], [3]], np.int64).take(np.array([2, 0])).values.tolist()
        [3, 1, 2]
        """
        lengths = self.lengths[rows]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        where = np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths) + np.arange(offsets[-1], dtype=np.int64)
        taken = Ragged(self.values[where], offsets)
        if "_ranking" in self.__dict__:  # each row keeps its order
            moved = np.repeat(offsets[:-1] - self.offsets[:-1][rows], lengths)
            taken.__dict__["_ranking"] = self._ranking[where] + moved
        return taken

    def with_values(self, values: npt.NDArray[U]) -> "Ragged[U]":
        """Other values in the same rows; values: U[total]."""
        other = Ragged(values, self.offsets)
        other.__dict__.update({name: self.__dict__[name] for name in _OF_BORDERS if name in self.__dict__})
        return other

    def check_same_rows(self, other: "Ragged[Any]", what: str) -> None:
        """Raises InvalidValue, naming the first row, unless the other has rows of the same lengths."""
        if np.array_equal(self.offsets, other.offsets):
            return
        if len(self) != len(other):
            raise InvalidValue(f"Got {counted(len(self), 'row')}, but {counted(len(other), 'row')} of {what}.")
        row = int(np.flatnonzero(self.lengths != other.lengths)[0])
        raise InvalidValue(
            f"Row {row} has {counted(int(self.lengths[row]), 'value')}, but {other.lengths[row]} of {what}."
        )


# The gold sets of a batch of instances: rows of rows, which every metric against several sets takes.


@dataclass(frozen=True, eq=False)
class GoldSets:
    """Several sets of token indices for each instance, in their order. A file's set may be empty; one of a project never is.

    Shapes: tokens has one row a set; instance i has the sets offsets[i] to offsets[i + 1] (exclusive)
    Raises: InvalidValue for borders that do not fit
    """

    tokens: Ragged[np.int64]
    offsets: Integers

    @staticmethod
    def of(instances: Iterable[Sequence[Sequence[int]]]) -> "GoldSets":
        """Sets from lists of token indices.

        >>> GoldSets.of([[[0, 1], [4]], []]).offsets.tolist()
        [0, 2, 2]
        """
        listed = [list(sets) for sets in instances]
        n_sets = np.array([0, *(len(sets) for sets in listed)], dtype=np.int64)
        return GoldSets(Ragged.of((tokens for sets in listed for tokens in sets), np.int64), np.cumsum(n_sets))

    def __post_init__(self) -> None:
        self.per_set(self.tokens.lengths)  # of borders that do not fit no rows can be made

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def numbers(self) -> Ragged[np.int64]:
        """The numbers of the sets (rows of tokens), a row an instance."""
        return self.per_set(np.arange(len(self.tokens), dtype=np.int64))

    @property
    def n_sets(self) -> Integers:
        """int[n_instances]: how many sets each instance has."""
        return self.numbers.lengths

    @property
    def instances(self) -> Integers:
        """int[n_all_sets]: the instance of each set."""
        return self.numbers.rows_of_values

    @cached_property
    def has_token(self) -> Flags:
        """bool[n_instances]: whether any set of the instance holds a token."""
        return self.per_set(self.tokens.lengths).sums() > 0

    def per_set(self, values: npt.NDArray[T]) -> Ragged[T]:
        """Values of all sets, a row an instance."""
        return Ragged(values, self.offsets)

    def take(self, instances: Integers) -> "GoldSets":
        """The sets of some instances, in the order asked."""
        sets = self.numbers.take(instances)
        return GoldSets(self.tokens.take(sets.values), sets.offsets)

    def union(self) -> Ragged[np.int64]:
        """The sets put together, a row an instance; a token that is in several sets stands several times."""
        return Ragged(self.tokens.values, self.tokens.offsets[self.offsets])

    def check_filled(self) -> None:
        """Raises InvalidValue, naming the first instance, unless every set has a token."""
        if not self.tokens.is_filled.all():
            empty = int(np.flatnonzero(~self.tokens.is_filled)[0])
            raise InvalidValue(f"A gold set of instance {self.instances[empty]} (from 0) has no token.")


# ERASER's evidence groups as gold sets: each is sufficient alone, and may lie in several documents.


def joined_documents(keys_of_annotations: Integers, widths: Integers) -> Integers:
    """int[n_keys]: the number of each document's first token when an annotation's documents are laid end to end.

    Shapes: int[n_keys] each: the annotation of each (annotation, document) key, and how many tokens the document has
    >>> joined_documents(np.array([0, 1, 0]), np.array([5, 9, 4])).tolist()
    [0, 0, 5]
    """
    order = np.argsort(keys_of_annotations, kind="stable")
    before = np.concatenate(([0], np.cumsum(widths[order])))[: len(order)]
    is_first = np.diff(keys_of_annotations[order], prepend=-1) != 0
    start_of_annotation = np.maximum.accumulate(np.where(is_first, before, 0))
    first = np.empty(len(order), dtype=np.int64)
    first[order] = before - start_of_annotation
    return first


def tokens_of_spans(rows: Integers, starts: Integers, ends: Integers, n_rows: int) -> Ragged[np.int64]:
    """The distinct tokens that each row's spans cover, rising; a reversed span covers none.

    Shapes: int[n_spans] each; rows 0 to n_rows - 1
    >>> tokens_of_spans(np.array([0, 0]), np.array([0, 1]), np.array([2, 3]), 1).values.tolist()
    [0, 1, 2]
    """
    lengths = np.maximum(ends - starts, 0)
    before = np.concatenate(([0], np.cumsum(lengths)))
    values = np.repeat(starts - before[:-1], lengths) + np.arange(before[-1], dtype=np.int64)
    width = int(values.max(initial=0)) + 1
    if len(values) and values.min() < 0:
        raise InvalidValue("A span begins before token 0.")
    marked = np.unique(np.repeat(rows, lengths) * width + values)
    counts = np.bincount(marked // width, minlength=n_rows)
    return Ragged(marked % width, np.concatenate(([0], np.cumsum(counts))).astype(np.int64))


def sets_of_groups(tokens: Ragged[np.int64], annotations: Integers, n_annotations: int) -> tuple[GoldSets, Flags]:
    """Groups as gold sets of their annotations, in their order; groups without a token are no sets.

    Shapes: tokens: a row a group; annotations int[n_groups]; returns the sets and bool[n_groups], which groups are sets
    """
    is_set = tokens.is_filled
    order = np.argsort(annotations[is_set], kind="stable")
    rows = np.flatnonzero(is_set)[order]
    lengths = tokens.lengths[rows]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    values = tokens.values[np.repeat(tokens.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])]
    n_sets = np.bincount(annotations[rows], minlength=n_annotations)
    return GoldSets(Ragged(values, offsets), np.concatenate(([0], np.cumsum(n_sets))).astype(np.int64)), is_set
