"""The format `label-studio`, in and out: the JSON or JSON-MIN of a Label Studio project in which texts are marked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.sources import SourceItem
from annotator.domain.tasks import Task
from annotator.errors import Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.rows.columns import KEY_NAMES
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.gold_csv import PlacedSpan
from annotator.formats.rows.json_files import read_content, read_items
from annotator.formats.rows.lines import Row, convert
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools import labels as tool_labels
from annotator.formats.tools.labels import Offsets
from annotator.formats.tools.left_out import ExportReader, LeftOut
from annotator.language import _, listed, unsaid

__all__ = ["read", "write"]

# What one person answered in a Label Studio task: regions of texts, choices and written answers.


_NAMED = tool_labels.NOTE_NAMES | {"label", "answer", "result"}
_BLANKS = re.compile(r"\\n|\s")


class RegionValue(msgspec.Struct):
    """The fields of a region's value that we read; what else it holds belongs to other kinds."""

    start: Any = None
    end: Any = None
    text: Any = None
    labels: Any = None
    choices: Any = None


class Region(msgspec.Struct):
    """One item of an annotation's result."""

    type: str = ""
    from_name: str | None = None
    to_name: str | list[str] | None = None
    value: RegionValue | None = None


@dataclass(slots=True)
class Answers:
    """A person's marks, and how many items of theirs could not be read."""

    marks: tool_labels.Marks
    n_unread: int = 0
    _given: dict[str, list[str]] = field(default_factory=dict)

    def give(self, question: str, answers: object) -> None:
        """Keep what was chosen or written for a question: a text, or a list of texts."""
        texts = [answer for answer in (answers if isinstance(answers, list) else [answers]) if isinstance(answer, str)]
        if question.lower() in tool_labels.NOTE_NAMES:
            self.marks.notes.extend(texts)
        else:
            self._given.setdefault(question, []).extend(texts)

    def settle(self, options: ReadOptions, left_out: LeftOut) -> None:
        """Take the result from the question that asks for it; what else was answered is left out."""
        question = tool_labels.one_of_results(self._given, options.task, options.labels)
        answers = self._given.pop(question, []) if question is not None else []
        if len(answers) == 1:
            self.marks.result = answers[0]
        elif answers:
            left_out.add("several answers")
        left_out.add("other answer", len(self._given))


@dataclass(frozen=True, slots=True)
class ResultReader:
    """Reads the annotations of one task, whose segments have these texts."""

    options: ReadOptions
    texts: tool_labels.Values
    findings: Findings
    left_out: LeftOut

    def answers(self, annotator: str, result: Sequence[Region], field_name: str) -> Answers:
        """What one annotation holds; `field_name` is where its result stands."""
        answers = Answers(tool_labels.Marks(annotator))
        for number, region in enumerate(result):
            self._take_region(region, f"{field_name}[{number}]", answers)
        answers.settle(self.options, self.left_out)
        return answers

    def _take_region(self, region: Region, field_name: str, answers: Answers) -> None:
        value, question = region.value or RegionValue(), region.from_name or ""
        if region.type == "labels":
            names = region.to_name if isinstance(region.to_name, list) else [region.to_name or ""]
            self._take_span(value, [*names, question], f"{field_name}.value", answers)
        elif value.start is None and self._is_answer(region.type, question):
            answers.give(question, value.choices if region.type == "choices" else value.text)
        else:
            answers.n_unread += 1
            if region.type == "hypertextlabels":
                self.left_out.add("HTML region")
            else:
                self.left_out.add_kind(shown(region.type))

    def _is_answer(self, kind: str, question: str) -> bool:
        """Whether a result may answer what the task asks: a choice for a label, a text for an answer, or by its name."""
        wanted = "choices" if self.options.task.result_kind == "label" else "textarea"
        return kind == wanted or (kind in {"choices", "textarea"} and question.lower() in _NAMED)

    def _take_span(self, value: RegionValue, names: Sequence[str], field_name: str, answers: Answers) -> None:
        labels = [label for label in value.labels if isinstance(label, str)] if isinstance(value.labels, list) else []
        if not labels:
            answers.n_unread += 1
            self.left_out.add("unlabelled region")
            return
        if not (_is_whole(value.start) and _is_whole(value.end)):
            reason = _("Offsets must be integers; only Text regions are read.")
            self.findings.refuse(field_name, [value.start, value.end], reason)
            return
        segment = self._segment(names, value, field_name)
        if segment is None:
            return
        text = self.texts[segment]
        characters = self._range(text, value, field_name) if isinstance(text, str) else None
        if characters is not None:
            answers.marks.spans += [
                tool_labels.LabelledSpan(label, segment, *characters) for label in dict.fromkeys(labels)
            ]

    def _segment(self, names: Sequence[str], value: RegionValue, field_name: str) -> str | None:
        """The segment of a region: by the names of the tags, else the only one that reads there as was recorded."""
        segment = tool_labels.named_segment(self.options.task, names, self.texts)
        if segment is None and isinstance(value.text, str):
            fitting = [
                n for n, t in self.texts.items() if isinstance(t, str) and _says(t, value.start, value.end, value)
            ]
            segment = fitting[0] if len(fitting) == 1 else None
        if segment is None:
            texts = listed([f"'{name}'" for name in self.texts]) or _("no text")
            reason = _("Name the Text tag and its field like the marked segment ({texts}).", texts=texts)
            self.findings.refuse(field_name, names[0], reason)
        return segment

    def _range(self, text: str, value: RegionValue, field_name: str) -> tuple[int, int] | None:
        """Characters, which Label Studio counts since 1.4; before, it counted UTF-16 units, as the recorded text tells."""
        recorded = value.text if isinstance(value.text, str) and value.text else None
        if recorded is not None and not _says(text, value.start, value.end, value):
            units = Offsets.of(text, "utf-16")
            start, end = units.character(value.start), units.character(value.end)
            if start is not None and end is not None and start < end and _says(text, start, end, value):
                self.left_out.add("UTF-16 region")
                return start, end
            if 0 <= value.start < value.end <= len(text):
                in_text = shown(text[value.start : value.end])
                reason = _(
                    "Recorded '{recorded}', but the text says '{in_text}'. Correct the region.",
                    recorded=shown(recorded),
                    in_text=in_text,
                )
                self.findings.refuse(field_name, [value.start, value.end], reason)
                return None
        return Offsets.of(text, "characters").range_of(value.start, value.end, field_name, self.findings)

    def minimal_answers(self, annotator: str, values: tool_labels.Values) -> Answers:
        """What a row of JSON-MIN holds; the fields with answers are taken out of its values."""
        answers = Answers(tool_labels.Marks(annotator))
        for name in list(values):
            value = values[name]
            if _holds_regions(value):
                for number, item in enumerate(values.pop(name)):
                    region = Region(_kind_of(item), name, None, msgspec.convert(item, RegionValue))
                    self._take_region(region, f"{name}[{number}]", answers)
            elif isinstance(value, dict) and "choices" in value:
                answers.give(name, values.pop(name)["choices"])
            elif isinstance(value, str) and (name.lower() in _NAMED or value in self.options.labels):
                answers.give(name, values.pop(name))
        answers.settle(self.options, self.left_out)
        return answers


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _says(text: str, start: int, end: int, value: RegionValue) -> bool:
    """Whether the text reads there as was recorded; blanks, which a browser shows otherwise, are not compared."""
    if not 0 <= start < end <= len(text):
        return False
    return _BLANKS.sub("", text[start:end]) == _BLANKS.sub("", str(value.text))


def _holds_regions(value: object) -> bool:
    """Whether a field of JSON-MIN is a list of regions: each has a place and what is marked there."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(i, dict) and {"start", "end"} <= i.keys() for i in value)
    )


def _kind_of(item: tool_labels.Values) -> str:
    """The kind of a region of JSON-MIN, whose labels stand under the name of the kind."""
    return next((name for name in item if name.endswith("labels")), "labels")


# Writing the format `label-studio`: tasks with their gold as annotations, to import into a Label Studio project.


_LINE_ENDS = re.compile("[\n\r]")


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one file, a list with a task on each line.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    tool_labels.write_list(path, gold, lambda item: _task(item, options.project.task))


def _task(gold: GoldInstance, task: Task) -> tool_labels.Values:
    fields = tool_labels.gold_fields(gold, task)
    meta = fields.pop("metadata", None)
    data = {"key": gold.instance.key, **fields, **tool_labels.gold_texts(gold)}
    annotation = {"result": [*_regions(gold), *_answer(gold, task)]}
    return {"data": data, **({"meta": meta} if meta else {}), "annotations": [annotation]}


def _regions(gold: GoldInstance) -> list[tool_labels.Values]:
    return [_region(f"r{number}", label, span) for number, (label, span) in enumerate(tool_labels.gold_spans(gold), 1)]


def _region(region_id: str, label: str, span: PlacedSpan) -> tool_labels.Values:
    """A span as Label Studio writes it: characters, and the line ends of the recorded text as backslash and n."""
    recorded = _LINE_ENDS.sub(r"\\n", span.text)
    return {
        "id": region_id,
        "from_name": f"rationale_{span.segment}",
        "to_name": span.segment,
        "type": "labels",
        "value": {"start": span.start_char, "end": span.end_char, "text": recorded, "labels": [label]},
    }


def _answer(gold: GoldInstance, task: Task) -> list[tool_labels.Values]:
    if not gold.result:
        return []
    to_name = next(iter(tool_labels.gold_texts(gold)))
    kind, value = ("choices", {"choices": [gold.result]})
    if task.result_kind == "answer":
        kind, value = ("textarea", {"text": [gold.result]})
    return [{"id": "result", "from_name": task.result_kind, "to_name": to_name, "type": kind, "value": value}]


_REMEDY = unsaid("Export as JSON from Label Studio.")
_WANTED = unsaid("Export as JSON from Label Studio.")
# Fields of a row of JSON-MIN that tell of the annotation and not of the task.
_OF_ANNOTATION = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "history", "agreement")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The tasks of an export as instances; each person's annotation is an annotation, each span-label a set.

    Raises: NotFound or InvalidValue when there is no such file, or it is an archive or a table
    """
    tool_labels.refuse_archives_and_tables(path, _(_REMEDY))
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


class _ExportReader(ExportReader):
    __slots__ = ()

    def rows(self, content: bytes) -> Iterator[Row | Problem]:
        """Plain rows of every task, what is wrong with it, and at the end what was left out."""
        for item_key, group in groupby(read_items(content, self.source, _(_WANTED)), _task_of_min):
            if item_key is not None:
                yield from self._minimal_task([row for row in group if isinstance(row, Row)])
                continue
            for item in group:
                yield from [item] if isinstance(item, Problem) else self._task(item)
        yield from self.left_out.warnings()

    def _task(self, row: Row) -> Iterator[Row | Problem]:
        findings = row.findings()
        task = convert(row.values, _Task, findings)
        if task is not None:
            values = {name: value for name, value in task.data.items() if value is not None}
            texts = tool_labels.take_texts(values, self.options.task)
            _take_key(values, KEY_NAMES, task.id, self.options, findings)
            if isinstance(task.meta, dict) and task.meta and not {"meta", "metadata"} & values.keys():
                values["metadata"] = task.meta
            self.left_out.add("prediction", len(task.predictions or ()))
            self.left_out.add("draft", len(task.drafts or ()))
            answers = list(self._annotations(task, texts, findings))
            yield from self._plain(row, values, texts, answers, findings)
        yield from findings.problems

    def _annotations(self, task: _Task, texts: tool_labels.Values, findings: Findings) -> Iterator[Answers]:
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
        values: tool_labels.Values = {}
        texts: tool_labels.Values = {}
        answers = []
        for row in rows:
            values = {name: value for name, value in row.values.items() if value is not None}
            is_annotation, who = "annotation_id" in values, _name(values.get("annotator"))
            for name in _OF_ANNOTATION:
                values.pop(name, None)
            texts = tool_labels.take_texts(values, self.options.task)
            results = ResultReader(self.options, texts, findings, self.left_out)
            if is_annotation:  # a task that nobody annotated has a row, too
                answers.append(results.minimal_answers(who, values))
        names = tuple(name for name in KEY_NAMES if name not in {"id", "annotation_id"})
        _take_key(values, names, values.pop("id", None), self.options, findings)
        yield from self._plain(first, values, texts, answers, findings)
        yield from findings.problems

    def _plain(
        self,
        row: Row,
        values: tool_labels.Values,
        texts: tool_labels.Values,
        answers: list[Answers],
        findings: Findings,
    ) -> Iterator[Row]:
        marks = self._marks(answers)
        if findings.is_refused:
            return
        tool_labels.warn_of_cut_words(marks, texts, findings)
        self.left_out.add_labels(span.label for of_one in marks for span in of_one.spans)
        yield from tool_labels.plain_rows(row, values, texts, marks, self.options.task)

    def _marks(self, answers: Iterable[Answers]) -> list[tool_labels.Marks]:
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
    values: tool_labels.Values, names: tuple[str, ...], task_id: object, options: ReadOptions, findings: Findings
) -> None:
    """Set `id` to the data's own key, else to the number that Label Studio gave the task."""
    given = next((values[name] for name in ("key", *names) if values.get(name, "") != ""), task_id)
    if not tool_labels.has_key(given, options, findings):
        values.pop("key", None)
        values.pop("id", None)
        return
    if values.get("id", given) != given:
        values["data.id"] = values["id"]
    values.pop("key", None)
    values["id"] = given
