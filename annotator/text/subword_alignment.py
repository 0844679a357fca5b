"""Where a model's subwords stand in a text: each is the next thing there, so that nothing is ever searched past a word.

Subwords for unknown words take what lies between their neighbours; where that leaves a choice, a cut at the border of a
word goes first, and the rest of the subwords must fit too.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

import regex

from annotator.domain.models import Subword
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.characters import CLUSTER, beginning
from annotator.text.subword_forms import (
    FORMS,
    SPECIAL_TEXTS,
    Cut,
    Letters,
    Range,
    is_special,
    is_unknown,
    may_be_dropped,
)

_MOST_STEPS = 200_000
_MARKS = ("##", "Ġ", "▁")
_CLUSTER = regex.compile(CLUSTER)
_VISIBLE = regex.compile(r"\S")


class SubwordMismatch(InvalidValue):
    """Subwords are not those of the text; `subword` is the number of the first that does not fit, or their number."""

    def __init__(self, message: str, subword: int) -> None:
        super().__init__(message)
        self.subword = subword


def find_subwords(
    subwords: Sequence[str], text: str, *, numbers: Sequence[int] | None = None, is_partial: bool = False
) -> list[Range]:
    """The characters of each subword (half open), in order; special subwords must not be among them.

    A blank subword gets the blank where it stands; a mark that the text's letters have lost gets the letter before it.

    numbers:    what the subwords are called in messages; else they are counted from 0
    is_partial: the subwords may end before the text
    Raises:     SubwordMismatch, naming subword number, subword and what stands in the text instead
    >>> find_subwords(["t", "##hat", "cat"], "that cat")
    [(0, 1), (1, 4), (5, 8)]
    """
    letters = _letters_of(text)
    faults: list[SubwordMismatch] = []
    for cut in _readings(subwords, text):
        search = _Search(letters, cut, numbers or range(len(subwords)), is_partial=is_partial)
        try:
            return search.run()
        except SubwordMismatch as fault:
            faults.append(fault)
    raise max(faults, key=lambda fault: fault.subword)


def _readings(subwords: Sequence[str], text: str) -> Iterator[Cut]:
    """The subwords as letters in each form that may fit: without marks that the text has not, and no reading twice."""
    tried: list[list[str | bytes]] = []
    for form in FORMS:
        readings = [form.letters(subword) for subword in subwords]
        written = "\0".join(part for part in readings if isinstance(part, str))
        if readings not in tried and not any(mark in written and mark not in text for mark in _MARKS):
            tried.append(readings)
            yield Cut.of(subwords, form, readings)
    if not tried:
        yield Cut.of(subwords, FORMS[0], list(subwords))


_letters_of = lru_cache(maxsize=32)(Letters.of)  # a text's maps come one after the other


class _Search:
    """One form's letters are matched with the text's, from left to right; a wrong cut of an unknown subword is taken back."""

    def __init__(self, text: Letters, cut: Cut, numbers: Sequence[int], *, is_partial: bool) -> None:
        self.text = text
        self.cut = cut
        self.numbers = numbers
        self.is_partial = is_partial
        self.n = len(text.letters)
        self.letters = "".join(cut.letters)
        self.places = [0] * len(cut.letters)  # of each letter in the text's; -1 - place for one the text has lost
        self.end = 0  # after the last letter that has been matched
        self.n_steps = 0
        self.farthest = (0, 0)  # the subword that did not fit, and the letter of the text where it should stand

    def run(self) -> list[Range]:
        """The characters of each subword; raises SubwordMismatch."""
        cuts = self._cuts()
        if cuts is None:
            raise self._fault()
        return self._ranges(cuts)

    def _cuts(self) -> list[Range] | None:
        """The text's letters that each gap takes; None where nothing fits."""
        index = self._match(0, 0)
        cuts: list[Range] = []
        choices: list[tuple[int, Iterator[int]]] = []
        failed: set[Range] = set()
        while index is not None and len(cuts) < len(self.cut.gaps):
            number = len(cuts)
            if len(choices) == number:
                choices.append((index, iter(self._choices(number, index))))
            begin, ends = choices[-1]
            for end in ends:
                reached = None if (number, end) in failed else self._match(number + 1, end)
                if reached is not None:
                    cuts.append((begin, end))
                    index = reached
                    break
                failed.add((number, end))
            else:
                choices.pop()
                if not cuts:
                    return None
                failed.add((number - 1, cuts.pop()[1]))
        return None if index is None else cuts

    def _choices(self, number: int, index: int) -> Sequence[int]:
        """Where a gap that begins at a letter may end: after at least one, in no more words than it has subwords."""
        n_unknown = len(self.cut.gaps[number][1])
        limit = self._end_of_words(self._after_dropped(index), n_unknown)
        self.n_steps += (limit - index) // 16
        self._note(self.cut.gaps[number][1][0], index)
        if index >= self.n or self.n_steps > _MOST_STEPS:
            return ()
        start, end = self.cut.chunk(number + 1)
        if start == end:
            return self._last_ends(index, limit, n_unknown)
        first = self.letters[start]
        ends = range(index + 1, limit + 1)
        if not may_be_dropped(first):
            ends = [end for end in ends if end < self.n and self.text.letters[end] == first]  # type: ignore[assignment]
        self.n_steps += len(ends)
        begins_word = self.cut.begins_word(start)
        return sorted(ends, key=lambda end: (not self._agrees(end, begins_word), end))

    def _last_ends(self, index: int, limit: int, n_unknown: int) -> Sequence[int]:
        """Where a gap at the end of all subwords ends: with the text, or, where that goes on, after as many words of BERT's."""
        if not self.is_partial:
            return (self.n,) if limit == self.n else ()
        borders = [end for end in range(index + 1, self.n + 1) if self.text.begins_word(end)]
        return (borders[min(n_unknown, len(borders)) - 1],)

    def _end_of_words(self, index: int, n_words: int) -> int:
        after = bisect_right(self.text.word_starts, index) + n_words - 1
        return self.text.word_starts[after] if after < len(self.text.word_starts) else self.n

    def _after_dropped(self, index: int) -> int:
        """The first letter that no model drops, where those before it may belong to the word before."""
        after = index
        while after < self.n and may_be_dropped(self.text.letters[after]):
            after += 1
        return after if after < self.n else index

    def _agrees(self, end: int, begins_word: bool | None) -> bool:
        """Whether a subword may begin at a letter, by what its family's marks say of blanks."""
        if begins_word is None:
            return self.text.begins_word(end)
        return begins_word == (end < self.n and self.text.after_blank[end])

    def _match(self, number: int, index: int) -> int | None:
        """Lay a chunk on the text from a letter on; where it ends, or None. The last chunk must reach the text's end."""
        start, end = self.cut.chunk(number)
        if self.text.letters.startswith(self.letters[start:end], index):
            self.places[start:end] = range(index, index + end - start)
            index += end - start
        else:
            reached = self._match_slowly(start, end, index)
            if reached is None:
                return None
            index = reached
        self.end = index
        if number < len(self.cut.gaps) or self.is_partial or self._is_rest_droppable(index):
            return index
        self._note(len(self.cut.subwords), index)
        return None

    def _match_slowly(self, start: int, end: int, index: int) -> int | None:
        """Letter by letter: accents and invisible characters may be missing on either side."""
        number = start
        while number < end:
            letter = self.letters[number]
            text_letter = self.text.letters[index] if index < self.n else None
            if text_letter == letter:
                self.places[number] = index
                index, number = index + 1, number + 1
            elif text_letter is not None and may_be_dropped(text_letter):
                index += 1
            elif may_be_dropped(letter) and letter != "▁":
                self.places[number] = -1 - index
                number += 1
            else:
                self.n_steps += (number - start) // 16
                self._note(self.cut.subword_at(number), index)
                return None
        return index

    def _is_rest_droppable(self, index: int) -> bool:
        return all(may_be_dropped(letter) for letter in self.text.letters[index:])

    def _note(self, subword: int, index: int) -> None:
        self.farthest = max(self.farthest, (subword, index))

    def _ranges(self, cuts: Sequence[Range]) -> list[Range]:
        unknown: dict[int, Range] = {}
        for (_gap, members), (begin, end) in zip(self.cut.gaps, cuts, strict=True):
            unknown.update(zip(members, self._shared(begin, end, len(members)), strict=True))
        char_ranges = [unknown.get(number) or self._range_of(span) for number, span in enumerate(self.cut.spans)]
        after = self.text.character(self.end)
        ranges: list[Range] = []
        for char_range in reversed(char_ranges):  # a blank subword reaches to the next that is none
            ranges.append(char_range or (-1, after))
            after = after if char_range is None else char_range[0]
        ranges.reverse()
        before = 0
        for number, (start, end) in enumerate(ranges):
            if start < 0:
                ranges[number] = (min(before, end), end)
            else:
                before = end
        return ranges

    def _range_of(self, span: Range) -> Range | None:
        """The characters of a subword's letters; None for a blank subword."""
        if span[0] == span[1]:
            return None
        indices = [index for index in self.places[span[0] : span[1]] if index >= 0]
        if indices:
            return self.text.origins[indices[0]], self.text.origins[indices[-1]] + 1
        before = -1 - self.places[span[0]] - 1
        return (self.text.origins[before], self.text.origins[before] + 1) if before >= 0 else (0, 0)

    def _shared(self, begin: int, end: int, n_subwords: int) -> list[Range]:
        """The characters of unknown subwords that follow each other: a word, a cluster or a character each, else all of them."""
        text = self.text
        while begin < end - 1 and self._belongs_before(begin):
            begin += 1
        first, last = text.origins[begin], text.origins[end - 1] + 1
        words = [index for index in range(begin + 1, end) if text.after_blank[index]]
        of_letters = [index for index in text.word_starts if begin < index < end]
        without_controls = [index for index in words if unicodedata.category(text.letters[index])[0] != "C"]
        of_bert = [index for index in range(begin + 1, end) if text.begins_word(index)]
        for borders in (of_letters, words, without_controls, of_bert):
            if len(borders) == n_subwords - 1:
                starts, ends = [begin, *borders], [*borders, end]
                return [(text.origins[a], text.origins[b - 1] + 1) for a, b in zip(starts, ends, strict=True)]
        for pattern in (_CLUSTER, _VISIBLE):
            ranges = [m.span() for m in pattern.finditer(text.text, first, last) if not m.group().isspace()]
            if len(ranges) == n_subwords:
                return ranges
        return [(first, last)] * n_subwords

    def _belongs_before(self, index: int) -> bool:
        """Whether an unknown subword begins only after a letter: an accent of the word before, a byte order mark."""
        text = self.text
        is_inside = not text.after_blank[index] or not text.after_blank[index + 1]
        return is_inside and may_be_dropped(text.letters[index]) and self._after_dropped(index) > index

    def _fault(self) -> SubwordMismatch:
        subword, index = self.farthest
        character = self.text.character(index)
        if self.n_steps > _MOST_STEPS:
            reason = _("Ambiguous subwords of unknown words. Give each subword's start and end.")
            return SubwordMismatch(reason, subword)
        if subword >= len(self.cut.subwords):
            return left_over(subword, self.text.text, character)
        text = self.cut.subwords[subword]
        shown = repr(text if len(text) <= 40 else text[:40] + "…")
        number = self.numbers[subword]
        if character >= len(self.text.text):
            reason = _(
                "Subword {number} {shown} is past the end (character {character}).",
                number=number,
                shown=shown,
                character=character,
            )
        else:
            reason = _(
                "Subword {number} {shown} isn't at character {character}; the text has {rest}.",
                number=number,
                shown=shown,
                character=character,
                rest=beginning(self.text.text, character),
            )
        return SubwordMismatch(reason, subword)


def left_over(n_subwords: int, text: str, end: int) -> SubwordMismatch:
    """The fault of subwords that end before their text."""
    reason = _(
        "The {subwords} end at character {end}, before {rest}. For truncated texts, mark the scores as partial.",
        subwords=counted(n_subwords, "subword"),
        end=end,
        rest=beginning(text, end),
    )
    return SubwordMismatch(reason, n_subwords)


# The places of a model's subwords in one text or over the segments of an instance, by their offsets or by their text.


_GAP = "\n"  # between segments that are read as one text


def locate(subwords: Sequence[Subword], numbers: Sequence[int], text: str, *, is_partial: bool) -> dict[int, Subword]:
    """Some subwords, by number, with their places in one text; those that are special by name are marked so and have none.

    A text may hold what is elsewhere the name of a special subword ("<s>"): where the rest does not fit without, it is text.

    Raises: InvalidValue, naming subword number, subword and the text at that place
    """
    chosen = [number for number in numbers if not is_special(subwords[number])]
    try:
        ranges = _ranges(subwords, chosen, text, is_partial=is_partial)
    except SubwordMismatch:
        with_names = [n for n in numbers if not is_special(subwords[n]) or _may_be_text(subwords[n], text)]
        if with_names == chosen:
            raise
        chosen, ranges = with_names, _ranges(subwords, with_names, text, is_partial=is_partial)
    located = {number: _special(subwords[number]) for number in numbers}
    for number, (start, end) in zip(chosen, ranges, strict=True):
        located[number] = replace(subwords[number], start=start, end=end)
    return located


def locate_over(subwords: Sequence[Subword], texts: Mapping[str, str], *, is_partial: bool) -> list[Subword]:
    """The subwords with their segments and places; special ones have neither. texts: by segment, in their order.

    Raises: InvalidValue, naming subword number, subword and the text at that place
    """
    is_named = any(subword.segment for subword in subwords)
    located = (_by_segment if is_named else _by_group)(subwords, texts, is_partial=is_partial)
    return [located.get(number) or _special(subword) for number, subword in enumerate(subwords)]


def _special(subword: Subword) -> Subword:
    return replace(subword, start=None, end=None, is_special=True, segment=None)


def _may_be_text(subword: Subword, text: str) -> bool:
    return not subword.is_special and subword.text in SPECIAL_TEXTS and subword.text != "" and subword.text in text


# One text ------------------------------------------------------------------------------------------------------------


def _ranges(subwords: Sequence[Subword], chosen: Sequence[int], text: str, *, is_partial: bool) -> list[Range]:
    without = [number for number in chosen if subwords[number].start is None]
    if len(without) == len(chosen):
        return find_subwords([subwords[n].text for n in chosen], text, numbers=chosen, is_partial=is_partial)
    if without:
        name = _("Subword {number} {text}", number=without[0], text=f"{subwords[without[0]].text!r}")
        raise InvalidValue(_("{name} has no start and end. Give them for all or none.", name=name))
    ranges = [_given_range(number, subwords[number], text) for number in chosen]
    end = max(end for _, end in ranges)
    if not is_partial and not all(may_be_dropped(letter) for letter in Letters.of(text[end:]).letters):
        raise left_over(len(chosen), text, end)
    return ranges


def _given_range(number: int, subword: Subword, text: str) -> Range:
    """The offsets of a subword, if its text can stand there."""
    start, end = cast(int, subword.start), cast(int, subword.end)
    said_range = _(
        "Subword {number} {text} is placed at characters {start} to {end}",
        number=number,
        text=f"{subword.text[:40]!r}",
        start=start,
        end=end,
    )
    if not 0 <= start <= end <= len(text):
        raise SubwordMismatch(
            _(
                "{said_range}, but its text has {characters}.",
                said_range=said_range,
                characters=counted(len(text), "character"),
            ),
            number,
        )
    if not _agrees(subword.text, text[start:end]):
        stands = _("where {words} is", words=f"{text[start:end][:40]!r}")
        raise SubwordMismatch(
            _("{said_range}, {stands}; offsets count code points.", said_range=said_range, stands=stands), number
        )
    return start, end


def _agrees(subword: str, given: str) -> bool:
    """Whether a subword can be what stands at its offsets: the same, or a part of it, in one of the forms."""
    if subword == given or is_unknown(subword):
        return True
    letters = _core(given)
    for form in FORMS:
        reading = form.letters(subword)
        core = _core(reading if isinstance(reading, str) else reading.decode("utf-8", "ignore"))
        if core in letters:
            return True
    return False


def _core(text: str) -> str:
    return "".join(letter for letter in Letters.of(text).letters if not may_be_dropped(letter))


# Several segments ----------------------------------------------------------------------------------------------------


def _by_segment(subwords: Sequence[Subword], texts: Mapping[str, str], *, is_partial: bool) -> dict[int, Subword]:
    """Each subword in the segment that it names."""
    of_segments: dict[str, list[int]] = {}
    for number, subword in enumerate(subwords):
        if subword.segment in texts:
            of_segments.setdefault(cast(str, subword.segment), []).append(number)
        elif subword.segment or not is_special(subword):
            says = (
                _("names the segment '{segment}'", segment=subword.segment)
                if subword.segment
                else _("names no segment, but others do")
            )
            raise InvalidValue(
                _(
                    "Subword {number} {text} {says}; the instance has {texts}.",
                    number=number,
                    text=f"{subword.text!r}",
                    says=says,
                    texts=", ".join(texts),
                )
            )
    located: dict[int, Subword] = {}
    for name, numbers in of_segments.items():
        if len(texts) > 1 and all(is_special(subwords[number]) for number in numbers):
            continue
        located.update(locate(subwords, numbers, texts[name], is_partial=is_partial))
    return located


def _by_group(subwords: Sequence[Subword], texts: Mapping[str, str], *, is_partial: bool) -> dict[int, Subword]:
    """Each run of subwords between special ones in the segment that it fits; if that fails, all of them in a row."""
    groups: list[list[int]] = [[]]
    for number, subword in enumerate(subwords):
        if is_special(subword):
            groups.append([])
        else:
            groups[-1].append(number)
    groups = [group for group in groups if group]
    has_offsets = any(subwords[number].start is not None for group in groups for number in group)
    try:
        return _assigned(subwords, groups, texts, is_partial=is_partial and (has_offsets or len(groups) > 1))
    except SubwordMismatch as fault:
        if has_offsets:
            raise
        try:
            return _in_a_row(subwords, texts, is_partial=is_partial)
        except SubwordMismatch as other_fault:
            raise (fault if len(groups) > 1 else other_fault) from None


def _assigned(
    subwords: Sequence[Subword], groups: Sequence[Sequence[int]], texts: Mapping[str, str], *, is_partial: bool
) -> dict[int, Subword]:
    """Groups that fit a segment whole take it first, then, if subwords may end early, those that fit its beginning."""
    located: dict[int, Subword] = {}
    free, waiting = dict(texts), list(groups)
    faults: list[SubwordMismatch] = []
    for may_end_early in (False, True) if is_partial else (False,):
        trying, waiting, faults = waiting, [], []
        for group in trying:
            try:
                name, fitted = _first_fit(subwords, group, free, is_partial=may_end_early)
            except SubwordMismatch as fault:
                waiting.append(group)
                faults.append(fault)
                continue
            del free[name]
            located |= {
                n: subword if subword.is_special else replace(subword, segment=name) for n, subword in fitted.items()
            }
    if faults:
        raise faults[0]
    return located


def _first_fit(
    subwords: Sequence[Subword], group: Sequence[int], texts: Mapping[str, str], *, is_partial: bool
) -> tuple[str, dict[int, Subword]]:
    """The first text that a group fits, with the places in it; raises the fault of the text that it fits longest."""
    reason = _("More parts than segments: no text for subword {group}.", group=group[0])
    farthest = SubwordMismatch(f"{reason[:-1]} {subwords[group[0]].text!r}.", -1)
    for name, text in texts.items():
        try:
            return name, locate(subwords, group, text, is_partial=is_partial)
        except SubwordMismatch as fault:
            if fault.subword > farthest.subword:
                farthest = fault
    raise farthest


def _in_a_row(subwords: Sequence[Subword], texts: Mapping[str, str], *, is_partial: bool) -> dict[int, Subword]:
    """All subwords matched with the segments' texts one after the other; the last segments may be missing as a whole."""
    names = list(texts)
    for n_segments in range(len(names), 0, -1):
        chosen = names[:n_segments]
        joined = _GAP.join(texts[name] for name in chosen)
        try:
            located = locate(subwords, range(len(subwords)), joined, is_partial=is_partial)
        except SubwordMismatch:
            if n_segments == 1 or is_partial:
                raise
            continue
        return {number: _moved(subword, chosen, texts) for number, subword in located.items()}
    raise InvalidValue(_("The instance has no segment."))


def _moved(subword: Subword, names: Sequence[str], texts: Mapping[str, str]) -> Subword:
    """A subword of texts that are read as one, in its own segment: that of its first character."""
    if subword.is_special or subword.start is None or subword.end is None:
        return subword
    starts = [0]
    for name in names[:-1]:
        starts.append(starts[-1] + len(texts[name]) + len(_GAP))
    number = bisect_right(starts, subword.start) - 1
    name, begin = names[number], starts[number]
    longest = len(texts[name])
    return replace(
        subword, start=min(subword.start - begin, longest), end=min(subword.end - begin, longest), segment=name
    )
