"""In which order the texts of a project are given out: what comes first, and how the rest follows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from annotator.domain.numbers import require_between
from annotator.errors import InvalidValue
from annotator.language import _, listed, unsaid

Order = Literal["sequential", "random"]
FirstKind = Literal[
    "least confident", "most confident", "models disagree", "label disputed", "least plausible", "nothing found"
]
FIRST_KINDS: tuple[FirstKind, ...] = cast("tuple[FirstKind, ...]", get_args(FirstKind))
REST_WORDS: Mapping[Order, str] = {"sequential": unsaid("as imported"), "random": unsaid("random, by seed")}
FIRST_WORDS: Mapping[FirstKind, str] = {
    "least confident": unsaid("lowest model probability for the label"),
    "most confident": unsaid("highest model probability for the label"),
    "models disagree": unsaid("models or seeds disagree"),
    "label disputed": unsaid("model disagrees with the label"),
    "least plausible": unsaid("least plausible attributions"),
    "nothing found": unsaid("nothing found by the model, random order"),
}
LARGEST_SEED = 2**31


@dataclass(frozen=True, slots=True)
class ModelOrder:
    """Texts that come before the others by what models answered.

    models:  their names; all seeds of a model count, as a mean
    percent: how many of the texts that wait and have the number; rounded up
    split:   those of this split alone; None: of all
    method:  of “least plausible” and, where an empty rationale is nothing, of “nothing found”: the method of the attributions
    number:  of “least plausible”: the name of the metric; layer: of which layer, None where the runs have none
    label:   of “nothing found”: the answer that says that there is nothing; None: a rationale without tokens says it
    Raises: InvalidValue naming what is missing or does not fit
    """

    kind: FirstKind
    models: tuple[str, ...]
    percent: float = 100
    split: str | None = None
    method: str = ""
    layer: int | None = None
    number: str = ""
    label: str | None = None

    def __post_init__(self) -> None:
        if not self.models:
            raise InvalidValue(_("Choose a model with stored predictions: --model."))
        if len(set(self.models)) != len(self.models):
            raise InvalidValue(_("A model is repeated ({models}).", models=listed(self.models)))
        if not 0 < self.percent <= 100:
            raise InvalidValue(
                _("{name} is {value}; use above 0, up to {highest}.", name="--percent", value=f"{self.percent:g}",
                  highest=100)
            )  # fmt: skip
        if self.kind == "least plausible" and not (self.method and self.number):
            raise InvalidValue(_("Plausibility needs --method and --number."))
        if self.kind == "nothing found" and (self.label is None) == (not self.method):
            raise InvalidValue(
                _("“Model found nothing” needs either --label (prediction) or --method (empty rationales).")
            )

    def with_label(self, label: str, by: str) -> "ModelOrder":
        """The same where a label of the project is called otherwise."""
        return replace(self, label=by) if self.label == label else self


@dataclass(frozen=True, slots=True)
class QueueOrder:
    """The order of a project: what comes first (None: nothing in particular), and how the rest follows.

    seed: of all that is drawn: the random order, texts with equal numbers, and a sample
    """

    rest: Order = "sequential"
    seed: int = 0
    first: ModelOrder | None = None

    def __post_init__(self) -> None:
        require_between(_("Seed"), self.seed, 0, LARGEST_SEED)
