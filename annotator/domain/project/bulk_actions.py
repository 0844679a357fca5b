"""What a lead does to many instances at once, why some of them are passed over, and what became of it."""

from dataclasses import dataclass
from typing import Literal

from annotator.domain.projects import DISCARD_REASONS
from annotator.errors import InvalidValue
from annotator.language import _, several

BulkKind = Literal["give out", "split", "exhaustive", "discard", "put back", "name"]
BULK_KINDS: tuple[BulkKind, ...] = ("give out", "split", "exhaustive", "discard", "put back", "name")
NamedAs = Literal["first", "only"]
PassedOver = Literal[
    "held", "reviewed", "with the lead", "discarded", "not discarded", "adjudicated", "waiting", "full", "so already",
    "key taken", "follows original", "nothing wanted",
]  # fmt: skip
_LONGEST_SPLIT = 100


def passed_over_words(reason: PassedOver, n: int) -> str:
    """How many are passed over, and why: “3 are in somebody's hands”."""
    words: dict[PassedOver, str] = {
        "held": several("{n} is in somebody's hands", "{n} are in somebody's hands", n),
        "reviewed": several("{n} is being scored", "{n} are being scored", n),
        "with the lead": several("{n} waits for a decision of the lead", "{n} wait for a decision of the lead", n),
        "discarded": several("{n} is discarded", "{n} are discarded", n),
        "not discarded": several("{n} is not discarded", "{n} are not discarded", n),
        "adjudicated": several(
            "{n} has a version of the lead's as its gold", "{n} have a version of the lead's as their gold", n
        ),
        "waiting": several("{n} still waits for an annotator", "{n} still wait for an annotator", n),
        "full": several(
            "{n} has been given out again a hundred times", "{n} have been given out again a hundred times", n
        ),
        "so already": several("{n} is so already", "{n} are so already", n),
        "key taken": several(
            "{n} has a key that another text of that split has", "{n} have keys that other texts of that split have", n
        ),
        "follows original": several(
            "{n} is a changed version, which follows its original",
            "{n} are changed versions, which follow their originals",
            n,
        ),
        "nothing wanted": several(
            "{n} wants no annotation more; give it out again first",
            "{n} want no annotation more; give them out again first",
            n,
        ),
    }
    return words[reason]


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
            reasons = "; ".join(DISCARD_REASONS)
            if not self.reason:
                raise InvalidValue(_("Discarding needs a reason. Choose one of: {reasons}.", reasons=reasons))
            raise InvalidValue(
                _(
                    "'{reason}' is not one of the reasons. Choose one of: {reasons}.",
                    reason=self.reason,
                    reasons=reasons,
                )
            )
        if self.kind == "discard" and self.reason == "other" and not self.comment.strip():
            raise InvalidValue(_("Please say in a few words why, since you chose “other”."))
        if len(self.split) > _LONGEST_SPLIT or "\0" in self.split:
            raise InvalidValue(
                _("The name of a split may have {most} characters; this one has not.", most=_LONGEST_SPLIT)
            )


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
    """Which instances something is done to, and how many are passed over for which reason.

    n_versions: among the ids, changed versions that follow their originals
    n_short:    among the ids, those that want more annotators than the people whom alone they are for can be
    """

    ids: tuple[int, ...]
    passed_over: dict[PassedOver, int]
    n_versions: int = 0
    n_short: int = 0

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why some are passed over, a sentence's half each."""
        return tuple(passed_over_words(reason, n) for reason, n in sorted(self.passed_over.items(), key=str))


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
