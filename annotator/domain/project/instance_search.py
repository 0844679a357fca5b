"""What is looked for among a project's instances: words, where they may stand, and what an instance must be like."""

import re
import unicodedata
from dataclasses import dataclass, fields
from typing import Literal

from annotator.domain.instances import InstanceState
from annotator.errors import InvalidValue
from annotator.language import _, listed, unsaid

SearchedPart = Literal["text", "key", "note", "review", "comment"]
SEARCHED_PARTS: tuple[SearchedPart, ...] = ("text", "key", "note", "review", "comment")
# How people call them: in a list of choices, and beside a hit.
PART_NAMES: dict[SearchedPart, str] = {
    "text": unsaid("texts"),
    "key": unsaid("keys"),
    "note": unsaid("notes of annotators"),
    "review": unsaid("comments of reviewers"),
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
            raise InvalidValue(
                _(
                    "Search for at most {most} characters; these are {n}.",
                    most=f"{LONGEST_WORDS:,}",
                    n=f"{len(self.words):,}",
                )
            )
        for day in (self.imported_from, self.imported_to):
            if day is not None and not _DAY.fullmatch(day):
                raise InvalidValue(_("'{day}' is no day. Write it as 2026-11-23.", day=day))
        for part in self.parts:
            if part not in SEARCHED_PARTS:
                raise InvalidValue(
                    _("'{part}' cannot be searched. Choose among {parts}.", part=part, parts=listed(SEARCHED_PARTS))
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
