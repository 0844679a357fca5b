"""Word lists: what fills a template's slots, and what marks words in texts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast, get_args

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _

# keep: its words are proposed as a rationale; ignore: they are marked as no rationale; slot: they fill slots of templates.
WordListRole = Literal["keep", "ignore", "slot"]
WORD_LIST_ROLES = cast("tuple[WordListRole, ...]", get_args(WordListRole))
FORMS = "|"  # between the forms of one word: "big | small"

MOST_WORDS = 100_000
LONGEST_WORD = 500
_NAME = re.compile(r"[^\W\d](?:\w{0,58}[^\W\d])?")


@dataclass(frozen=True, slots=True)
class WordList:
    """Words under a name by which a template's slot asks for them.

    name:  letters and underscores, digits within; it does not end in a digit, which numbers copies of a slot
    words: in order, each once; forms of one word are parted by "|"
    """

    name: str
    language: str
    role: WordListRole
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidValue(
                _(
                    "'{name}' cannot name a word list: letters, digits and underscores, up to 60, with a letter or an underscore "
                    "first and last (a digit at the end numbers the copies of a slot).",
                    name=self.name,
                )
            )
        if self.role not in WORD_LIST_ROLES:
            raise InvalidValue(
                _("A word list is for {roles}; not '{role}'.", roles=", ".join(WORD_LIST_ROLES), role=self.role)
            )
        if not 1 <= len(self.words) <= MOST_WORDS:
            raise InvalidValue(
                _(
                    "The word list '{name}' has {words}; it may have 1 to {most}.",
                    name=self.name,
                    words=counted(len(self.words), "word"),
                    most=f"{MOST_WORDS:,}",
                )
            )
        for word in self.words:
            _check(self.name, word)


def _check(name: str, word: str) -> None:
    if len(word) > LONGEST_WORD or not all(form.strip() for form in word.split(FORMS)):
        raise InvalidValue(
            _(
                "The word list '{name}' holds '{word}': a word, and each of its forms, has 1 to {longest} characters.",
                name=name,
                word=word[:60],
                longest=LONGEST_WORD,
            )
        )


def words_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Words as people write them: white space around them falls away, empty lines and words that come again too.

    >>> words_of(["good ", "", "big |  small", "good"])
    ('good', 'big|small')
    """
    cleaned = (FORMS.join(" ".join(form.split()) for form in line.split(FORMS)) for line in lines)
    return tuple(dict.fromkeys(word for word in cleaned if word))
