"""Words and phrases of a list found in the tokens of a text."""

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from annotator.domain.texts import TokenizedText
from annotator.domain.word_lists import FORMS

Range = tuple[int, int]


def find_words(words: Sequence[str], body: TokenizedText) -> list[Range]:
    """Where the text holds words of the list, as half-open token ranges in order, none inside another.

    Whole tokens alone are found: "art" is not in "part". Case and the width and coding of characters do not matter. A phrase
    may lie over several tokens, parted as the text parts them: "don't" is in do|n't, and "很好" in 很|好, but "a part" is not
    in "apart". Of the words that begin at a token the longest counts. The forms of a word ("big|small") are words each.

    >>> body = TokenizedText("Not bad, NOT BAD at all", (0, 4, 7, 9, 13, 17, 20), (3, 7, 8, 12, 16, 19, 23), (0,))
    >>> find_words(["not bad", "bad", "al"], body)
    [(0, 2), (3, 5)]
    """
    phrases = _phrases(tuple(words))
    tokens = [_plain(token) for token in body.tokens()]
    joined = [_joined(body, number) for number in range(1, body.n_tokens)]
    found: list[Range] = []
    for start in range(body.n_tokens):
        end = _longest(phrases, tokens, joined, start)
        if end > start and not (found and found[-1][1] >= end):
            found.append((start, end))
    return found


def _longest(phrases: Sequence[str], tokens: Sequence[str], joined: Sequence[bool], start: int) -> int:
    """Where the longest phrase that begins at a token ends; start if none does."""
    said, end = "", start
    for number in range(start, len(tokens)):
        said += ("" if number == start or joined[number - 1] else " ") + tokens[number]
        place = bisect_left(phrases, said)
        if place == len(phrases) or not phrases[place].startswith(said):
            break
        if said and phrases[place] == said:
            end = number + 1
    return end


def _joined(body: TokenizedText, number: int) -> bool:
    """Whether a token follows the one before without a blank that a reader would write."""
    before, start = body.ends[number - 1], body.starts[number]
    if not any(sign.isspace() for sign in body.text[before:start]):
        return True
    return before > 0 and start < len(body.text) and _is_han(body.text[before - 1]) and _is_han(body.text[start])


@lru_cache(maxsize=16)
def _phrases(words: tuple[str, ...]) -> list[str]:
    """The forms of all words, sorted, so that a beginning is found by bisection."""
    forms = {_phrase(form) for word in words for form in word.split(FORMS)}
    return sorted(forms - {""})


def _phrase(form: str) -> str:
    parts = _plain(form).split()
    said = "".join(parts[:1])
    for part in parts[1:]:
        said += part if _is_han(said[-1]) and _is_han(part[0]) else f" {part}"
    return said


def _plain(words: str) -> str:
    return unicodedata.normalize("NFKC", words).casefold()


def _is_han(sign: str) -> bool:
    return "\u3400" <= sign <= "\u9fff" or "\U00020000" <= sign <= "\U0003134a"
