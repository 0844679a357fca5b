"""What the token panel draws dashed: proposed sets and ignored words. The field names are those of docs/panel.md."""

from dataclasses import dataclass

from annotator.domain.proposed_sets import ProposedSource
from annotator.domain.texts import RationaleSet
from annotator.usecases.annotate.proposals import Offer

Pairs = tuple[tuple[int, int], ...]


def pairs_of(rationale_set: RationaleSet) -> Pairs:
    """A set's spans as pairs of token indices."""
    return tuple((span.start, span.end) for span in rationale_set.spans)


@dataclass(frozen=True, slots=True)
class ShownProposedSet:
    """A set that is proposed; id: by which the draft answers it."""

    id: int
    source: ProposedSource
    name: str
    title: str
    spans: Pairs
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownIgnored:
    """Words that are told to be no rationale."""

    names: tuple[str, ...]
    spans: Pairs


@dataclass(frozen=True, slots=True)
class ShownChange:
    """What the text is beside the original whose sets are proposed, in a sentence."""

    words: str
    is_other_result: bool


@dataclass(frozen=True, slots=True)
class ShownProposals:
    """The answer of the route `proposed`."""

    proposals: tuple[ShownProposedSet, ...]
    ignored: ShownIgnored | None
    notes: tuple[str, ...]
    change: ShownChange | None


def show_proposals(offer: Offer) -> ShownProposals:
    """What is proposed for a piece of work."""
    proposals = offer.proposals
    ignored = (
        None if proposals.ignored is None else ShownIgnored(proposals.ignored.names, pairs_of(proposals.ignored.tokens))
    )
    sets = (
        ShownProposedSet(
            number, proposed.source, proposed.name, proposed.title, pairs_of(proposed.rationale_set), proposed.notes
        )
        for number, proposed in zip(offer.numbers, proposals.sets, strict=True)
    )
    change = (
        None if proposals.change is None else ShownChange(proposals.change.sentence(), proposals.change.is_other_result)
    )
    return ShownProposals(tuple(sets), ignored, proposals.notes, change)
