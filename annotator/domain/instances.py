"""Instances, their segments, annotations, and the work that people hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from annotator.domain.gold import SetOrigin
from annotator.domain.proposed_sets import ProposedState
from annotator.domain.rationales import RationaleSet
from annotator.domain.texts import TokenizedText, TokenLayout

InstanceState = Literal["open", "held", "complete", "discarded"]
AssignmentState = Literal["leased", "returned", "submitted", "skipped", "expired", "proposed", "ended"]
# How one's own work on a text stands, as "My work" lists it; draft: begun, and in hand; passed on: somebody else took it over.
MyWorkState = Literal["submitted", "accepted", "returned", "proposed", "discarded", "skipped", "draft", "passed on"]
AnnotationState = Literal["draft", "reference", "submitted", "accepted", "returned", "discarded", "withdrawn"]

ASKED_NAMES = ("query", "question", "claim", "hypothesis")
READ_AFTER = "hypothesis"  # it stands behind its premise, of which a list shows the beginning: several may share one
PREMISE_CHARACTERS = 40
CRITERION = "criterion"  # what of an instance's metadata names it


@dataclass(frozen=True, slots=True)
class Segment:
    """One named text of an instance; `docid` is its document's own name, if it has one."""

    name: str
    is_selectable: bool
    body: TokenizedText
    docid: str | None = None

    @property
    def is_asked(self) -> bool:
        """Whether it says what the instance is about, several of which may share one text."""
        return self.name in ASKED_NAMES or not (self.is_selectable or self.name == "choices")


@dataclass(frozen=True, slots=True)
class Places:
    """What an instance's segments are called and where their tokens are; docids: segment names by document name."""

    key: str
    layout: TokenLayout
    docids: Mapping[str, str]


@dataclass(frozen=True)
class Instance:
    """One input. Segments are in numbering order (selectable first)."""

    id: int
    key: str
    split: str
    language: str
    segments: tuple[Segment, ...]
    result: str | None
    state: InstanceState = "open"
    target: tuple[int, int] | None = None  # token range, within one segment, in instance token indices
    parent_key: str | None = None
    perturbation_kind: str | None = None
    is_exhaustive: bool | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def layout(self) -> TokenLayout:
        return TokenLayout.of([(s.name, s.is_selectable, s.body.n_tokens) for s in self.segments])

    @property
    def criterion(self) -> str:
        """The rule by which its edit became its rationale (sentence editing); "" where that is not told."""
        return str(self.metadata.get(CRITERION, ""))

    @property
    def asked(self) -> Segment | None:
        """The claim, query or question that the text is read for; none where there is none."""
        return next((s for s in self.segments if s.is_asked and s.body.n_tokens), None)

    @property
    def excerpt(self) -> str:
        """What is asked, then the text: by its beginning people know it, since many claims may be about one abstract.

        A hypothesis comes behind the beginning of its premise.
        """
        texts = (s.body.text for s in self.segments if s.is_selectable and not s.is_asked and s.body.n_tokens)
        text, question = next(texts, None), self.asked
        if text is not None and question is not None and question.name == READ_AFTER:
            begin = text if len(text) <= PREMISE_CHARACTERS else f"{text[:PREMISE_CHARACTERS].rstrip(' ')}…"
            return f"{begin} · {question.body.text}"
        return " · ".join([*([question.body.text] if question else []), *([text] if text is not None else [])])

    @property
    def as_shown(self) -> tuple[Segment, ...]:
        """The segments as they are read: what is asked first, but a hypothesis behind its premise."""
        first = None if self.asked is None or self.asked.name == READ_AFTER else self.asked
        return tuple(sorted(self.segments, key=lambda segment: segment is not first))

    @property
    def places(self) -> Places:
        return Places(self.key, self.layout, {s.docid: s.name for s in self.segments if s.docid is not None})

    def segment(self, name: str) -> Segment:
        """The segment of that name (which must be there)."""
        return next(s for s in self.segments if s.name == name)

    def token(self, token_index: int) -> str:
        """The characters of a token of the instance."""
        segment = self.layout.segment_at(token_index)
        return self.segment(segment.name).body.token(token_index - segment.first_token)


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's result and rationale sets for an instance in one round."""

    id: int
    annotator: str
    round_number: int
    state: AnnotationState
    result: str | None
    sets: tuple[RationaleSet, ...]
    note: str = ""
    user_id: int | None = None
    created_at: str | None = None
    instance_id: int = 0
    assignment_id: int | None = None
    guidelines: int | None = None  # the version of the guidelines that its author had read


@dataclass(frozen=True, slots=True)
class GoldInstance:
    """An instance with the rationale sets that count for it, and the result they were made for.

    origins: for each set, every annotation that it came from
    """

    instance: Instance
    sets: tuple[RationaleSet, ...]
    result: str | None
    origins: tuple[tuple[SetOrigin, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has marked so far."""

    result: str | None = None
    sets: tuple[RationaleSet, ...] = ()
    note: str = ""
    no_rationale: bool = False
    # Of a correction: which set of the round before each set was (None: a new one), and which passed ones were opened again.
    origins: tuple[int | None, ...] = ()
    unlocked: tuple[int, ...] = ()
    # What was said of proposed sets, by their numbers; None leaves what was said before.
    proposed: Mapping[int, ProposedState] | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Time spent since the last acknowledged message; idle time is apart from active time. Milliseconds."""

    first_action_at: str | None = None
    active_ms: int = 0
    idle_ms: int = 0
    edits: int = 0


@dataclass(frozen=True, slots=True)
class Assignment:
    """A piece of work that someone holds or held."""

    id: int
    project_id: int
    instance_id: int
    user_id: int
    round_number: int
    state: AssignmentState
    lease_until: str
    revision: int
    draft: Draft
    follows_id: int | None = None  # the annotation of the round before, which this work corrects
    is_check: bool = False  # a text with known gold that was put among the work; nothing else of it says so
