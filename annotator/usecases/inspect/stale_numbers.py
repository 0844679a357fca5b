"""Which events change gold or what models say, so that numbers that were made before them are out of date."""

from collections.abc import Callable, Mapping, Sequence

from annotator.domain.measurements import FORGOT_WRONG_K
from annotator.domain.people import ERASED
from annotator.store import Store
from annotator.store.events import events_of_instance, newest_of_actions

_Detail = Mapping[str, object]
_SETTINGS = frozenset({"gold_policy", "is_exhaustive"})


def has_changed(store: Store, project_id: int, event_id: int) -> bool:
    """Whether something came after an event that changes gold, answers or attributions."""
    return last_change(store, project_id, after=event_id) > 0


def has_new_answers(store: Store, project_id: int, event_id: int) -> bool:
    """Whether something came after an event that changes answers or labels, whatever became of gold."""
    events = newest_of_actions(store, project_id, list(_OF_ANSWERS), event_id)
    return any(_CHANGES[event.action](event.detail) for event in events)


def has_new_gold(store: Store, project_id: int, event_id: int) -> bool:
    """Whether something came after an event that may have changed gold, whatever models say."""
    events = newest_of_actions(store, project_id, list(_OF_GOLD), event_id)
    return any(_CHANGES[event.action](event.detail) for event in events)


def newest_gold(store: Store, project_id: int, instance_id: int, *, after: int) -> int:
    """The number of the last event after another that may have changed the gold of one instance; 0 without one."""
    of_all = newest_of_actions(store, project_id, _OF_ALL_GOLD, after)
    newest = next(
        (event.id for event in of_all if _brought_gold(event.detail) and _CHANGES[event.action](event.detail)), 0
    )
    of_instance = (event for event in events_of_instance(store, instance_id) if event.action in _OF_GOLD)
    return max(newest, *(event.id for event in of_instance if _CHANGES[event.action](event.detail)), 0)


def last_change(store: Store, project_id: int, *, after: int = 0) -> int:
    """The number of the last event after another that changed gold, answers or attributions; 0 without one."""
    events = newest_of_actions(store, project_id, list(_CHANGES), after)
    return next((event.id for event in events if _CHANGES[event.action](event.detail)), 0)


def _always(_: _Detail) -> bool:
    return True


def _brought_something(detail: _Detail) -> bool:
    """Importing the same again changes nothing."""
    counts = [detail[name] for name in ("new", "updated", "annotations") if name in detail]
    return any(counts) or not counts


def _brought_gold(detail: _Detail) -> bool:
    """Whether an import was one of texts, whose annotations may be gold, and not of what models say."""
    return "format" not in detail or bool(detail.get("annotations"))


def _changed_rules(detail: _Detail) -> bool:
    """Whether a rule was changed that decides what gold is; what is told of settings is their names, of old events nothing."""
    changed, settings = detail.get("changed"), detail.get("settings")
    if not isinstance(settings, Sequence):
        return isinstance(changed, Sequence) and "settings" in changed
    return not _SETTINGS.isdisjoint(settings)


def _was_counted(detail: _Detail) -> bool:
    """Whether an annotation that was handed in or taken back counts, or counted; old events do not say it."""
    return detail.get("state", "accepted") == "accepted"


def _changed_numbers(detail: _Detail) -> bool:
    """Whether training took out what an older model said, or told what it learned from; old events do not say it."""
    return bool(detail.get("changes_numbers", True))


def _changed_gold(detail: _Detail) -> bool:
    """Whether many texts were discarded, put back, moved or marked; for whom they are changes no number."""
    return detail.get("kind") not in {"give out", "name"}


# By the event's action. Everything else (reviews before a decision, comments, tests, lists, exports ...) changes no number.
_CHANGES: Mapping[str, Callable[[_Detail], bool]] = {
    "import": _brought_something,
    "change many texts": _changed_gold,
    "undo change of many texts": _changed_gold,
    "split": _always,
    "change": _changed_rules,
    "submit": _was_counted,
    "withdraw": _was_counted,
    "decide round: accepted": _always,
    "decide round: discarded": _always,
    "decide: discard": _always,
    "decide: relabel": _always,
    "choose gold": _always,
    "adjudicate": _always,
    "choose every evidence": _always,
    "take back every evidence": _always,
    "send back version": _always,
    "discard version": _always,
    "take gold choice back": _always,
    "replace label": _always,
    "train model": _changed_numbers,
    "forget model": _always,
    ERASED: _always,
    "start attributing": _always,
    "attribute": _always,
    FORGOT_WRONG_K: _always,
}
_OF_ANSWERS = (
    "import", "decide: relabel", "replace label", "train model", "forget model", "start attributing", "attribute",
)  # fmt: skip
_OF_MODELS = ("train model", "forget model", "start attributing", "attribute", FORGOT_WRONG_K)
_OF_GOLD = tuple(action for action in _CHANGES if action not in _OF_MODELS)
# Of these, those that are about a project's texts and not about one of them.
_OF_ALL_GOLD = ("import", "change many texts", "undo change of many texts", "change", "replace label", ERASED)
