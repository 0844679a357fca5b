"""What the Saliency page draws (docs/saliency.md): the field names are those of its messages, in their order.

A field that only some messages have is UNSET in the others.
"""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType

from annotator.domain.instances import Instance
from annotator.domain.measurements import Listed, SavedList
from annotator.domain.models import Unit
from annotator.domain.sufficient_sets import Pile

# Its text, start, end, whether it is special, its segment and its score.
ShownSubword = tuple[str, int | None, int | None, bool, str | None, float]


class Spread(Struct, frozen=True):
    """value: mean over tokens of the standard deviation (n − 1) over seeds, in the scores' unit; share: of the mean |score|."""

    value: float
    share: float | None
    n_seeds: int


class ShownInstance(Struct, frozen=True):
    """What an instance is called, and what it is."""

    id: int
    key: str
    split: str
    result: str | None
    language: str
    parent: str | None
    kind: str | None


class ShownSegment(Struct, frozen=True):
    """A segment's text cut at its tokens; before: what stands before each, rest: what follows the last."""

    name: str
    first: int
    is_selectable: bool
    tokens: tuple[str, ...]
    before: tuple[str, ...]
    rest: str


class ShownSide(Struct, frozen=True):
    """What is ranked by itself, and how many tokens it has."""

    name: str
    n: int


class ShownAnswer(Struct, frozen=True):
    """What a model answers to the full text."""

    label: str | None
    probabilities: Mapping[str, float]


class ShownQuotes(Struct, frozen=True):
    """What became of what a model quoted; missing: the first of the quotes that are not in the text."""

    n: int
    n_missing: int
    missing: tuple[str, ...]


class ShownWritten(Struct, frozen=True):
    """What a model wrote: its subwords, for each the scores of the tokens, those of the subwords before it, and facts."""

    subwords: tuple[str, ...]
    scores: tuple[tuple[float | None, ...], ...]
    earlier: tuple[tuple[float, ...], ...]
    facts: tuple[Mapping[str, float], ...]


class ShownPanel(Struct, frozen=True):
    """A map: what a run says of the text.

    label:  "" of an attribution that belongs to no label; asked_label: the one that the address names
    quotes: of a run whose spans were found by what its model quoted
    scores: None of a token that the model did not see; ranking: where the source's order is the ranking
    beside_random: whether the run's maps are, on texts that its model did not learn from; None where it was not measured
    written: the answer of a model that writes it; the map is then the mean of those of its subwords
    held_out, trust, seen: how often its model is right, in a line and in sentences; these None of a model from elsewhere
    """

    run: int
    model: str
    method: str
    parameters: str
    seed: int | None
    unit: Unit
    is_signed: bool
    label: str
    asked_label: str | None
    layer: int | None
    answer: ShownAnswer | None
    numbers: Mapping[str, float]
    scores: tuple[float | None, ...] | None
    ranking: tuple[int, ...] | None
    spans: tuple[tuple[int, int], ...] | None
    quotes: ShownQuotes | None
    subwords: tuple[ShownSubword, ...] | None
    convergence: float | None
    facts: Mapping[str, float]
    spread: Spread | None
    beside_random: str | None
    held_out: str
    trust: str | None
    seen: str | None
    written: ShownWritten | None


class ShownChoice(Struct, frozen=True):
    """What can be chosen of a run; group: the first run of those that differ in their seed alone."""

    run: int
    model: str
    method: str
    parameters: str
    seed: int | None
    layers: tuple[int, ...]
    labels: tuple[str, ...]
    group: int


class ShownPartner(Struct, frozen=True):
    """The original (kind None) or a changed version."""

    id: int
    key: str
    kind: str | None


class ShownPerson(Struct, frozen=True):
    """What one annotator marked; is_numbered: whether the name counts, or may count, the people of this text alone.

    facts: what the file says of them (such as their group); is_accepted: False of what is still under review
    """

    name: str
    is_numbered: bool
    is_own: bool
    label: str | None
    is_accepted: bool
    facts: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]


class ShownJudgedSet(Struct, frozen=True):
    """A set, and what a model answers to it alone.

    p, is_sufficient: None where it was not asked; is_compact: None also where that is not defined
    is_late: sufficient only without what speaks against it
    pile:    None where the model would have to be asked; partner: the number of a set of the other family
    """

    tokens: tuple[int, ...]
    p: float | None = None
    is_sufficient: bool | None = None
    is_compact: bool | None = None
    is_late: bool = False
    pile: Pile | None = None
    partner: int | None = None


class ShownFamily(Struct, frozen=True):
    """The sets of the model, or of people. p_rest: of the answer, without all of them; None where it was not asked."""

    sets: tuple[ShownJudgedSet, ...]
    is_comprehensive: bool | None = None
    p_rest: float | None = None


class ShownFamilies(Struct, frozen=True):
    """A model's own sets of a text beside people's (docs/sufficient.md).

    sets_of:  the model that gave them as its reasons, in quotes; "" where they are this model's, found by asking it
    goes_on:  whether they were looked for beyond the paper's rule; trouble: why there are none to speak of; "" where there are
    note:     why people's sets, which may be seen, are not beside them; "" where they are, or there are none
    is_right: whether the model's label is gold's; None without a label
    iou:      a row for each set of the model, a column for each of people's
    p, p_empty, threshold: None where the model was not asked about its sets
    """

    model: str
    sets_of: str
    removal: str
    goes_on: bool
    label: str | None
    is_right: bool | None
    p: float | None
    p_empty: float | None
    threshold: float | None
    trouble: str
    note: str
    own: ShownFamily
    people: ShownFamily | None
    iou: tuple[tuple[float, ...], ...]


class ShownText(Struct, frozen=True, kw_only=True):
    """A text with its gold and its maps: the one on the screen, or its partner.

    project, policy, choices, partners, families: of the one on the screen
    people:   everybody's own sets, where they were asked for in the place of gold
    withheld: why its sets are not shown; "" where they are
    trouble:  of a text that was typed: which models could not be asked, and why; "" where all could
    aligned:  of a partner: for each of its tokens the one of the text on the screen in its place
    """

    project: int | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    instance: ShownInstance
    segments: tuple[ShownSegment, ...]
    gold: tuple[tuple[int, ...], ...]
    people: tuple[ShownPerson, ...] | None
    sides: tuple[ShownSide, ...]
    ratios: tuple[float, ...]
    are_ratios_measured: bool
    panels: tuple[ShownPanel, ...]
    withheld: str
    choices: tuple[ShownChoice, ...] | UnsetType = UNSET
    partners: tuple[ShownPartner, ...] | UnsetType = UNSET
    aligned: tuple[int | None, ...] | UnsetType = UNSET
    trouble: str | UnsetType = UNSET
    families: tuple[ShownFamilies, ...] | UnsetType = UNSET


class ShownList(Struct, frozen=True):
    """A page of texts.

    without: how many are not listed because they have no value of the number that orders them
    learned: how many because one of the two models that are held against each other learned from them
    """

    rows: tuple[Listed, ...]
    n: int
    page: int
    without: int
    learned: int = 0


class ShownSlice(Struct, frozen=True):
    """One slice that can be chosen, and how many of what is listed otherwise are in it; value None: without a label."""

    value: str | None
    n: int


class ShownSlices(Struct, frozen=True):
    """What the listed texts can be sliced by; each count is of all other choices together.

    lengths: FROM-TO in tokens, quarters of the project's texts; left_out: values of facts or groups beyond the most frequent ones
    """

    labels: tuple[ShownSlice, ...]
    splits: tuple[ShownSlice, ...]
    lengths: tuple[ShownSlice, ...]
    facts: tuple[ShownSlice, ...]
    groups: tuple[ShownSlice, ...]
    left_out: int


class ShownSliceNames(Struct, frozen=True):
    """Names in the metadata of texts, and of what files say of annotators."""

    facts: tuple[str, ...]
    groups: tuple[str, ...]


class ShownNumber(Struct, frozen=True):
    """A number of a run, of one layer where it has several."""

    layer: int | None
    name: str


class ShownRun(Struct, frozen=True):
    """A run with the numbers by which texts can be ordered, and whether its answers have probabilities."""

    run: int
    model: str
    method: str
    seed: int | None
    parameters: str
    group: int
    numbers: tuple[ShownNumber, ...]
    has_probabilities: bool


class ShownDefinition(Struct, frozen=True):
    """What a number is."""

    title: str
    definition: str
    direction: str
    source: str


class ShownNumbers(Struct, frozen=True):
    """What texts can be ordered by, and what each number is.

    of_texts, of_answers: further numbers, of every text and of runs with probabilities, which a scatter can be made of
    """

    runs: tuple[ShownRun, ...]
    names: Mapping[str, ShownDefinition]
    of_texts: tuple[str, ...]
    of_answers: tuple[str, ...]


class ShownPoints(Struct, frozen=True):
    """Two numbers of instances; ids, keys, x, y: of those that have both. n: of all; without_x, without_y: have none of it.

    learned: by model of the numbers, those of `ids` that it learned from and that the Metrics page leaves out
    """

    ids: Sequence[int]
    keys: Sequence[str]
    x: Sequence[float]
    y: Sequence[float]
    n: int
    without_x: int
    without_y: int
    learned: Mapping[str, Sequence[int]]


def show_name(instance: Instance) -> ShownInstance:
    """What an instance is called, and what it is."""
    return ShownInstance(
        id=instance.id, key=instance.key, split=instance.split, result=instance.result, language=instance.language,
        parent=instance.parent_key, kind=instance.perturbation_kind,
    )  # fmt: skip


def show_segments(instance: Instance) -> tuple[ShownSegment, ...]:
    """An instance's segments in numbering order."""
    shown = []
    for segment, at in zip(instance.segments, instance.layout.segments, strict=True):
        tokens, (before, rest) = tuple(segment.body.tokens()), segment.body.gaps()
        shown.append(ShownSegment(segment.name, at.first_token, segment.is_selectable, tokens, before, rest))
    return tuple(shown)


# What the Saliency page is told of saved lists (docs/saliency.md): the field names are those of its messages.


class ShownSavedList(Struct, frozen=True):
    """A saved list; may_change, holds: only where lists are listed."""

    id: int
    name: str
    note: str
    made_by: str
    created_at: str
    changed_at: str
    n: int
    may_change: bool | UnsetType = UNSET
    holds: bool | UnsetType = UNSET


class ShownSavedLists(Struct, frozen=True):
    """The lists of a project."""

    lists: tuple[ShownSavedList, ...]


def show_saved_list(saved: SavedList) -> ShownSavedList:
    """A saved list without its instances."""
    return ShownSavedList(
        *(saved.id, saved.name, saved.note, saved.made_by, saved.created_at, saved.changed_at, saved.n)
    )
