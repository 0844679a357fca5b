"""A model's own rationale sets beside people's, as the Saliency page shows them: what the model answers to each, and its pile."""

from collections.abc import Sequence

from msgspec import json

from annotator.domain.instances import Instance
from annotator.domain.sufficient_sets import JudgedFamily, Pile, SufficientSets
from annotator.language import _, unsaid
from annotator.metrics.set_families import SetTable, iou_table, set_table
from annotator.store import Store
from annotator.store.models import sufficient_sets_of_instance
from annotator.usecases.inspect.saliency_messages import ShownFamilies, ShownFamily, ShownJudgedSet

_REASONS = {
    "no token": unsaid("The model sees no token of this text."),
    "answers too weakly": unsaid("The model's answer is too weak for any set."),
    "answers without reading": unsaid("The model gives this answer without reading."),
}
_DIGITS = 4
Piled = dict[
    int, tuple[Pile, int | None]
]  # by the number of a set: its pile, and the set of the other family that it is paired with


def show_families(store: Store, instance: Instance, *, shows_people: bool) -> tuple[ShownFamilies, ...]:
    """Of each model, and way of looking, whose sets of a text are stored. shows_people: people's sets may be seen."""
    return tuple(
        _shown(model, parameters, sets, instance, shows_people=shows_people)
        for model, parameters, sets in sufficient_sets_of_instance(store, instance.id)
    )


def _shown(
    model: str, parameters: str, sets: SufficientSets, instance: Instance, *, shows_people: bool
) -> ShownFamilies:
    how = json.decode(parameters)
    people = sets.people if shows_people else None
    table = _table(sets.own, people, sets.threshold)
    return ShownFamilies(
        model=model,
        removal=how["removal"],
        goes_on=how["rule"] == "continue",
        label=sets.label,
        is_right=None if instance.result is None else instance.result == sets.label,
        p=_rounded(sets.full),
        p_empty=_rounded(sets.p_empty),
        threshold=_rounded(sets.threshold),
        trouble=_(_REASONS[sets.reason]) if sets.reason else "",
        own=_family(sets.own, sets.threshold, _piles_of_model(table)),
        people=None if people is None else _family(people, sets.threshold, _piles_of_people(table)),
        iou=tuple(tuple(map(_rounded, row)) for row in iou_table(sets.own.tokens, people.tokens if people else ())),
    )


def _family(family: JudgedFamily, threshold: float, piles: Piled) -> ShownFamily:
    judged = [
        ShownJudgedSet(
            of.tokens, _rounded(of.alone), of.is_sufficient(threshold), of.is_compact(threshold), of.is_late, *piles[number]
        )
        for number, of in enumerate(family.sets)
    ]  # fmt: skip
    return ShownFamily(tuple(judged), family.is_comprehensive(threshold), _rounded(family.of_rest))


def _table(own: JudgedFamily, people: JudgedFamily | None, threshold: float) -> SetTable:
    sets = people.sets if people is not None else ()
    is_enough = [judged.is_sufficient(threshold) for judged in sets]
    is_needed = [judged.of_rest < threshold for judged in sets]
    return set_table(own.tokens, [judged.tokens for judged in sets], is_enough, is_needed)


def _piles_of_model(table: SetTable) -> Piled:
    return {
        **{model: ("same", people) for model, people in table.matched},
        **{model: ("cores", people) for model, people in table.cores},
        **_alone("unmarked", table.unmarked),
    }


def _piles_of_people(table: SetTable) -> Piled:
    return {
        **{people: ("same", model) for model, people in table.matched},
        **{people: ("cores", model) for model, people in table.cores},
        **_alone("ignored", table.ignored),
        **_alone("needed", table.needed),
        **_alone("redundant", table.redundant),
    }


def _alone(pile: Pile, sets: Sequence[int]) -> Piled:
    return dict.fromkeys(sets, (pile, None))


def _rounded(p: float) -> float:
    return round(float(p), _DIGITS)
