"""Gold as a method like any other: how a model does on the rationale alone and on the rest; and random as a method."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.metrics.aggregate import Aggregate, OverSeeds, mean_of, over_seeds
from annotator.metrics.definitions import Definition, Direction
from annotator.metrics.ragged import Flags, Floats, Identities, Integers, Ragged

TEN_SEEDS = tuple(range(10))


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """One number for each instance on three inputs. Shapes: float[n] each, NaN where the model did not answer."""

    full: Floats
    rationale: Floats
    rest: Floats

    def __post_init__(self) -> None:
        if not len(self.full) == len(self.rationale) == len(self.rest):
            raise InvalidValue(
                f"Got {counted(len(self.full), 'answer')} to the full input, {len(self.rationale)} to the rationale and "
                f"{len(self.rest)} to the rest; each instance has all three."
            )


@dataclass(frozen=True, slots=True)
class OnThreeInputs:
    """A row of Wang et al., Tables 4 and 7: quality on the full input, on the rationale, on the rest; Suf; Com."""

    full: Aggregate
    rationale: Aggregate
    rest: Aggregate
    sufficiency: Aggregate
    comprehensiveness: Aggregate


def is_right(probabilities: tuple[Floats, Floats, Floats], gold: Integers) -> Inputs:
    """1 where the label of the highest probability is the gold one, else 0; among equals the first label.

    Shapes: float[n, n_labels] for the full input, the rationale and the rest; gold int[n]
    """
    full, rationale, rest = (_right(p, gold) for p in _checked(probabilities, gold))
    return Inputs(full, rationale, rest)


def p_of_predicted(probabilities: tuple[Floats, Floats, Floats]) -> Inputs:
    """The probability, on each input, of the label that is predicted on the full input.

    Shapes: float[n, n_labels] each
    """
    full, rationale, rest = _checked(probabilities, None)
    rows, labels = np.arange(len(full)), np.argmax(full, axis=1) if full.size else np.zeros(len(full), dtype=np.int64)
    return Inputs(full[rows, labels], rationale[rows, labels], rest[rows, labels])


def sufficiency(p: Inputs) -> Floats:
    """p(full) − p(rationale) for the label predicted on the full input; lower is better, may be negative."""
    return p.full - p.rationale


def comprehensiveness(p: Inputs) -> Floats:
    """p(full) − p(rest) for the label predicted on the full input; higher is better."""
    return p.full - p.rest


def on_three_inputs(quality: Inputs, p: Inputs) -> OnThreeInputs:
    """How a model does on the full input, on a method's rationales (gold's, for gold as a method), and on the rest.

    quality: 1 or 0 where labels are right or wrong, or an answer's F1; p: probabilities of what the full input predicts
    Source:  Wang et al. 2022, Tables 4 and 7; Suf and Com as in TrustAI's Evaluator.cal_suf_com
    >>> one = np.ones(1)
    >>> row = on_three_inputs(Inputs(one, one, 0 * one), Inputs(0.8 * one, 0.9 * one, 0.3 * one))
    >>> round(row.sufficiency.value, 9), round(row.comprehensiveness.value, 9)
    (-0.1, 0.5)
    """
    return OnThreeInputs(
        mean_of(quality.full),
        mean_of(quality.rationale),
        mean_of(quality.rest),
        mean_of(sufficiency(p)),
        mean_of(comprehensiveness(p)),
    )


def random_rationales(n_tokens: Integers, n_selected: Integers, seed: int) -> Ragged[np.bool_]:
    """A mask for each instance: as many tokens as asked, drawn uniformly without replacement.

    Shapes: int[n], int[n]; returns rows of n_tokens
    Raises: InvalidValue where more tokens are asked than there are
    """
    if len(n_tokens) != len(n_selected):
        raise InvalidValue(
            f"Got {counted(len(n_tokens), 'instance')}, but numbers of tokens to draw for {len(n_selected)}."
        )
    impossible = np.flatnonzero((n_selected < 0) | (n_selected > n_tokens))
    if len(impossible):
        row = int(impossible[0])
        raise InvalidValue(f"Instance {row} (from 0) has {n_tokens[row]} tokens; {n_selected[row]} cannot be drawn.")
    scores = random_scores(n_tokens, seed)
    order = scores.ranked()
    mask = np.zeros(len(order), dtype=np.bool_)
    mask[order[scores.places < n_selected[scores.rows_of_values]]] = True
    return scores.with_values(mask)


def random_scores(n_tokens: Integers, seed: int) -> Ragged[np.float64]:
    """A uniform score in [0, 1) for each token. Shapes: int[n]; returns rows of n_tokens."""
    offsets = np.concatenate(([0], np.cumsum(n_tokens))).astype(np.int64)
    return Ragged(np.random.default_rng(seed).random(int(offsets[-1])), offsets)


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


def random_as_method(metric: Callable[[int], Floats], seeds: Iterable[int] = TEN_SEEDS) -> OverSeeds:
    """A metric's mean over instances for random rationales, as mean and deviation over seeds.

    metric: from a seed to float[n_instances], such as the token F1 of random_rationales(n_tokens, k, seed)
    Source: the project's definition (random is the mean of ten seeds)
    """
    means = [mean_of(metric(seed)).value for seed in seeds]
    return over_seeds(np.array([np.nan if mean is None else mean for mean in means], dtype=np.float64))


def _right(probabilities: Floats, gold: Integers) -> Floats:
    """NaN where there is no probability for a row."""
    is_there: Flags = ~np.isnan(probabilities.sum(axis=1))
    answers = np.argmax(probabilities, axis=1)
    return np.where(is_there, (answers == gold).astype(np.float64), np.nan)


def _checked(probabilities: tuple[Floats, Floats, Floats], gold: Integers | None) -> tuple[Floats, Floats, Floats]:
    shapes = {p.shape for p in probabilities}
    if len(shapes) != 1 or probabilities[0].ndim != 2 or not probabilities[0].shape[1]:
        raise InvalidValue("Probabilities on the three inputs are given for the same instances and labels.")
    n, n_labels = probabilities[0].shape
    if gold is not None and (len(gold) != n or np.any((gold < 0) | (gold >= n_labels))):
        raise InvalidValue(f"There is a gold label, from 0 to {n_labels - 1}, for each of {counted(n, 'instance')}.")
    return probabilities


_LOWER: Direction = "lower is better"
_HIGHER: Direction = "higher is better"
_LEFT_OUT = "an instance without that answer is left out and counted"
_TABLES = "Wang et al. 2022, Tables 4 and 7"

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "method.quality_full",
        "On the full input",
        "mean accuracy, or mean answer F1 for reading, on the full input",
        _HIGHER,
        0.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
    Definition(
        "method.quality_rationale",
        "On the rationale",
        "the same on the method's rationale alone (of gold: gold as a method)",
        _HIGHER,
        0.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
    Definition(
        "method.quality_rest",
        "On the rest",
        "the same on the input without the rationale",
        _LOWER,
        0.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
    Definition(
        "method.sufficiency",
        "Sufficiency",
        "mean of p(full) − p(rationale), both of the label predicted on the full input",
        _LOWER,
        -1.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
    Definition(
        "method.comprehensiveness",
        "Comprehensiveness",
        "mean of p(full) − p(rest), both of the label predicted on the full input",
        _HIGHER,
        -1.0,
        1.0,
        _LEFT_OUT,
        _TABLES,
    ),
)
