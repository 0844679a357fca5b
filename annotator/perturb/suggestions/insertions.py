"""Words put in or taken out that change how strongly a text says something, or nothing at all."""

import re
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.language_rules import CHINESE_FULL_STOP, FULL_STOP, SENTENCE_SIGNS, word_at
from annotator.perturb.passage import Passage
from annotator.perturb.suggested_texts import Proposal, suggester
from annotator.perturb.wording import begin_sentence, drop, insert, replace
from annotator.text.edits import Edit

_TAKES_NO_DEGREE = frozenset(
    {"not", "no", "too", "as", "more", "less", "most", "least", "how", "that", "this", "enough", "n't"}
)
_BEFORE_ADJECTIVE = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "a",
        "an",
        "the",
        "and",
        "but",
        "or",
        "feels",
        "felt",
        "looks",
    }
    | {
        "looked",
        "seems",
        "seemed",
        "sounds",
        "sounded",
        "of",
        "with",
        "its",
        "their",
        "his",
        "her",
        "it's",
        "he's",
        "she's",
    }
)


@suggester("Intensify", kinds="vocabulary contrast", languages="en")
def intensify(passage: Passage) -> Iterator[Proposal]:
    yield from _before_adjectives(passage, passage.word_lists.list("intensifiers_to_insert"))


@suggester("Reduce", kinds="vocabulary contrast", languages="en")
def reduce(passage: Passage) -> Iterator[Proposal]:
    yield from _before_adjectives(passage, passage.word_lists.list("reducers_to_insert"))


def _before_adjectives(passage: Passage, adverbs: tuple[str, ...]) -> Iterator[Proposal]:
    for start, _end, adjective in passage.find(passage.word_lists.list("adjectives")):
        before = passage.word_before(start)
        if before in _BEFORE_ADJECTIVE:
            adverb = passage.random.choice(adverbs)
            yield insert(passage, start, adverb), f"{adverb} {adjective}"


@suggester("Another degree", kinds="vocabulary dispensable contrast", languages="en")
def change_degree(passage: Passage) -> Iterator[Proposal]:
    """An intensifier before an adjective becomes another one, a reducer, or goes."""
    lists = passage.word_lists
    strong, weak, adjectives = lists.list("intensifiers"), lists.list("reducers"), frozenset(lists.list("adjectives"))
    for start, end, adverb in passage.find((*strong, *weak)):
        if passage.next_word(end) not in adjectives or passage.word_before(start) in _TAKES_NO_DEGREE:
            continue
        for others in (lists.list("intensifiers_to_insert"), lists.list("reducers_to_insert")):
            other = passage.random.choice([candidate for candidate in others if candidate != adverb])
            yield replace(passage, start, end, other), f"{adverb} → {other}"
        yield drop(passage, start, end), _("without “{words}”", words=adverb)


@suggester("Put in a degree word", kinds="dispensable vocabulary", languages="zh")
def insert_chinese_degree(passage: Passage) -> Iterator[Proposal]:
    for start, _end, adjective in passage.find(passage.word_lists.list("adjectives")):
        if len(adjective) > 1 and not is_guarded(passage, start):
            degree = passage.random.choice(passage.word_lists.list("degrees_to_insert"))
            yield [Edit(start, start, degree)], f"{degree}{adjective}"


@suggester("Another degree, or none", kinds="dispensable vocabulary contrast", languages="zh")
def change_chinese_degree(passage: Passage) -> Iterator[Proposal]:
    lists = passage.word_lists
    degrees, reducers = lists.list("degrees"), lists.list("reducers")
    for start, end, word in passage.find((*degrees, *reducers)):
        if passage.text[start - 1 : start] == "不" or not passage.text.startswith(lists.list("adjectives"), end):
            continue
        others = [candidate for candidate in lists.list("degrees_to_insert") if candidate != word]
        other = passage.random.choice(others)
        yield [Edit(start, end, other)], f"{word} → {other}"
        if word != "比较":
            yield [Edit(start, end, "比较")], f"{word} → 比较"
        yield [Edit(start, end, "")], _("without “{words}”", words=word)


def is_guarded(passage: Passage, start: int) -> bool:
    """Whether a degree word or a negation stands before a Chinese word, or it may be the rest of a longer word."""
    lists = passage.word_lists
    return passage.text.endswith((*lists.list("degrees"), *lists.list("reducers"), *lists.list("guards")), 0, start)


# Words that say nothing, put in or taken out.


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
            yield edits, _("insert “{words}”", words=first.rstrip(","))
        full_stop = _FULL_STOP.fullmatch(passage.text, end - 2, end) or _FULL_STOP.fullmatch(passage.text, end - 1, end)
        if full_stop and end - start > 2 and passage.text[full_stop.start() - 1].isalnum():
            last = passage.random.choice(lasts)
            comma = " , " if passage.is_spaced else ", "
            yield [Edit(full_stop.start(), full_stop.start(), comma + last)], _("insert “{words}”", words=last)


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
            yield [Edit(start, start, filler + "，")], _("insert “{words}”", words=filler)


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


# A sentence of praise or blame at the end.


_ENDS = SENTENCE_SIGNS + "～~"
_CLOSING = "\"'”’)]）"


@suggester("Add praise", kinds="vocabulary contrast", languages="en zh", turns=1, judges=True)
def add_praise(passage: Passage) -> Iterator[Proposal]:
    yield from _at_the_end(passage, passage.word_lists.list("phrases_positive"))


@suggester("Add blame", kinds="vocabulary contrast", languages="en zh", turns=1, judges=True)
def add_blame(passage: Passage) -> Iterator[Proposal]:
    yield from _at_the_end(passage, passage.word_lists.list("phrases_negative"))


def _at_the_end(passage: Passage, phrases: tuple[str, ...]) -> Iterator[Proposal]:
    if not passage.body.n_tokens:
        return
    end = passage.body.ends[-1]
    has_ended = passage.text[:end].rstrip(_CLOSING)[-1:] in _ENDS
    gap = ("" if has_ended else CHINESE_FULL_STOP) if passage.code == "zh" else (" " if has_ended else f"{FULL_STOP} ")
    for phrase in phrases:
        words = phrase if passage.code == "zh" or not passage.is_spaced else f"{phrase[:-1]} {phrase[-1]}"
        yield [Edit(end, end, gap + words)], _("add “{words}”", words=phrase)
