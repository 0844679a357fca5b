"""The Saliency page's own routes (docs/saliency.md): list, instance, numbers, points, what a scatter asks for.

The use cases bring NumPy, so they are imported when the first message comes, and the server starts without it.
"""

import math
from typing import TYPE_CHECKING, cast, get_args

import msgspec

from annotator.domain.measurements import Bounds, Brush, InstanceNumber, Question, Slice, Which
from annotator.domain.numbers import whole_number
from annotator.domain.people import User
from annotator.usecases.databases import Store
from annotator.web.routes.health import make_tokeniser_ready
from annotator.web.routes.messages import Number, Query, get_route, number, page_number, post_route, unexpected

if TYPE_CHECKING:
    from annotator.usecases.inspect.saliency import AskedGold

# What an address of the Saliency page asks for of a scatter: which numbers, and which part of it.


_NUMBER = "RUN:LAYER:NAME (3:-:sets.best_f1)"
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
        raise unexpected(name, "", _NUMBER)
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
        raise unexpected(name, text, _NUMBER, longest=60)
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
        raise unexpected(name, text, "FROM~TO (0.2~0.5)", longest=60)
    return low, high


def _outline(text: str) -> tuple[tuple[float, float], ...]:
    if not text:
        return ()
    corners = [corner.split(",") for corner in text.split(" ")]
    numbers = [tuple(value for part in corner if (value := _finite(part)) is not None) for corner in corners]
    pairs = tuple((pair[0], pair[1]) for pair in numbers if len(pair) == 2)
    if not 3 <= len(pairs) == len(corners) <= _MOST_CORNERS or any(len(corner) != 2 for corner in corners):
        raise unexpected("outline", text, f"X,Y X,Y X,Y … (3–{_MOST_CORNERS})", longest=60)
    return pairs


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


_LONGEST_WORDS = 200


def _list(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect import saliency  # noqa: PLC0415
    from annotator.usecases.inspect.saliency_messages import ShownList  # noqa: PLC0415

    page = page_number(query)
    question = question_of(query)
    rows, n = saliency.list_instances_by(store, user, question, page)
    without = saliency.count_not_listed(store, user, question)
    return ShownList(tuple(rows), n, page, without, saliency.count_learned_from(store, user, question))


def question_of(query: Query) -> Question:
    """Which instances an address, or another mapping of the same names to texts, asks for; raises InvalidValue."""
    which = _which(query)
    order = number_of(query, "by")
    run, layer, name = (None, None, "") if order is None else (order.run_id, order.layer, order.name)
    return Question(
        number(query, "project"), run, layer, name, query.get("order", "lowest") != "highest", which,
        number(query, "answers") if query.get("answers") else None,
        number(query, "other") if query.get("other") else None,
        query.get("kind") or None, query.get("words", "")[:_LONGEST_WORDS].strip(),
        number(query, "list") if query.get("list") else None, _slice(query), brush_of(query),
        has_learned=query.get("learned") == "yes",
    )  # fmt: skip


def _slice(query: Query) -> Slice:
    return Slice(
        label=query.get("label") or None,
        is_unlabelled=bool(query.get("unlabelled")),
        split=query.get("split") or None,
        length=_length(query.get("length", "")),
        fact=(query["fact"], query.get("value", "")) if query.get("fact") and "value" in query else None,
        group=(query["group"], query.get("member", "")) if query.get("group") and "member" in query else None,
    )


def _length(text: str) -> tuple[int, int] | None:
    """FROM-TO, in tokens; "" for any length."""
    if not text:
        return None
    first, _dash, last = text.partition("-")
    shortest, longest = whole_number(first), whole_number(last)
    if shortest is None or longest is None or longest < shortest:
        raise unexpected("length", text, "FROM-TO (10-25)")
    return shortest, longest


def _which(query: Query) -> Which:
    wanted, known = query.get("which", "all"), cast("tuple[Which, ...]", get_args(Which))
    for which in known:
        if which == wanted:
            return which
    raise unexpected("which", wanted, ", ".join(known))


def _points(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect.saliency import show_points  # noqa: PLC0415

    return show_points(store, user, question_of(query), asked_axis(query, "x"), asked_axis(query, "y"))


def _instance(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect.saliency import show_instance  # noqa: PLC0415
    from annotator.usecases.inspect.saliency_panels import PanelChoice  # noqa: PLC0415

    chosen = [PanelChoice.read(text) for text in _panels(query)] if "panels" in query else None
    return show_instance(store, user, number(query, "instance"), chosen, _gold(query))


def _partner(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect.saliency import show_partner  # noqa: PLC0415
    from annotator.usecases.inspect.saliency_panels import PanelChoice  # noqa: PLC0415

    chosen = [PanelChoice.read(text) for text in _panels(query)]
    return show_partner(store, user, number(query, "instance"), number(query, "partner"), chosen, _gold(query))


class TypedBody(msgspec.Struct, frozen=True):
    """A text as somebody has changed it: by segment, with the panels as an address names them."""

    instance: Number
    texts: dict[str, str]
    panels: list[str] = []


def _typed(store: Store, user: User, body: TypedBody) -> object:
    from annotator.usecases.inspect.saliency_panels import PanelChoice  # noqa: PLC0415
    from annotator.usecases.inspect.typed_text import show_typed  # noqa: PLC0415

    shown = show_typed(store, user, body.instance, body.texts, [PanelChoice.read(text) for text in body.panels])
    make_tokeniser_ready(shown.instance.language)
    return shown


class CaseBody(msgspec.Struct, frozen=True):
    """A typed text that is to be a test of its own; label None: the answer of the stored text is expected."""

    instance: Number
    texts: dict[str, str]
    suite: str
    test: str
    category: str
    label: str | None = None


def _case(store: Store, user: User, body: CaseBody) -> object:
    from annotator.usecases.suites.construction import TypedCase, save_typed_case  # noqa: PLC0415

    wanted = TypedCase(body.suite, body.test, body.category, body.label)
    return {"test": save_typed_case(store, user, body.instance, body.texts, wanted).name}


def _gold(query: Query) -> "AskedGold":
    from annotator.usecases.inspect.saliency import read_asked_gold  # noqa: PLC0415

    return read_asked_gold(query.get("gold", ""))


def _panels(query: Query) -> list[str]:
    return [text for text in query.get("panels", "").split(",") if text]


def _slices(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect.text_lists import show_slices  # noqa: PLC0415

    return show_slices(store, user, question_of(query), query.get("fact", ""), query.get("group", ""))


def _slice_names(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect.text_lists import show_slice_names  # noqa: PLC0415

    return show_slice_names(store, user, number(query, "project"))


def _numbers(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.inspect.saliency import show_numbers  # noqa: PLC0415

    return show_numbers(store, user, number(query, "project"))


routes = [
    get_route("saliency/list", _list),
    get_route("saliency/slices", _slices),
    get_route("saliency/slice_names", _slice_names),
    get_route("saliency/instance", _instance),
    get_route("saliency/partner", _partner),
    get_route("saliency/numbers", _numbers),
    get_route("saliency/points", _points),
    post_route("saliency/typed", _typed, TypedBody),
    post_route("saliency/case", _case, CaseBody),
]
