"""What differs between two releases, or between a release and a project's gold as it is now."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.instances import GoldInstance
from annotator.domain.people import User
from annotator.domain.project.releases import Release, texts_digest
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, listed, several, unsaid
from annotator.store import Store
from annotator.store.gold.releases import get_release
from annotator.usecases.access.rights import require
from annotator.usecases.releases.frozen_gold import frozen_gold, gold_to_freeze

Kind = Literal["added", "removed", "split", "label", "sets", "text", "exhaustive"]
Place = tuple[str, str]  # key and split

_KINDS: tuple[Kind, ...] = ("added", "removed", "split", "label", "sets", "text", "exhaustive")
KIND_WORDS: Mapping[Kind, str] = {
    "added": unsaid("added"),
    "removed": unsaid("removed, or now without gold"),
    "split": unsaid("in another split"),
    "label": unsaid("with another label"),
    "sets": unsaid("with other sets"),
    "text": unsaid("with another text or other tokens"),
    "exhaustive": unsaid("with exhaustiveness changed"),
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
    return GoldDifferences(_release(release.number), _("the current gold"), places)


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
    moved = _moved(before.keys() - after.keys(), after.keys() - before.keys())
    came_from = {now: where for where, now in moved.items()}
    places: dict[Kind, list[Place]] = {kind: [] for kind in _KINDS}
    places["added"] = [now for now in after if now not in before and now not in came_from]
    places["split"] = [now for now in after if now in came_from]
    for where, row in before.items():
        now = moved.get(where, where)
        if now not in after:
            places["removed"].append(where)
            continue
        for kind in ("label", "sets", "text", "exhaustive"):
            if getattr(row, kind) != getattr(after[now], kind):
                places[kind].append(now)
    return {kind: tuple(of_kind) for kind, of_kind in places.items() if of_kind}


def _moved(gone: Collection[Place], come: Collection[Place]) -> dict[Place, Place]:
    """Where the instances of one split stand in another; only those whose key is gone once and has come once."""
    n_gone, n_come = (Counter(key for key, _split in places) for places in (gone, come))
    now = {key: (key, split) for key, split in come if n_come[key] == n_gone[key] == 1}
    return {(key, split): now[key] for key, split in gone if key in now}


def _release(number: int) -> str:
    return _("release {number}", number=number)
