"""A model's own rationale sets, and what it answers to these and to people's: numbers by which each set is judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from annotator.errors import InvalidValue
from annotator.language import _

Search = Literal["auto", "full", "blocks", "exact", "given"]
Removal = Literal["default", "delete", "mask", "blank"]
Reason = Literal["", "no token", "answers too weakly", "answers without reading", "answers otherwise"]

# In which of these a set lies, of the model's or of people's; see metrics/set_families.py.
Pile = Literal["same", "cores", "unmarked", "ignored", "needed", "redundant"]
METHOD = "sufficient-sets"  # as what is computed of a model, beside the methods of attributions
REASONS: tuple[Reason, ...] = cast("tuple[Reason, ...]", get_args(Reason)[1:])
MOST_SETS = 20
DIGITS = 9  # probabilities that are equal but for noise of a batch are equal


@dataclass(frozen=True, slots=True)
class Threshold:
    """How probable an answer must stay.

    share: of its probability on the full text; with two labels at least .5, with more the label must stay the most probable
    fixed: a probability for all texts instead; None: the share
    """

    share: float = 0.9
    fixed: float | None = None

    def __post_init__(self) -> None:
        value = self.share if self.fixed is None else self.fixed
        if not 0 < value <= 1:
            raise InvalidValue(
                _("{name} is {value}; use above 0, up to {highest}.", name=_("threshold"), value=value, highest=1)
            )

    def of(self, full: float, n_labels: int) -> float:
        """The threshold of a text that is answered with this probability."""
        if self.fixed is not None:
            return self.fixed
        share = round(self.share * full, DIGITS)
        return max(share, 0.5) if n_labels == 2 else share


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A set, and what the model answers about it: probabilities of the answer, less 1 where another label is more probable.

    alone:       on the set alone
    without_one: the highest on the set with one token less; None where that was not asked
    of_rest:     on the text without the set
    is_late:     it was found when the rest was no longer sufficient: only without what speaks against it
    """

    tokens: tuple[int, ...]
    alone: float
    without_one: float | None
    of_rest: float
    is_late: bool = False

    def is_sufficient(self, threshold: float) -> bool:
        return self.alone >= threshold

    def is_compact(self, threshold: float) -> bool | None:
        """Whether no token can go; None where the set is not sufficient, or nobody asked."""
        return self.without_one < threshold if self.is_sufficient(threshold) and self.without_one is not None else None


@dataclass(frozen=True, slots=True)
class JudgedFamily:
    """The sets of one side of a text. of_rest: what the model answers when all of them are gone.

    leaves_set: whether a sufficient set was found in that rest, whatever it answers to the rest; None: nobody looked
    """

    sets: tuple[JudgedSet, ...]
    of_rest: float
    leaves_set: bool | None = None

    @property
    def tokens(self) -> tuple[tuple[int, ...], ...]:
        return tuple(judged.tokens for judged in self.sets)

    def is_comprehensive(self, threshold: float) -> bool:
        """Whether the model no longer gives its answer without all sets; never without a set."""
        return bool(self.sets) and self.of_rest < threshold

    def numbered(self, number: Callable[[int], int]) -> "JudgedFamily":
        """With other token numbers."""
        sets = tuple(replace(judged, tokens=tuple(map(number, judged.tokens))) for judged in self.sets)
        return replace(self, sets=sets)


@dataclass(frozen=True, slots=True)
class SufficientSets:
    """What was found of a model's answer to one text.

    label:     the model's answer; full, empty: its probability on the text and on nothing
    reason:    why there are no sets to speak of; "" where there are
    search:    how they were looked for ("given": another model's, see `SufficientOptions`); is_cut: there may be more of them
    people:    what the model answers to people's sets; None where nobody marked any, or none was asked about
    n_random, n_random_sufficient: random sets of the same sizes
    """

    label: str
    threshold: float
    full: float
    empty: float
    reason: Reason = ""
    search: Search = "full"
    own: JudgedFamily = JudgedFamily((), 0.0)
    people: JudgedFamily | None = None
    is_cut: bool = False
    n_random: int = 0
    n_random_sufficient: int = 0
    n_calls: int = 0

    @property
    def p_empty(self) -> float:
        """The answer's probability on nothing, also where another label is more probable there."""
        return self.empty + 1 if self.empty < 0 else self.empty

    @property
    def random_share(self) -> float | None:
        return self.n_random_sufficient / self.n_random if self.n_random else None


def distinct_sets(sets: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Each set once, its tokens rising, in the order in which the sets stand; none that is empty."""
    return tuple(dict.fromkeys(tuple(sorted(set(tokens))) for tokens in sets if tokens))


def all_tokens(sets: SufficientSets) -> list[tuple[int, ...]]:
    """The tokens of every set of either family."""
    return [*sets.own.tokens, *(sets.people.tokens if sets.people is not None else ())]
