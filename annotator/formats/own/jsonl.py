"""The format `jsonl`: our own export, the neutral canonical form, or plain rows; a file's first row tells which."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from annotator.domain.sources import SourceItem
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import reader as own
from annotator.formats.own import writer
from annotator.formats.rows.column_findings import column_report, columns_not_there
from annotator.formats.rows.columns import Columns
from annotator.formats.rows.lines import read_rows
from annotator.formats.rows.plain_rows import RowReader
from annotator.language import _


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The items of a JSONL file, and what is wrong with its lines. A folder stands for the canonical.jsonl in it.

    Raises: NotFound or InvalidValue when there is no such file
    """
    if path.is_dir() and (path / "canonical.jsonl").is_file():
        path = path / "canonical.jsonl"
    first = next((row for row in read_rows(path, path.name) if not isinstance(row, Problem)), None)
    if first is not None and "record" in first.values:
        return own.read(read_rows(path, path.name), options)
    if first is not None and isinstance(first.values.get("fields"), dict):
        from annotator.formats.own.canonical import read as read_canonical  # noqa: PLC0415  (only where it is met)

        return read_canonical(path, options)
    if first is not None and _is_of_prodigy(first.values, options):
        raise InvalidValue(_("'{name}' is a Prodigy export. Import it as prodigy.", name=path.name))
    return _plain_rows(path, options)


def _is_of_prodigy(values: Mapping[str, object], options: ReadOptions) -> bool:
    """Whether a row's answer would be taken for a label, though it is what somebody made of a task of Prodigy."""
    is_chosen = "answer" in options.left_columns or "answer" in options.columns.values()
    return "_input_hash" in values and values.get("answer") in ("accept", "reject", "ignore") and not is_chosen


def _plain_rows(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    columns = Columns()
    yield from RowReader(options, are_marks_asked=True).read(columns.watched(read_rows(path, path.name)))
    for reason in columns_not_there(tuple(columns.by_name), options) if columns.by_name else ():
        yield Problem(path.name, 1, "line", "", reason)
    if report := column_report(columns, options):
        yield report


def write_own(path: Path, items: Iterable[SourceItem]) -> None:
    """Write everything of a project to one file, documents before their instances; it reads back as equal values.

    Raises: ExportRefused when the file cannot be written
    """
    writer.write(path, items)
