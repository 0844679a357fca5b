"""What is bought for the models of a sweep over minutes: from which texts, in which order, under which conditions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.training.alignment import AlignmentOptions
from annotator.training.budgets import CONDITIONS, Condition, Origin, drawn_order, n_bought, together_from
from annotator.training.examples import Example
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.training.examples import DataOptions
from annotator.usecases.training.text_costs import CostOptions, TextCosts

_MS = 60_000  # of a minute


@dataclass(frozen=True, slots=True)
class MinutesOptions:
    """What is bought, and what is trained on it.

    budgets: minutes
    seeds:   of the order, the weights, the batches, and the texts to stop by where no split is for that
    n_start: how many texts have a label before a minute is spent; None: half of those that can be bought
    unseen:  projects that are asked about as well, and learned nothing from; renamed: what they call labels that are learned
    fitting: its alignment is with the rationales that are bought
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
