"""Intensifiers and reducers: put in, taken out, exchanged."""

from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.wording import drop, insert, replace
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
