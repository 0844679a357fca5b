"""Pairs in a TSV, as the counterfactually augmented reviews have them (Kaushik et al. 2020), as rows of contrast sets.

Columns are Sentiment, Text and batch_id; cells are as they stand, without quoting. Rows of one batch follow each other, the
original first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import RawLine, Row, read_lines

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
    lines = read_lines(path)
    header = next(lines, RawLine(0, 0, b""))
    names = [name.strip().lower() for name in (header.content or b"").decode("utf-8", "replace").split("\t")]
    if _GROUP not in names or len(set(names)) < len(names):
        raise InvalidValue(
            f"'{path}' has no column '{_GROUP}' (it has {listed(names)}), so nothing says which rows belong together. "
            "Write contrast sets as JSONL (docs/formats.md)."
        )
    batch = _Batch(0, "")
    for line in lines:
        findings = Findings(path.name, line.number)
        cells = _cells(line, names, findings)
        yield from findings.problems
        if cells is None:
            continue
        name = cells.pop(_GROUP)
        if name != batch.name or not batch.line:
            yield from _finished(batch, path.name)
            batch = _Batch(line.number, name)
        batch.rows.append({"label" if column == _LABEL else column: cell for column, cell in cells.items()})
    yield from _finished(batch, path.name)


def _cells(line: RawLine, names: list[str], findings: Findings) -> dict[str, str] | None:
    try:
        text = (line.content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        findings.refuse("line", "", f"Byte {error.start + 1} of the line is not UTF-8; save the file as UTF-8.")
        return None
    cells = text.split("\t")
    if len(cells) != len(names):
        reason = (
            f"The row has {counted(len(cells), 'cell')}, but the header names {len(names)}; a text may hold no tab."
        )
        findings.refuse("line", text, reason)
        return None
    if "\0" in text:
        findings.refuse("line", text, "It holds a NUL character; remove it.")
        return None
    return dict(zip(names, cells, strict=True))


def _finished(batch: _Batch, source: str) -> Iterator[Row | Problem]:
    if len(batch.rows) == 1:
        reason = "The batch has one row; an original is followed by its changed version."
        yield Problem(source, batch.line, _GROUP, batch.name, reason)
    elif batch.rows:
        original, *contrasts = batch.rows
        yield Row(source, batch.line, {"id": batch.name, **original, "contrasts": contrasts})
