"""Reading our own JSONL: project, documents, instances with all work, saved lists, perturbations, events."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from annotator.domain.own_sources import SourceFrozen, SourceProject
from annotator.domain.projects import ProjectSettings
from annotator.domain.sources import SourceDocument, SourceInstance, SourceItem, SourceShown, SourceText
from annotator.domain.suites import WordList
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own.full_export import (
    AuditRecord,
    PerturbationRecord,
    audit_of,
    check_audit,
    check_perturbation,
    perturbation_of,
)
from annotator.formats.own.records import (
    VERSION,
    DocumentRecord,
    EventRecord,
    InstanceRecord,
    ListRecord,
    OwnRecord,
    ProjectRecord,
    QualificationRecord,
    SufficientSetsRecord,
    TextRecord,
    TokensRecord,
    TrainingRecord,
    ViewRecord,
    WordListRecord,
    annotation_of,
    choice_of,
    event_of,
    list_of,
    project_of,
    proposal_of,
    qualification_of,
    round_of,
    sufficient_sets_of,
    text_of,
    thread_of,
    training_of,
    view_of,
    work_of,
)
from annotator.formats.own.releases import FrozenRecord, ReleaseRecord, gold_of_record, release_of
from annotator.formats.own.reviews import check_reviewing
from annotator.formats.own.run_output import OutputRecord, output_of
from annotator.formats.own.values import folded
from annotator.formats.rows.checks import Checker, KeyLines
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, convert
from annotator.formats.rows.spans import read_sets, read_span
from annotator.language import _
from annotator.text.characters import subtags


def read(rows: Iterable[Row | Problem], options: ReadOptions) -> Iterator[SourceItem]:
    """The items of our own JSONL, in the order of the file."""
    reader = _OwnReader(options)
    for row in rows:
        if isinstance(row, Problem):
            yield row
        else:
            yield from reader.read(row)


@dataclass(slots=True)
class _OwnReader:
    options: ReadOptions
    checker: Checker = field(init=False)
    keys: KeyLines = field(default_factory=KeyLines)

    def __post_init__(self) -> None:
        self.checker = Checker(self.options)

    def read(self, row: Row) -> Iterator[SourceItem]:
        findings = row.findings()
        record = convert(row.values, OwnRecord, findings)  # type: ignore[arg-type]  # a union is a type to msgspec
        item = self._item(record, row, findings)
        if item is not None and not findings.is_refused:
            yield item
        yield from findings.problems

    def _item(self, record: OwnRecord | None, row: Row, findings: Findings) -> SourceItem | None:  # noqa: C901, PLR0911, PLR0912  (one for each)
        match record:
            case InstanceRecord():
                return self._instance(record, row, findings)
            case DocumentRecord():
                return self._document(record, row, findings)
            case OutputRecord():
                return self._output(record, row, findings)
            case ListRecord():
                return list_of(record, self.options.key_prefix, row.source, row.line)
            case QualificationRecord():
                return qualification_of(record, self.options.key_prefix, row.source, row.line)
            case ViewRecord():
                return view_of(record)
            case ReleaseRecord():
                return release_of(record, row.source, row.line)
            case FrozenRecord():
                return _frozen(record, findings)
            case SufficientSetsRecord():
                return sufficient_sets_of(record, self.options.key_prefix, row.source, row.line)
            case TrainingRecord():
                return training_of(record, self.options.key_prefix, row.source, row.line)
            case WordListRecord():
                return _word_list(record, findings)
            case PerturbationRecord():
                check_perturbation(record, findings)
                return perturbation_of(record, self.options.key_prefix, row.source, row.line)
            case AuditRecord():
                check_audit(record, findings)
                return audit_of(record, self.options.key_prefix, row.source, row.line, findings)
            case EventRecord():
                return event_of(record)
            case ProjectRecord():
                return self._project(record, findings)
            case None:
                return None

    def _output(self, record: OutputRecord, row: Row, findings: Findings) -> SourceItem | None:
        try:
            return output_of(record, self.options.key_prefix, row.source, row.line)
        except InvalidValue as error:
            findings.refuse("attributions", record.key, str(error))
            return None

    def _project(self, record: ProjectRecord, findings: Findings) -> SourceProject:
        """The header; an empty project takes over its labels, so they can only be checked once it has."""
        self.options = replace(self.options, labels=())
        self.checker = Checker(self.options, self.checker.documents)
        return _project(record, self.options.task, findings)

    def _document(self, record: DocumentRecord, row: Row, findings: Findings) -> SourceDocument:
        body = _text(record.text, record.tokens, "tokens", findings)
        document = SourceDocument(
            self.options.key_prefix + record.docid, body, self._language(record.language), row.source, row.line
        )
        if document.docid in self.checker.documents:
            findings.refuse("docid", record.docid, _("Duplicate. Keep one."))
        if not findings.is_refused:
            self.checker.remember(document)
        return document

    def _instance(self, record: InstanceRecord, row: Row, findings: Findings) -> SourceInstance:
        task, prefix = self.options.task, self.options.key_prefix
        _check_people(record, findings)
        _check_proposals(record, findings)
        check_reviewing(record, findings)
        sets = [read_sets(a.rationales, task, findings, f"annotations[{n}]") for n, a in enumerate(record.annotations)]
        drafts = [read_sets(w.draft.rationales, task, findings, f"work[{n}].draft") for n, w in enumerate(record.work)]
        instance = SourceInstance(
            key=prefix + record.key,
            segments={name: self._segment(name, text, findings) for name, text in record.segments.items()},
            source=row.source,
            line=row.line,
            split=record.split or self.options.split or "",
            language=self._language(record.language),
            result=record.result,
            annotations=tuple(annotation_of(a, s) for a, s in zip(record.annotations, sets, strict=True)),
            target=None if record.target is None else read_span(record.target, task, "target", findings),
            parent_key=None if record.parent is None else prefix + record.parent,
            perturbation_kind=record.perturbation_kind,
            is_exhaustive=record.exhaustive,
            metadata=record.metadata,
            state=record.state,
            work=tuple(work_of(w, s) for w, s in zip(record.work, drafts, strict=True)),
            proposals=tuple(proposal_of(proposal) for proposal in record.proposals),
            rounds=tuple(round_of(made) for made in record.rounds),
            choice=None if record.choice is None else choice_of(record.choice),
            threads=tuple(thread_of(thread) for thread in record.threads),
            shown=tuple(SourceShown(*shown) for shown in record.shown),
            put_first=record.put_first,
            extra_annotators=record.extra_annotators,
            named_as=record.named_as,
            named=tuple(record.named),
            is_addition=not record.segments,
        )
        self.checker.check(instance, findings)
        if instance.segments:
            self.keys.refuse_twice(instance, findings, "key")
        return instance

    def _language(self, given: str | None) -> str | None:
        return self.options.language if given is None else given

    def _segment(self, name: str, record: TextRecord, findings: Findings) -> SourceText | str:
        if record.docid is not None:
            return self.options.key_prefix + record.docid
        return _text(record.text or "", record.tokens, f"segments.{name}.tokens", findings)


def _frozen(record: FrozenRecord, findings: Findings) -> SourceFrozen | None:
    try:
        return SourceFrozen(record.release, gold_of_record(record))
    except InvalidValue as error:
        findings.refuse("released", record.key, str(error))
        return None


def _word_list(record: WordListRecord, findings: Findings) -> WordList | None:
    try:
        return WordList(record.name, record.language, record.role, tuple(record.words))
    except InvalidValue as error:
        findings.refuse("word_list", record.name, str(error))
        return None


def _project(record: ProjectRecord, task: Task, findings: Findings) -> SourceProject:
    if record.version > VERSION:
        reason = _("File newer than version {version}. Update the program.", version=VERSION)
        findings.refuse("version", record.version, reason)
    else:
        _check_header(record, task, findings)
    return project_of(record)


def _check_header(record: ProjectRecord, task: Task, findings: Findings) -> None:
    theirs = [segment.get("name") for segment in record.segments]
    ours = [segment.name for segment in task.segments]
    if theirs != ours:
        reason = _(
            "Task '{task}' in the file, '{name}' ({segments}) here. Use a matching project.",
            task=record.task,
            name=task.name,
            segments=listed(ours),
        )
        findings.refuse("segments", theirs, reason)
    if "" in record.labels or len(set(record.labels)) != len(record.labels):
        findings.refuse("labels", record.labels, _("Labels must be unique and not empty."))
    _check_language(record.language, findings)
    _check_settings(record.settings, findings)


def _check_language(language: str, findings: Findings) -> None:
    try:
        subtags(language)
    except InvalidValue as error:
        findings.refuse("language", language, str(error))


def _check_settings(settings: Mapping[str, object], findings: Findings) -> None:
    within = Findings(findings.source, findings.line)
    try:
        convert(settings, ProjectSettings, within)
    except InvalidValue as error:
        findings.refuse("settings", settings, str(error))
    for problem in within.problems:
        findings.refuse(f"settings.{problem.field}", problem.value, problem.reason)


def _check_people(record: InstanceRecord, findings: Findings) -> None:
    """Somebody holds an instance once a round, and annotated it once a round, as a person here or as a source."""
    if bool(record.named) != (record.named_as is not None):
        findings.refuse("named_as", record.named_as, _("Give both “named” and how, or neither."))
    held: set[tuple[bytes, int]] = set()
    for number, work in enumerate(record.work):
        who = (folded(work.user), work.round)
        if who in held:
            findings.refuse(f"work[{number}].user", work.user, _("Same person twice in one round. Keep one."))
        held.add(who)
    seen: set[tuple[str, int, bool]] = set()
    for number, annotation in enumerate(record.annotations):
        field_name, name = f"annotations[{number}].annotator", annotation.annotator
        if (name, annotation.round, annotation.by_user) in seen:
            findings.refuse(field_name, name, _("Same person twice in one round. Keep one."))
        seen.add((name, annotation.round, annotation.by_user))
        if annotation.by_user and (folded(name), annotation.round) not in held:
            findings.refuse(field_name, name, _("No work by this annotator in the same round."))


def _check_proposals(record: InstanceRecord, findings: Findings) -> None:
    for number, proposal in enumerate(record.proposals):
        if (proposal.state == "open") != (proposal.decided_at is None):
            reason = _("Required if decided, forbidden if open.")
            findings.refuse(f"proposals[{number}].decided_at", proposal.decided_at or "", reason)


def _text(text: str, tokens: TokensRecord | None, field_name: str, findings: Findings) -> SourceText:
    try:
        return text_of(text, tokens)
    except (InvalidValue, ValueError) as error:
        reason = str(error) if isinstance(error, InvalidValue) else _("starts and ends must have equal lengths.")
        findings.refuse(field_name, "", reason)
        return SourceText(text)
