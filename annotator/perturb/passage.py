"""The text that suggestions are looked for in, the word lists that they come from, and words of a list found in a text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from random import Random

from annotator.domain.instances import Instance
from annotator.domain.suites import FORMS, WordList
from annotator.domain.texts import Span, TokenizedText
from annotator.text.characters import subtags
from annotator.text.tokenisation import tokenise

Words = Mapping[str, Sequence[str]]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_WORD_IN_CHINESE = re.compile("[A-Za-z0-9]+")
_SPACED_SIGN = re.compile(r"\w [.,!?;](?=\s|$)")
_FOLDER = Path(__file__).resolve().parent / "words"


@dataclass(frozen=True, slots=True)
class ProjectWords:
    """Word lists of the project: synonyms, related words and opposites by word; names and places to exchange."""

    synonyms: Words = field(default_factory=dict)
    related: Words = field(default_factory=dict)
    antonyms: Words = field(default_factory=dict)
    names: Sequence[str] = ()
    places: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The small lists of our own for a language, by name; of a language without any, all are empty."""

    lists: Mapping[str, tuple[str, ...]]
    maps: Mapping[str, Mapping[str, tuple[str, ...]]]

    def list(self, name: str) -> tuple[str, ...]:
        return self.lists.get(name, ())

    def map(self, name: str) -> Mapping[str, tuple[str, ...]]:
        return self.maps.get(name, {})


@cache
def own_words(code: str) -> OwnWords:
    """The lists of annotator/perturb/words/CODE.json: a list of words, or words by word."""
    path = _FOLDER / f"{code}.json"
    if not path.is_file():
        return OwnWords({}, {})
    content: dict[str, list[str] | dict[str, list[str]]] = json.loads(path.read_text(encoding="utf-8"))
    lists = {name: tuple(words) for name, words in content.items() if isinstance(words, list)}
    maps = {
        name: {word: tuple(others) for word, others in words.items()}
        for name, words in content.items()
        if isinstance(words, dict)
    }
    return OwnWords(lists, maps)


@dataclass(frozen=True, slots=True)
class Word:
    """Characters start to end of the text that make a word, and the word in lower case."""

    start: int
    end: int
    lower: str


@dataclass(frozen=True)
class Reading:
    """What is found in a text once, for all functions."""

    body: TokenizedText
    code: str

    @property
    def text(self) -> str:
        return self.body.text

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The runs of letters and digits, with an apostrophe within them; in Chinese of Latin letters and digits alone."""
        pattern = _WORD_IN_CHINESE if self.code == "zh" else _WORD
        return tuple(Word(w.start(), w.end(), w.group().lower()) for w in pattern.finditer(self.text))

    @cached_property
    def words_by_name(self) -> dict[str, list[int]]:
        """Where each word stands among the words; "Emily's" is also "Emily"."""
        numbers_by_word: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            numbers_by_word.setdefault(word.lower, []).append(number)
            if word.lower.endswith(("'s", "’s")):
                numbers_by_word.setdefault(word.lower[:-2], []).append(number)
        return numbers_by_word

    @cached_property
    def is_spaced(self) -> bool:
        """Whether blanks stand before punctuation, as in texts that were put together from tokens ("it 's fine .")."""
        return _SPACED_SIGN.search(self.text) is not None

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The characters of each sentence, without white space at its ends."""
        body = self.body
        return tuple((body.starts[first], body.ends[last - 1]) for first, last in body.sentences() if first < last)

    @cached_property
    def sentence_beginnings(self) -> frozenset[int]:
        return frozenset(start for start, _ in self.sentences)


@dataclass(frozen=True)
class Passage:
    """One segment's text, as a function that looks for suggestions gets it.

    random: drawn from the seed and the function's name, so that no function changes what another one draws
    """

    reading: Reading
    project_words: ProjectWords
    random: Random

    @property
    def text(self) -> str:
        return self.reading.body.text

    @property
    def body(self) -> TokenizedText:
        return self.reading.body

    @property
    def code(self) -> str:
        """The language: "en", "zh", or another one's own code."""
        return self.reading.code

    @property
    def word_lists(self) -> OwnWords:
        return own_words(self.code)

    @property
    def words(self) -> tuple[Word, ...]:
        return self.reading.words

    @property
    def is_spaced(self) -> bool:
        """Whether blanks stand before punctuation ("it 's fine .")."""
        return self.reading.is_spaced

    @property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The characters of each sentence, without white space at its ends."""
        return self.reading.sentences

    @property
    def sentence_beginnings(self) -> frozenset[int]:
        return self.reading.sentence_beginnings

    def find(self, phrases: Iterable[str], *, with_case: bool = False) -> Iterator[tuple[int, int, str]]:
        """Where phrases stand, as (start, end, phrase): in order, a longer phrase before one within it.

        In Chinese anywhere; elsewhere whole words alone, in any case unless `with_case` is set.
        """
        occurrences = (
            self._in_characters(phrases) if self.code == "zh" else self._in_words(phrases, with_case=with_case)
        )
        end = 0
        for start, stop, phrase in sorted(occurrences, key=lambda occurrence: (occurrence[0], -occurrence[1])):
            if start >= end:
                yield start, stop, phrase
                end = stop

    def _in_characters(self, phrases: Iterable[str]) -> Iterator[tuple[int, int, str]]:
        for phrase in phrases:
            start = self.text.find(phrase) if phrase else -1
            while start >= 0:
                yield start, start + len(phrase), phrase
                start = self.text.find(phrase, start + 1)

    def _in_words(self, phrases: Iterable[str], *, with_case: bool) -> Iterator[tuple[int, int, str]]:
        for phrase in phrases:
            first = _WORD.match(phrase)
            for number in self.reading.words_by_name.get(first.group().lower(), ()) if first else ():
                start = self.words[number].start
                end = start + len(phrase)
                stands = self.text[start:end]
                if (stands == phrase or (not with_case and stands.lower() == phrase.lower())) and self._ends_word(end):
                    yield start, end, phrase

    def _ends_word(self, index: int) -> bool:
        return not self.text[index : index + 1].isalnum()

    def next_word(self, index: int) -> str:
        """The word that begins at a place of the text or after one blank there, in lower case; "" when there is none."""
        match = _WORD.match(self.text, index + (self.text[index : index + 1] == " "))
        return match.group().lower() if match else ""

    def word_before(self, index: int) -> str:
        """The word that ends before a place of the text, one blank between them, in lower case; "" when there is none."""
        if self.text[index - 1 : index] != " ":
            return ""
        start = index - 1
        while start and (self.text[start - 1].isalnum() or self.text[start - 1] in "'’"):
            start -= 1
        return self.text[start : index - 1].lower()


# Words of a list found in a text: what a keep list proposes as a rationale, and what an ignore list tells to be none.


_ANY_LANGUAGE = "xx"


@dataclass(frozen=True, slots=True)
class Hit:
    """Tokens start_token to end_token (exclusive) of a text, which are a word of a list."""

    start_token: int
    end_token: int
    word: str
    list_name: str


class Lexicon:
    """The words of a list, cut as texts of its language are, so that each is found by looking up tokens alone."""

    def __init__(self, words: WordList) -> None:
        self.name = words.name
        self._phrases: dict[tuple[str, ...], str] = {}
        for word in words.words:
            for form in word.split(FORMS):
                tokens = tuple(token.casefold() for token in tokenise(form, words.language).tokens())
                if tokens:
                    self._phrases.setdefault(tokens, form)
        self._lengths: dict[str, list[int]] = {}  # by a phrase's first token, the longest first
        for tokens in sorted(self._phrases, key=len, reverse=True):
            lengths = self._lengths.setdefault(tokens[0], [])
            if len(tokens) not in lengths:
                lengths.append(len(tokens))

    def hits(self, body: TokenizedText) -> list[Hit]:
        """Where words of the list stand in a text, in any case, as whole tokens; the longest first, none twice."""
        tokens = [token.casefold() for token in body.tokens()]
        hits: list[Hit] = []
        index = 0
        while index < len(tokens):
            hit = self._hit(tokens, index)
            if hit is None:
                index += 1
                continue
            hits.append(hit)
            index = hit.end_token
        return hits

    def _hit(self, tokens: Sequence[str], index: int) -> Hit | None:
        for length in self._lengths.get(tokens[index], ()):
            phrase = tuple(tokens[index : index + length])
            if phrase in self._phrases:
                return Hit(index, index + length, self._phrases[phrase], self.name)
        return None


# A list of 100,000 words takes seconds to be cut into tokens.
_lexicon = lru_cache(maxsize=32)(Lexicon)


def is_for(words: WordList, instance: Instance) -> bool:
    """Whether a list's words are looked for in a text: it is in the list's language, or the list is for any."""
    return subtags(words.language)[0] in {_ANY_LANGUAGE, subtags(instance.language)[0]}


def spans_of_list(words: WordList, instance: Instance) -> list[Span]:
    """Where selectable segments hold words of the list, in the instance's numbers."""
    segments, lexicon = instance.layout.segments, _lexicon(words)
    return [
        Span(of_layout.first_token + hit.start_token, of_layout.first_token + hit.end_token)
        for of_layout, segment in zip(segments, instance.segments, strict=True)
        if segment.is_selectable
        for hit in lexicon.hits(segment.body)
    ]
