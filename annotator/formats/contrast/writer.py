"""Writing the format `contrast`: each original that has changed versions, with them, on one line."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.sources import SourceSpan, without_annotators
from annotator.domain.tasks import Task
from annotator.domain.texts import Span
from annotator.errors import ExportRefused, InvalidValue
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import Refused, SortedLines, new_file
from annotator.formats.rows.gold_csv import placed_span
from annotator.formats.rows.spans import SpanRow, span_row
from annotator.language import _, several
from annotator.text.alignment import align_tokens

_LIFTED = ("reason", "edits")  # of the metadata: what stands beside the texts


class _Waiting(msgspec.Struct, array_like=True):
    """A row that waits for the others of its family: the split and key of the original."""

    family: tuple[str, str]
    is_changed: bool
    row: dict[str, Any]


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> int:
    """Write originals with their changed versions, sorted by key; answers how many both are. Other instances are left out.

    Raises: ExportRefused when there is no changed version, or one whose original is not among the gold or is itself one,
            and for tokens that cannot be told from the text
    """
    with new_file(path) as file, SortedLines() as lines:
        writer = _SetWriter(options.project.task, lines)
        for item in gold:
            writer.add(item)
        if not writer.n_changed:
            raise ExportRefused(_nothing_to_write(options.n_versions))
        return writer.finish(file)


def _nothing_to_write(n_versions: int) -> str:
    if not n_versions:
        return _("No perturbed versions to write.")
    return several("{n} perturbed version has no gold yet.", "{n} perturbed versions have no gold yet.", n_versions)


@dataclass(slots=True)
class _SetWriter:
    task: Task
    lines: SortedLines
    n_changed: int = 0
    _alone: Refused = field(
        default_factory=lambda: Refused(
            _("are perturbed versions of an unexported instance. Finish originals or --include submitted")
        )
    )

    def add(self, gold: GoldInstance) -> None:
        """Keep an instance's row until its family is together."""
        instance = gold.instance
        is_changed = instance.parent_key is not None
        family = (instance.split, instance.parent_key or instance.key)
        row = {**plain_row(gold, self.task), **(_of_changed(instance) if is_changed else _of_original(instance))}
        self.n_changed += is_changed
        self.lines.add(
            "\0".join((*family, str(int(is_changed)))), msgspec.json.encode(_Waiting(family, is_changed, row))
        )

    def finish(self, file: BinaryIO) -> int:
        """Write the families; answers how many instances that is. Raises when something could not be written."""
        n_written = 0
        original: _Waiting | None = None
        contrasts: list[dict[str, Any]] = []
        for line in self.lines:
            waiting = msgspec.json.decode(line, type=_Waiting)
            if not waiting.is_changed:
                n_written += _write_set(file, original, contrasts)
                original, contrasts = waiting, []
            elif original is None or original.family != waiting.family:
                self._alone.add(waiting.row["id"])
            else:
                contrasts.append(waiting.row)
        n_written += _write_set(file, original, contrasts)
        self._alone.raise_if_any()
        return n_written


def _write_set(file: BinaryIO, original: _Waiting | None, contrasts: list[dict[str, Any]]) -> int:
    """Write an original with its contrasts; answers how many instances that is, 0 for one without any."""
    if original is None or not contrasts:
        return 0
    file.write(msgspec.json.encode({**original.row, "contrasts": contrasts}) + b"\n")
    return 1 + len(contrasts)


def _of_original(instance: Instance) -> dict[str, Any]:
    return {"split": instance.split} if instance.split else {}


def _of_changed(instance: Instance) -> dict[str, Any]:
    return {"kind": instance.perturbation_kind}


def plain_row(gold: GoldInstance, task: Task) -> dict[str, Any]:
    """The fields of a plain row, as far as there is something to say."""
    instance = gold.instance
    segments = [s for s in instance.segments if s.body.text or not _may_be_empty(task, s)]
    metadata = without_annotators(instance.metadata)
    lifted = {name: metadata.pop(name) for name in _LIFTED if name in metadata and task.spec_of(name) is None}
    row: dict[str, Any] = {"id": instance.key, **{s.name: s.body.text for s in segments}}
    if gold.result is not None:
        row[task.result_kind] = gold.result
    row |= lifted
    row |= {"language": instance.language, "tokens": {s.name: _tokens(instance, s) for s in segments}}
    row["rationales"] = [[_span(instance, span) for span in rationale_set.spans] for rationale_set in gold.sets]
    if instance.target is not None:
        row["target"] = _span(instance, Span(*instance.target))
    if instance.is_exhaustive is not None:
        row["exhaustive"] = instance.is_exhaustive
    return {**row, "metadata": metadata} if metadata else row


def _may_be_empty(task: Task, segment: Segment) -> bool:
    spec = task.spec_of(segment.name)
    return spec is not None and spec.may_be_empty


def _tokens(instance: Instance, segment: Segment) -> list[str]:
    """A segment's tokens, when they are found again at the same places."""
    body = segment.body
    tokens = body.tokens()
    try:
        aligned = align_tokens(body.text, tokens, body.sentence_starts)
    except InvalidValue:
        aligned = None
    if aligned != body:
        raise ExportRefused(
            _(
                "Instance '{key}': segment '{name}' doesn't fit a token list. Export as jsonl.",
                key=instance.key,
                name=segment.name,
            )
        )
    return tokens


def _span(instance: Instance, span: Span) -> SpanRow:
    placed = placed_span(instance, span)
    return span_row(SourceSpan(placed.segment, placed.start_token, placed.end_token))
