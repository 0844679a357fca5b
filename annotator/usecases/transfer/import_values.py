"""Model output that a program holds in memory: written as our own JSON lines, and imported like any file of them."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ImportRefused, InvalidValue
from annotator.files import scratch_folder
from annotator.language import _, several
from annotator.store import Store
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

_SOURCE = "rows"  # how problems and the record name the source; their line is the row's number, from 1
_SHOWN = 5


def import_rows(
    store: Store, actor: User, project: Project, rows: Iterable[Mapping[str, object]],
    options: ImportOptions = ImportOptions(), *, parameters: Mapping[str, object] | None = None,
) -> ImportReport:  # fmt: skip
    """Take rows with the fields of docs/model_output.md, "Annotator JSONL": all of them or none.

    `key` may stand for `id`. Arrays and tensors (what has `tolist`) are lists. Of a row that is `partial` the NaN at the
    end of `scores` are the tokens that the model did not see.
    parameters: of the runs of rows that have no `params`
    Raises:     ImportRefused with all problems, unless skip_invalid; InvalidValue for a row that is no mapping, or that
                holds something that has no place in JSON
    """
    with scratch_folder() as folder:
        path = folder / _SOURCE
        with path.open("wb") as file:
            for number, row in enumerate(rows, start=1):
                file.write(_line(row, number, parameters) + b"\n")
        try:
            return import_file(store, actor, project, "attributions", path, options)
        except ImportRefused as refusal:
            raise ImportRefused(
                _said(refusal), refusal.problems, refusal.n_problems, can_leave_out=refusal.can_leave_out
            ) from None


def _said(refusal: ImportRefused) -> str:
    n = refusal.n_problems
    lines = [
        several(
            "{n} problem; nothing was stored. Correct it or set skip_invalid=True.",
            "{n} problems; nothing was stored. Correct them or set skip_invalid=True.",
            n,
        )
        if refusal.can_leave_out
        else several(
            "{n} problem; no usable rows. Nothing was stored.", "{n} problems; no usable rows. Nothing was stored.", n
        )
    ]
    lines += [str(problem) for problem in refusal.problems[:_SHOWN]]
    return "\n  ".join(lines + ([_("... `problems` holds the first 200.")] if len(refusal.problems) > _SHOWN else []))


def _line(row: Mapping[str, object], number: int, parameters: Mapping[str, object] | None) -> bytes:
    if not isinstance(row, Mapping):
        raise InvalidValue(
            _("Row {number} must be a mapping, not {type_name}.", number=number, type_name=type(row).__name__)
        )
    try:
        values = {name: msgspec.to_builtins(value, enc_hook=_plain) for name, value in _fields(row, number, parameters)}
        return _encoded(values)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidValue(_("Can't write row {number} as JSON: {error}.", number=number, error=error)) from None


def _fields(
    row: Mapping[str, object], number: int, parameters: Mapping[str, object] | None
) -> Iterable[tuple[str, object]]:
    """The fields that say something, under the names of the form."""
    if row.get("key") is not None and row.get("id") is not None:
        raise InvalidValue(_("Row {number} has both key and id. Keep one.", number=number))
    fields = {"id" if name == "key" else str(name): value for name, value in row.items() if value is not None}
    if parameters:
        fields.setdefault("params", dict(parameters))
    return fields.items()


def _plain(value: object) -> Any:
    """Arrays, tensors and their numbers as Python's own."""
    to_list: Callable[[], object] | None = getattr(value, "tolist", None)
    if to_list is None:
        raise TypeError(_("{type_name} isn't text, a number, list or mapping", type_name=type(value).__name__))
    return to_list()


def _encoded(values: dict[str, Any]) -> bytes:
    if values.get("partial") is True and isinstance(values.get("scores"), list | tuple):
        values["scores"] = _seen(values["scores"])
    encoded = msgspec.json.encode(values)
    # NaN and infinity are no JSON and would have become null: where there is a null, they go as words, which the reader names.
    return encoded if b"null" not in encoded else json.dumps(_in_words(values), ensure_ascii=False).encode()


def _seen(scores: Sequence[Any]) -> Sequence[Any]:
    """Scores without the NaN at their end."""
    n = len(scores)
    while n and isinstance(scores[n - 1], float) and math.isnan(scores[n - 1]):
        n -= 1
    return scores[:n]


def _in_words(value: Any) -> Any:
    match value:
        case dict():
            return {name: _in_words(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_in_words(inner) for inner in value]
        case float() if not math.isfinite(value):
            return json.dumps(value)
        case _:
            return value
