"""Numbers as keys for the rows of a file that has none: the same row has the same number when it comes again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.sources import SourceText
from annotator.language import _, several
from annotator.store import Store
from annotator.store.instances import iterate_keyed_texts

_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_NAMED = 5


@dataclass(slots=True)
class RowNumbers:
    """Gives numbers to texts, behind those that stand in the project.

    A text that stands there under a number, in the same split, keeps it, wherever it now stands in the file. Rows of several
    annotators of one text have one number; otherwise a text that stands twice has two.
    prefix: what stands before every key
    """

    store: Store
    project: Project
    prefix: str = ""
    n_rows: int = 0
    n_kept: int = 0
    doubles: list[int] = field(default_factory=list)  # lines of rows with a text that stood before
    _first: int | None = None
    _last: int = 0  # the highest number so far
    _is_read: bool = False
    _free: dict[int, list[int]] = field(default_factory=dict)  # by split and texts, stored numbers that no row has yet
    _given: dict[int, list[tuple[int, set[str]]]] = field(
        default_factory=dict
    )  # and those that rows have, by annotator

    def key(self, split: str, texts: Mapping[str, SourceText | str], annotator: str | None, line: int | None) -> str:
        """The key of a row. annotator: whose row it is, where the file says it."""
        self._read()
        name = self._name(split, [self._text(texts[n]) for n in self.project.task.in_numbering_order(list(texts))])
        of_text = self._given.setdefault(name, [])
        if annotator is not None:
            for number, annotators in of_text:
                if annotator not in annotators:
                    annotators.add(annotator)
                    return f"{self.prefix}{number}"
        if of_text:
            self.doubles.append(line or 0)
        number = self._next(name)
        of_text.append((number, set() if annotator is None else {annotator}))
        return f"{self.prefix}{number}"

    def notes(self) -> list[str]:
        """What the rows have as keys, in sentences."""
        if not self.n_rows:
            return []
        n_new = self.n_rows - self.n_kept
        sentences = [self._number_words(n_new)]
        if self.doubles:
            lines = ", ".join(map(str, self.doubles[:_NAMED])) + (", …" if len(self.doubles) > _NAMED else "")
            sentences.append(
                several(
                    "{n} row repeats the text of an earlier row (line {lines}); each has a number of its own.",
                    "{n} rows repeat texts of earlier rows (lines {lines}); each has a number of its own.",
                    len(self.doubles),
                    lines=lines,
                )
            )
        return sentences

    def _number_words(self, n_new: int) -> str:
        """How many texts have the number that they had, and which numbers the others got."""
        values = {"texts": counted(self.n_rows, "text"), "n_kept": f"{self.n_kept:,}", "n_new": f"{n_new:,}"}
        values |= {"first": f"{self.prefix}{self._first}", "last": f"{self.prefix}{self._last}"}
        if not n_new:
            return _(
                "{texts} without a key got a number as key: {n_kept} of them the number that they have in the project.",
                **values,
            )
        if not self.n_kept:
            if n_new == 1:
                return _("{texts} without a key got a number as key: {n_new} new: {first}.", **values)
            return _("{texts} without a key got a number as key: {n_new} new: {first} to {last}.", **values)
        if n_new == 1:
            return _(
                "{texts} without a key got a number as key: {n_kept} of them the number that they have in the project; "
                "{n_new} new: {first}.",
                **values,
            )
        return _(
            "{texts} without a key got a number as key: {n_kept} of them the number that they have in the project; {n_new} new: "
            "{first} to {last}.",
            **values,
        )

    def _next(self, name: int) -> int:
        self.n_rows += 1
        if free := self._free.get(name):
            self.n_kept += 1
            return free.pop(0)
        self._last += 1
        self._first = self._last if self._first is None else self._first
        return self._last

    def _read(self) -> None:
        if self._is_read:
            return
        self._is_read = True
        for instance, _is_discarded, segments in iterate_keyed_texts(self.store, self.project.id):
            number = instance.key.removeprefix(self.prefix)
            if instance.key.startswith(self.prefix) and _NUMBER.fullmatch(number):
                self._last = max(self._last, int(number))
                name = self._name(instance.source_split, [text for _, text in segments])
                self._free.setdefault(name, []).append(int(number))
        for numbers in self._free.values():
            numbers.sort()

    @staticmethod
    def _name(split: str, texts: list[str]) -> int:
        return hash((split, *filter(None, texts)))

    @staticmethod
    def _text(body: SourceText | str) -> str:
        return body if isinstance(body, str) else body.text
