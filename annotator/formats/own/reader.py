"""Reading our own JSONL: project, documents, instances with all work, saved lists, perturbations, events."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from annotator.domain.numbers import counted
from annotator.domain.own_sources import SourceFrozen, SourceProject
from annotator.domain.projects import ProjectSettings
from annotator.domain.sources import SourceDocument, SourceInstance, SourceItem, SourceShown, SourceText
from annotator.domain.suites import WordList
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import full_export, records
from annotator.formats.own.full_export import OutputRecord, output_of
from annotator.formats.own.releases import FrozenRecord, ReleaseRecord, gold_of_record, release_of
from annotator.formats.own.values import folded
from annotator.formats.rows.checks import Checker, InstanceReader
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, convert
from annotator.formats.rows.spans import read_sets, read_span
from annotator.language import _
from annotator.text.characters import subtags

# What must fit together in a full export about reviewing, so that no row is stored that the program could not have made.


def check_reviewing(record: records.InstanceRecord, findings: Findings) -> None:
    """Note every place that points nowhere, round that appears twice, and score that is missing or too many."""
    for field_name, annotation_number in _annotation_numbers(record):
        if annotation_number >= len(record.annotations):
            findings.refuse(
                field_name,
                annotation_number,
                _(
                    "The instance has {annotations}, counted from 0.",
                    annotations=counted(len(record.annotations), "annotation"),
                ),
            )
    if findings.is_refused:
        return
    seen: set[int] = set()
    for number, made in enumerate(record.rounds):
        if made.annotation in seen:
            findings.refuse(f"rounds[{number}].annotation", made.annotation, _("Duplicate. Keep one."))
        seen.add(made.annotation)
        _check_round(record, number, made, findings)
    for number, thread in enumerate(record.threads):
        _check_thread(number, thread, findings)


def _annotation_numbers(record: records.InstanceRecord) -> Iterator[tuple[str, int]]:
    for number, work in enumerate(record.work):
        if work.follows is not None:
            yield f"work[{number}].follows", work.follows
    for number, made in enumerate(record.rounds):
        yield f"rounds[{number}].annotation", made.annotation
        if made.previous is not None:
            yield f"rounds[{number}].previous", made.previous
    if record.choice is not None:
        yield "choice.annotation", record.choice.annotation
    for number, thread in enumerate(record.threads):
        if thread.annotation is not None:
            yield f"threads[{number}].annotation", thread.annotation


def _check_round(record: records.InstanceRecord, number: int, made: records.RoundRecord, findings: Findings) -> None:
    field_prefix = f"rounds[{number}]"
    _check_decision(made, field_prefix, findings)
    _check_origins(made, field_prefix, findings)
    n_sets = len(record.annotations[made.annotation].rationales)
    carried = {position for position, _, is_carried in made.origins if is_carried}
    reviewers: set[bytes] = set()
    for review_number, review in enumerate(made.reviews):
        field_name = f"{field_prefix}.reviews[{review_number}]"
        name = review.user.encode().lower()
        if name in reviewers:
            findings.refuse(f"{field_name}.user", review.user, _("Same person twice in one round. Keep one."))
        reviewers.add(name)
        _check_scores(review, n_sets, carried, field_name, findings)
    for shadow in made.shadows:
        if len(shadow.sets) != n_sets:
            findings.refuse(
                f"{field_prefix}.shadows", shadow.model, _("The annotation has {sets}.", sets=counted(n_sets, "set"))
            )


def _check_decision(made: records.RoundRecord, field_prefix: str, findings: Findings) -> None:
    is_open = made.outcome is None
    if is_open != (made.decided_at is None):
        findings.refuse(
            f"{field_prefix}.decided_at", made.decided_at or "", _("Required if decided, forbidden if open.")
        )
    if is_open and made.verdict is not None:
        findings.refuse(f"{field_prefix}.verdict", "", _("An open round can't have a verdict."))


def _check_origins(made: records.RoundRecord, field_prefix: str, findings: Findings) -> None:
    if made.origins and made.previous is None:
        findings.refuse(
            f"{field_prefix}.origins", made.origins, _("Only corrections have origins. Name the previous round.")
        )
    if len({origin[0] for origin in made.origins}) != len(made.origins):
        findings.refuse(f"{field_prefix}.origins", made.origins, _("A set has one origin."))


def _check_scores(
    review: records.ReviewRecord, n_sets: int, carried: set[int], field_name: str, findings: Findings
) -> None:
    """What a review scores is there, and a submitted one scores all; a set that was carried over need not be scored anew."""
    if len(review.sets) > n_sets:
        findings.refuse(
            f"{field_name}.sets", len(review.sets), _("The annotation has {sets}.", sets=counted(n_sets, "set"))
        )
    if review.state != "submitted":
        return
    scored = {position for position, (suf, com, _) in enumerate(review.sets) if suf is not None and com is not None}
    if review.comprehensiveness is None or not set(range(n_sets)) - carried <= scored:
        findings.refuse(f"{field_name}.sets", "", _("A submitted review must have all its scores."))


def _check_thread(number: int, thread: records.ThreadRecord, findings: Findings) -> None:
    if (thread.about == "instance") != (thread.annotation is None):
        reason = _("Only threads about the instance name no annotation.")
        findings.refuse(f"threads[{number}].annotation", thread.annotation, reason)
    if (thread.about == "set") != (thread.position is not None):
        findings.refuse(f"threads[{number}].position", thread.position, _("Only threads about a set have it."))


def read(rows: Iterable[Row | Problem], options: ReadOptions) -> Iterator[SourceItem]:
    """The items of our own JSONL, in the order of the file."""
    reader = _OwnReader(options)
    for row in rows:
        yield from [row] if isinstance(row, Problem) else reader.read(row)


class _OwnReader(InstanceReader):
    def read(self, row: Row) -> Iterator[SourceItem]:
        findings = row.findings()
        record = convert(row.values, records.OwnRecord, findings)  # type: ignore[arg-type]  # a union is a type to msgspec
        item = self._item(record, row, findings)
        if item is not None and not findings.is_refused:
            yield item
        yield from findings.problems

    def _item(self, record: records.OwnRecord | None, row: Row, findings: Findings) -> SourceItem | None:  # noqa: C901, PLR0911, PLR0912  (one for each)
        match record:
            case records.InstanceRecord():
                return self._instance(record, row, findings)
            case records.DocumentRecord():
                return self._document(record, row, findings)
            case OutputRecord():
                return self._output(record, row, findings)
            case records.ListRecord():
                return records.list_of(record, self.options.key_prefix, row.source, row.line)
            case records.QualificationRecord():
                return records.qualification_of(record, self.options.key_prefix, row.source, row.line)
            case records.ViewRecord():
                return records.view_of(record)
            case ReleaseRecord():
                return release_of(record, row.source, row.line)
            case FrozenRecord():
                return _frozen(record, findings)
            case records.SufficientSetsRecord():
                return records.sufficient_sets_of(record, self.options.key_prefix, row.source, row.line)
            case records.TrainingRecord():
                return records.training_of(record, self.options.key_prefix, row.source, row.line)
            case records.WordListRecord():
                return _word_list(record, findings)
            case full_export.PerturbationRecord():
                full_export.check_perturbation(record, findings)
                return full_export.perturbation_of(record, self.options.key_prefix, row.source, row.line)
            case full_export.AuditRecord():
                full_export.check_audit(record, findings)
                return full_export.audit_of(record, self.options.key_prefix, row.source, row.line, findings)
            case records.EventRecord():
                return records.event_of(record)
            case records.ProjectRecord():
                return self._project(record, findings)
            case None:
                return None

    def _output(self, record: OutputRecord, row: Row, findings: Findings) -> SourceItem | None:
        try:
            return output_of(record, self.options.key_prefix, row.source, row.line)
        except InvalidValue as error:
            findings.refuse("attributions", record.key, str(error))
            return None

    def _project(self, record: records.ProjectRecord, findings: Findings) -> SourceProject:
        """The header; an empty project takes over its labels, so they can only be checked once it has."""
        self.options = replace(self.options, labels=())
        self.checker = Checker(self.options, self.checker.documents)
        return _project(record, self.options.task, findings)

    def _document(self, record: records.DocumentRecord, row: Row, findings: Findings) -> SourceDocument:
        body = _text(record.text, record.tokens, "tokens", findings)
        document = SourceDocument(
            self.options.key_prefix + record.docid, body, self._language(record.language), row.source, row.line
        )
        if document.docid in self.checker.documents:
            findings.refuse("docid", record.docid, _("Duplicate. Keep one."))
        if not findings.is_refused:
            self.checker.remember(document)
        return document

    def _instance(self, record: records.InstanceRecord, row: Row, findings: Findings) -> SourceInstance:
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
            annotations=tuple(records.annotation_of(a, s) for a, s in zip(record.annotations, sets, strict=True)),
            target=None if record.target is None else read_span(record.target, task, "target", findings),
            parent_key=None if record.parent is None else prefix + record.parent,
            perturbation_kind=record.perturbation_kind,
            is_exhaustive=record.exhaustive,
            metadata=record.metadata,
            state=record.state,
            work=tuple(records.work_of(w, s) for w, s in zip(record.work, drafts, strict=True)),
            proposals=tuple(records.proposal_of(proposal) for proposal in record.proposals),
            rounds=tuple(records.round_of(made) for made in record.rounds),
            choice=None if record.choice is None else records.choice_of(record.choice),
            threads=tuple(records.thread_of(thread) for thread in record.threads),
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

    def _segment(self, name: str, record: records.TextRecord, findings: Findings) -> SourceText | str:
        if record.docid is not None:
            return self.options.key_prefix + record.docid
        return _text(record.text or "", record.tokens, f"segments.{name}.tokens", findings)


def _frozen(record: FrozenRecord, findings: Findings) -> SourceFrozen | None:
    try:
        return SourceFrozen(record.release, gold_of_record(record))
    except InvalidValue as error:
        findings.refuse("released", record.key, str(error))
        return None


def _word_list(record: records.WordListRecord, findings: Findings) -> WordList | None:
    try:
        return WordList(record.name, record.language, record.role, tuple(record.words))
    except InvalidValue as error:
        findings.refuse("word_list", record.name, str(error))
        return None


def _project(record: records.ProjectRecord, task: Task, findings: Findings) -> SourceProject:
    if record.version > records.VERSION:
        reason = _("File newer than version {version}. Update the program.", version=records.VERSION)
        findings.refuse("version", record.version, reason)
    else:
        _check_header(record, task, findings)
    return records.project_of(record)


def _check_header(record: records.ProjectRecord, task: Task, findings: Findings) -> None:
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
    language = record.language
    try:
        subtags(language)
    except InvalidValue as error:
        findings.refuse("language", language, str(error))
    _check_settings(record.settings, findings)


def _check_settings(settings: Mapping[str, object], findings: Findings) -> None:
    within = Findings(findings.source, findings.line)
    try:
        convert(settings, ProjectSettings, within)
    except InvalidValue as error:
        findings.refuse("settings", settings, str(error))
    for problem in within.problems:
        findings.refuse(f"settings.{problem.field}", problem.value, problem.reason)


def _check_people(record: records.InstanceRecord, findings: Findings) -> None:
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


def _check_proposals(record: records.InstanceRecord, findings: Findings) -> None:
    for number, proposal in enumerate(record.proposals):
        if (proposal.state == "open") != (proposal.decided_at is None):
            reason = _("Required if decided, forbidden if open.")
            findings.refuse(f"proposals[{number}].decided_at", proposal.decided_at or "", reason)


def _text(text: str, tokens: records.TokensRecord | None, field_name: str, findings: Findings) -> SourceText:
    try:
        return records.text_of(text, tokens)
    except (InvalidValue, ValueError) as error:
        reason = str(error) if isinstance(error, InvalidValue) else _("starts and ends must have equal lengths.")
        findings.refuse(field_name, "", reason)
        return SourceText(text)
