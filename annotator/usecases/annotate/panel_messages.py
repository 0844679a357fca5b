"""What the token panel draws: an instance with offsets in the browser's units, a draft, proposals, an original.

The field names are those of the messages in docs/panel.md; the routes encode these values as they are.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from annotator.domain.instances import Draft, Instance, MyWorkState, Segment, result_mode_for
from annotator.domain.people import User
from annotator.domain.projects import DISCARD_REASONS, Project, ResultMode, may_have_help
from annotator.domain.proposed_sets import ProposedSource, ProposedState
from annotator.domain.tasks import ResultKind, Task
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.errors import NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.text.characters import direction, utf16_offsets
from annotator.usecases.annotate.leases import own_work
from annotator.usecases.annotate.my_work import PAGE_SIZE, MyWorkRow, Work
from annotator.usecases.annotate.outcomes import Feedback, Outcome
from annotator.usecases.annotate.proposals import Offer, find_original, may_propose
from annotator.usecases.annotate.work import NextWork
from annotator.usecases.perturb.panel_values import Piece, pieces_of

# What the token panel draws dashed: proposed sets and ignored words. The field names are those of docs/panel.md.


Pairs = tuple[tuple[int, int], ...]


def pairs_of(rationale_set: RationaleSet) -> Pairs:
    """A set's spans as pairs of token indices."""
    return tuple((span.start, span.end) for span in rationale_set.spans)


class ShownProposedSet(Struct, frozen=True):
    """A set that is proposed; id: by which the draft answers it."""

    id: int
    source: ProposedSource
    name: str
    title: str
    spans: Pairs
    notes: tuple[str, ...]


class ShownIgnored(Struct, frozen=True):
    """Words that are told to be no rationale."""

    names: tuple[str, ...]
    spans: Pairs


class ShownChange(Struct, frozen=True):
    """What the text is beside the original whose sets are proposed, in a sentence."""

    words: str
    is_other_result: bool


class ShownProposals(Struct, frozen=True):
    """The answer of the route `proposed`."""

    proposals: tuple[ShownProposedSet, ...]
    ignored: ShownIgnored | None
    notes: tuple[str, ...]
    change: ShownChange | None


def show_proposals(offer: Offer) -> ShownProposals:
    """What is proposed for a piece of work."""
    proposals = offer.proposals
    ignored = (
        None if proposals.ignored is None else ShownIgnored(proposals.ignored.names, pairs_of(proposals.ignored.tokens))
    )
    sets = (
        ShownProposedSet(
            number, proposed.source, proposed.name, proposed.title, pairs_of(proposed.rationale_set), proposed.notes
        )
        for number, proposed in zip(offer.numbers, proposals.sets, strict=True)
    )
    change = (
        None if proposals.change is None else ShownChange(proposals.change.sentence(), proposals.change.is_other_result)
    )
    return ShownProposals(tuple(sets), ignored, proposals.notes, change)


class ShownSegment(Struct, frozen=True):
    """A segment; offsets are UTF-16 units, sentences the first token of each."""

    name: str
    title: str
    selectable: bool
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    sentences: tuple[int, ...]


class ShownInstance(Struct, frozen=True):
    """An instance; the target is a range of token indices."""

    id: int
    key: str
    split: str
    language: str
    direction: str
    segments: tuple[ShownSegment, ...]
    target: tuple[int, int] | None


class ShownResult(Struct, frozen=True):
    """How this instance's result comes about, and what it has already (None where the annotator is to give it)."""

    kind: ResultKind
    mode: ResultMode
    given: str | None


class ShownDraft(Struct, frozen=True):
    """What is marked so far."""

    result: str | None
    sets: tuple[Pairs, ...]
    note: str
    no_rationale: bool
    origins: tuple[int | None, ...]
    unlocked: tuple[int, ...]
    proposed: Mapping[int, ProposedState]


class ShownFeedback(Struct, frozen=True):
    """Why work came back: lines about the whole, and lines about single sets."""

    round: int
    lines: tuple[str, ...]
    sets: Mapping[str, tuple[str, ...]]


class ShownOutcome(Struct, frozen=True):
    """What has become of work: how it stands, and why it cannot be reopened ("" where it can)."""

    state: str
    closed: str
    lines: tuple[str, ...]
    sets: Mapping[str, tuple[str, ...]]


class ShownWork(Struct, frozen=True):
    """A piece of work."""

    assignment: int
    revision: int
    round: int
    state: str
    lease_until: str
    instance: ShownInstance
    result: ShownResult
    draft: ShownDraft
    locked_sets: tuple[int, ...]
    feedback: ShownFeedback | None
    outcome: ShownOutcome | None  # of what has left the person's hands
    is_changed: bool  # whether it is a changed version, so that the route `original` may be asked
    proposes: bool  # whether the route `proposed` has something to answer to
    is_blind: bool  # whether the model is not to be asked


class ShownProject(Struct, frozen=True):
    """The rules that the panel keeps to."""

    id: int
    name: str
    question: str
    labels: tuple[str, ...]
    result_kind: ResultKind
    result_mode: ResultMode
    may_be_empty: bool
    sets_may_cross_segments: bool
    required_segments: Mapping[str, tuple[str, ...]]
    forbidden_segments: Mapping[str, tuple[str, ...]]
    discard_reasons: Mapping[str, str]  # as they are stored, and in the words of the screen
    idle_after_s: int
    asks_model: bool  # whether the model's answers may be asked for while one marks


class ShownNext(Struct, frozen=True):
    """What the panel begins with."""

    work: ShownWork | None
    ahead: ShownWork | None
    project: ShownProject
    counts: Mapping[str, int]
    empty: str | None
    elsewhere: tuple[tuple[int, str], ...] = ()


def show_next(answer: NextWork) -> ShownNext:
    """The answer of the route `next`."""
    project = answer.project
    return ShownNext(
        work=None if answer.work is None else show_work(answer.work, project),
        ahead=None if answer.ahead is None else show_work(answer.ahead, project),
        project=show_project(project),
        counts=answer.counts,
        empty=answer.empty,
        elsewhere=tuple((project.id, project.name) for project in answer.elsewhere),
    )


def show_work(work: Work, project: Project) -> ShownWork:
    """A piece of work with its instance and draft."""
    assignment = work.assignment
    return ShownWork(
        assignment=assignment.id,
        revision=assignment.revision,
        round=assignment.round_number,
        state={"leased": "open", "returned": "returned"}.get(assignment.state, "submitted"),
        lease_until=assignment.lease_until,
        instance=show_instance(work.instance, project.task),
        result=_show_result(work.instance, project),
        draft=show_draft(assignment.draft),
        locked_sets=work.feedback.passed if work.feedback else (),
        feedback=None if work.feedback is None else _show_feedback(work.feedback),
        outcome=None if work.outcome is None else _show_outcome(work.outcome),
        is_changed=work.instance.parent_key is not None,
        proposes=may_propose(project, assignment, work.instance),
        is_blind=not may_have_help(project, assignment.arm),
    )


def _show_feedback(feedback: Feedback) -> ShownFeedback:
    return ShownFeedback(feedback.round_number, feedback.lines, {str(n): lines for n, lines in feedback.sets.items()})


def _show_outcome(outcome: Outcome) -> ShownOutcome:
    return ShownOutcome(
        outcome.state, outcome.closed, outcome.lines, {str(n): lines for n, lines in outcome.sets.items()}
    )


def _show_result(instance: Instance, project: Project) -> ShownResult:
    """Whoever is to give the result must not see the one that the file gave."""
    mode = result_mode_for(project, instance)
    given = None if mode in {"give", "labels_only"} else instance.result
    return ShownResult(project.task.result_kind, mode, given)


def show_instance(instance: Instance, task: Task) -> ShownInstance:
    """An instance with its segments in numbering order."""
    return ShownInstance(
        id=instance.id,
        key=instance.key,
        split=instance.split,
        language=instance.language,
        direction=direction(instance.language),
        segments=tuple(_show_segment(segment, task) for segment in instance.segments),
        target=instance.target,
    )


def show_draft(draft: Draft) -> ShownDraft:
    """A draft with its spans as pairs."""
    sets = tuple(pairs_of(rationale_set) for rationale_set in draft.sets)
    proposed = draft.proposed or {}
    return ShownDraft(draft.result, sets, draft.note, draft.no_rationale, draft.origins, draft.unlocked, proposed)


def show_project(project: Project) -> ShownProject:
    """A project's rules."""
    settings = project.settings
    return ShownProject(
        id=project.id,
        name=project.name,
        question=_(project.shown_question),
        labels=project.labels,
        result_kind=project.task.result_kind,
        result_mode=settings.result_mode,
        may_be_empty=settings.may_be_empty,
        sets_may_cross_segments=settings.sets_may_cross_segments,
        required_segments=settings.required_segments,
        forbidden_segments=settings.forbidden_segments,
        discard_reasons={reason: _(reason) for reason in DISCARD_REASONS},
        idle_after_s=settings.idle_after_seconds,
        asks_model=settings.model_previews == "annotators",
    )


def _show_segment(segment: Segment, task: Task) -> ShownSegment:
    body = segment.body
    return ShownSegment(
        name=segment.name,
        title=segment_title(segment, task),
        selectable=segment.is_selectable,
        text=body.text,
        starts=tuple(utf16_offsets(body.text, body.starts)),
        ends=tuple(utf16_offsets(body.text, body.ends)),
        sentences=body.sentence_starts,
    )


def segment_title(segment: Segment, task: Task) -> str:
    """What a segment is called on a screen."""
    spec = task.spec_of(segment.name)
    if spec is None:
        return segment.name
    number = segment.name[len(spec.name) :]
    title = f"{_(spec.title)} {number}" if number else _(spec.title)
    if not spec.may_repeat or not segment.docid or _MADE_BY_A_MACHINE.fullmatch(segment.docid):
        return title
    return f"{title} · {segment.docid}"


# 32 hexadecimal digits, with or without the dashes of a UUID: nobody knows a document by them. (As in panel/shared/naming.js.)
_MADE_BY_A_MACHINE = re.compile(r"[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}", re.IGNORECASE)


class ShownMyWorkRow(Struct, frozen=True):
    """One line of a person's own work."""

    assignment: int
    instance: int
    key: str
    excerpt: str
    state: MyWorkState
    result: str | None
    sets: int
    at: str
    may_reopen: bool
    lines: tuple[str, ...]


class ShownMyWork(Struct, frozen=True):
    """One page of a person's own work."""

    rows: tuple[ShownMyWorkRow, ...]
    total: int
    page: int
    page_size: int


def show_my_work(rows: Sequence[MyWorkRow], total: int, page: int) -> ShownMyWork:
    """The answer of the route `mine`."""
    shown = tuple(
        ShownMyWorkRow(
            *(row.line.assignment_id, row.line.instance_id, row.line.key, row.excerpt, row.line.state),
            *(row.result, row.n_sets, row.line.at, row.may_reopen, row.lines),
        )
        for row in rows
    )
    return ShownMyWork(shown, total, page, PAGE_SIZE)


def show_work_of(store: Store, work: Work) -> ShownWork:
    """A piece of work, with its project looked up."""
    return show_work(work, get_project_by_id(store, work.assignment.project_id))


# The original of a changed version as its annotator sees it: the text and what was changed, nothing that anybody marked.


class ShownComparison(Struct, frozen=True):
    """A segment of the version; pieces: (kind of run, text of the original, text of the version), in order."""

    title: str
    is_changed: bool
    pieces: tuple[Piece, ...]


class ShownOriginal(Struct, frozen=True):
    """The original beside its changed version. It has no key, result, kind of change or sets: these could tell the label."""

    language: str
    direction: str
    segments: tuple[ShownComparison, ...]


def show_original(store: Store, user: User, assignment_id: int) -> ShownOriginal:
    """What the original of a person's own work said, and what was changed.

    Whether the person may see what others marked in it does not matter: no mark, label or name is among it.
    """
    assignment = own_work(store, user, assignment_id)
    instance = get_instance(store, assignment.instance_id)
    original = find_original(store, assignment.project_id, instance)
    if instance.parent_key is None:
        raise NotFound(_("This text isn't a perturbed version."))
    if original is None:
        raise NotFound(_("The original isn't in the project."))
    if original.state == "discarded":
        raise NotFound(_("The original was discarded."))
    task = get_project_by_id(store, assignment.project_id).task
    before = {segment.name: segment.body for segment in original.segments}
    shown = (
        _compare(segment_title(segment, task), before.get(segment.name), segment.body) for segment in instance.segments
    )
    return ShownOriginal(instance.language, direction(instance.language), tuple(shown))


def _compare(title: str, before: TokenizedText | None, after: TokenizedText) -> ShownComparison:
    if before is None:
        return ShownComparison(title, True, (("inserted", "", after.text),))
    if before.text == after.text:
        return ShownComparison(title, False, (("kept", before.text, after.text),))
    return ShownComparison(title, True, tuple(pieces_of(before, after)))
