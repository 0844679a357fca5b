"""Writing every person's annotations as one Parquet file, a row an annotation: for studies of how people differ."""

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.domain.instances import Annotation, Instance
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.parquet.writer import RowGroups, made_by, segment_rows, set_rows, text_columns
from annotator.formats.rows.files import new_file
from annotator.language import _

if TYPE_CHECKING:
    import pyarrow as pa

_PLAIN = (
    "key",
    "split",
    "language",
    "task",
    "instance_state",
    "annotator",
    "state",
    "result",
    "instance_result",
    "note",
)


def write(path: Path, pairs: Iterable[tuple[Instance, Iterable[Annotation]]], options: WriteOptions) -> int:
    """Write one file; answers how many instances have annotations.

    Raises: ExportRefused when there is no annotation, or the file cannot be written
    """
    n_instances = 0
    with new_file(path) as file, RowGroups.open(file, schema_of(options)) as groups:
        for instance, annotations in pairs:
            n_before = groups.n_rows
            for annotation in annotations:
                groups.add(row_of(instance, annotation, options), instance)
            n_instances += groups.n_rows > n_before
        if not groups.n_rows:
            raise ExportRefused(_("There is no annotation to write. Choose another split, or wait for annotations."))
    return n_instances


def row_of(instance: Instance, annotation: Annotation, options: WriteOptions) -> dict[str, Any]:
    """The row of an annotation. result: the annotator's own; instance_result: what the instance came with or was given."""
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        "task": options.project.task.name,
        "instance_state": instance.state,
        "annotator": annotation.annotator,
        "round": annotation.round_number,
        "state": annotation.state,
        "result": annotation.result,
        "instance_result": instance.result,
        "note": annotation.note,
        "created_at": None if annotation.created_at is None else dt.datetime.fromisoformat(annotation.created_at),
        "segments": segment_rows(instance),
        **set_rows(instance, annotation.sets),
    }


def schema_of(options: WriteOptions) -> "pa.Schema":
    """The columns' types, with what made the file in the schema's metadata."""
    import pyarrow as pa  # noqa: PLC0415

    plain = [(name, pa.string()) for name in _PLAIN]
    more = [("round", pa.int32()), ("created_at", pa.timestamp("ms", tz="UTC"))]
    return pa.schema([*plain, *more, *text_columns()], metadata=made_by(options))
