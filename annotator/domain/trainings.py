"""What a model that was trained here learned from, and how often it is right about what it did not learn from."""

from dataclasses import dataclass
from typing import Literal

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _

Way = Literal["splits", "folds"]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Answers to texts that were not learned from.

    way:       "splits": the model's own, to the texts of other splits; "folds": those of five models, each asked about the fifth
               of the documents that it did not learn from
    n, n_right: of the texts; of a project that asks for answers, right is an exact match
    label:     the commonest gold label of these texts, "" for "no answer" where answers are asked for; n_label: how many have it
    low, high: 95 % interval of the share that is right less that share; None where there is none
    """

    way: Way
    n: int
    n_right: int
    label: str
    n_label: int
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.n_right <= self.n and 0 <= self.n_label <= self.n and self.n > 0):
            raise InvalidValue(
                _(
                    "Of {texts} {n_right} cannot be right and {n_label} of one label.",
                    texts=counted(self.n, "text"),
                    n_right=self.n_right,
                    n_label=self.n_label,
                )
            )

    @property
    def accuracy(self) -> float:
        return self.n_right / self.n

    @property
    def share_of_label(self) -> float:
        return self.n_label / self.n


@dataclass(frozen=True, slots=True)
class StoredTraining:
    """A training of a model. split: that it learned from; None for all instances. n: how many instances that were."""

    id: int
    model: str
    digest: str
    seed: int
    split: str | None
    trained_at: str
    n: int
    held_out: HeldOut | None = None
