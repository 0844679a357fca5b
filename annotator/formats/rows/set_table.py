"""Writing gold as CSV, a row a rationale set, for spreadsheets and data frames; gold_table.py reads it."""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.tasks import Task
from annotator.domain.texts import Span, TokenizedText
from annotator.errors import ExportRefused, InvalidValue
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import NO_GOLD, new_file
from annotator.formats.rows.gold_spans import PlacedSpan, placed_span
from annotator.formats.rows.spreadsheets import write_csv
from annotator.language import _
from annotator.text.alignment import align_tokens

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
            raise ExportRefused(_(NO_GOLD))


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
        *(("target",) if task.has_target else ()),
        "parent",
        "perturbation_kind",
        "exhaustive",
        "gold_policy",
        "tokens",
    )


def rows_of(gold: GoldInstance, options: WriteOptions) -> Iterator[dict[str, object]]:
    """A row for each set of an instance.

    set: its number from 1; marked: what it says; token_indices: of the instance; spans: by tokens of the segment and by
    characters; tokens: of each segment; empty where a list of them does not say where they stand in the text
    """
    instance, task = gold.instance, options.project.task
    head: dict[str, object] = {
        "id": instance.key, "split": instance.split, "language": instance.language, **_texts(instance, task),
        task.result_kind: gold.result, "n_sets": len(gold.sets), "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind, "exhaustive": _truth(instance.is_exhaustive),
        "gold_policy": options.gold_policy, "tokens": _tokens(instance, task),
    }  # fmt: skip
    if instance.target is not None:
        head["target"] = _json(_span(placed_span(instance, Span(*instance.target))))
    if not gold.sets:
        yield head
    for index, rationale_set in enumerate(gold.sets):
        spans = [placed_span(instance, span) for span in rationale_set.spans]
        origins = gold.origins[index] if index < len(gold.origins) else ()
        yield head | {
            "set": index + 1,
            "marked": _BETWEEN.join(span.text for span in spans),
            "token_indices": " ".join(map(str, rationale_set.token_indices)),
            "spans": _json([_span(span) for span in spans]),
            "annotators": _names([origin.annotator for origin in origins]),
        }


def _span(span: PlacedSpan) -> dict[str, object]:
    return {name: value for name, value in asdict(span).items() if name != "text"}


def _names(names: Sequence[str]) -> str:
    """Names with semicolons between them; as JSON where one of them could not be told from the next."""
    different = list(dict.fromkeys(names))
    is_plain = not any(";" in name or name != name.strip() or name.startswith("[") for name in different)
    return "; ".join(different) if is_plain else _json(different)


def _truth(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tokens(instance: Instance, task: Task) -> str | None:
    """The tokens of each segment, where they are found again at the same places of its text; else nothing."""
    bodies = {segment.name: segment.body for segment in instance.segments if _is_written(segment, task)}
    return (
        _json({name: body.tokens() for name, body in bodies.items()})
        if all(map(_is_aligned, bodies.values()))
        else None
    )


def _is_written(segment: Segment, task: Task) -> bool:
    spec = task.spec_of(segment.name)
    return bool(segment.body.text) or spec is None or not spec.may_be_empty


def _is_aligned(body: TokenizedText) -> bool:
    try:
        aligned = align_tokens(body.text, body.tokens())
    except InvalidValue:
        return False
    return (aligned.starts, aligned.ends) == (body.starts, body.ends)


def _texts(instance: Instance, task: Task) -> dict[str, object]:
    """Each segment in its column; further documents of a task that may have several together, as JSON."""
    texts = {segment.name: segment.body.text for segment in instance.segments}
    known = {spec.name for spec in task.segments}
    more = {name: text for name, text in texts.items() if name not in known}
    columns_of_texts: dict[str, object] = {name: text for name, text in texts.items() if name in known}
    return columns_of_texts | ({"more_texts": json.dumps(more, ensure_ascii=False)} if more else {})
