"""Sets that are proposed to whoever is about to annotate: they count for nothing until somebody accepts them."""

from dataclasses import dataclass
from typing import Literal

from annotator.domain.texts import RationaleSet
from annotator.language import _

# carried: the original's gold in a changed version; lexicon: the words of a keep list; complement: all but those of ignore lists
ProposedSource = Literal["carried", "lexicon", "complement"]
# unasked: a complement that nobody asked for; edited: accepted, and changed before it was handed in
ProposedState = Literal["unasked", "undecided", "accepted", "edited", "rejected"]


@dataclass(frozen=True, slots=True)
class ProposedSet:
    """One proposed set.

    name:  what it is counted under: the kind of a changed version, or the word list
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
        before, after = _shown(self.before), _shown(self.after)
        if not self.is_other_result:
            return _("{kind}: {after}, as in the original.", kind=self.kind, after=after)
        return _(
            "{kind}: {before} → {after}. What supported “{before}” may not support “{after}”.",
            kind=self.kind,
            before=before,
            after=after,
        )


def _shown(result: str | None) -> str:
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
