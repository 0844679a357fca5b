"""The format `inseq` (JSON): FeatureAttributionOutput.save(), with and without use_primitives.

Scores are a matrix [input piece][output step], base64 of a safetensors file. Each step becomes an attribution of its own,
whose label is the piece that was written (with its number where it was written twice). Of a model that goes on with its
input, the pieces of the input alone are kept: what it wrote is no part of the instance. Matrices with more dimensions
(saved before aggregate()) are refused. `step_scores`, `sequence_scores` and `step_attributions` are left out.
"""

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.models import Prediction, SourceAttribution, SourceOutput, Unit
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_scores, pieces_part, read_each
from annotator.formats.model_output.safetensors import read_arrays
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_records import Record, read_records
from annotator.formats.rows.lines import convert

_REMEDY = "Save it with inseq: out.aggregate() and out.save(path)."
_WRAPPED = {"__instance_type__", "attributes"}
Matrix = NDArray[np.float64]


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

    Raises: NotFound or InvalidValue when the file cannot be read
    """
    yield from read_each(read_records(path, _REMEDY), OutputFile(path.name, options, "inseq"), _take)


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
    for number, sequence in enumerate(saved.sequence_attributions):
        attributions = _attributions(sequence, f"sequence_attributions[{number}]", findings)
        if run is not None:
            text = (number, *(token.token for token in sequence.source or sequence.target))
            yield file.output(record, run, text, findings, attributions, _predictions(number, info, file))


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


def _attributions(sequence: _Sequence, field_prefix: str, findings: Findings) -> list[SourceAttribution]:
    """One attribution for each output step."""
    steps = [token.token for token in sequence.target[sequence.attr_pos_start : sequence.attr_pos_end]]
    if sequence.source_attributions is not None:
        name, pieces, coded = "source_attributions", sequence.source, sequence.source_attributions
    else:
        name, pieces, coded = "target_attributions", sequence.target, sequence.target_attributions or []
    matrix = _matrix(coded, f"{field_prefix}.{name}", findings)
    if matrix is None:
        return []
    if matrix.shape != (len(pieces), len(steps)):
        shape = " x ".join(str(length) for length in matrix.shape)
        wanted = f"{counted(len(pieces), 'piece')} and {len(steps)} output steps (attr_pos_start to attr_pos_end)"
        remedy = "Save the output after aggregate()." if matrix.ndim > 2 else ""
        findings.refuse(f"{field_prefix}.{name}", shape, f"The scores are {shape}, for {wanted}. {remedy}".strip())
        return []
    n_input = len(pieces) if name == "source_attributions" else sequence.attr_pos_start
    tokens = [token.token for token in pieces[:n_input]]
    attributions = []
    for step, label in enumerate(_names(steps)):
        scores: list[float] = matrix[:n_input, step].tolist()
        check_scores(scores, findings, f"{field_prefix}.{name}")
        attributions.append(SourceAttribution((pieces_part(tokens, scores),), label))
    return attributions


def _matrix(coded: str | list[Any], field_name: str, findings: Findings) -> Matrix | None:
    """The scores as they are saved: base64 of a safetensors file with one array, or lists of numbers."""
    try:
        if isinstance(coded, list):
            return np.array(coded, dtype=np.float64)
        arrays = read_arrays(base64.b64decode(coded, validate=True))
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        reason = f"It holds {len(arrays)} arrays; one is expected."
    except (InvalidValue, binascii.Error, ValueError, TypeError) as error:
        reason = f"It must be base64 of a safetensors file, or lists of numbers. {error}"
    findings.refuse(field_name, coded, reason)
    return None


def _names(steps: Sequence[str]) -> list[str]:
    """Labels for the written pieces; one that was written before gets its number."""
    seen: Counter[str] = Counter()
    names = []
    for step in steps:
        text = step.strip("▁Ġ ") or step
        seen[text] += 1
        names.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return names
