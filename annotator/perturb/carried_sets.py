"""The original's rationale sets carried over to a changed version: a proposal, which counts for nothing until confirmed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.domain.texts import RationaleSet, Span, set_letter
from annotator.language import _, several
from annotator.perturb.changes import Change, SegmentChange
from annotator.text.token_diff import Run, moved_tokens

Tokens = dict[int, int]  # place after by place before, both in the instance's numbers


@dataclass(frozen=True, slots=True)
class CarryNote:
    """What somebody should know of a set of the original (`set_index`) before they confirm the proposal.

    empty:   nothing of it is left, so the proposal lacks it
    equal:   it marks the same tokens as an earlier one (`other_index`), so the proposal lacks it
    smaller: `n_lost` of its tokens have no counterpart in the changed text
    """

    kind: Literal["empty", "equal", "smaller"]
    set_index: int
    n_lost: int = 0
    other_index: int | None = None

    def sentence(self) -> str:
        """The note for a person."""
        letter = set_letter(self.set_index)
        if self.kind == "empty":
            return _(
                "Set {letter}: none of its tokens is left in the changed text, so it is not proposed.", letter=letter
            )
        if self.other_index is not None:
            return _(
                "Set {letter}: it now marks the same tokens as set {other}, so it is proposed once.",
                letter=letter,
                other=set_letter(self.other_index),
            )
        return several(
            "Set {letter}: {n} of its tokens is not in the changed text; check that the rest is still sufficient.",
            "Set {letter}: {n} of its tokens are not in the changed text; check that the rest is still sufficient.",
            self.n_lost,
            letter=letter,
        )


@dataclass(frozen=True, slots=True)
class Carried:
    """The proposed sets, none empty and no two equal; origins: for each the number of the original's set, from 0."""

    sets: tuple[RationaleSet, ...]
    origins: tuple[int, ...]
    notes: tuple[CarryNote, ...]


def carry_sets(sets: Sequence[RationaleSet], change: Change, *, fills_gaps: bool = True) -> Carried:
    """The sets of the original in the tokens of the changed version.

    * A kept token keeps its mark, and so does one that only moved elsewhere in its segment.
    * A replaced run of as many tokens carries token by token. One of more or fewer tokens carries as a whole when at least
      half of the tokens that were replaced are marked, and else not at all.
    * A deleted token's mark is lost.
    * Tokens that were inserted between two tokens of one span are marked if `fills_gaps` is set, all stand in one sentence,
      and there are no more of them than the span has; others are not. Use not kind.keeps_rationale: a dispensable word is
      no reason.
    * Nothing goes into another segment, or into one that is not selectable. Spans stay spans; a span that something new now
      interrupts becomes two.

    Source:  our decisions; the papers only say that perturbed examples get rationales of their own
    """
    images = _Images(change, fills_gaps=fills_gaps)
    proposed: list[RationaleSet] = []
    origins: list[int] = []
    notes: list[CarryNote] = []
    first_with: dict[tuple[int, ...], int] = {}
    for number, rationale_set in enumerate(sets):
        spans, n_lost = images.of(rationale_set)
        if not spans:
            notes.append(CarryNote("empty", number, n_lost))
            continue
        carried = RationaleSet(spans)
        if n_lost:
            notes.append(CarryNote("smaller", number, n_lost))
        earlier = first_with.setdefault(carried.token_indices, number)
        if earlier != number:
            notes.append(CarryNote("equal", number, other_index=earlier))
            continue
        proposed.append(carried)
        origins.append(number)
    return Carried(tuple(proposed), tuple(origins), tuple(notes))


class _Images:
    """Where the original's tokens are in the changed version."""

    def __init__(self, change: Change, *, fills_gaps: bool) -> None:
        self._single: Tokens = {}
        self._groups: list[tuple[range, list[int]]] = []  # replaced by more or fewer tokens
        self._group_of: Tokens = {}
        self._insertions: dict[int, list[int]] = {}  # by the token that they stand before
        for segment in change.segments:
            if segment.is_selectable:
                self._add(segment)
                if fills_gaps:
                    self._insertions |= dict(_insertions_within_sentences(segment))

    def _add(self, segment: SegmentChange) -> None:
        base, other_base = segment.first_before, segment.first_after
        moved = (
            moved_tokens(segment.before.tokens(), segment.after.tokens(), segment.diff) if segment.diff.changes else []
        )
        self._single |= {base + i: other_base + j for i, j in moved}
        taken = {other_base + j for _i, j in moved}
        for run in segment.diff.runs:
            before = range(base + run.start, base + run.end)
            after = range(other_base + run.other_start, other_base + run.other_end)
            if run.kind == "kept":
                self._single |= dict(zip(before, after, strict=True))
            elif run.kind == "replaced":
                self._add_replaced(before, after, taken)

    def _add_replaced(self, before: range, after: range, taken: set[int]) -> None:
        free = [token for token in after if token not in taken]
        if len(before) == len(after) == len(free):
            for token, image in zip(before, after, strict=True):
                self._single.setdefault(token, image)
            return
        self._group_of |= {token: len(self._groups) for token in before if token not in self._single}
        self._groups.append((before, free))

    def of(self, rationale_set: RationaleSet) -> tuple[tuple[Span, ...], int]:
        """The set's spans after, and how many of its tokens have no counterpart."""
        marked = set(rationale_set.token_indices)
        n_lost = 0
        for token in marked:
            n_lost += not (token in self._single or self._group_after(token, marked))
        spans: dict[Span, None] = {}
        for span in rationale_set.spans:
            images = {image for token in range(span.start, span.end) for image in self._images_of(token, span, marked)}
            if images:
                spans |= dict.fromkeys(RationaleSet.of_tokens(images).spans)
        return tuple(spans), n_lost

    def _images_of(self, token: int, span: Span, marked: set[int]) -> Iterator[int]:
        """The tokens after that stand for a token of a span, and those inserted between it and the one before."""
        if token in self._single:
            yield self._single[token]
        else:
            yield from self._group_after(token, marked)
        inserted = self._insertions.get(token, []) if token > span.start else []
        if len(inserted) <= span.end - span.start:
            yield from inserted

    def _group_after(self, token: int, marked: set[int]) -> list[int]:
        if token not in self._group_of:
            return []
        before, after = self._groups[self._group_of[token]]
        return after if 2 * sum(other in marked for other in before) >= len(before) else []


def _insertions_within_sentences(segment: SegmentChange) -> Iterator[tuple[int, list[int]]]:
    """Inserted tokens by the token before which they stand, where they and both neighbours are in one sentence."""
    for run in segment.diff.runs:
        if run.kind == "inserted" and 0 < run.start < segment.before.n_tokens and _is_one_sentence(segment, run):
            inserted = range(segment.first_after + run.other_start, segment.first_after + run.other_end)
            yield segment.first_before + run.start, list(inserted)


def _is_one_sentence(segment: SegmentChange, run: Run) -> bool:
    return segment.after.sentence_of(run.other_start - 1) == segment.after.sentence_of(run.other_end)
