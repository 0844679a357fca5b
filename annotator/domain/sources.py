"""What a format reads from a file, before it is tokenised and stored."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotator.domain import own_sources
from annotator.domain.instances import AnnotationState
from annotator.domain.models import StoredOutput
from annotator.domain.proposed_sets import Arm, HelpSource, HelpStep, ProposedSource, ProposedState
from annotator.domain.suites import WordList
from annotator.domain.texts import HelpOrigin, TokenizedText
from annotator.errors import Problem

_NUMBERED = re.compile(r"(?:annotator|mask) [0-9]+")  # as e-SNLI's and HateXplain's are called
_MASK = re.compile(r"mask [0-9]+")


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text as a file gives it. `tokens` is there when the source brings its own; else it is tokenised on import.

    is_text_of_tokens: the file says the tokens alone, so that the spaces between them are not the text's own
    """

    text: str
    tokens: TokenizedText | None = None
    is_text_of_tokens: bool = False


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document with a name of its own, which several instances may share."""

    docid: str
    body: SourceText
    language: str | None = None
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A span of a rationale set: tokens of a segment (numbered within it), or its characters (code points); half open."""

    segment: str
    start: int
    end: int
    unit: Literal["token", "char"] = "token"


@dataclass(frozen=True, slots=True)
class SourceAnnotation:
    """One annotator's result and rationale sets."""

    annotator: str
    result: str | None
    sets: tuple[tuple[SourceSpan, ...], ...]
    note: str = ""
    round_number: int = 1
    state: AnnotationState | None = None  # None: as the import is asked to store gold
    by_user: bool = False  # made by a person here, and not brought by a source (only our own JSONL says it)
    created_at: str | None = None
    quoted: tuple[tuple[str, ...], ...] = ()  # more sets: what each quotes of the text, to be found in it
    guidelines: int | None = None  # the version of the guidelines that its author had read (only our own JSONL says it)
    origins: tuple[HelpOrigin | None, ...] = ()  # what help had to do with each set; () for nothing known


def is_numbered_in_text(annotator: str, metadata: Mapping[str, object]) -> bool:
    """Whether an annotator's name may count the annotators of one text alone, so that it is somebody else in the next one.

    metadata: of the instance; files in the neutral form say it there

    >>> is_numbered_in_text("annotator 1", {}), is_numbered_in_text("ada", {})
    (True, False)
    >>> is_numbered_in_text("e1", {"positional_annotators": True})
    True
    """
    return metadata.get("positional_annotators") is True or _NUMBERED.fullmatch(annotator) is not None


def is_mask_of_nobody(annotator: str) -> bool:
    """Whether the name is that of marks of which the file does not say who made them, and so under which label.

    >>> is_mask_of_nobody("mask 1"), is_mask_of_nobody("annotator 1")
    (True, False)
    """
    return _MASK.fullmatch(annotator) is not None


@dataclass(frozen=True, slots=True)
class SourceProposedSet:
    """A set that was proposed for a piece of work, and what became of it; spans: token indices of the instance."""

    source: ProposedSource
    name: str
    spans: tuple[tuple[int, int], ...]
    state: ProposedState


@dataclass(frozen=True, slots=True)
class SourceHelp:
    """A line of the log of help; spans: of a set, and none of a model's answer."""

    at: str
    source: HelpSource
    name: str
    spans: tuple[tuple[int, int], ...]
    step: HelpStep


@dataclass(frozen=True, slots=True)
class SourceWork:
    """What someone holds or held of an instance, with the draft and the time spent (only our own JSONL carries it)."""

    user: str
    round_number: int
    state: str
    revision: int
    draft: SourceAnnotation
    no_rationale: bool = False
    first_view_at: str | None = None
    first_action_at: str | None = None
    submitted_at: str | None = None
    active_ms: int = 0
    idle_ms: int = 0
    edits: int = 0
    follows: int | None = None  # of a correction: the place among the instance's annotations of the one it corrects
    origins: tuple[int | None, ...] = ()
    unlocked: tuple[int, ...] = ()
    proposed: tuple[SourceProposedSet, ...] = ()
    arm: Arm | None = None
    help: tuple[SourceHelp, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceReview:
    """One reviewer's work on an annotation; `sets` holds (sufficiency, compactness, comment) of each set."""

    user: str
    state: str
    revision: int
    created_at: str
    submitted_at: str | None = None
    active_ms: int = 0
    idle_ms: int = 0
    comprehensiveness: int | None = None
    comment: str = ""
    sets: tuple[tuple[int | None, int | None, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceShadow:
    """What a language model gave an annotation as a shadow reviewer; sets: (sufficiency, compactness) of each."""

    model: str
    comprehensiveness: int
    sets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRound:
    """A round: `annotation` and `previous` are places among the instance's annotations.

    origins: (position, position in the previous round, whether the set carries its scores)
    verdict: the gate's arithmetic as the store packs it
    """

    annotation: int
    number: int
    opened_at: str
    previous: int | None = None
    outcome: str | None = None
    decided_at: str | None = None
    decided_by: str | None = None
    reason: str = ""
    verdict: Mapping[str, object] | None = None
    origins: tuple[tuple[int, int, bool], ...] = ()
    reviews: tuple[SourceReview, ...] = ()
    shadows: tuple[SourceShadow, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """The lead's choice of gold: the place of the annotation, whether the lead made it, the second pass that it came from."""

    annotation: int
    is_adjudicated: bool
    chosen_by: str
    reason: str
    chosen_at: str
    evidence_pass: str | None = None


@dataclass(frozen=True, slots=True)
class SourceComment:
    """One comment of a thread; spoken_as: what its author was to the thread when they wrote it."""

    author: str
    spoken_as: str
    text: str
    created_at: str
    by_user: bool = True


@dataclass(frozen=True, slots=True)
class SourceThread:
    """A thread about an instance, an annotation of it, one set of that, or its decision."""

    about: str
    annotation: int | None
    position: int | None
    begun_by: str | None
    waits_for_lead: bool
    comments: tuple[SourceComment, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceShown:
    """Somebody to whom others' sets of the instance were shown, so that they are not given it, and since when."""

    user: str
    at: str


@dataclass(frozen=True, slots=True)
class SourceProposal:
    """A proposal to discard, or a contested label, open or decided."""

    user: str
    kind: str
    reason: str
    comment: str
    state: str
    created_at: str
    decided_by: str | None = None
    decided_at: str | None = None


@dataclass(frozen=True, slots=True)
class SourceColumns:
    """What the columns of a table are taken for, in words, and a question for each that may be meant otherwise."""

    told: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceInstance:
    """One input with what the file says of it.

    `segments` maps a segment's name to its text, or to the docid of a SourceDocument that was read before.
    `result` is None when the file gives none; "" is the answer "there is none" of reading.

    `is_addition`: where the import or the project has an instance of this split and key, only the annotations, and the
    result if there was none, are added to it; it is no change of the row. Without `segments` there must be one, and a
    span may have the segment "": its tokens are then numbered through the whole instance, and it is cut where a segment
    ends. With `segments` the instance is made when there is none.

    `extra_annotators`: how many it wants beyond the project's number. `named`: the people for whom it is, `named_as` "only" for
    them or "first"

    `put_first`: its position in the queue, below 0, where a model's answers put it before all others

    `names_texts_of_tokens`: of the documents that it names the file says the tokens alone (see SourceText)
    """

    key: str
    segments: Mapping[str, SourceText | str]
    source: str
    line: int | None
    split: str = ""
    language: str | None = None
    result: str | None = None
    annotations: tuple[SourceAnnotation, ...] = ()
    target: SourceSpan | None = None
    parent_key: str | None = None
    perturbation_kind: str | None = None
    is_exhaustive: bool | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    state: str | None = None  # only our own JSONL says it
    work: tuple[SourceWork, ...] = ()
    proposals: tuple[SourceProposal, ...] = ()
    rounds: tuple[SourceRound, ...] = ()
    choice: SourceChoice | None = None
    threads: tuple[SourceThread, ...] = ()
    shown: tuple[SourceShown, ...] = ()
    put_first: int | None = None
    extra_annotators: int = 0
    named_as: str | None = None
    named: tuple[str, ...] = ()
    is_addition: bool = False
    names_texts_of_tokens: bool = False

    @property
    def has_tokens_alone(self) -> bool:
        """Whether of all its texts the file says the tokens alone."""
        texts = self.segments.values()
        are_own = all(isinstance(text, SourceText) and text.is_text_of_tokens for text in texts)
        return self.names_texts_of_tokens or (bool(texts) and are_own)

    @property
    def place(self) -> tuple[str, str]:
        """Its key and split."""
        return self.key, self.split

    @property
    def segments_with_characters(self) -> set[str]:
        """The segments in which it counts characters, and not tokens."""
        return {span.segment for span in self.spans if span.unit == "char"}

    @property
    def has_quotes(self) -> bool:
        """Whether an annotation says in words what it marks, so that its texts have to be read."""
        return any(annotation.quoted for annotation in self.annotations)

    @property
    def spans(self) -> Iterator[SourceSpan]:
        """Its target, and whatever its annotations mark."""
        if self.target is not None:
            yield self.target
        for annotation in self.annotations:
            for spans in annotation.sets:
                yield from spans

    @property
    def is_worked_on(self) -> bool:
        """Whether it brings anything that people did with it here."""
        is_given_otherwise = self.extra_annotators or self.named
        of_people = self.work or self.proposals or self.rounds or self.choice or self.threads or self.shown
        return bool(of_people or is_given_otherwise)


OwnItem = (
    own_sources.SourceProject
    | WordList
    | SourceDocument
    | SourceInstance
    | StoredOutput
    | own_sources.SourceList
    | own_sources.SourceView
    | own_sources.SourceQualification
    | own_sources.SourceRelease
    | own_sources.SourceFrozen
    | own_sources.SourceSufficientSets
    | own_sources.SourceTraining
    | own_sources.SourcePerturbation
    | own_sources.SourceAudit
    | own_sources.SourceEvent
)
SourceItem = OwnItem | SourceColumns | Problem


# What the file that an instance came from says of its annotators, which stands in the instance's metadata.


ANNOTATIONS = "annotations"
ANNOTATOR = "annotator"
AUTHOR, CORRECTORS, NOTE = "author", "corrected_by", "note"  # of a changed version, beside its kind
_MOST_FACTS = 8
_LONGEST_FACT = 40  # characters


def facts_of_annotators(metadata: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """By annotator what is told of them.

    >>> facts_of_annotators({"annotations": [{"annotator": "ada", "group": "G1"}, "odd"]})
    {'ada': {'group': 'G1'}}
    """
    rows = metadata.get(ANNOTATIONS)
    named = [row for row in rows if isinstance(row, dict) and ANNOTATOR in row] if isinstance(rows, list) else []
    return {str(row[ANNOTATOR]): {name: value for name, value in row.items() if name != ANNOTATOR} for row in named}


def short_facts(metadata: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """By annotator the first of what is told of them, cut to what stands beside a name.

    >>> short_facts({"annotations": [{"annotator": "ada", "group": "G1", "marks": [0, 1]}]})
    {'ada': ('G1',)}
    """
    by_annotator: dict[str, tuple[str, ...]] = {}
    for annotator, facts in facts_of_annotators(metadata).items():
        values = [value for value in facts.values() if isinstance(value, str | int)]
        by_annotator[annotator] = tuple(str(value)[:_LONGEST_FACT] for value in values[:_MOST_FACTS])
    return by_annotator


def with_annotators_called(metadata: Mapping[str, object], called: Callable[[str], str]) -> dict[str, object]:
    """The metadata with other names for its annotators, in the order of those names.

    >>> facts = {"year": 2, "annotations": [{"annotator": "zoe", "group": "G1"}, {"annotator": "ada"}]}
    >>> with_annotators_called(facts, str.upper)
    {'year': 2, 'annotations': [{'annotator': 'ADA'}, {'annotator': 'ZOE', 'group': 'G1'}]}
    """
    rows = metadata.get(ANNOTATIONS)
    if not isinstance(rows, list):
        return dict(metadata)
    return {**metadata, ANNOTATIONS: sorted((_called(row, called) for row in rows), key=_annotator)}


def without_annotators(metadata: Mapping[str, object]) -> dict[str, object]:
    """The metadata with what is told of annotators, but not of whom.

    >>> without_annotators({"year": 2, "annotations": [{"annotator": "ada", "group": "G1"}]})
    {'year': 2, 'annotations': [{'group': 'G1'}]}
    """
    rows = metadata.get(ANNOTATIONS)
    if not isinstance(rows, list):
        return dict(metadata)
    nameless = [
        {name: row[name] for name in row if name != ANNOTATOR} if isinstance(row, dict) else row for row in rows
    ]
    return {**metadata, ANNOTATIONS: nameless}


def without_annotator(metadata: Mapping[str, object], name: str) -> dict[str, object]:
    """The metadata without anything that is told of one annotator.

    >>> without_annotator({"annotations": [{"annotator": "ada", "group": "G1"}, {"annotator": "zoe"}]}, "ada")
    {'annotations': [{'annotator': 'zoe'}]}
    """
    rows = metadata.get(ANNOTATIONS)
    if not isinstance(rows, list):
        return dict(metadata)
    return {**metadata, ANNOTATIONS: [row for row in rows if not isinstance(row, dict) or row.get(ANNOTATOR) != name]}


def with_authors_called(metadata: Mapping[str, object], called: Callable[[str], str]) -> dict[str, object]:
    """The metadata of a changed version with other names for who wrote it and who corrected it.

    >>> with_authors_called({"author": "ada", "corrected_by": ["zoe"], "note": "shorter"}, str.upper)
    {'author': 'ADA', 'corrected_by': ['ZOE'], 'note': 'shorter'}
    """
    renamed = dict(metadata)
    if isinstance(author := metadata.get(AUTHOR), str):
        renamed[AUTHOR] = called(author)
    if isinstance(correctors := metadata.get(CORRECTORS), list):
        renamed[CORRECTORS] = [called(name) if isinstance(name, str) else name for name in correctors]
    return renamed


def without_note(metadata: Mapping[str, object], notes: Collection[str]) -> dict[str, object]:
    """The metadata of a changed version without its author's note, where that is one of some notes.

    >>> without_note({"author": "ada", "note": "shorter"}, {"shorter"})
    {'author': 'ada'}
    """
    return {name: value for name, value in metadata.items() if not (name == NOTE and value in notes)}


def _called(row: object, called: Callable[[str], str]) -> object:
    if not isinstance(row, dict) or ANNOTATOR not in row:
        return row
    return {**row, ANNOTATOR: called(str(row[ANNOTATOR]))}


def _annotator(row: object) -> str:
    return str(row.get(ANNOTATOR, "")) if isinstance(row, dict) else ""
