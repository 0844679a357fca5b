"""ERASER's evidence groups as gold sets: each is sufficient alone, and may lie in several documents."""

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.gold_sets import GoldSets
from annotator.metrics.ragged import Flags, Integers, Ragged


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
