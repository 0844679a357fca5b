"""Writing gold as CSV, a row a rationale set: for spreadsheets and data frames; our own JSONL is what comes back whole."""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.tasks import Task
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import NO_GOLD, new_file
from annotator.formats.rows.gold_spans import placed_span
from annotator.formats.rows.spreadsheets import write_csv

_BETWEEN = " … "  # of the stretches of a set


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one CSV file; an instance without sets has one row, whose columns of the set are empty.

    Raises: ExportRefused when there is no instance, or the file cannot be written
    """
    rows = _Rows(gold, options)
    with new_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            write_csv(text, rows.heads, rows)
        finally:
            text.detach()  # the file is closed by whoever opened it
        if not rows.n_instances:
            raise ExportRefused(NO_GOLD)


class _Rows:
    """The rows of all instances, one after another; counts the instances."""

    def __init__(self, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
        self.gold = gold
        self.options = options
        self.heads = columns(options.project.task)
        self.n_instances = 0

    def __iter__(self) -> Iterator[list[object]]:
        for item in self.gold:
            self.n_instances += 1
            for row in rows_of(item, self.options):
                yield [row.get(name) for name in self.heads]


def columns(task: Task) -> tuple[str, ...]:
    """The heads: what tells the instance, its texts, its result, and the set."""
    texts = tuple(spec.name for spec in task.segments)
    more = ("more_texts",) if any(spec.may_repeat for spec in task.segments) else ()
    of_set = ("set", "n_sets", "marked", "token_indices", "spans", "annotators")
    return (
        "id",
        "split",
        "language",
        *texts,
        *more,
        task.result_kind,
        *of_set,
        "parent",
        "perturbation_kind",
        "gold_policy",
    )


def rows_of(gold: GoldInstance, options: WriteOptions) -> Iterator[dict[str, object]]:
    """A row for each set of an instance.

    set: its number from 1; marked: what it says; token_indices: of the instance; spans: as `annotator import` reads them
    """
    instance, task = gold.instance, options.project.task
    head: dict[str, object] = {
        "id": instance.key, "split": instance.split, "language": instance.language, **_texts(instance, task),
        task.result_kind: gold.result, "n_sets": len(gold.sets), "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind, "gold_policy": options.gold_policy,
    }  # fmt: skip
    if not gold.sets:
        yield head
    for index, rationale_set in enumerate(gold.sets):
        spans = [placed_span(instance, span) for span in rationale_set.spans]
        origins = gold.origins[index] if index < len(gold.origins) else ()
        yield head | {
            "set": index + 1,
            "marked": _BETWEEN.join(span.text for span in spans),
            "token_indices": " ".join(map(str, rationale_set.token_indices)),
            "spans": json.dumps([_span(asdict(span)) for span in spans], ensure_ascii=False, separators=(",", ":")),
            "annotators": "; ".join(dict.fromkeys(origin.annotator for origin in origins)),
        }


def _span(span: dict[str, object]) -> dict[str, object]:
    return {name: span[name] for name in ("segment", "start_char", "end_char")}


def _texts(instance: Instance, task: Task) -> dict[str, object]:
    """Each segment in its column; further documents of a task that may have several together, as JSON."""
    texts = {segment.name: segment.body.text for segment in instance.segments}
    known = {spec.name for spec in task.segments}
    more = {name: text for name, text in texts.items() if name not in known}
    columns_of_texts: dict[str, object] = {name: text for name, text in texts.items() if name in known}
    return columns_of_texts | ({"more_texts": json.dumps(more, ensure_ascii=False)} if more else {})
