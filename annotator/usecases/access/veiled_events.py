"""The record as somebody reads it who is still to check a changed version: neither who wrote it nor what others said of it."""

from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.people import User, has_right
from annotator.store import Store
from annotator.store.events import Event, EventFilter
from annotator.store.people import roles_of
from annotator.store.perturb.perturbations import get_perturbation

_SOMEBODY = "somebody"
_CHECK = "check perturbation"
_WRITTEN = ("write perturbation", "revise perturbation")


def veiled(store: Store, actor: User, project_id: int, events: Sequence[Event], *, names_authors: bool) -> list[Event]:
    """Events as they were, but for those about changed versions that the person may still check."""
    roles = roles_of(store, actor, project_id)
    if actor.id is None or not any(has_right(actor, roles, right) for right in ("annotate", "review")):
        return list(events)
    numbers = {number for event in events if (number := _perturbation_of(event)) is not None}
    to_check = {number for number in numbers if get_perturbation(store, number).may_be_checked_by(actor.id)}
    return [
        event if event.actor == actor.name or _perturbation_of(event) not in to_check else _veil(event, names_authors)
        for event in events
    ]


def unveiling_nobody(store: Store, actor: User, project_id: int, wanted: EventFilter) -> EventFilter:
    """A filter by person finds nothing that is veiled: that it is theirs would say who it was."""
    roles = roles_of(store, actor, project_id)
    is_veiled = actor.id is not None and any(has_right(actor, roles, right) for right in ("annotate", "review"))
    if not is_veiled or wanted.actor.casefold() in {"", actor.name.casefold()}:
        return wanted
    return replace(wanted, without=frozenset({f"{_CHECK}: ", _CHECK, *_WRITTEN}))


def _perturbation_of(event: Event) -> int | None:
    number = event.detail.get("perturbation")
    is_about_one = event.action.startswith(_CHECK) or event.action in _WRITTEN
    return number if is_about_one and isinstance(number, int) else None


def _veil(event: Event, names_authors: bool) -> Event:
    if event.action.startswith(_CHECK):
        detail = {name: value for name, value in event.detail.items() if name != "reason"}
        return replace(event, actor=_SOMEBODY, action=_CHECK, detail=detail)
    return event if names_authors else replace(event, actor=_SOMEBODY)
