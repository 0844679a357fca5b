"""Pairs in a TSV, as the counterfactually augmented reviews have them (Kaushik et al. 2020), as rows of contrast sets.

Columns are Sentiment, Text and batch_id. Rows of one batch follow each other, the original first. A cell that holds
quotation marks may stand in quotation marks itself, with those inside doubled.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.files import split_in_name
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import RawLine, Row, read_lines
from annotator.language import _, unsaid

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
            _("No column '{column}' in '{path}' (only {columns}).", path=path, column=_GROUP, columns=listed(names))
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
        raise InvalidValue(_("Duplicate column '{column}' in '{path}'. Rename one.", path=path, column=twice))
    return names


def _cells(line: RawLine, names: list[str], findings: Findings) -> dict[str, str] | None:
    try:
        text = (line.content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        findings.refuse("line", "", _("Byte {number} isn't UTF-8. Save as UTF-8.", number=error.start + 1))
        return None
    cells = text.split("\t")
    if len(cells) != len(names):
        reason = _(
            "The row has {cells}, the header {n_names}. Remove tabs.",
            cells=counted(len(cells), "cell"),
            n_names=len(names),
        )
        findings.refuse("line", text, reason)
        return None
    if "\0" in text:
        findings.refuse("line", text, _("Contains a NUL character. Remove it."))
        return None
    return dict(zip(names, map(_unquoted, cells), strict=True))


def _unquoted(cell: str) -> str:
    """A cell as it was before it was written in quotation marks, with those in it doubled; any other as it stands."""
    inner = cell[1:-1]
    is_quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell


def _finished(batch: _Batch, source: str) -> Iterator[Row | Problem]:
    if len(batch.rows) == 1:
        reason = _("Only one row. Add its perturbed version.")
        yield Problem(source, batch.line, _GROUP, batch.name, reason)
    elif batch.rows:
        original, *contrasts = batch.rows
        yield Row(source, batch.line, {"id": batch.name, **original, "contrasts": contrasts})


# Counterfactually augmented pairs of sentences (Kaushik et al. 2020), as rows of contrast sets.


COLUMNS = frozenset({"sentence1", "sentence2", "gold_label"})
_ORIGINAL = "original"
_KEPT = {"revised_premise": "sentence2", "revised_hypothesis": "sentence1"}  # what a revision leaves as it is
_CHANGED = {"revised_premise": "sentence1", "revised_hypothesis": "sentence2"}
_SAME = unsaid("Skipped: identical to another version.")
_ROLE = re.compile(r"original|revised_premise|revised_hypothesis")
_REVISIONS = 2


def files_of_originals(path: Path) -> list[Path]:
    """The files of originals: that one, or those of a folder, or of its folder `original`.

    Raises: InvalidValue for a file of revisions alone
    """
    if not path.is_dir():
        role = _role_of(path)
        if role is None or role == _ORIGINAL:
            return [path]
        raise InvalidValue(
            _(
                "'{name}' has only revisions. Put '{original}' beside it.",
                name=path.name,
                original=_beside(path, _ORIGINAL).name,
            )
        )
    return sorted(
        file for folder in (path, path / _ORIGINAL) if folder.is_dir() for file in folder.glob("*.tsv")
        if _role_of(file) == _ORIGINAL
    )  # fmt: skip


def rows_of_revisions(originals: Path) -> Iterator[Row | Problem]:
    """Each original as a row with its contrasts, whose key is its number in the file, from 1.

    Raises: NotFound or InvalidValue when a file cannot be read, no revisions stand beside, or they are of other originals
    """
    revised = {role: _beside(originals, role) for role in _KEPT}
    present = {role: file for role, file in revised.items() if file != originals and file.is_file()}
    if not present:
        names = listed([str(file.relative_to(originals.parent.parent)) for file in revised.values()])
        raise InvalidValue(
            _("No revisions ({names}) beside '{name}'. Choose their folder.", name=originals.name, names=names)
        )
    rows = _read(originals)
    contrasts = {role: _read(file) for role, file in present.items()}
    for role, of_role in contrasts.items():
        _check_order(rows, of_role, role, present[role])
    split = split_in_name(originals)
    for number, row in enumerate(rows):
        if isinstance(row, Problem):
            yield row
            continue
        revisions = [
            (role, revision) for role, of_role in contrasts.items()
            for revision in of_role[number * _REVISIONS : (number + 1) * _REVISIONS]
        ]  # fmt: skip
        of_original: list[dict[str, str]] = []
        pairs = [_texts(row)]
        for role, revision in revisions:
            if isinstance(revision, Problem):
                yield revision
            elif _texts(revision) in pairs:
                yield Problem(
                    revision.source, revision.line, _CHANGED[role], _texts(revision)[0], _(_SAME), is_warning=True
                )
            else:
                pairs.append(_texts(revision))
                of_original.append({**_pair(revision.values), "kind": role.replace("_", " ")})
        yield Row(row.source, row.line, {
            "id": str(number + 1), **({"split": split} if split else {}), **_pair(row.values), "contrasts": of_original,
        })  # fmt: skip


def _read(path: Path) -> list[Row | Problem]:
    """All rows of a file: the order is what says which belong together, so that a bad one keeps its place."""
    rows = list(rows_of_tsv(path))
    first = next((row for row in rows if isinstance(row, Row)), None)
    if first is not None and not {*first.values} >= COLUMNS:
        raise InvalidValue(
            _(
                "'{path}' needs the columns {needed}, but has {columns}.",
                path=path,
                columns=listed(list(first.values)),
                needed=listed(sorted(COLUMNS)),
            )
        )
    return rows


def _check_order(rows: list[Row | Problem], revised: list[Row | Problem], role: str, path: Path) -> None:
    """Raise InvalidValue where revisions are not two for each original, or hardly keep what they are said to keep."""
    if len(revised) != _REVISIONS * len(rows):
        raise InvalidValue(
            _(
                "'{name}' has {rows}; {originals} need two each.",
                name=path.name,
                rows=counted(len(revised), "row"),
                originals=counted(len(rows), "original"),
            )
        )
    name = _KEPT[role]
    pairs = [
        (rows[number // _REVISIONS], revision) for number, revision in enumerate(revised) if isinstance(revision, Row)
    ]
    n_other = sum(
        isinstance(original, Row) and original.values.get(name) != revision.values.get(name)
        for original, revision in islice(pairs, 1000)
    )
    if n_other * 10 > min(len(pairs), 1000):
        raise InvalidValue(
            _(
                "{rows} of '{name}' differ in '{column}'. Sort both files alike.",
                rows=counted(n_other, "row"),
                name=path.name,
                column=name,
            )
        )


def _texts(row: Row) -> tuple[str, str]:
    return row.values["sentence1"], row.values["sentence2"]


def _pair(values: Mapping[str, Any]) -> dict[str, str]:
    return {"premise": values["sentence1"], "hypothesis": values["sentence2"], "label": values["gold_label"]}


def _role_of(path: Path) -> str | None:
    """What a file holds, as its name or that of its folder tells."""
    match = _ROLE.search(path.name) or _ROLE.fullmatch(path.parent.name)
    return None if match is None else match.group()


def _beside(path: Path, role: str) -> Path:
    """The file of another role that goes with one."""
    if _ROLE.search(path.name):
        return path.with_name(_ROLE.sub(role, path.name, count=1))
    return path.parent.parent / role / path.name
