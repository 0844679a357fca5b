"""The format `doccano`: the JSONL (or JSON) that doccano exports, one file an annotator, in a folder or alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.sources import SourceItem
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_items import read_content, read_items
from annotator.formats.rows.lines import Row, read_lines, read_rows
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools.doccano_rows import Labelled, LabelNames, Spans, UnreadLabels, labelled_row, texts_of_row
from annotator.formats.tools.doccano_writer import write
from annotator.formats.tools.labels import (
    Marks,
    Values,
    has_key,
    plain_rows,
    refuse_archives_and_tables,
    warn_of_cut_words,
)
from annotator.formats.tools.left_out import LeftOut
from annotator.language import _, unsaid

__all__ = ["read", "write"]

_REMEDY = unsaid("Export the project from doccano as JSONL.")
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
        raise InvalidValue(
            _(
                "The folder '{path}' holds no .jsonl file. Export the project from doccano as JSONL. Unpack its zip archive "
                "into a folder.",
                path=path,
            )
        )
    return files


def _rows_of(file: Path) -> Iterator[Row | Problem]:
    """One row a line, or, in the export called JSON, one list."""
    first = next(read_lines(file), None)
    if first is not None and (first.content or b"").lstrip().startswith(b"["):
        wanted = _("doccano writes a list of objects. Export the project from doccano as JSONL.")
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
class _ExportReader:
    source: str
    options: ReadOptions
    files: list[Path]
    names: LabelNames
    left_out: LeftOut = field(init=False)
    _seen: set[int] = field(default_factory=set)
    _results: dict[int, str | None] = field(default_factory=dict)  # by key: what all files say; None: they differ

    def __post_init__(self) -> None:
        self.left_out = LeftOut(self.source)

    def rows(self) -> Iterator[Row | Problem]:
        """Plain rows of all files, what is wrong with them, and at the end what was left out."""
        if len(self.files) > 1:
            self._compare_results()
        for file in self.files:
            name = UNNAMED_ANNOTATOR if file.stem in _EVERYBODY else file.stem
            for row in _rows_of(file):
                if isinstance(row, Problem):
                    yield row
                else:
                    yield from self._row(row, name)
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
        _take_key(values, self.options, findings)
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


def _take_key(values: Values, options: ReadOptions, findings: Findings) -> None:
    """Let `id` be the row's own key."""
    name = next((name for name in _KEYS if name in values), None)
    if has_key(name, options, findings) and name is not None:
        values["id"] = values.pop(name)
