"""What a model learns from: instances with their label and rationale sets, as the model's pieces."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input
from annotator.attribution.transformers_encoding import Cutter, Encoded, check_target, encode

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Example:
    """An instance to learn from.

    id:   the instance's; key: its name in messages
    sets: the token indices of each of its rationale sets; none where people gave none
    """

    id: int
    key: str
    input: Input
    label: str
    sets: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """An example as a model gets it.

    target: the number of its label
    gold:   bool[n_sets, n_pieces]: which pieces of each set; a piece inherits from the tokens that it touches
    n_lost: rationale tokens that the model does not see, because the text is longer than it takes
    """

    key: str
    encoded: Encoded
    target: int
    gold: Flags = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    n_lost: int = 0


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
