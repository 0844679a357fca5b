"""A source's own tokens in its text: their offsets are found, never guessed; how the Penn Treebank writes words."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.characters import beginning, check_characters, is_spaceless
from annotator.text.tokenisation import sentence_starts as find_sentence_starts

_BLANKS = re.compile(r"\s*")
_WORD = re.compile(r"\S+")
_SUBWORD = re.compile("[^ ]+")
_LINE_END = re.compile("\r\n|\r|\n")
_NEWLINE = re.compile("\n")


class TokenMismatch(InvalidValue):
    """A source's tokens are not those of its text; `token_index` is the first not found, or their number."""

    def __init__(self, message: str, *, token_index: int, start_char: int) -> None:
        super().__init__(message)
        self.token_index = token_index
        self.start_char = start_char


def align_tokens(text: str, tokens: Sequence[str], sentence_starts: Sequence[int] | None = None) -> TokenizedText:
    """The text with a source's own tokens, each found where the one before ended; white space between them is skipped.

    Blank tokens are found in that white space; an empty token stands where the one before ended. Without
    `sentence_starts`, sentences are found in the text.

    Raises:  TokenMismatch if a token is not the next thing in the text, or text other than white space is left over;
             InvalidValue if `sentence_starts` do not fit the tokens, or for a lone surrogate
    >>> body = align_tokens("don't  go", ["do", "n't", " ", "go"])
    >>> body.starts, body.ends
    ((0, 2, 5, 7), (2, 5, 6, 9))
    """
    check_characters(text)
    starts: list[int] = []
    ends: list[int] = []
    end = 0
    for number, token in enumerate(tokens):
        start = _place_of(token, text, end)
        if start is None:
            raise _mismatch(text, number, token, end)
        end = start + len(token)
        starts.append(start)
        ends.append(end)
    rest = _after_blanks(text, end)
    if rest < len(text):
        raise TokenMismatch(
            _(
                "The {tokens} end at character {end}, before {shown} at {rest}.",
                tokens=counted(len(tokens), "token"),
                end=end,
                shown=beginning(text, rest),
                rest=rest,
            ),
            token_index=len(tokens),
            start_char=rest,
        )
    if sentence_starts is None:
        sentence_starts = find_sentence_starts(text, starts, ends)
    body = TokenizedText(text, tuple(starts), tuple(ends), tuple(sentence_starts))
    body.check()
    return body


def _place_of(token: str, text: str, begin: int) -> int | None:
    """Where a token starts, with nothing but white space skipped from `begin`."""
    if text.startswith(token, begin):
        return begin
    visible = _after_blanks(text, begin)
    n_leading = len(token) - len(token.lstrip())
    if n_leading == len(token):
        start_char = text.find(token, begin, visible)
        return start_char if start_char >= 0 else None
    start = visible - n_leading
    return start if start >= begin and text.startswith(token, start) else None


def _after_blanks(text: str, begin: int) -> int:
    match = _BLANKS.match(text, begin)
    return match.end() if match else begin


def _mismatch(text: str, number: int, token: str, end: int) -> TokenMismatch:
    start_char = _after_blanks(text, end) if token.strip() else end
    shown_token = repr(token if len(token) <= 40 else token[:40] + "…")
    stands = (
        _("where {words} is", words=beginning(text, start_char)) if start_char < len(text) else _("where the text ends")
    )
    return TokenMismatch(
        _(
            "Token {number} {token} isn't in the text at character {character}, {stands}.",
            number=number,
            token=shown_token,
            character=start_char,
            stands=stands,
        ),
        token_index=number,
        start_char=start_char,
    )


def text_from_tokens(tokens: Iterable[str], language: str) -> str:
    """A text for tokens that come without one: joined by blanks, or by nothing where the language is written without.

    >>> text_from_tokens(["I", "agree", "."], "en"), text_from_tokens(["好", "吃"], "zh")
    ('I agree .', '好吃')
    """
    return ("" if is_spaceless(language) else " ").join(tokens)


def split_on_spaces(text: str) -> TokenizedText:
    """The text with the tokens of `text.split()`: everything between white space."""
    check_characters(text)
    ranges = [match.span() for match in _WORD.finditer(text)]
    starts, ends = tuple(start for start, _ in ranges), tuple(end for _, end in ranges)
    return TokenizedText(text, starts, ends, find_sentence_starts(text, starts, ends))


def eraser_docs_folder(text: str) -> TokenizedText:
    r"""A document of ERASER's docs/ folder with its reference's tokens and sentences.

    A line is a sentence; white space at its ends and empty lines are dropped; subwords between blanks are tokens.

    Source:  the loader of the ERASER repository, for docs/
    >>> eraser_docs_folder("t0  t1 t2\n\n   \n t3 t4 \nt5\tt5b\n").sentence_starts
    (0, 3, 5)
    """
    check_characters(text)
    lines = [[match.span() for match in _SUBWORD.finditer(text, *line)] for line in _stripped_lines(text, _LINE_END)]
    return _with_sentences(text, [line for line in lines if line])


def eraser_docs_jsonl(text: str) -> TokenizedText:
    r"""A document of ERASER's docs.jsonl with its reference's tokens and sentences.

    A line is a sentence; white space at its ends is dropped; each blank parts tokens, so that two blanks hold an empty
    token, and a blank line is a sentence of one empty token. The same text has other tokens in the docs/ folder.

    Source:  the loader of the ERASER repository, for docs.jsonl
    >>> eraser_docs_jsonl("t0  t1 t2\n\n   \n t3 t4 \nt5\tt5b\n").sentence_starts
    (0, 4, 5, 6, 8, 9)
    """
    check_characters(text)
    return _with_sentences(text, [_subwords_between_blanks(text, *line) for line in _stripped_lines(text, _NEWLINE)])


def _stripped_lines(text: str, line_end: "re.Pattern[str]") -> Iterable[tuple[int, int]]:
    """Each line as a character range without the white space at its ends."""
    begin = 0
    borders = [*(match.span() for match in line_end.finditer(text)), (len(text), len(text))]
    for end, next_begin in borders:
        line = text[begin:end]
        yield end - len(line.lstrip()), max(begin + len(line.rstrip()), end - len(line.lstrip()))
        begin = next_begin


def _subwords_between_blanks(text: str, start: int, end: int) -> list[tuple[int, int]]:
    ranges = []
    for subword in text[start:end].split(" "):
        ranges.append((start, start + len(subword)))
        start += len(subword) + 1
    return ranges


def _with_sentences(text: str, sentences: list[list[tuple[int, int]]]) -> TokenizedText:
    sentence_starts, n_tokens = [], 0
    for sentence in sentences:
        sentence_starts.append(n_tokens)
        n_tokens += len(sentence)
    ranges = [token for sentence in sentences for token in sentence]
    return TokenizedText(text, tuple(s for s, _ in ranges), tuple(e for _, e in ranges), tuple(sentence_starts))


# The words of the Penn Treebank, as NLTK cuts them.


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
        raise InvalidValue(_("NLTK can't tokenise the sentence: {error}", error=error)) from error
    return align_tokens(sentence, words, (0,) if words else ())


@cache
def _tokeniser() -> Any:
    from nltk.tokenize import NLTKWordTokenizer  # noqa: PLC0415

    return NLTKWordTokenizer()


# Which strings the English frequency dictionary of pyspellchecker lacks.


def is_unknown(text: str) -> bool:
    """Whether pyspellchecker calls a string unknown: its lower-case form is not in the dictionary, and it is not skipped.

    Skipped, so never unknown: one sign of punctuation, a number, a string much longer than the longest word.
    The paper used version 0.5.5; later dictionaries differ in some words (docs/formats.md names those that matter).

    Source:  spellchecker.SpellChecker, English, defaults
    >>> is_unknown("descripted"), is_unknown("Let"), is_unknown("4"), is_unknown(",")
    (True, False, False, False)
    """
    return bool(_checker().unknown([text]))


@cache
def _checker() -> Any:
    from spellchecker import SpellChecker  # noqa: PLC0415

    return SpellChecker()
