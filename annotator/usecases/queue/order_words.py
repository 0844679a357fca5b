"""An order in words, as the page, commands and the record say it."""

from collections.abc import Mapping
from typing import Any

from annotator.domain.project.queue_orders import FirstKind, ModelOrder, QueueOrder
from annotator.language import _, listed, unsaid

Detail = Mapping[str, Any]  # of an event

_FIRST: Mapping[FirstKind, str] = {
    "least confident": unsaid("where {models} gives the label the lowest probability"),
    "most confident": unsaid("where {models} gives the label the highest probability"),
    "models disagree": unsaid("what {models} disagree on"),
    "label disputed": unsaid("where {models} disagrees with the label"),
    "least plausible": unsaid("where {method} of {models} is least plausible by {number}"),
    "nothing found": unsaid("where {models} found nothing ({nothing}), at random"),
}


def order_words(order: QueueOrder) -> str:
    """A whole order.

    >>> order_words(QueueOrder("random", 3, ModelOrder("least confident", ("bert",), 15)))
    'first where bert gives the label the lowest probability (the first 15 %), then at random (seed 3)'
    >>> order_words(QueueOrder())
    'as imported'
    """
    rest = _("as imported") if order.rest == "sequential" else _("at random (seed {seed})", seed=order.seed)
    return rest if order.first is None else _("first {first}, then {rest}", first=first_words(order.first), rest=rest)


def first_words(first: ModelOrder) -> str:
    """What comes first."""
    words = _(
        _FIRST[first.kind], models=listed(first.models, "and"), method=first.method, number=_number_words(first),
        nothing=_nothing_words(first),
    )  # fmt: skip
    split = first.split or _("(none)")
    share = f"{first.percent:g}"
    if first.percent == 100:
        return words if first.split is None else _("{first} (those of the split {split})", first=words, split=split)
    if first.split is None:
        return _("{first} (the first {share} %)", first=words, share=share)
    return _("{first} (the first {share} % of those of the split {split})", first=words, share=share, split=split)


def _number_words(first: ModelOrder) -> str:
    if first.layer is None:
        return first.number
    return _("{number} in layer {layer}", number=first.number, layer=first.layer)


def _nothing_words(first: ModelOrder) -> str:
    if first.label is None:
        return _("no token selected by {method}", method=first.method)
    return _("the answer “{label}”", label=first.label)


def order_from(detail: Detail) -> QueueOrder:
    """An order as an event has written it (`dataclasses.asdict`)."""
    first = detail["first"]
    return QueueOrder(
        detail["rest"],
        detail["seed"],
        None if first is None else ModelOrder(**{**first, "models": tuple(first["models"])}),
    )
