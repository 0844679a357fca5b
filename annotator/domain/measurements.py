"""Numbers of runs for each instance, groups and lists that are asked for by them, and saved views."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.domain.instances import Annotation, Instance
from annotator.domain.numbers import counted
from annotator.domain.sources import facts_of_annotators
from annotator.domain.texts import HelpOrigin
from annotator.errors import InvalidValue
from annotator.language import _, in_brackets, listed, several, unsaid

FORGOT_WRONG_K = "forget wrong k"  # as the record names it


@dataclass(frozen=True, slots=True)
class Measurement:
    """How a run was measured."""

    run_id: int
    gold_policy: str
    parameters: Mapping[str, object]
    last_event_id: int
    made_at: str


@dataclass(frozen=True, slots=True)
class Listed:
    """An instance in a list that is sorted by a number; value None where the run has none for it."""

    id: int
    key: str
    split: str
    result: str | None
    kind: str | None
    excerpt: str
    value: float | None
    label: str | None


Which = Literal["all", "right", "wrong", "won", "lost", "disagree", "perturbed"]


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a project's instances; None: all of them.

    is_unlabelled: those without a label of their own
    length:        the fewest and the most tokens that can be marked
    fact, group:   (name, value) in an instance's metadata, and in what its file says of its annotators
    """

    label: str | None = None
    is_unlabelled: bool = False
    split: str | None = None
    length: tuple[int, int] | None = None
    fact: tuple[str, str] | None = None
    group: tuple[str, str] | None = None


Bounds = tuple[float | None, float | None]  # from and to, both included; None: open


@dataclass(frozen=True, slots=True)
class InstanceNumber:
    """A number of single instances: one that was measured of a run, one of a model's answer, or of the text alone (no run)."""

    run_id: int | None
    layer: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Brush:
    """The instances that lie in a part of a scatter of two numbers: within both bounds, or inside an outline.

    outline: the corners (x, y) of what was drawn around them; () for none, else at least three
    """

    x: InstanceNumber
    y: InstanceNumber
    x_bounds: Bounds = (None, None)
    y_bounds: Bounds = (None, None)
    outline: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Which instances are listed, and in which order.

    run_id, layer, name: the number to sort by; None: the order of the saved list, else of import
    list_id:             those on a saved list alone
    answers_run_id:      the run whose answers are right or wrong
    within:              those of a slice alone
    other_run_id:        another model's answers, against which the first one has won or lost instances
    brush:               those in a part of a scatter alone
    among:               those of these numbers alone, in no order; None: all (what a brush comes to)
    has_learned:         of what is won or lost also those that one of the models learned from
    but_for:             not those of these numbers (what has_learned comes to)
    """

    project_id: int
    run_id: int | None = None
    layer: int | None = None
    name: str = ""
    lowest_first: bool = True
    which: Which = "all"
    answers_run_id: int | None = None
    other_run_id: int | None = None
    kind: str | None = None
    words: str = ""
    list_id: int | None = None
    within: Slice = Slice()
    brush: Brush | None = None
    among: tuple[int, ...] | None = None
    has_learned: bool = False
    but_for: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.which in {"right", "wrong", "won", "lost"} and self.answers_run_id is None:
            raise InvalidValue(_("Choose the model whose predictions are {which}.", which=self.which))
        if self.which in {"won", "lost"} and self.other_run_id is None:
            raise InvalidValue(_("Choose the model to compare with."))
        if self.which in {"won", "lost"} and self.other_run_id == self.answers_run_id:
            raise InvalidValue(_("Choose two different models."))


def wrong_k_summary(detail: Mapping[str, object]) -> str:
    """What an upgrade forgot because it may have been made with a wrong k, and what to do; follows a name.

    >>> wrong_k_summary({"numbers": 2, "rationales": 0})
    'removed 2 measured numbers (k may have been too small); measure again'
    """
    numbers, rationales = int(str(detail["numbers"])), int(str(detail["rationales"]))
    forgotten = [counted(numbers, "measured number")] if numbers else []
    if not rationales:
        return _("removed {forgotten} (k may have been too small); measure again", forgotten=listed(forgotten, "and"))
    with_answers = several(
        "{n} selected rationale with its predictions", "{n} selected rationales with their predictions", rationales
    )
    return _(
        "removed {forgotten} (k may have been too small); rerun “annotator attribute … --faithfulness” and "
        "measure again",
        forgotten=listed([*forgotten, with_answers], "and"),
    )


# Groups of a project's instances, over which numbers are made apart: by label, split, kind of changed version, and so on.


LABEL, SPLIT, KIND, CRITERION, ANNOTATOR = "label", "split", "kind", "criterion", "annotator"
EXHAUSTIVE = "exhaustive"  # whether the gold of an instance marks all the evidence: only there is a recall one
METADATA = "metadata:"  # and a name of the instances' metadata
ANNOTATORS = "annotators:"  # and a name of what the file tells of its annotators
HELP = "help"  # whether annotations were made with help: without it are those of which every set is free
UNHELPED, HELPED = "without", "with"
GROUPINGS = (LABEL, SPLIT, KIND, CRITERION, ANNOTATOR, EXHAUSTIVE, HELP)
_WORDS = {
    KIND: unsaid("perturbation type"),
    EXHAUSTIVE: unsaid("exhaustive gold"),
    LABEL: unsaid("label"),
    SPLIT: unsaid("split"),
    CRITERION: unsaid("criterion"),
    ANNOTATOR: unsaid("annotator"),
    HELP: unsaid("help"),
}
_UNNAMED = {
    LABEL: unsaid("no label"),
    SPLIT: unsaid("none"),
    KIND: unsaid("unperturbed"),
    CRITERION: unsaid("not stated"),
    ANNOTATOR: unsaid("unnamed"),
    EXHAUSTIVE: unsaid("not exhaustive"),
    HELP: unsaid("not recorded"),
}
_NAMED = {UNHELPED: unsaid("without help"), HELPED: unsaid("with help")}


def require_grouping(by: str) -> None:
    """Raise InvalidValue for what nothing can be grouped by."""
    if by not in GROUPINGS and not any(by.startswith(kind) and by != kind for kind in (METADATA, ANNOTATORS)):
        raise InvalidValue(
            _(
                "Can't group by '{by}'. Choose {groupings}, {metadata}NAME or {annotators}NAME.",
                by=by, groupings=", ".join(GROUPINGS), metadata=METADATA, annotators=ANNOTATORS
            )
        )  # fmt: skip


def is_of_people(by: str) -> bool:
    """Whether groups are of annotations (by their annotators, or by help), and not of instances."""
    return by in {ANNOTATOR, HELP} or by.startswith(ANNOTATORS)


@dataclass(frozen=True, slots=True)
class Whose:
    """A group of annotations that alone are gold. by: "annotator", "annotators:NAME" or "help"."""

    by: str
    group: str

    def among(self, instance: Instance, annotations: Sequence[Annotation]) -> list[Annotation]:
        """The annotations of an instance that are of the group."""
        groups = groups_of_annotations(instance, annotations, self.by)
        return [a for a, group in zip(annotations, groups, strict=True) if group == self.group]


WITHOUT_HELP = Whose(HELP, UNHELPED)


def groups_of_annotations(instance: Instance, annotations: Sequence[Annotation], by: str) -> list[str]:
    """The group of each annotation of an instance; "" where nothing tells it."""
    if by == HELP:
        return [help_group([rationale_set.origin for rationale_set in of.sets]) for of in annotations]
    groups = groups_of_people(instance, {of.annotator for of in annotations}, by)
    return [groups[of.annotator] for of in annotations]


def help_group(origins: Sequence[HelpOrigin | None]) -> str:
    """Whether an annotation with sets of these origins was helped; "" where that was not recorded of all, or there is no set.

    >>> help_group(["free", "free"]), help_group(["free", "edited"]), help_group([None]), help_group([])
    ('without', 'with', '', '')
    """
    if not origins or None in origins:
        return ""
    return UNHELPED if all(origin == "free" for origin in origins) else HELPED


def groups_of_people(instance: Instance, annotators: Iterable[str], by: str) -> dict[str, str]:
    """The group of each annotator of an instance; "" where the file does not tell it of them."""
    if by == ANNOTATOR:
        return {annotator: annotator for annotator in annotators}
    facts, name = facts_of_annotators(instance.metadata), by.removeprefix(ANNOTATORS)
    return {annotator: fact_in_words(facts.get(annotator, {}).get(name)) for annotator in annotators}


def group_of(instance: Instance, label: str | None, by: str) -> str | None:
    """The group of an instance; "" where it does not tell one, None where groups are not of instances (those of annotators).

    label: its gold label
    """
    match by:
        case "label":
            return label or ""
        case "split":
            return instance.split
        case "kind":
            return "" if instance.parent_key is None else instance.perturbation_kind or "perturbed"
        case "criterion":
            return instance.criterion
        case str() if by.startswith(METADATA):
            value = instance.metadata.get(by.removeprefix(METADATA), "")
            return fact_in_words(value)
        case _:
            return (EXHAUSTIVE if instance.is_exhaustive else "") if by == EXHAUSTIVE else None


def fact_in_words(value: object) -> str:
    """A value of the metadata as a name; "" of what is no text, number, yes or no.

    >>> fact_in_words(True), fact_in_words(3), fact_in_words("a"), fact_in_words([1]), fact_in_words(None)
    ('true', '3', 'a', '', '')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else ""


def grouping_in_words(by: str) -> str:
    """What one groups by, in a sentence."""
    if by.startswith(ANNOTATORS):
        return _("“{name}” of the annotators", name=by.removeprefix(ANNOTATORS))
    if by.startswith(METADATA):
        return _("“{name}” of the metadata", name=by.removeprefix(METADATA))
    return _(_WORDS.get(by, by))


def group_in_words(by: str, name: str) -> str:
    """The name of a group, or what is common to those that tell none."""
    if by == HELP and name:
        return _(_NAMED.get(name, name))
    return name or in_brackets(_(_UNNAMED.get(by, unsaid("not stated"))))


# Saved views: what somebody chose on the Metrics page, under a name.


MOST_VIEWS = 200  # of one project
LONGEST_NAME = 100
LONGEST_QUERY = 20_000  # characters


@dataclass(frozen=True, slots=True)
class SavedView:
    """A saved view.

    query:   what is chosen, as the page's address has it (without the project)
    user_id: whose it is; None where nobody with an account made it (the local operator, an import)
    """

    id: int
    project_id: int
    name: str
    query: str
    made_by: str
    user_id: int | None
    created_at: str
    changed_at: str


# Saved lists: instances of a project that somebody put together, under a name and with a note.


MOST_LISTED = 10_000  # instances on one list
MOST_LISTS = 500  # lists of one project
LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True)
class SavedList:
    """A saved list without its instances.

    user_id: whose it is; None where nobody with an account made it (the local operator, an import)
    n:       how many instances are on it
    """

    id: int
    project_id: int
    name: str
    note: str
    made_by: str
    user_id: int | None
    created_at: str
    changed_at: str
    n: int
