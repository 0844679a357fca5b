"""How a row of the table of metrics is called in addresses and saved views, so that it is found again among other rows."""

from collections.abc import Sequence
from urllib.parse import quote, unquote

from annotator.scoring.table import MetricRow

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
