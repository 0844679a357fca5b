"""Between tokens and a model's subwords: texts with their subwords, batches, scores merged over tokens, windows of long texts.

What stands around what can be marked ([CLS], [SEP], a question) is in every window. Each subword of the text is kept by the one
window in whose middle it lies, so that it was read with context on both sides; the first and last window also keep their
outer edge.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import accumulate
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input, SegmentTokens, TooLong
from annotator.domain.models import Subword
from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.text.subword_scores import How, Merged, merge_over_segments

Tensor = Any  # torch is not imported here: whoever makes one has it
EmptyText = Literal["", "bos", "eos", "pad", "uniform"]

JOIN = "\n"  # between segments that a model gets as one text
_subword = lru_cache(2**14)(Subword)  # the inputs of which a token is removed share nearly all of theirs
_LEAST_ROOM = 4  # at least a fourth of what the model sees has to be left for what can be marked
LONGER = "longer than the model sees"


@dataclass(frozen=True, slots=True)
class Cutter:
    """How a model's texts become subwords.

    limit:          how many subwords the model sees; None: any number
    question_first: what cannot be marked (question, query) is the first text of a pair, as reading models want it
    empty_text:     what stands for a text of which no subword is left; see `empty_text_of`
    has_windows:    a long text may be read in windows
    beside:         what else takes room, in words that follow the limit
    has_sentences:  the model is told which sentence each subword is of
    """

    tokenizer: Any
    model_name: str
    limit: int | None
    too_long: TooLong = "refuse"
    question_first: bool = False
    empty_text: EmptyText = ""
    has_windows: bool = True
    beside: str = ""
    has_sentences: bool = False


@dataclass(frozen=True, slots=True)
class Encoded:
    """An input as subwords.

    Shapes: ids, types, sides, offsets, subwords [n_subwords], 0 only where nothing could stand for a text without words;
            sides: 0 and 1 for the first and second text, None for special subwords; offsets: characters of that text;
            texts: the one or two that the model gets
    bodies:   the segments' texts, in the instance's order
    question: the side that cannot be marked; None if there is none
    read_at:  the first subword of the target; None without one, or where it was cut off
    sentences: of each subword the number of its sentence, through all segments; None where the model is not told
    """

    ids: tuple[int, ...]
    types: tuple[int, ...] | None
    sides: tuple[int | None, ...]
    offsets: tuple[tuple[int, int], ...]
    subwords: tuple[Subword, ...]
    texts: tuple[str, ...]
    bodies: Mapping[str, TokenizedText]
    question: int | None
    n_selectable: int
    is_cut: bool
    read_at: int | None = None
    sentences: tuple[int, ...] | None = None

    @property
    def may_answer(self) -> list[bool]:
        """Of each subword whether it is of the text that can be marked."""
        return [side is not None and side != self.question for side in self.sides]

    @property
    def shown(self) -> str:
        """The beginning of the input, to name it in a message."""
        text = " ".join(body.text for body in self.bodies.values())
        return repr(text if len(text) <= 50 else text[:50] + "…")


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs side by side, the shorter ones filled up.

    Shapes: ids, mask, types int64[batch, length]; may_answer bool[batch, length], the subwords of a text that can be marked;
            read_at int64[batch], the first subword of each target, None where not all have one; sentences int64[batch, length]
    """

    ids: Tensor
    mask: Tensor
    types: Tensor | None
    may_answer: Tensor
    read_at: Tensor | None = None
    sentences: Tensor | None = None

    def arguments(self) -> dict[str, Tensor]:
        """What the model is called with; the mask always, so that a neighbour's length changes nothing."""
        given = {"input_ids": self.ids, "attention_mask": self.mask}
        return given if self.types is None else {**given, "token_type_ids": self.types}


def body_of(segment: SegmentTokens) -> TokenizedText:
    """A segment's text as a model gets it (no blanks around), with the places of its tokens."""
    text, starts, ends = "", [], []
    for token, space in zip(segment.tokens, segment.spaces, strict=True):
        starts.append(len(text))
        ends.append(len(text) + len(token))
        text += token + space
    stripped = text.strip()
    before = len(text) - len(text.lstrip()) if stripped else 0

    if before or (ends and ends[-1] > len(stripped)):
        starts = [min(max(position - before, 0), len(stripped)) for position in starts]
        ends = [min(max(position - before, 0), len(stripped)) for position in ends]
    numbers = segment.sentences
    borders = [n for n in range(1, len(numbers)) if numbers[n] != numbers[n - 1]]
    return TokenizedText(stripped, tuple(starts), tuple(ends), (0, *borders) if starts else ())


# Subwords --------------------------------------------------------------------------------------------------------------


def empty_text_of(tokenizer: Any) -> EmptyText:
    """What stands for a text without words: nothing where the tokenizer puts subwords of its own around every text ([CLS], BOS).

    Else, as decoders without such subwords would be asked about nothing at all, its subword for the beginning, the end or the
    padding of texts, in this order; "uniform", all labels equally likely, where it has none of these.
    """
    if tokenizer("")["input_ids"]:
        return ""
    roles: tuple[Literal["bos", "eos", "pad"], ...] = ("bos", "eos", "pad")
    return next((role for role in roles if getattr(tokenizer, f"{role}_token_id") is not None), "uniform")


def encode(cutter: Cutter, model_input: Input) -> Encoded:
    """The subwords of an input.

    One selectable segment is a text, two are a pair; where there is something that cannot be marked (a question), that is
    one text and all that can be marked the other.

    What is read in windows stands here whole, whatever its length.

    Raises: ModelError when the model takes no such input, or does not see all of it and it may not be cut
    """
    bodies = {segment.name: body_of(segment) for segment in model_input.segments}
    groups, question = _groups(model_input, bodies, cutter)
    texts = [JOIN.join(bodies[name].text for name in group) for group in groups]
    cut = cut_into_subwords(cutter, texts, question, shortened=False)
    if not cut["input_ids"]:
        return _without_words(cutter, texts, bodies, question, model_input.n_selectable)
    is_long = cutter.limit is not None and len(cut["input_ids"]) > cutter.limit
    if is_long and cutter.too_long == "refuse":
        raise too_long(cutter, texts, len(cut["input_ids"]))
    if is_long and cutter.too_long == "windows":
        check_windows(cutter, texts, question, cut.sequence_ids(0))
    is_cut = is_long and cutter.too_long == "cut"
    if is_cut:
        check_room(cutter, texts, question, cut.sequence_ids(0), 1)
        cut = cut_into_subwords(cutter, texts, question, shortened=True)
    sides = cut.sequence_ids(0)
    offsets = [tuple(offset) for offset in cut["offset_mapping"]]
    segment_starts = [starts_of_segments(group, bodies) for group in groups]
    subwords = [
        Subword(text, is_special=True) if side is None else placed(text, offset, segment_starts[side])
        for text, side, offset in zip(cut.tokens(0), sides, offsets, strict=True)
    ]
    types = cut.get("token_type_ids")
    return Encoded(
        tuple(cut["input_ids"]), None if types is None else tuple(types), tuple(sides), tuple(offsets), tuple(subwords),
        tuple(texts), bodies, question, model_input.n_selectable, is_cut, _first_subword(model_input, bodies, subwords),
        _sentences(bodies, subwords) if cutter.has_sentences else None,
    )  # fmt: skip


def _sentences(bodies: Mapping[str, TokenizedText], subwords: Sequence[Subword]) -> tuple[int, ...]:
    """The sentence in which each subword begins; 0 of special subwords."""
    first_of = dict(
        zip(bodies, accumulate((len(body.sentence_starts) for body in bodies.values()), initial=0), strict=False)
    )
    starts = {name: [body.starts[token] for token in body.sentence_starts] for name, body in bodies.items()}
    return tuple(
        0 if s.segment is None else first_of[s.segment] + max(0, bisect_right(starts[s.segment], s.start or 0) - 1)
        for s in subwords
    )


def _first_subword(model_input: Input, bodies: Mapping[str, TokenizedText], subwords: Sequence[Subword]) -> int | None:
    """The first subword that touches the input's target."""
    if model_input.target is None:
        return None
    token = model_input.target[0]
    for name, body in bodies.items():
        if token < body.n_tokens:
            start, end = body.starts[token], body.ends[token]
            touching = (
                number
                for number, subword in enumerate(subwords)
                if subword.segment == name and (subword.start or 0) < end and (subword.end or 0) > start
            )
            return next(touching, None)
        token -= body.n_tokens
    return None


def check_target(cutter: Cutter, encoded: Encoded) -> None:
    """Raise ModelError for an input whose target a model of targets cannot read."""
    if encoded.read_at is None:
        values = {"name": cutter.model_name, "text": encoded.shown}
        raise ModelError(
            _("'{name}' sees no target in {text}. Add one, or use windows.", **values),
            reason="without a target that the model sees",
        )


def _without_words(
    cutter: Cutter, texts: Sequence[str], bodies: Mapping[str, TokenizedText], question: int | None, n_selectable: int
) -> Encoded:
    """The one special subword that stands for it, or none."""
    if cutter.empty_text in {"", "uniform"}:
        return Encoded((), None, (), (), (), tuple(texts), bodies, question, n_selectable, is_cut=False)
    number = getattr(cutter.tokenizer, f"{cutter.empty_text}_token_id")
    subword = Subword(cutter.tokenizer.convert_ids_to_tokens(number), is_special=True)
    return Encoded(
        (number,), None, (None,), ((0, 0),), (subword,), tuple(texts), bodies, question, n_selectable, is_cut=False
    )


def _groups(
    model_input: Input, bodies: Mapping[str, TokenizedText], cutter: Cutter
) -> tuple[list[list[str]], Literal[0, 1] | None]:
    """The names of the segments that are one text each, and which of the texts is the question."""
    selectable = [s.name for s in model_input.segments if s.is_selectable]
    questions = [s.name for s in model_input.segments if not s.is_selectable]
    if not questions:
        if len(selectable) > 2:
            raise ModelError(
                _(
                    "'{model_name}' takes one text or a pair, not {texts} ({selectable}).",
                    texts=counted(len(selectable), "text"),
                    selectable=", ".join(selectable),
                    model_name=cutter.model_name,
                )
            )
        return [[name] for name in selectable], None
    with_text = [[name for name in names if bodies[name].text] or names[:1] for names in (selectable, questions)]
    return (with_text[::-1], 0) if cutter.question_first else (with_text, 1)


def cut_into_subwords(cutter: Cutter, texts: Sequence[str], question: int | None, *, shortened: bool) -> Any:
    """The tokenizer's answer; shortened: what can be marked is cut at its end until the model sees all of the rest."""
    truncation: bool | str = False
    if shortened:
        truncation = "longest_first" if question is None else ("only_second", "only_first")[question]
    try:
        return cutter.tokenizer(
            *texts,
            truncation=truncation,
            max_length=cutter.limit if shortened else None,
            return_offsets_mapping=True,
            verbose=False,
        )
    except Exception as error:  # the Rust tokenizers raise bare Exceptions, and TypeError for lone surrogates
        shown = repr(texts[0][:50])
        raise ModelError(
            _(
                "The tokenizer of '{model_name}' can't split {shown}: {error}",
                model_name=cutter.model_name,
                shown=shown,
                error=error,
            ),
            reason="not to be cut into the model's pieces",
        ) from error


def check_windows(cutter: Cutter, texts: Sequence[str], question: int | None, sides: Sequence[int | None]) -> None:
    """Raise ModelError where windows would not hold together what a model has to see together."""
    if question is None and len(texts) > 1:
        raise ModelError(
            _(
                "Pair {texts} doesn't fit '{model_name}', even in windows. Shorten it.",
                texts=f"{texts[0][:50]!r}",
                model_name=cutter.model_name,
            ),
            reason=LONGER,
        )
    check_room(cutter, texts, question, sides, max(2, (cutter.limit or 0) // _LEAST_ROOM))


def check_room(
    cutter: Cutter, texts: Sequence[str], question: int | None, sides: Sequence[int | None], least: int
) -> None:
    """Raise ModelError where what cannot be marked leaves less room for the rest; least: subwords."""
    n_around = sum(side is None or side == question for side in sides)
    limit = cutter.limit or 0
    if limit - n_around < least:
        held = _("'{model_name}' ({limit}) has no room for the rest", model_name=cutter.model_name, limit=limit)
        raise ModelError(
            _(
                "The unmarkable part of {texts} has {subwords}, and {held}. Shorten it.",
                texts=f"{texts[1 if question == 0 else 0][:50]!r}",
                subwords=counted(n_around, "subword"),
                held=held,
            ),
            reason=LONGER,
        )


def too_long(cutter: Cutter, texts: Sequence[str], n_subwords: int) -> ModelError:
    """The refusal of an input that the model does not see whole."""
    ways = _("windowed or cut") if cutter.has_windows else _("cut")
    return ModelError(
        _(
            "Input {texts} ({subwords}) exceeds '{model_name}' ({limit}{beside}). Shorten it, or have long texts {ways}.",
            texts=f"{texts[0][:50]!r}",
            subwords=counted(n_subwords, "subword"),
            model_name=cutter.model_name,
            limit=cutter.limit,
            beside=cutter.beside,
            ways=ways,
        ),
        reason=LONGER,
    )


def starts_of_segments(names: Sequence[str], bodies: Mapping[str, TokenizedText]) -> list[tuple[int, str, int]]:
    """Where each segment begins in its text, its name and its length."""
    starts, first = [], 0
    for name in names:
        starts.append((first, name, len(bodies[name].text)))
        first += len(bodies[name].text) + len(JOIN)
    return starts


def placed(text: str, offset: tuple[int, int], starts: Sequence[tuple[int, str, int]]) -> Subword:
    """A subword with its place in its segment; what lies over a border belongs to the segment of its last character."""
    segment = starts[0]
    if len(starts) > 1:
        segment = next((s for s in reversed(starts) if s[0] < offset[1] or s[0] <= offset[0]), segment)
    first, name, length = segment
    start, end = offset[0] - first, offset[1] - first
    if start < 0 or end > length:
        start, end = min(max(start, 0), length), min(max(end, 0), length)
    return _subword(text, start, end, False, name)


def seen_tokens(encoded: Encoded) -> npt.NDArray[np.bool_]:
    """bool[n_selectable]: the tokens that lie before the last character that the model sees of their segment."""
    reached: dict[str, int] = {}
    for subword in encoded.subwords:
        if subword.segment is not None:
            reached[subword.segment] = max(reached.get(subword.segment, 0), subword.end or 0)
    ends = [
        not encoded.is_cut or end <= reached.get(name, -1) for name, body in encoded.bodies.items() for end in body.ends
    ]
    return np.array(ends[: encoded.n_selectable], dtype=np.bool_)


# Batches -------------------------------------------------------------------------------------------------------------


def in_batches(encoded: Sequence[Encoded], size: int) -> Iterator[list[int]]:
    """The numbers of inputs that go together: such as are of about the same length, `size` at most."""
    by_length = sorted(range(len(encoded)), key=lambda number: len(encoded[number].ids))
    for first in range(0, len(by_length), size):
        yield by_length[first : first + size]


def batch_of(encoded: Sequence[Encoded], tokenizer: Any, device: str) -> Batch:
    """Inputs as one batch, filled up at their ends with the tokenizer's padding."""
    import torch  # noqa: PLC0415

    length = max(len(of_input.ids) for of_input in encoded)

    def filled(rows: Sequence[Sequence[int]], filling: int, dtype: Any) -> Tensor:
        return torch.tensor([[*row, *[filling] * (length - len(row))] for row in rows], dtype=dtype, device=device)

    types = [of_input.types for of_input in encoded if of_input.types is not None]
    read_at = [of_input.read_at for of_input in encoded if of_input.read_at is not None]
    may_answer = [of_input.may_answer for of_input in encoded]
    sentences = [of_input.sentences for of_input in encoded if of_input.sentences is not None]
    return Batch(
        filled([of_input.ids for of_input in encoded], tokenizer.pad_token_id or 0, torch.long),
        filled([[1] * len(of_input.ids) for of_input in encoded], 0, torch.long),
        filled(types, tokenizer.pad_token_type_id, torch.long) if types else None,
        filled(may_answer, 0, torch.bool),
        torch.tensor(read_at, device=device) if len(read_at) == len(encoded) else None,
        filled(sentences, 0, torch.long) if len(sentences) == len(encoded) else None,
    )


# Scores --------------------------------------------------------------------------------------------------------------


def merged(encoded: Encoded, scores: Sequence[float], how: How) -> Merged:
    """Scores of subwords as scores of the selectable tokens, numbered through all segments; what was not seen is NaN.

    Raises: ModelError when the tokenizer's places do not fit the text
    """
    try:
        return _merged(encoded, scores, how, is_partial=encoded.is_cut)
    except InvalidValue:
        try:  # a tokenizer without a subword for unknown letters drops them, at the end too
            return _merged(encoded, scores, how, is_partial=True)
        except InvalidValue as error:
            raise ModelError(
                _("Can't align the subwords of {shown}: {error}", shown=encoded.shown, error=error),
                reason="whose pieces do not lie on its tokens",
            ) from error


def _merged(encoded: Encoded, scores: Sequence[float], how: How, *, is_partial: bool) -> Merged:
    over_segments = merge_over_segments(encoded.subwords, scores, encoded.bodies, how, is_partial=is_partial)
    return Merged(over_segments.scores[: encoded.n_selectable], over_segments.subwords)


# Texts longer than a model takes, cut into windows that overlap by half; of each its middle is kept (ERASER's released code).


@dataclass(frozen=True, slots=True)
class Window:
    """Half-open ranges of a text's subwords: those that a window reads, and of them those that it keeps."""

    start: int
    end: int
    kept_from: int
    kept_to: int


def windows_of(n_subwords: int, room: int) -> list[Window]:
    """Windows of `room` subwords, each half a window after the one before; none that only reads what the one before it read.

    >>> [(w.start, w.end, w.kept_from, w.kept_to) for w in windows_of(10, 4)]
    [(0, 4, 0, 3), (2, 6, 3, 5), (4, 8, 5, 7), (6, 10, 7, 10)]
    """
    step = room // 2
    n_windows = 1 + max(0, -((room - n_subwords) // step))
    starts = [step * number for number in range(n_windows)]
    edge = (room - step) // 2
    borders = [0, *(start + edge for start in starts[1:]), n_subwords]
    return [
        Window(start, min(start + room, n_subwords), kept_from, kept_to)
        for start, kept_from, kept_to in zip(starts, borders, borders[1:], strict=False)
    ]


@dataclass(frozen=True, slots=True)
class Panes:
    """The windows of a batch, one below the other.

    rows:   int64[n_windows]: whose window it is
    places: int64[n_windows, length]: the subwords that it reads, by their place in the row; shorter windows are filled with 0
    real:   bool[n_windows, length]: what is no filling
    kept:   bool[n_windows, length]: the subwords that it keeps; where nothing of a row can be marked, all of it
    """

    rows: Tensor
    places: Tensor
    real: Tensor
    kept: Tensor

    def part(self, first: int, end: int) -> "Panes":
        """Some of the windows, no longer than the longest of them."""
        length = int(self.real[first:end].sum(dim=1).max())
        return Panes(self.rows[first:end], *(of[first:end, :length] for of in (self.places, self.real, self.kept)))

    def of(self, by_subword: Tensor) -> Tensor:
        """What stands at the windows' subwords: [n_windows, length, ...] of [n_rows, row's length, ...]."""
        return by_subword[self.rows[:, None], self.places]

    def batch(self, batch: Batch, filling: int) -> Batch:
        """The windows as inputs of their own."""
        types = None if batch.types is None else self.of(batch.types).masked_fill(~self.real, 0)
        ids = self.of(batch.ids).masked_fill(~self.real, filling)
        return Batch(ids, self.real.to(batch.mask.dtype), types, self.of(batch.may_answer) & self.real)


def panes_of(batch: Batch, limit: int | None) -> Panes:
    """The windows of a batch; what the model takes whole is one.

    limit: how many subwords the model takes; None: any number
    """
    torch = import_module("torch")
    n_real, slides = batch.mask.sum(dim=1).tolist(), batch.may_answer.cpu().numpy()
    cut = [(row, *pane) for row, n in enumerate(n_real) for pane in _of_row(n, np.flatnonzero(slides[row]), limit)]
    length = max(len(places) for _, places, _ in cut)

    def filled(flags_or_places: Sequence[npt.NDArray[Any]], dtype: Any) -> Tensor:
        rows = [np.pad(of_window, (0, length - len(of_window))) for of_window in flags_or_places]
        return torch.tensor(np.array(rows), dtype=dtype, device=batch.ids.device)

    return Panes(
        torch.tensor([row for row, _, _ in cut], device=batch.ids.device),
        filled([places for _, places, _ in cut], torch.long),
        filled([np.ones(len(places)) for _, places, _ in cut], torch.bool),
        filled([is_kept for _, _, is_kept in cut], torch.bool),
    )


def has_window_with(may_answer: Sequence[bool], first: int, last: int, limit: int | None) -> bool:
    """Whether a window of a text reads both of these subwords, and with them what stands between.

    may_answer: of each subword of the text, as in a batch
    """
    slides = np.flatnonzero(np.array(may_answer, dtype=np.bool_))
    return any(np.isin((first, last), places).all() for places, _ in _of_row(len(may_answer), slides, limit))


_Pane = tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]  # the places of a window's subwords, and which it keeps


def _of_row(n_subwords: int, slides: npt.NDArray[np.int64], limit: int | None) -> list[_Pane]:
    whole = np.arange(n_subwords)
    if not len(slides):
        return [(whole, np.ones(n_subwords, dtype=np.bool_))]
    if limit is None or n_subwords <= limit:
        return [(whole, np.isin(whole, slides))]
    first, end = int(slides[0]), int(slides[-1]) + 1
    panes = []
    for window in windows_of(end - first, limit - first - (n_subwords - end)):
        text = np.arange(first + window.start, first + window.end)
        places = np.concatenate([whole[:first], text, whole[end:]])
        is_kept = (places >= first + window.kept_from) & (places < first + window.kept_to)
        panes.append((places, is_kept))
    return panes
