"""The tokens of a changed version of a text, cut as those of the text were: a source's own tokens stay what they are."""

from collections.abc import Iterable, Iterator

import regex

from annotator.domain.texts import TokenizedText
from annotator.text.alignment import split_on_spaces
from annotator.text.characters import CLUSTER, CONTINUES, check_characters
from annotator.text.sentences import sentence_starts
from annotator.text.token_diff import diff_tokens
from annotator.text.tokenisation import tokenise

_SCRIPTS_WITHOUT_BLANKS = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]"
_ATOM = regex.compile(rf"(?:(?!{_SCRIPTS_WITHOUT_BLANKS})[\p{{L}}\p{{N}}]{CONTINUES}*+)++|{CLUSTER}")
_GLUED_SIGN = regex.compile(r"\w[,;!?，！？；]")

Ranges = list[tuple[int, int]]


def tokenise_like(original: TokenizedText, text: str, language: str) -> TokenizedText:
    """The changed text with its tokens and sentences.

    A token of the original that was left alone is a token here. What is new is cut by the language's tokeniser, or at white
    space where the original was; blanks are tokens where they were tokens of the original.

    Raises:  InvalidValue for an unknown language, and for a lone surrogate (naming its place)
    >>> from annotator.text.alignment import align_tokens
    >>> tokenise_like(align_tokens("不 错", ["不", " ", "错"]), "很 不 错", "zh").tokens()
    ['很', ' ', '不', ' ', '错']
    """
    check_characters(text)
    by_us = tokenise(original.text, language)
    if (by_us.starts, by_us.ends) == (original.starts, original.ends):
        return tokenise(text, language)
    if _GLUED_SIGN.search("\n".join(original.tokens())) and split_on_spaces(original.text).starts == original.starts:
        return split_on_spaces(text)
    has_blanks = any(token.isspace() for token in original.tokens())
    ranges = list(_filled(text, language, _carried(original, text), has_blanks=has_blanks))
    starts, ends = tuple(start for start, _ in ranges), tuple(end for _, end in ranges)
    return TokenizedText(text, starts, ends, sentence_starts(text, starts, ends))


def _filled(text: str, language: str, carried: Ranges, *, has_blanks: bool) -> Iterator[tuple[int, int]]:
    """The tokens that stay and, between them, new ones."""
    done = 0
    for start, end in [*carried, (len(text), len(text))]:
        if done < start:
            part = text[done:start]
            body = tokenise(part, language)
            ranges: Iterable[tuple[int, int]] = zip(body.starts, body.ends, strict=True)
            if has_blanks:
                blanks = ((index, index + 1) for index, character in enumerate(part) if character.isspace())
                ranges = sorted([*ranges, *blanks])
            yield from ((done + first, done + last) for first, last in ranges)
        if start < end:
            yield start, end
        done = end


def _carried(original: TokenizedText, text: str) -> Ranges:
    """Where the original's tokens stand in the changed text, of those that were left alone."""
    carried: Ranges = []
    unchanged = _kept_characters(original.text, text)
    number = 0
    for unit in _units(original):
        while number < len(unchanged) and unchanged[number][1] < unit[-1][1]:
            number += 1
        if number < len(unchanged) and unchanged[number][0] <= unit[0][0]:
            shift = unchanged[number][2]
            carried += [(start + shift, end + shift) for start, end in unit if start < end]
    return carried


def _units(body: TokenizedText) -> Iterator[Ranges]:
    """The tokens, those together that are parts of one word ("do", "n't"): they stay or fall together."""
    unit: Ranges = []
    for start, end in zip(body.starts, body.ends, strict=True):
        if unit and not (unit[-1][1] == start and body.text[start - 1 : start + 1].isalnum()):
            yield unit
            unit = []
        unit.append((start, end))
    if unit:
        yield unit


def _kept_characters(before: str, after: str) -> list[tuple[int, int, int]]:
    """Stretches of characters that both texts have: start, end in the text before, and how far they have moved."""
    atoms = [[match.span() for match in _ATOM.finditer(side)] for side in (before, after)]
    words = [[side[start:end] for start, end in ranges] for side, ranges in zip((before, after), atoms, strict=True)]
    return [
        (atoms[0][run.start][0], atoms[0][run.end - 1][1], atoms[1][run.other_start][0] - atoms[0][run.start][0])
        for run in diff_tokens(*words).runs
        if run.kind == "kept"
    ]
