"""Slips of the fingers. Each changes the text for sure: no two equal letters change places, and no slip undoes another."""

from collections.abc import Iterator

from annotator.perturb.passage import Passage, Word
from annotator.perturb.registry import Found, suggester
from annotator.text.edits import Edit

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MOST_WORDS = 60


@suggester("Two letters change places", kinds="robustness")
def swap_letters(passage: Passage) -> Iterator[Found]:
    for word in _drawn_words(passage):
        yield [_swap(passage, word)], f"typo in “{passage.text[word.start : word.end]}”"


@suggester("Two typos", kinds="robustness")
def swap_letters_twice(passage: Passage) -> Iterator[Found]:
    words = _drawn_words(passage)
    for one, other in zip(words[::2], words[1::2], strict=False):
        texts = " and ".join(f"“{passage.text[word.start : word.end]}”" for word in (one, other))
        yield [_swap(passage, one), _swap(passage, other)], f"typos in {texts}"


@suggester("A letter is missing", kinds="robustness")
def drop_letter(passage: Passage) -> Iterator[Found]:
    for word in _drawn_words(passage):
        place = passage.random.randrange(word.start + 1, word.end - 1)
        yield [Edit(place, place + 1, "")], f"letter missing in “{passage.text[word.start : word.end]}”"


@suggester("The key beside it", kinds="robustness", languages="en")
def press_neighbour(passage: Passage) -> Iterator[Found]:
    for word in _drawn_words(passage):
        place = passage.random.randrange(word.start + 1, word.end)
        letter = passage.text[place]
        row = next((row for row in _ROWS if letter in row), None)
        if row is not None:
            number = row.index(letter)
            beside = passage.random.choice(row[max(0, number - 1) : number] + row[number + 1 : number + 2])
            yield [Edit(place, place + 1, beside)], f"wrong key in “{passage.text[word.start : word.end]}”"


def _drawn_words(passage: Passage) -> list[Word]:
    """Words of at least four letters, some of them, in order. Only plain letters: no part of a cluster is moved."""
    every = [word for word in passage.words if _can_be_swapped(passage.text, word)]
    if len(every) <= _MOST_WORDS:
        return every
    return sorted(passage.random.sample(every, _MOST_WORDS), key=lambda word: word.start)


def _can_be_swapped(text: str, word: Word) -> bool:
    letters = text[word.start : word.end]
    following = text[word.end : word.end + 1]
    is_plain = letters.isascii() and letters.isalpha() and len(letters) >= 4 and not letters.isupper()
    return is_plain and (following.isascii() or following.isalpha()) and bool(_swaps(letters))


def _swaps(letters: str) -> list[int]:
    """Places of two different letters in a row; the first letter, which readers go by, stays."""
    return [place for place in range(1, len(letters) - 1) if letters[place] != letters[place + 1]]


def _swap(passage: Passage, word: Word) -> Edit:
    letters = passage.text[word.start : word.end]
    place = passage.random.choice(_swaps(letters))
    return Edit(word.start + place, word.start + place + 2, letters[place + 1] + letters[place])


@suggester("A character that is easily confused", kinds="robustness", languages="zh")
def confuse_character(passage: Passage) -> Iterator[Found]:
    confusions = passage.own.map("confusions")
    for start, end, character in passage.find(confusions):
        for other in confusions[character]:
            yield [Edit(start, end, other)], f"{character} → {other}"


@suggester("Two characters change places", kinds="robustness", languages="zh")
def swap_characters(passage: Passage) -> Iterator[Found]:
    text = passage.text
    places = [
        place
        for place in range(len(text) - 1)
        if text[place] != text[place + 1]
        and "\u4e00" <= min(text[place : place + 2]) <= max(text[place : place + 2]) <= "\u9fff"
    ]
    for place in sorted(passage.random.sample(places, min(_MOST_WORDS, len(places)))):
        pair = text[place : place + 2]
        yield [Edit(place, place + 2, pair[::-1])], f"{pair} → {pair[::-1]}"
