"""Words that say nothing, put in or taken out."""

import re
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.linguistics.chinese import word_at
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.wording import begin_sentence, drop
from annotator.text.edits import Edit

_FULL_STOP = re.compile(r"(?P<gap> ?)[.!]")
_NEGATIVE = frozenset({"not", "n't", "never", "no"})
_FIXED = {"just": {"as", "like", "about", "because", "in", "so"}, "clearly": {"see", "hear"}, "simply": {"put"}}
_FIXED |= {
    "kind of": {"person", "people", "film", "movie", "thing", "story"},
    "sort of": {"person", "people", "film", "thing"},
}
_DETERMINERS = frozenset(
    {"a", "an", "the", "this", "that", "these", "those", "what", "some", "any", "every", "each", "no", "of"}
)
_BOUNDARY = "，。！？；：,.!?; 、～~"


@suggester("Put in a filler", kinds="dispensable", languages="en")
def insert_filler(passage: Passage) -> Iterator[Proposal]:
    firsts, lasts = passage.word_lists.list("fillers_first"), passage.word_lists.list("fillers_last")
    for start, end in passage.sentences:
        first = passage.random.choice(firsts)
        spaced = first.replace(",", " ,") if passage.is_spaced else first
        if not _asks(passage, end) and (edits := begin_sentence(passage, start, spaced + " ")):
            yield edits, _("put in “{words}”", words=first.rstrip(","))
        full_stop = _FULL_STOP.fullmatch(passage.text, end - 2, end) or _FULL_STOP.fullmatch(passage.text, end - 1, end)
        if full_stop and end - start > 2 and passage.text[full_stop.start() - 1].isalnum():
            last = passage.random.choice(lasts)
            comma = " , " if passage.is_spaced else ", "
            yield [Edit(full_stop.start(), full_stop.start(), comma + last)], _("put in “{words}”", words=last)


@suggester("Take out a filler", kinds="dispensable", languages="en")
def drop_filler(passage: Passage) -> Iterator[Proposal]:
    for start, end, phrase in passage.find((*passage.word_lists.list("fillers_inside"), "really", "very", "quite")):
        end += passage.text[end : end + 1] == ","  # noqa: PLW2901
        before, after = passage.word_before(start), passage.next_word(end)
        is_fixed = after in _FIXED.get(phrase, ()) or not after
        if is_fixed or before in _NEGATIVE or before.endswith("n't") or (" of" in phrase and before in _DETERMINERS):
            continue
        yield drop(passage, start, end), _("without “{words}”", words=phrase)


@suggester("Put in a filler", kinds="dispensable", languages="zh")
def insert_chinese_filler(passage: Passage) -> Iterator[Proposal]:
    for start, end in passage.sentences:
        filler = passage.random.choice(passage.word_lists.list("fillers_first"))
        if not _asks(passage, end):
            yield [Edit(start, start, filler + "，")], _("put in “{words}”", words=filler)


@suggester("Take out a filler", kinds="dispensable", languages="zh")
def drop_chinese_filler(passage: Passage) -> Iterator[Proposal]:
    text = passage.text
    for start, end, phrase in passage.find(passage.word_lists.list("fillers_inside")):
        if text[end : end + 1] not in {"", "的", "是"} and text[start - 1 : start] not in {"不", "是"}:
            yield [Edit(start, end + (text[end] in "，,"), "")], _("without “{words}”", words=phrase)


@suggester("Final particles", kinds="dispensable", languages="zh")
def change_particle(passage: Passage) -> Iterator[Proposal]:
    """了, 的, 啊 ... before a sign or the end: taken out, exchanged, or put in after 很 and its like with an adjective."""
    text = passage.text
    particles = passage.word_lists.list("particles")
    for start, end, particle in passage.find(particles):
        if _is_border(text, end) and start and not _is_border(text, start - 1):
            yield [Edit(start, end, "")], _("without “{words}”", words=particle)
            other = passage.random.choice(
                [candidate for candidate in particles if candidate not in {particle, "吧", "呢"}]
            )
            yield [Edit(start, end, other)], f"{particle} → {other}"
    for start, end, degree in passage.find([*passage.word_lists.list("degrees"), "挺", "还", "太"]):
        adjective = word_at(text, end, passage.word_lists.list("adjectives"))
        if adjective is None:
            continue
        final, after = ("了" if degree == "太" else "的"), end + len(adjective)
        if text.startswith(final, after) and _is_border(text, after + 1):
            yield [Edit(after, after + 1, "")], _("without {sign} after {words}", sign=final, words=text[start:after])
        elif _is_border(text, after):
            yield [Edit(after, after, final)], f"{text[start:after]}{final}"


def _is_border(text: str, index: int) -> bool:
    return index >= len(text) or text[index] in _BOUNDARY


def _asks(passage: Passage, end: int) -> bool:
    return passage.text.endswith(("?", "？", "吗", "呢"), 0, end)
