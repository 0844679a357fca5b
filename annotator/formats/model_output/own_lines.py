"""The formats `predictions` and `attributions`: our own JSON lines of model output (docs/model_output.md).

One object a line says of one instance what one run answers, scores or selects.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from annotator.domain import models
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_lengths, check_scores, read_answers, read_each
from annotator.formats.model_output.own_line_fields import OutputRow, PartRow, SubwordRow, TargetRow, WrittenRow
from annotator.formats.model_output.score_tables import is_table, rows_of_table
from annotator.formats.model_output.writer import write_outputs
from annotator.formats.rows.columns import segment_of
from annotator.formats.rows.findings import Findings, listed, shown
from annotator.formats.rows.json_files import Record
from annotator.formats.rows.lines import LineError, RawLine, convert, parse_object, parse_value, read_row_lines
from annotator.formats.rows.spans import quotes_of
from annotator.language import _
from annotator.text.characters import input_of_subwords, input_of_text

__all__ = ["read", "write_outputs"]

# The run that a line of our own model output is of.


def run_of(row: OutputRow, file: OutputFile, findings: Findings, *, needs_method: bool) -> models.Run | None:
    """The run of a row, or None with a finding; the seed may stand among the parameters."""
    parameters = dict(row.params)
    among = parameters.pop("seed", None)
    if among is not None and (not isinstance(among, int) or isinstance(among, bool)):
        findings.refuse("params.seed", among, _("A seed must be an integer."))
        return None
    if row.seed is not None and among is not None and among != row.seed:
        findings.refuse("seed", row.seed, _("params has another seed, {among}. Keep one.", among=among))
    seed = row.seed if row.seed is not None else among if among is not None else file.options.seed
    method = row.method or file.options.method
    if needs_method and not method:
        findings.refuse("method", "", _("Scores and rationales need a method (--method)."))
    if not file.has_model(row.model, findings):
        return None
    try:
        model = row.model or file.options.model
        return models.Run(model, method, models.canonical_parameters(parameters), seed, row.unit, row.signed)
    except InvalidValue as error:
        findings.refuse("model", row.model or "", _("{error} Add it here or use --model.", error=error))
        return None


# The fast lane of our own JSON lines of model output: plain lines, each with one list of scores of a whole instance.


_KEY_END = re.compile(rb'"[ \t\r\n]*:')  # of a key, since without escapes no text holds a quote


class _PlainRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Fields of OutputRow, with its types. UNSET: not in the line. What is Raw is looked at by itself."""

    id: str | int
    scores: tuple[float, ...]
    model: str | UnsetType | None = UNSET
    method: str | UnsetType | None = UNSET
    params: Raw | UnsetType = UNSET
    seed: int | UnsetType | None = UNSET
    unit: models.Unit | UnsetType = UNSET
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
        self._runs: dict[tuple[object, ...], models.Run | None] = {}
        self._label_of = lru_cache(maxsize=1000)(self._read_label)

    def read(self, line: RawLine) -> models.SourceOutput | None:
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
        output = models.SourceOutput(
            f"{options.key_prefix}{row.id}",
            run,
            self._file.source,
            line.number,
            options.split if row.split is UNSET or row.split is None else row.split,
            answers,
            (
                models.SourceAttribution(
                    (models.ScoredPart(row.scores),), label, None if row.layer is UNSET else row.layer
                ),
            ),
        )
        return output if self._file.is_first(output) else None

    def _run_of(self, row: _PlainRow, content: bytes) -> models.Run | None:
        """The run of a row: all is checked of the first that names it in these words; None where it cannot be taken."""
        params = b"" if row.params is UNSET else bytes(row.params)
        words = (row.model, row.method, params, row.seed, row.unit, row.signed)
        run = self._runs.get(words)
        if run is None:
            run = self._runs[words] = self._read_run(content)
        return run

    def _read_run(self, content: bytes) -> models.Run | None:
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

    def _read_answers(self, prediction: Raw) -> tuple[models.Prediction, ...] | None:
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


_FIELDS = frozenset(OutputRow.__struct_fields__)
_PART_FIELDS = ("segment", "tokens", "special", "ranking", "partial")


def read(path: Path, options: OutputOptions) -> Iterator[models.SourceOutput | Problem]:
    """What each line, or each row of a table, says, in the order of the file, one at a time.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    file = OutputFile(path.name, options, "")
    records = rows_of_table(path, file) if is_table(path) else _records(path, file)
    yield from read_each(records, file, _take)


def _records(path: Path, file: OutputFile) -> Iterator[models.SourceOutput | Record | Problem]:
    """What a plain line says; of any other the values, which are to be read with care."""
    plain = PlainLines(file)
    for line in read_row_lines(path, file.source):
        if isinstance(line, Problem):
            yield line
            continue
        try:
            yield plain.read(line) or Record(file.source, line.number, parse_object(line.content))
        except LineError as fault:
            yield Problem(file.source, line.number, fault.field, shown(fault.value), fault.reason)


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[models.SourceOutput]:
    row = convert(record.values, OutputRow, findings)
    if row is None:
        return
    texts = _texts(record, file)
    _tell_unknown(record, file, texts if row.id in (None, "") else {})
    attributions = _attributions(row, file, findings)
    rationales = _rationales(row, findings)
    predictions = read_answers(row, file, findings)
    if not (attributions or rationales or predictions):
        findings.refuse("line", record.values, _("The row needs scores, a rationale or a prediction."))
    run = run_of(row, file, findings, needs_method=bool(attributions or rationales))
    if run is not None:
        key = "" if row.id in (None, "") else f"{file.options.key_prefix}{row.id}"
        input_text = None if key else _input(texts, file.options.task, attributions)
        if not key and input_text is None:
            findings.refuse("id", "", _("The row needs an id or a text."))
        split = file.options.split if row.split is None else row.split
        yield models.SourceOutput(
            key, run, record.source, record.line, split, predictions, attributions, rationales, input_text
        )


def _texts(record: Record, file: OutputFile) -> dict[str, str]:
    """The texts that a row has, by segment: fields that are called like one, and hold text."""
    texts: dict[str, str] = {}
    for name, value in cast("dict[str, object]", record.values).items():
        segment = None if name in _FIELDS else segment_of(file.options.task, name)
        if segment is not None and isinstance(value, str):
            texts.setdefault(segment, value)
    return texts


def _input(
    texts: Mapping[str, str], task: Task, attributions: Sequence[models.SourceAttribution]
) -> models.InputText | None:
    """What a row without a key was made of: its texts, or the subwords of its scores; None where it says neither."""
    if texts:
        return input_of_text("\n".join(texts[name] for name in task.in_numbering_order(list(texts))))
    subwords = [
        subword for attribution in attributions[:1] for part in attribution.parts for subword in part.subwords or ()
    ]
    return input_of_subwords(subwords) if subwords else None


def _tell_unknown(record: Record, file: OutputFile, texts: Mapping[str, str]) -> None:
    unknown = [
        name
        for name in cast("dict[str, object]", record.values)
        if name not in _FIELDS and segment_of(file.options.task, name) not in texts
    ]
    if unknown:
        file.tell_once("line", unknown, _("Unknown fields ignored: {fields}.", fields=listed(sorted(unknown))))


# Scores --------------------------------------------------------------------------------------------------------------


def _attributions(row: OutputRow, file: OutputFile, findings: Findings) -> tuple[models.SourceAttribution, ...]:
    given = [name for name in _PART_FIELDS if getattr(row, name)]
    if row.parts is not None and (row.scores is not None or given):
        findings.refuse("parts", "", _("Use 'parts' or row scores, not both."))
        return ()
    if row.parts is None and row.scores is None:
        if row.written is not None:
            findings.refuse(
                "written", "", _("'written' needs 'scores': each text token's mean over generated subwords.")
            )
        if given:
            findings.refuse(given[0], getattr(row, given[0]), _("'{field}' needs 'scores'.", field=given[0]))
        return ()
    if row.parts is not None:
        parts = [_part(part, f"parts[{number}].", findings) for number, part in enumerate(row.parts)]
        if not parts:
            findings.refuse("parts", "[]", _("Must not be empty."))
    else:
        of_row = PartRow(row.scores or [], row.segment, row.tokens, row.special, row.ranking, row.partial)
        parts = [_part(of_row, "", findings)]
    if row.convergence is not None and not math.isfinite(row.convergence):
        findings.refuse("convergence", str(row.convergence), _("Must be a finite number."))
    target = _target(row.target, file, findings)
    written = None if row.written is None else _written(row.written, findings)
    return (
        models.SourceAttribution(
            tuple(parts), target, row.layer, row.convergence, models.facts_from(row.facts), written
        ),
    )


def _written(row: WrittenRow, findings: Findings) -> models.SourceWritten | None:
    """The subwords of an answer; None, with findings, where the lists do not belong together."""
    n = len(row.subwords)
    if not n:
        findings.refuse("written.pieces", "[]", _("Must not be empty."))
        return None
    rows_of_subwords: list[tuple[str, int]] = [("steps", len(row.steps)), ("earlier", len(row.earlier))]
    rows_of_subwords += [("facts", len(row.facts))] if row.facts else []
    are_as_many = [
        check_lengths(f"written.{name}", n_rows, "written.pieces", n, findings) for name, n_rows in rows_of_subwords
    ]
    for number, scores in enumerate(row.earlier):
        check_lengths(f"written.earlier[{number}]", len(scores), "the pieces before", number, findings)
        if not models.are_finite(scores):
            findings.refuse(f"written.earlier[{number}]", str(scores), _("Must be a finite number."))
    if not all(are_as_many):
        return None
    steps = [
        models.SourceAttribution(
            tuple(_part(part, f"written.steps[{number}][{at}].", findings) for at, part in enumerate(parts))
        )
        for number, parts in enumerate(row.steps)
    ]
    facts = tuple(map(models.facts_from, row.facts))
    return models.SourceWritten(tuple(row.subwords), tuple(steps), tuple(map(tuple, row.earlier)), facts)


def _target(target: TargetRow | str | int | None, file: OutputFile, findings: Findings) -> str:
    if isinstance(target, TargetRow):
        return file.label(target.index if target.name is None else target.name, "target", findings)
    return file.label(target, "target", findings)


def _part(part: PartRow, field_prefix: str, findings: Findings) -> models.ScoredPart:
    check_scores(part.scores, findings, f"{field_prefix}scores")
    n_scores = len(part.scores)
    mask = [False] * n_scores if part.special is None else [bool(is_special) for is_special in part.special]
    check_lengths(f"{field_prefix}special", len(mask), "scores", n_scores, findings)
    ranking = None if part.ranking is None else tuple(part.ranking)
    if ranking is not None and (len(set(ranking)) < len(ranking) or min(ranking, default=0) < 0):
        findings.refuse(f"{field_prefix}ranking", part.ranking, _("Must list each token number once, from 0."))
    if part.tokens is None:  # the tokens of the place, without what the mask calls special
        scores = tuple(score for score, is_special in zip(part.scores, mask, strict=False) if not is_special)
        return models.ScoredPart(scores, part.segment, None, ranking, part.partial)
    check_lengths(f"{field_prefix}tokens", len(part.tokens), "scores", n_scores, findings)
    subwords = tuple(_subword(token, is_special) for token, is_special in zip(part.tokens, mask, strict=False))
    return models.ScoredPart(tuple(part.scores), part.segment, subwords, ranking, part.partial)


def _subword(token: str | SubwordRow, is_special: bool) -> models.Subword:
    if isinstance(token, str):
        return models.Subword(token, is_special=is_special)
    return models.Subword(token.text, token.start, token.end, token.special or is_special, token.segment)


def _rationales(row: OutputRow, findings: Findings) -> tuple[models.SourceRationale, ...]:
    if row.rationale is None:
        return ()
    parts = []
    for number, part in enumerate(row.rationale.parts):
        field_name = f"rationale.parts[{number}]"
        wrong = next(((start, end) for start, end in part.spans if not 0 <= start < end), None)
        if wrong is not None:
            findings.refuse(f"{field_name}.spans", wrong, _("Must satisfy 0 <= start < end."))
        if len(set(part.ranking)) < len(part.ranking) or min(part.ranking, default=0) < 0:
            findings.refuse(f"{field_name}.ranking", part.ranking, _("Must list each token number once, from 0."))
        other = "ranking" if row.rationale.kind == "hard" else "spans"
        if getattr(part, other):
            findings.refuse(
                f"{field_name}.{other}",
                getattr(part, other),
                _("A {kind} rationale has no {other}.", kind=row.rationale.kind, other=other),
            )
        parts.append(models.MarkedPart(tuple(part.spans), tuple(part.ranking), part.segment))
    quotes = quotes_of(row.rationale.quotes)
    if quotes is not None and not len(quotes.missing) <= quotes.n_missing <= quotes.n:
        reason = _("Quotes must satisfy len(missing) <= n_missing <= n.")
        findings.refuse(
            "rationale.quotes", f"n {quotes.n}, n_missing {quotes.n_missing}, missing {len(quotes.missing)}", reason
        )
    return (models.SourceRationale(row.rationale.kind, tuple(parts), outcome=quotes),)
