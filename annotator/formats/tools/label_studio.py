"""The format `label-studio`: the JSON or JSON-MIN export of a Label Studio project in which texts are marked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.sources import SourceItem
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_names import KEY_NAMES
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_items import read_content, read_items
from annotator.formats.rows.lines import Row, convert
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools.label_studio_results import Answers, Region, ResultReader
from annotator.formats.tools.label_studio_writer import write
from annotator.formats.tools.labels import (
    Marks,
    Values,
    has_key,
    plain_rows,
    refuse_archives_and_tables,
    take_texts,
    warn_of_cut_words,
)
from annotator.formats.tools.left_out import LeftOut
from annotator.language import _, unsaid

__all__ = ["read", "write"]

_REMEDY = unsaid("Export the project from Label Studio as JSON.")
_WANTED = unsaid("A Label Studio export is one list of tasks. Export the project from Label Studio as JSON.")
# Fields of a row of JSON-MIN that tell of the annotation and not of the task.
_OF_ANNOTATION = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "history", "agreement")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The tasks of an export as instances; each person's annotation is an annotation, each span-label a set.

    Raises: NotFound or InvalidValue when there is no such file, or it is an archive or a table
    """
    refuse_archives_and_tables(path, _(_REMEDY))
    return RowReader(options).read(_ExportReader(path.name, options).rows(read_content(path)))


class _User(msgspec.Struct):
    email: str | None = None
    id: int | str | None = None


class _Annotation(msgspec.Struct):
    result: list[Region] | None = None
    completed_by: int | str | _User | None = None
    was_cancelled: bool | None = False
    skipped: bool | None = False
    created_at: str | int | None = None
    updated_at: str | int | None = None


class _Task(msgspec.Struct):
    data: dict[str, Any]
    id: int | str | None = None
    annotations: list[_Annotation] | None = None
    completions: list[_Annotation] | None = None  # what annotations were called before version 1.0
    predictions: list[Any] | None = None
    drafts: list[Any] | None = None
    meta: Any = None


@dataclass(slots=True)
class _ExportReader:
    source: str
    options: ReadOptions
    left_out: LeftOut = field(init=False)

    def __post_init__(self) -> None:
        self.left_out = LeftOut(self.source)

    def rows(self, content: bytes) -> Iterator[Row | Problem]:
        """Plain rows of every task, what is wrong with it, and at the end what was left out."""
        for item_key, group in groupby(read_items(content, self.source, _(_WANTED)), _task_of_min):
            if item_key is not None:
                yield from self._minimal_task([row for row in group if isinstance(row, Row)])
                continue
            for item in group:
                if isinstance(item, Problem):
                    yield item
                else:
                    yield from self._task(item)
        yield from self.left_out.warnings()

    def _task(self, row: Row) -> Iterator[Row | Problem]:
        findings = row.findings()
        task = convert(row.values, _Task, findings)
        if task is not None:
            values = {name: value for name, value in task.data.items() if value is not None}
            texts = take_texts(values, self.options.task)
            _take_key(values, KEY_NAMES, task.id, self.options, findings)
            if isinstance(task.meta, dict) and task.meta and not {"meta", "metadata"} & values.keys():
                values["metadata"] = task.meta
            self.left_out.add("prediction", len(task.predictions or ()))
            self.left_out.add("draft", len(task.drafts or ()))
            answers = list(self._annotations(task, texts, findings))
            yield from self._plain(row, values, texts, answers, findings)
        yield from findings.problems

    def _annotations(self, task: _Task, texts: Values, findings: Findings) -> Iterator[Answers]:
        """What each person answered; of several annotations by one person the one changed last."""
        results = ResultReader(self.options, texts, findings, self.left_out)
        is_old = task.annotations is None
        latest: dict[str, tuple[str, int, _Annotation]] = {}
        for number, annotation in enumerate((task.completions if is_old else task.annotations) or ()):
            if annotation.was_cancelled or annotation.skipped:
                self.left_out.add("skipped annotation")
                continue
            who = _name(annotation.completed_by)
            dated = (str(annotation.updated_at or annotation.created_at or ""), number, annotation)
            if who in latest:
                self.left_out.add("earlier annotation")
            latest[who] = max(dated, latest.get(who, dated), key=lambda known: known[:2])
        for who, (_date, number, annotation) in latest.items():
            field_name = f"{'completions' if is_old else 'annotations'}[{number}].result"
            yield results.answers(who, annotation.result or (), field_name)

    def _minimal_task(self, rows: list[Row]) -> Iterator[Row | Problem]:
        """JSON-MIN has a row for each annotation of a task, with the data and the answers side by side."""
        first = rows[0]
        findings = first.findings()
        values: Values = {}
        texts: Values = {}
        answers = []
        for row in rows:
            values = {name: value for name, value in row.values.items() if value is not None}
            is_annotation, who = "annotation_id" in values, _name(values.get("annotator"))
            for name in _OF_ANNOTATION:
                values.pop(name, None)
            texts = take_texts(values, self.options.task)
            results = ResultReader(self.options, texts, findings, self.left_out)
            if is_annotation:  # a task that nobody annotated has a row, too
                answers.append(results.minimal_answers(who, values))
        names = tuple(name for name in KEY_NAMES if name not in {"id", "annotation_id"})
        _take_key(values, names, values.pop("id", None), self.options, findings)
        yield from self._plain(first, values, texts, answers, findings)
        yield from findings.problems

    def _plain(
        self, row: Row, values: Values, texts: Values, answers: list[Answers], findings: Findings
    ) -> Iterator[Row]:
        marks = self._marks(answers)
        if findings.is_refused:
            return
        warn_of_cut_words(marks, texts, findings)
        self.left_out.add_labels(span.label for of_one in marks for span in of_one.spans)
        yield from plain_rows(row, values, texts, marks, self.options.task)

    def _marks(self, answers: Iterable[Answers]) -> list[Marks]:
        """Without those who answered nothing that can be read."""
        marks = []
        for answer in answers:
            if answer.n_unread and not answer.marks.spans and answer.marks.result is None:
                self.left_out.add("empty annotation")
            else:
                marks.append(answer.marks)
        return marks


def _task_of_min(item: Row | Problem) -> str | None:
    """The task that a row of JSON-MIN belongs to; None for any other item."""
    if isinstance(item, Problem) or "data" in item.values or "annotation_id" not in item.values:
        return None
    task_id = item.values.get("id")
    return item.source if task_id is None else f"task {task_id}"


def _name(completed_by: object) -> str:
    """The annotator's name: the email where the export gives it, else the user's number."""
    if isinstance(completed_by, _User):
        completed_by = completed_by.email or completed_by.id
    if isinstance(completed_by, int) or (isinstance(completed_by, str) and completed_by.isdecimal()):
        return f"user {completed_by}"
    return completed_by if completed_by and isinstance(completed_by, str) else UNNAMED_ANNOTATOR


def _take_key(
    values: Values, names: tuple[str, ...], task_id: object, options: ReadOptions, findings: Findings
) -> None:
    """Set `id` to the data's own key, else to the number that Label Studio gave the task."""
    given = next((values[name] for name in ("key", *names) if values.get(name, "") != ""), task_id)
    if not has_key(given, options, findings):
        values.pop("key", None)
        values.pop("id", None)
        return
    if values.get("id", given) != given:
        values["data.id"] = values["id"]
    values.pop("key", None)
    values["id"] = given
