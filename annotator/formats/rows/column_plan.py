"""Which column of a plain row holds what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from annotator.domain.tasks import Task
from annotator.formats.rows.column_names import field_names, segment_of

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
