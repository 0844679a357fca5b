"""Writing the format `label-studio`: tasks with their gold as annotations, to import into a Label Studio project."""

import re
from collections.abc import Iterable
from pathlib import Path

from annotator.domain.instances import GoldInstance
from annotator.domain.tasks import Task
from annotator.formats.base import WriteOptions
from annotator.formats.rows.gold_spans import PlacedSpan
from annotator.formats.tools.labels import Values, gold_fields, gold_spans, gold_texts, write_list

_LINE_ENDS = re.compile("[\n\r]")


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one file, a list with a task on each line.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    write_list(path, gold, lambda item: _task(item, options.project.task))


def _task(gold: GoldInstance, task: Task) -> Values:
    fields = gold_fields(gold, task)
    meta = fields.pop("metadata", None)
    data = {"key": gold.instance.key, **fields, **gold_texts(gold)}
    annotation = {"result": [*_regions(gold), *_answer(gold, task)]}
    return {"data": data, **({"meta": meta} if meta else {}), "annotations": [annotation]}


def _regions(gold: GoldInstance) -> list[Values]:
    return [_region(f"r{number}", label, span) for number, (label, span) in enumerate(gold_spans(gold), 1)]


def _region(region_id: str, label: str, span: PlacedSpan) -> Values:
    """A span as Label Studio writes it: characters, and the line ends of the recorded text as backslash and n."""
    recorded = _LINE_ENDS.sub(r"\\n", span.text)
    return {
        "id": region_id,
        "from_name": f"rationale_{span.segment}",
        "to_name": span.segment,
        "type": "labels",
        "value": {"start": span.start_char, "end": span.end_char, "text": recorded, "labels": [label]},
    }


def _answer(gold: GoldInstance, task: Task) -> list[Values]:
    if not gold.result:
        return []
    to_name = next(iter(gold_texts(gold)))
    kind, value = ("choices", {"choices": [gold.result]})
    if task.result_kind == "answer":
        kind, value = ("textarea", {"text": [gold.result]})
    return [{"id": "result", "from_name": task.result_kind, "to_name": to_name, "type": kind, "value": value}]
