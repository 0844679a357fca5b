"""The fast lane of our own JSON lines of model output: plain lines, each with one list of scores of a whole instance.

Files of attributions hold such lines by the hundred thousand, and looking at every field of each by itself takes many
times as long as decoding them. Here a line is decoded into its fields at once, and a few comparisons tell whether all is
well. Nothing is refused here: where anything is not plain (another field, a key twice, an escape, a number too large, a
run, label or answer that is refused, no scores or all 0, a repeat) the line is read with care instead, as model_output.py
does with every line that does not come through here, and there each problem has its sentence.
"""

import re
from functools import lru_cache

import msgspec
from msgspec import UNSET, Raw, UnsetType

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput, Unit
from annotator.formats.model_output.model_answers import read_answers
from annotator.formats.model_output.output_rows import OutputFile
from annotator.formats.model_output.own_line_fields import OutputRow
from annotator.formats.model_output.own_line_runs import run_of
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import LineError, RawLine, convert, parse_object, parse_value

_KEY_END = re.compile(rb'"[ \t\r\n]*:')  # of a key, since without escapes no text holds a quote


class _PlainRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Fields of OutputRow, with its types. UNSET: not in the line. What is Raw is looked at by itself."""

    id: str | int
    scores: tuple[float, ...]
    model: str | UnsetType | None = UNSET
    method: str | UnsetType | None = UNSET
    params: Raw | UnsetType = UNSET
    seed: int | UnsetType | None = UNSET
    unit: Unit | UnsetType = UNSET
    signed: bool | UnsetType | None = UNSET
    split: str | UnsetType | None = UNSET
    target: str | int | UnsetType | None = UNSET
    layer: int | UnsetType | None = UNSET
    prediction: Raw | UnsetType = UNSET


_N_FIELDS = len(_PlainRow.__struct_fields__)


class PlainLines:
    """Reads the plain lines of one file."""

    def __init__(self, file: OutputFile) -> None:
        self._file = file
        self._decoder = msgspec.json.Decoder(_PlainRow)
        self._runs: dict[tuple[object, ...], Run | None] = {}
        self._label_of = lru_cache(maxsize=1000)(self._read_label)

    def read(self, line: RawLine) -> SourceOutput | None:
        """What a plain line says; None: it has to be read with care."""
        content, options = line.content, self._file.options
        if content is None or b"\\" in content:
            return None
        try:
            row = self._decoder.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if row.id == "" or not any(row.scores) or not _has_keys_once(row, content):
            return None
        run, label = self._run_of(row, content), self._label_of(row.target)
        answers = () if row.prediction is UNSET else self._read_answers(row.prediction)
        if run is None or label is None or answers is None:
            return None
        output = SourceOutput(
            f"{options.key_prefix}{row.id}",
            run,
            self._file.source,
            line.number,
            options.split if row.split is UNSET or row.split is None else row.split,
            answers,
            (SourceAttribution((ScoredPart(row.scores),), label, None if row.layer is UNSET else row.layer),),
        )
        return output if self._file.is_first(output) else None

    def _run_of(self, row: _PlainRow, content: bytes) -> Run | None:
        """The run of a row: all is checked of the first that names it in these words; None where it cannot be taken."""
        params = b"" if row.params is UNSET else bytes(row.params)
        words = (row.model, row.method, params, row.seed, row.unit, row.signed)
        run = self._runs.get(words)
        if run is None:
            run = self._runs[words] = self._read_run(content)
        return run

    def _read_run(self, content: bytes) -> Run | None:
        findings = Findings(self._file.source, None)
        try:
            row = convert(parse_object(content), OutputRow, findings)
        except LineError:
            return None
        run = None if row is None else run_of(row, self._file, findings, needs_method=True)
        return None if findings.problems else run

    def _read_label(self, target: str | int | UnsetType | None) -> str | None:
        findings = Findings(self._file.source, None)
        label = self._file.label(None if target is UNSET else target, "target", findings)
        return None if findings.problems else label

    def _read_answers(self, prediction: Raw) -> tuple[Prediction, ...] | None:
        findings = Findings(self._file.source, None)
        try:
            answers = read_answers(OutputRow("", prediction=parse_value(bytes(prediction))), self._file, findings)
        except LineError:
            return None
        return None if findings.problems else answers


def _has_keys_once(row: _PlainRow, content: bytes) -> bool:
    """Whether the line has as many keys as the row has fields; else one stands there twice."""
    n_keys = _N_FIELDS - msgspec.structs.astuple(row).count(UNSET)
    if row.params is not UNSET:
        n_keys += _n_keys(bytes(row.params))
    if row.prediction is not UNSET:
        n_keys += _n_keys(bytes(row.prediction))
    return content.count(b":") == n_keys or _n_keys(content) == n_keys  # each key has a colon, and texts may have some


def _n_keys(content: bytes) -> int:
    return len(_KEY_END.findall(content))
