"""A model's own rationale sets beside people's, as the Saliency page shows them: what the model answers to each, and its pile."""

from collections.abc import Sequence

from msgspec import json

from annotator.domain.instances import Annotation, Instance
from annotator.domain.measurements import LONGEST_NAME, MOST_LISTED, Question, SavedList
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import JudgedFamily, Pile, SufficientSets
from annotator.domain.texts import RationaleSet
from annotator.language import _, unsaid
from annotator.metrics.set_families import LEAST_IOU, SetTable, iou_table, set_table
from annotator.review.gold import latest_of_each
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import get_instance
from annotator.store.models import all_sufficient_sets, quoted_sets_of_instance, sufficient_sets_of_instance
from annotator.store.saved_lists import find_list
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.saliency_messages import ShownFamilies, ShownFamily, ShownJudgedSet
from annotator.usecases.inspect.text_lists import delete_list, save_listed
from annotator.usecases.models.self_explanations import quoted_sets
from annotator.usecases.models.sufficient_sets import SETS_OF

_REASONS = {
    "no token": unsaid("The model sees no token of this text."),
    "answers too weakly": unsaid("The model's answer is too weak for any set."),
    "answers without reading": unsaid("The model gives this answer without reading."),
    "answers otherwise": unsaid("The model does not give the label that these sets are for."),
}
_DIGITS = 4
# By the number of a set: its pile, and the set of the other family that it is paired with.
Piled = dict[int, tuple[Pile, int | None]]


def show_families(store: Store, instance: Instance, gold: Sequence[RationaleSet] | None) -> tuple[ShownFamilies, ...]:
    """Of each model, and way of looking, whose sets of a text are stored. gold: as it is now; None where it is closed.

    People's sets that were asked about are shown only where gold is still theirs: others may be of an annotation that is closed.
    Sets that a model quoted stand by themselves until a model was asked about them.
    """
    tokens = None if gold is None else [frozenset(of.token_indices) for of in gold]
    judged = [
        _shown(model, parameters, sets, instance, tokens)
        for model, parameters, sets in sufficient_sets_of_instance(store, instance.id)
    ]
    known = {families.sets_of for families in judged if not families.trouble}
    quoted = [
        _quoted(model, label, quoted_sets(output), instance, tokens)
        for model, label, output in quoted_sets_of_instance(store, instance.id)
        if model not in known
    ]
    return (*judged, *quoted)


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
    mine, theirs = ({**dict(table.matched)}, {theirs: mine for mine, theirs in table.matched})
    own = [
        ShownJudgedSet(tokens, pile="same" if number in mine else "unmarked", partner=mine.get(number))
        for number, tokens in enumerate(sets)
    ]
    of_people = [
        ShownJudgedSet(tokens, pile="same" if number in theirs else None, partner=theirs.get(number))
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
        own=ShownFamily(tuple(own)),
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
    for number, sets in all_sufficient_sets(store, project.id, model, parameters, split).items():
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
        (_("{model}: right, for a reason nobody marked", model=model), unmarked),
        (_("{model}: ignores what everyone marked", model=model), ignored),
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
