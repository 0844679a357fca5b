"""Writing the format `doccano`: rows to import into a doccano project for sequence labelling."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.tasks import Task
from annotator.formats.base import WriteOptions
from annotator.formats.rows.column_names import field_names
from annotator.formats.rows.files import SortedLines, new_file
from annotator.formats.tools.labels import GoldKeys, Values, gold_fields, gold_spans, gold_texts
from annotator.formats.tools.offsets import Offsets

_BETWEEN_SEGMENTS = "\n\n"


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one JSONL file. Every row has the same fields: doccano cannot store what is there in some rows alone.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    keys = GoldKeys()
    columns: dict[str, None] = {}
    with new_file(path) as file, SortedLines() as lines:
        for number, item in enumerate(gold):
            keys.add(item)
            row = _row(item, options.project.task)
            columns |= dict.fromkeys(row)
            lines.add(f"{number:012d}", msgspec.json.encode(row))
        keys.finish()
        for line in lines:
            file.write(msgspec.json.encode({**columns, **msgspec.json.decode(line)}) + b"\n")


def _row(gold: GoldInstance, task: Task) -> Values:
    texts = gold_texts(gold)
    text = _BETWEEN_SEGMENTS.join(texts.values())
    units = Offsets.of(text, "utf-16")
    starts: dict[str, int] = {}
    start = 0
    for name, body in texts.items():
        starts[name] = start
        start += len(body) + len(_BETWEEN_SEGMENTS)
    row: Values = {"id": gold.instance.key, "text": text, "label": []}
    for label, span in gold_spans(gold):
        ends = (starts[span.segment] + span.start_char, starts[span.segment] + span.end_char)
        row["label"].append([*map(units.offset, ends), label])
    if not gold.sets:
        row["no_rationale"] = True
    fields = gold_fields(gold, task)
    result_name = field_names(task)["result"][0]
    if result_name in fields:
        row["result"] = fields.pop(result_name)
    if len(task.segments) > 1:
        row["segments"] = {
            name: [units.offset(starts[name]), units.offset(starts[name] + len(texts[name]))] for name in texts
        }
    return {**row, **fields}
