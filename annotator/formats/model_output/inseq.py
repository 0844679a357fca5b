"""The format `inseq` (JSON): FeatureAttributionOutput.save(), with and without use_primitives.

Scores are a matrix [input subword][output step], base64 of a safetensors file. They become one attribution, the mean over the
steps, which holds the map of each step: of the input's subwords, and of what was written before. Its label is the answer where
that is a label. Matrices with more dimensions (saved before aggregate()) are refused. `step_scores`, `sequence_scores` and
`step_attributions` are left out.
Where a prompt stands around the project's text, its subwords are left out. How much lies on them, on special subwords and on
earlier ones are facts, shares of everything that a step was given.
"""

import base64
import binascii
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.models import Prediction, SourceAttribution, SourceOutput, SourceWritten, Subword, Unit
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_scores, read_each, subwords_part
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_files import Record, read_records
from annotator.formats.rows.lines import convert
from annotator.language import _, together, unsaid
from annotator.text.characters import letters_of
from annotator.text.subword_forms import FORMS, Cut, is_special
from annotator.text.subword_scores import EARLIER_SHARE, PROMPT_SHARE, SPECIAL_SHARE, written_shares

# What stands around a text in what a model read: which of its subwords are the text's, and how much lies on the others.


TEXT = "{text}"


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """The words before and after the text, as letters are compared."""

    template: str
    before: str
    after: str

    @classmethod
    def of(cls, template: str) -> "PromptFrame | None":
        """None where nothing stands around the text. Raises: InvalidValue for a prompt that does not hold it once."""
        if not template:
            return None
        before, mark, after = template.partition(TEXT)
        if not mark or TEXT in after:
            raise InvalidValue(
                _(
                    "Prompt {template} must contain {text} once: 'Review: {text} Sentiment:'.",
                    template=f"{template!r}",
                    text=TEXT,
                )
            )
        return cls(template, letters_of(before), letters_of(after))

    def subwords_of_text(self, tokens: Sequence[str]) -> list[int] | None:
        """The numbers of the text's subwords, and of special ones; None where the prompt does not stand around the text so."""
        subwords = [Subword(token) for token in tokens]
        plain = [number for number, subword in enumerate(subwords) if not is_special(subword)]
        texts = [subwords[number].text for number in plain]
        for form in FORMS:
            cut = Cut.of(texts, form, [form.letters(text) for text in texts])
            whole = letters_of("".join(cut.letters))
            ends = [len(letters_of("".join(cut.letters[:last]))) for _, last in cut.spans]
            end = len(whole) - len(self.after)
            is_framed = whole.startswith(self.before) and whole.endswith(self.after) and end > len(self.before)
            if is_framed and {len(self.before), end} <= {0, *ends}:
                chosen = {n for n, last in zip(plain, ends, strict=True) if len(self.before) < last <= end}
                return [n for n, subword in enumerate(subwords) if n in chosen or is_special(subword)]
        return None


def common_frame(texts: Sequence[str]) -> tuple[str, str]:
    """What all texts begin and end with; nothing of a single text, all of which is its own.

    >>> common_frame(["Review: Good. Sentiment:", "Review: Bad. Sentiment:"]), common_frame(["Review: Good."])
    (('Review: ', 'd. Sentiment:'), ('', ''))
    """
    if len(set(texts)) < 2:
        return "", ""
    before = _common_start(texts)
    after = _common_start([text[len(before) :][::-1] for text in texts])[::-1]
    return before, after


def _common_start(texts: Sequence[str]) -> str:
    return "".join(
        letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    )


# Arrays of a safetensors file, read by hand: the length of a JSON header (8 bytes), the header, and the raw numbers.


_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_arrays(content: bytes) -> Mapping[str, NDArray[np.float64]]:
    """The arrays of floating-point numbers, by name.

    Source: the safetensors format (https://huggingface.co/docs/safetensors)
    Raises: InvalidValue when the bytes are no such file, or hold other numbers
    """
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = msgspec.json.decode(content[8 : 8 + length], type=dict[str, msgspec.Raw])
        entries = {
            name: msgspec.json.decode(raw, type=_Entry) for name, raw in header.items() if name != "__metadata__"
        }
        return {name: _array(entry, content[8 + length :]) for name, entry in entries.items()}
    except (struct.error, msgspec.DecodeError, UnicodeDecodeError, ValueError, KeyError, RecursionError) as error:
        raise InvalidValue(_("Not a safetensors file: {error}.", error=error)) from None


def _array(entry: _Entry, content: bytes) -> NDArray[np.float64]:
    start, end = entry.data_offsets
    if not 0 <= start <= end <= len(content) or min(entry.shape, default=0) < 0:
        raise ValueError(_("no numbers at {start} to {end}", start=start, end=end))
    if entry.dtype not in _DTYPES:
        raise ValueError(_("unsupported number type {dtype}", dtype=entry.dtype))
    numbers = np.frombuffer(content[start:end], dtype=_DTYPES[entry.dtype])
    if entry.dtype == "BF16":  # the upper half of a float32
        numbers = (numbers.astype("<u4") << 16).view("<f4")
    return numbers.astype(np.float64).reshape(entry.shape)


_REMEDY = unsaid("Save it with inseq: out.aggregate() and out.save(path).")
_WRAPPED = {"__instance_type__", "attributes"}
Matrix = NDArray[np.float64]
Earlier = tuple[tuple[float, ...], ...]


class _Token(msgspec.Struct):
    token: str


class _Sequence(msgspec.Struct):
    target: list[_Token]
    attr_pos_start: int
    attr_pos_end: int
    source: list[_Token] = []
    source_attributions: str | list[Any] | None = None
    target_attributions: str | list[Any] | None = None


class _Info(msgspec.Struct):
    attribution_method: str = ""
    model_name: str | None = None
    attributed_fn: str | None = None
    attribution_args: dict[str, Any] = {}
    input_texts: list[str] = []
    generated_texts: list[str] = []


class _File(msgspec.Struct):
    sequence_attributions: list[_Sequence]
    info: _Info


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of a file of inseq's; the attribution method and its arguments name the run.

    Raises: NotFound or InvalidValue when the file cannot be read, or the prompt does not hold its text once
    """
    PromptFrame.of(options.prompt)
    yield from read_each(read_records(path, _(_REMEDY)), OutputFile(path.name, options, "inseq"), _take)


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    saved = convert(_unwrapped(record.values), _File, findings)
    if saved is None:
        return
    info = saved.info
    parameters = info.attribution_args | ({"attributed_fn": info.attributed_fn} if info.attributed_fn else {})
    run = file.run(
        findings,
        model=info.model_name,
        method=info.attribution_method,
        parameters=parameters,
        unit=_unit(info.attributed_fn),
    )
    prompt, common = PromptFrame.of(file.options.prompt), common_frame(info.input_texts)
    for number, sequence in enumerate(saved.sequence_attributions):
        predictions = _predictions(number, info, file)
        label = next((p.result for p in predictions if p.result in file.options.labels), None) or ""
        attributions = _attribution(sequence, label, f"sequence_attributions[{number}]", prompt, findings)
        if run is not None:
            text = (number, *(token.token for token in sequence.source or sequence.target))
            output = file.output(record, run, text, findings, attributions, predictions)
            yield _placed(output, number, info, common)


def _placed(output: SourceOutput, number: int, info: _Info, common: tuple[str, str]) -> SourceOutput:
    """Named by its number, since the file may be one line, and by what was read as it stands."""
    if output.input is not None and number < len(info.input_texts):
        subwords = " ".join(subword.strip().removeprefix("##") for subword in _as_text(output.input.text.split()))
        text_read = replace(output.input, text=info.input_texts[number], common=common, subwords=subwords)
        output = replace(output, input=text_read)
    return replace(output, source=f"{output.source}[{number}]", line=None)


def _unwrapped(value: Any) -> Any:
    """Without inseq's wrapper of class names around objects."""
    if isinstance(value, dict):
        inner = value["attributes"] if set(value) == _WRAPPED else value
        return {k: _unwrapped(v) for k, v in inner.items()} if isinstance(inner, dict) else inner
    return [_unwrapped(inner) for inner in value] if isinstance(value, list) else value


def _unit(attributed: str | None) -> Unit:
    known: Mapping[str, Unit] = {
        "probability": "probability",
        "probability_fn": "probability",
        "logit": "logit",
        "logit_fn": "logit",
    }
    return known.get(attributed or "", "none")


def _predictions(number: int, info: _Info, file: OutputFile) -> list[Prediction]:
    """What was written, without the input that it goes on from; for tasks with labels only where it is one."""
    if number >= len(info.generated_texts):
        return []
    given = info.input_texts[number] if number < len(info.input_texts) else ""
    answer = info.generated_texts[number].removeprefix(given).strip()
    is_answer = file.options.task.result_kind == "answer" or answer in file.options.labels
    return [Prediction(answer)] if is_answer else []


def _attribution(
    sequence: _Sequence, answer: str, field_prefix: str, prompt: PromptFrame | None, findings: Findings
) -> list[SourceAttribution]:
    """The one attribution of what was written, with that of each step; none where the scores do not fit."""
    steps = [token.token for token in sequence.target[sequence.attr_pos_start : sequence.attr_pos_end]]
    if sequence.source_attributions is not None:
        name, subwords, coded = "source_attributions", sequence.source, sequence.source_attributions
    else:
        name, subwords, coded = "target_attributions", sequence.target, sequence.target_attributions or []
    matrix = _matrix(coded, f"{field_prefix}.{name}", findings)
    if matrix is None or not steps:
        return []
    if matrix.shape != (len(subwords), len(steps)):
        shape = " x ".join(str(length) for length in matrix.shape)
        wanted = _(
            "{subwords} and {n_steps} output steps (attr_pos_start to attr_pos_end)",
            subwords=counted(len(subwords), "subword"),
            n_steps=len(steps),
        )
        remedy = _("Save it with inseq: out.aggregate() and out.save(path).") if matrix.ndim > 2 else ""
        findings.refuse(
            f"{field_prefix}.{name}",
            shape,
            together(_("The scores have shape {shape}; expected {wanted}.", shape=shape, wanted=wanted), remedy),
        )
        return []
    n_input = len(subwords) if name == "source_attributions" else sequence.attr_pos_start
    tokens = tuple(token.token for token in subwords[:n_input])
    of_text = matrix[:n_input]
    check_scores(of_text.ravel().tolist(), findings, f"{field_prefix}.{name}")
    chosen = list(range(n_input))
    if prompt is not None:
        of_prompt = prompt.subwords_of_text(tokens)
        if of_prompt is None:
            reason = _("Prompt (--prompt) doesn't match any text.")
            findings.refuse(f"{field_prefix}.{name}", " ".join(tokens), reason)
            return []
        chosen = of_prompt
    earlier = _earlier(sequence, None if n_input == len(subwords) else matrix, len(steps), field_prefix, findings)
    shares = written_shares(*_sizes(tokens, of_text, chosen, earlier))
    tokens, of_text = tuple(tokens[n] for n in chosen), of_text[chosen]
    of_steps = tuple(SourceAttribution((subwords_part(tokens, row.tolist()),)) for row in of_text.T)
    earlier = earlier or tuple((0.0,) * step for step in range(len(steps)))  # the file may not say
    written = SourceWritten(_as_text(steps), of_steps, earlier, shares.of_subwords)
    mean = subwords_part(tokens, of_text.mean(axis=1).tolist())
    return [SourceAttribution((mean,), answer, facts=shares.of_answer, written=written)]


def _sizes(
    tokens: Sequence[str], scores: Matrix, chosen: Sequence[int], earlier: Earlier
) -> tuple[Matrix, dict[str, Matrix]]:
    """Of each step the sum of |score| of the text's subwords, and by its share's name that of all else that there is.

    scores: of all that was read; chosen: the subwords of the text, and special ones
    """
    sizes = np.abs(scores)
    of_special = np.array([is_special(Subword(token)) for token in tokens])
    of_prompt = ~of_special
    of_prompt[list(chosen)] = False
    others = {
        name: sizes[of_kind].sum(axis=0)
        for name, of_kind in ((PROMPT_SHARE, of_prompt), (SPECIAL_SHARE, of_special))
        if of_kind.any()
    }
    if earlier:
        others[EARLIER_SHARE] = np.array([np.abs(row).sum() for row in earlier])
    return sizes[~(of_special | of_prompt)].sum(axis=0), others


def _earlier(
    sequence: _Sequence, matrix: Matrix | None, n_steps: int, field_prefix: str, findings: Findings
) -> Earlier:
    """What the subwords that were written counted for later ones; () where the file does not say it.

    matrix: of a model that goes on with its input, whose rows are the input's and the answer's; None: it stands by itself
    """
    if matrix is None and sequence.target_attributions is not None:
        matrix = _matrix(sequence.target_attributions, f"{field_prefix}.target_attributions", findings)
    if matrix is None or matrix.shape != (len(sequence.target), n_steps):
        return ()
    known = np.nan_to_num(matrix[sequence.attr_pos_start :], nan=0.0, posinf=0.0, neginf=0.0)
    return tuple(tuple(known[:step, step].tolist()) for step in range(n_steps))


def _matrix(coded: str | list[Any], field_name: str, findings: Findings) -> Matrix | None:
    """The scores as they are saved: base64 of a safetensors file with one array, or lists of numbers."""
    try:
        if isinstance(coded, list):
            return np.array(coded, dtype=np.float64)
        arrays = read_arrays(base64.b64decode(coded, validate=True))
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        reason = _("Expected one array, found {n_arrays}.", n_arrays=len(arrays))
    except (InvalidValue, binascii.Error, ValueError, TypeError) as error:
        reason = _("Must be base64 safetensors or number lists. {error}", error=error)
    findings.refuse(field_name, coded, reason)
    return None


def _as_text(steps: Sequence[str]) -> tuple[str, ...]:
    """Subwords as they are read: a blank in the place of the sign that a tokenizer has for it."""
    return tuple(step.replace("▁", " ").replace("Ġ", " ").replace("Ċ", "\n") for step in steps)
