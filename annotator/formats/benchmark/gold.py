"""Gold of the interpretability benchmark as scoring needs it: labels, rationale sets and links, of either dialect."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from annotator.errors import InvalidValue, Problem
from annotator.formats.benchmark import records
from annotator.formats.benchmark.reader import record_files
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import Row, convert, read_rows

Sides = tuple[tuple[tuple[int, ...], ...], ...]  # side -> set -> token index


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """One gold record, with what the input of its id says beside it.

    label:  a label's number or name as text; of a reading the answer, "" where there is none
    sets:   side -> set -> token index, as in the file, empty sets too; a pair has two sides. None: not annotated
    tokens: of each side (a reading's passage, then its title); None where no file says them
    named:  the tokens that the gold itself names for each set, as `sets`; None without
    rel_ids: the perturbed records of an original; None where the file does not say
    """

    key: str
    source: str
    line: int
    label: str | None
    sets: Sides | None
    tokens: tuple[tuple[str, ...], ...] | None = None
    named: tuple[tuple[tuple[str, ...], ...], ...] | None = None
    sample_type: str | None = None
    rel_ids: tuple[str, ...] | None = None
    kind: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkGold:
    """The gold rows of a file or folder in their order; an id may stand twice in one file."""

    rows: tuple[GoldRecord, ...]
    problems: tuple[Problem, ...]


def n_sides_of(shape: records.Shape) -> int:
    """How many sides a record of the task has."""
    return 2 if shape == "pair" else 1


def read_gold(
    path: Path, shape: records.Shape, *, inputs: Path | None = None, language: str | None = None
) -> BenchmarkGold:
    """Gold of a file, or of all .jsonl and .tsv files of a folder; input records there, or in `inputs`, join by id.

    language: of records that neither say theirs nor have a text
    Raises: NotFound or InvalidValue when there is no such file, or no gold in it
    """
    reader = _GoldReader(shape, language)
    for file_or_folder in (path, inputs):
        for source, file in ({} if file_or_folder is None else record_files(file_or_folder)).items():
            for row in read_rows(file, source):
                reader.add(row)
    if not reader.gold and not reader.problems:
        raise InvalidValue(f"'{path}' holds no gold record; a gold record has sent_id, sent_label and rationales.")
    return reader.finished()


@dataclass(slots=True)
class _GoldReader:
    shape: records.Shape
    language: str | None
    problems: list[Problem] = field(default_factory=list)
    gold: list[tuple[Row, str, records.Record]] = field(default_factory=list)
    inputs: dict[str, records.Record] = field(default_factory=dict)
    _sources: dict[tuple[bool, str], str] = field(default_factory=dict)  # (is gold, id): the file that has it

    def add(self, row: Row | Problem) -> None:
        """Take a line; what is wrong with it is noted."""
        if isinstance(row, Problem):
            self.problems.append(row)
            return
        findings = row.findings()
        record = convert(row.values, records.Record, findings)
        if record is not None:
            self._note(row, record, findings)
        self.problems.extend(findings.problems)

    def _note(self, row: Row, record: records.Record, findings: Findings) -> None:
        given = record.sent_id if record.id is None else record.id
        if given is None or given == "":
            findings.refuse("sent_id", given, "The record has no id; gold needs sent_id, input needs id.")
            return
        if records.shape_of_record(row.values) not in _fitting(self.shape):
            reason = "The record is one of another task; choose the task with --task, or name a file of this one."
            findings.refuse("line", list(row.values), reason)
            return
        key, gold = str(given), records.is_gold(row.values)
        first = self._sources.setdefault((gold, key), row.source)
        if first != row.source:
            reason = f"The id {key} stands in {first} too; score the files one by one."
            findings.refuse("id" if "id" in row.values else "sent_id", key, reason)
        elif gold:
            self.gold.append((row, key, record))
        else:
            self.inputs[key] = record

    def finished(self) -> BenchmarkGold:
        """Gold joined with its input."""
        rows = []
        for row, key, record in self.gold:
            findings = row.findings()
            made = self._joined(row, key, record, findings)
            self.problems.extend(findings.problems)
            if not findings.is_refused:
                rows.append(made)
        self.problems.extend(_half_given(rows))
        return BenchmarkGold(tuple(_with_languages(rows)), tuple(self.problems))

    def _joined(self, row: Row, key: str, record: records.Record, findings: Findings) -> GoldRecord:
        beside = self.inputs.get(key, records.Record())
        rel_ids = beside.rel_ids if record.rel_ids is None else record.rel_ids
        label = record.label if record.sent_label is None else record.sent_label
        return GoldRecord(
            key,
            row.source,
            row.line,
            None if label is None else str(label) if self.shape == "reading" else records.label_text(label),
            self._sets(record, findings),
            self._tokens(record, beside, findings),
            _named(row.values.get("rationale_tokens")),
            record.sample_type or beside.sample_type,
            None if rel_ids is None else tuple(str(other) for other in rel_ids),
            record.adv_type or beside.adv_type,
            self._language_of(record, beside),
        )

    def _sets(self, record: records.Record, findings: Findings) -> Sides | None:
        sides = records.sides_of(record)
        if sides is None:
            return None
        n_sides = n_sides_of(self.shape)
        if not sides:
            return ((),) * n_sides
        if len(sides) != n_sides:
            reason = f"The gold has {len(sides)} side{'s' * (len(sides) > 1)}, but the task has {n_sides}; see --task."
            name = "rationales" if record.rationale_ids is None else "rationale_ids"
            findings.refuse(name, record.rationale_ids or record.rationales, reason)
        return tuple(
            tuple(tuple(records.read_indices(indices, number, findings)) for number, indices in enumerate(sets))
            for sets in sides
        )

    def _tokens(
        self, record: records.Record, beside: records.Record, findings: Findings
    ) -> tuple[tuple[str, ...], ...] | None:
        tokens, other = records.tokens_of_sides(record, self.shape), records.tokens_of_sides(beside, self.shape)
        if tokens is not None and other is not None and tokens != other:
            reason = "The gold's tokens are not those of the input record of this id; token numbers need one list."
            findings.refuse("sent_token", [list(side) for side in tokens], reason)
        return other if tokens is None else tokens

    def _language_of(self, record: records.Record, beside: records.Record) -> str | None:
        """What the record or its input says or its text shows; else what was given."""
        for values in (record, beside):
            has_text = any(
                (values.context, values.question, values.sent_text, values.sent_token, values.query, values.sentence1)
            )
            if values.language or has_text:
                return records.guess_language(values, self.language)
        return self.language


def _fitting(shape: records.Shape) -> tuple[records.Shape | None, ...]:
    """What a record may look like: a reading's gold may lack the question."""
    return (None, shape, "single") if shape == "reading" else (None, shape)


def _named(given: object) -> tuple[tuple[tuple[str, ...], ...], ...] | None:
    """Side -> set -> token, where the field has this form; it only serves to check the indices."""
    try:
        sides = msgspec.convert(given, list[list[list[str]]])
    except msgspec.ValidationError:
        return None
    return tuple(tuple(tuple(tokens) for tokens in side) for side in sides)


def _half_given(rows: Sequence[GoldRecord]) -> list[Problem]:
    """Records that lack what others of the file have: each program stops there."""
    problems = []
    fields = (("label", "sent_label", ""), ("sets", "rationales", " ([] for none)"), ("sample_type", "sample_type", ""))
    for attribute, name, remedy in fields:
        lacking = [row for row in rows if getattr(row, attribute) is None]
        having = next((row for row in rows if getattr(row, attribute) is not None), None)
        if having is None:
            continue
        for row in lacking:
            reason = f"Line {having.line} has '{name}'; every gold record has it{remedy}, or none."
            problems.append(Problem(row.source, row.line, name, "missing", reason))
    return problems


def _with_languages(rows: Sequence[GoldRecord]) -> list[GoldRecord]:
    """A record without a text is Chinese where any answer of the file has Chinese characters, else English."""
    answers = "".join(row.label or "" for row in rows)
    other = "zh" if any("\u4e00" <= character <= "\u9fff" for character in answers) else "en"
    return [row if row.language else replace(row, language=other) for row in rows]
