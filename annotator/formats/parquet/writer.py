"""Writing gold as Parquet: a row an instance, with the columns that dataset_card.COLUMNS describes.

Rows are written in groups, so that memory does not grow with the project.
"""

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import msgspec

from annotator import __version__
from annotator.domain.instances import Annotation, GoldInstance, Instance, Segment, SetOrigin
from annotator.domain.texts import RationaleSet, Span
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import NO_GOLD, new_file
from annotator.formats.rows.gold_csv import placed_span
from annotator.language import _

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_OF_GROUP = 10_000
TOKENS_OF_GROUP = 200_000


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one Parquet file.

    Raises: ExportRefused when there is no instance, or the file cannot be written
    """
    with new_file(path) as file, RowGroups.open(file, schema_of(options)) as groups:
        for item in gold:
            groups.add(row_of(item, options), item.instance.layout.n_tokens)
        if not groups.n_rows:
            raise ExportRefused(_(NO_GOLD))


def row_of(gold: GoldInstance, options: WriteOptions) -> dict[str, Any]:
    """The row of an instance, as the columns hold it."""
    instance = gold.instance
    exhaustive = instance.is_exhaustive
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        "task": options.project.task.name,
        "result": gold.result,
        "parent_key": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind,
        "exhaustive": options.project.settings.is_exhaustive if exhaustive is None else exhaustive,
        "target": None if instance.target is None else asdict(placed_span(instance, Span(*instance.target))),
        "segments": segment_rows(instance),
        **set_rows(instance, gold.sets),
        "rationale_origins": _origins(gold),
        "metadata": msgspec.json.encode(instance.metadata, order="deterministic").decode(),
    }


def segment_rows(instance: Instance) -> list[dict[str, Any]]:
    """The texts of an instance with their tokens, as the column `segments` holds them."""
    return [_segment_row(instance, segment) for segment in instance.segments]


def set_rows(instance: Instance, sets: Iterable[RationaleSet]) -> dict[str, Any]:
    """Rationale sets as spans and as token indices, under the names of their columns."""
    sets = list(sets)
    return {
        "rationales": [[asdict(placed_span(instance, span)) for span in rationale_set.spans] for rationale_set in sets],
        "rationale_tokens": [list(rationale_set.token_indices) for rationale_set in sets],
    }


def _segment_row(instance: Instance, segment: Segment) -> dict[str, Any]:
    body = segment.body
    return {
        "name": segment.name,
        "is_selectable": segment.is_selectable,
        "docid": segment.docid,
        "text": body.text,
        "first_token": instance.layout.segment(segment.name).first_token,
        "tokens": body.tokens(),
        "token_starts": body.starts,
        "token_ends": body.ends,
        "sentence_starts": body.sentence_starts,
    }


def _origins(gold: GoldInstance) -> list[list[dict[str, Any]]] | None:
    if gold.sets and not gold.origins:
        return None

    def row(origin: SetOrigin) -> dict[str, Any]:
        of_set = {"set": origin.position, "help": origin.help}
        return {"annotator": origin.annotator, "round": origin.round_number, **of_set}

    return [[row(origin) for origin in of_set] for of_set in gold.origins]


def schema_of(options: WriteOptions) -> "pa.Schema":
    """The columns' types, with what made the file in the schema's metadata (key `rationale-annotator`, JSON)."""
    import pyarrow as pa  # noqa: PLC0415

    text, number = pa.string(), pa.int32()
    origin = pa.struct([("annotator", text), ("round", number), ("set", number), ("help", text)])
    plain = ("key", "split", "language", "task", "result", "parent_key", "perturbation_kind")
    columns = [
        *((name, text) for name in plain),
        ("exhaustive", pa.bool_()),
        ("target", _span_type()),
        *text_columns(),
        ("rationale_origins", pa.list_(pa.list_(origin))),
        ("metadata", text),
    ]
    return pa.schema(columns, metadata=made_by(options))


def text_columns() -> "list[tuple[str, pa.DataType]]":
    """The types of the texts with their tokens, and of rationale sets."""
    import pyarrow as pa  # noqa: PLC0415

    text, numbers = pa.string(), pa.list_(pa.int32())
    segment = pa.struct(
        [
            *((name, pa.bool_() if name == "is_selectable" else text) for name in ("name", "is_selectable", "docid")),
            ("text", text),
            ("first_token", pa.int32()),
            ("tokens", pa.list_(text)),
            *((name, numbers) for name in ("token_starts", "token_ends", "sentence_starts")),
        ]
    )
    return [
        ("segments", pa.list_(segment)),
        ("rationales", pa.list_(pa.list_(_span_type()))),
        ("rationale_tokens", pa.list_(numbers)),
    ]


def _span_type() -> "pa.DataType":
    import pyarrow as pa  # noqa: PLC0415

    ranges = [(name, pa.int32()) for name in ("start_token", "end_token", "start_char", "end_char")]
    return pa.struct([("segment", pa.string()), *ranges, ("text", pa.string())])


def made_by(options: WriteOptions) -> dict[str, str]:
    """What made a file, for the schema's metadata."""
    project = options.project
    facts = {
        "version": __version__,
        "project": project.name,
        "task": project.task.name,
        "labels": project.labels,
        "question": project.shown_question,
        "gold_policy": options.gold_policy,
        "licence": project.licence,
        "citation": project.citation,
    }
    return {"rationale-annotator": json.dumps(facts, ensure_ascii=False)}


@dataclass(slots=True)
class RowGroups:
    """Rows on their way to a Parquet file; a group is written when it is large enough."""

    schema: "pa.Schema"
    writer: Any
    n_rows: int = 0
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _n_tokens: int = 0

    @staticmethod
    def open(file: BinaryIO, schema: "pa.Schema") -> "RowGroups":
        import pyarrow.parquet as pq  # noqa: PLC0415

        return RowGroups(schema, pq.ParquetWriter(file, schema, compression="zstd"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_error: object) -> None:
        if kind is None:
            self._write()
        self.writer.close()

    def add(self, row: dict[str, Any], n_tokens: int) -> None:
        """Take a row, which holds texts of so many tokens."""
        self._rows.append(row)
        self._n_tokens += n_tokens
        self.n_rows += 1
        if len(self._rows) >= ROWS_OF_GROUP or self._n_tokens >= TOKENS_OF_GROUP:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa  # noqa: PLC0415

        if self._rows:
            self.writer.write_table(pa.Table.from_pylist(self._rows, self.schema))
            self._rows.clear()
            self._n_tokens = 0


# Writing every person's annotations as one Parquet file, a row an annotation: for studies of how people differ.


_PLAIN = (
    "key", "split", "language", "task", "instance_state", "annotator", "state", "result", "instance_result", "note",
)  # fmt: skip


def write_annotations(path: Path, pairs: Iterable[tuple[Instance, Iterable[Annotation]]], options: WriteOptions) -> int:
    """Write one file; answers how many instances have annotations.

    Raises: ExportRefused when there is no annotation, or the file cannot be written
    """
    n_instances = 0
    with new_file(path) as file, RowGroups.open(file, schema_of_annotations(options)) as groups:
        for instance, annotations in pairs:
            n_before = groups.n_rows
            for annotation in annotations:
                groups.add(row_of_annotations(instance, annotation, options), instance.layout.n_tokens)
            n_instances += groups.n_rows > n_before
        if not groups.n_rows:
            raise ExportRefused(_("No annotations yet. Choose another split."))
    return n_instances


def row_of_annotations(instance: Instance, annotation: Annotation, options: WriteOptions) -> dict[str, Any]:
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
        "rationale_help": [rationale_set.origin for rationale_set in annotation.sets],
    }


def schema_of_annotations(options: WriteOptions) -> "pa.Schema":
    """The columns' types, with what made the file in the schema's metadata."""
    import pyarrow as pa  # noqa: PLC0415

    plain = [(name, pa.string()) for name in _PLAIN]
    more = [("round", pa.int32()), ("created_at", pa.timestamp("ms", tz="UTC"))]
    of_sets = ("rationale_help", pa.list_(pa.string()))
    return pa.schema([*plain, *more, *text_columns(), of_sets], metadata=made_by(options))
