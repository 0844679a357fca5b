"""The values that the records of our own JSONL stand for."""

import msgspec

from annotator.domain.models import HeldOut
from annotator.domain.own_sources import (
    SourceEvent,
    SourceList,
    SourceProject,
    SourceQualification,
    SourceTraining,
    SourceView,
)
from annotator.domain.project.guidelines import GuidelinesVersion
from annotator.domain.sources import (
    SourceAnnotation,
    SourceChoice,
    SourceProposal,
    SourceProposedSet,
    SourceRound,
    SourceSpan,
    SourceText,
    SourceThread,
    SourceWork,
)
from annotator.domain.texts import TokenizedText
from annotator.formats.own.records import (
    AnnotationRecord,
    ChoiceRecord,
    EventRecord,
    ListRecord,
    ProjectRecord,
    ProposalRecord,
    QualificationRecord,
    RoundRecord,
    ThreadRecord,
    TokensRecord,
    TrainingRecord,
    ViewRecord,
    WorkRecord,
)


def project_of(record: ProjectRecord) -> SourceProject:
    """The project header as a domain value."""
    return SourceProject(
        name=record.name,
        task=record.task,
        segments=tuple(record.segments),
        labels=tuple(record.labels),
        language=record.language,
        settings=record.settings,
        guidelines=record.guidelines,
        question=record.question,
        licence=record.licence,
        citation=record.citation,
        members=tuple(record.members),
        guidelines_versions=tuple(
            GuidelinesVersion(**msgspec.structs.asdict(version)) for version in record.guidelines_versions
        ),
        guidelines_read=tuple(record.guidelines_read),
    )


def event_of(record: EventRecord) -> SourceEvent:
    """An event as a domain value."""
    return SourceEvent(record.at, record.actor, record.action, record.subject, record.key, record.detail, record.split)


def training_of(record: TrainingRecord, key_prefix: str, source: str, line: int) -> SourceTraining:
    """What a model learned from as a domain value."""
    held_out = None if record.held_out is None else HeldOut(**msgspec.structs.asdict(record.held_out))
    members = tuple((key_prefix + key, split) for key, split in record.members)
    return SourceTraining(
        record.model, record.digest, record.seed, record.split, record.trained_at, held_out, members, source, line
    )


def list_of(record: ListRecord, key_prefix: str, source: str, line: int) -> SourceList:
    """A saved list as a domain value."""
    members = tuple((key_prefix + key, split) for key, split in record.members)
    return SourceList(
        record.name,
        record.note,
        record.made_by,
        record.by_user,
        record.created_at,
        record.changed_at,
        members,
        source,
        line,
    )


def qualification_of(
    record: QualificationRecord, key_prefix: str, source: str, line: int | None
) -> SourceQualification:
    """Training as a domain value."""
    members = tuple((f"{key_prefix}{key}", split) for key, split in record.members)
    return SourceQualification(record.rules, members, tuple(record.items), tuple(record.passed), source, line)


def view_of(record: ViewRecord) -> SourceView:
    """A saved view as a domain value."""
    return SourceView(record.name, record.query, record.made_by, record.by_user, record.created_at, record.changed_at)


def text_of(text: str, tokens: TokensRecord | None) -> SourceText:
    """A text with its tokens; raises InvalidValue when the offsets do not describe the text."""
    if tokens is None:
        return SourceText(text)
    body = TokenizedText(text, tuple(tokens.starts), tuple(tokens.ends), tuple(tokens.sentence_starts))
    body.check()
    return SourceText(text, body)


def annotation_of(record: AnnotationRecord, sets: tuple[tuple[SourceSpan, ...], ...]) -> SourceAnnotation:
    """An annotation with sets that were read before."""
    return SourceAnnotation(
        record.annotator,
        record.result,
        sets,
        record.note,
        record.round,
        record.state,
        record.by_user,
        record.created_at,
        guidelines=record.guidelines,
    )


def work_of(record: WorkRecord, sets: tuple[tuple[SourceSpan, ...], ...]) -> SourceWork:
    """Someone's work with the sets of the draft that were read before."""
    return SourceWork(
        record.user,
        record.round,
        record.state,
        record.revision,
        annotation_of(record.draft, sets),
        record.no_rationale,
        record.first_view_at,
        record.first_action_at,
        record.submitted_at,
        record.active_ms,
        record.idle_ms,
        record.edits,
        record.follows,
        tuple(record.origins),
        tuple(record.unlocked),
        tuple(
            SourceProposedSet(proposed_set.source, proposed_set.name, tuple(proposed_set.spans), proposed_set.state)
            for proposed_set in record.proposed
        ),
    )


def round_of(record: RoundRecord) -> SourceRound:
    """A round as a domain value."""
    verdict = None if record.verdict is None else msgspec.to_builtins(record.verdict)
    return msgspec.convert(msgspec.to_builtins(record) | {"verdict": verdict}, SourceRound)


def choice_of(record: ChoiceRecord) -> SourceChoice:
    """A choice of gold as a domain value."""
    return msgspec.convert(msgspec.to_builtins(record), SourceChoice)


def thread_of(record: ThreadRecord) -> SourceThread:
    """A thread as a domain value."""
    defaults = {"annotation": None, "position": None, "begun_by": None, "waits_for_lead": False}
    return msgspec.convert(defaults | msgspec.to_builtins(record), SourceThread)


def proposal_of(record: ProposalRecord) -> SourceProposal:
    """A proposal as a domain value."""
    return SourceProposal(**{name: getattr(record, name) for name in SourceProposal.__slots__})
