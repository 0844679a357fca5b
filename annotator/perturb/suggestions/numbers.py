"""Other numbers of about the same size, everywhere in the text."""

import re
from collections.abc import Iterator

from annotator.domain.numbers import counted
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Found, suggester
from annotator.perturb.wording import like
from annotator.text.edits import Edit

# No part of a longer sign: 3.2.1, 10:30, 1-0, b2, #4, @5.
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.,:/@#-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![A-Za-z0-9_:/-]|[.,]\d)")
_UNCHANGED = frozenset({"0", "1", "2", "4"})  # 2 and 4 are often "to" and "for"; after 1 stands a singular
_LONGEST = 40  # characters; what is longer is no amount that somebody reads
_CHINESE_DIGITS = "两三四五六七八九"


@suggester("Another number", kinds="entity contrast", turns=1)
def change_number(passage: Passage) -> Iterator[Found]:
    places: dict[str, list[tuple[int, int]]] = {}
    for found in _NUMBER.finditer(passage.text):
        number = found.group()
        is_plain = number.isascii() and len(number) <= _LONGEST
        if is_plain and number not in _UNCHANGED and not (number[0] == "0" and found[2] is None):
            places.setdefault(number, []).append(found.span())
    for number, found_at in places.items():
        other = _other_number(number, passage)
        times = "" if len(found_at) == 1 else f" ({counted(len(found_at), 'time')})"
        yield [Edit(start, end, other) for start, end in found_at], f"{number} → {other}{times}"


def _other_number(number: str, passage: Passage) -> str:
    """A number written alike, at most a fifth away (a year: at most nine years), never the same and never below 2."""
    n_decimals = len(number.partition(".")[2])
    value = int(number.replace(",", "").replace(".", ""))
    is_year = number.isdigit() and len(number) == 4 and 1900 <= value < 2100
    reach = 9 if is_year else max(1, round(value / 5))
    others = [way for way in (-1, 1) if value + way >= (2 if not n_decimals else 0)]
    way = passage.random.choice(others)
    most = reach if way > 0 else min(reach, value - (2 if not n_decimals else 0))
    other = value + way * passage.random.randint(1, most)
    digits = str(other).rjust(n_decimals + 1, "0")
    whole, decimals = (digits[:-n_decimals], "." + digits[-n_decimals:]) if n_decimals else (digits, "")
    return (f"{int(whole):,}" if "," in number else whole) + decimals


@suggester("Another number in words", kinds="entity contrast", languages="en", turns=1)
def change_number_word(passage: Passage) -> Iterator[Found]:
    """Two → three, forty → thirty; not within forty-two, forty two or two hundred, which would have to be read as a whole."""
    for words in (passage.own.list("number_words"), passage.own.list("number_tens")):
        for start, end, word in passage.find(words):
            if _is_part_of_a_number(passage, start, end):
                continue
            number = words.index(word)
            beside = passage.random.choice(words[max(0, number - 2) : number] + words[number + 1 : number + 3])
            yield [Edit(start, end, like(passage.text[start:end], beside))], f"{word} → {beside}"


def _is_part_of_a_number(passage: Passage, start: int, end: int) -> bool:
    own = passage.own
    parts = {*own.list("number_words"), *own.list("number_tens"), "one", "hundred", "thousand", "million"}
    is_joined = "-" in {passage.text[end : end + 1], passage.text[max(0, start - 1) : start]}
    return is_joined or passage.next_word(end) in parts or passage.word_before(start) in parts


@suggester("Another Chinese number", kinds="entity contrast", languages="zh", turns=1)
def change_chinese_number(passage: Passage) -> Iterator[Found]:
    """A single numeral before a measure word: 三个, 两天."""
    text = passage.text
    measures = passage.own.list("measures")
    for found in re.finditer(f"(?<![第十百千万零一{_CHINESE_DIGITS}])[{_CHINESE_DIGITS}]", text):
        if text.startswith(measures, found.end()):
            beside = passage.random.choice([one for one in _CHINESE_DIGITS if one != found.group()])
            yield [Edit(*found.span(), beside)], f"{found.group()} → {beside}"
