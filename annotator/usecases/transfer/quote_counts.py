"""What is told of a file of self-explanations as a whole: its answers, and the quotes that are in their texts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from annotator.domain.models import Output
from annotator.domain.numbers import counted
from annotator.errors import Problem
from annotator.formats.model_output.self_explanations import FAILED, STRANGE, UNREAD
from annotator.language import _, listed, several

_T = TypeVar("_T")
_LEFT_OUT = (UNREAD, STRANGE, FAILED)


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
            if isinstance(item, Problem) and item.is_warning and item.field in _LEFT_OUT:
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
        words = several(
            "{answers} with {quotes}: {n_found} found in their texts, {n} is not there.",
            "{answers} with {quotes}: {n_found} found in their texts, {n} are not there.",
            self.n_missing,
            answers=counted(self.n_answers, "answer"),
            quotes=counted(self.n_quotes, "quote"),
            n_found=f"{self.n_quotes - self.n_missing:,}",
        )
        left = [_left_out_words(what, n) for what in _LEFT_OUT if (n := self.left_out[what])]
        return [words, *([_("Left out: {parts}.", parts=listed(left))] if left else [])]


def _left_out_words(what: str, n: int) -> str:
    if what == UNREAD:
        return several("{n} answer could not be read", "{n} answers could not be read", n)
    if what == FAILED:
        return several("{n} line holds no answer", "{n} lines hold no answer", n)
    return several(
        "{n} answer has a label that the project does not have",
        "{n} answers have labels that the project does not have",
        n,
    )
