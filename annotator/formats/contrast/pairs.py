"""Pairs in a TSV, as the counterfactually augmented reviews have them (Kaushik et al. 2020), as rows of contrast sets.

Columns are Sentiment, Text and batch_id. Rows of one batch follow each other, the original first. A cell that holds
quotation marks may stand in quotation marks itself, with those inside doubled.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import RawLine, Row, read_lines
from annotator.language import _

_GROUP = "batch_id"
_LABEL = "sentiment"


@dataclass(slots=True)
class _Batch:
    line: int
    name: str
    rows: list[dict[str, Any]] = field(default_factory=list)


def rows_of_pairs(path: Path) -> Iterator[Row | Problem]:
    """Each batch as a row with its contrasts; columns are called by their names in lower case, the label `label`.

    A batch of which not both rows can be read is a problem, and so is every row that cannot be.
    Raises: NotFound or InvalidValue when there is no such file, or it has no column batch_id
    """
    names = header_of(path)
    if _GROUP not in names:
        raise InvalidValue(
            _(
                "'{path}' has no column '{column}' (it has {columns}), so nothing says which rows belong together. Write "
                "contrast sets as JSONL (docs/formats.md).",
                path=path,
                column=_GROUP,
                columns=listed(names),
            )
        )
    batch = _Batch(0, "")
    for row in rows_of_tsv(path):
        if isinstance(row, Problem):
            yield row
            continue
        cells = dict(row.values)
        name = cells.pop(_GROUP)
        if name != batch.name or not batch.line:
            yield from _finished(batch, path.name)
            batch = _Batch(row.line, name)
        batch.rows.append({"label" if column == _LABEL else column: cell for column, cell in cells.items()})
    yield from _finished(batch, path.name)


def rows_of_tsv(path: Path) -> Iterator[Row | Problem]:
    """The rows of a TSV under the names of its columns in lower case; a cell holds no tab and no line end.

    Raises: NotFound or InvalidValue when there is no such file, or two columns are called alike
    """
    names = header_of(path)
    for line in islice(read_lines(path), 1, None):
        findings = Findings(path.name, line.number)
        cells = _cells(line, names, findings)
        if cells is None:
            yield from findings.problems
        else:
            yield Row(path.name, line.number, cells)


def header_of(path: Path) -> list[str]:
    """The names of a TSV's columns, in lower case."""
    header = next(read_lines(path), RawLine(0, 0, b""))
    names = [name.strip().lower() for name in (header.content or b"").decode("utf-8", "replace").split("\t")]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidValue(_("'{path}' has two columns '{column}'; give each its own name.", path=path, column=twice))
    return names


def _cells(line: RawLine, names: list[str], findings: Findings) -> dict[str, str] | None:
    try:
        text = (line.content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        findings.refuse(
            "line", "", _("Byte {number} of the line is not UTF-8; save the file as UTF-8.", number=error.start + 1)
        )
        return None
    cells = text.split("\t")
    if len(cells) != len(names):
        reason = _(
            "The row has {cells}, but the header names {n_names}; a text may hold no tab.",
            cells=counted(len(cells), "cell"),
            n_names=len(names),
        )
        findings.refuse("line", text, reason)
        return None
    if "\0" in text:
        findings.refuse("line", text, _("It holds a NUL character; remove it."))
        return None
    return dict(zip(names, map(_unquoted, cells), strict=True))


def _unquoted(cell: str) -> str:
    """A cell as it was before it was written in quotation marks, with those in it doubled; any other as it stands."""
    inner = cell[1:-1]
    is_quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell


def _finished(batch: _Batch, source: str) -> Iterator[Row | Problem]:
    if len(batch.rows) == 1:
        reason = _("The batch has one row; an original is followed by its changed version.")
        yield Problem(source, batch.line, _GROUP, batch.name, reason)
    elif batch.rows:
        original, *contrasts = batch.rows
        yield Row(source, batch.line, {"id": batch.name, **original, "contrasts": contrasts})
