"""Rows of the table of metrics beside each other: how they are referred to, compared, and where they differ most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

import numpy as np

from annotator.domain.instances import Instance
from annotator.domain.numbers import signed, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _, unsaid
from annotator.metrics.ragged import Floats, Integers
from annotator.scoring.row_differences import AgainstTable, ComparedRow, against, pair_of, with_seeds_apart
from annotator.scoring.table import Column, MetricRow, MetricTable, without_repeats
from annotator.store import Store
from annotator.store.instances import instances_without_texts
from annotator.store.models import list_runs
from annotator.usecases.access.rights import require
from annotator.usecases.compare.differences import LONG
from annotator.usecases.compare.row_names import compared_name, compared_row
from annotator.usecases.inspect.metrics_table import metric_view, named

_AT_ONCE = 10_000  # instances that are read together


def rows_against(
    table: MetricTable, reference: str, names: Sequence[str] = (), chosen_rows: Sequence[str] = (), *,
    model: str | None = None, method: str | None = None,
) -> AgainstTable:  # fmt: skip
    """All other rows, or these (of a model, of a method), against the row of a name; the columns are those of `metric_view`.

    Raises: NotFound for a row or a metric that is not there, and where there is no other row
    """
    columns = metric_view(table, names, is_shared=False).columns
    rows = without_repeats(table.rows)[0]
    chosen = compared_row(rows, table.random, reference)
    candidates = [compared_row(rows, table.random, name) for name in chosen_rows] or with_seeds_apart(rows, chosen)
    others = [row for row in candidates if model in (None, row.row.model) and method in (None, row.row.method)]
    if not others:
        raise NotFound(_("Nothing to compare with '{row}'.", row=reference))
    return against(table, chosen, others, columns)


@dataclass(frozen=True, slots=True, eq=False)
class TwoRows:
    """A row and what it is compared with, in one column."""

    table: MetricTable
    column: Column
    row: ComparedRow
    reference: ComparedRow

    @property
    def names(self) -> tuple[str, str]:
        """Of the row and of the reference."""
        rows = without_repeats(self.table.rows)[0]
        return compared_name(self.row, rows), compared_name(self.reference, rows)


def two_rows(table: MetricTable, row: str, reference: str, metric: str) -> TwoRows:
    """Two rows by their names.

    Raises: NotFound for a row or a metric that is not there; InvalidValue for values that are not compared
    """
    [column] = metric_view(table, [metric], is_shared=False).columns
    rows = without_repeats(table.rows)[0]
    pair = TwoRows(table, column, *(compared_row(rows, table.random, name) for name in (row, reference)))
    cell = against(table, pair.reference, [pair.row], [column]).cell(0, column)
    if isinstance(cell, str):
        name, other = pair.names
        why = _(LONG.get(cell, unsaid("The row lacks this number.")))
        raise InvalidValue(
            _(
                "{row} and {other} can't be compared on {metric}. {why}",
                row=name,
                other=other,
                metric=column.name,
                why=why,
            )
        )
    return pair


def pairs_of(made: AgainstTable) -> Iterator[TwoRows]:
    """The rows and columns that are compared, each with the reference."""
    for at, row in enumerate(made.rows):
        for column in made.columns:
            if not isinstance(made.cell(at, column), str):
                yield TwoRows(made.table, column, row, made.reference)


@dataclass(frozen=True, slots=True)
class DifferingInstance:
    """An instance with the values of both rows."""

    id: int
    key: str
    split: str
    result: str | None
    value: float
    of_reference: float

    @property
    def difference(self) -> float:
        return self.value - self.of_reference


@dataclass(frozen=True, slots=True)
class DifferingInstances:
    """The largest differences either way, the largest first; equal ones in the order of the project."""

    higher: tuple[DifferingInstance, ...]
    lower: tuple[DifferingInstance, ...]


def differing_instances(
    store: Store, actor: User, project: Project, pair: TwoRows, *, most: int | None = 10
) -> DifferingInstances:
    """In which instances a row's values are most above and most below the reference's; what does not differ is not among them.

    most: so many either way; None: all
    """
    require(store, actor, project.id, "export")
    table = pair.table
    places, values, of_reference = pair_of(table, pair.column, pair.row, pair.reference)
    differences = values - of_reference
    falling = np.argsort(-differences, kind="stable")
    rising = np.argsort(differences, kind="stable")
    parts = falling[differences[falling] > 0][:most], rising[differences[rising] < 0][:most]
    higher, lower = (_instances(store, table, places[part], values[part], of_reference[part]) for part in parts)
    return DifferingInstances(higher, lower)


def shared_instances(store: Store, actor: User, project: Project, pair: TwoRows) -> tuple[DifferingInstance, ...]:
    """All instances that both rows have a value for, in the order of the project."""
    require(store, actor, project.id, "export")
    return _instances(store, pair.table, *pair_of(pair.table, pair.column, pair.row, pair.reference))


def maps_of(store: Store, actor: User, project: Project, pair: TwoRows) -> str:
    """The maps of both as the Saliency page's address has them (`panels`); "" where one has no map there."""
    require(store, actor, project.id, "export")
    maps = [_map(store, project, of) for of in (pair.row, pair.reference)]
    return "" if None in maps else ",".join(filter(None, maps))


def _map(store: Store, project: Project, of: ComparedRow) -> str | None:
    """Of several seeds the first."""
    row = of.row
    if row.kind != "attribution":
        return None
    seeds = row.seeds if of.seed is None else (of.seed,)
    for stored in list_runs(store, project.id, row.model, row.method):
        if stored.run.parameters == row.parameters and stored.run.seed in seeds:
            return f"{stored.id}:{'-' if row.layer is None else row.layer}:"
    return None


def _instances(
    store: Store, table: MetricTable, places: Integers, values: Floats, of_reference: Floats
) -> tuple[DifferingInstance, ...]:
    """Those that are still stored."""
    ids = np.empty(0, dtype=np.int64) if table.behind is None else table.behind.ids[places]
    stored = _stored(store, ids.tolist())
    return tuple(
        DifferingInstance(of.id, of.key, of.split, _result(table, at), value, other)
        for number, at, value, other in zip(
            ids.tolist(), places.tolist(), values.tolist(), of_reference.tolist(), strict=True
        )
        if (of := stored.get(number)) is not None
    )


def _stored(store: Store, ids: Sequence[int]) -> dict[int, Instance]:
    """In portions: a statement takes so many numbers and no more."""
    stored: dict[int, Instance] = {}
    for first in range(0, len(ids), _AT_ONCE):
        stored |= instances_without_texts(store, ids[first : first + _AT_ONCE])
    return stored


def _result(table: MetricTable, at: int) -> str | None:
    """The gold label of an instance."""
    behind = table.behind
    label = -1 if behind is None else int(behind.labels[at])
    return None if behind is None or label < 0 else behind.label_names[label]


# How a row of the table of metrics is called in addresses and saved views, so that it is found again among other rows.


_USUAL_KIND = "attribution"
_N_PARTS = 4  # beside the parameters


def references_of(rows: Sequence[MetricRow]) -> list[str]:
    """Of each row its model, method, kind and layer, with strokes between; and its parameters, where others have the same.

    >>> references_of([MetricRow("m", "lime", "attribution"), MetricRow("a/b", "", "answers"), MetricRow("m", "ig", "hard", 2)])
    ['m/lime', 'a%2Fb//answers', 'm/ig/hard/2']
    """
    short = [_short(row) for row in rows]
    return [
        reference if short.count(reference) == 1 else "/".join([*(_parts(row)), quote(row.parameters, safe='{}":,')])
        for reference, row in zip(short, rows, strict=True)
    ]


def found_reference(reference: str, rows: Sequence[MetricRow]) -> str | None:
    """The reference that a row has now which was written when other rows were there; None where none or several may be meant."""
    names = references_of(rows)
    if reference in names:
        return reference
    *parts, parameters = reference.split("/")
    if len(parts) != _N_PARTS:
        return None
    # It tells parameters that are not needed any more, since the other row of the method is gone.
    wanted = "/".join(parts).rstrip("/")
    fitting = [
        name
        for name, row in zip(names, rows, strict=True)
        if _short(row) == wanted and row.parameters == unquote(parameters)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _short(row: MetricRow) -> str:
    return "/".join(_parts(row)).rstrip("/")


def _parts(row: MetricRow) -> list[str]:
    kind = "" if row.kind == _USUAL_KIND else row.kind
    layer = "" if row.layer is None else str(row.layer)
    return [quote(row.model, safe=" "), quote(row.method, safe=" "), kind, layer]


# The instances in which two rows differ, as a list for a terminal and as CSV.


_FIELDS = ("key", "split", "gold", "metric", "row", "against", "difference", "value", "value_of_reference")


def differing_text(pair: TwoRows, listed: DifferingInstances) -> str:
    """The largest differences either way, a line an instance."""
    row, reference = pair.names
    lines = [f"{named(pair.column)}: {row} minus {reference}, by instance, the largest differences first."]
    for title, instances in ((f"{row} is higher", listed.higher), (f"{reference} is higher", listed.lower)):
        lines += ["", f"{title}:", *(_aligned(instances) if instances else ["  in no instance"])]
    return "\n".join(lines) + "\n"


def _aligned(instances: Sequence[DifferingInstance]) -> Iterator[str]:
    cells = [
        (signed(of.difference), f"{written(of.value)} against {written(of.of_reference)}", of.key, of.split)
        for of in instances
    ]
    widths = [max((len(cell[at]) for cell in cells), default=0) for at in range(2)]
    for difference, values, key, split in cells:
        yield f"  {difference.rjust(widths[0])}  {values.ljust(widths[1])}  {key}{f' ({split})' if split else ''}"


def differing_csv(pair: TwoRows, listed: DifferingInstances) -> str:
    """A line an instance, those first in which the row is highest; with all digits."""
    row, reference = pair.names
    instances = (*listed.higher, *reversed(listed.lower))
    return written_csv(
        _FIELDS,
        (
            (of.key, of.split, of.result, pair.column.name, row, reference, of.difference, of.value, of.of_reference)
            for of in instances
        ),
    )
