"""Two families of sets of one text against each other: a model's own sets and people's, set by set.

No set is put together with another one. Sets of one family may overlap where people marked them so; a model's own never do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from annotator.domain.sufficient_sets import Pile
from annotator.metrics.definitions import Definition
from annotator.metrics.gold_as_method import scores_drawn_for
from annotator.metrics.ragged import Floats, Identities, Integers

Family = Sequence[Sequence[int]]  # token indices, a row a set; no set is empty
Pair = tuple[int, int]  # the number of a model's set, and of people's
LEAST_IOU = 0.5  # from which on two sets are one reason

_NAN = float("nan")


def f1_table(model: Family, people: Family) -> Floats:
    """float[n_model, n_people]: 2 · both / (one + other)."""
    return _table(model, people, lambda both, m, h: 2 * both / (m + h))


def iou_table(model: Family, people: Family) -> Floats:
    """float[n_model, n_people]: both / either.

    >>> iou_table([[1, 2], [5]], [[1, 2, 3]]).round(3).tolist()
    [[0.667], [0.0]]
    """
    return _table(model, people, lambda both, m, h: both / (m + h - both))


def _table(model: Family, people: Family, of: Callable[[int, int, int], float]) -> Floats:
    table = np.zeros((len(model), len(people)))
    for i, of_model in enumerate(map(frozenset, model)):
        for j, of_people in enumerate(map(frozenset, people)):
            table[i, j] = of(len(of_model & of_people), len(of_model), len(of_people))
    return table


def family_values(model: Sequence[Family], people: Sequence[Family]) -> dict[str, Floats]:
    """Every number of this family by its measure, float[n_instances] each; NaN where it is not defined.

    >>> values = family_values([[[1, 2], [5]]], [[[1, 2, 3], [7, 8]]])  # trust.md, section 8
    >>> {name: round(float(value[0]), 3) for name, value in values.items()}
    {'model_to_people': 0.4, 'people_to_model': 0.4, 'both': 0.4, 'given': 0.5, 'given_reverse': 0.5}
    """
    rows = [_values(*families) for families in zip(model, people, strict=True)]
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), len(MEASURES)).T
    return dict(zip(MEASURES, columns, strict=True))


MEASURES = ("model_to_people", "people_to_model", "both", "given", "given_reverse")


def _values(model: Family, people: Family) -> tuple[float, ...]:
    if not model or not people:  # of a family without sets nothing can be found in the other one
        of_model, of_people = 0.0 if model else _NAN, 0.0 if people else _NAN
        return of_model, of_people, 0.0 if model or people else _NAN, of_model, of_people
    f1, iou = f1_table(model, people), iou_table(model, people)
    m_to_h, h_to_m = float(f1.max(axis=1).mean()), float(f1.max(axis=0).mean())
    given = [float((iou.max(axis=axis) >= LEAST_IOU).mean()) for axis in (1, 0)]
    both = 2 * m_to_h * h_to_m / (m_to_h + h_to_m) if m_to_h + h_to_m else 0.0
    return m_to_h, h_to_m, both, *given


def random_families(
    sizes: Sequence[Sequence[int]], n_tokens: Integers, identities: Identities, seed: int
) -> list[list[list[int]]]:
    """Disjoint sets of these sizes for each instance, which follow from its identity and the seed."""
    order = scores_drawn_for(identities, n_tokens, seed).ranked()
    ends = np.concatenate(([0], np.cumsum(n_tokens)))
    drawn = []
    for of_one, first, end in zip(sizes, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        borders = np.cumsum([0, *of_one])
        tokens = (order[first:end] - first).tolist()
        drawn.append([sorted(tokens[a:b]) for a, b in pairwise(borders)])
    return drawn


def chance_values(
    model: Sequence[Family], people: Sequence[Family], n_tokens: Integers, identities: Identities, seeds: Iterable[int]
) -> dict[str, Floats]:
    """The same numbers of random disjoint sets of the sizes of the model's, each instance's mean over the seeds."""
    sizes = [[len(tokens) for tokens in family] for family in model]
    by_seed = [family_values(random_families(sizes, n_tokens, identities, seed), people) for seed in seeds]
    return {name: np.mean([values[name] for values in by_seed], axis=0) for name in MEASURES}


# Which set of the model's is which of people's.


@dataclass(frozen=True, slots=True)
class SetTable:
    """Every set in one pile, by its number.

    matched:   one to one, with the largest sum of IoUs among pairs of at least one half
    cores:     the model's set lies in one of people's, which is sufficient for the model; neither is matched
    unmarked:  the model's sets that nobody marked
    ignored:   people's sets that are not enough for the model; needed: those of them without which the rest is not, either
    redundant: people's sets that would do, though the model's own do without
    """

    matched: tuple[Pair, ...]
    cores: tuple[Pair, ...]
    unmarked: tuple[int, ...]
    ignored: tuple[int, ...]
    needed: tuple[int, ...]
    redundant: tuple[int, ...]


def set_table(model: Family, people: Family, is_enough: Sequence[bool], is_needed: Sequence[bool]) -> SetTable:
    """The piles of a text's sets; |model| + |people| = 2 · (matched + cores) + unmarked + ignored + redundant.

    is_enough: of people's sets, whether the model gives its answer on it alone; is_needed: no longer gives it without it
    """
    iou = iou_table(model, people)
    weights = {(i, j): float(iou[i, j]) for i, j in np.argwhere(iou >= LEAST_IOU).tolist()}
    matched = one_to_one(weights)
    taken_model, taken_people = {i for i, _ in matched}, {j for _, j in matched}
    within = {
        (i, j): float(iou[i, j])
        for i, of_model in enumerate(model)
        for j, of_people in enumerate(people)
        if i not in taken_model and j not in taken_people and is_enough[j] and set(of_model) < set(of_people)
    }
    cores = one_to_one(within)
    taken_model |= {i for i, _ in cores}
    taken_people |= {j for _, j in cores}
    left = [j for j in range(len(people)) if j not in taken_people]
    ignored = tuple(j for j in left if not is_enough[j])
    return SetTable(
        matched,
        cores,
        tuple(i for i in range(len(model)) if i not in taken_model),
        ignored,
        tuple(j for j in ignored if is_needed[j]),
        tuple(j for j in left if is_enough[j]),
    )


def one_to_one(weights: Mapping[Pair, float]) -> tuple[Pair, ...]:
    """The pairs with the largest sum, none of which shares a side with another; of equal sums the first, by the rows' numbers.

    >>> one_to_one({(0, 0): 0.6, (0, 1): 0.9, (1, 1): 0.5})
    ((0, 0), (1, 1))
    """
    rows = sorted({i for i, _ in weights})
    columns = {i: sorted(j for row, j in weights if row == i) for i in rows}

    @cache
    def best(at: int, taken: frozenset[int]) -> tuple[float, tuple[Pair, ...]]:
        if at == len(rows):
            return 0.0, ()
        row = rows[at]
        sums = []
        for column in columns[row]:
            if column not in taken:
                more, pairs = best(at + 1, taken | {column})
                sums.append((weights[row, column] + more, ((row, column), *pairs)))
        sums.append(best(at + 1, taken))
        return max(sums, key=lambda of_sum: round(of_sum[0], 9))

    return best(0, frozenset())[1]


def pile_sizes(tables: Iterable[SetTable]) -> dict[Pile, int]:
    """How many sets (of `same` and `cores`: pairs) the piles of several texts have together; needed ones are ignored ones."""
    sizes: dict[Pile, int] = dict.fromkeys(("same", "cores", "unmarked", "ignored", "needed", "redundant"), 0)
    for table in tables:
        sizes["same"] += len(table.matched)
        sizes["cores"] += len(table.cores)
        sizes["unmarked"] += len(table.unmarked)
        sizes["ignored"] += len(table.ignored)
        sizes["needed"] += len(table.needed)
        sizes["redundant"] += len(table.redundant)
    return sizes


def _definition(measure: str, title: str, definition: str, undefined: str, **other: Any) -> Definition:
    known = {"direction": "higher is better", "lowest": 0.0, "highest": 1.0, "source": "defined here"}
    return Definition(f"families.{measure}", title, definition, undefined=undefined, **{**known, **other})


_WITHOUT = "without sets of the {side}; excluded and counted. 0 if only the other family is empty"

DEFINITIONS: tuple[Definition, ...] = (
    _definition(
        "model_to_people",
        "Model's sets in people's",
        "mean over the model's sets M of the highest 2·|M ∩ H| / (|M| + |H|) over people's sets H; instance mean; a lower "
        "bound where gold is not exhaustive",
        _WITHOUT.format(side="model"),
    ),
    _definition(
        "people_to_model",
        "People's sets in the model's",
        "mean over people's sets H of the highest 2·|M ∩ H| / (|M| + |H|) over the model's sets M; instance mean",
        _WITHOUT.format(side="people"),
    ),
    _definition(
        "both",
        "Best-match F1 of two families",
        "2ab / (a + b), a and b the model's sets in people's and people's in the model's; 0 if both are 0; instance mean",
        "without any set; excluded and counted. 0 if one family is empty",
    ),
    _definition(
        "given",
        "Model's sets that people marked",
        "share of the model's sets with IoU ≥ .5 to some set of people's; instance mean; a lower bound where gold is not "
        "exhaustive",
        _WITHOUT.format(side="model"),
    ),
    _definition(
        "given_reverse",
        "People's sets that the model has",
        "share of people's sets with IoU ≥ .5 to some set of the model's; instance mean",
        _WITHOUT.format(side="people"),
    ),
)
