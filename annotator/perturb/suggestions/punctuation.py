"""Punctuation that readers do not mind."""

import re
from collections.abc import Iterator

from annotator.perturb.linguistics.chinese import IDEOGRAPHS
from annotator.perturb.linguistics.signs import CHINESE_FULL_STOP, FULL_STOP
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Found, suggester
from annotator.text.edits import Edit

_LAST = re.compile(r"(?P<gap> ?)(?P<signs>[.!。！]+)(?=[\"'”’)\]]*\s*\Z)")
_LAST_WORD = re.compile(r"\w(?=\s*\Z)")
_COMMA = re.compile(r" ?,(?= )")
_INNER_FULL_STOP = re.compile(r"(?<=\w)(?P<gap> ?)\.(?= +[A-Z])")
_FULL_WIDTH = str.maketrans("，。！？：；（）", ",.!?:;()")
_WIDE_SIGN = re.compile("[，。！？：；]")
_NARROW_SIGN = re.compile(rf"(?<=[{IDEOGRAPHS}])[,!?:;]")
_WIDE = str.maketrans(",!?:;", "，！？：；")


@suggester("Without the last full stop", kinds="robustness dispensable")
def strip_last_sign(passage: Passage) -> Iterator[Found]:
    if found := _LAST.search(passage.text):
        yield [Edit(*found.span(), "")], f"without “{found['signs']}” at the end"


@suggester("Another last sign", kinds="robustness")
def change_last_sign(passage: Passage) -> Iterator[Found]:
    full_stop, mark = (CHINESE_FULL_STOP, "！") if passage.code == "zh" else (FULL_STOP, "!")
    if found := _LAST.search(passage.text):
        for new in (full_stop, mark, mark * 3):
            if new != found["signs"]:
                yield [Edit(found.start("signs"), found.end(), new)], f"{found['signs']} → {new}"
    elif found := _LAST_WORD.search(passage.text):
        gap = " " if passage.is_spaced else ""
        yield [Edit(found.end(), found.end(), gap + full_stop)], f"{full_stop} at the end"


@suggester("Without a comma", kinds="robustness", languages="en")
def drop_comma(passage: Passage) -> Iterator[Found]:
    for found in _COMMA.finditer(passage.text):
        yield [Edit(*found.span(), "")], "without a comma"


@suggester("Exclamation mark within the text", kinds="robustness", languages="en")
def exclaim_within(passage: Passage) -> Iterator[Found]:
    for found in _INNER_FULL_STOP.finditer(passage.text):
        yield [Edit(found.end() - 1, found.end(), "!")], ". → !"


@suggester("Half-width signs", kinds="robustness", languages="zh")
def narrow_signs(passage: Passage) -> Iterator[Found]:
    signs = list(_WIDE_SIGN.finditer(passage.text))
    for found in signs:
        yield [Edit(*found.span(), found.group().translate(_FULL_WIDTH))], f"half-width {found.group()}"
    if len(signs) > 1:
        yield [Edit(*found.span(), found.group().translate(_FULL_WIDTH)) for found in signs], "all signs half-width"


@suggester("Full-width signs", kinds="robustness", languages="zh")
def widen_signs(passage: Passage) -> Iterator[Found]:
    for found in _NARROW_SIGN.finditer(passage.text):
        yield [Edit(*found.span(), found.group().translate(_WIDE))], f"full-width {found.group()}"
