"""Words in the place of words: from the project's lists, from our small ones, and from WordNet if its corpus is there."""

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from annotator.language import _
from annotator.perturb.linguistics.chinese import may_end_word
from annotator.perturb.passage import Passage, Words
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.suggestions.degrees import is_guarded
from annotator.perturb.wording import replace
from annotator.text.edits import Edit

_MOST_LOOKED_UP = 40
_OTHERS_EACH = 2
_LOCK = threading.Lock()  # NLTK's corpora must not be loaded by two threads at once


@suggester("Synonym", kinds="important vocabulary")
def use_synonym(passage: Passage) -> Iterator[Proposal]:
    yield from _from_list(passage, passage.project_words.synonyms, _("a synonym of your list"))
    yield from _from_list(passage, passage.word_lists.map("synonyms"), _("synonym"))


@suggester("Related word", kinds="important vocabulary contrast", turns=1)
def use_related_word(passage: Passage) -> Iterator[Proposal]:
    yield from _from_list(passage, passage.project_words.related, _("a related word of your list"))


@suggester("Opposite", kinds="contrast logic important", turns=2)
def use_antonym(passage: Passage) -> Iterator[Proposal]:
    yield from _from_list(passage, passage.project_words.antonyms, _("an opposite of your list"))
    yield from _from_list(passage, passage.word_lists.map("antonyms"), _("opposite"))


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
