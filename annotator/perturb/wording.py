"""Edits that leave a text well written: case, blanks, and "a" or "an" follow what is changed."""

from collections.abc import Sequence

from annotator.domain.numbers import counted
from annotator.perturb.passage import Passage
from annotator.text.edits import Edit

_SOUNDS_LIKE_YOU = ("eu", "uni", "use", "usu", "ut", "one", "once", "ubiq")
_SILENT_H = ("hour", "honest", "honour", "honor", "heir")


def like(source: str, replacement: str) -> str:
    """The replacement in the case of what it replaces: capitals throughout, or a capital first letter.

    >>> like("Good", "fine"), like("GOOD", "fine"), like("I", "we"), like("good", "fine")
    ('Fine', 'FINE', 'We', 'fine')
    """
    if len(source) > 1 and source.isupper():
        return replacement.upper()
    return with_first_letter_of(source, replacement)


def with_first_letter_of(source: str, replacement: str) -> str:
    """The replacement with a capital first letter where what it replaces has one.

    >>> with_first_letter_of("Is not", "isn't"), with_first_letter_of("IS NOT", "isn't")
    ("Isn't", "Isn't")
    """
    return replacement[:1].upper() + replacement[1:] if source[:1].isupper() else replacement


def everywhere(spans: Sequence[tuple[int, int]], before: str, after: str) -> tuple[list[Edit], str]:
    """One replacement in all the places of a word, with the reason that a person reads."""
    times = "" if len(spans) == 1 else f" ({counted(len(spans), 'time')})"
    return [Edit(start, end, after) for start, end in spans], f"{before} → {after}{times}"


def replace(passage: Passage, start: int, end: int, replacement: str) -> list[Edit]:
    """Other words in a place, in the case of what stood there; an article before them follows."""
    new = like(passage.text[start:end], replacement)
    return [*_article(passage, start, new), Edit(start, end, new)]


def insert(passage: Passage, index: int, words: str) -> list[Edit]:
    """Words before the word that begins at a place. At the beginning of a sentence the capital goes to the first of them.

    [] where that cannot be done because the word might be a name.
    """
    if passage.code != "zh" and index in passage.sentence_beginnings:
        return begin_sentence(passage, index, words + " ")
    gap = "" if passage.code == "zh" else " "
    return [*_article(passage, index, words), Edit(index, index, words + gap)]


def begin_sentence(passage: Passage, index: int, words: str) -> list[Edit]:
    """Words (with the blank that follows them) in front of a sentence; [] where its first word might be a name."""
    first = passage.text[index : index + 1]
    word = passage.next_word(index)
    beginning = words[:1].upper() + words[1:]
    if not first.isupper() or word in {"i", "i'm", "i've", "i'd", "i'll"}:
        return [Edit(index, index, beginning if first.isupper() else words)]
    is_known = word.replace("’", "'").partition("'")[0] in passage.word_lists.list("function_words")
    if not is_known or passage.text[index : index + 2].isupper():
        return []
    return [Edit(index, index + 1, beginning + first.lower())]


def drop(passage: Passage, start: int, end: int) -> list[Edit]:
    """Without a stretch of text and one of the blanks beside it; the capital of a sentence's beginning stays."""
    text = passage.text
    if passage.code == "zh":
        return [Edit(start, end, "")]
    if text[end : end + 1] == " " and (start == 0 or not text[start - 1].isalnum()):
        following = text[end + 1 : end + 2]
        if start in passage.sentence_beginnings and text[start].isupper() and following.islower():
            return [Edit(start, end + 2, following.upper())]
        return [*_article(passage, start, passage.next_word(end)), Edit(start, end + 1, "")]
    return [Edit(start - (text[start - 1 : start] == " "), end, "")]


def _article(passage: Passage, index: int, following: str) -> list[Edit]:
    """The edit of the article before a place, if there is one and other words now follow it."""
    article = passage.word_before(index)
    if article not in {"a", "an"} or not following[:1].isalpha():
        return []
    needed = "an" if begins_with_vowel(following) else "a"
    if needed == article:
        return []
    start = index - 1 - len(article)
    return [Edit(start, index - 1, like(passage.text[start], needed))]


def begins_with_vowel(word: str) -> bool:
    """Whether "an" stands before an English word, as far as its letters tell.

    >>> [begins_with_vowel(word) for word in ("apple", "useful", "hour", "House", "one", "European")]
    [True, False, True, False, False, False]
    """
    lower = word.lower()
    return lower.startswith(_SILENT_H) or (lower[:1] in set("aeiou") and not lower.startswith(_SOUNDS_LIKE_YOU))
