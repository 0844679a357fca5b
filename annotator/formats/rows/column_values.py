"""What the columns of a file hold, as far as its first rows show it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotator.errors import Problem
from annotator.formats.rows.lines import Row
from annotator.formats.rows.marks import hold_marks

_ROWS_LOOKED_AT = 5_000
_MOST_VALUES = 12
_LONGEST_VALUE = 40
_ROWS_A_VALUE = 5


@dataclass(slots=True)
class ColumnValues:
    """The cells of one column that are not empty.

    values: the different ones; None where they are many, long or nested. are_marks: whether one of them looks like marks
    """

    n: int = 0
    n_characters: int = 0
    values: set[str] | None = field(default_factory=set)
    are_marks: bool = False

    def add(self, value: object) -> None:
        """One more cell."""
        if value is None or value == "":
            return
        self.n += 1
        self.are_marks = self.are_marks or hold_marks(value)
        is_plain = isinstance(value, str | int)
        text = str(value) if is_plain else ""
        self.n_characters += len(text)
        if self.values is not None:
            self.values.add(text)
            if not is_plain or len(text) > _LONGEST_VALUE or len(self.values) > _MOST_VALUES:
                self.values = None

    def are_among(self, known: Iterable[str]) -> bool:
        """Whether each cell holds one of the known words, in upper or lower case."""
        words = {word.casefold() for word in known}
        return bool(self.values) and all(value.casefold() in words for value in self.values or ())

    @property
    def are_few(self) -> bool:
        """Whether a few values come again and again, as those of a label do."""
        return self.values is not None and len(self.values) > 1 and self.n >= _ROWS_A_VALUE * len(self.values)

    @property
    def mean_length(self) -> float:
        """Characters a cell; 0 without cells."""
        return self.n_characters / self.n if self.n else 0.0


@dataclass(slots=True)
class Columns:
    """The columns that were met, in their order, with what they hold."""

    by_name: dict[str, ColumnValues] = field(default_factory=dict)
    n_rows: int = 0

    def add(self, row: Mapping[str, object]) -> None:
        """Look at one more row; the first thousands are enough."""
        self.n_rows += 1
        if self.n_rows > _ROWS_LOOKED_AT:
            return
        for name, value in row.items():
            values = self.by_name.get(name)
            if values is None:
                values = self.by_name[name] = ColumnValues()
            values.add(value)

    def watched(self, rows: Iterable[Row | Problem]) -> Iterator[Row | Problem]:
        """The same rows; each was looked at."""
        for row in rows:
            if isinstance(row, Row):
                self.add(row.values)
            yield row

    def of(self, name: str) -> ColumnValues:
        """What a column holds; nothing where it was not met."""
        return self.by_name.get(name) or ColumnValues()
