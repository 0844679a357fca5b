"""The format `prodigy`: the JSONL that `prodigy db-out` writes, a row a task and annotator.

Source:  Prodigy's documentation, "Annotation task formats" (spans by characters, and by tokens whose last one is included)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.sources import SourceItem
from annotator.errors import Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.rows.columns import KEY_NAMES
from annotator.formats.rows.files import new_file
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.gold_csv import OF_ONE_PERSON, PlacedSpan, placed_span
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools import labels as tool_labels
from annotator.formats.tools.doccano import Labelled, RowSpan, texts_of_row
from annotator.formats.tools.left_out import LeftOut
from annotator.language import _, unsaid

__all__ = ["read", "write"]

# Writing the format `prodigy`: rows for `prodigy db-in`, one for each annotator of an instance.


ANNOTATOR = "_annotator_id"
ANSWER_FIELD = "user_input"  # where Prodigy's screen for typed text puts what was written
_BETWEEN_SEGMENTS = "\n\n"


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one JSONL file; each set is a span-label, and each annotator whose sets are gold has a row.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    keys = tool_labels.GoldKeys()
    with new_file(path) as file:
        for item in gold:
            keys.add(item)
            for row in _rows(item, options):
                file.write(msgspec.json.encode(row) + b"\n")
        keys.finish()


def _rows(gold: GoldInstance, options: WriteOptions) -> Iterator[tool_labels.Values]:
    """The rows of an instance: for each annotator the sets that came from this person, under labels from 1."""
    task = options.project.task
    fields = tool_labels.gold_fields(gold, task)
    texts = tool_labels.gold_texts(gold)
    lengths = [len(text) + len(_BETWEEN_SEGMENTS) for text in texts.values()]
    starts = dict(zip(texts, accumulate(lengths, initial=0), strict=False))
    tokens = _Tokens.of(gold, starts)
    head: tool_labels.Values = {"id": gold.instance.key, "text": _BETWEEN_SEGMENTS.join(texts.values())}
    for name in ("split", "language", "parent", "perturbation_kind", "exhaustive", "target"):
        head |= {name: fields[name]} if name in fields else {}
    if "metadata" in fields:
        head["meta"] = fields["metadata"]
    if len(task.segments) > 1:
        head["segments"] = {name: [starts[name], starts[name] + len(text)] for name, text in texts.items()}
    if tokens.rows:
        head["tokens"] = tokens.rows
    list(tool_labels.gold_spans(gold))  # refuses a span without a character
    for annotator, sets in _sets_of_each(gold, options):
        spans = [
            tokens.span(placed_span(gold.instance, span), tool_labels.set_label(number))
            for number, index in enumerate(sets)
            for span in gold.sets[index].spans
        ]
        whose = {} if annotator is None else {ANNOTATOR: annotator}
        yield {**head, "spans": spans, **_result(gold, options), "answer": "accept", **whose}


def _sets_of_each(gold: GoldInstance, options: WriteOptions) -> list[tuple[str | None, list[int]]]:
    """The annotators of an instance with the numbers of their sets; all sets by nobody, where they are made of several."""
    by_annotator: dict[str | None, list[int]] = {}
    for index in range(len(gold.sets)):
        origins = gold.origins[index] if index < len(gold.origins) else ()
        names: Sequence[str | None] = list(dict.fromkeys(origin.annotator for origin in origins))
        for name in names if names and options.gold_policy in OF_ONE_PERSON else [None]:
            by_annotator.setdefault(name, []).append(index)
    return list(by_annotator.items()) or [(None, [])]


def _result(gold: GoldInstance, options: WriteOptions) -> tool_labels.Values:
    """The gold label as the choice that was accepted, or the answer as what was written."""
    if gold.result is None:
        return {}
    if options.project.task.result_kind == "answer":
        return {ANSWER_FIELD: gold.result}
    labels = list(dict.fromkeys((*options.project.labels, gold.result)))
    return {"options": [{"id": label, "text": label} for label in labels], "accept": [gold.result]}


class _Tokens:
    """The tokens of an instance in its joined text; none where one of them is blank, which Prodigy could not show."""

    def __init__(self, rows: list[tool_labels.Values], first: dict[str, int], starts: dict[str, int]) -> None:
        self.rows = rows
        self.first = first
        self.starts = starts

    @staticmethod
    def of(gold: GoldInstance, starts: dict[str, int]) -> "_Tokens":
        """The tokens of an instance whose segments begin at these characters."""
        rows: list[tool_labels.Values] = []
        first: dict[str, int] = {}
        for segment in gold.instance.segments:
            if segment.name not in starts:
                continue
            body, begin = segment.body, starts[segment.name]
            first[segment.name] = len(rows)
            for start, end in zip(body.starts, body.ends, strict=True):
                token = {"text": body.text[start:end], "start": begin + start, "end": begin + end, "id": len(rows)}
                rows.append({**token, "ws": body.text[end : end + 1] == " "})
        are_shown = all(row["text"].strip() for row in rows)
        return _Tokens(rows if are_shown else [], first, starts)

    def span(self, placed: PlacedSpan, label: str) -> tool_labels.Values:
        """A span in the joined text; its last token is included, as Prodigy counts."""
        begin, first = self.starts[placed.segment], self.first[placed.segment]
        span: tool_labels.Values = {"start": begin + placed.start_char, "end": begin + placed.end_char, "label": label}
        if self.rows:
            span |= {"token_start": first + placed.start_token, "token_end": first + placed.end_token - 1}
        return span


_REMEDY = unsaid("Export as JSONL with Prodigy's db-out.")
_ANNOTATORS = (ANNOTATOR, "_session_id")
_INPUT, _TASK = "_input_hash", "_task_hash"
_SCREEN = frozenset({"config", "style", "html", "version", "priority", "hidden", "field_rows", "field_label"})


class _Span(msgspec.Struct):
    start: int | None = None
    end: int | None = None
    token_start: int | None = None
    token_end: int | None = None
    label: str | int | None = None


class _Token(msgspec.Struct):
    text: str
    start: int
    end: int


class _Option(msgspec.Struct):
    id: str | int
    text: str | None = None


class _Fields(msgspec.Struct):
    spans: list[_Span] | None = None
    tokens: list[_Token] | None = None
    options: list[_Option] | None = None
    accept: list[str | int] | str | int | None = None
    label: str | int | None = None
    answer: Literal["accept", "reject", "ignore"] = "accept"
    relations: list[Any] | None = None
    arcs: list[Any] | None = None
    flagged: bool | None = None
    segments: dict[str, tuple[int, int]] | None = None


@dataclass(slots=True)
class _Task:
    """A row as it was read. results: the labels or answers of the whole text; spans: None where no spans were asked for."""

    row: Row
    values: tool_labels.Values
    texts: tool_labels.Values
    spans: list[tool_labels.LabelledSpan] | None
    results: list[str]
    notes: list[str]


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The texts of an export as instances; what a person accepted is an annotation, each span-label a set.

    Raises: NotFound or InvalidValue when there is no such file, or it is an archive or a table
    """
    tool_labels.refuse_archives_and_tables(path, _(_REMEDY))
    return RowReader(options).read(_ExportReader(path, options).rows())


@dataclass(slots=True)
class _ExportReader:
    path: Path
    options: ReadOptions
    left_out: LeftOut = field(init=False)
    # By text, then by annotator, then by task: rows of one text need not stand together.
    _tasks: dict[object, dict[str, dict[object, _Task]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left_out = LeftOut(self.path.name, self.options.entities)

    def rows(self) -> Iterator[Row | Problem]:
        """Plain rows for the annotators of each text, what is wrong with rows, and at the end what was left out."""
        for row in read_rows(self.path, self.path.name):
            yield from [row] if isinstance(row, Problem) else self._take(row)
        for by_annotator in self._tasks.values():
            yield from self._rows_of(by_annotator)
        yield from self.left_out.warnings()

    def _take(self, row: Row) -> Iterator[Problem]:
        findings = row.findings()
        values = {name: value for name, value in row.values.items() if value is not None}
        given = {name: values.pop(name) for name in _Fields.__struct_fields__ if name in values}
        fields = convert(given, _Fields, findings)
        if fields is not None:
            task = self._task(row, values, fields, findings)
            if not findings.is_refused:
                self._keep(task, row)
        yield from findings.problems

    def _task(self, row: Row, values: tool_labels.Values, fields: _Fields, findings: Findings) -> _Task:
        labelled = Labelled(segments=fields.segments, unit="characters")
        for number, span in enumerate(fields.spans or ()):
            if (read_span := _characters(span, fields.tokens, f"spans[{number}]", findings)) is not None:
                labelled.spans.append(read_span)
        texts, spans = texts_of_row(values, labelled, self.options.task, findings)
        marks = None if fields.spans is None else [span for _user, span in spans]
        notes = [str(values.pop(name)) for name in tool_labels.NOTE_NAMES if isinstance(values.get(name), str)]
        notes += ["flagged"] if fields.flagged else []
        results = self._results(values, fields)
        if fields.answer != "accept":
            self.left_out.add("rejected task" if fields.answer == "reject" else "ignored task")
            marks, results = None, []
        self.left_out.add("relation", len(fields.relations or fields.arcs or ()))
        if not findings.is_refused and (tokens := _own_tokens(fields, texts)):
            values["tokens"] = tokens
        return _Task(row, values, texts, marks, results, notes)

    def _results(self, values: tool_labels.Values, fields: _Fields) -> list[str]:
        """What was chosen for the whole text: options by their names, the label of a yes-no question, or a written answer."""
        written = values.pop(ANSWER_FIELD, None)
        if self.options.task.result_kind == "answer":
            return [written] if isinstance(written, str) else []
        if isinstance(written, str):
            values[ANSWER_FIELD] = written
        chosen = fields.accept if isinstance(fields.accept, list) else [fields.accept]
        names = {option.id: option.text for option in fields.options or ()}
        results = [self._name(choice, names.get(choice)) for choice in chosen if choice is not None]
        return results or ([] if fields.label is None else [str(fields.label)])

    def _name(self, choice: str | int, text: str | None) -> str:
        """A choice as the project calls it; a number by the text that people saw."""
        is_number = isinstance(choice, int) or choice.isdecimal()
        if text is not None and str(choice) not in self.options.labels and (is_number or text in self.options.labels):
            return text
        return str(choice)

    def _keep(self, task: _Task, row: Row) -> None:
        """The same task again, by the same person, is what that person thinks now."""
        name = next((str(task.values[name]) for name in _ANNOTATORS if task.values.get(name)), UNNAMED_ANNOTATOR)
        input_hash, task_hash = task.values.get(_INPUT), task.values.get(_TASK)
        key = next((task.values[name] for name in KEY_NAMES if name in task.values), input_hash)
        task.values = {
            column: value
            for column, value in task.values.items()
            if not column.startswith("_") and column not in {*KEY_NAMES, *_SCREEN}
        }
        if key is not None:
            task.values["id"] = key
        of_text = self._tasks.setdefault(row.line if key is None else (task.values.get("split"), key), {})
        of_person = of_text.setdefault(name, {})
        of_task: object = (row.line,) if task_hash is None else task_hash
        if of_task in of_person:
            self.left_out.add("earlier annotation")
        of_person[of_task] = task

    def _rows_of(self, by_annotator: Mapping[str, Mapping[object, _Task]]) -> Iterator[Row | Problem]:
        first = next(task for tasks in by_annotator.values() for task in tasks.values())
        findings = first.row.findings()
        marks = [self._marks(name, list(tasks.values())) for name, tasks in by_annotator.items()]
        given = [of_one for of_one in marks if of_one is not None]
        tool_labels.warn_of_cut_words(given, first.texts, findings)
        yield from tool_labels.plain_rows(first.row, first.values, first.texts, given, self.options.task)
        yield from findings.problems

    def _marks(self, name: str, tasks: Sequence[_Task]) -> tool_labels.Marks | None:
        """What one person accepted of a text, in one task or several; None where nothing was."""
        results = list(dict.fromkeys(chain.from_iterable(task.results for task in tasks)))
        if len(results) > 1:
            self.left_out.add("several labels")
        spans = [span for task in tasks for span in task.spans or ()]
        notes = list(dict.fromkeys(note for task in tasks for note in task.notes))
        self.left_out.add_labels(span.label for span in spans)
        if all(task.spans is None for task in tasks) and not results:
            return None
        return tool_labels.Marks(name, results[0] if len(results) == 1 else None, list(dict.fromkeys(spans)), notes)


def _characters(span: _Span, tokens: Sequence[_Token] | None, field_name: str, findings: Findings) -> RowSpan | None:
    """A span by its characters; None, with a finding, for one that says neither them nor tokens of the row."""
    label = "" if span.label is None else str(span.label)
    if span.start is not None and span.end is not None:
        return RowSpan(field_name, span.start, span.end, label, None)
    first, last = span.token_start, span.token_end
    if first is not None and last is not None and tokens and 0 <= first <= last < len(tokens):
        return RowSpan(field_name, tokens[first].start, tokens[last].end, label, None)
    reason = _("Add start and end, or token_start, token_end and tokens.")
    findings.refuse(field_name, [first, last], reason)
    return None


def _own_tokens(fields: _Fields, texts: tool_labels.Values) -> dict[str, list[str]]:
    """The row's tokens by segment, so that marks stay what they are; none where they are no words of the text."""
    tokens = [token for token in fields.tokens or () if token.text.strip()]
    if not tokens or all(len(token.text) == 1 for token in tokens):  # characters, which Prodigy highlights too
        return {}
    ranges = fields.segments or {name: (0, len(text)) for name, text in texts.items()}
    by_segment: dict[str, list[str]] = {}
    for name, (first, end) in ranges.items():
        inside = [token for token in tokens if first <= token.start and token.end <= end]
        text = texts.get(name, "")
        if any(text[token.start - first : token.end - first] != token.text for token in inside):
            return {}
        by_segment[name] = [token.text for token in inside]
    return by_segment if sum(map(len, by_segment.values())) == len(tokens) else {}
