"""What a lead does to many instances at once, why some of them are passed over, and what became of it."""

from dataclasses import dataclass
from typing import Literal

from annotator.domain.projects import DISCARD_REASONS
from annotator.errors import InvalidValue

BulkKind = Literal["give out", "split", "exhaustive", "discard", "put back", "name"]
BULK_KINDS: tuple[BulkKind, ...] = ("give out", "split", "exhaustive", "discard", "put back", "name")
NamedAs = Literal["first", "only"]
PassedOver = Literal[
    "held", "reviewed", "with the lead", "discarded", "not discarded", "adjudicated", "waiting", "full", "so already",
    "key taken", "follows original", "nothing wanted",
]  # fmt: skip
# Why an instance is passed over, as it stands behind a number: “3 are in somebody's hands”.
PASSED_OVER_WORDS: dict[PassedOver, tuple[str, str]] = {
    "held": ("is in somebody's hands", "are in somebody's hands"),
    "reviewed": ("is being scored", "are being scored"),
    "with the lead": ("waits for a decision of the lead", "wait for a decision of the lead"),
    "discarded": ("is discarded", "are discarded"),
    "not discarded": ("is not discarded", "are not discarded"),
    "adjudicated": ("has a version of the lead's as its gold", "have a version of the lead's as their gold"),
    "waiting": ("still waits for an annotator", "still wait for an annotator"),
    "full": ("has been given out again a hundred times", "have been given out again a hundred times"),
    "so already": ("is so already", "are so already"),
    "key taken": (
        "has a key that another text of that split has",
        "have keys that other texts of that split have",
    ),
    "follows original": (
        "is a changed version, which follows its original",
        "are changed versions, which follow their originals",
    ),
    "nothing wanted": (
        "wants no annotation more; give it out again first",
        "want no annotation more; give them out again first",
    ),
}
_LONGEST_SPLIT = 100


@dataclass(frozen=True, slots=True)
class BulkChange:
    """What is to be done with instances.

    split:         the new split, "" for none
    is_exhaustive: None takes the mark away
    reason:        why instances are discarded
    people:        names of those for whom they are; none frees them. named_as: whether only these are given them
    """

    kind: BulkKind
    split: str = ""
    is_exhaustive: bool | None = None
    reason: str = ""
    comment: str = ""
    people: tuple[str, ...] = ()
    named_as: NamedAs = "only"

    def __post_init__(self) -> None:
        if self.kind == "discard" and self.reason not in DISCARD_REASONS:
            fault = f"'{self.reason}' is not one of the reasons" if self.reason else "Discarding needs a reason"
            raise InvalidValue(f"{fault}. Choose one of: {'; '.join(DISCARD_REASONS)}.")
        if self.kind == "discard" and self.reason == "other" and not self.comment.strip():
            raise InvalidValue("Please say in a few words why, since you chose “other”.")
        if len(self.split) > _LONGEST_SPLIT or "\0" in self.split:
            raise InvalidValue(f"The name of a split may have {_LONGEST_SPLIT} characters; this one has not.")


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """What of an instance decides whether something is done to it, and what may be changed of it.

    named:   the numbers of the people for whom it is
    held_by: of those who have it in hand now
    """

    id: int
    key: str
    split: str
    state: str
    is_exhaustive: bool | None
    extra_annotators: int
    open_slots: int
    named_as: NamedAs | None
    named: tuple[int, ...]
    held_by: tuple[int, ...]
    is_reviewed: bool
    is_adjudicated: bool
    original_id: int | None


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """Which instances something is done to, and how many are passed over for which reason."""

    ids: tuple[int, ...]
    passed_over: dict[PassedOver, int]
    n_versions: int = 0  # among the ids: changed versions that follow their originals

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why some are passed over, a sentence's half each."""
        return tuple(
            f"{n:,} {PASSED_OVER_WORDS[reason][n != 1]}" for reason, n in sorted(self.passed_over.items(), key=str)
        )


@dataclass(frozen=True, slots=True)
class BulkAction:
    """Something that was done to many instances. n_restored: how many were as it left them when it was undone."""

    id: int
    project_id: int
    change: BulkChange
    n_instances: int
    made_by: str
    made_at: str
    undone_by: str | None = None
    undone_at: str | None = None
    n_restored: int | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What undoing came to: how many instances are as they were before, and how many had changed since and stay."""

    n_restored: int
    n_changed: int
