"""What the built-in model sees of a token: its word, and the parts of it.

A word between < and > and its runs of two to five characters, as in Bojanowski et al. 2017 ("Enriching word vectors with subword
information"), so that a word that was never seen shares parts with some that were. No part reaches beyond its token: whatever
is learned of it is a token's own.
"""

from collections.abc import Sequence

import regex

_SHORTEST, _LONGEST = 2, 5
_MOST_CHARACTERS = 100  # of a token; behind them stand parts of addresses and of binary data, in thousands
_AROUND = regex.compile(r"^[\p{P}\p{S}]+|[\p{P}\p{S}]+$")


def features_of(segment: str, token: str, repeating: Sequence[str]) -> list[str]:
    """The features of a token by their names, each as often as it has it; those of document2 and document are the same.

    Punctuation around a word is left out, unless the token is nothing else. Single characters are parts in scripts without upper
    and lower case, where one is often a word (Chinese).
    >>> features_of("document2", "Go!", ["document"])
    ['document=<go>', 'document=<g', 'document=go', 'document=o>', 'document=<go', 'document=go>']
    >>> features_of("text", "好吃", ())
    ['text=<好吃>', 'text=好', 'text=吃', 'text=<好', 'text=好吃', 'text=吃>', 'text=<好吃', 'text=好吃>']
    >>> features_of("text", "", ())
    []
    """
    if not token:
        return []
    base = segment.rstrip("0123456789")
    side = base if base in repeating else segment
    lowered = token[:_MOST_CHARACTERS].lower()
    word = _AROUND.sub("", lowered) or lowered
    marked = f"<{word}>"
    singles = [character for character in word if character.isalpha() and character.lower() == character.upper()]
    runs = [
        marked[start : start + n]
        for n in range(_SHORTEST, min(_LONGEST, len(marked) - 1) + 1)
        for start in range(len(marked) - n + 1)
    ]
    return [f"{side}={part}" for part in (marked, *singles, *runs)]
