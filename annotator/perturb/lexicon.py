"""Words of a list found in a text: what a keep list proposes as a rationale, and what an ignore list tells to be none.

They are suggestions: nothing here marks anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotator.domain.instances import Instance
from annotator.domain.suites import FORMS, WordList
from annotator.domain.texts import Span, TokenizedText
from annotator.text.characters import subtags
from annotator.text.tokenisation import tokenise

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
