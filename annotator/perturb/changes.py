"""What a changed version of an instance changes: token by token, how much, and how much of it inside the rationale."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.instances import Segment
from annotator.domain.texts import RationaleSet, TokenizedText, union_of_tokens
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.perturb.edited_tokens import diff_of_edits
from annotator.text.edits import Edit
from annotator.text.token_diff import TokenDiff, diff_tokens


@dataclass(frozen=True, slots=True)
class SegmentChange:
    """One segment before and after; first_before, first_after: the instance's index of its first token."""

    name: str
    is_selectable: bool
    before: TokenizedText
    after: TokenizedText
    first_before: int
    first_after: int
    diff: TokenDiff


@dataclass(frozen=True, slots=True)
class Change:
    """All segments of an instance, in numbering order, those that are equal too."""

    segments: tuple[SegmentChange, ...]

    @property
    def is_no_op(self) -> bool:
        """Whether nothing was changed but white space (or the way accents are coded)."""
        return all(visible(segment.before.text) == visible(segment.after.text) for segment in self.segments)

    @property
    def is_empty(self) -> bool:
        """Whether no token of the selectable segments is left."""
        return not any(segment.after.n_tokens for segment in self.segments if segment.is_selectable)

    @property
    def n_edited(self) -> int:
        """Edited tokens over all segments; a token replaced by one token counts once."""
        return sum(segment.diff.n_edited for segment in self.segments)

    @property
    def minimality(self) -> float | None:
        """Edited tokens / (edited + kept tokens), over all segments: 0 nothing, 1 everything; None without any token.

        Source:  ER-TEST's edited tokens / all; how to count a replacement by more or fewer tokens is our decision
        """
        n_all = self.n_edited + sum(segment.diff.n_kept for segment in self.segments)
        return self.n_edited / n_all if n_all else None

    def n_edited_inside(self, sets: Sequence[RationaleSet]) -> int:
        """Of the edited tokens those inside the original's rationale, the union of its sets.

        A deleted or replaced token is inside when it is marked; a token that was inserted, or that a replacement has more
        than there was, when its neighbours (before: those of the run) are all marked.
        """
        marked = union_of_tokens(sets)
        return sum(_n_inside(segment, marked) for segment in self.segments)

    def share_inside(self, sets: Sequence[RationaleSet]) -> float | None:
        """Edited tokens inside the original's rationale / edited tokens; None where nothing was edited."""
        return self.n_edited_inside(sets) / self.n_edited if self.n_edited else None


def compare(
    before: Sequence[Segment], after: Sequence[Segment], edits: Mapping[str, Sequence[Edit]] | None = None
) -> Change:
    """The original's segments beside those of the changed version, both in numbering order.

    edits: by segment name, where it is known how the text after was made of the text before; else a diff finds out
    Raises:  InvalidValue when the two do not have the same segments
    """
    if [(s.name, s.is_selectable) for s in before] != [(s.name, s.is_selectable) for s in after]:
        raise InvalidValue(
            _(
                "The original has the segments {before}, the changed version {after}. A changed version has the segments "
                "of its original.",
                before=listed([s.name for s in before]),
                after=listed([s.name for s in after]),
            )
        )
    segments: list[SegmentChange] = []
    first_before = first_after = 0
    for original, other in zip(before, after, strict=True):
        known = edits.get(original.name) if edits else None
        diff = (
            diff_tokens(original.body.tokens(), other.body.tokens())
            if known is None
            else diff_of_edits(original.body, known, other.body)
        )
        segments.append(
            SegmentChange(
                original.name, original.is_selectable, original.body, other.body, first_before, first_after, diff
            )
        )
        first_before += original.body.n_tokens
        first_after += other.body.n_tokens
    return Change(tuple(segments))


def visible(text: str) -> str:
    r"""The text without white space and with accents coded one way: equal for two texts that differ in nothing else.

    >>> visible("a  b\n") == visible("ab"), visible("cafe\u0301") == visible("caf\u00e9")
    (True, True)
    """
    return unicodedata.normalize("NFC", "".join(text.split()))


def _n_inside(segment: SegmentChange, marked: frozenset[int]) -> int:
    n_inside = 0
    for run in segment.diff.changes:
        first = segment.first_before + run.start
        tokens = range(first, first + run.n_before) or (first - 1, first)
        n_marked = sum(token in marked for token in tokens)
        if run.n_before:
            n_inside += n_marked
        if n_marked == len(tokens):
            n_inside += max(0, run.n_after - run.n_before)
    return n_inside
