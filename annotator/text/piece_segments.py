"""The places of a model's pieces in one text or over the segments of an instance, by their offsets or by their text."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from annotator.domain.models import Piece
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.piece_forms import FORMS, SPECIAL_TEXTS, Letters, is_special, is_unknown, may_be_dropped
from annotator.text.piece_letters import Range
from annotator.text.piece_places import PieceMismatch, find_pieces, left_over

_GAP = "\n"  # between segments that are read as one text


def locate(pieces: Sequence[Piece], numbers: Sequence[int], text: str, *, is_partial: bool) -> dict[int, Piece]:
    """Some pieces, by number, with their places in one text; those that are special by name are marked so and have none.

    A text may hold what is elsewhere the name of a special piece ("<s>"): where the rest does not fit without, it is text.

    Raises: InvalidValue, naming piece number, piece and the text at that place
    """
    chosen = [number for number in numbers if not is_special(pieces[number])]
    try:
        ranges = _ranges(pieces, chosen, text, is_partial=is_partial)
    except PieceMismatch:
        with_names = [n for n in numbers if not is_special(pieces[n]) or _may_be_text(pieces[n], text)]
        if with_names == chosen:
            raise
        chosen, ranges = with_names, _ranges(pieces, with_names, text, is_partial=is_partial)
    located = {number: _special(pieces[number]) for number in numbers}
    for number, (start, end) in zip(chosen, ranges, strict=True):
        located[number] = replace(pieces[number], start=start, end=end)
    return located


def locate_over(pieces: Sequence[Piece], texts: Mapping[str, str], *, is_partial: bool) -> list[Piece]:
    """The pieces with their segments and places; special ones have neither. texts: by segment, in their order.

    Raises: InvalidValue, naming piece number, piece and the text at that place
    """
    is_named = any(piece.segment for piece in pieces)
    located = (_by_segment if is_named else _by_group)(pieces, texts, is_partial=is_partial)
    return [located.get(number) or _special(piece) for number, piece in enumerate(pieces)]


def _special(piece: Piece) -> Piece:
    return replace(piece, start=None, end=None, is_special=True, segment=None)


def _may_be_text(piece: Piece, text: str) -> bool:
    return not piece.is_special and piece.text in SPECIAL_TEXTS and piece.text != "" and piece.text in text


# One text ------------------------------------------------------------------------------------------------------------


def _ranges(pieces: Sequence[Piece], chosen: Sequence[int], text: str, *, is_partial: bool) -> list[Range]:
    without = [number for number in chosen if pieces[number].start is None]
    if len(without) == len(chosen):
        return find_pieces([pieces[n].text for n in chosen], text, numbers=chosen, is_partial=is_partial)
    if without:
        name = _("Piece {number} {text}", number=without[0], text=f"{pieces[without[0]].text!r}")
        raise InvalidValue(
            _("{name} has no start and end, but others have; give them for all pieces or none.", name=name)
        )
    ranges = [_given_range(number, pieces[number], text) for number in chosen]
    end = max(end for _, end in ranges)
    if not is_partial and not all(may_be_dropped(letter) for letter in Letters.of(text[end:]).letters):
        raise left_over(len(chosen), text, end)
    return ranges


def _given_range(number: int, piece: Piece, text: str) -> Range:
    """The offsets of a piece, if its text can stand there."""
    start, end = cast(int, piece.start), cast(int, piece.end)
    said_range = _(
        "Piece {number} {text} is said to be at characters {start} to {end}",
        number=number,
        text=f"{piece.text[:40]!r}",
        start=start,
        end=end,
    )
    if not 0 <= start <= end <= len(text):
        raise PieceMismatch(
            _(
                "{said_range}, but its text has {characters}.",
                said_range=said_range,
                characters=counted(len(text), "character"),
            ),
            number,
        )
    if not _agrees(piece.text, text[start:end]):
        stands = _("where {text} stands", text=f"{text[start:end][:40]!r}")
        raise PieceMismatch(
            _(
                "{said_range}, {stands}; offsets count the code points of the segment's text.",
                said_range=said_range,
                stands=stands,
            ),
            number,
        )
    return start, end


def _agrees(piece: str, given: str) -> bool:
    """Whether a piece can be what stands at its offsets: the same, or a part of it, in one of the forms."""
    if piece == given or is_unknown(piece):
        return True
    letters = _core(given)
    for form in FORMS:
        reading = form.letters(piece)
        core = _core(reading if isinstance(reading, str) else reading.decode("utf-8", "ignore"))
        if core in letters:
            return True
    return False


def _core(text: str) -> str:
    return "".join(letter for letter in Letters.of(text).letters if not may_be_dropped(letter))


# Several segments ----------------------------------------------------------------------------------------------------


def _by_segment(pieces: Sequence[Piece], texts: Mapping[str, str], *, is_partial: bool) -> dict[int, Piece]:
    """Each piece in the segment that it names."""
    of_segments: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        if piece.segment in texts:
            of_segments.setdefault(cast(str, piece.segment), []).append(number)
        elif piece.segment or not is_special(piece):
            says = (
                _("names the segment '{segment}'", segment=piece.segment)
                if piece.segment
                else _("names no segment, but others do")
            )
            raise InvalidValue(
                _(
                    "Piece {number} {text} {says}; the instance has {texts}.",
                    number=number,
                    text=f"{piece.text!r}",
                    says=says,
                    texts=", ".join(texts),
                )
            )
    located: dict[int, Piece] = {}
    for name, numbers in of_segments.items():
        if len(texts) > 1 and all(is_special(pieces[number]) for number in numbers):
            continue
        located.update(locate(pieces, numbers, texts[name], is_partial=is_partial))
    return located


def _by_group(pieces: Sequence[Piece], texts: Mapping[str, str], *, is_partial: bool) -> dict[int, Piece]:
    """Each run of pieces between special ones in the segment that it fits; if that fails, all of them in a row."""
    groups: list[list[int]] = [[]]
    for number, piece in enumerate(pieces):
        if is_special(piece):
            groups.append([])
        else:
            groups[-1].append(number)
    groups = [group for group in groups if group]
    has_offsets = any(pieces[number].start is not None for group in groups for number in group)
    try:
        return _assigned(pieces, groups, texts, is_partial=is_partial and (has_offsets or len(groups) > 1))
    except PieceMismatch as fault:
        if has_offsets:
            raise
        try:
            return _in_a_row(pieces, texts, is_partial=is_partial)
        except PieceMismatch as other_fault:
            raise (fault if len(groups) > 1 else other_fault) from None


def _assigned(
    pieces: Sequence[Piece], groups: Sequence[Sequence[int]], texts: Mapping[str, str], *, is_partial: bool
) -> dict[int, Piece]:
    """Groups that fit a segment whole take it first, then, if pieces may end early, those that fit its beginning."""
    located: dict[int, Piece] = {}
    free, waiting = dict(texts), list(groups)
    faults: list[PieceMismatch] = []
    for may_end_early in (False, True) if is_partial else (False,):
        trying, waiting, faults = waiting, [], []
        for group in trying:
            try:
                name, fitted = _first_fit(pieces, group, free, is_partial=may_end_early)
            except PieceMismatch as fault:
                waiting.append(group)
                faults.append(fault)
                continue
            del free[name]
            located |= {n: piece if piece.is_special else replace(piece, segment=name) for n, piece in fitted.items()}
    if faults:
        raise faults[0]
    return located


def _first_fit(
    pieces: Sequence[Piece], group: Sequence[int], texts: Mapping[str, str], *, is_partial: bool
) -> tuple[str, dict[int, Piece]]:
    """The first text that a group fits, with the places in it; raises the fault of the text that it fits longest."""
    reason = _(
        "There are more parts between special pieces than segments: no text is left for piece {group}.", group=group[0]
    )
    farthest = PieceMismatch(f"{reason[:-1]} {pieces[group[0]].text!r}.", -1)
    for name, text in texts.items():
        try:
            return name, locate(pieces, group, text, is_partial=is_partial)
        except PieceMismatch as fault:
            if fault.piece > farthest.piece:
                farthest = fault
    raise farthest


def _in_a_row(pieces: Sequence[Piece], texts: Mapping[str, str], *, is_partial: bool) -> dict[int, Piece]:
    """All pieces matched with the segments' texts one after the other; the last segments may be missing as a whole."""
    names = list(texts)
    for n_segments in range(len(names), 0, -1):
        chosen = names[:n_segments]
        joined = _GAP.join(texts[name] for name in chosen)
        try:
            located = locate(pieces, range(len(pieces)), joined, is_partial=is_partial)
        except PieceMismatch:
            if n_segments == 1 or is_partial:
                raise
            continue
        return {number: _moved(piece, chosen, texts) for number, piece in located.items()}
    raise InvalidValue(_("The instance has no segment."))


def _moved(piece: Piece, names: Sequence[str], texts: Mapping[str, str]) -> Piece:
    """A piece of texts that are read as one, in its own segment: that of its first character."""
    if piece.is_special or piece.start is None or piece.end is None:
        return piece
    starts = [0]
    for name in names[:-1]:
        starts.append(starts[-1] + len(texts[name]) + len(_GAP))
    number = bisect_right(starts, piece.start) - 1
    name, begin = names[number], starts[number]
    longest = len(texts[name])
    return replace(piece, start=min(piece.start - begin, longest), end=min(piece.end - begin, longest), segment=name)
