"""CSV that people open in a spreadsheet: text that would run there as a formula stays text.

The one way to such a file. What programs read back is written elsewhere, as it is: the golden TSV files of the benchmark, whose
scripts would take an added apostrophe for a part of the text.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TextIO

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")  # with apostrophes of its own, so that ours can be taken off again
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def written_csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A line of heads and a line for each row; None is an empty cell."""
    text = io.StringIO()
    write_csv(text, heads, rows)
    return text.getvalue()


def write_csv(file: TextIO, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The same into a file, row by row, so that memory does not grow with it."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([as_words(head) for head in heads])
    writer.writerows([as_words(cell) for cell in row] for row in rows)


def as_words(cell: object) -> object:
    """A cell's value; an apostrophe before text that begins like a formula. Numbers stay numbers, written as text too.

    >>> [as_words(cell) for cell in ("=1+1", "-0.5", -0.5, "-a", "a=b", None)]
    ["'=1+1", '-0.5', -0.5, "'-a", 'a=b', None]
    """
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def without_apostrophe(cell: str) -> str:
    """The text that `as_words` wrote as this cell.

    >>> [without_apostrophe(as_words(text)) for text in ("=1+1", "'-a", "'a", "-0.5")]
    ['=1+1', "'-a", "'a", '-0.5']
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
