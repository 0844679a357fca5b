"""What a model learns from: instances with their label and rationale sets, as the model's pieces."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input
from annotator.attribution.transformers_encoding import Cutter, Encoded, check_target, encode
from annotator.attribution.transformers_stretches import pieces_of_answer
from annotator.training.answer_places import Place

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Example:
    """An instance to learn from.

    id:   the instance's; key: its name in messages
    label: of a project that asks for answers the answer; "" for none
    sets: the token indices of each of its rationale sets; none where people gave none
    place: where its answer stands; None of a label, of no answer, and of one that does not stand in the text
    """

    id: int
    key: str
    input: Input
    label: str
    sets: tuple[frozenset[int], ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """What a reading model should answer. text: "" for no answer; pieces: the first and last, None where it sees no answer."""

    text: str
    pieces: tuple[int, int] | None
    is_chinese: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An example as a model gets it.

    target: the number of its label; 0 of a reading model
    gold:   bool[n_sets, n_pieces]: which pieces of each set; a piece inherits from the tokens that it touches
    n_lost: rationale tokens that the model does not see, because the text is longer than it takes
    answer: of a reading model
    """

    key: str
    encoded: Encoded
    target: int
    gold: Flags = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    n_lost: int = 0
    answer: GoldAnswer | None = None


def rows_of(
    cutter: Cutter, examples: Sequence[Example], labels: Sequence[str], *, reads_target: bool = False
) -> list[Row]:
    """The examples as pieces.

    Raises: ModelError where a text is longer than the model sees and may not be cut, or has no target that is to be read
    """
    numbers = {label: number for number, label in enumerate(labels)}
    rows = []
    for example in examples:
        encoded = encode(cutter, example.input)
        if reads_target:
            check_target(cutter, encoded)
        tokens = tokens_of_pieces(encoded)
        gold = np.array([[bool(s & set(range(*t))) for t in tokens] for s in example.sets], dtype=np.bool_)
        seen = {token for first, end in tokens for token in range(first, end)}
        n_lost = len(frozenset().union(*example.sets) - seen)
        gold = gold.reshape(len(example.sets), len(tokens))
        rows.append(Row(example.key, encoded, numbers[example.label], gold, n_lost))
    return rows


def answer_rows(cutter: Cutter, examples: Sequence[Example]) -> list[Row]:
    """The examples of a project that asks for answers, as pieces.

    Raises: ModelError where a text is longer than the model sees and may not be cut, or a question leaves no room for one
    """
    rows = []
    for example in examples:
        encoded, stands = encode(cutter, example.input), example.place
        pieces = None if stands is None else pieces_of_answer(encoded, stands.segment, stands.start, stands.end)
        is_chinese = example.input.language.lower().startswith("zh")
        rows.append(Row(example.key, encoded, 0, answer=GoldAnswer(example.label, pieces, is_chinese)))
    return rows


def tokens_of_pieces(encoded: Encoded) -> list[tuple[int, int]]:
    """For each piece the half-open range of tokens that it touches, numbered as in the instance; empty of special pieces.

    A piece of blanks alone touches none.
    """
    first_of: dict[str, int] = {}
    n_before = 0
    for name, body in encoded.bodies.items():
        first_of[name] = n_before
        n_before += body.n_tokens
    ranges = []
    for piece in encoded.pieces:
        if piece.is_special or piece.segment is None or piece.start is None or piece.end is None:
            ranges.append((0, 0))
            continue
        body, first = encoded.bodies[piece.segment], first_of[piece.segment]
        start, end = bisect_right(body.ends, piece.start), bisect_left(body.starts, piece.end)
        ranges.append((first + start, first + max(start, end)))
    return ranges
