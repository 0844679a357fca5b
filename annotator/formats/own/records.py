"""The records of our own JSONL as they stand in the file, and their values."""

from dataclasses import fields
from typing import Annotated, Any, Literal

import msgspec

from annotator.domain import sources
from annotator.domain.instances import AnnotationState, AssignmentState, InstanceState
from annotator.domain.measurements import LONGEST_NAME, LONGEST_NOTE, LONGEST_QUERY, MOST_LISTED
from annotator.domain.models import HeldOut, Way, canonical_parameters
from annotator.domain.own_sources import (
    SourceEvent,
    SourceList,
    SourceProject,
    SourceQualification,
    SourceSufficientSets,
    SourceTraining,
    SourceView,
)
from annotator.domain.people import Role
from annotator.domain.project.guidelines import GuidelinesVersion
from annotator.domain.project.qualification import Audience, Purpose, QualificationRules, Spoiling
from annotator.domain.proposed_sets import Arm, HelpSource, HelpStep, ProposedSource, ProposedState
from annotator.domain.reviews import Outcome, Property, ReviewState, Voice
from annotator.domain.sufficient_sets import SufficientSets
from annotator.domain.suites import WordListRole
from annotator.domain.texts import HelpOrigin, TokenizedText
from annotator.errors import InvalidValue
from annotator.formats.own.full_export import AuditRecord, OutputRecord, PerturbationRecord
from annotator.formats.own.releases import FrozenRecord, ReleaseRecord
from annotator.formats.own.values import Time, UserName
from annotator.formats.rows.spans import SpanRow

# 2: what models answer and give as their reasons; 3: saved lists, perturbations that were written here, word lists; 4: to whom
# sets were shown, and what models that were trained here learned from; 5: saved views; 6: what models' answers put first,
# releases of gold, versions of guidelines; 7: what work is paid at, among the settings, for whom texts are and how many
# annotators more they want, the second pass that a choice of gold came from, audits of changed versions, training; 8: what help
# work had, and what it had to do with each set
VERSION = 8

# What the store takes; a value that it would refuse is a problem of the file, with its line and field.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
VersionNumber = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
RoundNumber = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Place = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
OfThree = Annotated[int, msgspec.Meta(ge=1, le=3)]
OfFour = Annotated[int, msgspec.Meta(ge=1, le=4)]
ExactNumber = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,9}(/[1-9][0-9]{0,8})?$")]


class TokensRecord(msgspec.Struct):
    """Character offsets of a text's tokens, and the tokens at which its sentences start."""

    starts: list[int]
    ends: list[int]
    sentence_starts: list[int]


class TextRecord(msgspec.Struct, omit_defaults=True):
    """A segment: its own text, or the document that it is."""

    text: str | None = None
    tokens: TokensRecord | None = None
    docid: str | None = None


class AnnotationRecord(msgspec.Struct, omit_defaults=True):
    """One annotator's result and rationale sets."""

    annotator: str
    result: str | None = None
    rationales: list[list[SpanRow]] = []
    note: str = ""
    round: RoundNumber = 1
    state: AnnotationState | None = None
    by_user: bool = False
    created_at: Time | None = None
    guidelines: VersionNumber | None = None
    origins: list[HelpOrigin | None] = []

    def __post_init__(self) -> None:
        if self.origins and len(self.origins) != len(self.rationales):
            raise ValueError("origins and rationales must be as many")


class HelpRecord(msgspec.Struct):
    """A line of the log of help."""

    at: Time
    source: HelpSource
    name: str
    spans: list[tuple[Place, Place]]
    step: HelpStep

    def __post_init__(self) -> None:
        if not self.spans and self.source != "model":
            raise ValueError("only a model's answer has no spans")


class ProposedSetRecord(msgspec.Struct):
    """A set that was proposed to an annotator."""

    source: ProposedSource
    name: str
    spans: Annotated[list[tuple[Place, Place]], msgspec.Meta(min_length=1)]
    state: ProposedState

    def __post_init__(self) -> None:
        if self.state == "unasked" and self.source != "complement":
            raise ValueError("only a complement waits to be asked for")
        if not all(start < end for start, end in self.spans):
            raise ValueError("a span needs start < end")


class WorkRecord(msgspec.Struct, omit_defaults=True):
    """What someone holds or held of an instance."""

    user: UserName
    round: RoundNumber
    state: AssignmentState
    revision: Count
    draft: AnnotationRecord
    no_rationale: bool = False
    first_view_at: Time | None = None
    first_action_at: Time | None = None
    submitted_at: Time | None = None
    active_ms: Count = 0
    idle_ms: Count = 0
    edits: Count = 0
    follows: Place | None = None
    origins: list[Place | None] = []
    unlocked: list[Place] = []
    proposed: list[ProposedSetRecord] = []
    arm: Arm | None = None
    help: list[HelpRecord] = []


class ReviewRecord(msgspec.Struct, omit_defaults=True):
    """One reviewer's work on an annotation; a set's scores are sufficiency, compactness and a comment."""

    user: UserName
    state: ReviewState
    revision: Count
    created_at: Time
    submitted_at: Time | None = None
    active_ms: Count = 0
    idle_ms: Count = 0
    comprehensiveness: OfThree | None = None
    comment: str = ""
    sets: list[tuple[OfThree | None, OfFour | None, str]] = []


class ShadowRecord(msgspec.Struct, omit_defaults=True):
    """What a language model gave an annotation as a shadow reviewer; a set's scores are sufficiency and compactness."""

    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    comprehensiveness: OfThree
    sets: list[tuple[OfThree, OfFour]] = []


class FindingRecord(msgspec.Struct):
    """One mean against its threshold, exact numbers in words."""

    property: Property
    set: Place | None
    scores: list[OfFour]
    mean: ExactNumber
    threshold: ExactNumber
    passes: bool


class VerdictRecord(msgspec.Struct):
    """The gate's arithmetic."""

    outcome: Outcome
    findings: list[FindingRecord]


class RoundRecord(msgspec.Struct, omit_defaults=True):
    """A round; annotation and previous are places among the instance's annotations."""

    annotation: Place
    number: RoundNumber
    opened_at: Time
    previous: Place | None = None
    outcome: Outcome | None = None
    decided_at: Time | None = None
    decided_by: str | None = None
    reason: str = ""
    verdict: VerdictRecord | None = None
    origins: list[tuple[Place, Place, bool]] = []
    reviews: list[ReviewRecord] = []
    shadows: list[ShadowRecord] = []


class ChoiceRecord(msgspec.Struct, omit_defaults=True):
    """The lead's choice of gold; evidence_pass: the second pass that it came from, in which all evidence was marked."""

    annotation: Place
    is_adjudicated: bool
    chosen_by: str
    reason: str
    chosen_at: Time
    evidence_pass: Annotated[str, msgspec.Meta(min_length=1)] | None = None


class CommentRecord(msgspec.Struct, omit_defaults=True):
    """One comment of a thread."""

    author: UserName
    spoken_as: Voice
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    created_at: Time
    by_user: bool = True


class ThreadRecord(msgspec.Struct, omit_defaults=True):
    """A thread of comments."""

    about: Literal["instance", "annotation", "set", "decision"]
    annotation: Place | None = None
    position: Place | None = None
    begun_by: UserName | None = None
    waits_for_lead: bool = False
    comments: list[CommentRecord] = []


class ProposalRecord(msgspec.Struct, omit_defaults=True):
    """A proposal to discard, or a contested label."""

    user: str
    kind: Literal["discard", "contest"]
    reason: str
    comment: str
    state: Literal["open", "confirmed", "rejected"]
    created_at: Time
    decided_by: str | None = None
    decided_at: Time | None = None


class GuidelinesRecord(msgspec.Struct, omit_defaults=True):
    """A version of the guidelines."""

    number: VersionNumber
    text: str
    made_by: str
    made_at: Time
    is_small: bool = False


class ProjectRecord(msgspec.Struct, tag_field="record", tag="project"):
    """The first line: what the project is."""

    version: int
    name: str
    task: str
    segments: list[dict[str, Any]]
    labels: list[str]
    language: str
    settings: dict[str, Any]
    guidelines: str = ""
    question: str = ""
    licence: str = ""
    citation: str = ""
    members: list[tuple[UserName, Role]] = []
    guidelines_versions: list[GuidelinesRecord] = []
    guidelines_read: list[tuple[UserName, VersionNumber, Time]] = []

    def __post_init__(self) -> None:
        numbers = [version.number for version in self.guidelines_versions]
        if numbers != list(range(1, 1 + len(numbers))):
            raise ValueError("the versions of the guidelines must be numbered 1, 2, 3 … in this order")
        if any(number > len(numbers) for _, number, _ in self.guidelines_read):
            raise ValueError("somebody has read a version of the guidelines that is not there")


class DocumentRecord(msgspec.Struct, tag_field="record", tag="document", omit_defaults=True):
    """A document; it stands before the instances that point to it."""

    docid: str
    text: str
    tokens: TokensRecord | None = None
    language: str | None = None


class InstanceRecord(msgspec.Struct, tag_field="record", tag="instance", omit_defaults=True):
    """An instance with everything that was done with it."""

    key: str
    segments: dict[str, TextRecord] = {}
    split: str = ""
    language: str | None = None
    result: str | None = None
    annotations: list[AnnotationRecord] = []
    target: SpanRow | None = None
    parent: str | None = None
    perturbation_kind: str | None = None
    exhaustive: bool | None = None
    metadata: dict[str, Any] = {}
    state: InstanceState | None = None
    work: list[WorkRecord] = []
    proposals: list[ProposalRecord] = []
    rounds: list[RoundRecord] = []
    choice: ChoiceRecord | None = None
    threads: list[ThreadRecord] = []
    shown: list[tuple[UserName, Time]] = []
    put_first: Annotated[int, msgspec.Meta(ge=-(2**53), le=-1)] | None = None
    extra_annotators: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    named_as: Literal["first", "only"] | None = None
    named: list[UserName] = []


class ListRecord(msgspec.Struct, tag_field="record", tag="list", omit_defaults=True):
    """A saved list; it stands after its instances, which are named by (key, split)."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
    made_by: UserName
    created_at: Time
    changed_at: Time
    note: Annotated[str, msgspec.Meta(max_length=LONGEST_NOTE)] = ""
    by_user: bool = False
    members: Annotated[list[tuple[str, str]], msgspec.Meta(max_length=MOST_LISTED)] = []


class ViewRecord(msgspec.Struct, tag_field="record", tag="view", omit_defaults=True):
    """A saved view of the Metrics page; query is what its address asks for."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
    query: Annotated[str, msgspec.Meta(max_length=LONGEST_QUERY)]
    made_by: UserName
    created_at: Time
    changed_at: Time
    by_user: bool = False


class QualificationRecord(msgspec.Struct, tag_field="record", tag="qualification", omit_defaults=True):
    """Training: rules by audience, and its texts, which stand before it and are named by (key, split)."""

    rules: dict[Audience, dict[str, bool | int]] = {}
    members: list[tuple[str, str]] = []
    items: list[tuple[Purpose, Spoiling, int]] = []
    passed: list[tuple[Audience, UserName]] = []

    def __post_init__(self) -> None:
        if len(self.members) != len(self.items):
            raise ValueError("members and items must be as many")
        names = {each.name for each in fields(QualificationRules)}
        for rules in self.rules.values():
            if strange := sorted(set(rules) - names):
                raise ValueError(f"there is no rule '{strange[0]}'; there are {', '.join(sorted(names))}")
            if not isinstance(rules.get("is_on", False), bool):
                raise ValueError("is_on must be true or false")  # noqa: TRY004  (msgspec tells it as a refused value)
            try:
                QualificationRules(**rules)  # type: ignore[arg-type]
            except InvalidValue as error:
                raise ValueError(str(error)) from error


class HeldOutRecord(msgspec.Struct):
    """How often a model is right about texts that it did not learn from; see domain/models.py."""

    way: Way
    n: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    n_right: Count
    label: str
    n_label: Count
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if max(self.n_right, self.n_label) > self.n:
            raise ValueError("more texts are right, or of one label, than there are")


class TrainingRecord(msgspec.Struct, tag_field="record", tag="training", omit_defaults=True):
    """What a model that was trained in the project learned from; it stands after its instances, named by (key, split)."""

    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    digest: str
    seed: Count
    trained_at: Time
    split: str | None = None
    held_out: HeldOutRecord | None = None
    members: list[tuple[str, str]] = []


class SufficientSetsRecord(msgspec.Struct, tag_field="record", tag="sufficient_sets", omit_defaults=True):
    """A model's own sets of an instance, which stands before them; parameters: how they were looked for."""

    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    parameters: dict[str, Any]
    key: str
    sets: SufficientSets
    split: str = ""


class WordListRecord(msgspec.Struct, tag_field="record", tag="word_list"):
    """A word list; it stands before what it may mark."""

    name: str
    language: str
    role: WordListRole
    words: list[str]


class EventRecord(msgspec.Struct, tag_field="record", tag="event", omit_defaults=True):
    """One line of the record of who did what."""

    at: Time
    actor: str
    action: str
    subject: str
    key: str
    detail: dict[str, Any]
    split: str = ""


OwnRecord = (
    ProjectRecord
    | WordListRecord
    | DocumentRecord
    | InstanceRecord
    | OutputRecord
    | ListRecord
    | ViewRecord
    | QualificationRecord
    | ReleaseRecord
    | FrozenRecord
    | SufficientSetsRecord
    | TrainingRecord
    | PerturbationRecord
    | AuditRecord
    | EventRecord
)


# The values that the records of our own JSONL stand for.


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


def sufficient_sets_of(record: SufficientSetsRecord, key_prefix: str, source: str, line: int) -> SourceSufficientSets:
    """A model's own sets as a domain value."""
    parameters = canonical_parameters(record.parameters)
    return SourceSufficientSets(
        record.model, parameters, key_prefix + record.key, record.split, record.sets, source, line
    )


def list_of(record: ListRecord, key_prefix: str, source: str, line: int) -> SourceList:
    """A saved list as a domain value."""
    members = tuple((key_prefix + key, split) for key, split in record.members)
    return SourceList(
        record.name, record.note, record.made_by, record.by_user, record.created_at, record.changed_at, members, source,
        line,
    )  # fmt: skip


def qualification_of(
    record: QualificationRecord, key_prefix: str, source: str, line: int | None
) -> SourceQualification:
    """Training as a domain value."""
    members = tuple((f"{key_prefix}{key}", split) for key, split in record.members)
    return SourceQualification(record.rules, members, tuple(record.items), tuple(record.passed), source, line)


def view_of(record: ViewRecord) -> SourceView:
    """A saved view as a domain value."""
    return SourceView(record.name, record.query, record.made_by, record.by_user, record.created_at, record.changed_at)


def text_of(text: str, tokens: TokensRecord | None) -> sources.SourceText:
    """A text with its tokens; raises InvalidValue when the offsets do not describe the text."""
    if tokens is None:
        return sources.SourceText(text)
    body = TokenizedText(text, tuple(tokens.starts), tuple(tokens.ends), tuple(tokens.sentence_starts))
    body.check()
    return sources.SourceText(text, body)


def annotation_of(
    record: AnnotationRecord, sets: tuple[tuple[sources.SourceSpan, ...], ...]
) -> sources.SourceAnnotation:
    """An annotation with sets that were read before."""
    return sources.SourceAnnotation(
        record.annotator, record.result, sets, record.note, record.round, record.state, record.by_user,
        record.created_at, guidelines=record.guidelines, origins=tuple(record.origins),
    )  # fmt: skip


def work_of(record: WorkRecord, sets: tuple[tuple[sources.SourceSpan, ...], ...]) -> sources.SourceWork:
    """Someone's work with the sets of the draft that were read before."""
    return sources.SourceWork(
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
            sources.SourceProposedSet(
                proposed_set.source, proposed_set.name, tuple(proposed_set.spans), proposed_set.state
            )
            for proposed_set in record.proposed
        ),
        record.arm,
        tuple(sources.SourceHelp(of.at, of.source, of.name, tuple(of.spans), of.step) for of in record.help),
    )


def round_of(record: RoundRecord) -> sources.SourceRound:
    """A round as a domain value."""
    verdict = None if record.verdict is None else msgspec.to_builtins(record.verdict)
    return msgspec.convert(msgspec.to_builtins(record) | {"verdict": verdict}, sources.SourceRound)


def choice_of(record: ChoiceRecord) -> sources.SourceChoice:
    """A choice of gold as a domain value."""
    return msgspec.convert(msgspec.to_builtins(record), sources.SourceChoice)


def thread_of(record: ThreadRecord) -> sources.SourceThread:
    """A thread as a domain value."""
    defaults = {"annotation": None, "position": None, "begun_by": None, "waits_for_lead": False}
    return msgspec.convert(defaults | msgspec.to_builtins(record), sources.SourceThread)


def proposal_of(record: ProposalRecord) -> sources.SourceProposal:
    """A proposal as a domain value."""
    return sources.SourceProposal(**{name: getattr(record, name) for name in sources.SourceProposal.__slots__})
