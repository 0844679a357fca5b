"""The format `benchmark`: input and gold records of Wang et al. 2022, PaddleNLP's and TrustAI's, joined by id."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotator.domain.numbers import whole_number
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceText
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.benchmark import records
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.findings import Findings, listed, shown
from annotator.formats.rows.lines import Row, convert, line_at, parse_object, read_rows
from annotator.language import _

ANNOTATOR = "benchmark"
_SUFFIXES = {".jsonl", ".tsv"}

Place = tuple[str, str]  # split, id


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of a file or of all .jsonl and .tsv files of a folder, with the gold of the same id.

    Gold whose input is not there comes as an addition to the instance of its key.

    Raises: NotFound or InvalidValue when there is no such file, or the task is none of the benchmark's
    """
    records.shape_of_task(options.task)
    reader = _BenchmarkReader(options, record_files(path))
    yield from reader.survey()
    yield from reader.inputs()
    yield from reader.gold_alone()


def record_files(path: Path) -> dict[str, Path]:
    """The files to read by the name that problems give them."""
    if not path.exists():
        raise NotFound(_("No file or folder '{path}'.", path=path))
    if path.is_file():
        return {path.name: path}
    files = {str(file.relative_to(path)): file for file in sorted(path.rglob("*")) if file.suffix in _SUFFIXES}
    if not files:
        raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=path, names=".jsonl, .tsv"))
    return files


@dataclass(frozen=True, slots=True)
class _Where:
    """Where a record stands."""

    source: str
    line: int
    offset: int


@dataclass(slots=True)
class _BenchmarkReader(InstanceReader):
    files: Mapping[str, Path]
    _inputs: dict[Place, _Where] = field(default_factory=dict)
    _gold: dict[Place, _Where] = field(default_factory=dict)
    _keys: dict[Place, str] = field(default_factory=dict)  # of records that bring a key besides their id
    _originals: dict[Place, Place] = field(default_factory=dict)  # perturbed: original
    _other_tasks: set[str] = field(default_factory=set)
    _refused: set[tuple[str, int]] = field(default_factory=set)

    def survey(self) -> Iterator[Problem]:
        """Note where every record stands and who is whose original; lines that cannot be read are reported here."""
        links: list[tuple[Place, Place, _Where]] = []
        for source, path in self.files.items():
            for row in read_rows(path, source):
                if isinstance(row, Problem):
                    yield row
                elif self._fits(row):
                    findings = row.findings()
                    self._note(row, links, findings)
                    yield from findings.problems
                    if findings.is_refused:
                        self._refused.add((row.source, row.line))
                else:
                    yield self._other_task(row)
                    break
        yield from self._link(links)

    def _fits(self, row: Row) -> bool:
        shape = records.shape_of_record(row.values)
        return shape is None or shape == records.shape_of_task(self.options.task)

    def _other_task(self, row: Row) -> Problem:
        self._other_tasks.add(row.source)
        reason = _("Skipped: doesn't fit the task '{name}'.", name=self.options.task.name)
        return Problem(row.source, row.line, "line", ", ".join(row.values), reason)

    def _split_and_id(self, values: Mapping[str, Any]) -> Place | None:
        given = values.get("id", values.get("sent_id"))
        if not isinstance(given, int | str) or isinstance(given, bool) or given == "":
            return None
        split = values.get("split")
        return split if isinstance(split, str) else self.options.split or "", str(given)

    def _note(self, row: Row, links: list[tuple[Place, Place, _Where]], findings: Findings) -> None:
        split_and_id = self._split_and_id(row.values)
        if split_and_id is None:
            findings.refuse("id", row.values.get("id"), _("Missing id (in gold: sent_id)."))
            return
        known = self._gold if records.is_gold(row.values) else self._inputs
        where = _Where(row.source, row.line, row.offset)
        first = known.setdefault(split_and_id, where)
        if first is not where:
            reason = _(
                "Duplicate of {source}, line {line}. Import separately with --key-prefix.",
                source=first.source,
                line=first.line,
            )
            findings.refuse("id", split_and_id[1], reason)
            return
        if isinstance(key := row.values.get("key"), str):
            self._keys[split_and_id] = key
        related = row.values.get("rel_ids")
        others = related if isinstance(related, list) else ()
        links.extend(((split_and_id[0], str(other)), split_and_id, where) for other in others)

    def _link(self, links: list[tuple[Place, Place, _Where]]) -> Iterator[Problem]:
        """Tie perturbed records to their originals; input and gold may both say it."""
        for perturbed, original, where in links:
            if perturbed not in self._inputs and perturbed not in self._gold:
                reason = _("No record {key}; link skipped.", key=perturbed[1])
                yield Problem(where.source, where.line, "rel_ids", shown(perturbed[1]), reason, is_warning=True)
                continue
            first = self._originals.setdefault(perturbed, original)
            if first != original:
                reason = _("{key} is already a perturbation of {original}.", key=perturbed[1], original=first[1])
                yield Problem(where.source, where.line, "rel_ids", shown(perturbed[1]), reason)
                self._refused.add((where.source, where.line))

    def inputs(self) -> Iterator[SourceItem]:
        """Every input record as an instance, with its gold if there is some."""
        for source, path in self.files.items():
            if source in self._other_tasks:
                continue
            for row in read_rows(path, source):
                is_read = isinstance(row, Row) and not records.is_gold(row.values)
                if is_read and isinstance(row, Row) and (row.source, row.line) not in self._refused:
                    yield from self._input(row)

    def _input(self, row: Row) -> Iterator[SourceItem]:
        findings = row.findings()
        record = convert(row.values, records.Record, findings)
        split_and_id = self._split_and_id(row.values)
        if record is not None and split_and_id is not None:
            gold = self._gold.get(split_and_id)
            instance = self._instance(row, record, split_and_id, findings)
            if instance is not None and not findings.is_refused:
                yield from self._with_gold(instance, record, gold)
        yield from findings.problems

    def _instance(
        self, row: Row, record: records.Record, split_and_id: Place, findings: Findings
    ) -> SourceInstance | None:
        language = records.guess_language(record, self.options.language)
        texts = records.read_texts(record, self.options.task, language, findings)
        segments: Mapping[str, SourceText | str] = {} if texts is None else texts.segments
        if not segments and not records.is_gold(row.values):
            known = listed([spec.name for spec in self.options.task.segments])
            findings.refuse("line", list(row.values), _("No text. The task needs {segments}.", segments=known))
            return None
        annotations: tuple[SourceAnnotation, ...] = ()
        if records.is_gold(row.values):
            is_whole = self._is_whole(segments)
            segments = segments if is_whole else {}
            borders = texts.borders if texts is not None and is_whole else None
            annotations = self._annotations(record, borders, findings)
        original = self._originals.get(split_and_id)
        instance = SourceInstance(
            key=self._key(split_and_id),
            segments=segments,
            source=row.source,
            line=row.line,
            split=split_and_id[0],
            language=language if segments else self.options.language,
            result=self._result(record),
            annotations=annotations,
            parent_key=None if original is None else self._key(original),
            perturbation_kind=None if original is None else record.adv_type or "perturbed",
            metadata={name: value for name, value in row.values.items() if name not in records.KNOWN},
            is_addition=records.is_gold(row.values),
        )
        self.checker.check(instance, findings)
        return instance

    def _with_gold(self, instance: SourceInstance, record: records.Record, gold: _Where | None) -> Iterator[SourceItem]:
        """An instance of the input with what the gold of its id says; what is wrong with the gold is reported."""
        if gold is None or (gold.source, gold.line) in self._refused:
            yield instance
            return
        values = parse_object(line_at(self.files[gold.source], gold.offset))
        findings = Findings(gold.source, gold.line)
        stated = convert(values, records.Record, findings)
        if stated is not None:
            yield self._joined(instance, record, stated, findings)
        else:
            yield instance
        yield from findings.problems

    def _joined(
        self, instance: SourceInstance, record: records.Record, gold: records.Record, findings: Findings
    ) -> SourceInstance:
        names = [spec.name for spec in self.options.task.segments if spec.is_selectable]
        bodies = [(name, instance.segments[name]) for name in names if name in instance.segments]
        borders = [
            (name, None if isinstance(body, str) or body.tokens is None else body.tokens.n_tokens)
            for name, body in bodies
        ]
        kind = instance.perturbation_kind
        joined = replace(
            instance,
            result=self._result(gold),
            annotations=self._annotations(gold, borders, findings),
            perturbation_kind=kind and (record.adv_type or gold.adv_type or kind),
        )
        self.checker.check(joined, findings)
        return instance if findings.is_refused else joined

    def gold_alone(self) -> Iterator[SourceItem]:
        """Gold whose input is not there: with its texts where it has them, else to be added by key."""
        for split_and_id, where in self._gold.items():
            if split_and_id in self._inputs or (where.source, where.line) in self._refused:
                continue
            row = Row(where.source, where.line, parse_object(line_at(self.files[where.source], where.offset)))
            findings = row.findings()
            record = convert(row.values, records.Record, findings)
            instance = None if record is None else self._instance(row, record, split_and_id, findings)
            if instance is not None and not findings.is_refused:
                yield instance
            yield from findings.problems

    def _is_whole(self, segments: Mapping[str, object]) -> bool:
        return all(spec.name in segments for spec in self.options.task.segments if not spec.may_be_empty)

    def _annotations(
        self, record: records.Record, borders: records.Borders | None, findings: Findings
    ) -> tuple[SourceAnnotation, ...]:
        sets = records.read_sets(record, borders, self.options.task, findings)
        return () if sets is None else (SourceAnnotation(ANNOTATOR, self._result(record), sets),)

    def _key(self, split_and_id: Place) -> str:
        return self.options.key_prefix + self._keys.get(split_and_id, split_and_id[1])

    def _result(self, record: records.Record) -> str | None:
        """The label: a number stands for the project's label of that position, unless it is itself a label."""
        given = record.label if isinstance(record.label, str) else record.sent_label
        labels = self.options.labels if self.options.task.result_kind == "label" else ()
        if given is None or str(given) in labels:
            return None if given is None else str(given)
        index = whole_number(str(given))
        return labels[index] if index is not None and index < len(labels) else str(given)
