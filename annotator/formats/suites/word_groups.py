"""Groups of words, such as those of people: one JSON object, {"women": ["she", "her"], "men": ["he", "him"]}."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotator.errors import Problem
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.lines import LineError, check_file, parse_value
from annotator.language import _

_WORD = re.compile(r"\w+")
# Characters of scripts that are written without blanks, where a word has no border to be found by.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_IS_SPACELESS = re.compile(f"[{_SPACELESS}]")


@dataclass(frozen=True, slots=True)
class WordGroup:
    """A group's words in lower case: single ones, and an expression for those that are more than letters and digits."""

    name: str
    words: frozenset[str]
    phrases: re.Pattern[str] | None

    @staticmethod
    def of(name: str, words: Iterable[str]) -> "WordGroup":
        """A group by its words and phrases."""
        folded = {" ".join(word.casefold().split()) for word in words}
        single = {word for word in folded if _WORD.fullmatch(word) and not _IS_SPACELESS.search(word)}
        phrases = "|".join(_bordered(phrase) for phrase in sorted(folded - single))
        return WordGroup(name, frozenset(single), re.compile(phrases) if phrases else None)

    def is_mentioned_in(self, text: str) -> bool:
        """Whether one of the words stands in a text as a word of its own, in any case.

        >>> women = WordGroup.of("women", ["she", "grand mother", "女"])
        >>> [women.is_mentioned_in(text) for text in ("SHE left.", "A sheet", "Grand  mother!", "妇女节")]
        [True, False, True, True]
        """
        folded = " ".join(text.casefold().split())
        if not self.words.isdisjoint(_WORD.findall(folded)):
            return True
        return self.phrases is not None and self.phrases.search(folded) is not None


def _bordered(phrase: str) -> str:
    """A phrase that no letter or digit touches, but in scripts without blanks between words."""
    before = "" if _IS_SPACELESS.match(phrase[0]) else r"(?<!\w)"
    after = "" if _IS_SPACELESS.match(phrase[-1]) else r"(?!\w)"
    return before + re.escape(phrase) + after


def read_word_groups(path: Path) -> tuple[list[WordGroup], list[Problem]]:
    """The groups of a file, and what is wrong with it.

    Raises: NotFound or InvalidValue when there is no such file
    """
    check_file(path)
    try:
        values = parse_value(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except LineError as fault:
        return [], [Problem(path.name, None, fault.field, shown(fault.value), fault.reason)]
    findings = Findings(path.name, None)
    if not isinstance(values, Mapping) or not values:
        findings.refuse("file", values, _("Must be like {example}.", example='{"women": [...]}'))
        return [], findings.problems
    for name, words in values.items():
        if (
            not isinstance(words, list)
            or not words
            or not all(isinstance(word, str) and word.strip() for word in words)
        ):
            findings.refuse(name, words, _("Must be a non-empty list of words."))
    if findings.is_refused:
        return [], findings.problems
    return [WordGroup.of(name, words) for name, words in values.items()], []
