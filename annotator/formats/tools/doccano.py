"""The format `doccano`, in and out: the JSONL (or JSON) that doccano exports, one file an annotator, in a folder or alone."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.sources import SourceItem
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.rows.checks import LABEL
from annotator.formats.rows.columns import field_names, segment_of
from annotator.formats.rows.files import SortedLines, new_file
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.json_files import read_content, read_items
from annotator.formats.rows.lines import Row, convert, read_lines, read_rows
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools.labels import (
    GoldKeys,
    LabelledSpan,
    Marks,
    Offsets,
    OffsetUnit,
    Values,
    gold_fields,
    gold_spans,
    gold_texts,
    has_key,
    is_unit,
    plain_rows,
    refuse_archives_and_tables,
    take_texts,
    warn_of_cut_words,
)
from annotator.formats.tools.left_out import ExportReader
from annotator.language import _, unsaid

__all__ = ["read", "write"]

# One row of a doccano export, in the forms of its versions: spans, labels of the whole text, relations, comments.


# The names under which versions and kinds of project export labels.
_LABEL_FIELDS = ("label", "labels", "entities", "annotations", "cats")


class _Entity(msgspec.Struct):
    label: str | int | None = None
    text: str | None = None
    start_offset: int | None = None
    end_offset: int | None = None
    user: int | str | None = None


class _Comment(msgspec.Struct):
    comment: str | None = None
    text: str | None = None


_Label = _Entity | tuple[int, int, str | int] | str | int


class _Fields(msgspec.Struct):
    label: list[_Label] | str | int | None = None
    labels: list[_Label] | str | int | None = None
    entities: list[_Label] | None = None
    annotations: list[_Label] | None = None
    cats: list[_Label] | None = None
    relations: list[Any] | None = None
    Comments: list[_Comment | str] | str | None = None
    comments: list[_Comment | str] | str | None = None
    offsets: str | None = None
    segments: dict[str, tuple[int, int]] | None = None


@dataclass(slots=True)
class UnreadLabels:
    """What a row holds that is not taken, or read on a supposition."""

    n_relations: int = 0
    n_label_lists: int = 0
    n_doubtful: int = 0


@dataclass(frozen=True, slots=True)
class RowSpan:
    """A span of a row's text as the file counts it, under its label; user: whose it is, where the file names one."""

    field_name: str
    start: int
    end: int
    label: str
    user: int | str | None


@dataclass(slots=True)
class Labelled:
    """The labels of a row, not yet brought to segments.

    result: that of the whole text, where there is one; results: (user, label) for each that somebody gave
    """

    spans: list[RowSpan] = field(default_factory=list)
    result: str | None = None
    results: list[tuple[int | str | None, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    segments: Mapping[str, tuple[int, int]] | None = None
    unit: OffsetUnit | None = None
    unread: UnreadLabels = field(default_factory=UnreadLabels)

    def results_of(self, user: int | str | None) -> list[str]:
        """What one user, or nobody by name, said of the whole text."""
        return [label for whose, label in self.results if whose == user]

    def result_of(self, user: int | str | None) -> str | None:
        """The one label that a user gave the whole text, else what the row says of it without a user."""
        return _only({*self.results_of(user)} or {*self.results_of(None)})


@dataclass(frozen=True, slots=True)
class LabelNames:
    """What labels are called of which a row says the number alone. wanted: numbers that are names, or get one."""

    by_number: Mapping[int, str] = field(default_factory=dict)
    wanted: Collection[str] = ()

    def of(self, label: str | int) -> str | None:
        """A label by its name; None for a number of which nobody says it."""
        if isinstance(label, str):
            return label
        name = self.by_number.get(label)
        return str(label) if name is None and str(label) in self.wanted else name


def labelled_row(values: Values, findings: Findings, names: LabelNames) -> Labelled | None:
    """Take the labels out of a row's values; None, with findings, when they cannot be read."""
    given = {name: values.pop(name) for name in _Fields.__struct_fields__ if name in values}
    fields = convert(given, _Fields, findings)
    if fields is None:
        return None
    labelled = Labelled(segments=fields.segments)
    labelled.unread.n_relations = len(fields.relations or ())
    for given_comments in (fields.Comments, fields.comments):
        comments = [given_comments] if isinstance(given_comments, str) else given_comments or []
        words = [(c.comment or c.text) if isinstance(c, _Comment) else c for c in comments]
        labelled.comments += [word for word in words if word]
    if is_unit(fields.offsets):
        labelled.unit = fields.offsets
    elif fields.offsets is not None:
        findings.refuse(
            "offsets", fields.offsets, _("Must be one of {values}.", values='"utf-16", "graphemes", "characters"')
        )
    for name in _LABEL_FIELDS:
        _take_labels(name, getattr(fields, name), labelled, names, findings)
    labelled.result = _only({label for _user, label in labelled.results})
    by_user = [labelled.results_of(user) for user, _label in labelled.results]
    labelled.unread.n_label_lists += any(len({*of_one}) > 1 for of_one in by_user)
    return None if findings.is_refused else labelled


def _only(labels: Collection[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None


def _take_labels(
    name: str, given: Sequence[_Label] | str | int | None, labelled: Labelled, names: LabelNames, findings: Findings
) -> None:
    """Take in the spans, and the labels of the whole text."""
    if not isinstance(given, list):
        labelled.results += [] if given is None else [(None, str(given))]
        return
    for number, label in enumerate(given):
        field_name = f"{name}[{number}]"
        if isinstance(label, str | int):
            labelled.results.append((None, str(label)))
        elif isinstance(label, tuple):
            labelled.spans.append(RowSpan(field_name, label[0], label[1], str(label[2]), None))
        elif label.start_offset is not None and label.end_offset is not None:
            span_label = "" if label.label is None else names.of(label.label) or str(label.label)
            labelled.spans.append(RowSpan(field_name, label.start_offset, label.end_offset, span_label, label.user))
        elif (label_or_answer := label.text if label.label is None else names.of(label.label)) is not None:
            labelled.results.append((label.user, label_or_answer))
        elif label.label is None:
            findings.refuse(field_name, "", _("Missing label."))
        else:
            reason = _("The label is a number. Use --rename {pair} or label_config.json.", pair=f"{label.label}=LABEL")
            findings.refuse(f"{field_name}.label", label.label, reason, LABEL)


Spans = list[tuple[int | str | None, LabelledSpan]]


def texts_of_row(values: Values, labelled: Labelled, task: Task, findings: Findings) -> tuple[Values, Spans]:
    """The texts of the segments, and the spans in them with the number of the user who made each, if the file names one."""
    text = values.pop("text", values.pop("data", None))
    if not isinstance(text, str):
        findings.refuse("text", text, _("Must not be empty."))
        return {}, []
    ranges = _segments(text, values, labelled, task, findings)
    if findings.is_refused:
        return {}, []
    texts: Values = {name: text[start:end] for name, (start, end) in ranges.items()}
    spans = []
    units = Offsets.of(text, labelled.unit or "utf-16")
    for span in labelled.spans:
        characters = units.range_of(span.start, span.end, span.field_name, findings)
        parts = [] if characters is None else _parts(*characters, span.label, ranges)
        if characters is not None and not parts:
            findings.refuse(span.field_name, [span.start, span.end], _("It's between segments. Remove it."))
        spans += [(span.user, part) for part in parts]
    labelled.unread.n_doubtful = int(_is_doubtful(text, labelled))
    others = take_texts(values, task, are_named=True) if labelled.segments is None else {}
    return {**others, **texts}, spans


def _segments(
    text: str, values: Values, labelled: Labelled, task: Task, findings: Findings
) -> dict[str, tuple[int, int]]:
    """Where each segment stands in the text, in characters: as the row says, else one segment is all of it."""
    if labelled.segments is None:
        selectable = [spec.name for spec in task.segments if spec.is_selectable]
        name = segment_of(task, "text") or (selectable[0] if len(selectable) == 1 else None)
        if name is None:
            reason = _(
                'Task \'{name}\' needs several texts. Add "segments": {{"{selectable}": [0, 12], ...}}.',
                name=task.name,
                selectable=selectable[0],
            )
            findings.refuse("segments", list(values), reason)
        return {} if name is None else {name: (0, len(text))}
    units = Offsets.of(text, labelled.unit or "utf-16")
    for name in (name for name in labelled.segments if task.spec_of(name) is None):
        known = listed([spec.name for spec in task.segments])
        findings.refuse(f"segments.{name}", name, _("No such segment, only {known}.", known=known))
    ranges_or_none = {
        name: units.range_of(start, end, f"segments.{name}", findings)
        for name, (start, end) in labelled.segments.items()
    }
    return {name: characters for name, characters in ranges_or_none.items() if characters is not None}


def _parts(start: int, end: int, label: str, ranges: Mapping[str, tuple[int, int]]) -> list[LabelledSpan]:
    """A span of the whole text, cut where segments end."""
    cut = ((name, max(start, first), min(end, last), first) for name, (first, last) in ranges.items())
    return [LabelledSpan(label, name, a - first, b - first) for name, a, b, first in cut if a < b]


def _is_doubtful(text: str, labelled: Labelled) -> bool:
    """Whether some span would lie elsewhere in characters or grapheme clusters, and the row does not say what it counts."""
    if labelled.unit is not None or not labelled.spans or text.isascii():
        return False
    last = max(span.end for span in labelled.spans)
    return any(Offsets.of(text, unit).character(last) != Offsets.of(text, "utf-16").character(last) for unit in _OTHERS)


_OTHERS: tuple[OffsetUnit, ...] = ("characters", "graphemes")


# Writing the format `doccano`: rows to import into a doccano project for sequence labelling.


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


_REMEDY = unsaid("Export as JSONL from doccano.")
_EVERYBODY = frozenset({"all", "unknown"})  # the files that doccano writes for no one person
_KEYS = ("id", "key", "doc_id")
_LABEL_FILES = ("label_config.json", "labels.json")  # of doccano's page of labels


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The rows of an export as instances; each file's labels are an annotator's, each span-label a set.

    Raises: NotFound or InvalidValue when there is no such file, it is an archive or a table, or the folder has none
    """
    refuse_archives_and_tables(path, _(_REMEDY))
    return RowReader(options).read(_ExportReader(path.name, options, _files(path), _label_names(path, options)).rows())


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in {".jsonl", ".json"} and file.is_file())
    files = [file for file in files if file.name not in _LABEL_FILES]
    if not files:
        raise InvalidValue(_("No .jsonl in '{path}'. Export as JSONL from doccano.", path=path))
    return files


def _rows_of(file: Path) -> Iterator[Row | Problem]:
    """One row a line, or, in the export called JSON, one list."""
    first = next(read_lines(file), None)
    if first is not None and (first.content or b"").lstrip().startswith(b"["):
        wanted = _("Export as JSONL from doccano.")
        return read_items(read_content(file), file.name, wanted)
    return read_rows(file, file.name)


def _label_names(path: Path, options: ReadOptions) -> LabelNames:
    """The names of labels by their numbers, from doccano's own file of them in the same folder, where there is one."""
    folder = path if path.is_dir() else path.parent
    by_number: dict[int, str] = {}
    for file in (folder / name for name in _LABEL_FILES):
        for row in read_items(read_content(file), file.name, "") if file.is_file() else ():
            if isinstance(row, Row) and isinstance(number := row.values.get("id"), int):
                by_number[number] = str(row.values.get("text"))
    return LabelNames(by_number, {*options.renamed, *options.labels})


@dataclass(slots=True)
class _ExportReader(ExportReader):
    files: list[Path]
    names: LabelNames
    _seen: set[int] = field(default_factory=set)
    _results: dict[int, str | None] = field(default_factory=dict)  # by key: what all files say; None: they differ

    def rows(self) -> Iterator[Row | Problem]:
        """Plain rows of all files, what is wrong with them, and at the end what was left out."""
        if len(self.files) > 1:
            self._compare_results()
        for file in self.files:
            name = UNNAMED_ANNOTATOR if file.stem in _EVERYBODY else file.stem
            for row in _rows_of(file):
                yield from [row] if isinstance(row, Problem) else self._row(row, name)
        yield from self.left_out.warnings()

    def _compare_results(self) -> None:
        """Find out on which result all annotators of a row agree, since each file has only its own."""
        for file in self.files:
            for row in _rows_of(file):
                if isinstance(row, Problem):
                    continue
                values = {column: value for column, value in row.values.items() if value is not None}
                labelled = labelled_row(values, row.findings(), self.names)
                if labelled is not None and labelled.result is not None:
                    row_key = _row_key(values)
                    agreed = self._results.setdefault(row_key, labelled.result)
                    self._results[row_key] = agreed if agreed == labelled.result else None

    def _row(self, row: Row, name: str) -> Iterator[Row | Problem]:
        findings = row.findings()
        values = {column: value for column, value in row.values.items() if value is not None}
        row_key = _row_key(values)
        is_alone = len(self.files) == 1 and "username" not in values
        labelled = labelled_row(values, findings, self.names)
        if labelled is not None:
            texts, spans = texts_of_row(values, labelled, self.options.task, findings)
            if not findings.is_refused:
                marks = self._marks(values, labelled, spans, name)
                if self._is_taken(values, texts, marks, row_key, findings):
                    yield from plain_rows(row, values, texts, marks, self.options.task, are_all=is_alone)
        yield from findings.problems

    def _marks(self, values: Values, labelled: Labelled, spans: Spans, name: str) -> list[Marks]:
        """What each person marked in a row; nobody, where it holds no label, since doccano lists unread rows alike."""
        self._count(labelled.unread)
        name = str(values.pop("username", values.pop("annotator", name)))
        has_no_rationale = values.pop("no_rationale", None) is True
        self.left_out.add_labels(span.label for _user, span in spans)
        users = _users(labelled, spans)
        if not (users or has_no_rationale):
            self.left_out.add("unlabelled row")
            self.left_out.add("comment", len(labelled.comments))
            return []
        marks = {
            user: Marks(name if user is None else f"user {user}", labelled.result_of(user)) for user in users or [None]
        }
        for user, span in spans:
            marks[user].spans.append(span)
        for of_one in marks.values():
            of_one.notes += labelled.comments
        return list(marks.values())

    def _count(self, unread: UnreadLabels) -> None:
        self.left_out.add("relation", unread.n_relations)
        self.left_out.add("several labels", unread.n_label_lists)
        self.left_out.add("emoji in doccano", unread.n_doubtful)

    def _is_taken(self, values: Values, texts: Values, marks: list[Marks], row_key: int, findings: Findings) -> bool:
        """Whether a row says something: a row without marks does not, where another file had the text already."""
        is_new = row_key not in self._seen
        self._seen.add(row_key)
        if not marks and not is_new:
            return False
        # Let `id` be the row's own key
        name = next((name for name in _KEYS if name in values), None)
        if has_key(name, self.options, findings) and name is not None:
            values["id"] = values.pop(name)
        if not findings.is_refused:
            warn_of_cut_words(marks, texts, findings)
        if "result" not in values and (agreed := self._results.get(row_key)) is not None:
            values["result"] = agreed
        return not findings.is_refused


def _users(labelled: Labelled, spans: Spans) -> list[int | str | None]:
    """Who marked something or gave one label; None for what the row says without a user."""
    of_spans = [user for user, _span in spans]
    of_results = [user for user, _label in labelled.results if labelled.result_of(user) is not None]
    users = list(dict.fromkeys([*of_spans, *of_results]))
    if None in users and len(users) > 1 and None not in of_spans:
        users.remove(None)  # a label of the row itself, which is everybody's
    return users


def _row_key(values: Values) -> int:
    """What tells a row from others, in all files: its key, else its text."""
    key = next((values[name] for name in (*_KEYS, "text", "data") if name in values), None)
    return hash((str(values.get("split")), str(key)))
