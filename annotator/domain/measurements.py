"""Numbers of runs for each instance, and questions for lists that are sorted and filtered by them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _, listed, several

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
            raise InvalidValue(_("Say whose answers are {which}: choose a model.", which=self.which))
        if self.which in {"won", "lost"} and self.other_run_id is None:
            raise InvalidValue(_("Say against which model instances were won or lost."))
        if self.which in {"won", "lost"} and self.other_run_id == self.answers_run_id:
            raise InvalidValue(_("Say against which other model instances were won or lost: both are the same."))


def wrong_k_summary(detail: Mapping[str, object]) -> str:
    """What an upgrade forgot because it may have been made with a wrong k, and what to do; follows a name.

    >>> wrong_k_summary({"numbers": 2, "rationales": 0})
    'forgot 2 measured numbers, because k may have been too small in these long texts; measure again'
    """
    numbers, rationales = int(str(detail["numbers"])), int(str(detail["rationales"]))
    forgotten = [counted(numbers, "measured number")] if numbers else []
    if not rationales:
        return _(
            "forgot {forgotten}, because k may have been too small in these long texts; measure again",
            forgotten=listed(forgotten, "and"),
        )
    with_answers = several(
        "{n} selected rationale with the answers to its tokens",
        "{n} selected rationales with the answers to their tokens",
        rationales,
    )
    return _(
        "forgot {forgotten}, because k may have been too small in these long texts; run “annotator attribute … --faithfulness” "
        "again, and then measure again",
        forgotten=listed([*forgotten, with_answers], "and"),
    )
