"""Punctuation that readers do not mind."""

import re
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.linguistics.chinese import IDEOGRAPHS
from annotator.perturb.linguistics.signs import CHINESE_FULL_STOP, FULL_STOP
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
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
def strip_last_sign(passage: Passage) -> Iterator[Proposal]:
    if match := _LAST.search(passage.text):
        yield [Edit(*match.span(), "")], _("without “{words}” at the end", words=match["signs"])


@suggester("Another last sign", kinds="robustness")
def change_last_sign(passage: Passage) -> Iterator[Proposal]:
    full_stop, mark = (CHINESE_FULL_STOP, "！") if passage.code == "zh" else (FULL_STOP, "!")
    if match := _LAST.search(passage.text):
        for new in (full_stop, mark, mark * 3):
            if new != match["signs"]:
                yield [Edit(match.start("signs"), match.end(), new)], f"{match['signs']} → {new}"
    elif match := _LAST_WORD.search(passage.text):
        gap = " " if passage.is_spaced else ""
        yield [Edit(match.end(), match.end(), gap + full_stop)], _("{words} at the end", words=full_stop)


@suggester("Without a comma", kinds="robustness", languages="en")
def drop_comma(passage: Passage) -> Iterator[Proposal]:
    for match in _COMMA.finditer(passage.text):
        yield [Edit(*match.span(), "")], _("without a comma")


@suggester("Exclamation mark within the text", kinds="robustness", languages="en")
def exclaim_within(passage: Passage) -> Iterator[Proposal]:
    for match in _INNER_FULL_STOP.finditer(passage.text):
        yield [Edit(match.end() - 1, match.end(), "!")], ". → !"


@suggester("Half-width signs", kinds="robustness", languages="zh")
def narrow_signs(passage: Passage) -> Iterator[Proposal]:
    signs = list(_WIDE_SIGN.finditer(passage.text))
    for sign in signs:
        yield [Edit(*sign.span(), sign.group().translate(_FULL_WIDTH))], _("half-width {sign}", sign=sign.group())
    if len(signs) > 1:
        yield [Edit(*sign.span(), sign.group().translate(_FULL_WIDTH)) for sign in signs], _("all signs half-width")


@suggester("Full-width signs", kinds="robustness", languages="zh")
def widen_signs(passage: Passage) -> Iterator[Proposal]:
    for match in _NARROW_SIGN.finditer(passage.text):
        yield [Edit(*match.span(), match.group().translate(_WIDE))], _("full-width {sign}", sign=match.group())
