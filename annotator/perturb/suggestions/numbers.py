"""Other numbers of about the same size, everywhere in the text."""

import re
from collections.abc import Iterator

from annotator.perturb.linguistics.numbers import AMOUNT, draw_amount, is_readable_amount
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.wording import everywhere, like
from annotator.text.edits import Edit

_CHINESE_DIGITS = "两三四五六七八九"


@suggester("Another number", kinds="entity contrast", turns=1)
def change_number(passage: Passage) -> Iterator[Proposal]:
    spans_by_number: dict[str, list[tuple[int, int]]] = {}
    for amount in AMOUNT.finditer(passage.text):
        if is_readable_amount(amount):
            spans_by_number.setdefault(amount.group(), []).append(amount.span())
    for number, spans in spans_by_number.items():
        yield everywhere(spans, number, draw_amount(number, passage.random))


@suggester("Another number in words", kinds="entity contrast", languages="en", turns=1)
def change_number_word(passage: Passage) -> Iterator[Proposal]:
    """Two → three, forty → thirty; not within forty-two, forty two or two hundred, which would have to be read as a whole."""
    for words in (passage.word_lists.list("number_words"), passage.word_lists.list("number_tens")):
        for start, end, word in passage.find(words):
            if _is_part_of_a_number(passage, start, end):
                continue
            number = words.index(word)
            beside = passage.random.choice(words[max(0, number - 2) : number] + words[number + 1 : number + 3])
            yield [Edit(start, end, like(passage.text[start:end], beside))], f"{word} → {beside}"


def _is_part_of_a_number(passage: Passage, start: int, end: int) -> bool:
    lists = passage.word_lists
    parts = {*lists.list("number_words"), *lists.list("number_tens"), "one", "hundred", "thousand", "million"}
    is_joined = "-" in {passage.text[end : end + 1], passage.text[max(0, start - 1) : start]}
    return is_joined or passage.next_word(end) in parts or passage.word_before(start) in parts


@suggester("Another Chinese number", kinds="entity contrast", languages="zh", turns=1)
def change_chinese_number(passage: Passage) -> Iterator[Proposal]:
    """A single numeral before a measure word: 三个, 两天."""
    text = passage.text
    measures = passage.word_lists.list("measures")
    for match in re.finditer(f"(?<![第十百千万零一{_CHINESE_DIGITS}])[{_CHINESE_DIGITS}]", text):
        if text.startswith(measures, match.end()):
            beside = passage.random.choice([digit for digit in _CHINESE_DIGITS if digit != match.group()])
            yield [Edit(*match.span(), beside)], f"{match.group()} → {beside}"
