"""The format `attributions-csv`: a row for each token's score.

    id,model,method,token_index,token,score[,split,label,layer,seed]

Rows of one instance, model, method, label, layer and seed make an attribution; they stand together, their indices go from
0 without a gap, in any order. `token` may be a token of the instance or a sub-word; without it the scores are those of the
instance's tokens. Model and method may be left to the options.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from annotator.domain.models import Piece, ScoredPart, SourceAttribution, SourceOutput
from annotator.errors import Problem
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.model_output.output_rows import KEY_NAMES, OutputFile, check_scores, read_each
from annotator.formats.rows.csv_table import CsvTable
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_records import Record
from annotator.formats.rows.lines import Row
from annotator.language import _

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
            _(
                "There is no column '{name}'; the first line names id, model, method, token_index, token, score.",
                name=name,
            )
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
                "Its rows begin on line {first} and, after other rows, again on line {again}; sort the file by "
                "id, model, "
                "method, label, layer and seed.",
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
    pieces = tuple(Piece(token) for token, _ in scores) if any(token for token, _ in scores) else None
    part = ScoredPart(tuple(score for _, score in scores), pieces=pieces)
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
        findings.refuse("id", "", _("The key is empty; every row needs one."))
        return None
    scores: dict[int, tuple[str, float]] = {}
    lines: dict[int, int] = {}
    for row in rows:
        here = Findings(row.source, row.line)
        index = _whole(row.values["token_index"], "token_index", here, is_needed=True)
        score = _number(row.values["score"], key, here)
        if index is not None and index in scores:
            reason = _(
                "The token {index} of '{key}' has a score on line {line} already; keep one of the two.",
                index=index,
                key=key,
                line=lines[index],
            )
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
        reason = _(
            "The indices of '{key}' go from 0 without a gap, but {gap} is missing (the last is {last}).",
            key=key,
            gap=gap,
            last=max(scores),
        )
        findings.refuse("token_index", gap, reason)
        return None
    return [scores[number] for number in range(len(scores))]


def _whole(cell: str, name: str, findings: Findings, *, is_needed: bool = False) -> int | None:
    text = cell.strip()
    if not text and not is_needed:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= _FARTHEST:
        return int(text)
    findings.refuse(name, cell, _("It must be a whole number, from 0."))
    return None


def _number(cell: str, key: str, findings: Findings) -> float | None:
    try:
        score = float(cell)
    except ValueError:
        findings.refuse("score", cell, _("The score of '{key}' must be a number such as -0.25.", key=key))
        return None
    if math.isfinite(score):
        return score
    findings.refuse(
        "score",
        cell,
        _("The score of '{key}' is not finite; write a number, or leave the whole instance out.", key=key),
    )
    return None
