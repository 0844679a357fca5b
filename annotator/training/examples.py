"""What a model learns from: instances with their label and rationale sets, as the model's subwords, in batches."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution import transformers_subwords
from annotator.attribution.base import Input
from annotator.attribution.transformers_answer_spans import subwords_of_answer
from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.errors import ModelError

# Where a gold answer stands in the text: people give answers in words, and a model learns them as a place.


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a segment that can be marked, in characters of its text as models get it (no blanks around); half open.

    n: how often the answer stands in the text
    """

    segment: str
    start: int
    end: int
    n: int = 1


def place_of(model_input: Input, answer: str, sets: Sequence[frozenset[int]] = ()) -> Place | None:
    """Where an answer stands; of several places that with the most rationale tokens, then the first. Else None.

    Places that begin and end with tokens come before those inside of words ("8" in "1985"), and equal letters before those
    that differ in case. Blanks may differ. sets: of rationales, in tokens of the instance
    """
    words = answer.split()
    if not words:
        return None
    pattern = r"\s+".join(map(re.escape, words))
    marked = frozenset[int]().union(*sets)
    for flags in (0, re.IGNORECASE):
        stretches = list(_stretches(model_input, pattern, flags, marked))
        of_tokens = [(stretch, n_marked) for stretch, n_marked, is_whole in stretches if is_whole]
        candidates = of_tokens or [(stretch, n_marked) for stretch, n_marked, _ in stretches]
        if candidates:
            best = max(candidates, key=lambda candidate: candidate[1])[0]
            return Place(best.segment, best.start, best.end, len(candidates))
    return None


def _stretches(
    model_input: Input, pattern: str, flags: int, marked: frozenset[int]
) -> Iterator[tuple[Place, int, bool]]:
    """Each place, with the number of its tokens that are marked, and whether it begins and ends with tokens."""
    first_token = 0
    for segment in model_input.segments:
        if not segment.is_selectable:
            continue
        body = transformers_subwords.body_of(segment)
        for match in re.finditer(pattern, body.text, flags):
            tokens = _tokens(body, match.start(), match.end())
            is_whole = match.start() in body.starts and match.end() in body.ends
            yield Place(segment.name, *match.span()), len(marked & {first_token + n for n in tokens}), is_whole
        first_token += body.n_tokens


def _tokens(body: TokenizedText, start: int, end: int) -> list[int]:
    return [n for n, (a, b) in enumerate(zip(body.starts, body.ends, strict=True)) if a < end and b > start]


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
    """What a reading model should answer. text: "" for no answer; subwords: the first and last, None where it sees no answer."""

    text: str
    subwords: tuple[int, int] | None
    is_chinese: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An example as a model gets it.

    target: the number of its label; 0 of a reading model
    gold:   bool[n_sets, n_subwords]: which subwords of each set; a subword inherits from the tokens that it touches
    n_lost: rationale tokens that the model does not see, because the text is longer than it takes
    answer: of a reading model
    """

    key: str
    encoded: transformers_subwords.Encoded
    target: int
    gold: Flags = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    n_lost: int = 0
    answer: GoldAnswer | None = None


def rows_of(
    cutter: transformers_subwords.Cutter,
    examples: Sequence[Example],
    labels: Sequence[str],
    *,
    reads_target: bool = False,
) -> list[Row]:
    """The examples as subwords.

    Raises: ModelError where a text is longer than the model sees and may not be cut, or has no target that is to be read
    """
    numbers = {label: number for number, label in enumerate(labels)}
    rows = []
    for example in examples:
        encoded = transformers_subwords.encode(cutter, example.input)
        if reads_target:
            transformers_subwords.check_target(cutter, encoded)
        tokens = tokens_of_subwords(encoded)
        gold = np.array([[bool(s & set(range(*t))) for t in tokens] for s in example.sets], dtype=np.bool_)
        seen = {token for first, end in tokens for token in range(first, end)}
        n_lost = len(frozenset().union(*example.sets) - seen)
        gold = gold.reshape(len(example.sets), len(tokens))
        rows.append(Row(example.key, encoded, numbers[example.label], gold, n_lost))
    return rows


def answer_rows(cutter: transformers_subwords.Cutter, examples: Sequence[Example]) -> list[Row]:
    """The examples of a project that asks for answers, as subwords.

    Raises: ModelError where a text is longer than the model sees and may not be cut, or a question leaves no room for one
    """
    rows = []
    for example in examples:
        encoded, stands = transformers_subwords.encode(cutter, example.input), example.place
        subwords = None if stands is None else subwords_of_answer(encoded, stands.segment, stands.start, stands.end)
        is_chinese = example.input.language.lower().startswith("zh")
        rows.append(Row(example.key, encoded, 0, answer=GoldAnswer(example.label, subwords, is_chinese)))
    return rows


def tokens_of_subwords(encoded: transformers_subwords.Encoded) -> list[tuple[int, int]]:
    """For each subword the half-open range of tokens that it touches, numbered as in the instance; empty of special subwords.

    A subword of blanks alone touches none.
    """
    first_of: dict[str, int] = {}
    n_before = 0
    for name, body in encoded.bodies.items():
        first_of[name] = n_before
        n_before += body.n_tokens
    ranges = []
    for subword in encoded.subwords:
        if subword.is_special or subword.segment is None or subword.start is None or subword.end is None:
            ranges.append((0, 0))
            continue
        body, first = encoded.bodies[subword.segment], first_of[subword.segment]
        start, end = bisect_right(body.ends, subword.start), bisect_left(body.starts, subword.end)
        ranges.append((first + start, first + max(start, end)))
    return ranges


# Texts that are longer than a model sees: all of them are told at once, by their keys, before anything is learned.


@contextmanager
def told_by_key(cutter: transformers_subwords.Cutter, examples: Sequence[Example]) -> Iterator[None]:
    """While the examples are cut into subwords: instead of the refusal of the first that is too long, one that tells of all.

    Raises: ModelError
    """
    try:
        yield
    except ModelError as error:
        if cutter.too_long != "refuse" or error.reason != transformers_subwords.LONGER:
            raise
        raise _refusal(cutter, examples) from error


def _refusal(cutter: transformers_subwords.Cutter, examples: Sequence[Example]) -> ModelError:
    whole, limit = replace(cutter, limit=None), cutter.limit or 0
    lengths = [(len(transformers_subwords.encode(whole, example.input).ids), example) for example in examples]
    longer = [(n, example) for n, example in lengths if n > limit]
    n, longest = max(longer, key=lambda of: of[0])
    sees = f"the {counted(limit, 'subword')} that the model '{cutter.model_name}' sees"
    if len(longer) == 1:
        which = f"The text '{longest.key}' has {counted(n, 'subword')}, more than {sees}; it is the only one of {len(lengths):,}."
    else:
        many = f"{len(longer):,} of {counted(len(lengths), 'text')}"
        which = f"{many} are longer than {sees}; the longest, '{longest.key}', has {n:,}."
    return ModelError(f"{which} {_remedy(longest)}", reason=transformers_subwords.LONGER)


def _remedy(example: Example) -> str:
    """Windows do not hold both texts of a pair."""
    segments = example.input.segments
    if len(segments) > 1 and all(segment.is_selectable for segment in segments):
        return "Have such texts cut at the end (--too-long cut), or shorten them."
    return "Have such texts cut at the end (--too-long cut) or read in windows (--too-long windows), or shorten them."


# Which examples go together, drawn anew for each epoch from the seed alone, so that a run that was stopped goes on alike.


Tensor = Any  # torch is not imported here: whoever makes one has it


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """Rows side by side, the shorter ones filled up.

    subwords:  as every model of ours is asked
    targets: int64[batch]
    gold:    bool[batch, sets, length]; is_set: bool[batch, sets]
    of_text: bool[batch, length]: subwords of texts, questions included; no special ones
    real:    bool[batch, length]: everything but filling
    answers: of a reading model, the first and last subword of each answer; None for no answer
    """

    keys: tuple[str, ...]
    subwords: transformers_subwords.Batch
    targets: Tensor
    gold: Tensor
    is_set: Tensor
    of_text: Tensor
    answers: tuple[tuple[int, int] | None, ...] = ()

    @property
    def real(self) -> Tensor:
        return self.subwords.mask.bool()


def drawn_batches(rows: Sequence[Row], size: int, one_in: int | None, seed: int, epoch: int) -> list[list[int]]:
    """The numbers of the rows that go together in an epoch.

    Where fewer rows than one in `one_in` have rationales, that share of each batch has them (at least one), drawn again and
    again, and an epoch is one pass over those that have none (ER-TEST's released code; a third in the paper, A.5). Else an
    epoch is one pass over all, as it is where rationales do not count (one_in None).

    >>> [len(batch) for batch in drawn_batches([], 16, 3, seed=0, epoch=0)]
    []
    """
    generator = np.random.default_rng((seed, epoch))
    with_sets = [number for number, row in enumerate(rows) if len(row.gold)]
    without = [number for number, row in enumerate(rows) if not len(row.gold)]
    if one_in is None or not with_sets or len(with_sets) * one_in >= len(rows):
        return _in_parts(_shuffled(range(len(rows)), generator), size)
    n_with = max(1, size // one_in)
    parts = _in_parts(_shuffled(without, generator), max(1, size - n_with))
    again: list[int] = []
    while len(again) < n_with * len(parts):
        again += _shuffled(with_sets, generator)
    return [part + again[n * n_with : (n + 1) * n_with] for n, part in enumerate(parts)]


def _shuffled(numbers: Sequence[int], generator: np.random.Generator) -> list[int]:
    return [numbers[index] for index in generator.permutation(len(numbers))]


def _in_parts(numbers: Sequence[int], size: int) -> list[list[int]]:
    return [list(numbers[first : first + size]) for first in range(0, len(numbers), size)]


def training_batch(rows: Sequence[Row], tokenizer: Any, device: str) -> TrainingBatch:
    """Rows as one batch on a device."""
    torch = import_module("torch")
    subwords = transformers_subwords.batch_of([row.encoded for row in rows], tokenizer, device)
    n_sets = max((len(row.gold) for row in rows), default=0)
    gold = np.zeros((len(rows), max(1, n_sets), subwords.ids.shape[1]), dtype=np.bool_)
    is_set = np.zeros(gold.shape[:2], dtype=np.bool_)
    of_text = np.zeros(tuple(subwords.ids.shape), dtype=np.bool_)
    for number, row in enumerate(rows):
        of_text[number, : len(row.encoded.sides)] = [side is not None for side in row.encoded.sides]
        gold[number, : len(row.gold), : row.gold.shape[1]] = row.gold
        is_set[number, : len(row.gold)] = True
    return TrainingBatch(
        tuple(row.key for row in rows),
        subwords,
        torch.tensor([row.target for row in rows], device=device),
        torch.tensor(gold, device=device),
        torch.tensor(is_set, device=device),
        torch.tensor(of_text, device=device),
        tuple(None if row.answer is None else row.answer.subwords for row in rows),
    )
