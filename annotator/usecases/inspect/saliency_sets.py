"""A model's own rationale sets beside people's, as the Saliency page shows them: what the model answers to each, and its pile.

The numbers over texts are in words here that the page and `annotator sufficient` share.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import json

from annotator.domain.instances import Annotation, Instance
from annotator.domain.measurements import LONGEST_NAME, MOST_LISTED, Question, SavedList
from annotator.domain.numbers import counted, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import JudgedFamily, Pile, SufficientSets
from annotator.domain.texts import RationaleSet
from annotator.language import _, listed, together, unsaid
from annotator.metrics.set_families import LEAST_IOU, SetTable, iou_table, set_table
from annotator.review.gold import latest_of_each
from annotator.store import Store
from annotator.store import models as models_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import get_instance
from annotator.store.saved_lists import find_list
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.saliency_messages import ShownFamilies, ShownFamily, ShownJudgedSet
from annotator.usecases.inspect.text_lists import delete_list, save_listed
from annotator.usecases.models.parameter_words import parameter_words
from annotator.usecases.models.sufficient_sets import SETS_OF, stored_numbers

if TYPE_CHECKING:
    from annotator.scoring.reports import NumberReport
    from annotator.scoring.sufficient_sets import SideNumbers, SufficientNumbers

_REASONS = {
    "no token": unsaid("The model sees no token of this text."),
    "answers too weakly": unsaid("The model's answer is too weak for any set."),
    "answers without reading": unsaid("The model answers without reading."),
    "answers otherwise": unsaid("The model doesn't give these sets' label."),
}
_DIGITS = 4
# By the number of a set: its pile, and the set of the other family that it is paired with.
Piled = dict[int, tuple[Pile, int | None]]
Way = tuple[str, str]  # a model, and the parameters by which its sets were looked for


def show_families(store: Store, instance: Instance, gold: Sequence[RationaleSet] | None) -> tuple[ShownFamilies, ...]:
    """Of each model, and way of looking, whose sets of a text are stored. gold: as it is now; None where it is closed.

    People's sets that were asked about are shown only where gold is still theirs: others may be of an annotation that is closed.
    Sets that a model quoted stand by themselves until a model was asked about them. Where there are no sets comes last.
    """
    tokens = None if gold is None else [frozenset(of.token_indices) for of in gold]
    judged = [
        _shown(model, parameters, sets, instance, tokens)
        for model, parameters, sets in models_store.sufficient_sets_of_instance(store, instance.id)
    ]
    known = {families.sets_of for families in judged if not families.trouble}
    quoted = [
        _quoted(model, label, sets, instance, tokens)
        for model, label, sets in models_store.quoted_sets_of_instance(store, instance.id)
        if sets and model not in known
    ]
    return tuple(sorted((*judged, *quoted), key=lambda families: bool(families.trouble)))


def _quoted(
    model: str,
    label: str | None,
    sets: tuple[tuple[int, ...], ...],
    instance: Instance,
    gold: Sequence[frozenset[int]] | None,
) -> ShownFamilies:
    """Sets that no model was asked about: how they lie beside gold is all that is known of them."""
    people = [tuple(sorted(tokens)) for tokens in gold or ()]
    table = set_table(sets, people, [False] * len(people), [False] * len(people))
    partners = dict(table.matched)
    of_model = [
        ShownJudgedSet(tokens, pile="same" if number in partners else "unmarked", partner=partners.get(number))
        for number, tokens in enumerate(sets)
    ]
    partners = {of_people: of_quoted for of_quoted, of_people in table.matched}
    of_people = [
        ShownJudgedSet(tokens, pile="same" if number in partners else None, partner=partners.get(number))
        for number, tokens in enumerate(people)
    ]
    return ShownFamilies(
        model=model,
        sets_of=model,
        removal="",
        goes_on=False,
        label=label,
        is_right=None if instance.result is None else instance.result == label,
        p=None,
        p_empty=None,
        threshold=None,
        trouble="",
        note="",
        own=ShownFamily(tuple(of_model)),
        people=ShownFamily(tuple(of_people)) if people else None,
        iou=tuple(tuple(map(_rounded, row)) for row in iou_table(sets, people)),
    )


def _shown(
    model: str, parameters: str, sets: SufficientSets, instance: Instance, gold: Sequence[frozenset[int]] | None
) -> ShownFamilies:
    how = json.decode(parameters)
    is_same = gold is not None and _are_of(sets.people, gold, is_cut=how.get("too_long") == "cut")
    people = sets.people if is_same else None
    table = _table(sets.own, people, sets.threshold)
    return ShownFamilies(
        model=model,
        sets_of=how.get(SETS_OF, ""),
        removal=how["removal"],
        goes_on=how.get("rule") == "continue",
        label=sets.label,
        is_right=None if instance.result is None else instance.result == sets.label,
        p=_rounded(sets.full),
        p_empty=_rounded(sets.p_empty),
        threshold=_rounded(sets.threshold),
        trouble=_(_REASONS[sets.reason]) if sets.reason else "",
        note=""
        if gold is None or is_same
        else _("People's sets have changed. Find the model's sets again to compare."),
        own=_family(sets.own, sets.threshold, _piles_of_model(table)),
        people=None if people is None else _family(people, sets.threshold, _piles_of_people(table)),
        iou=tuple(tuple(map(_rounded, row)) for row in iou_table(sets.own.tokens, people.tokens if people else ())),
    )


def _are_of(people: JudgedFamily | None, gold: Sequence[frozenset[int]], *, is_cut: bool) -> bool:
    """Whether people's sets that were asked about are those of gold, as far as the model sees them.

    is_cut: the model may not see all of the text
    """
    judged = [] if people is None else [frozenset(of.tokens) for of in people.sets]
    is_gold = all(any(tokens <= whole for whole in gold) for tokens in judged)
    return is_gold and (is_cut or all(any(tokens <= whole for tokens in judged) for whole in gold))


def _family(family: JudgedFamily, threshold: float, piles: Piled) -> ShownFamily:
    judged = [
        ShownJudgedSet(
            of.tokens, _rounded(of.alone), of.is_sufficient(threshold), of.is_compact(threshold), of.is_late, *piles[number]
        )
        for number, of in enumerate(family.sets)
    ]  # fmt: skip
    return ShownFamily(tuple(judged), family.is_comprehensive(threshold), _rounded(family.of_rest))


def _table(of_model: JudgedFamily, people: JudgedFamily | None, threshold: float) -> SetTable:
    sets = people.sets if people is not None else ()
    is_enough = [judged.is_sufficient(threshold) for judged in sets]
    is_needed = [judged.of_rest < threshold for judged in sets]
    return set_table(of_model.tokens, [judged.tokens for judged in sets], is_enough, is_needed)


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


# Texts to look at next: where the model is right for a reason that nobody marked, and where it ignores what everybody marked.


def save_pile_lists(
    store: Store, actor: User, project: Project, model: str, parameters: str, split: str | None = None
) -> tuple[SavedList, ...]:
    """A saved list of each kind of text, in the place of an earlier one of that name; none where there is no such text."""
    require(store, actor, project.id, "use models")
    unmarked: list[int] = []
    ignored: list[int] = []
    for number, sets in models_store.all_sufficient_sets(store, project.id, model, parameters, split).items():
        if sets.reason or sets.people is None:
            continue
        table = _table(sets.own, sets.people, sets.threshold)
        instance = get_instance(store, number)
        if table.unmarked and instance.result in (None, sets.label):
            unmarked.append(number)
        tokens = [sets.people.tokens[at] for at in table.ignored]
        if tokens and _is_any_of_everybody(tokens, annotations_of(store, [number])[number]):
            ignored.append(number)
    names = (
        (_("{model}: {words}", model=model, words=_(_PILES["unmarked"])), unmarked),
        (_("{model}: {words}", model=model, words=_("ignores what everyone marked")), ignored),
    )
    return tuple(
        _saved_anew(store, actor, project, name[:LONGEST_NAME], parameters, numbers)
        for name, numbers in names
        if numbers
    )


def _is_any_of_everybody(sets: Sequence[tuple[int, ...]], annotations: Sequence[Annotation]) -> bool:
    """Whether every annotator, of two or more, has a set that overlaps by half or more with one of these."""
    families = [
        [rationale_set.token_indices for rationale_set in annotation.sets]
        for annotation in latest_of_each(a for a in annotations if a.state == "accepted")
    ]
    if len(families) < 2 or not all(families):
        return False
    return any(all(iou_table([tokens], family).max() >= LEAST_IOU for family in families) for tokens in sets)


def _saved_anew(
    store: Store, actor: User, project: Project, name: str, parameters: str, numbers: Sequence[int]
) -> SavedList:
    before = find_list(store, project.id, name)
    if before is not None:
        delete_list(store, actor, before.id)
    question = Question(project.id, among=tuple(numbers[:MOST_LISTED]))
    return save_listed(store, actor, question, name, parameters)


# The numbers over texts, in words.

SAYS_LITTLE = 0.05  # the share of random sets that suffice, above which a sufficient set says little
_PILES: dict[Pile, str] = {
    "same": unsaid("same reason"),
    "cores": unsaid("same reason, a core of ours"),
    "unmarked": unsaid("right, for a reason nobody marked"),
    "ignored": unsaid("ours that the model ignores"),
    "needed": unsaid("of these needed, not enough"),
    "redundant": unsaid("redundant for the model"),
}
_WITHOUT = {
    "no token": unsaid("no token"),
    "answers too weakly": unsaid("answers too weakly"),
    "answers without reading": unsaid("answers without reading"),
    "answers otherwise": unsaid("answers otherwise"),
}


def has_sets(store: Store, actor: User, project: Project) -> bool:
    """Whether any model's own sets are stored; quickly said."""
    require(store, actor, project.id, "use models")
    return bool(models_store.models_with_sufficient_sets(store, project.id))


def set_ways(store: Store, actor: User, project: Project) -> dict[Way, int]:
    """How sets were looked for, with the number of texts."""
    require(store, actor, project.id, "use models")
    return models_store.ways_with_sufficient_sets(store, project.id)


def way_words(way: Way) -> str:
    """The model, and how its sets were looked for where that is not as it always is."""
    model, how = way[0], json.decode(way[1], type=dict[str, Any])
    ((kind, value),) = how.pop("threshold").items()
    how |= {"threshold" if kind == "share" else "fixed_threshold": value}
    parts = [parameter_words(name, of) for name, of in sorted(how.items()) if of not in ("paper", "auto")]
    return listed([model, *parts])


def set_numbers(store: Store, actor: User, project: Project, way: Way) -> "SufficientNumbers":
    """The numbers over all texts of which sets are stored in one way."""
    require(store, actor, project.id, "use models")
    return stored_numbers(store, project, *way)


def question_rows(numbers: "SufficientNumbers") -> list[tuple[str, ...]]:
    """The heads, then what the model answers to its own sets, to people's and to random ones; nothing without a set."""
    if not numbers.model.n_texts:
        return []
    return [
        (_("share of a text's sets"), _("sufficient"), _("compact"), _("comprehensive")),
        (_("model's own sets"), *map(number_words, numbers.model.questions.values())),
        (_("people's sets"), *map(number_words, numbers.people.questions.values())),
        (_("random sets of the model's sizes"), number_words(numbers.random), written(None), written(None)),
    ]


def pile_rows(numbers: "SufficientNumbers") -> list[tuple[str, ...]]:
    """The heads, then each pile; nothing where no people's sets were asked about."""
    if not numbers.people.n_texts and not numbers.n_other_answer:
        return []
    return [
        (_("sets (or pairs) of texts"), _("answered as gold"), _("otherwise")),
        *((_(_PILES[pile]), f"{n:,}", f"{numbers.other_piles[pile]:,}") for pile, n in numbers.piles.items()),
    ]


def size_sentences(numbers: "SufficientNumbers") -> list[str]:
    """How many sets there are of either side, and of how many tokens."""
    return [
        _("The model's sets: {sizes}.", sizes=_sizes(numbers.model)),
        *([_("People's sets: {sizes}.", sizes=_sizes(numbers.people))] if numbers.people.n_texts else []),
    ]


def _sizes(side: "SideNumbers") -> str:
    texts, size = counted(side.n_texts, "text"), written(side.set_tokens.get("value"))
    return _("{n} in {texts}, {size} tokens each", n=f"{side.n_sets:,}", texts=texts, size=size)


def random_sentence(numbers: "SufficientNumbers") -> str:
    """Said where random sets suffice too often."""
    return _("A sufficient set says little here.") if (numbers.random.get("value") or 0) > SAYS_LITTLE else ""


def summary(numbers: "SufficientNumbers") -> str:
    """What stands below the tables of the page."""
    reasons = [f"{n:,} {_(_WITHOUT[reason])}" for reason, n in numbers.reasons.items() if n]
    n_without = sum(numbers.reasons.values())
    f1, chance = numbers.families.get("both"), numbers.chance.get("both")
    return together(
        *(size_sentences(numbers) if numbers.model.n_texts else ()),
        _("Best-match F1 {f1}, chance {chance}.", f1=number_words(f1), chance=written(chance)) if f1 else "",
        random_sentence(numbers),
        _("{texts} without sets: {reasons}.", texts=counted(n_without, "text"), reasons=listed(reasons))
        if reasons
        else "",
    )


def number_words(number: "Mapping[str, Any] | NumberReport") -> str:
    """A mean with its interval."""
    low, high = number.get("low"), number.get("high")
    interval = "" if low is None or high is None else f" [{written(low)}, {written(high)}]"
    return f"{written(number.get('value'))}{interval}"
