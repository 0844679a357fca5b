"""Versions of a project's guidelines, and what changed from one to another."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from annotator.errors import InvalidValue
from annotator.language import _, listed, together

Change = Literal["kept", "removed", "added"]
_AROUND = 1  # lines that are shown beside each change


@dataclass(frozen=True, slots=True)
class GuidelinesVersion:
    """One version of a project's guidelines, numbered from 1. is_small: nobody is asked to read them again for it."""

    number: int
    text: str
    made_by: str
    made_at: str
    is_small: bool = False


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line that was removed or added, or one that stands beside such a line."""

    change: Change
    text: str


def changed_lines(before: str, after: str) -> tuple[ChangedLine, ...]:
    r"""The lines that were removed and added, each with the line before and after it.

    >>> [(line.change, line.text) for line in changed_lines("Read.\nMark all.", "Read.\nMark little.")]
    [('kept', 'Read.'), ('removed', 'Mark all.'), ('added', 'Mark little.')]
    """
    return tuple(_changed(before.splitlines(), after.splitlines()))


def _changed(before: list[str], after: list[str]) -> Iterator[ChangedLine]:
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_AROUND):
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (ChangedLine("kept", line) for line in before[start:end])
            else:
                yield from (ChangedLine("removed", line) for line in before[start:end])
                yield from (ChangedLine("added", line) for line in after[new_start:new_end])


# Worked examples in guidelines: fenced blocks of Markdown that show a text with its sets marked.


_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*?)\s*")
_FIELD = re.compile(r"\s*(?P<name>label|why):\s*(?P<value>.*)", re.IGNORECASE)
# A set that begins, one that ends, or a bracket that is only one.
_BRACKET = re.compile(r"\[(?P<letter>[A-Z]):\s*|(?P<end>\])|\\(?P<plain>[\[\]])")
_LETTERS = "ABCDEFGHI"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of an example, and the letters of the sets that they are in, the outermost first."""

    text: str
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example. why: the sentence that says what it shows."""

    pieces: tuple[Piece, ...]
    label: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class BadExample:
    """An example that cannot be drawn: what is wrong, in which line of the guidelines."""

    problem: str


Part = str | Example | BadExample


def parts_of(guidelines: str) -> list[Part]:
    """Guidelines as they are drawn: Markdown, and the examples in it.

    >>> parts_of("Mark little.")
    ['Mark little.']
    """
    parts: list[Part] = []
    markdown: list[str] = []
    lines = guidelines.splitlines()
    at = 0
    while at < len(lines):
        end = _end_of_block(lines, at)
        if end is None:
            markdown.append(lines[at])
            at += 1
        elif not _is_example(lines[at]):
            markdown += lines[at : end + 1]
            at = end + 1
        else:
            parts += ["\n".join(markdown), _example_or_problem(lines, at, end)]
            markdown = []
            at = end + 1
    return [part for part in (*parts, "\n".join(markdown)) if not isinstance(part, str) or part.strip()]


def require_sound_examples(guidelines: str, labels: Sequence[str] = ()) -> None:
    """labels: of the project; () where it has none yet, or asks for answers.

    Raises: InvalidValue with every example that cannot be drawn, each with its line, or is of a label that there is not
    """
    parts = parts_of(guidelines)
    problems = [part.problem for part in parts if isinstance(part, BadExample)]
    shown = dict.fromkeys(part.label for part in parts if isinstance(part, Example) and part.label)
    unknown = [label for label in shown if labels and label not in labels]
    if unknown:
        problems.append(
            _(
                "Examples have the label {unknown}; the project has {labels}.",
                unknown=listed([f"“{label}”" for label in unknown]),
                labels=listed([f"“{label}”" for label in labels]),
            )
        )
    if problems:
        raise InvalidValue(together(*problems))


def _is_example(line: str) -> bool:
    fence = _FENCE.fullmatch(line)
    return fence is not None and fence["info"].casefold() == "example"


def _end_of_block(lines: list[str], start: int) -> int | None:
    """The line that closes the block which begins here, the number of lines where nothing does; None where none begins."""
    fence = _FENCE.fullmatch(lines[start])
    if fence is None:
        return None
    closing = re.compile(rf" {{0,3}}{re.escape(fence['fence'][0])}{{{len(fence['fence'])},}}\s*")
    return next((at for at in range(start + 1, len(lines)) if closing.fullmatch(lines[at])), len(lines))


def _example_or_problem(lines: list[str], start: int, end: int) -> Example | BadExample:
    try:
        if end == len(lines):
            raise InvalidValue(_("Line {number}: close the example with ``` on its own line.", number=start + 1))
        return _example(lines[start + 1 : end], start + 2)
    except InvalidValue as error:
        return BadExample(str(error))


def _example(lines: list[str], first: int) -> Example:
    fields: dict[str, str] = {}
    pieces: list[Piece] = []
    for number, line in enumerate(lines, first):
        if field := _FIELD.fullmatch(line):
            if field["name"].lower() in fields:
                raise InvalidValue(
                    _("Line {number}: two “{field}:” lines. Remove one.", number=number, field=field["name"])
                )
            fields[field["name"].lower()] = field["value"].strip()
        else:
            pieces += [*([Piece("\n")] if pieces else []), *_pieces(line, number)]
    if not any(piece.text.strip() for piece in pieces):
        raise InvalidValue(_("Line {number}: the example has no text.", number=first - 1))
    return Example(tuple(pieces), fields.get("label", ""), fields.get("why", ""))


def _pieces(line: str, number: int) -> Iterator[Piece]:
    """The words of a line with the sets that they are in; a bracket that belongs to no set is one."""
    opened: list[str] = []
    start = 0
    for bracket in _BRACKET.finditer(line):
        if bracket["end"] and not opened:
            continue
        if text := line[start : bracket.start()]:
            yield Piece(text, tuple(opened))
        start = bracket.end()
        if bracket["plain"]:
            yield Piece(bracket["plain"], tuple(opened))
        elif bracket["end"]:
            opened.pop()
        else:
            _check_letter(bracket["letter"], opened, number)
            opened.append(bracket["letter"])
    if opened:
        raise InvalidValue(_("Line {number}: set {opened} isn't closed. Add “]”.", number=number, opened=opened[-1]))
    if text := line[start:]:
        yield Piece(text)


def _check_letter(letter: str, opened: list[str], number: int) -> None:
    if letter not in _LETTERS:
        raise InvalidValue(
            _("Line {number}: no set “[{letter}:”; use A to {last}.", number=number, letter=letter, last=_LETTERS[-1])
        )
    if letter in opened:
        raise InvalidValue(
            _("Line {number}: set {letter} contains itself. Remove one “[{letter}:”.", number=number, letter=letter)
        )
