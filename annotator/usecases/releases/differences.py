"""What differs between two releases, or a release and the gold of now; which release the gold equals."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.instances import GoldInstance
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.project.releases import CITED, Release, texts_digest
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, listed, several, speaking, unsaid
from annotator.store import Store
from annotator.store.gold.releases import get_release, newest_release
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.stale_numbers import last_change
from annotator.usecases.releases.frozen_gold import frozen_gold, gold_to_freeze

Kind = Literal["added", "removed", "label", "sets", "text", "exhaustive"]
Place = tuple[str, str]  # key and split

_KINDS: tuple[Kind, ...] = ("added", "removed", "label", "sets", "text", "exhaustive")
KIND_WORDS: Mapping[Kind, str] = {
    "added": unsaid("added"),
    "removed": unsaid("removed, or without gold now"),
    "label": unsaid("with another label"),
    "sets": unsaid("with other sets"),
    "text": unsaid("with another text or other tokens"),
    "exhaustive": unsaid("whose sets mark all the evidence, or no longer"),
}


@dataclass(frozen=True, slots=True)
class GoldDifferences:
    """Which instances differ.

    before, after: what was compared, in words
    places: by kind, in the order of the gold; one with another label and other sets stands in both
    """

    before: str
    after: str
    places: Mapping[Kind, tuple[Place, ...]]

    @property
    def n(self) -> int:
        """How many instances differ."""
        return len({where for of_kind in self.places.values() for where in of_kind})

    @property
    def words(self) -> str:
        """How many of each kind.

        >>> GoldDifferences("release 1", "release 2", {"added": (("a", ""),), "sets": (("b", ""), ("c", ""))}).words
        'From release 1 to release 2: 3 instances differ (1 added, 2 with other sets).'
        """
        if not self.n:
            return _("From {before} to {after}: the gold is the same.", before=self.before, after=self.after)
        return several(
            "From {before} to {after}: {n} instance differs ({kinds}).",
            "From {before} to {after}: {n} instances differ ({kinds}).",
            self.n,
            before=self.before,
            after=self.after,
            kinds=listed(
                [
                    _("{n} {difference}", n=f"{len(places):,}", difference=_(KIND_WORDS[kind]))
                    for kind, places in self.places.items()
                ]
            ),
        )


def release_differences(
    store: Store, actor: User, project: Project, number: int, other: int | None = None
) -> GoldDifferences:
    """What differs from a release to another one; other None: to the gold of now, under the release's policy."""
    require(store, actor, project.id, "see all annotations")
    with store.snapshot():
        release = get_release(store, project.id, number)
        if other is None:
            return since(store, project, release)
        later = get_release(store, project.id, other)
        before, after = _rows(frozen_gold(store, release), release), _rows(frozen_gold(store, later), later)
        return GoldDifferences(_release(number), _release(other), _places(before, after))


def since(store: Store, project: Project, release: Release, policy: GoldPolicy | None = None) -> GoldDifferences:
    """What differs from a release to the gold of now, under its policy or another one."""
    now = gold_to_freeze(store, project, policy or release.rules.policy)
    rows = {_place(item): _Row.of(item, is_exhaustive=project.settings.is_exhaustive) for item in now}
    places = _places(_rows(frozen_gold(store, release), release), rows)
    return GoldDifferences(_release(release.number), _("the gold of now"), places)


@dataclass(frozen=True, slots=True)
class _Row:
    """What is compared of an instance's gold."""

    label: str | None
    sets: tuple[tuple[int, ...], ...]
    text: str
    exhaustive: bool

    @staticmethod
    def of(item: GoldInstance, *, is_exhaustive: bool) -> "_Row":
        stated = item.instance.is_exhaustive
        return _Row(
            item.result,
            tuple(rationale_set.token_indices for rationale_set in item.sets),
            texts_digest(item.instance),
            is_exhaustive if stated is None else stated,
        )


def _rows(items: Iterable[GoldInstance], release: Release) -> dict[Place, _Row]:
    return {_place(item): _Row.of(item, is_exhaustive=release.rules.is_exhaustive) for item in items}


def _place(item: GoldInstance) -> Place:
    return item.instance.key, item.instance.split


def _places(before: Mapping[Place, _Row], after: Mapping[Place, _Row]) -> dict[Kind, tuple[Place, ...]]:
    places: dict[Kind, list[Place]] = {kind: [] for kind in _KINDS}
    places["added"] = [where for where in after if where not in before]
    for where, row in before.items():
        if where not in after:
            places["removed"].append(where)
            continue
        for kind in ("label", "sets", "text", "exhaustive"):
            if getattr(row, kind) != getattr(after[where], kind):
                places[kind].append(where)
    return {kind: tuple(of_kind) for kind, of_kind in places.items() if of_kind}


def _release(number: int) -> str:
    return _("release {number}", number=number)


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
