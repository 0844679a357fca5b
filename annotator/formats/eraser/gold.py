"""ERASER's gold as the scorer needs it: the spans of one split file, and how long each document is."""

from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from annotator.errors import InvalidValue, Problem
from annotator.formats.eraser.reader import Evidence
from annotator.formats.rows.findings import Findings, listed, shown
from annotator.formats.rows.lines import LineError, RawLine, check_file, convert, parse_object, read_lines
from annotator.language import _
from annotator.metrics.ragged import Integers

FARTHEST = 2**31 - 1
_T = TypeVar("_T")


class _Annotation(msgspec.Struct):
    annotation_id: str
    classification: str
    evidences: list[list[Evidence]]


class _Document(msgspec.Struct):
    docid: str
    document: str


@dataclass(slots=True)
class KeyNumbers:
    """Numbers for (annotation, document) pairs, in the order in which they are met."""

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def of(self, annotation_id: str, docid: str) -> int:
        """The number of a pair, a new one where it is new."""
        return self.numbers.setdefault((annotation_id, docid), len(self.numbers))


@dataclass(slots=True)
class EraserGold:
    """The annotations of a split, in the order of the file; equal groups of one annotation are one, as in the scorer.

    Shapes: keys, lines, groups int[n_evidences]; tokens, sentences int[n_evidences, 2], half open; annotations_of_groups
            int[n_groups], numbers of `ids` (of the first of two equal ids)
    """

    source: str
    ids: list[str]
    labels: list[str]
    keys: Integers
    lines: Integers
    groups: Integers
    annotations_of_groups: Integers
    tokens: Integers
    sentences: Integers
    problems: list[Problem]
    n_repeated_ids: int


def read_typed(
    path: Path, decoder: "msgspec.json.Decoder[_T]", problems: list[Problem]
) -> Iterator[tuple[RawLine, _T]]:
    """Each line's object; a line that holds none becomes a problem with its field.

    The quick way reads the object at once; only a line that does not fit is read again, slowly, to say why.
    """
    for line in read_lines(path):
        try:
            yield line, decoder.decode(line.content or b"")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            problems.append(_explained(line, decoder.type, path.name))


def read_gold(data_folder: Path, split: str, keys: KeyNumbers) -> EraserGold:
    """The annotations of DATA/<split>.jsonl.

    Raises: NotFound or InvalidValue when there is no such file
    """
    path = data_folder / f"{split}.jsonl"
    splits = sorted(file.stem for file in data_folder.glob("*.jsonl") if file.stem != "docs")
    if splits and split not in splits:
        raise InvalidValue(f"The folder '{data_folder}' has no split '{split}'; it has {listed(splits)}.")
    check_file(path)
    reader = _GoldReader(path.name, keys)
    for line, annotation in read_typed(path, msgspec.json.Decoder(_Annotation), reader.problems):
        reader.add(line.number, annotation)
    if not reader.ids and not reader.problems:
        raise InvalidValue(f"The split '{path}' holds no annotation; name another split (--split).")
    return reader.finished()


@dataclass(slots=True)
class _GoldReader:
    source: str
    keys: KeyNumbers
    ids: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    annotations_of_groups: "array[int]" = field(default_factory=lambda: array("q"))
    columns: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, line: int, annotation: _Annotation) -> None:
        """Take an annotation; what is wrong with it is noted."""
        number = self.numbers.setdefault(annotation.annotation_id, len(self.ids))
        self.ids.append(annotation.annotation_id)
        self.labels.append(annotation.classification)
        seen: set[tuple[tuple[object, ...], ...]] = set()
        for group_number, group in enumerate(annotation.evidences):
            if len(annotation.evidences) > 1:  # one group cannot stand twice
                content = tuple(msgspec.structs.astuple(evidence) for evidence in group)
                if content in seen:
                    continue
                seen.add(content)
            self._add_group(line, annotation.annotation_id, group_number, group)
            self.annotations_of_groups.append(number)

    def _add_group(self, line: int, annotation_id: str, group_number: int, group: list[Evidence]) -> None:
        for position, evidence in enumerate(group):
            numbers = (evidence.start_token, evidence.end_token, evidence.start_sentence, evidence.end_sentence)
            if max(numbers) > FARTHEST or min(numbers) < -FARTHEST:
                reason = f"An offset lies between -{FARTHEST} and {FARTHEST}."
                name = f"evidences[{group_number}][{position}]"
                self.problems.append(Problem(self.source, line, name, shown(numbers), reason))
                continue
            key = self.keys.of(annotation_id, evidence.docid)
            self.columns.extend((key, line, len(self.annotations_of_groups), *numbers))

    def finished(self) -> EraserGold:
        """Everything that was read."""
        table = np.array(self.columns, dtype=np.int64).reshape(-1, 7)
        return EraserGold(
            self.source, self.ids, self.labels, table[:, 0], table[:, 1], table[:, 2],
            np.array(self.annotations_of_groups, dtype=np.int64), table[:, 3:5], table[:, 5:7], self.problems,
            len(self.ids) - len(self.numbers),
        )  # fmt: skip


def read_lengths(data_folder: Path, docids: Collection[str]) -> tuple[dict[str, tuple[int, int]], list[Problem]]:
    """How many tokens and sentences each document has, by the rules of its layout; those that are not there are left out.

    Raises: InvalidValue when there are no documents, or two sorts
    """
    in_folder, in_file = data_folder / "docs", data_folder / "docs.jsonl"
    if in_folder.is_dir() == in_file.is_file():
        contents = "both docs/ and docs.jsonl" if in_folder.is_dir() else "neither docs/ nor docs.jsonl"
        raise InvalidValue(f"'{data_folder}' holds {contents}; an ERASER data folder has one of the two.")
    return _lengths_in_folder(in_folder, docids) if in_folder.is_dir() else _lengths_in_file(in_file, docids)


def _lengths_in_folder(folder: Path, docids: Collection[str]) -> tuple[dict[str, tuple[int, int]], list[Problem]]:
    lengths: dict[str, tuple[int, int]] = {}
    problems: list[Problem] = []
    for docid in docids:
        if not docid or "\0" in docid:
            continue
        path = folder / docid
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8-sig")  # with universal line ends, as the reference reads
        except (UnicodeDecodeError, OSError) as error:
            problems.append(Problem(f"docs/{docid}", None, "document", "", f"The document cannot be read: {error}."))
            continue
        per_line = [sum(1 for piece in line.strip().split(" ") if piece) for line in text.split("\n") if line.strip()]
        lengths[docid] = sum(per_line), len(per_line)
    return lengths, problems


def _lengths_in_file(path: Path, docids: Collection[str]) -> tuple[dict[str, tuple[int, int]], list[Problem]]:
    lengths: dict[str, tuple[int, int]] = {}
    problems: list[Problem] = []
    for line, document in read_typed(path, msgspec.json.Decoder(_Document), problems):
        if document.docid not in docids:
            continue
        if document.docid in lengths:
            reason = f"The document '{document.docid}' appears twice; keep one of the two."
            problems.append(Problem(path.name, line.number, "docid", shown(document.docid), reason))
        sentences = document.document.split("\n")
        lengths[document.docid] = sum(sentence.strip().count(" ") + 1 for sentence in sentences), len(sentences)
    return lengths, problems


def _explained(line: RawLine, kind: type[object], source: str) -> Problem:
    """Why a line does not hold what it should."""
    try:
        findings = Findings(source, line.number)
        convert(parse_object(line.content), kind, findings)
    except LineError as fault:
        return Problem(source, line.number, fault.field, shown(fault.value), fault.reason)
    if findings.problems:
        return findings.problems[0]
    return Problem(source, line.number, "line", shown((line.content or b"")[:80].decode("utf-8", "replace")),
                   _("The line has an unreadable number."))  # fmt: skip
