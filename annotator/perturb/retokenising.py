"""The tokens of a changed text: those of the original where it stays as it is, so that a diff shows what was changed."""

from collections.abc import Iterator, Sequence

from annotator.domain.texts import TokenizedText
from annotator.text.sentences import sentence_starts
from annotator.text.token_diff import diff_tokens
from annotator.text.tokenise import tokenise

Range = tuple[int, int]


def tokenise_changed(before: TokenizedText, text: str, language: str) -> TokenizedText:
    """The changed text, cut as the original is wherever its characters stayed.

    Where the original has the tokens that our tokeniser gives it, so has the changed text. Where a source brought other tokens
    (Chinese words, blanks that are tokens), a token of the original whose characters all stayed, next to each other, stays a
    token unless a letter was put against it; what is new is cut by our tokeniser.

    Raises:  InvalidValue for an unknown language, and for a lone surrogate (naming its place)
    """
    usual = tokenise(text, language)
    if _ranges(tokenise(before.text, language)) == _ranges(before):
        return usual
    borders = {border for one in _ranges(usual) for border in one}
    kept = list(_kept(before, text, borders))
    ranges = sorted(_with_gaps(kept, text, language))
    starts, ends = [start for start, _ in ranges], [end for _, end in ranges]
    return TokenizedText(text, tuple(starts), tuple(ends), tuple(sentence_starts(text, starts, ends)))


def _ranges(body: TokenizedText) -> list[Range]:
    return list(zip(body.starts, body.ends, strict=True))


def _kept(before: TokenizedText, text: str, borders: set[int]) -> Iterator[Range]:
    """Where tokens of the original still stand."""
    places = _places(before.text, text)
    # -1 and the end stand for the borders of the texts, which are where they were.
    place_of = {-1: -1, len(before.text): len(text)} | {i: place for i, place in enumerate(places) if place is not None}
    for start, end in _ranges(before):
        first = place_of.get(start)
        if start == end or first is None:
            continue
        last = first + end - start
        has_stayed = all(place_of.get(i) == first + i - start for i in range(start, end))
        is_left_border = place_of.get(start - 1) == first - 1 or first in borders
        is_right_border = place_of.get(end) == last or last in borders
        if has_stayed and is_left_border and is_right_border:
            yield first, last


def _places(before: str, after: str) -> Sequence[int | None]:
    """For each character of the text before where it stands after; None for one that is gone."""
    head = _common_length(before, after)
    tail = _common_length(before[head:][::-1], after[head:][::-1])
    places: list[int | None] = [None] * len(before)
    places[:head] = range(head)
    for run in diff_tokens(before[head : len(before) - tail], after[head : len(after) - tail]).runs:
        if run.kind == "kept":
            places[head + run.start : head + run.end] = range(head + run.other_start, head + run.other_end)
    places[len(before) - tail :] = range(len(after) - tail, len(after))
    return places


def _common_length(one: str, other: str) -> int:
    n = min(len(one), len(other))
    return next((i for i in range(n) if one[i] != other[i]), n)


def _with_gaps(kept: Sequence[Range], text: str, language: str) -> Iterator[Range]:
    """The kept tokens, and those of our tokeniser in what lies between them."""
    yield from kept
    at = 0
    for start, end in [*kept, (len(text), len(text))]:
        gap = text[at:start]
        if gap.strip():
            yield from ((at + s, at + e) for s, e in _ranges(tokenise(gap, language)))
        at = end
