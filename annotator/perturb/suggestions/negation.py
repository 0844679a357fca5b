"""Negation put in and taken out, in English and Chinese, where the verb alone tells how."""

import re
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.language_rules import (
    AFTER_HAS,
    BE_AND_MODALS,
    IN_FULL_BEFORE_NOT,
    PRONOUNS,
    may_end_word,
    word_at,
)
from annotator.perturb.passage import Passage
from annotator.perturb.suggested_texts import Proposal, suggester
from annotator.perturb.wording import drop, like
from annotator.text.edits import Edit

_BE_AND_MODALS = "|".join(BE_AND_MODALS)
_POSITIVE = re.compile(rf"(?<![\w'’])(?:{_BE_AND_MODALS})(?= [A-Za-z])", re.IGNORECASE)
_SHORT_BE = re.compile(
    r"(?<![\w'’])(?:it|that|he|she|there)\s?['’]s(?= [A-Za-z])|\w\s?['’](?:re|m)(?= [A-Za-z])", re.IGNORECASE
)
_NEGATIVE = re.compile(
    rf"(?<![\w'’])(?P<verb>ca|wo|{_BE_AND_MODALS})\s?n['’]t(?!\w)"
    rf"|(?<![\w'’])(?P<full>{_BE_AND_MODALS}|cannot)(?P<apart> not)?(?!\w)",
    re.IGNORECASE,
)
_DO = re.compile(r"(?<![\w'’])(?P<do>do|does|did)(?: not|\s?n['’]t) (?P<verb>[a-z]+)(?!\w)", re.IGNORECASE)
_WITH = {"with": "without", "without": "with"}
_NO_NEGATION_BEFORE = frozenset(
    {
        "not",
        "never",
        "no",
        "only",
        "nothing",
        "nobody",
        "none",
        "neither",
        "nor",
        "hardly",
        "rarely",
        "barely",
        "n",
        "n't",
    }
)
_WHOLE_PHRASES = frozenset({"only", "to", "at", "necessarily", "so", "even", "until", "just", "least", "surprisingly"})
_IN_FULL = {**IN_FULL_BEFORE_NOT, "cannot": "can"}


@suggester("Negate", kinds="logic contrast", languages="en", turns=2)
def negate(passage: Passage) -> Iterator[Proposal]:
    """Put not after a form of be or a modal, do not before a common verb. Not in questions, nor where a negation follows."""
    for pattern in (_POSITIVE, _SHORT_BE):
        for match in pattern.finditer(passage.text):
            following = passage.next_word(match.end())
            is_question = pattern is _POSITIVE and _asks(passage, match.start(), following)
            if not is_question and following not in _NO_NEGATION_BEFORE | AFTER_HAS:
                yield [Edit(match.end(), match.end(), " not")], f"{match.group()} not {following}"
    verbs = passage.word_lists.list("verbs")
    for start, _end, verb in passage.find(verbs):
        if passage.word_before(start) in {"i", "we", "you", "they"}:
            yield [Edit(start, start, "do not ")], f"do not {verb}"
    for start, end, form in passage.find([third_person(verb) for verb in verbs]):
        verb = next(candidate for candidate in verbs if third_person(candidate) == form)
        if passage.word_before(start) in {"he", "she", "it", "film", "movie", "story", "who"}:
            yield [Edit(start, end, f"does not {verb}")], f"{form} → does not {verb}"


def _asks(passage: Passage, start: int, following: str) -> bool:
    """Whether a verb begins its sentence or stands before its subject: a question."""
    return start in passage.sentence_beginnings or following in PRONOUNS - {"this", "that", "these", "those"}


@suggester("Take a negation out", kinds="logic contrast", languages="en", turns=2)
def affirm(passage: Passage) -> Iterator[Proposal]:
    text = passage.text
    for match in _NEGATIVE.finditer(text):
        word = (match["verb"] or match["full"]).lower()
        following = passage.next_word(match.end())
        is_negated = match["verb"] or match["apart"] or word == "cannot"
        if is_negated and following and following not in _WHOLE_PHRASES | PRONOUNS:
            new = like(match.group(), _IN_FULL.get(word, word))
            yield [Edit(*match.span(), new)], f"{match.group()} → {new}"
    yield from _affirmed_verbs(passage)
    for start, end, _word in passage.find(["never"]):
        if passage.next_word(end) not in {"", "mind"} and passage.word_before(start) not in {
            "",
            "almost",
            "has",
            "have",
            "had",
        }:
            yield drop(passage, start, end), _("without “{words}”", words="never")


def _affirmed_verbs(passage: Passage) -> Iterator[Proposal]:
    """Do and does before a common verb: the verb alone, in its person. Did stays, for the past would need a dictionary."""
    verbs = frozenset(passage.word_lists.list("verbs"))
    for match in _DO.finditer(passage.text):
        do, verb = match["do"].lower(), match["verb"].lower()
        is_command = do == "do" and match.start() in passage.sentence_beginnings
        if do == "did":
            yield [Edit(match.start(), match.start("verb") - 1, match["do"])], f"{match.group()} → {do} {verb}"
        elif verb in verbs or (is_command and verb not in PRONOUNS):
            new = like(match["do"], third_person(verb) if do == "does" else verb)
            yield [Edit(*match.span(), new)], f"{match.group()} → {new}"


@suggester("With and without", kinds="logic contrast", languages="en", turns=1)
def exchange_with(passage: Passage) -> Iterator[Proposal]:
    for start, end, word in passage.find(_WITH):
        following = passage.next_word(end)
        if following and following not in {"any", "regard", "respect", "it", "which", "whom", "doubt", "question"}:
            new = like(passage.text[start:end], _WITH[word])
            yield [Edit(start, end, new)], f"{word} → {_WITH[word]}"


def third_person(verb: str) -> str:
    """The form with he, she and it of a regular verb.

    >>> third_person("like"), third_person("watch"), third_person("try"), third_person("play")
    ('likes', 'watches', 'tries', 'plays')
    """
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


# Chinese negation with 不 and 没, put in and taken out.


_PLAIN_BEFORE_NEGATION = (
    "并", "毫", "绝", "从来", "一点也", "一点都", "一点儿也", "再也", "得", "差", "要", "是", "好", "能",
)  # fmt: skip
_HAVE_COMPOUNDS = (
    "没有", "所有", "具有", "只有", "还有", "拥有", "如有", "含有", "享有", "占有", "稀有", "特有", "固有", "富有",
)  # fmt: skip
_AFTER_HAVE = ("点", "些", "的", "时", "人", "没", "趣", "名", "限", "效", "关", "意思", "可能", "必要", "助于", "利于")


@suggester("Negate", kinds="logic contrast", languages="zh", turns=2)
def negate_chinese(passage: Passage) -> Iterator[Proposal]:
    lists, text = passage.word_lists, passage.text
    negatable = (*lists.list("adjectives"), *lists.list("verbs"))
    for start, end, degree in passage.find(lists.list("degrees")):
        word = word_at(text, end, negatable)
        if word is not None and text[end + len(word) : end + len(word) + 1] != word[:1]:
            yield [Edit(start, end, "不")], f"{degree}{word} → 不{word}"
            yield [Edit(start, start, "不是")], f"不是{degree}{word}"
    for start, end, word in passage.find(lists.list("verbs")):
        if (
            not text.endswith(("不", "没", "别", *lists.list("degrees"), *lists.list("reducers")), 0, start)
            and text[end : end + 1] != "不"
        ):
            yield [Edit(start, start, "不")], f"不{word}"
    for start, end, _word in passage.find(["有"]):
        is_word = text[start - 1 : end] in _HAVE_COMPOUNDS if start else False
        if not is_word and not text.startswith(_AFTER_HAVE, end) and end < len(text):
            yield [Edit(start, start, "没")], "有 → 没有"


@suggester("Take a negation out", kinds="logic contrast", languages="zh", turns=2)
def affirm_chinese(passage: Passage) -> Iterator[Proposal]:
    """不 before an adjective or verb of our lists, and 没有. Not in 好不好, 并不好, 一点也不好, where more would have to go."""
    lists, text = passage.word_lists, passage.text
    words = sorted({*lists.list("adjectives"), *lists.list("verbs")}, key=len, reverse=True)
    for start, end, _word in passage.find(["不"]):
        word = word_at(text, end, words)
        if word is None or text.endswith((*_PLAIN_BEFORE_NEGATION, word[0]), 0, start):
            continue
        if len(word) > 1 or may_end_word(text, end + len(word)):
            yield [Edit(start, end, "")], f"不{word} → {word}"
    for start, end, _word in passage.find(["没有"]):
        if (
            not text.endswith((*_PLAIN_BEFORE_NEGATION, "有", "还"), 0, start)
            and not text.startswith(("人", "了", "，", "。"), end)
            and end < len(text)
        ):
            yield [Edit(start, start + 1, "")], "没有 → 有"
