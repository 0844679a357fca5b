"""An order in words, as the page, commands and the record say it."""

from collections.abc import Mapping
from typing import Any

from annotator.domain.project.queue_orders import ModelOrder, QueueOrder

Detail = Mapping[str, Any]  # of an event

_FIRST = {
    "least confident": "what {models} is least confident of",
    "most confident": "what {models} is most confident of",
    "models disagree": "what {models} disagree on",
    "label disputed": "where {models} disagrees with the label",
    "least plausible": "where {method} of {models} is least plausible by {number}{layer}",
    "nothing found": "where {models} found nothing ({nothing}), at random",
}
_REST = {"sequential": "as imported", "random": "at random (seed {seed})"}


def order_words(order: QueueOrder) -> str:
    """A whole order.

    >>> order_words(QueueOrder("random", 3, ModelOrder("least confident", ("bert",), 15, "train")))
    'first what bert is least confident of (the first 15 % of those of the split train), then at random (seed 3)'
    >>> order_words(QueueOrder())
    'as imported'
    """
    rest = _REST[order.rest].format(seed=order.seed)
    return rest if order.first is None else f"first {first_words(order.first)}, then {rest}"


def first_words(first: ModelOrder) -> str:
    """What comes first."""
    words = _FIRST[first.kind].format(
        models=" and ".join(first.models), method=first.method, number=first.number,
        layer="" if first.layer is None else f" in layer {first.layer}",
        nothing=f"no token selected by {first.method}" if first.label is None else f"the answer “{first.label}”",
    )  # fmt: skip
    share = "" if first.percent == 100 else f"the first {first.percent:g} %"
    of_split = "" if first.split is None else f"those of the split {first.split or '(none)'}"
    part = " of ".join(filter(None, (share, of_split)))
    return f"{words} ({part})" if part else words


def order_from(detail: Detail) -> QueueOrder:
    """An order as an event has written it (`dataclasses.asdict`)."""
    first = detail["first"]
    return QueueOrder(
        detail["rest"],
        detail["seed"],
        None if first is None else ModelOrder(**{**first, "models": tuple(first["models"])}),
    )
