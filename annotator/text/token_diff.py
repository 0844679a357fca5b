"""What became of the tokens of a text in a changed version of it: kept, deleted, inserted or replaced.

As many tokens as possible are kept: a longest common subsequence. Of several it takes the one a person would read.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import regex

from annotator.domain.texts import TokenizedText
from annotator.text.alignment import split_on_spaces
from annotator.text.characters import CLUSTER, CONTINUES, check_characters
from annotator.text.tokenisation import FINAL_CHARACTERS, sentence_starts, tokenise

# A longest common subsequence of two lists, with 30 places at a time in Python's long integers.


Pairs = list[tuple[int, int]]

_MOST_BITS = 2**28  # of the table that finds the way back: 32 MiB; two texts of 16,000 different tokens


def common_subsequence(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """A longest common subsequence as pairs of places; equal tokens at both ends are always in it."""
    n, m = len(before), len(after)
    first = 0
    while first < min(n, m) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(n, m) - first and before[n - 1 - last] == after[m - 1 - last]:
        last += 1
    inner = _subsequence(before[first : n - last], after[first : m - last])
    return [
        *((index, index) for index in range(first)),
        *((first + i, first + j) for i, j in inner),
        *((n - last + index, m - last + index) for index in range(last)),
    ]


def _subsequence(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    if not before or not after:
        return []
    if len(before) * len(after) > _MOST_BITS and len(after) > 1:
        return _subsequence_in_halves(before, after)
    return _way_back(list(_rows(before, after)), len(before))


def _rows(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[int]:
    """For each token after, bits over the tokens before: 0 where the common subsequence up to there grows by one."""
    positions: dict[Hashable, int] = {}
    for number, token in enumerate(before):
        positions[token] = positions.get(token, 0) | 1 << number
    row = everywhere = (1 << len(before)) - 1
    for token in after:
        if equal := positions.get(token):
            hits = row & equal
            row = ((row + hits) | (row - hits)) & everywhere
        yield row


def _way_back(rows: list[int], n_before: int) -> Pairs:
    i, j = n_before, len(rows)
    pairs: Pairs = []
    while i and j:
        if rows[j - 1] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
            if not j or rows[j - 1] >> (i - 1) & 1:
                i -= 1
                pairs.append((i, j))
    return pairs[::-1]


def _subsequence_in_halves(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """The same in two halves of the text after, for texts whose table would not fit in memory (Hirschberg 1975)."""
    middle = len(after) // 2
    upper = _lengths(before, after[:middle])
    lower = _lengths(before[::-1], after[middle:][::-1])[::-1]
    cut = max(range(len(before) + 1), key=lambda index: upper[index] + lower[index])
    first, second = common_subsequence(before[:cut], after[:middle]), common_subsequence(before[cut:], after[middle:])
    return [*first, *((cut + i, middle + j) for i, j in second)]


def _lengths(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[int]:
    """The length of the common subsequence of `after` with the first 0, 1, 2 ... tokens of `before`."""
    row = deque(_rows(before, after), maxlen=1).pop()
    grows = (bit == "0" for bit in reversed(f"{row:0{len(before)}b}"))
    return list(accumulate(grows, initial=0))


RunKind = Literal["kept", "deleted", "inserted", "replaced"]
_SHORTEST_MOVED_WORD = 4
Block = tuple[int, int, int]  # where an equal stretch starts in the text before and in the text after, and its length


@dataclass(frozen=True, slots=True)
class Run:
    """Tokens start to end (exclusive) of the text before, and other_start to other_end of the text after.

    kept: as many on both sides, and equal; deleted: none after; inserted: none before; replaced: some on both sides
    """

    kind: RunKind
    start: int
    end: int
    other_start: int
    other_end: int

    @property
    def n_before(self) -> int:
        return self.end - self.start

    @property
    def n_after(self) -> int:
        return self.other_end - self.other_start


@dataclass(frozen=True, slots=True)
class TokenDiff:
    """The runs in order, which together hold every token of both texts once; no run follows another of its kind.

    (But two replaced runs may touch: a word that only changed its case is a run of its own.)
    """

    runs: tuple[Run, ...]
    n_before: int
    n_after: int

    @property
    def changes(self) -> tuple[Run, ...]:
        """The runs that are not kept."""
        return tuple(run for run in self.runs if run.kind != "kept")

    @property
    def n_kept(self) -> int:
        return sum(run.n_before for run in self.runs if run.kind == "kept")

    @property
    def n_edited(self) -> int:
        """Edited tokens: of each change the longer side, so that a replaced token counts once."""
        return sum(max(run.n_before, run.n_after) for run in self.changes)

    def places(self) -> list[int | None]:
        """For each token after the token before that stands in its place, None for a new one.

        A run that was replaced by as many tokens goes token by token; of others no token has a place.
        """
        positions: list[int | None] = [None] * self.n_after
        for run in self.runs:
            if run.n_before == run.n_after:
                positions[run.other_start : run.other_end] = range(run.start, run.end)
        return positions


def diff_tokens(before: Sequence[str], after: Sequence[str]) -> TokenDiff:
    """The runs that lead from the tokens before to the tokens after.

    Of equally good ways the one with fewer runs is looked for. In what was replaced, words that differ in case alone are
    put together, each in a run of its own.

    Shapes:  before, after str[n_tokens]
    >>> [(run.kind, run.start, run.other_end) for run in diff_tokens("a slow plot".split(), "a very dull plot".split()).runs]
    [('kept', 0, 1), ('replaced', 1, 3), ('kept', 2, 4)]
    """
    old, new = list(before), list(after)
    blocks = _at_sentences(old, new, _joined(old, new, _blocks(common_subsequence(old, new))))
    return TokenDiff(tuple(_runs(old, new, blocks)), len(old), len(new))


def moved_tokens(before: Sequence[str], after: Sequence[str], diff: TokenDiff) -> Pairs:
    """Tokens that stand elsewhere in the text after, as (place before, place after), in order of the text before.

    Among the tokens that were not kept, a word that is there once on each side was moved, with the equal tokens beside it:
    a word of at least four letters, or two tokens and more. Case does not count. Punctuation alone does not move.
    """
    left: dict[int, str] = {}
    right: dict[int, str] = {}
    for run in diff.changes:
        words = {i: before[i].casefold() for i in range(run.start, run.end)}
        others = {j: after[j].casefold() for j in range(run.other_start, run.other_end)}
        if list(words.values()) != list(others.values()):  # else only their case changed
            left |= words
            right |= others
    positions = _only_once(right)
    moved: dict[int, int] = {}
    for word, i in _only_once(left).items():
        if i in moved or word not in positions or not any(map(str.isalnum, word)):
            continue
        stretch = _grown(left, right, i, positions[word])
        if len(stretch) > 1 or len(word) >= _SHORTEST_MOVED_WORD:
            moved |= {i: j for i, j in stretch if i not in moved and j not in moved.values()}
    return sorted(moved.items())


def _only_once(words: dict[int, str]) -> dict[str, int]:
    """Where each word stands that stands in one place."""
    positions: dict[str, int] = {}
    repeated: set[str] = set()
    for position, word in words.items():
        if word in positions:
            repeated.add(word)
        positions[word] = position
    return {word: position for word, position in positions.items() if word not in repeated}


def _grown(left: dict[int, str], right: dict[int, str], i: int, j: int) -> Pairs:
    """The equal stretch around a pair of equal tokens, among tokens that were not kept."""
    start = 0
    while i + start - 1 in left and left[i + start - 1] == right.get(j + start - 1):
        start -= 1
    end = 1
    while i + end in left and left[i + end] == right.get(j + end):
        end += 1
    return [(i + step, j + step) for step in range(start, end)]


# Runs ----------------------------------------------------------------------------------------------------------------


def _runs(before: Sequence[str], after: Sequence[str], blocks: list[Block]) -> Iterator[Run]:
    """The runs of equal blocks and of what lies between them."""
    i = j = 0
    for start, other_start, length in [*blocks, (len(before), len(after), 0)]:
        yield from _changed(before, after, i, start, j, other_start)
        i, j = start + length, other_start + length
        if length:
            yield Run("kept", start, i, other_start, j)


def _changed(
    before: Sequence[str], after: Sequence[str], start: int, end: int, other: int, other_end: int
) -> Iterator[Run]:
    """The runs of a stretch without kept tokens, cut at words that differ in case alone."""
    if start < end and other < other_end:
        folded = [[token.casefold() for token in side] for side in (before[start:end], after[other:other_end])]
        for i, j in [(start + i, other + j) for i, j in common_subsequence(*folded)]:
            yield from _run_between(start, i, other, j)
            yield Run("replaced", i, i + 1, j, j + 1)
            start, other = i + 1, j + 1
    yield from _run_between(start, end, other, other_end)


def _run_between(start: int, end: int, other_start: int, other_end: int) -> Iterator[Run]:
    if start < end and other_start < other_end:
        yield Run("replaced", start, end, other_start, other_end)
    elif start < end:
        yield Run("deleted", start, end, other_start, other_end)
    elif other_start < other_end:
        yield Run("inserted", start, end, other_start, other_end)


def _blocks(pairs: Pairs) -> list[Block]:
    """Equal stretches out of pairs of equal tokens."""
    blocks: list[Block] = []
    for i, j in pairs:
        if blocks and (i, j) == (blocks[-1][0] + blocks[-1][2], blocks[-1][1] + blocks[-1][2]):
            blocks[-1] = (*blocks[-1][:2], blocks[-1][2] + 1)
        else:
            blocks.append((i, j, 1))
    return blocks


def _joined(before: Sequence[str], after: Sequence[str], blocks: list[Block]) -> list[Block]:
    """The same number of kept tokens in fewer blocks: one between two changes joins a neighbour where it can.

    Else an inserted sentence that ends like the one before it would be torn in two.
    """
    forward = _joined_to_next(before, after, blocks)
    n, m = len(before), len(after)
    mirrored = [(n - i - length, m - j - length, length) for i, j, length in reversed(forward)]
    mirrored = _joined_to_next(before[::-1], after[::-1], mirrored)
    return [(n - i - length, m - j - length, length) for i, j, length in reversed(mirrored)]


def _joined_to_next(before: Sequence[str], after: Sequence[str], blocks: list[Block]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        start, other_start, length = block
        while joined and joined[-1][:2] != (0, 0):
            i, j, size = joined[-1]
            if i + size != start and j + size != other_start:
                break
            if before[start - size : start] != after[other_start - size : other_start]:
                break
            joined.pop()
            start, other_start, length = start - size, other_start - size, length + size
        joined.append((start, other_start, length))
    return joined


def _at_sentences(before: Sequence[str], after: Sequence[str], blocks: list[Block]) -> list[Block]:
    """The same blocks, but what was inserted or deleted begins with a sentence where it could as well begin there."""
    placed: list[Block] = []
    for start, other_start, length in blocks:
        step = 0
        if placed:
            i, j, size = placed.pop()
            if i + size == start or j + size == other_start:
                step = _steps_to_sentence(before, after, (i, j, size), (start, other_start))
            if size > step:
                placed.append((i, j, size - step))
        placed.append((start - step, other_start - step, length + step))
    return placed


def _steps_to_sentence(before: Sequence[str], after: Sequence[str], block: Block, end: tuple[int, int]) -> int:
    """How many tokens at the end of a block equal those at the end of the change behind it, back to a sentence's beginning."""
    i, j, size = block
    for step in range(size):
        if before[i + size - step - 1] in FINAL_CHARACTERS:
            return step
        if before[end[0] - step - 1] != after[end[1] - step - 1]:
            return 0
    return size if i == j == 0 else 0


# The tokens of a changed version of a text, cut as those of the text were: a source's own tokens stay what they are.


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
