"""The format `fair-rationales`: the CSV files of FairRationales (Thorn Jakobsen et al. 2023), a row an annotator and text.

Tokens are what stands between blanks; the rows of a text, wherever they stand, become one instance with an annotation each.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceText
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.csv_table import TextTable
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import LineError, Row, parse_value
from annotator.formats.rows.spans import spans_of_tokens
from annotator.language import _
from annotator.text.alignment import split_on_spaces

LANGUAGE = "en"
_NEEDED = ("text_id", "sentence", "original_label", "label", "rationale_index", "annotator_ID")
_OF_TEXT = ("QID", "originaldata_id", "sst2_id", "sst2_split")  # what else is the text's own
_SAID_TWICE = ("label_index", "rationale", "rationale_binary")  # the label and the rationale in other forms
_DATA_SET = re.compile(r"(sst|dynasent|cose)_annot", re.IGNORECASE)
_FILE_NAME = re.compile(r"(sst|dynasent|cose)_annot.*\.csv", re.IGNORECASE)
_LETTERS = "ABCDE"  # CoS-E's original label is a choice's letter, an annotator's label its text


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The texts of one CSV file, or of all such files of a folder, in the order in which they come first.

    Raises: NotFound or InvalidValue when there is no such file, or the task has more than one text that needs words
    """
    segment = _segment_of(options.task)
    files = sorted(file for file in path.iterdir() if _FILE_NAME.fullmatch(file.name)) if path.is_dir() else [path]
    if not files:
        raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=path, names="SST_annotations.csv"))
    yield from _left_out(path, files)
    for file in files:
        texts = _Texts(options, file, segment)
        for row in TextTable(file, ReadOptions(options.task), needed=_NEEDED).rows():
            if isinstance(row, Problem):
                yield row
            else:
                texts.add(row)
        yield from texts.items()


def _left_out(path: Path, files: Sequence[Path]) -> Iterator[Problem]:
    """What is said of the other tables of a folder, which are not read."""
    for file in sorted(path.glob("*.csv")) if path.is_dir() else ():
        if file not in files:
            reason = _("Skipped: not annotations. Import model output later.")
            yield Problem(file.name, None, "file", file.name, reason, is_warning=True)


def _segment_of(task: Task) -> str:
    needed = [spec for spec in task.segments if not spec.may_be_empty]
    if task.has_target or len(needed) != 1 or not needed[0].is_selectable:
        names = listed([spec.name for spec in needed])
        raise InvalidValue(
            _(
                "FairRationales has one text; '{name}' needs {names}. Use sentiment or a one-segment task.",
                name=task.name,
                names=names,
            )
        )
    return needed[0].name


@dataclass(slots=True)
class _Texts(InstanceReader):
    """The rows of one file by text; all are kept, since a text's annotators do not stand together."""

    file: Path
    segment: str
    rows: dict[str, list[Row]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """One more annotator's row."""
        self.rows.setdefault(row.values["text_id"].strip(), []).append(row)

    def items(self) -> Iterator[SourceItem]:
        """Each text with its annotations, and what is wrong with its rows; of a row with a problem nothing is taken."""
        for text_id, rows in self.rows.items():
            yield from self._text(text_id, rows)

    def _text(self, text_id: str, rows: Sequence[Row]) -> Iterator[SourceItem]:
        first, taken = rows[0], dict[str, SourceAnnotation]()
        about: list[dict[str, object]] = []
        findings = first.findings()
        for row in rows:
            of_row = row.findings()
            annotation = self._annotation(row, first, taken, of_row)
            if annotation is not None and not of_row.is_refused:
                taken[annotation.annotator] = annotation
                about.append(_about_annotator(row, annotation.annotator))
            yield from of_row.problems
        body = split_on_spaces(first.values["sentence"])
        instance = SourceInstance(
            key=f"{self.options.key_prefix}{self._prefix}{text_id}" if text_id else "",
            segments={self.segment: SourceText(body.text, body)},
            source=first.source,
            line=first.line,
            split=self.options.split or "",
            language=self.options.language or LANGUAGE,
            result=self._gold(rows),
            annotations=tuple(taken.values()),
            metadata={
                **{name: first.values[name] for name in _OF_TEXT if first.values.get(name)},
                **({"annotations": about} if any(len(facts) > 1 for facts in about) else {}),
            },
        )
        self.checker.check(instance, findings)
        if not findings.is_refused:
            yield instance
        yield from findings.problems

    @property
    def _prefix(self) -> str:
        """Before the number of a text, which repeats between the three data sets."""
        match = _DATA_SET.match(self.file.stem)
        return "" if match is None else f"{match.group(1)}-"

    def _annotation(
        self, row: Row, first: Row, taken: Mapping[str, SourceAnnotation], findings: Findings
    ) -> SourceAnnotation | None:
        values = row.values
        who = values["annotator_ID"].strip()
        for name in ("sentence", "original_label"):
            if values[name] != first.values[name]:
                reason = _("Differs from line {line}. Make them agree.", line=first.line)
                findings.refuse(name, values[name], reason)
        if who in taken:
            findings.refuse("annotator_ID", who, _("Duplicate. Keep one."))
        indices = _indices(values["rationale_index"], findings)
        if indices is None:
            return None
        spans = spans_of_tokens(self.segment, indices)
        label = self._label(row, findings)
        self.checker.check_result("label", label, findings)
        return SourceAnnotation(who, label, (spans,) if spans else ())

    def _label(self, row: Row, findings: Findings) -> str | None:
        """The annotator's label; of CoS-E in a project with labels the choice's letter."""
        values = row.values
        label = values["label"].strip()
        if not _is_letter(values["original_label"]) or self.options.task.result_kind == "answer":
            return label or None
        letter = _letter(values.get("label_index", ""))
        if letter is None:
            findings.refuse("label_index", values.get("label_index", ""), _("Must be a choice number, 1 to 5."))
        return letter

    def _gold(self, rows: Sequence[Row]) -> str | None:
        """The data set's own label; where it is a choice's letter and answers are asked for, the text that annotators chose."""
        label: str = rows[0].values["original_label"].strip()
        if not _is_letter(label) or self.options.task.result_kind == "label":
            return label or None
        chosen = (row.values["label"] for row in rows if _letter(row.values.get("label_index", "")) == label)
        return next(chosen, None)


def _about_annotator(row: Row, annotator: str) -> dict[str, object]:
    """What the file says of an annotator (their group, their age ...), as the neutral form says it: empty cells say nothing."""
    known = {*_NEEDED, *_OF_TEXT, *_SAID_TWICE}
    facts = {name: cell.strip() for name, cell in row.values.items() if name not in known and cell.strip()}
    return {"annotator": annotator, **facts}


def _is_letter(label: str) -> bool:
    return len(label.strip()) == 1 and label.strip() in _LETTERS


def _letter(number: str) -> str | None:
    number = number.strip()
    return _LETTERS[int(number) - 1] if number in {"1", "2", "3", "4", "5"} else None


def _indices(cell: str, findings: Findings) -> list[int] | None:
    """The numbers of the marked words; nothing or [] are none."""
    if not cell.strip():
        return []
    try:
        value = parse_value(cell.encode("utf-8"))
    except LineError:
        value = None
    if isinstance(value, list) and all(isinstance(number, int) and number >= 0 for number in value):
        return value
    findings.refuse("rationale_index", cell, _("Must be like {example}.", example="[2, 3]"))
    return None
