"""What the reader of a tool's export does not take, or takes otherwise than it stands there: counted, and said at the end."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from annotator.errors import Problem
from annotator.formats.rows.findings import listed
from annotator.formats.rows.mark_columns import LABELS_NOT_KEPT, are_set_names
from annotator.language import _, several

Thing = Literal[
    "suggestion", "open response", "discarded response", "odd response", "other answer", "emoji in Argilla", "unlabelled row",
    "comment", "relation", "several labels", "emoji in doccano", "prediction", "draft", "skipped annotation", "rejected task",
    "ignored task", "earlier annotation", "empty annotation", "several answers", "unlabelled region", "HTML region",
    "UTF-16 region",
]  # fmt: skip
Words = Callable[[int], str]


@dataclass(slots=True)
class LeftOut:
    """Counts it over a file, for one warning each."""

    source: str
    _counts: Counter[Thing] = field(default_factory=Counter)
    _kinds: Counter[str] = field(default_factory=Counter)  # of results that no format of ours has
    _labels: Counter[str] = field(default_factory=Counter)  # of spans

    def add(self, thing: Thing, n: int = 1) -> None:
        """Count n more."""
        if n:
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
        if not are_set_names(list(self._labels)):
            yield Problem(self.source, None, "file", listed(list(self._labels)), _(LABELS_NOT_KEPT), is_warning=True)


def _kind_words(kind: str, n: int) -> str:
    return several(
        "{n} result of the kind '{kind}' was left out.", "{n} results of the kind '{kind}' were left out.", n, kind=kind
    )


_WORDS: dict[Thing, Words] = {
    "suggestion": lambda n: several(
        "{n} suggestion was left out, since a model's marks are not gold.",
        "{n} suggestions were left out, since a model's marks are not gold.",
        n,
    ),
    "open response": lambda n: several(
        "{n} response was left out, which nobody has submitted.",
        "{n} responses were left out, which nobody has submitted.",
        n,
    ),
    "discarded response": lambda n: several(
        "{n} response was left out (discarded).", "{n} responses were left out (discarded).", n
    ),
    "odd response": lambda n: several(
        "{n} response was left out, being neither spans nor one label or text.",
        "{n} responses were left out, being neither spans nor one label or text.",
        n,
    ),
    "other answer": lambda n: several(
        "{n} answer to another question was left out.", "{n} answers to another question were left out.", n
    ),
    "emoji in Argilla": lambda n: several(
        "{n} record holds signs such as emoji; offsets were read as UTF-16 units, as Argilla's screen counts. If a script "
        'counted characters, add "offsets": "characters" to the metadata.',
        "{n} records hold signs such as emoji; offsets were read as UTF-16 units, as Argilla's screen counts. If a script "
        'counted characters, add "offsets": "characters" to the metadata.',
        n,
    ),
    "unlabelled row": lambda n: several(
        "{n} row has no label and is taken as not annotated, since doccano does not say.",
        "{n} rows have no label and are taken as not annotated, since doccano does not say.",
        n,
    ),
    "comment": lambda n: several(
        "{n} comment on a row without a label was left out.", "{n} comments on a row without a label were left out.", n
    ),
    "relation": lambda n: several("{n} relation was left out.", "{n} relations were left out.", n),
    "several labels": lambda n: several(
        "{n} row has several labels for the whole text, which were left out.",
        "{n} rows have several labels for the whole text, which were left out.",
        n,
    ),
    "emoji in doccano": lambda n: several(
        "{n} row holds signs such as emoji; offsets were read as UTF-16 units, as doccano counts. If the project counts "
        'grapheme clusters, or a script counted characters, add "offsets": "graphemes" or "characters".',
        "{n} rows hold signs such as emoji; offsets were read as UTF-16 units, as doccano counts. If the project counts "
        'grapheme clusters, or a script counted characters, add "offsets": "graphemes" or "characters".',
        n,
    ),
    "prediction": lambda n: several(
        "{n} prediction was left out, since a model's marks are not gold.",
        "{n} predictions were left out, since a model's marks are not gold.",
        n,
    ),
    "draft": lambda n: several(
        "{n} draft was left out, which nobody has submitted.",
        "{n} drafts were left out, which nobody has submitted.",
        n,
    ),
    "skipped annotation": lambda n: several(
        "{n} annotation was left out, since the task was skipped (cancelled).",
        "{n} annotations were left out, since the task was skipped (cancelled).",
        n,
    ),
    "rejected task": lambda n: several(
        "{n} row was rejected; its text is read, and its marks are left out.",
        "{n} rows were rejected; their texts are read, and their marks are left out.",
        n,
    ),
    "ignored task": lambda n: several(
        "{n} row was ignored by its annotator; its text is read, and its marks are left out.",
        "{n} rows were ignored by their annotators; their texts are read, and their marks are left out.",
        n,
    ),
    "earlier annotation": lambda n: several(
        "{n} annotation was left out, since the same person has a later one of the task.",
        "{n} annotations were left out, since the same person has a later one of the task.",
        n,
    ),
    "empty annotation": lambda n: several(
        "{n} annotation was left out, with nothing of a kind that can be read.",
        "{n} annotations were left out, with nothing of a kind that can be read.",
        n,
    ),
    "several answers": lambda n: several(
        "{n} question with several answers was left out, since a result is one label or one answer.",
        "{n} questions with several answers were left out, since a result is one label or one answer.",
        n,
    ),
    "unlabelled region": lambda n: several(
        "{n} region without a label was left out.", "{n} regions without a label were left out.", n
    ),
    "HTML region": lambda n: several(
        "{n} region of HTML was left out; give Label Studio plain text in a Text tag.",
        "{n} regions of HTML were left out; give Label Studio plain text in a Text tag.",
        n,
    ),
    "UTF-16 region": lambda n: several(
        "{n} region counts in UTF-16 units, as old versions of Label Studio did; converted.",
        "{n} regions count in UTF-16 units, as old versions of Label Studio did; converted.",
        n,
    ),
}
