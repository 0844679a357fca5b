"""What panels are told of sets on the screen (docs/panel.md, "The model's answers"): the field names are those of the message."""

from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from annotator.domain.projects import ModelKind
from annotator.usecases.models.preview_fit import Compared


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The probability of the label, and what is predicted; p None: another answer, and nothing is known of this one."""

    p: float | None
    predicted: str


@dataclass(frozen=True, slots=True)
class ShownSetAnswer:
    """The same of a set alone; less: (token, probability without it) for each of its tokens."""

    p: float | None
    predicted: str
    less: tuple[tuple[int, float | None], ...]


@dataclass(frozen=True, slots=True)
class ShownPreview:
    """What a model answers to the text and its sets, and how these fit the attributions that are stored of it.

    model:       None where none could be asked, and the fields from `label` to `sets` are UNSET; trouble: why
    unseen:      how many words of the whole text are past the model's limit
    trust, seen: sentences, of the built-in model alone
    """

    model: str | None
    kind: ModelKind
    trouble: str | None
    label: str | UnsetType = UNSET
    unseen: int | UnsetType = UNSET
    full: ShownAnswer | UnsetType = UNSET
    rest: ShownAnswer | UnsetType = UNSET
    sets: tuple[ShownSetAnswer, ...] | UnsetType = UNSET
    trust: str | UnsetType | None = UNSET
    seen: str | UnsetType | None = UNSET
    attributions: tuple[Compared, ...] = ()
