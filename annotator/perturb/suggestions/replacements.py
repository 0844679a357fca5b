"""Words in the place of words: synonyms and opposites, names and places, numbers."""

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from annotator.domain.numbers import by_key
from annotator.language import _
from annotator.perturb.language_rules import AMOUNT, draw_amount, is_readable_amount, may_end_word
from annotator.perturb.passage import Passage, Words
from annotator.perturb.suggested_texts import Proposal, suggester
from annotator.perturb.suggestions.insertions import is_guarded
from annotator.perturb.wording import everywhere, like, replace
from annotator.text.edits import Edit

_MOST_LOOKED_UP = 40
_OTHERS_EACH = 2
_LOCK = threading.Lock()  # NLTK's corpora must not be loaded by two threads at once


@suggester("Synonym", kinds="important vocabulary")
def use_synonym(passage: Passage) -> Iterator[Proposal]:
    yield from _from_list(passage, passage.project_words.synonyms, _("synonym from your list"))
    yield from _from_list(passage, passage.word_lists.map("synonyms"), _("synonym"))


@suggester("Related word", kinds="important vocabulary contrast", turns=1)
def use_related_word(passage: Passage) -> Iterator[Proposal]:
    yield from _from_list(passage, passage.project_words.related, _("related word from your list"))


@suggester("Opposite", kinds="contrast logic", turns=2)
def use_antonym(passage: Passage) -> Iterator[Proposal]:
    yield from _from_list(passage, passage.project_words.antonyms, _("antonym from your list"))
    yield from _from_list(passage, passage.word_lists.map("antonyms"), _("antonym"))


@suggester("Synonym from WordNet", kinds="important vocabulary", languages="en")
def use_wordnet(passage: Passage) -> Iterator[Proposal]:
    """Only words in their plain form: another form of a synonym would need grammar. Nothing without the corpus."""
    if _wordnet() is None:
        return
    known = set(passage.word_lists.map("synonyms")) | set(passage.project_words.synonyms)
    words = sorted({word.lower for word in passage.words if len(word.lower) > 3 and word.lower.isalpha()} - known)
    chosen = passage.random.sample(words, min(_MOST_LOOKED_UP, len(words)))
    yield from _from_list(passage, {word: wordnet_synonyms(word) for word in sorted(chosen)}, "WordNet")


def _from_list(passage: Passage, words: Words, source: str) -> Iterator[Proposal]:
    for start, end, word in passage.find(words):
        if passage.code == "zh" and not _stands_alone(passage, start, end):
            continue
        for other in _others(words[word], passage.text[start:end]):
            edits = [Edit(start, end, other)] if passage.code == "zh" else replace(passage, start, end, other)
            yield edits, _("{word} → {other} ({source})", word=word, other=other, source=source)


def _others(words: Sequence[str], stands: str) -> Iterable[str]:
    return [word for word in dict.fromkeys(words) if word.strip() and word.casefold() != stands.casefold()][
        :_OTHERS_EACH
    ]


def _stands_alone(passage: Passage, start: int, end: int) -> bool:
    """A Chinese word of one character only after a word of degree and before a border, else it may be part of another."""
    if end - start > 1:
        return passage.text[start - 1 : start] != "不"
    return is_guarded(passage, start) and may_end_word(passage.text, end)


@cache
def _wordnet() -> Any:
    """NLTK's WordNet, None where NLTK or the corpus is not installed."""
    if not _has_corpus():
        return None
    with _LOCK:
        try:
            from nltk.corpus import wordnet  # noqa: PLC0415

            wordnet.ensure_loaded()
        except (ImportError, LookupError):
            return None
        return wordnet


def _has_corpus() -> bool:
    """Whether the corpus lies in one of the folders where NLTK looks. Importing NLTK to ask it would take a second or two."""
    given = [Path(folder) for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    shares = [Path(sys.prefix, part, "nltk_data") for part in ("", "share", "lib")]
    system = [Path(root, "nltk_data") for root in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")]
    folders = [*given, Path.home() / "nltk_data", *shares, *system]
    return any((folder / "corpora" / name).exists() for folder in folders for name in ("wordnet", "wordnet.zip"))


@lru_cache(maxsize=20_000)
def wordnet_synonyms(word: str) -> tuple[str, ...]:
    """Other single words of the two most frequent senses of a word in its plain form; () without WordNet."""
    wordnet = _wordnet()
    if wordnet is None:
        return ()
    senses = [sense for sense in wordnet.synsets(word) if word in sense.lemma_names()][:2]
    names = [name for sense in senses for name in sense.lemma_names() if name.isalpha() and name.lower() != word]
    return tuple(dict.fromkeys(names))


# Names and places that other names and places stand in for, everywhere in the text.


_JOINING = frozenset({"", "and", "or", "&", "和", "与", "跟", "或"})


@suggester("Another name", kinds="entity")
def change_name(passage: Passage) -> Iterator[Proposal]:
    """A first name by one of the same list (so that he stays he), a last name by a last name; both lists have other names.

    A first name in a place of its own, a name of a city that is also in a list, is found by its case alone: look.
    """
    for names in _names(passage):
        yield from _exchanged(passage, names)


@suggester("Another place", kinds="entity contrast", turns=1)
def change_place(passage: Passage) -> Iterator[Proposal]:
    for places in _places(passage):
        yield from _exchanged(passage, places)


@suggester("Another nationality", kinds="entity contrast", languages="en", turns=1)
def change_nationality(passage: Passage) -> Iterator[Proposal]:
    """French → Italian, with the article that belongs to it. Not beside another one (French Canadian), nor in plural."""
    nationalities = passage.word_lists.list("nationalities")
    known = {nationality.lower() for nationality in nationalities}
    for start, end, word in passage.find(nationalities, with_case=True):
        if passage.next_word(end) in known or passage.word_before(start) in known or passage.text[end : end + 1] == "-":
            continue
        others = [nationality for nationality in nationalities if nationality not in passage.text]
        for other in passage.random.sample(others, min(_OTHERS_EACH, len(others))):
            yield replace(passage, start, end, other), f"{word} → {other}"


@suggester("Two change places", kinds="contrast logic", turns=1)
def exchange_two(passage: Passage) -> Iterator[Proposal]:
    """Two names, or two places, of one sentence in each other's place, so that who does what is turned round.

    Not where nothing but "and", "or" or a comma stands between them: that would say the same.
    """
    given, female, male, *others = _names(passage)
    for names in (given, (*female, *male), *others, *_places(passage)):
        mentions = [
            (start, end, name)
            for start, end, name in passage.find(names, with_case=True)
            if not _is_part_of_a_longer_name(passage, start, end)
        ]
        for (start, end, name), (other_start, other_end, other) in pairwise(mentions):
            between = passage.text[end:other_start].strip(" ,、，").lower()
            is_one_sentence = any(first <= start and other_end <= last for first, last in passage.sentences)
            if name != other and is_one_sentence and between not in _JOINING:
                yield [Edit(start, end, other), Edit(other_start, other_end, name)], f"{name} ↔ {other}"


def _names(passage: Passage) -> tuple[Sequence[str], ...]:
    lists = (passage.word_lists.list(name) for name in ("names_female", "names_male", "names_last", "names"))
    return (passage.project_words.names, *lists)


def _places(passage: Passage) -> tuple[Sequence[str], ...]:
    return (passage.project_words.places, passage.word_lists.list("cities"), passage.word_lists.list("countries"))


def _exchanged(passage: Passage, names: Sequence[str]) -> Iterator[Proposal]:
    """Each name that occurs by others of its list that do not, in every place where it stands by itself."""
    spans_by_name = by_key(
        (name, (start, end))
        for start, end, name in passage.find(names, with_case=True)
        if not _is_part_of_a_longer_name(passage, start, end)
    )
    others = [name for name in names if name not in passage.text]
    for name, spans in spans_by_name.items():
        for other in passage.random.sample(others, min(_OTHERS_EACH, len(others))):
            yield everywhere(spans, name, other)


def _is_part_of_a_longer_name(passage: Passage, start: int, end: int) -> bool:
    """Whether it is joined to more: "St. John's", "New York Times", "Paris-Roubaix"; or to a title of a work in quotes."""
    text = passage.text
    if passage.code == "zh":
        return text[end : end + 1] in {"人", "菜", "路", "话"} or text[start - 1 : start] == "·"
    if text[end : end + 1] in {"-", "@", "_"} or text[max(0, start - 1) : start] in {"-", "@", "_"}:
        return True
    if text[max(0, start - 4) : start] == "St. ":
        return True
    is_place = text[start:end] in {*passage.word_lists.list("cities"), *passage.word_lists.list("countries")}
    return is_place and text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()


# Other numbers of about the same size, everywhere in the text.


_CHINESE_DIGITS = "两三四五六七八九"


@suggester("Another number", kinds="entity contrast", turns=1)
def change_number(passage: Passage) -> Iterator[Proposal]:
    spans_by_number = by_key(
        (amount.group(), amount.span()) for amount in AMOUNT.finditer(passage.text) if is_readable_amount(amount)
    )
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
