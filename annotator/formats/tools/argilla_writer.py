"""Writing the format `argilla`: records with their gold as responses, to log to an Argilla 2 dataset."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.tasks import Task
from annotator.formats.base import WriteOptions
from annotator.formats.tools.argilla_records import NOBODY
from annotator.formats.tools.labels import Values, gold_fields, gold_spans, gold_texts, write_list
from annotator.formats.tools.offsets import Offsets

_PACKED = ("exhaustive", "target", "metadata")


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one file, a list with a record on each line, as dataset.records.to_json writes it.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    write_list(path, gold, lambda item: _record(item, options.project.task))


def _record(gold: GoldInstance, task: Task) -> Values:
    key, split = gold.instance.key, gold.instance.split
    fields = gold_fields(gold, task)
    packed = {name: fields.pop(name) for name in _PACKED if name in fields}
    if packed:
        fields["more"] = msgspec.json.encode(packed).decode()
    return {
        "id": f"{split}/{key}" if split else key,
        "fields": gold_texts(gold),
        "metadata": {"key": key, **fields},
        "suggestions": {},
        "responses": _responses(gold, task),
        "vectors": {},
        "status": "completed",
    }


def _responses(gold: GoldInstance, task: Task) -> Values:
    texts = gold_texts(gold)
    units = {name: Offsets.of(text, "utf-16") for name, text in texts.items()}
    values: dict[str, list[Values]] = {
        s.name: [] for s in gold.instance.segments if s.is_selectable and s.name in texts
    }
    for label, span in gold_spans(gold):
        start, end = (units[span.segment].offset(index) for index in (span.start_char, span.end_char))
        values[span.segment].append({"start": start, "end": end, "label": label})
    responses: Values = {f"rationale_{name}": _response(spans) for name, spans in values.items()}
    if gold.result:
        responses[task.result_kind] = _response(gold.result)
    return responses


def _response(value: object) -> list[Values]:
    return [{"value": value, "user_id": NOBODY}]
