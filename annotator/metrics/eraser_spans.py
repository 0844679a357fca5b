"""ERASER's agreement of selected rationales: span IOU, exact spans and tokens, micro and macro, over all documents at once.

Spans are counted by key, an (annotation, document) pair; all evidence groups of gold are one union, as in the scorer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.definitions import Definition
from annotator.metrics.ragged import Flags, Floats, Integers

_SCORER = "ERASER's metrics.py (DeYoung et al. 2020, section 4.1)"
_FARTHEST = 2**31 - 1  # so that key and token together fit into 64 bits
_PAIRS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Spans:
    """Distinct token spans, half open, sorted by key, start and end.

    Shapes: keys, starts, ends int[n_spans]; a key is 0 to n_keys - 1
    """

    keys: Integers
    starts: Integers
    ends: Integers
    n_keys: int

    @staticmethod
    def of(keys: Integers, starts: Integers, ends: Integers, n_keys: int) -> "Spans":
        """Spans in any order; equal ones of one key count once.

        Raises: InvalidValue for a token number beyond 2,147,483,647
        """
        if len(keys) and max(np.abs(starts).max(), np.abs(ends).max()) > _FARTHEST:
            raise InvalidValue(f"A span's token numbers lie between -{_FARTHEST:,} and {_FARTHEST:,}.")
        order = np.lexsort((ends, starts, keys))
        columns = np.stack([keys, starts, ends])[:, order].astype(np.int64)
        is_first = np.ones(len(keys), dtype=bool)
        is_first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        keys, starts, ends = columns[:, is_first]
        return Spans(keys, starts, ends, n_keys)

    def __len__(self) -> int:
        return len(self.keys)

    def of_tokens(self) -> "Spans":
        """Those that hold a token: end after start."""
        return self.where(self.ends > self.starts)

    def where(self, mask: Flags) -> "Spans":
        """Some of the spans; mask bool[n_spans]."""
        return Spans(self.keys[mask], self.starts[mask], self.ends[mask], self.n_keys)

    def count(self) -> Integers:
        """int[n_keys]: the spans of each key."""
        return np.bincount(self.keys, minlength=self.n_keys)


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F1; None where there is nothing to divide by."""

    p: float | None
    r: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Matches:
    """What was found, selected and wanted of each key. Shapes: int[n_keys] each."""

    n_matched: Integers
    n_predicted: Integers
    n_gold: Integers

    @property
    def precision(self) -> Floats:
        """float[n_keys]; NaN where nothing is predicted."""
        return _ratio(self.n_matched, self.n_predicted)

    @property
    def recall(self) -> Floats:
        """float[n_keys]; NaN where there is no gold. Of spans matched by IOU it may exceed 1."""
        return _ratio(self.n_matched, self.n_gold)


def best_iou(gold: Spans, predicted: Spans) -> Floats:
    """For each predicted span the highest |p ∩ t| / |p ∪ t| over the gold spans t of its key; 0 if there is none.

    Shapes: returns float[n_predicted]
    Range:  0 to 1; 0 for a span without tokens
    Source: DeYoung et al. 2020, section 4.1

    Gold of about one length (by powers of two) is sorted and searched, so that the work grows with the spans and with
    the pairs that overlap.
    """
    best = np.zeros(len(predicted))
    gold = gold.of_tokens()
    not_empty = np.flatnonzero(predicted.ends > predicted.starts)
    starts, ends, gold_starts, gold_ends = _on_one_line(predicted, gold)
    sizes = np.frexp((gold_ends - gold_starts).astype(np.float64))[1]
    for size in np.unique(sizes):
        is_of_size = sizes == size
        best_values = _best_of_size(starts[not_empty], ends[not_empty], gold_starts[is_of_size], gold_ends[is_of_size])
        best[not_empty] = np.maximum(best[not_empty], best_values)
    return best


def iou_matches(gold: Spans, predicted: Spans, thresholds: Sequence[float]) -> list[Matches]:
    """Predicted spans whose best IOU is at least the threshold, for each threshold.

    The paper writes "more than"; the scorer's ">=" is taken.
    >>> whole = Spans.of(np.array([0]), np.array([0]), np.array([10]), 1)
    >>> halves = Spans.of(np.array([0, 0]), np.array([0, 5]), np.array([5, 10]), 1)
    >>> iou_micro(iou_matches(whole, halves, [0.5])[0]).r
    2.0
    """
    best, n_predicted, n_gold = best_iou(gold, predicted), predicted.count(), gold.count()
    return [
        Matches(np.bincount(predicted.keys[best >= threshold], minlength=gold.n_keys), n_predicted, n_gold)
        for threshold in thresholds
    ]


def exact_matches(gold: Spans, predicted: Spans) -> Matches:
    """Predicted spans that are gold spans, from the first token to the last."""
    both = Spans.of(
        np.concatenate([gold.keys, predicted.keys]),
        np.concatenate([gold.starts, predicted.starts]),
        np.concatenate([gold.ends, predicted.ends]),
        gold.n_keys,
    )
    n_gold, n_predicted = gold.count(), predicted.count()
    return Matches(n_gold + n_predicted - both.count(), n_predicted, n_gold)


def token_matches(gold: Spans, predicted: Spans) -> Matches:
    """Tokens that are in a predicted and in a gold span; a token of several spans counts once."""
    n_gold, n_predicted = n_tokens([gold]), n_tokens([predicted])
    return Matches(n_gold + n_predicted - n_tokens([gold, predicted]), n_predicted, n_gold)


def n_tokens(many: Sequence[Spans]) -> Integers:
    """int[n_keys]: how many tokens the spans cover together."""
    keys = np.concatenate([spans.keys for spans in many])
    joined = Spans(
        keys,
        np.concatenate([spans.starts for spans in many]),
        np.concatenate([spans.ends for spans in many]),
        many[0].n_keys,
    ).of_tokens()
    starts, ends = _on_one_line(joined)
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    n_new = np.maximum(0, ends - np.maximum(starts, _reached_before(ends)))
    return np.bincount(joined.keys[order], weights=n_new, minlength=joined.n_keys).astype(np.int64)


def overlapping(spans: Spans) -> Flags:
    """bool[n_spans]: spans that share a token with one before them of the same key."""
    starts, ends = _on_one_line(spans)
    holds_token = ends > starts
    is_second = np.zeros(len(spans), dtype=bool)
    is_second[holds_token] = _reached_before(ends[holds_token]) > starts[holds_token]
    return is_second


def iou_micro(matches: Matches) -> Scores:
    """Over all spans: TP / predicted, TP / gold (0 for none of them), and the F1 of the two."""
    precision = _share(matches.n_matched, matches.n_predicted) or 0.0
    recall = _share(matches.n_matched, matches.n_gold) or 0.0
    return Scores(precision, recall, _f1(precision, recall))


def iou_macro(matches: Matches) -> Scores:
    """Means over keys: precision over those with a prediction, recall over those with gold; F1 of the two means."""
    precision = _mean(matches.precision[matches.n_predicted > 0]) or 0.0
    recall = _mean(matches.recall[matches.n_gold > 0]) or 0.0
    return Scores(precision, recall, _f1(precision, recall))


def instance_micro(matches: Matches) -> Scores:
    """Over all spans or tokens. Undefined: None where nothing is predicted or gold (the scorer divides by 0 there)."""
    precision = _share(matches.n_matched, matches.n_predicted)
    recall = _share(matches.n_matched, matches.n_gold)
    if precision is None or recall is None:
        return Scores(precision, recall, None)
    return Scores(precision, recall, _f1(precision, recall))


def instance_macro(matches: Matches) -> Scores:
    """Means of precision, recall and F1 over keys with gold or a prediction, 0 for what one of them lacks."""
    return Scores(*(_mean(values[~np.isnan(values)]) for values in per_key(matches).values()))


def per_key(matches: Matches) -> dict[str, Floats]:
    """p, r and f1 of each key, float[n_keys]: 0 for what is lacking, NaN where there is neither gold nor a prediction."""
    is_there = (matches.n_gold > 0) | (matches.n_predicted > 0)
    p, r = (np.where(is_there, np.nan_to_num(values), np.nan) for values in (matches.precision, matches.recall))
    f1 = np.divide(2 * p * r, p + r, out=np.where(is_there, 0.0, np.nan), where=p + r > 0)
    return {"p": p, "r": r, "f1": f1}


def _best_of_size(starts: Integers, ends: Integers, gold_starts: Integers, gold_ends: Integers) -> Floats:
    """float[n_predicted]: the best IOU with gold spans that are sorted and less than twice as long as one another."""
    longest = (gold_ends - gold_starts).max()
    first = np.searchsorted(gold_starts, starts - longest, side="right")
    n_near = np.searchsorted(gold_starts, ends, side="left") - first
    best = np.zeros(len(starts))
    near = np.flatnonzero(n_near)
    for portion in _portions(near, n_near[near]):
        lengths = n_near[portion]
        borders = np.cumsum(lengths) - lengths
        gold_numbers = np.arange(lengths.sum()) - np.repeat(borders - first[portion], lengths)
        shared = np.minimum(np.repeat(ends[portion], lengths), gold_ends[gold_numbers])
        shared = np.maximum(0, shared - np.maximum(np.repeat(starts[portion], lengths), gold_starts[gold_numbers]))
        either = (
            np.repeat(ends[portion] - starts[portion], lengths)
            + gold_ends[gold_numbers]
            - gold_starts[gold_numbers]
            - shared
        )
        best[portion] = np.maximum.reduceat(shared / either, borders)
    return best


def _portions(indices: Integers, n_pairs: Integers) -> list[Integers]:
    """Places in portions of at most about so many pairs as are held at once."""
    numbers = np.cumsum(n_pairs) // _PAIRS_AT_ONCE
    return np.split(indices, np.flatnonzero(np.diff(numbers)) + 1) if len(indices) else []


def _on_one_line(*many: Spans) -> list[Integers]:
    """Starts and ends of each, with every key's tokens on a stretch of its own of one line."""
    everything = np.concatenate([array for spans in many for array in (spans.starts, spans.ends)])
    lowest, highest = (everything.min(), everything.max()) if len(everything) else (0, 0)
    return [
        array - lowest + spans.keys * (highest - lowest + 1) for spans in many for array in (spans.starts, spans.ends)
    ]


def _reached_before(ends: Integers) -> Integers:
    """int[n]: the farthest end among the spans before each; -1 before the first."""
    return np.concatenate([[-1], np.maximum.accumulate(ends)[:-1]]) if len(ends) else ends


def _ratio(part: Integers, whole: Integers) -> Floats:
    ratios: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return ratios


def _share(part: Integers, whole: Integers) -> float | None:
    return float(part.sum() / whole.sum()) if whole.sum() else None


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


_KINDS = {
    "iou": ("Span IOU", "predicted spans with IOU ≥ threshold to a gold span"),
    "exact": ("Exact spans", "predicted spans equal to gold spans"),
    "token": ("Tokens", "tokens in predicted and in gold spans"),
}
_PARTS = {"precision": "relative to predictions", "recall": "relative to gold", "f1": "2pr / (p + r), 0 if either is 0"}
_MEANS = {
    ("iou", "micro"): "over all spans of the file",
    ("iou", "macro"): "mean over documents (p: with predictions, r: with gold); F1 of means",
    ("exact", "micro"): "over all spans of the file",
    ("exact", "macro"): "mean over documents with gold or predictions; mean of F1s",
    ("token", "micro"): "over all tokens of the file",
    ("token", "macro"): "mean over documents with gold or predictions; mean of F1s",
}


def _definition(kind: str, part: str, mean: str) -> Definition:
    title, what = _KINDS[kind]
    can_exceed_one = kind == "iou" and part != "precision"
    return Definition(
        name=f"eraser.{kind}_{part}_{mean}",
        title=f"{title} {'F1' if part == 'f1' else part}, {mean}",
        definition=f"{what}; {_PARTS[part]}; {_MEANS[kind, mean]}",
        direction="higher is better",
        lowest=0.0,
        highest=None if can_exceed_one else 1.0,
        undefined="0 for a zero denominator, as in the scorer"
        if kind == "iou"
        else "files without gold or predictions (the scorer fails); documents lacking either count 0",
        source=_SCORER,
    )


DEFINITIONS: tuple[Definition, ...] = tuple(_definition(kind, part, mean) for kind, mean in _MEANS for part in _PARTS)
