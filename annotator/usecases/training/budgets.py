"""A sweep over minutes: what is bought from which texts, what people took for them, and labels of unseen projects."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from annotator.attribution.base import Input
from annotator.domain.labels import LabelTable
from annotator.domain.numbers import counted, duration
from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.store.annotate.annotations import TextTime, text_times
from annotator.training.alignment import AlignmentOptions
from annotator.training.budgets import (
    CONDITIONS,
    Condition,
    Origin,
    Prices,
    Simulation,
    SpentTime,
    drawn_order,
    n_bought,
    prices_of,
    rationale_share,
    together_from,
)
from annotator.training.examples import Example
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.gold import labelled_gold
from annotator.usecases.models.label_tables import ModelLabels, confirmed_table, remember
from annotator.usecases.training.examples import DataOptions

__all__ = ["CostOptions", "Simulation", "TextCosts", "require_prices", "text_costs", "words_of"]

# What people took for the texts of a project, and for the same texts where only labels were asked for.


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
    spent, subwords = {}, []
    for example in examples:
        here, alone = times[example.id], labelled.get(example.id)
        subwords += [here] if alone is None else [here, alone.time]
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
        sum(subword.active_ms > 0 and not subword.is_whole for subword in subwords), sum(subword.idle_ms for subword in subwords),
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


_MS = 60_000  # of a minute
Online = Literal["none", "new", "all"]


@dataclass(frozen=True, slots=True)
class MinutesOptions:
    """What is bought, and what is trained on it.

    budgets: minutes
    seeds:   of the order, the weights, the batches, and the texts to stop by where no split is for that
    n_start: how many texts have a label before a minute is spent; None: half of those that can be bought
    unseen:  projects that are asked about as well, and learned nothing from; renamed: what they call labels that are learned
    fitting: its alignment is with the rationales that are bought
    online:  beside each model one that goes on from that of the budget before, on what was bought since, or on all
    """

    budgets: tuple[float, ...]
    conditions: tuple[Condition, ...] = CONDITIONS
    seeds: tuple[int, ...] = (0, 1, 2)
    n_start: int | None = None
    costs: CostOptions = field(default_factory=CostOptions)
    unseen: tuple[Project, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    model: NewModel = field(default_factory=lambda: NewModel(()))
    data: DataOptions = field(default_factory=DataOptions)
    fitting: FittingOptions = field(default_factory=lambda: FittingOptions(alignment=AlignmentOptions("mae")))
    online: Online = "none"

    def __post_init__(self) -> None:
        for minutes in self.budgets:
            if not 0 < minutes < float("inf"):
                raise InvalidValue(f"{minutes:g} minutes buy nothing; give more than 0.")
        if self.n_start is not None and self.n_start < 0:
            raise InvalidValue(f"A number of texts cannot be {self.n_start}; give 0 or more.")
        if "rationales" in self.conditions and self.n_start == 0:
            raise InvalidValue(
                "Rationales alone are marked in texts that have a label already, and with --start 0 none has. Give more, or "
                "ask for other conditions (--condition)."
            )


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a budget bought for one model. condition None: nothing yet, only what had a label before.

    n_bought: texts; n_labels, n_rationales: how many texts have what when they are learned from
    spent_ms: of the budget; first_ms: what the first text costs; None where there was none to buy
    has_all:  nothing more could have been bought
    origin:   where the times are from; None of nothing
    is_online: the model goes on from that of the budget before
    """

    condition: Condition | None
    minutes: float
    seed: int
    n_bought: int
    n_labels: int
    n_rationales: int
    spent_ms: int = 0
    first_ms: int | None = None
    has_all: bool = False
    origin: Origin | None = None
    is_online: bool = False

    @property
    def name(self) -> str:
        """Its condition, as tables and figures tell it apart."""
        return (self.condition or "start") + (" online" if self.is_online else "")


def n_start_of(n_pool: int, options: MinutesOptions) -> int:
    """How many texts have a label before; raises InvalidValue where there are too few of them, or of all."""
    n_start = n_pool // 2 if options.n_start is None else options.n_start
    if n_start > n_pool:
        raise InvalidValue(
            f"--start {n_start} is more than the {counted(n_pool, 'text')} that can be learned from and whose times are known."
        )
    if "rationales" in options.conditions and not n_start:
        raise InvalidValue(
            f"Only {counted(n_pool, 'text')} can be learned from whose times are known: too few to have a label before others "
            "are bought."
        )
    return n_start


def purchases(
    learn: Sequence[Example], costs: TextCosts, priced: frozenset[int], options: MinutesOptions, seed: int
) -> Iterator[tuple[Purchase, list[Example]]]:
    """What is bought in the order of a seed, with all that is learned from then: nothing, then budget by budget.

    The first texts of the order have a label before; labels and both are bought for the others, rationales alone for these.
    """
    examples = {example.id: example for example in learn if example.id in priced}
    order = [examples[number] for number in drawn_order(examples, seed)]
    n_start = n_start_of(len(order), options)
    start, rest = order[:n_start], order[n_start:]
    bare = [replace(example, sets=()) for example in start]
    if bare:
        yield Purchase(None, 0, seed, 0, n_start, 0), bare
    for minutes in options.budgets:
        for condition in options.conditions:
            on_sale = start if condition == "rationales" else rest
            prices = [costs.prices[example.id][condition] for example in on_sale]
            n = n_bought([price.ms for price in prices], round(minutes * _MS))
            learned = _with(bare, on_sale[:n], condition, costs.labels)
            purchase = Purchase(
                condition, minutes, seed, n, len(learned), sum(bool(example.sets) for example in learned),
                sum(price.ms for price in prices[:n]), prices[0].ms if prices else None, n == len(on_sale),
                together_from(price.origin for price in prices) if prices else None,
            )  # fmt: skip
            yield purchase, learned


def _with(
    bare: Sequence[Example], bought: Sequence[Example], condition: Condition, labels: Mapping[int, str]
) -> list[Example]:
    """What is learned from; labels: those that were given where only labels were asked for."""
    if condition == "rationales":
        return [*bought, *bare[len(bought) :]]
    if condition == "labels":
        bought = [replace(example, label=labels.get(example.id, example.label), sets=()) for example in bought]
    return [*bare, *bought]


# What unseen projects call the labels that models learn: confirmed by a person, as of any model that is asked about them.


Renamed = Sequence[tuple[str, str]]


def unseen_tables(
    store: Store, project: Project, unseen: Sequence[Project], labels: Sequence[str], renamed: Renamed
) -> dict[str, LabelTable]:
    """By the name of each unseen project what it calls the labels that are learned from a project.

    renamed: a label that is learned and what an unseen project calls it, "" for what is never an answer there; each holds for the
             projects that have the other name and not the label itself
    Raises: ModelError where that leaves a label without a name; InvalidValue for what concerns none of the projects
    """
    for label, name in renamed:
        if not any(_concerns(foreign, label, name) for foreign in unseen):
            raise InvalidValue(
                f"--rename {label}={name} concerns no unseen project: none lacks '{label}'"
                + (f" and has '{name}'." if name else ".")
            )
    return {
        foreign.name: confirmed_table(store, foreign, _asked(project, labels), _renamed_in(foreign, renamed))
        for foreign in unseen
    }


def remember_tables(
    store: Store, actor: User, project: Project, unseen: Sequence[Project], tables: Mapping[str, LabelTable]
) -> None:
    """Keep what was confirmed, for all models that learn from the project."""
    for foreign in unseen:
        table = tables[foreign.name]
        remember(store, actor, foreign, _asked(project, tuple(table.names)), table)


def _asked(project: Project, labels: Sequence[str]) -> ModelLabels:
    return ModelLabels(f"the models that learn from '{project.name}'", tuple(labels), learned_in=project.name)


def _concerns(foreign: Project, label: str, name: str) -> bool:
    return label not in foreign.labels and (not name or name in foreign.labels)


def _renamed_in(foreign: Project, renamed: Renamed) -> dict[str, str]:
    """A name counts more than none; two names for one label are refused."""
    names: dict[str, str] = {}
    for label, name in renamed:
        if not _concerns(foreign, label, name):
            continue
        if name and names.get(label, name) not in {"", name}:
            raise InvalidValue(
                f"'{label}' cannot be both '{names[label]}' and '{name}' in the project '{foreign.name}'. "
                "Keep one --rename of it."
            )
        names[label] = name or names.get(label, "")
    return names
