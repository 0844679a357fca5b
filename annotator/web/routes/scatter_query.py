"""What an address of the Saliency page asks for of a scatter: which numbers, and which part of it."""

import math

from annotator.domain.measurements import Bounds, Brush, InstanceNumber
from annotator.domain.numbers import whole_number
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.web.routes.messages import Query

_MOST_CORNERS = 200


def brush_of(query: Query) -> Brush | None:
    """The part of a scatter of `x` and `y` that is chosen: within `xs` and `ys`, or inside `outline`; None without any."""
    if not any(query.get(name) for name in ("xs", "ys", "outline")):
        return None
    x, y = asked_axis(query, "x"), asked_axis(query, "y")
    return Brush(x, y, _bounds(query, "xs"), _bounds(query, "ys"), _outline(query.get("outline", "")))


def asked_axis(query: Query, name: str) -> InstanceNumber:
    """A number that the address must name; "-" stands for no run: a number of the text."""
    number = number_of(query, name, allows_no_run=True)
    if number is None:
        raise InvalidValue(
            _("'{name}' is missing in the address: it is RUN:LAYER:NAME, such as 3:-:sets.best_f1.", name=name)
        )
    return number


def number_of(query: Query, name: str, *, allows_no_run: bool = False) -> InstanceNumber | None:
    """RUN:LAYER:NAME, the layer "-" for none; None without any."""
    text = query.get(name, "")
    if not text:
        return None
    run, _dash, rest = text.partition(":")
    layer, _dash, number = rest.partition(":")
    run_id, layer_number = whole_number(run), whole_number(layer)
    is_of_text = allows_no_run and run == "-"
    if (run_id is None and not is_of_text) or (layer_number is None and layer != "-") or not number:
        raise InvalidValue(
            _(
                "'{name}' in the address is RUN:LAYER:NAME, such as 3:-:sets.best_f1; it is '{text}'.",
                name=name,
                text=text[:60],
            )
        )
    return InstanceNumber(run_id, layer_number, number)


def _bounds(query: Query, name: str) -> Bounds:
    """FROM~TO, either of which may be missing; a number can begin with a minus."""
    text = query.get(name, "")
    if not text:
        return None, None
    first, _dash, last = text.partition("~")
    low, high = _finite(first), _finite(last)
    is_empty = low is None and high is None
    if (
        is_empty
        or (first and low is None)
        or (last and high is None)
        or (low is not None and high is not None and high < low)
    ):
        raise InvalidValue(
            _(
                "'{name}' in the address is FROM~TO in numbers, such as 0.2~0.5; it is '{text}'.",
                name=name,
                text=text[:60],
            )
        )
    return low, high


def _outline(text: str) -> tuple[tuple[float, float], ...]:
    if not text:
        return ()
    corners = [corner.split(",") for corner in text.split(" ")]
    numbers = [tuple(value for part in corner if (value := _finite(part)) is not None) for corner in corners]
    pairs = tuple((pair[0], pair[1]) for pair in numbers if len(pair) == 2)
    if not 3 <= len(pairs) == len(corners) <= _MOST_CORNERS or any(len(corner) != 2 for corner in corners):
        raise InvalidValue(
            _(
                "'outline' in the address is 3 to {most_corners} corners X,Y with blanks between them; it is '{text}'.",
                most_corners=_MOST_CORNERS,
                text=text[:60],
            )
        )
    return pairs


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
