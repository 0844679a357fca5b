"""Instances, their segments, annotations and submissions, gold, and the work that people hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

from annotator.domain.projects import GoldPolicy, Project, ResultMode, ScoredPolicy
from annotator.domain.proposed_sets import Arm, ProposedState
from annotator.domain.texts import (
    HelpOrigin,
    RationaleSet,
    TokenizedText,
    TokenLayout,
    check_spans,
    set_letter,
    union_of_tokens,
)
from annotator.errors import InvalidAnnotation
from annotator.language import _, listed, unsaid

# The lead's choice of gold, and where each gold set came from.


# What each policy makes gold of, in the words of every page, card and sentence that says it.
POLICY_WORDS: dict[GoldPolicy, str] = {
    "chosen": unsaid("the lead's choice, else the first accepted annotation with the gold result"),
    "all": unsaid("all distinct sets from annotators with the gold result"),
    "majority": unsaid("one set: tokens marked by over half of those with the gold result"),
    "union": unsaid("one set: tokens marked by anyone with the gold result"),
}
# Also of what evaluations and exports may take instead, without it being any project's policy.
WORDS_OF_GOLD: dict[ScoredPolicy, str] = {
    **cast("dict[ScoredPolicy, str]", POLICY_WORDS),
    "soft": unsaid("shares of the people who marked a token or gave a label"),
    "personal": unsaid("the sets and labels of one person"),
}


@dataclass(frozen=True, slots=True)
class GoldChoice:
    """The annotation that the lead made the gold of an instance.

    is_adjudicated: the lead made this version, or had it made; else it is an annotator's, as it was handed in
    evidence_pass: the second pass, in which all evidence was marked, that it came from; None: the lead's own choice
    """

    instance_id: int
    annotation_id: int
    is_adjudicated: bool
    chosen_by: str
    reason: str
    chosen_at: str
    evidence_pass: str | None = None

    @property
    def is_exhaustive(self) -> bool:
        """Whether it is known to mark all the evidence: it then is the gold whatever the policy."""
        return self.evidence_pass is not None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The accepted annotations of a project, of texts that are not discarded.

    n_several: texts that several people annotated; most: annotations of one text
    n_chosen: annotations that are gold where one of each text is, the lead's choice or the first with the gold result
    n_other: annotations with another result than the text's own, or than most of those of a text that has none
    n_tied: texts without a result of their own whose annotations give several as often, so that they have no gold
    """

    n_annotations: int
    n_instances: int
    n_several: int
    most: int
    n_chosen: int
    n_other: int = 0
    n_tied: int = 0


@dataclass(frozen=True, slots=True)
class SetOrigin:
    """An annotation that a gold set came from; `position` is the set's there, None where all of its sets took part.

    help: what help had to do with the set there
    """

    annotation_id: int
    annotator: str
    round_number: int
    position: int | None
    help: HelpOrigin | None = None


def majority_label(votes: Mapping[str, int]) -> str | None:
    """The label that more annotators gave than any other; None where several have as many, or there is none.

    >>> majority_label({"good": 2, "bad": 1}), majority_label({"good": 1, "bad": 1}), majority_label({})
    ('good', None, None)
    """
    most = max(votes.values(), default=0)
    leading = [label for label, n in votes.items() if n == most]
    return leading[0] if len(leading) == 1 else None


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

    def words(self, start: int, end: int) -> str:
        """The text of some tokens of one segment, as it stands there."""
        segment = self.layout.segment_at(start)
        body = self.segment(segment.name).body
        return body.text[body.starts[start - segment.first_token] : body.ends[end - 1 - segment.first_token]]


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
class Opinion:
    """What one person said of an instance, in soft gold.

    label: None where none was given; sets: None where it is not known what they marked
    is_of_person: else marks of which the file does not say whose they are
    """

    annotator: str
    label: str | None
    sets: tuple[RationaleSet, ...] | None
    is_of_person: bool = True


@dataclass(frozen=True, slots=True)
class GoldInstance:
    """An instance with the rationale sets that count for it, and the result they were made for.

    origins: for each set, every annotation that it came from; opinions: of everybody, in soft gold alone
    """

    instance: Instance
    sets: tuple[RationaleSet, ...]
    result: str | None
    origins: tuple[tuple[SetOrigin, ...], ...] = ()
    opinions: tuple[Opinion, ...] = ()


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


def plausible(milliseconds: int) -> int:
    """A time of a browser: never negative, never longer than a day between two messages."""
    return max(0, min(milliseconds, 24 * 3600 * 1000))


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
    arm: Arm | None = None  # whether help is given; None: decided before this was kept


# What may be submitted: the project's rules for a result with its rationale sets.


def result_mode_for(project: Project, instance: Instance) -> ResultMode:
    """How the result comes about: annotators give it wherever it is still missing."""
    mode = project.settings.result_mode
    return "give" if instance.result is None and mode != "labels_only" else mode


def may_have_no_sets(project: Project, result: str | None) -> bool:
    """Whether zero sets may be submitted: where the lead allows it, and where the text is said to hold no answer.

    There may be no words that say that something is not there, so nobody is asked to mark some.
    """
    return project.settings.may_be_empty or _is_no_answer(project, result)


def _is_no_answer(project: Project, result: str | None) -> bool:
    return project.task.result_kind == "answer" and result == ""


def check_submission(draft: Draft, instance: Instance, project: Project, *, is_confirmed: bool = False) -> str:
    """The result that the submission stands for.

    is_confirmed: the person has seen the warning that everything is highlighted.
    Raises: InvalidAnnotation, naming the set, for whatever the project's rules refuse
    """
    result = _result(draft, instance, project)
    if project.settings.result_mode == "labels_only":
        if draft.sets:
            raise InvalidAnnotation(_("Labels only: remove the rationale sets."))
        return result
    if draft.no_rationale and draft.sets:
        raise InvalidAnnotation(_("“No rationale in the text” conflicts with the sets. Undo one."))
    if draft.no_rationale and not may_have_no_sets(project, result):
        raise InvalidAnnotation(_("“No rationale in the text” isn't allowed. Mark a set."))
    if not draft.sets and not draft.no_rationale and not _is_no_answer(project, result):
        if project.settings.may_be_empty:
            raise InvalidAnnotation(_("Nothing is marked. Mark a set, or choose “no rationale in the text”."))
        raise InvalidAnnotation(_("Nothing is marked. Mark a set, or skip."))
    check_spans(draft.sets, instance.layout)
    _check_sets(draft.sets, instance.layout, project)
    _check_segments(result, draft.sets, instance.layout, project)
    if draft.sets and not is_confirmed and len(union_of_tokens(draft.sets)) == instance.layout.n_selectable > 1:
        raise InvalidAnnotation(_("Every word is marked. Submit again to confirm."), is_warning=True)
    return result


def _result(draft: Draft, instance: Instance, project: Project) -> str:
    mode = result_mode_for(project, instance)
    result = instance.result if mode == "confirm" or draft.result is None else draft.result
    if mode in {"give", "labels_only"}:
        result = draft.result
    if result is None:
        if project.task.result_kind == "answer":
            raise InvalidAnnotation(_("Choose an answer first."))
        raise InvalidAnnotation(_("Choose a label ({labels}) first.", labels=listed(project.labels)))
    if project.task.result_kind == "label" and project.labels and result not in project.labels:
        raise InvalidAnnotation(
            _(
                "'{result}' isn't one of {labels}. Reload; your marks are kept.",
                result=result,
                labels=listed(project.labels),
            )
        )
    return result


def _check_sets(sets: tuple[RationaleSet, ...], layout: TokenLayout, project: Project) -> None:
    seen: dict[tuple[int, ...], int] = {}
    for number, rationale_set in enumerate(sets):
        letter, tokens = set_letter(number), rationale_set.token_indices
        if not tokens:
            raise InvalidAnnotation(_("Set {letter} is empty. Remove it.", letter=letter), set_index=number)
        if tokens in seen:
            raise InvalidAnnotation(
                _(
                    "Sets {first} and {second} are identical. Change one.",
                    first=set_letter(seen[tokens]),
                    second=letter,
                ),
                set_index=number,
            )
        seen[tokens] = number
        touched = {layout.segment_at(token) for token in tokens}
        for segment in touched:
            if not segment.is_selectable:
                raise InvalidAnnotation(
                    _("Set {letter} marks “{name}”, which can't be marked.", letter=letter, name=segment.name),
                    set_index=number,
                )
        if len(touched) > 1 and not project.settings.sets_may_cross_segments:
            raise InvalidAnnotation(_("Set {letter} crosses segments. Split it.", letter=letter), set_index=number)


def _check_segments(result: str, sets: tuple[RationaleSet, ...], layout: TokenLayout, project: Project) -> None:
    """What a label requires or forbids of the segments (e-SNLI: contradiction needs a word of both)."""
    if not sets:
        return
    touched = {layout.segment_at(token).name for token in union_of_tokens(sets)}
    for name in project.settings.required_segments.get(result, ()):
        if name not in touched:
            raise InvalidAnnotation(_("“{result}” needs a set with a word of “{name}”.", result=result, name=name))
    for name in project.settings.forbidden_segments.get(result, ()):
        if name in touched:
            raise InvalidAnnotation(_("“{result}” can't mark words of “{name}”.", result=result, name=name))
