"""What is looked for among a project's instances: words, where they may stand, and what an instance must be like."""

import re
import unicodedata
from dataclasses import dataclass, fields
from typing import Literal

from annotator.domain.instances import InstanceState
from annotator.domain.projects import DISCARD_REASONS
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, unknown, unsaid

SearchedPart = Literal["text", "key", "note", "review", "comment"]
SEARCHED_PARTS: tuple[SearchedPart, ...] = ("text", "key", "note", "review", "comment")
# How people call them: in a list of choices, and beside a hit.
PART_NAMES: dict[SearchedPart, str] = {
    "text": unsaid("texts"),
    "key": unsaid("IDs"),
    "note": unsaid("annotators' notes"),
    "review": unsaid("reviewers' comments"),
    "comment": unsaid("talk"),
}
Exhaustiveness = Literal["yes", "no", "unsaid"]
TalkState = Literal["open", "any", "none"]
TALK_STATES: tuple[TalkState, ...] = ("open", "any", "none")
EXHAUSTIVENESS: tuple[Exhaustiveness, ...] = ("yes", "no", "unsaid")
LONGEST_WORDS = 1_000
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


# Vowel points of Arabic and Hebrew, and what makes a word longer: texts have them or not, and nobody types them to search.
_POINTS = re.compile(
    "[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)


def folded(text: str) -> str:
    r"""A text as it is compared with what is looked for: composed, without case and vowel points, each run of blanks one.

    >>> folded("  Cafe\u0301\n NOIR"), folded("Stra\u00dfe"), folded("服务很差"), folded("كَانَ")
    ('café noir', 'strasse', '服务很差', 'كان')
    """
    if text.isascii():
        lowered = text.lower()
        has_runs = "  " in lowered or "\n" in lowered or "\t" in lowered
        return " ".join(lowered.split()) if has_runs else lowered
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(_POINTS.sub("", composed).split())


@dataclass(frozen=True, slots=True)
class Search:
    """What instances are looked for; whatever is left out holds for all.

    words:         stand in one of the parts, as they are written: no sign in them means anything
    label:         the instance's result; "" is an answer that is not there, and is_unlabelled that none was given yet
    annotator:     the name of somebody, a person or a source, who annotated it
    talk:          open: a question waits for the lead
    named:         the name of a person for whom it is
    imported_from, imported_to: days (2026-11-23), of Greenwich
    """

    words: str = ""
    parts: tuple[SearchedPart, ...] = SEARCHED_PARTS
    state: InstanceState | None = None
    label: str | None = None
    is_unlabelled: bool = False
    split: str | None = None
    annotator: str | None = None
    has_note: bool | None = None
    talk: TalkState | None = None
    exhaustive: Exhaustiveness | None = None
    imported_from: str | None = None
    imported_to: str | None = None
    list_id: int | None = None
    named: str | None = None

    def __post_init__(self) -> None:
        if len(self.words) > LONGEST_WORDS:
            raise InvalidValue(_("Use at most {most} characters.", most=f"{LONGEST_WORDS:,}"))
        for day in (self.imported_from, self.imported_to):
            if day is not None and not _DAY.fullmatch(day):
                raise InvalidValue(_("'{day}' isn't a date. Use the form 2026-11-23.", day=day))
        for part in self.parts:
            if part not in SEARCHED_PARTS:
                raise InvalidValue(
                    _("Can't search '{part}'. Available: {parts}.", part=part, parts=listed(SEARCHED_PARTS))
                )

    @property
    def folded_words(self) -> str:
        """The words as texts are compared with them; half a surrogate pair, which no text holds, is a question mark."""
        return folded(self.words.encode("utf-8", "replace").decode()).strip()

    @property
    def asks_by_state_alone(self) -> bool:
        """Whether kept counts answer it."""
        everything = Search(state=self.state)
        return not self.folded_words and all(
            getattr(self, field.name) == getattr(everything, field.name)
            for field in fields(self)
            if field.name not in {"words", "parts"}
        )


# What a lead does to many instances at once, why some of them are passed over, and what became of it.


BulkKind = Literal["give out", "split", "exhaustive", "discard", "put back", "name"]
NamedAs = Literal["first", "only"]
PassedOver = Literal[
    "held", "reviewed", "with the lead", "discarded", "not discarded", "adjudicated", "waiting", "full", "so already",
    "key taken", "follows original", "nothing wanted",
]  # fmt: skip
_LONGEST_SPLIT = 100


def passed_over_words(reason: PassedOver, n: int) -> str:
    """How many are passed over, and why: “3 are in somebody's hands”."""
    words: dict[PassedOver, str] = {
        "held": several("{n} is in progress", "{n} are in progress", n),
        "reviewed": several("{n} is being scored", "{n} are being scored", n),
        "with the lead": several("{n} awaits the lead's decision", "{n} await the lead's decision", n),
        "discarded": several("{n} is discarded", "{n} are discarded", n),
        "not discarded": several("{n} is not discarded", "{n} are not discarded", n),
        "adjudicated": several("{n} has the lead's version as gold", "{n} have the lead's version as gold", n),
        "waiting": several("{n} still needs an annotator", "{n} still need an annotator", n),
        "full": several("{n} has been reassigned 100 times", "{n} have been reassigned 100 times", n),
        "so already": several("{n} already is", "{n} already are", n),
        "key taken": several("{n} has an ID used in that split", "{n} have IDs used in that split", n),
        "follows original": several(
            "{n} is a perturbed version and follows its original",
            "{n} are perturbed versions and follow their originals",
            n,
        ),
        "nothing wanted": several(
            "{n} needs no more annotations; assign it again", "{n} need no more annotations; assign them again", n
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
                raise InvalidValue(_("Choose a reason: {reasons}.", reasons=reasons))
            raise InvalidValue(unknown(_("reason"), self.reason, reasons))
        if self.kind == "discard" and self.reason == "other" and not self.comment.strip():
            raise InvalidValue(_("Say briefly why."))
        if len(self.split) > _LONGEST_SPLIT or "\0" in self.split:
            raise InvalidValue(_("{name} has at most {most} characters.", most=_LONGEST_SPLIT, name=_("Split")))


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
