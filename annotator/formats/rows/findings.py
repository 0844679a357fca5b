"""What is found wrong in one row of a file, what is counted over all of it, and how values are shown in messages."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from annotator.errors import Problem
from annotator.language import _
from annotator.language import listed as listed_words

_SHOWN_CHARACTERS = 200
_BEFORE_DIFFERENCE, _AFTER_DIFFERENCE = 15, 25
_NAMED_PLACES = 20
_TOLD_CHARACTERS = 600


def shown(value: object) -> str:
    """A value as a person wrote it, cut to a length that a message can hold."""
    if isinstance(value, str):
        text = value
    else:
        try:
            text = msgspec.json.encode(value).decode("utf-8")
        except (TypeError, ValueError, RecursionError):
            text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def listed(names: "list[str] | tuple[str, ...]", limit: int = 8) -> str:
    """The first names, quoted, and how many more there are.

    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    text = listed_words([f"'{name}'" for name in names[:limit]])
    return text if len(names) <= limit else _("{names} and {n} more", names=text, n=len(names) - limit)


def either(words: Sequence[str]) -> str:
    """Words with what parts alternatives between all of them.

    >>> either(["a", "b", "c"]), either(["a"])
    ('a or b or c', 'a')
    """
    first, *rest = words
    for word in rest:
        first = listed_words([first, word], "or")
    return first


def where_texts_differ(first: str, second: str) -> str:
    """Where a text begins to differ from an earlier one, with a few words of both, as a sentence that follows another.

    >>> where_texts_differ("A calm film.", "A calm tale.")
    ' First difference at character 8: “A calm film.” there, “A calm tale.” here.'
    """
    at = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    if at == len(first) == len(second):
        return ""
    words = _(
        "First difference at character {number}: “{first}” there, “{second}” here.",
        number=f"{at + 1:,}",
        first=_excerpt(first, at),
        second=_excerpt(second, at),
    )
    return f" {words}"


def _excerpt(text: str, at: int) -> str:
    """A few words around a character, on one line; what cannot be seen, or turns the direction of writing, becomes a blank."""
    start, end = max(0, at - _BEFORE_DIFFERENCE), at + _AFTER_DIFFERENCE
    seen = "".join(c if c.isprintable() else " " for c in text[start:end])
    return f"{'…' if start else ''}{seen}{'…' if end < len(text) else ''}"


@dataclass(slots=True)
class Findings:
    """The problems of one row; a row with a problem that is no warning is not taken."""

    source: str
    line: int | None
    problems: list[Problem] = field(default_factory=list)
    is_refused: bool = False

    def refuse(self, field_name: str, value: object, reason: str, remedy: str = "") -> None:
        """Note something because of which the row cannot be taken. remedy: see Problem."""
        self.problems.append(Problem(self.source, self.line, field_name, shown(value), reason, remedy=remedy))
        self.is_refused = True

    def warn(self, field_name: str, value: object, reason: str) -> None:
        """Note something worth telling; the row is taken all the same."""
        self.problems.append(Problem(self.source, self.line, field_name, shown(value), reason, is_warning=True))


@dataclass(slots=True)
class Places:
    """Where the same thing stands in a file: all are counted, the first are named."""

    n: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, location: str) -> None:
        """One more of them."""
        self.n += 1
        if len(self.first) < _NAMED_PLACES:
            self.first.append(location)

    def __str__(self) -> str:
        """As many of them as a sentence can hold, and how many more there are."""
        named: list[str] = []
        for location in self.first:
            if named and sum(map(len, named)) + len(location) > _TOLD_CHARACTERS:
                break
            named.append(location)
        rest = self.n - len(named)
        places = "; ".join(named)
        return _("{places}; and {n} more", places=places, n=f"{rest:,}") if rest else places
