"""The columns of plain rows: what they are called in our words, which holds what, and how their values are read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from annotator.domain.tasks import Task
from annotator.errors import Problem
from annotator.formats.rows.findings import either
from annotator.formats.rows.lines import Row
from annotator.formats.rows.marks import hold_marks

NUMBER = "number"  # the remedy of a row without a key: that its text gets a number
KEY_NAMES = ("id", "key", "instance_id", "annotation_id", "sent_id")

# A plain column's other names; the first that stands in the row is taken.
FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "key": KEY_NAMES,
    "split": ("split",),
    "language": ("language", "lang"),
    "annotator": ("annotator",),
    "annotator_label": ("annotator_label", "annotator_answer"),
    "rationales": ("rationales",),
    "rationale_index": ("rationale_index", "rationale_tokens"),
    "rationale_mask": ("rationale_mask", "rationale_binary"),
    "rationale_quotes": ("rationale_quotes",),
    "note": ("note",),
    "exhaustive": ("exhaustive",),
    "parent": ("parent", "parent_key"),
    "perturbation_kind": ("perturbation_kind",),
    "tokens": ("tokens",),
    "metadata": ("metadata", "meta"),
}
_RESULT_NAMES = {"label": ("label", "answer"), "answer": ("answer", "label")}

# By task and segment: what data sets call it. A segment's own name always comes first.
SEGMENT_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "sentiment": {"text": ("sentence", "context", "review")},
    "similarity": {"sentence1": ("query", "text1"), "sentence2": ("title", "text2")},
    "reading": {"passage": ("context", "text", "document"), "question": ("query",)},
    "inference": {"premise": ("sentence1", "text1"), "hypothesis": ("sentence2", "text2")},
    "verification": {"document": ("text", "context", "passage"), "query": ("claim", "question")},
    "editing": {"text": ("sentence",)},
    "choice": {"question": ("text", "query"), "choices": ("options",)},
    "entity": {"text": ("sentence", "context")},
}


def field_names(task: Task) -> dict[str, tuple[str, ...]]:
    """The names of every plain field that is no segment, for a task; `target` only where the task has one."""
    names = {**FIELD_NAMES, "result": _RESULT_NAMES[task.result_kind]}
    return {**names, "target": ("target",)} if task.has_target else names


def our_name(task: Task, written: str) -> str | None:
    """What a person who chooses a column calls a field of ours, or a segment, in our words.

    >>> from annotator.domain.tasks import TASKS
    >>> our_name(TASKS["sentiment"], "id"), our_name(TASKS["sentiment"], "sentence"), our_name(TASKS["sentiment"], "x")
    ('key', 'text', None)
    """
    names = field_names(task)
    if written in names:
        return written
    return next((name for name, others in names.items() if written in others), None) or segment_of(task, written)


def segment_of(task: Task, name: str) -> str | None:
    """The segment that a column or field of this name holds.

    >>> from annotator.domain.tasks import TASKS
    >>> segment_of(TASKS["reading"], "context"), segment_of(TASKS["verification"], "document2")
    ('passage', 'document2')
    """
    if task.spec_of(name) is not None:
        return name
    aliases = SEGMENT_NAMES.get(task.name, {})
    return next((segment for segment, names in aliases.items() if name in names and task.spec_of(segment)), None)


def accepted_names(task: Task, segment: str) -> str:
    """The names under which a segment is looked for, for messages."""
    names = (segment, *SEGMENT_NAMES.get(task.name, {}).get(segment, ()))
    return either([f"'{name}'" for name in names])


# Which column of a plain row holds what.


_MOST_PLANS = 1_000


@dataclass(frozen=True, slots=True)
class Plan:
    """Which columns hold what, for rows with the same columns: (our name, column)."""

    fields: tuple[tuple[str, str], ...]
    segments: tuple[tuple[str, str], ...]
    metadata: tuple[str, ...]
    names: Mapping[str, str]


def make_plan(
    task: Task,
    columns: tuple[str, ...],
    chosen: Mapping[str, str] = MappingProxyType({}),
    left: frozenset[str] = frozenset(),
) -> Plan:
    """Columns are found by name; a segment's own name goes before its other names, and what is left is metadata.

    chosen: the column of a field or segment, which goes before those that are called like it; left: those that are not read
    """
    columns = tuple(column for column in columns if column not in left)
    met = {name: column for name, column in chosen.items() if column in columns}
    segments = {name: column for name, column in met.items() if task.spec_of(name) is not None}
    fields = {name: column for name, column in met.items() if name not in segments}
    free = set(columns) - set(met.values())
    for name, candidates in field_names(task).items():
        column = next((c for c in candidates if c in free and task.spec_of(c) is None), None)
        if column is not None and name not in fields:
            fields[name] = column
            free.discard(column)
    for own_name_first in (True, False):
        for column in columns:
            segment = segment_of(task, column)
            is_free = segment is not None and segment not in segments and column in free
            if segment is not None and is_free and (segment == column) is own_name_first:
                segments[segment] = column
    taken = {*fields.values(), *segments.values()}
    rest = tuple(column for column in columns if column not in taken)
    return Plan(tuple(fields.items()), tuple(segments.items()), rest, fields)


@dataclass(slots=True)
class Planner:
    """The plans of one file, each made once."""

    task: Task
    chosen: Mapping[str, str] = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    _plans: dict[tuple[str, ...], Plan] = field(default_factory=dict)

    def plan(self, columns: tuple[str, ...]) -> Plan:
        """The plan for rows with these columns."""
        known = self._plans.get(columns)
        if known is None:
            if len(self._plans) > _MOST_PLANS:
                self._plans.clear()
            known = self._plans[columns] = make_plan(self.task, columns, self.chosen, self.left)
        return known


# What the columns of a file hold, as far as its first rows show it.


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
