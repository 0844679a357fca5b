"""A longest common subsequence of two lists, with 30 places at a time in Python's long integers.

So no pair of texts is slow: difflib takes seconds for 5,000 tokens that repeat, and finds less.

Source:  Hyyrö 2004, Bit-parallel LCS-length computation revisited
"""

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate

Pairs = list[tuple[int, int]]

_MOST_BITS = 2**28  # of the table that finds the way back: 32 MiB; two texts of 16,000 different tokens


def common_subsequence(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """A longest common subsequence as pairs of places; equal tokens at both ends are always in it."""
    n, m = len(before), len(after)
    first = 0
    while first < min(n, m) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(n, m) - first and before[n - 1 - last] == after[m - 1 - last]:
        last += 1
    inner = _subsequence(before[first : n - last], after[first : m - last])
    return [
        *((index, index) for index in range(first)),
        *((first + i, first + j) for i, j in inner),
        *((n - last + index, m - last + index) for index in range(last)),
    ]


def _subsequence(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    if not before or not after:
        return []
    if len(before) * len(after) > _MOST_BITS and len(after) > 1:
        return _subsequence_in_halves(before, after)
    return _way_back(list(_rows(before, after)), len(before))


def _rows(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[int]:
    """For each token after, bits over the tokens before: 0 where the common subsequence up to there grows by one."""
    positions: dict[Hashable, int] = {}
    for number, token in enumerate(before):
        positions[token] = positions.get(token, 0) | 1 << number
    row = everywhere = (1 << len(before)) - 1
    for token in after:
        if equal := positions.get(token):
            hits = row & equal
            row = ((row + hits) | (row - hits)) & everywhere
        yield row


def _way_back(rows: list[int], n_before: int) -> Pairs:
    i, j = n_before, len(rows)
    pairs: Pairs = []
    while i and j:
        if rows[j - 1] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
            if not j or rows[j - 1] >> (i - 1) & 1:
                i -= 1
                pairs.append((i, j))
    return pairs[::-1]


def _subsequence_in_halves(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """The same in two halves of the text after, for texts whose table would not fit in memory (Hirschberg 1975)."""
    middle = len(after) // 2
    upper = _lengths(before, after[:middle])
    lower = _lengths(before[::-1], after[middle:][::-1])[::-1]
    cut = max(range(len(before) + 1), key=lambda index: upper[index] + lower[index])
    first, second = common_subsequence(before[:cut], after[:middle]), common_subsequence(before[cut:], after[middle:])
    return [*first, *((cut + i, middle + j) for i, j in second)]


def _lengths(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[int]:
    """The length of the common subsequence of `after` with the first 0, 1, 2 ... tokens of `before`."""
    row = deque(_rows(before, after), maxlen=1).pop()
    grows = (bit == "0" for bit in reversed(f"{row:0{len(before)}b}"))
    return list(accumulate(grows, initial=0))
