"""Gold and random as methods like any other: what is told of the rationale alone and of the rest, and random's scores."""

import numpy as np

from annotator.metrics.definitions import Definition, Direction, from_0_to_1
from annotator.metrics.ragged import Identities, Integers, Ragged

TEN_SEEDS = tuple(range(10))


def scores_drawn_for(identities: Identities, n_tokens: Integers, seed: int) -> Ragged[np.float64]:
    """A uniform score in [0, 1) for each token that follows from its row's identity and the seed, whatever rows are beside it.

    So a text has the same scores in each call, split and block; a generator for all rows in turn would give it others.
    Shapes: identities uint64[n], n_tokens int[n]; returns rows of n_tokens.
    Source: SplitMix64 (Steele, Lea and Flood 2014), begun anew for each row; NumPy's generators cannot be begun for many at once
    """
    offsets = np.concatenate(([0], np.cumsum(n_tokens))).astype(np.int64)
    steps = np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], n_tokens)
    begin = split_mix(identities, split_mix(np.array([seed], dtype=np.uint64), np.ones(1, dtype=np.int64)))
    drawn = split_mix(np.repeat(begin, n_tokens), steps)
    return Ragged((drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53, offsets)


def split_mix(states: Identities, steps: Integers | Identities) -> Identities:
    """What SplitMix64 gives after so many steps from each state. Shapes: uint64[n] and int[n] (or one); returns uint64[n]."""
    mixed: Identities = states + steps.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


_LOWER: Direction = "lower is better"
_HIGHER: Direction = "higher is better"
_LEFT_OUT = "without a needed prediction; excluded and counted"
_TABLES = "Wang et al. 2022, Tables 4 and 7"

DEFINITIONS: tuple[Definition, ...] = (
    from_0_to_1("method.quality_full", "On the full input", "mean accuracy (reading: answer F1)", _LEFT_OUT, _TABLES),
    from_0_to_1(
        "method.quality_rationale",
        "On the rationale",
        "same with only the method's rationale (gold: gold as a method)",
        _LEFT_OUT,
        _TABLES,
    ),
    from_0_to_1(
        "method.quality_rest", "On the rest", "same without the rationale", _LEFT_OUT, _TABLES, direction=_LOWER
    ),
    Definition(
        "method.sufficiency",
        "Sufficiency",
        "mean of p(full) − p(rationale) for the full input's label",
        _LOWER,
        -1.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
    Definition(
        "method.comprehensiveness",
        "Comprehensiveness",
        "mean of p(full) − p(rest) for the full input's label",
        _HIGHER,
        -1.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
)
