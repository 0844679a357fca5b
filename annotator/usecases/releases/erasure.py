"""Taking a person's sets out of the releases of a project, because the person asks for it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.people import SOMEONE_ERASED, User
from annotator.domain.project.releases import Release
from annotator.domain.projects import Project
from annotator.domain.sources import with_authors_called, without_annotator
from annotator.domain.texts import TokenizedText
from annotator.errors import NotFound
from annotator.formats.own.releases import pack, unpack
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.gold.releases import add_erased, parts_of, releases_of, replace_part
from annotator.usecases.access.rights import require
from annotator.usecases.transfer.pseudonyms import Pseudonyms


def erase_from_releases(store: Store, actor: User, project: Project, name: str) -> int:
    """Take what a person made out of every release; answers how many sets are gone.

    A set that others made too stays, without that person; so does one that was made of several people's tokens. Numbers and
    digests stay those of the day when the release was made, and the release tells how many sets are gone, not whose.
    Raises: NotFound where the person made nothing in any release
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        counts = [_erased(store, release, Erased.of(release, [name])) for release in releases_of(store, project.id)]
        if not any(has_any for has_any, _ in counts):
            raise NotFound(
                _(
                    "No release of '{name}' has anything of '{name_2}'. Write the name as the project has it.",
                    name=project.name,
                    name_2=name,
                )
            )
        n = sum(of_release for _, of_release in counts)
        add_event(store, actor.name, "erase from releases", "project", project.id, project_id=project.id, sets=n)
    return n


def erase_in_releases(
    store: Store, project_id: int, names: Sequence[str], texts: Collection[tuple[str, str]]
) -> dict[str, int]:
    """Take a person out of all releases of a project, in the transaction and with the rights of the caller.

    texts: key and split of the changed versions that they wrote, whose words go as well: their keys stay, so that the release
           is known to have had them. Answers how many sets are gone, by the release in words, where it had anything of theirs.
    """
    gone = {}
    for release in releases_of(store, project_id):
        has_any, n = _erased(store, release, Erased.of(release, names, texts))
        if has_any:
            gone[release.words] = n
    return gone


def count_in_releases(
    store: Store, project_id: int, names: Sequence[str], texts: Collection[tuple[str, str]]
) -> dict[str, int]:
    """How many sets would be gone, by the release in words, where it has anything of theirs; nothing is changed."""
    counts = {}
    for release in releases_of(store, project_id):
        erased = Erased.of(release, names, texts)
        parts = [
            (before := unpack(part), [erased.left_of(item) for item in before]) for part in parts_of(store, release.id)
        ]
        if any(before != after for before, after in parts):
            counts[release.words] = sum(_n_sets(before) - _n_sets(after) for before, after in parts)
    return counts


@dataclass(frozen=True, slots=True)
class Erased:
    """Who is taken out of a release, by pseudonym, and which texts go with them."""

    names: tuple[str, ...]
    pseudonyms: frozenset[str]
    texts: frozenset[tuple[str, str]]

    @staticmethod
    def of(release: Release, names: Sequence[str], texts: Collection[tuple[str, str]] = ()) -> "Erased":
        return Erased(tuple(names), frozenset(map(Pseudonyms(release.secret), names)), frozenset(texts))

    def left_of(self, item: GoldInstance) -> GoldInstance:
        """What stays of an instance."""
        instance = item.instance
        if (instance.key, instance.split) in self.texts:
            segments = tuple(replace(segment, body=_NO_TEXT, docid=None) for segment in instance.segments)
            emptied = replace(instance, segments=segments, result=None, target=None, metadata={})
            return GoldInstance(emptied, (), None, ())
        origins = [tuple(o for o in of_set if o.annotator not in self.pseudonyms) for of_set in item.origins]
        kept_sets = [n for n, of_set in enumerate(item.origins) if origins[n] or not of_set]
        return replace(
            item,
            instance=replace(instance, metadata=self._facts_left(instance)),
            sets=tuple(item.sets[n] for n in kept_sets) if item.origins else item.sets,
            origins=tuple(origins[n] for n in kept_sets),
        )

    def _facts_left(self, instance: Instance) -> Mapping[str, object]:
        metadata = instance.metadata
        for pseudonym in self.pseudonyms:
            metadata = without_annotator(metadata, pseudonym)
        # Releases of before name those who corrected changed versions as they are called.
        gone = self.pseudonyms | set(self.names)
        is_version = instance.perturbation_kind is not None
        return (
            with_authors_called(metadata, lambda who: SOMEONE_ERASED if who in gone else who)
            if is_version
            else metadata
        )


_NO_TEXT = TokenizedText("", (), (), ())


def _erased(store: Store, release: Release, erased: Erased) -> tuple[bool, int]:
    """Whether a release had anything of a person, and how many sets are gone now."""
    has_any, n = False, 0
    for position, part in enumerate(parts_of(store, release.id)):
        before = unpack(part)
        after = [erased.left_of(item) for item in before]
        if after != before:
            has_any = True
            n += _n_sets(before) - _n_sets(after)
            replace_part(store, release.id, position, pack(release.number, after))
    add_erased(store, release.id, n)
    return has_any, n


def _n_sets(items: Sequence[GoldInstance]) -> int:
    return sum(len(item.sets) for item in items)
