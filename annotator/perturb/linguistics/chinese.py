"""Chinese words in running text, which no blanks set apart."""

from collections.abc import Iterable

IDEOGRAPHS = "\u4e00-\u9fff"  # as a range in a pattern
_FIRST, _LAST = IDEOGRAPHS.split("-")
_AFTER_A_WORD = frozenset("，。！？；,.!?; 的了啊吧呢") | {""}


def are_ideographs(characters: str) -> bool:
    """Whether all of some characters are Chinese ones.

    >>> are_ideographs("好吃"), are_ideographs("好a")
    (True, False)
    """
    return all(_FIRST <= character <= _LAST for character in characters)


def word_at(text: str, index: int, words: Iterable[str]) -> str | None:
    """The first of some words that the text goes on with at an index.

    >>> word_at("很好吃", 1, ["吃", "好吃", "好"])
    '好吃'
    """
    return next((word for word in words if text.startswith(word, index)), None)


def may_end_word(text: str, index: int) -> bool:
    """Whether a word can end before an index: a sign, a final particle or the end of the text follows."""
    return text[index : index + 1] in _AFTER_A_WORD
