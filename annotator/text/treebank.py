"""The words of the Penn Treebank, as NLTK cuts them."""

from functools import cache
from typing import Any

from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.alignment import align_tokens


def treebank_words(sentence: str) -> TokenizedText:
    """One sentence with its Treebank words.

    `_MATH_`, `_MATHDISP_`, `_REF_` and `_CITE_` are never split, and a neighbour that is glued to one stays so.
    NLTK's `word_tokenize` would first cut the text into sentences (which needs data to be downloaded); here the text is
    one sentence. So a full stop within it stays on its word ("Fig." and not "Fig", ".").

    Source:  nltk.tokenize.NLTKWordTokenizer
    Raises:  InvalidValue for a text that NLTK cannot cut in reasonable time, and for a lone surrogate
    >>> treebank_words("It's the _MATH_-th model (see Fig. 3).").tokens()
    ['It', "'s", 'the', '_MATH_-th', 'model', '(', 'see', 'Fig.', '3', ')', '.']
    """
    try:
        words = [sentence[start:end] for start, end in _tokeniser().span_tokenize(sentence)]
    except (ValueError, TimeoutError) as error:
        raise InvalidValue(_("NLTK cannot cut the sentence into words: {error}", error=error)) from error
    return align_tokens(sentence, words, (0,) if words else ())


@cache
def _tokeniser() -> Any:
    from nltk.tokenize import NLTKWordTokenizer  # noqa: PLC0415

    return NLTKWordTokenizer()
