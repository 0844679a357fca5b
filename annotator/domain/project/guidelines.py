"""Versions of a project's guidelines, and what changed from one to another."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

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
