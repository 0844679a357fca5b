"""Plain JSONL: one JSON object a line, fields found by name (docs/formats.md)."""

from collections.abc import Iterator
from pathlib import Path

from annotator.domain.sources import SourceItem
from annotator.formats.base import ReadOptions
from annotator.formats.lines import read_rows
from annotator.formats.rows import RowReader


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of a plain JSONL file and what is wrong with its lines."""
    return RowReader(options).read(read_rows(path, path.name))
