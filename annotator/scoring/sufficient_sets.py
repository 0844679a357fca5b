"""A model's own rationale sets beside people's, over many texts: the reviewers' questions, piles, matches, and random sets.

Shares are means over texts, of each the share of its sets; so a text with many sets counts as much as one with few.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.sufficient_sets import REASONS, JudgedFamily, Pile, Reason, SufficientSets
from annotator.metrics.aggregate import bootstrap, mean_of
from annotator.metrics.gold_as_method import TEN_SEEDS
from annotator.metrics.ragged import Floats
from annotator.metrics.set_families import MEASURES, SetTable, chance_values, family_values, pile_sizes, set_table
from annotator.scoring.gold import GoldTable
from annotator.scoring.reports import NumberReport


@dataclass(frozen=True, slots=True)
class SideNumbers:
    """What the model answers to the sets of one side. questions: by name; strongly: of those that were looked through."""

    n_texts: int
    n_sets: int
    set_tokens: NumberReport
    questions: dict[str, NumberReport]
    strongly: NumberReport


@dataclass(frozen=True, slots=True)
class SufficientNumbers:
    """Numbers over texts.

    reasons:   texts without sets to speak of, by why
    people:    of texts that the model answers as gold does; n_other_answer: the others with people's sets, counted apart
    piles, other_piles: of the former and of the latter; a set each, a pair in `same` and `cores`
    families:  best matches of the former, by measure; chance: of random sets of the same sizes
    empty:     the probability of the answer on nothing
    """

    n_texts: int
    reasons: dict[Reason, int]
    n_cut: int
    n_late: int
    n_other_answer: int
    n_without_sets: int
    model: SideNumbers
    people: SideNumbers
    piles: dict[Pile, int]
    other_piles: dict[Pile, int]
    families: dict[str, NumberReport]
    chance: dict[str, float | None]
    random: NumberReport
    empty: NumberReport


def sufficient_numbers(examined: dict[int, SufficientSets], gold: GoldTable) -> SufficientNumbers:
    """Of what was found, by instance. gold: of the instances that have some; people's sets are those that were asked about."""
    defined = {number: sets for number, sets in examined.items() if not sets.reason}
    compared = [
        (index, sets)
        for index, row in enumerate(gold.rows)
        if (sets := defined.get(row.id)) is not None and sets.people is not None and sets.people.sets
    ]
    agreeing = [(index, sets) for index, sets in compared if gold.rows[index].result in (None, sets.label)]
    agreeing_ids = {id(sets) for _, sets in agreeing}
    other = [sets for _, sets in compared if id(sets) not in agreeing_ids]
    families, chance = _matches(gold.take([index for index, _ in agreeing]), [sets for _, sets in agreeing])
    reasons: Counter[Reason] = Counter(sets.reason for sets in examined.values() if sets.reason)
    return SufficientNumbers(
        len(examined),
        {reason: reasons[reason] for reason in REASONS},
        sum(sets.is_cut for sets in defined.values()),
        sum(judged.is_late for sets in defined.values() for judged in sets.own.sets),
        len(other),
        len(defined) - len(compared),
        _side([(sets.own, sets.threshold) for sets in defined.values()]),
        _side([(_people(sets), sets.threshold) for _, sets in agreeing]),
        pile_sizes(_table(sets) for _, sets in agreeing),
        pile_sizes(map(_table, other)),
        families,
        chance,
        _number([sets.random_share for sets in defined.values()]),
        _number([sets.p_empty for sets in examined.values() if sets.reason != "no token"]),
    )


def _people(sets: SufficientSets) -> JudgedFamily:
    return sets.people or JudgedFamily((), 0.0)


def _number(values: Iterable[float | None]) -> NumberReport:
    """A mean with its interval over texts."""
    numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    mean, interval = mean_of(numbers), bootstrap(numbers)
    low, high = (interval.low, interval.high) if interval is not None else (None, None)
    return {"value": mean.value, "n": mean.n, "n_left_out": mean.n_left_out, "low": low, "high": high}


def _side(families: Sequence[tuple[JudgedFamily, float]]) -> SideNumbers:
    """threshold: of each text, beside its family."""
    questions = {
        "sufficient": _number(_share(judged.is_sufficient(t) for judged in family.sets) for family, t in families),
        "compact": _number(_share(judged.is_compact(t) for judged in family.sets) for family, t in families),
        "comprehensive": _number(float(family.is_comprehensive(t)) for family, t in families),
    }
    looked = [family.leaves_set for family, _ in families if family.leaves_set is not None]
    sizes = [[len(tokens) for tokens in family.tokens] for family, _ in families]
    return SideNumbers(
        len(families),
        sum(map(len, sizes)),
        _number(float(np.mean(of_one)) if of_one else None for of_one in sizes),
        questions,
        _number(float(not leaves_set) for leaves_set in looked),
    )


def _share(answers: Iterable[bool | None]) -> float | None:
    """The share of yes among answers; None where there is none."""
    defined = [answer for answer in answers if answer is not None]
    return sum(defined) / len(defined) if defined else None


def _table(sets: SufficientSets) -> SetTable:
    people, threshold = _people(sets), sets.threshold
    return set_table(
        sets.own.tokens,
        people.tokens,
        [judged.is_sufficient(threshold) for judged in people.sets],
        [judged.of_rest < threshold for judged in people.sets],
    )


def _matches(
    gold: GoldTable, examined: Sequence[SufficientSets]
) -> tuple[dict[str, NumberReport], dict[str, float | None]]:
    """Best matches of the two families, and those of random sets; {} without a text."""
    if not examined:
        return {}, {}
    model, people = [sets.own.tokens for sets in examined], [_people(sets).tokens for sets in examined]
    values: dict[str, Floats] = family_values(model, people)
    random = chance_values(model, people, gold.n_tokens, gold.identities, TEN_SEEDS)
    return (
        {name: _number(values[name].tolist()) for name in MEASURES},
        {name: mean_of(random[name]).value for name in MEASURES},
    )
