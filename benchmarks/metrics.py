"""Metrics over 100,000 instances against their definition as a plain Python loop over lists, and a bootstrap over as many.

Both sides must say the same to 1e-9. Inputs are encoded: arrays of indices on our side, lists of them for the loop. The loops
take many seconds, so they run once, and ours runs ten times around them.
"""

import statistics
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from annotator.metrics.aggregate import bootstrap
from annotator.metrics.benchmark_consistency import mean_average_precision_scripts
from annotator.metrics.benchmark_plausibility import token_f1_scripts
from annotator.metrics.ragged import Floats, GoldSets, Ragged
from benchmarks.measured import Measured, table

_N = 100_000
_N_TOKENS, _N_SETS, _N_IN_SET, _N_PREDICTED = 30, 4, 3, 5
_N_WORDS = 5_000
_A_TENTH = 1 / 10

Rows = list[list[int]]
T = TypeVar("T")


def main() -> list[Measured]:
    """Seconds of ours and of the loops, after a look that both say the same."""
    originals, perturbed = _drawn_rankings()
    predicted, sets = _drawn_rationales()
    rankings = Ragged.of(originals, np.int64), Ragged.of(perturbed, np.int64)
    rationales = Ragged.of(predicted, np.int64), GoldSets.of(sets)
    by_map = _compared(
        lambda: mean_average_precision_scripts(*rankings),
        lambda: [loop_map(one, other) for one, other in zip(originals, perturbed, strict=True)],
    )
    by_f1 = _compared(
        lambda: token_f1_scripts(*rationales),
        lambda: [loop_token_f1(gold, marked) for gold, marked in zip(sets, predicted, strict=True)],
    )
    resampled_map = _bootstrap_seconds(mean_average_precision_scripts(*rankings))
    resampled_f1 = _bootstrap_seconds(token_f1_scripts(*rationales))
    loop = "the definition as a Python loop"
    return [
        Measured(f"MAP of {_N:,} pairs of {_N_TOKENS} tokens", *_of(by_map), loop, _A_TENTH),
        Measured(f"token-F1 of {_N:,} instances, {_N_SETS} sets", *_of(by_f1), loop, _A_TENTH),
        Measured("bootstrap of these MAP, 1,000 resamples", resampled_map, "s", by_map[0], "one evaluation", 20),
        Measured("bootstrap of these token-F1, 1,000 resamples", resampled_f1, "s", by_f1[0], "one evaluation", 20),
    ]


def _bootstrap_seconds(values: Floats) -> float:
    return statistics.median(_seconds(lambda: bootstrap(values))[0] for _ in range(10))


def _of(seconds: tuple[float, float]) -> tuple[float, str, float]:
    return seconds[0], "s", seconds[1]


def _drawn_rankings() -> tuple[Rows, Rows]:
    """Rankings of words; the perturbed one is the same in another order, a fifth of its words replaced."""
    draw = np.random.default_rng(0)
    originals = draw.integers(0, _N_WORDS, (_N, _N_TOKENS))
    perturbed = draw.permuted(originals, axis=1)
    is_replaced = draw.random(perturbed.shape) < 0.2
    perturbed[is_replaced] = draw.integers(0, _N_WORDS, int(is_replaced.sum()))
    return originals.tolist(), perturbed.tolist()


def _drawn_rationales() -> tuple[Rows, list[Rows]]:
    """Predictions and sets of tokens that are drawn from each instance's 30 without putting back."""
    draw = np.random.default_rng(1)
    shuffled = np.argsort(draw.random((_N * (_N_SETS + 1), _N_TOKENS)), axis=1).reshape(_N, _N_SETS + 1, _N_TOKENS)
    return shuffled[:, 0, :_N_PREDICTED].tolist(), shuffled[:, 1:, :_N_IN_SET].tolist()


def _compared(ours: Callable[[], Floats], theirs: Callable[[], list[float]]) -> tuple[float, float]:
    """Seconds of ours, the median of ten rounds, and of the loop; raises RuntimeError when the values differ."""
    ours()
    before = [_seconds(ours)[0] for _ in range(5)]
    loop, expected = _seconds(theirs)
    after = [_seconds(ours)[0] for _ in range(5)]
    if not np.allclose(ours(), expected, rtol=0, atol=1e-9):
        raise RuntimeError("ours and the loop say different numbers")
    return statistics.median(before + after), loop


def _seconds(work: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done


def loop_map(original: list[int], perturbed: list[int]) -> float:
    """Wang et al. 2022, Eq. 2, depth by depth."""
    total = 0.0
    for depth in range(1, len(perturbed) + 1):
        above = original[:depth]
        total += sum(token in above for token in perturbed[:depth]) / depth
    return total / len(perturbed) if perturbed else 0.0


def loop_token_f1(sets: Rows, predicted: list[int]) -> float:
    """The best single set, or the best greedy union in file order that begins at each set but the last."""
    marked = set(predicted)
    best = max((_loop_f1(set(tokens), marked) for tokens in sets), default=0.0)
    for start in range(len(sets) - 1):
        union: set[int] = set()
        f1 = 0.0
        for tokens in sets[start:]:
            tried = union | set(tokens)
            tried_f1 = _loop_f1(tried, marked) if marked.intersection(tokens) else 0.0
            if tried_f1 > f1:
                union, f1 = tried, tried_f1
        best = max(best, f1)
    return best


def _loop_f1(gold: set[int], marked: set[int]) -> float:
    n_hits = len(gold & marked)
    return 2 * n_hits / (len(gold) + len(marked)) if n_hits else 0.0


if __name__ == "__main__":
    print(table([("metrics", row) for row in main()]))
