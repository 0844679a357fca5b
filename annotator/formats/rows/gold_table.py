"""Reading our own CSV of gold, a row a set (set_table.py writes it), as plain rows: one for each annotator of an instance."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from annotator.domain.tasks import Task
from annotator.errors import Problem
from annotator.formats.rows.csv_table import CELL
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.lines import LineError, Row, parse_value
from annotator.formats.rows.spreadsheets import without_apostrophe
from annotator.language import _, several, unsaid

OF_SET = frozenset({"set", "n_sets", "marked", "token_indices", "spans", "annotators"})
GOLD_TABLE = unsaid(
    "A table of gold that was exported here, a row a rationale set: each set is its annotators'. A set that was made of several "
    "people's marks (gold policy union or majority), or of which nobody is named, is the annotation of 'gold'."
)
_OWN = OF_SET | {"gold_policy"}
_OF_ONE_PERSON = frozenset({"chosen", "all"})  # under the other policies a set is made of several people's marks
_COUNTING = re.compile(r"\d{1,6}")


def is_gold_table(header: Sequence[str], task: Task) -> bool:
    """Whether a header is that of our own export."""
    return set(header) >= _OWN and not any(task.spec_of(name) for name in _OWN)


def annotator_rows(rows: Iterable[Row | Problem]) -> Iterator[Row | Problem]:
    """The rows of each instance, which stand together, as one row for each of its annotators."""
    together: list[Row] = []
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        if together and _key(row) != _key(together[0]):
            yield from _rows_of(together)
            together = []
        together.append(replace(row, values=_without_apostrophes(row.values)))
    if together:
        yield from _rows_of(together)


def _without_apostrophes(values: dict[str, Any]) -> dict[str, Any]:
    """The cells as they were before a spreadsheet was kept from taking them for formulas."""
    return {name: without_apostrophe(cell) if isinstance(cell, str) else cell for name, cell in values.items()}


def _key(row: Row) -> tuple[object, object]:
    values = _without_apostrophes({name: row.values.get(name) for name in ("id", "split")})
    return values["id"], values["split"]


def _rows_of(rows: Sequence[Row]) -> Iterator[Row | Problem]:
    first, findings = rows[0], rows[0].findings()
    _check_together(rows, findings)
    more_texts = _read(first, "more_texts", dict, findings)
    sets = [(_annotators(row, findings), _spans(row, findings)) for row in rows if row.values["set"]]
    if findings.is_refused:
        yield from findings.problems
        return
    values = {name: value for name, value in first.values.items() if name not in _OWN | {"more_texts"}} | more_texts
    if isinstance(target := values.get("target"), dict):
        values["target"] = _in_one_unit(first, target)
    names = dict.fromkeys(name for of_set, _spans_of_set in sets for name in of_set) or {"": None}
    for name in names:
        of_name = [spans for of_set, spans in sets if name in of_set]
        yield replace(first, values=values | {"annotator": name or None, "rationales": of_name})


def _check_together(rows: Sequence[Row], findings: Findings) -> None:
    """Note where sets are missing, and where rows of one instance do not say the same of it."""
    first = rows[0].values
    n_sets, numbers = first["n_sets"], [row.values["set"] for row in rows]
    wanted = [str(number) for number in range(1, int(n_sets) + 1)] if _COUNTING.fullmatch(n_sets) else None
    if numbers != (wanted or [""]) or wanted is None:
        reason = several(
            "'n_sets' says that the instance has {n_sets} sets, and {n} row of it stands together here. All sets of an "
            "instance must stand below each other, numbered from 1; sort the table by 'id', 'split' and 'set', and put back "
            "rows that are missing.",
            "'n_sets' says that the instance has {n_sets} sets, and {n} rows of it stand together here. All sets of an "
            "instance must stand below each other, numbered from 1; sort the table by 'id', 'split' and 'set', and put back "
            "rows that are missing.",
            len(rows),
            n_sets=n_sets or _("no number of"),
        )
        findings.refuse("set", ", ".join(numbers), reason)
    for name in (name for name in first if name not in OF_SET):
        other = next((row for row in rows if row.values.get(name) != first[name]), None)
        if other is not None:
            reason = _(
                "The instance has another '{name}' on line {line}; its rows must say the same.",
                name=name,
                line=other.line,
            )
            findings.refuse(name, first[name], reason)


def _annotators(row: Row, findings: Findings) -> Sequence[str]:
    """Whose a set is; nobody's by name ("") where it is made of several people's marks, or the table does not say it."""
    cell = row.values["annotators"]
    if row.values["gold_policy"] not in _OF_ONE_PERSON:
        return ("",)
    if cell.startswith("["):
        names = _read(row, "annotators", list, findings)
        return [str(name) for name in names] or ("",)
    return list(dict.fromkeys(name for part in cell.split(";") if (name := part.strip()))) or ("",)


def _spans(row: Row, findings: Findings) -> list[dict[str, object]]:
    """The spans of a set: as tokens where the row says what the tokens are, else as characters."""
    return [_in_one_unit(row, span) for span in _read(row, "spans", list, findings) if isinstance(span, dict)]


def _in_one_unit(row: Row, span: dict[str, object]) -> dict[str, object]:
    unit = "token" if row.values.get("tokens") else "char"
    return {name: span[name] for name in ("segment", f"start_{unit}", f"end_{unit}") if name in span}


def _read(row: Row, name: str, kind: type[Any], findings: Findings) -> Any:
    """What a cell with JSON holds; nothing, with a finding, where it is something else."""
    cell = row.values.get(name) or ""
    try:
        value = parse_value(cell.encode(), CELL) if cell.strip() else kind()
    except LineError as fault:
        findings.refuse(name, shown(cell), _("Line {line}: {reason}", line=row.line, reason=fault.reason))
        return kind()
    if not isinstance(value, kind):
        reason = _(
            "Line {line}: the cell must hold {what}, as the export wrote it.",
            line=row.line,
            what=_("a list [...]") if kind is list else _("an object {...}"),
        )
        findings.refuse(name, shown(cell), reason)
        return kind()
    return value
