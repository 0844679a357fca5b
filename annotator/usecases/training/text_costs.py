"""What people took for the texts of a project, and for the same texts where only labels were asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotator.attribution.base import Input
from annotator.domain.numbers import duration
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.store.annotate.annotations import TextTime, text_times
from annotator.training.budgets import Condition, Prices, Simulation, SpentTime, prices_of, rationale_share
from annotator.training.examples import Example
from annotator.usecases.gold import labelled_gold

__all__ = ["CostOptions", "Simulation", "TextCosts", "require_prices", "text_costs", "words_of"]

_PRICED: Mapping[Condition, str] = {
    "labels": "a label alone",
    "rationales": "rationales alone",
    "both": "a label together with its rationales",
}


@dataclass(frozen=True, slots=True)
class CostOptions:
    """Where times are from.

    labels_only:  a project of the same texts in which only labels were asked for: its times and its labels
    is_by_key:    its texts are those with the same key; else those with the same words
    with_reviews: the time of those who scored rationale sets counts as well
    """

    labels_only: Project | None = None
    is_by_key: bool = False
    with_reviews: bool = False
    simulation: Simulation = field(default_factory=Simulation)


@dataclass(frozen=True, slots=True)
class TextCosts:
    """What the texts of a project cost.

    labels:       by instance the label that was given where only labels were asked for; {} without such a project
    n_incomplete: texts of which some work has no time, so that they took longer than is known here
    idle_ms:      pauses that are not counted
    """

    prices: Mapping[int, Prices]
    spent: Mapping[int, SpentTime]
    labels: Mapping[int, str]
    n_incomplete: int
    idle_ms: int


def text_costs(
    store: Store, project: Project, examples: Sequence[Example], options: CostOptions, policy: GoldPolicy
) -> TextCosts:
    """What each example costs.

    Raises: InvalidValue for a project that asks for labels only in the place of one with rationales, or the other way round
    """
    if project.settings.result_mode == "labels_only":
        raise InvalidValue(
            f"The project '{project.name}' asks for labels only. Name the one with rationales as --project, and this one as "
            "--labels-only."
        )
    times = text_times(store, project.id, with_reviews=options.with_reviews)
    labelled = {} if options.labels_only is None else _labelled(store, options.labels_only, examples, options, policy)
    spent, pieces = {}, []
    for example in examples:
        here, alone = times[example.id], labelled.get(example.id)
        pieces += [here] if alone is None else [here, alone.time]
        taken = here.active_ms or None if here.n_annotators else None
        is_for_both = project.settings.result_mode == "give" or not here.is_given
        spent[example.id] = SpentTime(
            label=alone.time.active_ms or None if alone is not None and alone.time.n_annotators else None,
            rationales=None if is_for_both else taken,
            both=taken if is_for_both else None,
            n_people=here.n_annotators,
            n_tokens=max(1, example.input.n_tokens),
        )
    return TextCosts(
        prices_of(spent, options.simulation), spent, {number: alone.label for number, alone in labelled.items()},
        sum(piece.active_ms > 0 and not piece.is_whole for piece in pieces), sum(piece.idle_ms for piece in pieces),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Labelled:
    label: str
    time: TextTime


def _labelled(
    store: Store, other: Project, examples: Sequence[Example], options: CostOptions, policy: GoldPolicy
) -> dict[int, _Labelled]:
    """By example its label and time in a project that asks for labels only; of several such texts the first counts."""
    if other.settings.result_mode != "labels_only":
        raise InvalidValue(
            f"The project '{other.name}' asks for rationales, too, so that its times are not those of labels alone. Name one "
            "that asks for labels only."
        )
    times = text_times(store, other.id)
    by_name: dict[object, _Labelled] = {}
    for gold in labelled_gold(store, other, policy):
        name = gold.instance.key if options.is_by_key else words_of(Input.of(gold.instance))
        by_name.setdefault(name, _Labelled(gold.result or "", times[gold.instance.id]))
    names = {example.id: example.key if options.is_by_key else words_of(example.input) for example in examples}
    matched = {number: by_name[name] for number, name in names.items() if name in by_name}
    if not matched:
        what = "key" if options.is_by_key else "words"
        raise InvalidValue(f"No text with a gold label in '{other.name}' has the {what} of one that is to be bought.")
    return matched


def words_of(given: Input) -> tuple[str, ...]:
    """What makes two texts the same one: the words of all segments."""
    return tuple(segment.text for segment in given.segments)


def require_prices(
    project: Project, costs: TextCosts, conditions: Sequence[Condition], simulation: Simulation
) -> list[int]:
    """The texts whose price is known under all of some conditions.

    Raises: InvalidValue where there are none, saying which price is not known, and what to do
    """
    known = [number for number, prices in costs.prices.items() if all(of in prices for of in conditions)]
    if known:
        return known
    if not simulation.is_any and not any(text.both or text.rationales for text in costs.spent.values()):
        raise InvalidValue(
            f"No text of '{project.name}' that can be learned from has a time: what came with a file has none. Say what a "
            "text would take: --seconds-per-label and --seconds-per-rationale; it is named as simulated then."
        )
    share = rationale_share(costs.spent, simulation)
    if "rationales" in conditions and share is not None and share <= 0:
        labels, both = _taken(costs)
        raise InvalidValue(
            f"Labels and rationales together took no longer in '{project.name}' ({duration(both)}) than the labels of the same "
            f"texts alone ({duration(labels)}), so nothing says what rationales take. Give --seconds-per-rationale, or leave "
            "that condition out (--condition)."
        )
    missing = [_PRICED[of] for of in conditions if not any(of in prices for prices in costs.prices.values())] or [
        "all of this for the same text"
    ]
    raise InvalidValue(
        f"It is not known how long {' and '.join(missing)} took people in '{project.name}'. Name a project of the same texts "
        "that asks for labels only (--labels-only), give --seconds-per-label or --seconds-per-rationale, or ask for other "
        "conditions (--condition)."
    )


def _taken(costs: TextCosts) -> tuple[float, float]:
    """Seconds of the labels alone, and of labels and rationales together, of the texts of which both are known."""
    pairs = [
        (costs.prices[number]["labels"].ms, text.both)
        for number, text in costs.spent.items()
        if text.both is not None and "labels" in costs.prices[number]
    ]
    return sum(label for label, _ in pairs) / 1000, sum(both for _, both in pairs) / 1000
