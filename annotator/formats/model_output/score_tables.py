"""Model output as a table (CSV, TSV): a row a text, with what a model answers or the scores of its tokens, as lists in cells.

    text,prediction,p_negative,p_positive                 an answer, with a column for the probability of each label
    id,model,method,tokens,scores                         lists as JSON or as Python prints them

The rows become objects of our own JSON lines. FairRationales' files of attributions (Thorn Jakobsen et al. 2023) are such
tables, whose names say the method and the model.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from annotator.domain.imports import PREDICTED
from annotator.domain.models import ScoredPart, SourceAttribution, SourceOutput, Subword
from annotator.errors import Problem
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.model_output.output_rows import KEY_NAMES, OutputFile, check_scores, read_each
from annotator.formats.rows.columns import segment_of
from annotator.formats.rows.csv_table import CsvTable, TextTable, python_list
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.json_files import Record
from annotator.formats.rows.lines import LineError, Row, parse_value
from annotator.language import _

_TABLES = frozenset({".csv", ".tsv"})
_ANSWERS = (*PREDICTED, "label", "answer")
_TOKENS = ("tokens", "tokens_merged")
_SCORES = ("scores", "attributions", "importances", "lrp", "attention")
_NAMES_OF_METHODS = frozenset({"lrp", "attention"})
_AS_THEY_ARE = ("split", "model", "method", "segment", "unit", "target", "on")
_NUMBERS = ("seed", "layer", "threshold")
_JSON = ("params", "special", "ranking", "rationale", "probabilities", "facts")
# method, model and the data set that it was fine-tuned on: of another one the same base is another model
_FAIR_RATIONALES = re.compile(r"(?P<method>lrp|attn_rollout)_(?P<model>.+_[a-z0-9]+)_attention")
_P = r"(?:p|prob|probability)[ _:.-]?"


def is_table(path: Path) -> bool:
    """Whether a file of model output is a table, by its name."""
    return path.suffix.lower() in _TABLES


def rows_of_table(path: Path, file: OutputFile) -> Iterator[Record | Problem]:
    """Each row as an object of our own JSON lines, and what is wrong with the header or with a cell.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    table = _OutputTable(path, ReadOptions(file.options.task, file.options.labels))
    rows = table.rows()
    first = next(rows, None)
    reader = _RowReader(table.header, file.options, _FAIR_RATIONALES.fullmatch(path.stem))
    if reader.told and not isinstance(first, Problem):
        file.tell_once("model", path.name, reader.told)
    while first is not None:
        if isinstance(first, Problem):
            yield first
        else:
            findings = Findings(first.source, first.line)
            values = reader.values(first.values, findings)
            yield from findings.problems
            if not findings.is_refused:
                yield Record(first.source, first.line, values)
        first = next(rows, None)


class _OutputTable(TextTable):
    """A table whose cells are text until it is known what they hold."""

    def missing(self) -> list[str]:
        """What is missing of a text or key, and of something that a model says."""
        names = set(self.header)
        sentences = []
        has_text = any(segment_of(self.options.task, name) is not None for name in names)
        if not (has_text or names & {*KEY_NAMES, *_TOKENS}):
            sentences.append(_("No ID or text column. Name it 'id' or 'text'."))
        if not (names & {*_ANSWERS, *_SCORES, "probabilities"} or _probabilities(self.header, self.options.labels)):
            sentences.append(_("No model output column. Name it 'prediction' or 'scores'."))
        return sentences

    def n_known(self, header: list[str]) -> int:
        """Also the names of what models say."""
        return len({*header} & {*KEY_NAMES, *_ANSWERS, *_TOKENS, *_SCORES}) + sum(
            segment_of(self.options.task, name) is not None for name in header
        )


@dataclass(slots=True)
class _RowReader:
    """What each column of a table is in our own JSON lines."""

    header: list[str]
    options: OutputOptions
    of_name: "re.Match[str] | None"
    told: str = ""
    names: dict[str, str] = field(default_factory=dict)  # our name: column
    probabilities: dict[str, str] = field(default_factory=dict)  # label: column

    def __post_init__(self) -> None:
        segments = {name for name in self.header if segment_of(self.options.task, name) is not None}
        taken = set(segments)
        for ours, theirs in (
            ("id", KEY_NAMES), ("tokens", _TOKENS), ("scores", _SCORES), ("prediction", _ANSWERS),
            *((name, (name,)) for name in (*_AS_THEY_ARE, *_NUMBERS, *_JSON)),
        ):  # fmt: skip
            column = next((name for name in theirs if name in self.header and name not in taken), None)
            if column is not None:
                self.names[ours] = column
                taken.add(column)
        self.names |= {name: name for name in segments}
        self.probabilities = _probabilities([name for name in self.header if name not in taken], self.options.labels)
        if self.of_name is not None and "scores" in self.names:
            model = self.options.model or self.of_name["model"]
            method = self.options.method or self.of_name["method"]
            self.told = _("From the file name: model '{model}', method '{method}'.", model=model, method=method)

    def values(self, cells: Mapping[str, str], findings: Findings) -> dict[str, Any]:
        """One row; what is empty is not said."""
        values: dict[str, Any] = {}
        for ours, column in self.names.items():
            cell = cells.get(column, "")
            if cell.strip():
                values[ours] = self._value(ours, column, cell, findings)
        given = {label: cells.get(column, "") for label, column in self.probabilities.items()}
        probabilities = {
            label: _number(cell, self.probabilities[label], findings) for label, cell in given.items() if cell.strip()
        }
        if probabilities and "probabilities" not in values:
            values["probabilities"] = probabilities
            if "prediction" in values:
                values["label"] = values.pop("prediction")
        elif "probabilities" in values and "prediction" in values:
            values["label"] = values.pop("prediction")
        if "scores" in values:
            self._say_run(values)
        return values

    def _value(self, ours: str, column: str, cell: str, findings: Findings) -> object:
        if ours == "tokens":
            # A list as JSON, or as Python prints it
            try:
                value = parse_value(cell.encode("utf-8"))
            except LineError:
                value = python_list(cell)
            if isinstance(value, list) and all(isinstance(token, str) for token in value):
                return value
            findings.refuse(column, shown(cell), _("Must be like {example}.", example='["a", "b"]'))
            return None
        if ours == "scores":
            return _list_of_numbers(column, cell, findings)
        if ours in _NUMBERS:
            number = _number(cell, column, findings)
            return int(number) if number is not None and number.is_integer() and ours != "threshold" else number
        if ours in _JSON:
            return _json(column, cell, findings)
        return cell if segment_of(self.options.task, ours) is not None else cell.strip()

    def _say_run(self, values: dict[str, Any]) -> None:
        if self.of_name is not None:
            values.setdefault("model", self.options.model or self.of_name["model"])
            values.setdefault("method", self.options.method or self.of_name["method"])
        elif not self.options.method and self.names["scores"] in _NAMES_OF_METHODS:
            values.setdefault("method", self.names["scores"])


def _probabilities(header: list[str], labels: tuple[str, ...]) -> dict[str, str]:
    """The column with the probability of each label: called like it, with `p_`, `prob_` or `probability_` or without."""
    column_by_label = {}
    for number, label in enumerate(labels):
        names = re.compile(f"(?:{_P})?{re.escape(label)}|{_P}(?:LABEL_)?{number}", re.IGNORECASE)
        column = next((name for name in header if names.fullmatch(name)), None)
        if column is not None:
            column_by_label[label] = column
    return column_by_label


def _number(cell: str, column: str, findings: Findings) -> float | None:
    try:
        return float(cell)
    except ValueError:
        findings.refuse(column, cell, _("Must be like {example}.", example="0.25"))
        return None


def _json(column: str, cell: str, findings: Findings) -> object:
    try:
        return parse_value(cell.encode("utf-8"))
    except LineError as fault:
        findings.refuse(column, cell, _("Must be JSON. {reason}", reason=fault.reason))
        return None


def _list_of_numbers(column: str, cell: str, findings: Findings) -> list[float] | None:
    """Numbers between brackets, also NaN, which is refused with its place later."""
    inner = cell.strip().removeprefix("[").removesuffix("]").strip()
    try:
        return [float(number) for number in re.split(r"[,\s]+", inner)] if inner else []
    except ValueError:
        findings.refuse(column, shown(cell), _("Must be like {example}.", example="[0.1, -0.2]"))
        return None


# The format `attributions-csv`: a row for each token's score.


_NAMING = ("split", "model", "method", "label", "layer", "seed")
_NEEDED = ("token_index", "score")
_FARTHEST = 10_000_000
Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows of one attribution, one after the other."""

    name: Name
    rows: list[Row]


@dataclass(slots=True)
class _Names:
    """On which lines the rows of an attribution begin, and begin again where they do not stand together."""

    first: dict[int, int] = field(default_factory=dict)
    again: dict[int, int] = field(default_factory=dict)
    _last: int | None = None

    def see(self, row: Row) -> None:
        name = hash(_name_of(row))
        if name != self._last:
            if name in self.first:
                self.again.setdefault(name, row.line)
            self.first.setdefault(name, row.line)
        self._last = name


class _AttributionTable(CsvTable):
    """Rows of a CSV file with a token's score each."""

    def missing(self) -> list[str]:
        """A sentence for each column without which there is no attribution."""
        needed = [
            _("No column '{name}'. The header needs id, model, method, token_index, token, score.", name=name)
            for name in _NEEDED
            if name not in self.header
        ]
        return CsvTable.missing(self) + needed


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of a CSV file. It is read twice, so that rows that do not stand together are found first.

    Raises: NotFound or InvalidValue when the file cannot be read
    """
    table = _AttributionTable(path, ReadOptions(options.task))
    names = _Names()
    for row in table.rows():
        if isinstance(row, Row):
            names.see(row)
    file = OutputFile(path.name, options, "attributions-csv")
    yield from read_each(_groups(table.rows(), names), file, _take)


def _name_of(row: Row) -> Name:
    key = next((row.values[name] for name in KEY_NAMES if name in row.values), "")
    return (key, *((row.values.get(name) or "").strip() for name in _NAMING))


def _groups(rows: Iterable[Row | Problem], names: _Names) -> Iterator[Record | Problem]:
    """Rows of each attribution as one record; those that do not stand together become one problem."""
    reported: set[int] = set()
    for name, of_name_with_problems in groupby(rows, key=lambda row: _name_of(row) if isinstance(row, Row) else None):
        if name is None:
            yield from (problem for problem in of_name_with_problems if isinstance(problem, Problem))
            continue
        of_name = [row for row in of_name_with_problems if isinstance(row, Row)]
        first, again = names.first.get(hash(name)), names.again.get(hash(name))
        if again is None:
            yield Record(of_name[0].source, of_name[0].line, _Group(name, of_name))
        elif hash(name) not in reported:
            reported.add(hash(name))
            reason = _(
                "Rows at lines {first} and {again}. Sort by id, model, method, label, layer and seed.",
                first=first,
                again=again,
            )
            yield Problem(of_name[0].source, first, "id", name[0], reason)


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    group = record.values
    if not isinstance(group, _Group):
        return
    key, split, model, method, label, layer, seed = group.name
    scores = _scores(group.rows, key, findings)
    if scores is None:
        return
    check_scores([score for _, score in scores], findings, "score")
    subwords = tuple(Subword(token) for token, _ in scores) if any(token for token, _ in scores) else None
    part = ScoredPart(tuple(score for _, score in scores), subwords=subwords)
    attribution = SourceAttribution(
        (part,), file.label(label or None, "label", findings), _whole(layer, "layer", findings)
    )
    run = file.run(findings, model=model, method=method, seed=_whole(seed, "seed", findings))
    if run is not None:
        named = Record(record.source, record.line, {"id": key, "split": split})
        yield file.output(named, run, key, findings, [attribution])


def _scores(rows: list[Row], key: str, findings: Findings) -> list[tuple[str, float]] | None:
    """Token and score by index; None, with findings, where a row cannot be read or the indices have gaps."""
    if not key:
        findings.refuse("id", "", _("Must not be empty."))
        return None
    scores: dict[int, tuple[str, float]] = {}
    lines: dict[int, int] = {}
    for row in rows:
        here = Findings(row.source, row.line)
        index = _whole(row.values["token_index"], "token_index", here, is_needed=True)
        score = _attribution_rows_number(row.values["score"], here)
        if index is not None and index in scores:
            reason = _("Duplicate of line {line}. Keep one.", line=lines[index])
            here.refuse("token_index", index, reason)
        if index is not None and score is not None:
            scores[index] = (row.values.get("token") or "", score)
            lines[index] = row.line
        findings.problems += here.problems
        findings.is_refused |= here.is_refused
    if findings.is_refused:
        return None
    gap = next(number for number in range(len(scores) + 1) if number not in scores)
    if gap < len(scores):
        reason = _("'{key}' lacks token_index {gap} (last: {last}).", key=key, gap=gap, last=max(scores))
        findings.refuse("token_index", gap, reason)
        return None
    return [scores[number] for number in range(len(scores))]


def _whole(cell: str, name: str, findings: Findings, *, is_needed: bool = False) -> int | None:
    text = cell.strip()
    if not text and not is_needed:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= _FARTHEST:
        return int(text)
    findings.refuse(name, cell, _("Must be an integer from 0."))
    return None


def _attribution_rows_number(cell: str, findings: Findings) -> float | None:
    try:
        score = float(cell)
    except ValueError:
        findings.refuse("score", cell, _("Must be like {example}.", example="0.25"))
        return None
    if math.isfinite(score):
        return score
    findings.refuse("score", cell, _("Must be a finite number."))
    return None
