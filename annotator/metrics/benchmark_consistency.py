"""Consistency of the fine-grained benchmark: MAP between the rankings of an original and of its perturbed version.

Also how a ranking comes from scores, and how its top becomes a rationale.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.definitions import Definition, from_0_to_1
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged
from annotator.text.token_diff import diff_tokens

Ids = Ragged[np.int64]

_LARGEST = 2**62


def mean_average_precision_scripts(original: Ids, perturbed: Ids) -> Floats:
    """float[n_pairs]: MAP of each pair as both code bases compute it: membership without counts, 0 where a list is empty.

        MAP = 1/|Q| sum over i = 1..|Q| of (number of j <= i with Q_j in O[:i]) / i

    Shapes: one row of token ids a pair, most important first; the same id is the same token
    Source: PaddleNLP cal_map.py, TrustAI `_calc_map_by_bin`; Wang et al. 2022, Eq. 2
    >>> both = Ragged.of([[0, 1, 2]], np.int64), Ragged.of([[0, 2, 3, 1]], np.int64)
    >>> mean_average_precision_scripts(*both).round(4).tolist()      # slow plot very; slow very tedious plot
    [0.7292]
    """
    return _averaged(perturbed, *_matched(original, perturbed, counts_repeats=False))


def mean_average_precision(original: Ids, perturbed: Ids, *, counts_repeats: bool = False) -> Floats:
    """float[n_pairs]: MAP of each pair; with `counts_repeats` a token of the original matches as often as it occurs.

    Undefined: NaN where one of the two lists is empty (our decision; the paper does not say)
    Source:    Wang et al. 2022, Eq. 2; counting repeats is ours
    """
    values = _averaged(perturbed, *_matched(original, perturbed, counts_repeats=counts_repeats))
    is_defined = (original.lengths > 0) & (perturbed.lengths > 0)
    return np.asarray(np.where(is_defined, values, np.nan), dtype=np.float64)


def corpus_map_scripts(values: Floats, n_disturb_records: int) -> float | None:
    """The scripts' corpus number: the sum over pairs with both predicted, divided by the `disturb` records in gold.

    Range:     from 0; above 1 where originals share a perturbed record
    Undefined: None without such records (TrustAI prints 0, PaddleNLP stops)
    >>> corpus_map_scripts(np.array([1.0, 1.0]), 1)
    2.0
    """
    return float(np.nansum(values)) / n_disturb_records if n_disturb_records else None


@dataclass(frozen=True, slots=True)
class ByChange:
    """MAP of all pairs, of those whose prediction stayed and of those whose prediction changed."""

    all: Aggregate
    same: Aggregate
    changed: Aggregate


def by_change(values: Floats, has_changed: Flags) -> ByChange:
    """Means crossed with whether the prediction changed from original to perturbed."""
    return ByChange(mean_of(values), mean_of(values[~has_changed]), mean_of(values[has_changed]))


def encode_tokens(
    originals: Iterable[Sequence[str]], perturbed: Iterable[Sequence[str]]
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    """Lists of token strings as ids; equal strings, and only those, have the same id.

    >>> encode_tokens([["a", "b"]], [["b", "c"]])[1].values.tolist()
    [1, 2]
    """
    ids: dict[str, int] = {}
    coded = [
        Ragged.of([[ids.setdefault(token, len(ids)) for token in tokens] for tokens in side], np.int64)
        for side in (originals, perturbed)
    ]
    return coded[0], coded[1]


def aligned_places(original: Sequence[str], perturbed: Sequence[str]) -> list[int]:
    """For each token of the perturbed text the index of the original token that stands in its place.

    Equal stretches belong together, and so do two different stretches of one length between them: a synonym in the same
    place counts as the same token. What has no counterpart gets a number behind those of the original.

    >>> aligned_places("a slow plot".split(), "a dull , dull plot".split()), aligned_places(["slow"], ["dull"])
    ([0, 4, 5, 6, 2], [0])
    """
    positions = diff_tokens(original, perturbed).places()
    return [len(original) + index if position is None else position for index, position in enumerate(positions)]


def aligned_ranking(
    originals: Sequence[Sequence[str]], perturbed: Sequence[Sequence[str]], ranked: Ids
) -> Ragged[np.int64]:
    """Rankings of the perturbed texts' token indices in the numbers of the original: what MAP over aligned tokens takes.

    Shapes: the token lists of each pair; ranked: one row of token indices a pair, most important first
    >>> aligned_ranking([["a", "slow", "plot"]], [["a", "dull", "plot"]], Ragged.of([[1, 2]], np.int64)).values.tolist()
    [1, 2]
    """
    aligned = Ragged.of(
        [aligned_places(original, other) for original, other in zip(originals, perturbed, strict=True)], np.int64
    )
    if np.any(ranked.values < 0) or np.any(ranked.values >= aligned.lengths[ranked.rows_of_values]):
        raise InvalidValue("A ranking of a perturbed text names a token that the text does not have.")
    return Ragged(aligned.values[aligned.offsets[ranked.rows_of_values] + ranked.values], ranked.offsets)


def first_of(ranking: Ids, n_top: Integers) -> Ragged[np.int64]:
    """The first `n_top` values of each row; all of them where there are fewer."""
    taken = np.clip(n_top, 0, ranking.lengths)
    offsets = np.concatenate(([0], np.cumsum(taken))).astype(np.int64)
    return Ragged(ranking.values[ranking.places < taken[ranking.rows_of_values]], offsets)


def n_of_share(n_tokens: Integers, ratio: float) -> Integers:
    """ceil(n x ratio) of the decimal number that was written, without the error of its binary form.

    >>> n_of_share(np.array([14, 750]), 0.276).tolist(), math.ceil(750 * 0.276)
    ([4, 207], 208)
    """
    share = Fraction(repr(float(ratio)))
    # In Python's own numbers: a mean ratio has 17 digits, and times some hundred tokens that is more than 64 bits hold.
    lengths, rows = np.unique(n_tokens, return_inverse=True)
    counts = np.array([math.ceil(n * share) for n in lengths.tolist()], dtype=np.int64)
    return counts[rows].reshape(np.shape(n_tokens))


def _matched(original: Ids, perturbed: Ids, *, counts_repeats: bool) -> tuple[Integers, Integers]:
    """For each perturbed token that occurs in its original: its pair, and the depth from which both lists hold it."""
    if len(original) != len(perturbed):
        raise InvalidValue(
            f"A pair has two rankings; got {counted(len(original), 'original')} and {len(perturbed)} others."
        )
    n_places = 1 + int(max(original.lengths.max(initial=0), perturbed.lengths.max(initial=0)))
    keys, other_keys, n_ids = _keys(original, perturbed, n_places)
    known = np.sort(keys * n_places + original.places)
    sought = np.sort(other_keys * n_places + perturbed.places)
    indices, is_found = _indices_of(known // n_places, sought // n_places, n_places, counts_repeats=counts_repeats)
    sought = sought[is_found]
    depth = 1 + np.maximum(known[indices] % n_places, sought % n_places)
    return sought // n_places // n_ids, depth


def _keys(original: Ids, perturbed: Ids, n_places: int) -> tuple[Integers, Integers, int]:
    """Numbers for (pair, id) of both sides, and how many ids there are; ids are numbered anew where they are too large."""
    values = np.concatenate([original.values, perturbed.values])
    if len(values) == 0:
        return values, values, 1
    lowest, n_ids = int(values.min()), int(values.max()) - int(values.min()) + 1
    if n_ids * n_places * len(original) > _LARGEST:
        names, values = np.unique(values, return_inverse=True)
        lowest, n_ids = 0, len(names)
    keys = np.concatenate([original.rows_of_values, perturbed.rows_of_values]) * n_ids + (values - lowest)
    return keys[: len(original.values)], keys[len(original.values) :], n_ids


def _indices_of(known: Integers, sought: Integers, n_places: int, *, counts_repeats: bool) -> tuple[Integers, Flags]:
    """Where in `known` each of `sought` stands (both sorted): at its first place, or the n-th at the n-th."""
    if counts_repeats:
        known, sought = known * n_places + _occurrences(known), sought * n_places + _occurrences(sought)
    indices = np.searchsorted(known, sought)
    is_found = indices < len(known)
    is_found[is_found] = known[indices[is_found]] == sought[is_found]
    return indices[is_found], is_found


def _occurrences(sorted_keys: Integers) -> Integers:
    """How many equal keys stand before each."""
    is_first = np.diff(sorted_keys, prepend=-1) != 0
    numbers = np.arange(len(sorted_keys), dtype=np.int64)
    return numbers - np.maximum.accumulate(np.where(is_first, numbers, 0))


def _averaged(perturbed: Ids, pairs: Integers, depth: Integers) -> Floats:
    """A token that both lists hold from depth d on counts 1/d + 1/(d + 1) + ... + 1/|Q|: a difference of harmonic numbers."""
    longest = int(perturbed.lengths.max(initial=0))
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, longest + 1))))
    length = perturbed.lengths[pairs]
    counted = np.where(depth <= length, harmonic[length] - harmonic[np.minimum(depth, longest) - 1], 0.0)
    sums = np.bincount(pairs, weights=counted, minlength=len(perturbed))
    return np.asarray(np.minimum(sums / np.maximum(perturbed.lengths, 1), 1.0), dtype=np.float64)


_SCRIPT_MAP = "PaddleNLP model_interpretation cal_map.py, TrustAI Evaluator.cal_map"

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "benchmark.map_scripts",
        "MAP (scripts)",
        "1/|Q| sum over i of (number of j <= i with Q_j in O[:i]) / i over token strings of the top-k lists; mean over "
        "sides; corpus: sum over pairs / number of disturb records in gold",
        "higher is better",
        0.0,
        None,
        "0 where a list is empty or a prediction is missing; no value without disturb records; above 1 where originals "
        "share a perturbed record",
        _SCRIPT_MAP,
    ),
    from_0_to_1(
        "benchmark.map",
        "MAP",
        "1/|Q| sum over i of (number of j <= i with Q_j in O[:i]) / i; over the top-k or the full ranking",
        "if either list is empty; excluded and counted",
        "Wang et al. 2022, Eq. 2",
    ),
    from_0_to_1(
        "benchmark.map_counting",
        "MAP, repeats counted",
        "MAP where a token of O matches as often as it occurs in O[:i]",
        "if either list is empty; excluded and counted",
        "defined here; after Wang et al. 2022, Eq. 2",
    ),
    from_0_to_1(
        "benchmark.map_aligned",
        "MAP, tokens aligned",
        "MAP over positions aligned by a diff: a synonym in the same place matches",
        "if either list is empty; excluded and counted",
        "defined here; after Wang et al. 2022, Eq. 2",
    ),
)
