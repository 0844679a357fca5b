"""A text with slots, read once and filled many times.

{food}               a word of the list `food`; {Food}: with a capital
{name1} and {name2}  copies: two different words of the list `name`; the same copy is the same word throughout a case
{a:food}, {A:food}   the word with "a" or "an" before it
{size.1}, {size.2}   the forms of one word, which its list writes "big | small"
{{ and }}            braces
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.errors import InvalidValue
from annotator.language import _, unsaid

_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SLOT = re.compile(r"(?:(?P<article>[aA]):)?(?P<name>[^\W\d](?:\w*[^\W\d])?)(?P<copy>\d*)(?:\.(?P<form>[1-9]\d?))?")
_HOLDS_SLOT = re.compile(r"\{[^{}]*\}")
_WANTED = unsaid("A slot is {list}, {list1}, {a:list} or {list.2}; a brace itself is written twice.")

_FIRST_WORD = re.compile(r"\w+")
# By their sound, not by their letter.
_SOUNDS_LIKE_CONSONANT = re.compile(
    r"(?:eu|ewe|one|once|ouija|u(?:ni(?!n|m)|s[aeiou]|ti|fo|ku|ra|te|bi))", re.IGNORECASE
)
_SOUNDS_LIKE_VOWEL = re.compile(r"(?:hour|honest|hono|heir|8|11(?!\d)|18(?!\d))", re.IGNORECASE)
_SPELT_WITH_VOWEL = "AEFHILMNORSX"  # names of letters that begin with a vowel


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a word. copy: the number behind the list's name, "" without one; form: from 1; article: "", "a" or "A"."""

    name: str
    copy: str = ""
    form: int = 1
    article: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text in parts: what stands as it is, and slots."""

    parts: tuple[str | Slot, ...]

    @property
    def slots(self) -> Iterator[Slot]:
        return (part for part in self.parts if isinstance(part, Slot))


def parse_pattern(text: str) -> Pattern:
    """The parts of a text with slots.

    Raises: InvalidValue, naming the place, for a lone brace and for what is no slot
    >>> parse_pattern("{A:food} for {name2}").parts
    (Slot(name='food', copy='', form=1, article='A'), ' for ', Slot(name='name', copy='2', form=1, article=''))
    """
    parts: list[str | Slot] = []
    done = 0
    for match in _BRACES.finditer(text):
        parts.append(text[done : match.start()])
        done = match.end()
        parts.append(match[0][0] if match[0] in {"{{", "}}"} else _slot(match, text))
    parts.append(text[done:])
    return Pattern(tuple(part for part in parts if part != ""))


def _slot(match: "re.Match[str]", text: str) -> Slot:
    inside = match[1]
    if inside is None:
        raise InvalidValue(
            _(
                "Character {n} of '{text}' is a lone '{brace}'. {remedy}",
                n=match.start(),
                text=_short(text),
                brace=match[0],
                remedy=_(_WANTED),
            )
        )
    read = _SLOT.fullmatch(inside.strip())
    if read is None:
        raise InvalidValue(
            _("'{slot}' in '{text}' is no slot. {remedy}", slot=match[0], text=_short(text), remedy=_(_WANTED))
        )
    return Slot(read["name"], read["copy"], int(read["form"] or 1), read["article"] or "")


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def forms_of(list_name: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The forms of each word of a list.

    Raises: InvalidValue for a word that holds a slot: words are not filled in turn
    """
    for word in words:
        if _HOLDS_SLOT.search(word):
            raise InvalidValue(
                _(
                    "The word '{word}' of the list '{list}' holds a slot. Slots within words are not filled, so that "
                    "none can fill itself; write that slot into the template.",
                    word=_short(word),
                    list=list_name,
                )
            )
    return [tuple(form.strip() for form in word.split("|")) for word in words]


def with_article(word: str, article: str) -> str:
    """A word with "a" or "an" before it, as English says it (by a rule, so that rare words may come out wrong).

    >>> [with_article(word, "a") for word in ("apple", "pear", "hour", "user", "MP", "uninvited guest")]
    ['an apple', 'a pear', 'an hour', 'a user', 'an MP', 'an uninvited guest']
    """
    first = _FIRST_WORD.search(word)
    letters = first[0] if first else ""
    if len(letters) > 1 and letters.isascii() and letters.isupper():
        has_n = letters[0] in _SPELT_WITH_VOWEL
    elif _SOUNDS_LIKE_CONSONANT.match(letters):
        has_n = False
    else:
        has_n = letters[:1].lower() in tuple("aeiou") or _SOUNDS_LIKE_VOWEL.match(letters) is not None
    return f"{article}{'n' if has_n else ''} {word}"


def capitalised(word: str) -> str:
    """A word with its first letter as a capital; the others stay.

    >>> capitalised("iPad cover")
    'IPad cover'
    """
    return word[:1].upper() + word[1:]
