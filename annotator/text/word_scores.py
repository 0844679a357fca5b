"""Sub-words into words: the scores of a model's pieces as one score a token of a segment.

Where the pieces have offsets, those decide; else each piece must be the next thing in the text (text/piece_places.py).
A piece over several tokens is split by length (in characters that a model sees), and its parts are then pieces like any
other. A blank piece goes to the token after it, at the end to the last. Special pieces are in no token's score.

Source: summing keeps the completeness of integrated gradients and Shapley values, and is what Wang et al. 2022 (B.2) and
        Stevens and Su 2021 (Equation 1) do; signed max is the default of inseq and Thermostat
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from annotator.domain.models import Piece
from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.letters import core_of, starts_within_edge
from annotator.text.piece_forms import may_be_dropped
from annotator.text.piece_segments import locate, locate_over

How = Literal["sum", "mean", "signed max"]
HOWS: tuple[How, ...] = cast("tuple[How, ...]", get_args(How))


@dataclass(frozen=True, slots=True)
class Merged:
    """Scores by token, and the pieces they come from.

    scores: float[n_tokens]; 0 for a token that no piece touches; NaN for those after the last piece of a partial text,
            and for a segment that no piece goes to
    pieces: each piece with its place, whether it is special (then without a place), and its score, in the given order
    """

    scores: tuple[float, ...]
    pieces: tuple[tuple[Piece, float], ...]

    @property
    def n_special(self) -> int:
        """How many pieces stand for nothing in the text."""
        return sum(piece.is_special for piece, _ in self.pieces)

    @property
    def special_share(self) -> float | None:
        """The share of all |score| that special pieces have; None where all scores are 0."""
        total = math.fsum(abs(score) for _, score in self.pieces)
        return math.fsum(abs(score) for piece, score in self.pieces if piece.is_special) / total if total else None


def merge_pieces(
    pieces: Sequence[Piece],
    scores: Sequence[float],
    body: TokenizedText,
    how: How = "sum",
    *,
    is_partial: bool = False,
) -> Merged:
    """One score a token of one segment.

    is_partial: the pieces may end before the text
    Raises:     InvalidValue, naming piece number, piece and the text at that place
    >>> body = TokenizedText("that cat", (0, 5), (4, 8), (0,))
    >>> merge_pieces([Piece("[CLS]"), Piece("t"), Piece("##hat"), Piece("cat")], [.5, .25, .5, .125], body).scores
    (0.75, 0.125)
    """
    _check(pieces, scores, how)
    by_number = locate(pieces, range(len(pieces)), body.text, is_partial=is_partial)
    located = [(by_number[number], score) for number, score in enumerate(scores)]
    return Merged(_by_token(located, body, how, is_partial=is_partial), tuple(located))


def merge_over_segments(
    pieces: Sequence[Piece],
    scores: Sequence[float],
    bodies: Mapping[str, TokenizedText],
    how: How = "sum",
    *,
    is_partial: bool = False,
    are_edges_open: bool = False,
) -> Merged:
    """One score a token of several segments, numbered through them in their order.

    Pieces go to the segment that they name. Where none is named, what stands between special pieces ([SEP], </s>) goes to
    the first segment that it fits, in any order; without special pieces between them, segments follow each other.

    are_edges_open: the pieces of a single segment may lack punctuation at the ends of its text, whose tokens then have 0
    Raises: InvalidValue, naming piece number, piece and the text at that place
    """
    _check(pieces, scores, how)
    if len(bodies) == 1:
        pieces = [replace(piece, segment=piece.segment or next(iter(bodies))) for piece in pieces]
    texts = {name: body.text for name, body in bodies.items()}
    locate_all = _locate_with_open_edges if are_edges_open and len(texts) == 1 else locate_over
    located = locate_all(pieces, texts, is_partial=is_partial)
    by_token: list[float] = []
    for name, body in bodies.items():
        of_segment = [(p, s) for p, s in zip(located, scores, strict=True) if p.segment == name and not p.is_special]
        if of_segment:
            by_token += _by_token(of_segment, body, how, is_partial=is_partial)
        else:
            by_token += [math.nan] * body.n_tokens
    return Merged(tuple(by_token), tuple(zip(located, scores, strict=True)))


def _locate_with_open_edges(pieces: Sequence[Piece], texts: Mapping[str, str], *, is_partial: bool) -> Sequence[Piece]:
    """The pieces in the one text, which may have punctuation before the first and after the last; raises the first fault."""
    [(name, text)] = texts.items()
    fault: InvalidValue | None = None
    for start in starts_within_edge(text):
        try:
            located = locate_over(pieces, {name: text[start:]}, is_partial=True)
        except InvalidValue as error:
            fault = fault or error
            continue
        reached = max((piece.end for piece in located if piece.end is not None), default=0)
        if is_partial or not core_of(text[start + reached :]):
            return [_moved(piece, start) for piece in located]
    raise fault or InvalidValue(_("The pieces end before the text."))


def _moved(piece: Piece, start: int) -> Piece:
    """A piece of a text that was read from a character on, in the whole text."""
    if piece.start is None or piece.end is None:
        return piece
    return replace(piece, start=piece.start + start, end=piece.end + start)


def _check(pieces: Sequence[Piece], scores: Sequence[float], how: str) -> None:
    if how not in HOWS:
        raise InvalidValue(
            _("Scores cannot be merged by '{how}'. Choose one of {hows}.", how=how, hows=", ".join(HOWS))
        )
    if len(pieces) != len(scores):
        raise InvalidValue(
            _(
                "Got {pieces}, but {scores}; each piece has one score.",
                pieces=counted(len(pieces), "piece"),
                scores=counted(len(scores), "score"),
            )
        )
    for number, piece in enumerate(pieces):
        if (piece.start is None) != (piece.end is None):
            raise InvalidValue(
                _(
                    "Piece {number} {text} has only one of start and end; give both or none.",
                    number=number,
                    text=f"{piece.text!r}",
                )
            )


def _by_token(
    located: Sequence[tuple[Piece, float]], body: TokenizedText, how: How, *, is_partial: bool
) -> tuple[float, ...]:
    parts: list[list[float]] = [[] for _ in range(body.n_tokens)]
    reached = 0
    for piece, score in located:
        if not piece.is_special and piece.start is not None and piece.end is not None:
            reached = max(reached, piece.end)
            for token, share in _shares(piece.start, piece.end, body):
                parts[token].append(score * share)
    join = _JOINED[how]
    return tuple(
        join(of_token) if of_token else math.nan if is_partial and start >= reached else 0.0
        for of_token, start in zip(parts, body.starts, strict=True)
    )


_JOINED: dict[How, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": lambda parts: math.fsum(parts) / len(parts),
    "signed max": lambda parts: max(parts, key=abs),  # the first of equals
}


def _shares(start: int, end: int, body: TokenizedText) -> list[tuple[int, float]]:
    """The tokens under a range of characters, and how much of it each has; what is under none goes to the next token."""
    if not body.n_tokens:
        return []
    first = bisect_right(body.ends, start)
    under = []
    for token in range(first, body.n_tokens):
        if body.starts[token] >= end:
            break
        under.append((token, body.text[max(start, body.starts[token]) : min(end, body.ends[token])]))
    for length_of in (_n_seen, len):
        lengths = [(token, length_of(part)) for token, part in under]
        total = sum(length for _, length in lengths)
        if total:
            return [(token, length / total) for token, length in lengths if length]
    return [(min(first, body.n_tokens - 1), 1.0)]


def _n_seen(text: str) -> int:
    """How many characters a model sees: no blanks, no control and format characters, no marks on a letter."""
    return sum(not character.isspace() and not may_be_dropped(character) for character in text)
