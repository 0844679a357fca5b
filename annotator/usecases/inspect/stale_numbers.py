"""Whether numbers are out of date: which events change gold or model output, and which release the gold equals."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from annotator.domain.measurements import FORGOT_WRONG_K
from annotator.domain.numbers import counted
from annotator.domain.people import ERASED
from annotator.domain.project.releases import CITED
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, speaking, unsaid
from annotator.store import Store
from annotator.store.events import newest_of_actions
from annotator.store.gold.releases import newest_release
from annotator.usecases.releases.differences import since

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
    "import",
    "decide: relabel",
    "replace label",
    "train model",
    "forget model",
    "start attributing",
    "attribute",
)
_OF_MODELS = ("train model", "forget model", "start attributing", "attribute", FORGOT_WRONG_K)
_OF_GOLD = tuple(action for action in _CHANGES if action not in _OF_MODELS)


# Which release of its gold a project's numbers are made against, and whether gold has moved on since.


_OF_PEOPLE = unsaid("not that of {release}, since it is of the annotations of some people alone")
_OF_POLICY = unsaid("not that of {release}, whose policy is “{policy}”")
_MOVED_ON = unsaid("moved on since {release}: {instances}")


@speaking("en")  # numbers cite it: in files, and in what is kept for everybody
def gold_release(store: Store, project: Project, policy: GoldPolicy, *, is_of_people: bool = False) -> str | None:
    """The newest release, in words, as numbers under a policy cite it; None where nothing is frozen.

    is_of_people: only the annotations of some people are gold

    The gold is read and compared only where something happened since that may have changed it.
    """
    release = newest_release(store, project.id)
    if release is None:
        return None
    if is_of_people:
        return _(_OF_PEOPLE, release=release.words)
    if policy != release.rules.policy:
        return _(_OF_POLICY, release=release.words, policy=release.rules.policy)
    has_changed = last_change(store, project.id, after=release.event_id) > 0
    n = since(store, project, release).n if has_changed else 0
    if not n:
        return release.words
    return _(_MOVED_ON, release=release.words, instances=counted(n, "instance differs", "instances differ"))


def cited_in_words(cited: str) -> str:
    """What numbers cite, to whom looks at them: a release's name stays as it is.

    >>> with speaking("zh"): cited_in_words("moved on since release 1 “v1” (2026-11-23): 3 instances differ")
    '在发布版 1“v1”（2026-11-23）之后有变化：3 个实例不同'
    """
    for template in (_OF_PEOPLE, _OF_POLICY, _MOVED_ON, CITED):
        values = _values_in(cited, template)
        if values is not None:
            return _(template, **{name: _value_in_words(name, value) for name, value in values.items()})
    return cited


def _value_in_words(name: str, value: str) -> str:
    if name == "release":
        return cited_in_words(value)
    if name == "instances":
        return counted(int(value.partition(" ")[0].replace(",", "")), "instance differs", "instances differ")
    return _(value) if name == "policy" else value


def _values_in(sentence: str, template: str) -> dict[str, str] | None:
    """The values of a sentence that was made of a template; None of another sentence."""
    match = re.fullmatch("".join(_pattern_parts(template)), sentence)
    return match and match.groupdict()


def _pattern_parts(template: str) -> Iterator[str]:
    for text, name in re.findall(r"([^{]*)(?:\{(\w+)\})?", template):
        yield re.escape(text) + (f"(?P<{name}>.+)" if name else "")
