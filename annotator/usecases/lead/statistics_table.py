"""All the statistics of a project as one table, a number a row."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from annotator.formats.rows.gold_csv import written_csv
from annotator.usecases.lead.statistics import ProjectStatistics

_COLUMNS = ("name", "of", "value")


def statistics_csv(statistics: ProjectStatistics) -> str:
    """The table as CSV."""
    return written_csv(_COLUMNS, _rows_of(dataclasses.asdict(statistics)))


def _rows_of(value: object, name: str = "", of: str = "") -> Iterator[tuple[str, str, object]]:
    """Every number by its name, such as agreement.labels.pairs.kappa; of: the texts that stand beside it in a row."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _rows_of(inner, f"{name}.{key or '(none)'}" if name else str(key), of)
    elif isinstance(value, list | tuple) and any(isinstance(inner, Mapping) for inner in value):
        for inner in value:
            yield from _row(inner, name)
    else:
        yield name, of, ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _row(row: Mapping[str, Any], name: str) -> Iterator[tuple[str, str, object]]:
    of = " / ".join(text or "(none)" for text in row.values() if isinstance(text, str))
    yield from _rows_of({key: inner for key, inner in row.items() if not isinstance(inner, str)}, name, of)
