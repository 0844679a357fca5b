"""What is told of a file of self-explanations as a whole: its answers, and the quotes that are in their texts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from annotator.domain.models import Output
from annotator.domain.numbers import counted
from annotator.errors import Problem
from annotator.formats.model_output.explained_answers import FAILED, STRANGE, UNREAD

_T = TypeVar("_T")
_WORDS = {
    UNREAD: ("answer could not be read", "answers could not be read"),
    STRANGE: (
        "answer has a label that the project does not have",
        "answers have labels that the project does not have",
    ),
    FAILED: ("line holds no answer", "lines hold no answer"),
}


class QuoteCounts:
    """Counts what passes on its way from the file, and what was found of it."""

    def __init__(self) -> None:
        self.n_answers = 0
        self.left_out: Counter[str] = Counter()
        self.n_quotes = 0
        self.n_missing = 0

    def each(self, items: Iterable[_T]) -> Iterator[_T]:
        """The same items."""
        for item in items:
            if isinstance(item, Problem) and item.is_warning and item.field in _WORDS:
                self.left_out[item.field] += 1
            self.n_answers += not isinstance(item, Problem)
            yield item

    def add(self, output: Output) -> None:
        """An output of which the quotes have been looked for."""
        for rationale in output.rationales:
            if rationale.quotes is not None:
                self.n_quotes += rationale.quotes.n
                self.n_missing += rationale.quotes.n_missing

    def notes(self) -> list[str]:
        """The counts in sentences; nothing for a file of something else."""
        if not self.n_quotes and not self.left_out:
            return []
        quotes = counted(self.n_quotes, "quote")
        is_are = "is" if self.n_missing == 1 else "are"
        of_quotes = f"{self.n_quotes - self.n_missing:,} found in their texts, {self.n_missing:,} {is_are} not there"
        notes = [f"{counted(self.n_answers, 'answer')} with {quotes}: {of_quotes}."]
        left = [counted(self.left_out[what], *words) for what, words in _WORDS.items() if self.left_out[what]]
        return [*notes, *([f"Left out: {', '.join(left)}."] if left else [])]
