"""Sets that are proposed to whoever is about to annotate: they count for nothing until somebody accepts them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotator.domain.texts import HelpOrigin, RationaleSet
from annotator.language import _

# carried: the original's gold in a changed version; lexicon: the words of a keep list; complement: all but those of ignore lists;
# model: a set that is enough for a model
ProposedSource = Literal["carried", "lexicon", "complement", "model"]
# unasked: a complement that nobody asked for; edited: accepted, and changed before it was handed in
ProposedState = Literal["unasked", "undecided", "accepted", "edited", "rejected"]
# Who gets help while annotating: everybody, nobody, or whom the lot helps; of a piece of work, what was decided for it.
HelpFor = Literal["all", "none", "lot"]
HELP_FOR: tuple[HelpFor, ...] = ("all", "none", "lot")
Arm = Literal["all", "none", "helped", "blind"]
# What may help besides proposed sets: what lay there when the work began, and what a model said of the sets on the screen (model,
# without a set).
HelpSource = ProposedSource | Literal["starting"]
HelpStep = Literal["shown", "unasked", "undecided", "accepted", "edited", "rejected"]


def chance_of_help(n_wanted: int, n_helped: int, n_blind: int) -> float:
    """The probability that the next person of an instance is helped, so that the arms of n_wanted people differ by one at most.

    >>> chance_of_help(1, 0, 0), chance_of_help(2, 1, 0), chance_of_help(2, 0, 1), chance_of_help(3, 1, 0)
    (0.5, 0.0, 1.0, 0.25)
    """
    n_left = max(n_wanted - n_helped - n_blind, 1)
    return min(max((max(n_wanted, n_helped + n_blind + 1) / 2 - n_helped) / n_left, 0.0), 1.0)


def with_origins(
    sets: Sequence[RationaleSet], steps: Mapping[frozenset[int], HelpStep], starting: Collection[frozenset[int]] = (), *,
    is_given: bool,
) -> tuple[RationaleSet, ...]:  # fmt: skip
    """Sets that were handed in, each with what help had to do with it.

    steps: of the sets that were shown, by their tokens, the last; starting: what lay there; is_given: whether any help was
    A set with the tokens of a proposed one is that one, also where it was marked by hand.
    """
    taken = [tokens for tokens, step in steps.items() if step in {"accepted", "edited"}]

    def origin(tokens: frozenset[int]) -> HelpOrigin:
        if tokens in steps:
            return "accepted"
        if tokens in starting:
            return "carried"
        if any(tokens & before for before in (*taken, *starting)):
            return "edited"
        return "free-after-help" if is_given else "free"

    return tuple(replace(each, origin=origin(frozenset(each.token_indices))) for each in sets)


def corrected_origins(
    sets: Sequence[RationaleSet], before: Sequence[RationaleSet], origins: Sequence[int | None], *, is_given: bool
) -> tuple[RationaleSet, ...]:
    """The sets of a correction: one that goes on as it was keeps its origin; one that was changed is edited if it was helped.

    before: the sets of the round before; origins: for each set, which of them it goes on from
    """
    was_helped = is_given or any(each.origin not in {"free", None} for each in before)
    is_known = all(each.origin is not None for each in before)

    def origin(rationale_set: RationaleSet, index: int | None) -> HelpOrigin | None:
        previous = None if index is None else before[index]
        same = next((each for each in before if each.token_indices == rationale_set.token_indices), None)
        if same is not None:
            return same.origin
        if not is_known:
            return None
        if previous is not None and previous.origin in {"accepted", "edited", "carried"}:
            return "edited"
        return "free-after-help" if was_helped else "free"

    padded = (*origins, *[None] * len(sets))[: len(sets)]
    return tuple(replace(each, origin=origin(each, index)) for each, index in zip(sets, padded, strict=True))


@dataclass(frozen=True, slots=True)
class ProposedSet:
    """One proposed set.

    name:  what it is counted under: the kind of a changed version, the word list, or the model
    title: what the annotator reads; notes: what they should know before they accept it
    """

    source: ProposedSource
    name: str
    rationale_set: RationaleSet
    title: str
    notes: tuple[str, ...] = ()

    @property
    def first_state(self) -> ProposedState:
        """What it is before anybody said anything: a complement is proposed only on request."""
        return "unasked" if self.source == "complement" else "undecided"


@dataclass(frozen=True, slots=True)
class IgnoredWords:
    """Tokens that ignore lists tell to be no rationale, and the names of these lists."""

    names: tuple[str, ...]
    tokens: RationaleSet


@dataclass(frozen=True, slots=True)
class VersionChange:
    """What a changed version is beside the original whose sets are proposed: its kind, and the results of both."""

    kind: str
    before: str | None
    after: str | None

    @property
    def is_other_result(self) -> bool:
        """Whether the proposed sets supported a result that the changed version does not have."""
        return self.before != self.after

    def sentence(self) -> str:
        """For a person who decides on the proposed sets.

        >>> VersionChange("Contrast", "positive", "negative").sentence()
        'Contrast: positive → negative. What supported “positive” may not support “negative”.'
        """
        before, after = result_words(self.before), result_words(self.after)
        if not self.is_other_result:
            return _("{kind}: {after}, as in the original.", kind=self.kind, after=after)
        return _(
            "{kind}: {before} → {after}. What supported “{before}” may not support “{after}”.",
            kind=self.kind,
            before=before,
            after=after,
        )


def result_words(result: str | None) -> str:
    """A label or an answer, or that there is none."""
    return _("no label") if result is None else result or _("no answer")


@dataclass(frozen=True, slots=True)
class ProposedCount:
    """What became of the sets that one source proposed, in work that was handed in.

    n_suggested: all that were shown, so n_kept + n_rejected + n_undecided; n_kept counts the edited ones too
    """

    source: ProposedSource
    name: str
    n_suggested: int
    n_kept: int
    n_edited: int
    n_rejected: int
    n_undecided: int
