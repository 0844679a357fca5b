"""What a budget of minutes buys: texts in a drawn order, each at what people took for it, or at a time that is assumed.

Times are whole milliseconds, so that sums are exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np

from annotator.errors import InvalidValue
from annotator.language import _

Condition = Literal["labels", "rationales", "both"]
Origin = Literal["measured", "by difference", "simulated", "partly simulated"]

CONDITIONS: tuple[Condition, ...] = ("labels", "rationales", "both")

_ORDER = 7  # beside a seed, so that the order of texts has a stream of its own


@dataclass(frozen=True, slots=True)
class Price:
    """Milliseconds, and where they are from.

    origin: "by difference": what marking took beyond labelling; "partly simulated": made of measured and of assumed times
    """

    ms: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class SpentTime:
    """What people took for a text, in milliseconds; None where that was not measured.

    label:      where only its label was asked for
    rationales: where its label was given, and its rationales alone were asked for
    both:       where both were asked for together
    n_people:   who annotated it in a way that counts; of nobody's there are no rationales. n_tokens: of the whole text
    """

    label: int | None = None
    rationales: int | None = None
    both: int | None = None
    n_people: int = 1
    n_tokens: int = 1


@dataclass(frozen=True, slots=True)
class Simulation:
    """Times that are assumed, for each person who annotated a text; None: not assumed.

    is_by_token: the seconds are for each token of a text, not for the whole of it
    """

    seconds_per_label: float | None = None
    seconds_per_rationale: float | None = None
    is_by_token: bool = False

    def __post_init__(self) -> None:
        for name, seconds in (("label", self.seconds_per_label), ("rationale", self.seconds_per_rationale)):
            if seconds is not None and not 0 < seconds < float("inf"):
                raise InvalidValue(
                    _("{name} can't be {seconds} seconds. Use more than 0.", name=name, seconds=f"{seconds:g}")
                )
        if self.is_by_token and not self.is_any:
            raise InvalidValue(_("Give seconds to apply per token, or remove that option."))

    @property
    def is_any(self) -> bool:
        return self.seconds_per_label is not None or self.seconds_per_rationale is not None

    def price(self, seconds: float | None, text: SpentTime) -> Price | None:
        """What a text costs at so many seconds; at least a millisecond."""
        if seconds is None:
            return None
        times = max(1, text.n_people) * (text.n_tokens if self.is_by_token else 1)
        return Price(max(1, round(1000 * seconds * times)), "simulated")


Prices = Mapping[Condition, Price]  # of a text; a condition whose price is not known is not in it


def prices_of(texts: Mapping[int, SpentTime], simulation: Simulation = Simulation()) -> dict[int, Prices]:
    """What each text costs under each condition. What is assumed comes before what was measured.

    The rationales of a text whose label was asked for with them cost the same share of its time everywhere: what all such texts
    took beyond what their labels alone take. They have no price where that is nothing. Label and rationales of a text whose
    label was given cost their sum.

    >>> prices_of({1: SpentTime(label=4_000, both=16_000), 2: SpentTime(label=6_000, both=24_000)})[1]["rationales"]
    Price(ms=12000, origin='by difference')
    """
    labels = {number: _label(text, simulation) for number, text in texts.items()}
    share = rationale_share(texts, simulation)
    return {number: _prices(text, labels[number], share, simulation) for number, text in texts.items()}


def rationale_share(texts: Mapping[int, SpentTime], simulation: Simulation = Simulation()) -> float | None:
    """The share of their time that rationales took of texts of which both were asked for together; None where nothing says.

    >>> rationale_share({1: SpentTime(label=4_000, both=16_000), 2: SpentTime(label=6_000, both=24_000)})
    0.75
    """
    known = [(text.both, label.ms) for text in texts.values() if text.both and (label := _label(text, simulation))]
    whole = sum(both for both, _other in known)
    return 1 - sum(label for _other, label in known) / whole if whole else None


def _label(text: SpentTime, simulation: Simulation) -> Price | None:
    return simulation.price(simulation.seconds_per_label, text) or _measured(text.label)


def _prices(text: SpentTime, label: Price | None, share: float | None, simulation: Simulation) -> Prices:
    if not text.n_people:
        return {} if label is None else {"labels": label}
    assumed = simulation.price(simulation.seconds_per_rationale, text)
    beyond = None
    if text.both is not None and label is not None and share is not None and share > 0:
        origin: Origin = "by difference" if label.origin == "measured" else "partly simulated"
        beyond = Price(max(1, round(text.both * share)), origin)
    rationales = assumed or _measured(text.rationales) or beyond
    is_all_assumed = assumed is not None and label is not None and label.origin == "simulated"
    together = None if is_all_assumed else _measured(text.both)
    is_made_of_both = is_all_assumed or text.both is None
    both = together or (_sum(label, rationales) if is_made_of_both else None)
    named: dict[Condition, Price | None] = {"labels": label, "rationales": rationales, "both": both}
    return {condition: price for condition, price in named.items() if price is not None}


def _measured(ms: int | None) -> Price | None:
    return None if ms is None else Price(ms, "measured")


def _sum(label: Price | None, rationales: Price | None) -> Price | None:
    if label is None or rationales is None:
        return None
    return Price(label.ms + rationales.ms, together_from([label.origin, rationales.origin]))


def together_from(origins: Iterable[Origin]) -> Origin:
    """Where times are from that are added up.

    >>> together_from(["measured", "measured"]), together_from(["measured", "simulated"])
    ('measured', 'partly simulated')
    """
    distinct = set(origins)
    if len(distinct) == 1:
        return distinct.pop()
    return "by difference" if distinct <= {"measured", "by difference"} else "partly simulated"


def drawn_order(ids: Iterable[int], seed: int) -> list[int]:
    """The order in which texts are bought; the same whatever the budget and the condition."""
    known = sorted(ids)
    generator = np.random.default_rng((seed, _ORDER))
    return [known[number] for number in generator.permutation(len(known))]


def n_bought(costs: Sequence[int], budget: int) -> int:
    """How many texts are done when the time is over: one after the other, and the one at hand counts only when it is done.

    A text that does not fit any more is not passed over for a cheaper one, so that costly texts are not left out.

    >>> n_bought([20, 30, 100, 1], 50), n_bought([20, 30, 100, 1], 149), n_bought([20], 19), n_bought([20], 60)
    (2, 2, 0, 1)
    """
    return sum(total <= budget for total in accumulate(costs))
