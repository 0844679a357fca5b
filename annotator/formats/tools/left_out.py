"""What the reader of a tool's export does not take, or takes otherwise than it stands there: counted, and said at the end."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from annotator.domain.numbers import counted
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.findings import listed
from annotator.formats.rows.plain_rows import LABELS_NOT_KEPT, are_set_names
from annotator.language import _, several

Thing = Literal[
    "open response", "discarded response", "odd response", "other answer", "emoji in Argilla", "unlabelled row",
    "comment", "relation", "several labels", "emoji in doccano", "prediction", "draft", "skipped annotation", "rejected task",
    "ignored task", "earlier annotation", "empty annotation", "several answers", "unlabelled region", "HTML region",
    "UTF-16 region",
]  # fmt: skip
Words = Callable[[int], str]


@dataclass(slots=True)
class LeftOut:
    """Counts it over a file, for one warning each. are_entities: the labels of spans become instances' labels."""

    source: str
    are_entities: bool = False
    _counts: Counter[Thing] = field(default_factory=Counter)
    _kinds: Counter[str] = field(default_factory=Counter)  # of results that no format of ours has
    _labels: Counter[str] = field(default_factory=Counter)  # of spans

    def add(self, thing: Thing, n: int = 1) -> None:
        """Count n more; texts without entities are counted where these are read."""
        if n and not (self.are_entities and thing == "unlabelled row"):
            self._counts[thing] += n

    def add_kind(self, kind: str) -> None:
        """Count one more result of a kind that is not read."""
        self._kinds[kind] += 1

    def add_labels(self, labels: Iterable[str]) -> None:
        """Count span-labels, whose names no set keeps."""
        self._labels.update(labels)

    def warnings(self) -> Iterator[Problem]:
        """One warning for each thing counted."""
        for thing, n in self._counts.items():
            yield Problem(self.source, None, "file", str(n), _WORDS[thing](n), is_warning=True)
        for kind, n in self._kinds.items():
            yield Problem(self.source, None, "file", str(n), _kind_words(kind, n), is_warning=True)
        if not self.are_entities and not are_set_names(list(self._labels)):
            yield Problem(self.source, None, "file", listed(list(self._labels)), _(LABELS_NOT_KEPT), is_warning=True)


@dataclass(slots=True)
class ExportReader:
    """What reads a file of a tool, and counts what it leaves out."""

    source: str
    options: ReadOptions
    left_out: LeftOut = field(init=False)

    def __post_init__(self) -> None:
        self.left_out = LeftOut(self.source, self.options.entities)


def _kind_words(kind: str, n: int) -> str:
    return _skipped(several("{n} result of type '{kind}'", "{n} results of type '{kind}'", n, kind=kind))


def _skipped(what: str) -> str:
    return _("{what} skipped.", what=what)


def _utf_16(what: str, setting: str) -> str:
    return _("{what} with emoji or similar read as UTF-16. Otherwise set {setting}.", what=what, setting=setting)


_WORDS: dict[Thing, Words] = {
    "open response": lambda n: _skipped(counted(n, "unsubmitted response")),
    "discarded response": lambda n: _skipped(counted(n, "discarded response")),
    "odd response": lambda n: several(
        "{n} response skipped: not spans, a label or text.", "{n} responses skipped: not spans, a label or text.", n
    ),
    "other answer": lambda n: _skipped(counted(n, "answer to another question", "answers to other questions")),
    "emoji in Argilla": lambda n: _utf_16(counted(n, "record"), 'metadata "offsets": "characters"'),
    "unlabelled row": lambda n: several(
        "{n} row without a label counts as unannotated.", "{n} rows without labels count as unannotated.", n
    ),
    "comment": lambda n: _skipped(counted(n, "comment on an unlabelled row", "comments on unlabelled rows")),
    "relation": lambda n: _skipped(counted(n, "relation")),
    "several labels": lambda n: _skipped(
        counted(n, "row's multiple whole-text labels", "rows' multiple whole-text labels")
    ),
    "emoji in doccano": lambda n: _utf_16(counted(n, "row"), '"offsets": "graphemes" / "characters"'),
    "prediction": lambda n: several(
        "{n} prediction skipped: model marks aren't gold.", "{n} predictions skipped: model marks aren't gold.", n
    ),
    "draft": lambda n: _skipped(counted(n, "unsubmitted draft")),
    "skipped annotation": lambda n: _skipped(
        counted(n, "annotation of a cancelled task", "annotations of cancelled tasks")
    ),
    "rejected task": lambda n: several(
        "{n} rejected row imported without marks.", "{n} rejected rows imported without marks.", n
    ),
    "ignored task": lambda n: several(
        "{n} ignored row imported without marks.", "{n} ignored rows imported without marks.", n
    ),
    "earlier annotation": lambda n: _skipped(counted(n, "superseded annotation")),
    "empty annotation": lambda n: _skipped(counted(n, "unreadable annotation")),
    "several answers": lambda n: _skipped(counted(n, "multi-answer question")),
    "unlabelled region": lambda n: _skipped(counted(n, "region without a label", "regions without labels")),
    "HTML region": lambda n: several(
        "{n} HTML region skipped; use plain text.", "{n} HTML regions skipped; use plain text.", n
    ),
    "UTF-16 region": lambda n: several(
        "{n} region in UTF-16 units (old Label Studio) converted.",
        "{n} regions in UTF-16 units (old Label Studio) converted.",
        n,
    ),
}
