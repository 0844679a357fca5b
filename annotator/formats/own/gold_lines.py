"""Gold as plain JSON lines, an instance a line, which the format `jsonl` reads again (docs/columns.md)."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.tasks import Task
from annotator.formats.contrast.writer import plain_row
from annotator.formats.rows.files import new_file


def write_gold_lines(path: Path, gold: Iterable[GoldInstance], task: Task) -> int:
    """Write a line for each instance; returns how many there are.

    Raises: ExportRefused when the file cannot be written, or tokens cannot be told from the text
    """
    encoder = msgspec.json.Encoder()
    n = 0
    with new_file(path) as file:
        for item in gold:
            file.write(encoder.encode(_line(item, task)) + b"\n")
            n += 1
    return n


def _line(gold: GoldInstance, task: Task) -> dict[str, object]:
    instance = gold.instance
    link = {"parent": instance.parent_key, "perturbation_kind": instance.perturbation_kind}
    more = {"split": instance.split, **{name: value for name, value in link.items() if value is not None}}
    return plain_row(gold, task) | more
