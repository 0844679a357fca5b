"""A changed version of a text: the change itself, what stays of it, and the rationale sets carried over to it."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from annotator.domain.instances import Instance, Segment
from annotator.domain.perturbations import ChangedText
from annotator.domain.texts import RationaleSet, Span, TokenizedText, set_letter, union_of_tokens
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, unknown
from annotator.text.edits import Edit
from annotator.text.token_diff import Run, TokenDiff, diff_tokens, moved_tokens, tokenise_like

# The token diff of a text whose edits are known: what no edit touches is kept, whatever else a diff could find.


def diff_of_edits(before: TokenizedText, edits: Sequence[Edit], after: TokenizedText) -> TokenDiff:
    """The diff of a text and of what its edits made of it.

    A text alone does not say which "very" of "very very good" is new; its edits do. Edits are in order and do not overlap.
    """
    old, new = before.tokens(), after.tokens()
    runs: list[Run] = []
    i = j = 0
    for start, other in [*_untouched(before, edits, after), (len(old), len(new))]:
        between = diff_tokens(old[i:start], new[j:other])
        runs += [Run(r.kind, r.start + i, r.end + i, r.other_start + j, r.other_end + j) for r in between.runs]
        if start < len(old):
            runs.append(Run("kept", start, start + 1, other, other + 1))
        i, j = start + 1, other + 1
    return TokenDiff(tuple(_merged(runs)), len(old), len(new))


def _untouched(before: TokenizedText, edits: Sequence[Edit], after: TokenizedText) -> Iterator[tuple[int, int]]:
    """Tokens that no edit touches and that are still tokens, with their place after."""
    index_of_token = {
        (start, end): index for index, (start, end) in enumerate(zip(after.starts, after.ends, strict=True))
    }
    starts = [edit.start for edit in edits]
    shifts = list(accumulate((len(e.replacement) - (e.end - e.start) for e in edits), initial=0))
    for number, (start, end) in enumerate(zip(before.starts, before.ends, strict=True)):
        n_before = bisect_right(starts, start)
        # An edit that starts where the token does moves it when it is an insertion, and else touches it.
        if n_before and edits[n_before - 1].end > start:
            continue
        if n_before < len(edits) and edits[n_before].start < end:
            continue
        shift = shifts[n_before]
        index = index_of_token.get((start + shift, end + shift))
        if index is not None and start < end:
            yield number, index


def _merged(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs of one kind that touch as one; what was deleted and inserted in one place is replaced."""
    last: Run | None = None
    for run in runs:
        if last is None:
            last = run
        elif last.kind == run.kind != "replaced":
            last = Run(run.kind, last.start, run.end, last.other_start, run.other_end)
        elif {last.kind, run.kind} == {"deleted", "inserted"}:
            last = Run("replaced", last.start, run.end, last.other_start, run.other_end)
        else:
            yield last
            last = run
    if last is not None:
        yield last


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
        """Edited tokens / (edited + kept tokens): 0 nothing, 1 everything; None without any token.

        Over the segments that can be marked, and others (a question, say) only where they were edited.
        Source:  ER-TEST's edited tokens / all; how to count a replacement by more or fewer tokens is our decision
        """
        n_all = self.n_edited + sum(s.diff.n_kept for s in self.segments if s.is_selectable or s.diff.n_edited)
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
                "The original has segments {before}, the perturbed version {after}.",
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


# The original's rationale sets carried over to a changed version: a proposal, which counts for nothing until confirmed.


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
            return _("Set {letter} has no tokens left and isn't proposed.", letter=letter)
        if self.other_index is not None:
            return _(
                "Set {letter} equals set {other}; proposed once.", letter=letter, other=set_letter(self.other_index)
            )
        return several(
            "Set {letter}: {n} token is gone; check the rest.",
            "Set {letter}: {n} tokens are gone; check the rest.",
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


# The instance that a changed version would be.


LONGEST_TEXT = 200_000


def changed_instance(instance: Instance, changed: ChangedText) -> Instance:
    """The changed version as an instance that is not stored (id 0); raises InvalidValue for other segments."""
    names = {segment.name for segment in instance.segments}
    if others := sorted(set(changed.texts) - names):
        raise InvalidValue(unknown(_("name"), others[0], listed(sorted(names))))
    segments = []
    for segment in instance.segments:
        text = changed.texts.get(segment.name, segment.body.text)
        check_length(segment.name, text)
        same = text == segment.body.text
        body = segment.body if same else tokenise_like(segment.body, text, instance.language)
        segments.append(Segment(segment.name, segment.is_selectable, body))
    return Instance(
        0, instance.key, instance.split, instance.language, tuple(segments), changed.result,
        parent_key=instance.key, perturbation_kind=changed.kind,
    )  # fmt: skip


def check_length(name: str, text: str) -> None:
    """Raise InvalidValue for a text that is too long."""
    if len(text) > LONGEST_TEXT:
        raise InvalidValue(_("{name} has at most {most} characters.", name=name, most=f"{LONGEST_TEXT:,}"))
