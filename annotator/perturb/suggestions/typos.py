"""Slips of the fingers. Each changes the text for sure: no two equal letters change places, and no slip undoes another."""

from collections.abc import Iterator

from annotator.language import _, listed
from annotator.perturb.linguistics.chinese import are_ideographs
from annotator.perturb.linguistics.typing_errors import swappable_pairs, swapped_pair
from annotator.perturb.passage import Passage, Word
from annotator.perturb.registry import Proposal, suggester
from annotator.text.edits import Edit

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MOST_WORDS = 60


@suggester("Two letters change places", kinds="robustness")
def swap_letters(passage: Passage) -> Iterator[Proposal]:
    for word in _drawn_words(passage):
        yield [_swap(passage, word)], _("typo in “{word}”", word=passage.text[word.start : word.end])


@suggester("Two typos", kinds="robustness")
def swap_letters_twice(passage: Passage) -> Iterator[Proposal]:
    words = _drawn_words(passage)
    for first, second in zip(words[::2], words[1::2], strict=False):
        texts = listed([f"“{passage.text[word.start : word.end]}”" for word in (first, second)], "and")
        yield [_swap(passage, first), _swap(passage, second)], _("typos in {words}", words=texts)


@suggester("A letter is missing", kinds="robustness")
def drop_letter(passage: Passage) -> Iterator[Proposal]:
    for word in _drawn_words(passage):
        index = passage.random.randrange(word.start + 1, word.end - 1)
        yield [Edit(index, index + 1, "")], _("letter missing in “{word}”", word=passage.text[word.start : word.end])


@suggester("The key beside it", kinds="robustness", languages="en")
def press_neighbour(passage: Passage) -> Iterator[Proposal]:
    for word in _drawn_words(passage):
        index = passage.random.randrange(word.start + 1, word.end)
        letter = passage.text[index]
        row = next((row for row in _ROWS if letter in row), None)
        if row is not None:
            key = row.index(letter)
            beside = passage.random.choice(row[max(0, key - 1) : key] + row[key + 1 : key + 2])
            yield [Edit(index, index + 1, beside)], _("wrong key in “{word}”", word=passage.text[word.start : word.end])


def _drawn_words(passage: Passage) -> list[Word]:
    """Words of at least four letters, some of them, in order. Only plain letters: no part of a cluster is moved."""
    candidates = [word for word in passage.words if _can_be_swapped(passage.text, word)]
    if len(candidates) <= _MOST_WORDS:
        return candidates
    return sorted(passage.random.sample(candidates, _MOST_WORDS), key=lambda word: word.start)


def _can_be_swapped(text: str, word: Word) -> bool:
    letters = text[word.start : word.end]
    following = text[word.end : word.end + 1]
    is_plain = letters.isascii() and letters.isalpha() and len(letters) >= 4 and not letters.isupper()
    return is_plain and (following.isascii() or following.isalpha()) and bool(_swappable_within(letters))


def _swappable_within(letters: str) -> list[int]:
    """The pairs of a word that may be swapped; the first letter, which readers go by, stays."""
    return [index for index in swappable_pairs(letters) if index]


def _swap(passage: Passage, word: Word) -> Edit:
    letters = passage.text[word.start : word.end]
    index = passage.random.choice(_swappable_within(letters))
    return Edit(word.start + index, word.start + index + 2, swapped_pair(letters, index))


@suggester("A character that is easily confused", kinds="robustness", languages="zh")
def confuse_character(passage: Passage) -> Iterator[Proposal]:
    confusions = passage.word_lists.map("confusions")
    for start, end, character in passage.find(confusions):
        for other in confusions[character]:
            yield [Edit(start, end, other)], f"{character} → {other}"


@suggester("Two characters change places", kinds="robustness", languages="zh")
def swap_characters(passage: Passage) -> Iterator[Proposal]:
    text = passage.text
    pairs = [index for index in swappable_pairs(text) if are_ideographs(text[index : index + 2])]
    for index in sorted(passage.random.sample(pairs, min(_MOST_WORDS, len(pairs)))):
        pair, swapped = text[index : index + 2], swapped_pair(text, index)
        yield [Edit(index, index + 2, swapped)], f"{pair} → {swapped}"
