"""The values that the Perturb screen is told (docs/perturb.md): the field names are those of its messages, in their order.

A field that only some messages have is UNSET in the others. Offsets are as a browser counts them.
"""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from annotator.domain import perturbations
from annotator.domain.instances import Instance
from annotator.domain.tasks import ResultKind
from annotator.domain.texts import TokenizedText
from annotator.text.token_diff import diff_tokens, tokenise_like
from annotator.text.tokenisation import tokenise

# What a version of a perturbation has otherwise than the original or the one before it, as running text (docs/perturb.md).


Piece = tuple[str, str, str]
ChangedSegments = Mapping[str, list[Piece]]  # by the name of a segment that differs


def changes_from(original: Instance, changed: perturbations.ChangedText) -> ChangedSegments:
    """By segment that differs from the original: (kind of run, text before, text after), in order."""
    texts = {segment.name: changed.texts.get(segment.name, segment.body.text) for segment in original.segments}
    return {
        segment.name: pieces_of(segment.body, tokenise_like(segment.body, texts[segment.name], original.language))
        for segment in original.segments
        if texts[segment.name] != segment.body.text
    }


def changes_since(original: Instance, perturbation: perturbations.Perturbation) -> dict[int, ChangedSegments]:
    """By number of the version, then by segment that differs: (kind of run, text before, text after), in order."""
    return {
        after.number: _changed_segments(original, before, after)
        for before, after in zip(perturbation.versions, perturbation.versions[1:], strict=False)
    }


def _changed_segments(
    original: Instance, before: perturbations.PerturbationVersion, after: perturbations.PerturbationVersion
) -> ChangedSegments:
    changes = {}
    for segment in original.segments:
        texts = [version.changed.texts.get(segment.name, segment.body.text) for version in (before, after)]
        if texts[0] != texts[1]:
            changes[segment.name] = pieces_of(*(tokenise(text, original.language) for text in texts))
    return changes


def pieces_of(before: TokenizedText, after: TokenizedText) -> list[Piece]:
    """The two texts cut at the runs of their token diff; the pieces of either put together are that text.

    White space between two tokens goes with the second, so that a run begins where the one before it ends.
    """
    cuts = [_cuts(before), _cuts(after)]
    pieces: list[Piece] = [
        (
            run.kind,
            before.text[cuts[0][run.start] : cuts[0][run.end]],
            after.text[cuts[1][run.other_start] : cuts[1][run.other_end]],
        )
        for run in diff_tokens(before.tokens(), after.tokens()).runs
    ]
    rest = (before.text[cuts[0][-1] :], after.text[cuts[1][-1] :])
    return [*pieces, ("kept", *rest)] if any(rest) else pieces


def _cuts(body: TokenizedText) -> list[int]:
    """Where each token's white space begins, then where the last token ends."""
    return [0, *body.ends]


ShownRun = tuple[
    str, int, int, int, int
]  # kind of run, start, end, other start, other end; token indices of both texts
ShownEdit = tuple[int, int, str]  # start, end, replacement
Indices = tuple[int, ...]


class ShownKind(Struct, frozen=True):
    """A kind of changed version; keeps_label None: as often as not."""

    name: str
    title: str
    description: str
    family: str
    keeps_label: bool | None


class ShownWaiting(Struct, frozen=True):
    """How much waits for the person."""

    to_check: int
    returned: int


class ShownRights(Struct, frozen=True):
    """What the person may do here."""

    write: bool
    check: bool


class ShownRules(Struct, frozen=True):
    """What the screen needs of the project; titles: of segments, by their name."""

    kinds: tuple[ShownKind, ...]
    labels: tuple[str, ...]
    result_kind: ResultKind
    titles: Mapping[str, str]
    checkers: int
    waiting: ShownWaiting
    may: ShownRights


class ShownSegment(Struct, frozen=True):
    """A segment's text cut at its tokens; before: what stands before each, rest: what follows the last."""

    name: str
    first: int
    is_selectable: bool
    text: str
    tokens: tuple[str, ...]
    before: tuple[str, ...]
    rest: str


class ShownChanged(Struct, frozen=True):
    """What is written."""

    kind: str
    texts: Mapping[str, str]
    result: str | None
    note: str


class ShownBrief(Struct, frozen=True):
    """A changed version in brief; author None: not told, instance None: it is none yet."""

    id: int
    author: str | None
    state: perturbations.PerturbationState
    instance: int | None
    kind: str
    texts: Mapping[str, str]
    result: str | None
    note: str


class ShownOriginal(Struct, frozen=True):
    """An original with its gold sets; draft, others: only where one is to write, else UNSET."""

    id: int
    key: str
    split: str
    language: str
    direction: str
    result: str | None
    segments: tuple[ShownSegment, ...]
    gold: tuple[Indices, ...]
    draft: ShownChanged | UnsetType | None = UNSET
    others: tuple[ShownBrief, ...] | UnsetType = UNSET


class ShownAssessment(Struct, frozen=True):
    """What a changed text comes to.

    sets, origins: the proposed sets, and which of the original's each comes from
    problems:      what keeps it from being handed in; nothing_left: what is said where no token of any set is left, or ""
    """

    segments: tuple[ShownSegment, ...]
    runs: tuple[ShownRun, ...]
    n_edited: int
    minimality: float | None
    n_inside: int
    share_inside: float | None
    sets: tuple[Indices, ...]
    origins: Indices
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    nothing_left: str


class ShownSuggestion(Struct, frozen=True):
    """A suggestion, why it is made and by what; offsets in UTF-16 units of the text that was sent."""

    why: str
    maker: str
    edits: tuple[ShownEdit, ...]


class ShownSuggestions(Struct, frozen=True):
    """What is suggested."""

    suggestions: tuple[ShownSuggestion, ...]


class ShownVersion(Struct, frozen=True):
    """A version; by None: not told; since: what it has otherwise than the one before it among those that the person sees."""

    number: int
    by: str | None
    reason: str
    at: str
    is_correction: bool
    since: ChangedSegments
    kind: str
    texts: Mapping[str, str]
    result: str | None
    note: str


class ShownVerdict(Struct, frozen=True):
    """What a checker said of a version."""

    version: int
    by: str | None
    verdict: perturbations.Verdict
    reason: str
    at: str


class ShownPerturbation(ShownBrief, frozen=True):
    """A changed version as one person sees it; stale: what became of its original since it was written.

    may_revise: where it is to be checked; changes: where the person's own are listed; else UNSET
    """

    original: int
    key: str
    version: int
    may_check: bool
    language: str
    direction: str
    wanted: int
    versions: tuple[ShownVersion, ...]
    checks: tuple[ShownVerdict, ...]
    stale: tuple[str, ...]
    may_revise: bool | UnsetType = UNSET
    changes: ChangedSegments | UnsetType = UNSET


class ShownCheck(Struct, frozen=True):
    """One to check beside its original; nothing waits: perturbation None, the rest UNSET."""

    perturbation: ShownPerturbation | None
    original: ShownOriginal | UnsetType = UNSET
    look: ShownAssessment | UnsetType = UNSET


class ShownDraft(Struct, frozen=True):
    """What the person has begun, by its original."""

    id: int
    key: str
    kind: str
    result: str | None
    language: str
    direction: str
    changes: ChangedSegments


class ShownMine(Struct, frozen=True):
    """A page of what the person wrote."""

    rows: tuple[ShownPerturbation, ...]
    drafts: tuple[ShownDraft, ...]
    page: int
    pages: int


class ShownOriginals(Struct, frozen=True):
    """A page of originals; n_unfinished: more that are offered when their annotation is complete."""

    rows: tuple[perturbations.ListedOriginal, ...]
    n: int
    n_unfinished: int
    page: int
    per_page: int


class ShownKindProgress(Struct, frozen=True):
    """How many there are of a kind."""

    name: str
    title: str
    approved: int
    waiting: int
    returned: int


class ShownTold(Struct, frozen=True):
    """Whether everybody's numbers are told, or the person's own alone."""

    authors: bool
    checkers: bool


class ShownProgress(Struct, frozen=True):
    """How many there are against the target. authors, checkers: name, then how many by state or verdict.

    without: originals without a changed version; offered: those of them that this person may change now
    """

    target: int
    kinds: tuple[ShownKindProgress, ...]
    authors: tuple[Mapping[str, str | int], ...]
    checkers: tuple[Mapping[str, str | int], ...]
    tells_all: ShownTold
    originals: int
    without: int
    offered: int


class ShownNext(Struct, frozen=True):
    """The next original without a changed version; None: there is none."""

    instance: int | None


class ShownHandedIn(Struct, frozen=True):
    """What became of a changed version, to whoever wrote it."""

    perturbation: int
    state: perturbations.PerturbationState


class ShownChecked(Struct, frozen=True):
    """What became of a changed version, to its checker."""

    state: perturbations.PerturbationState
