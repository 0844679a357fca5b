"""Taking a person's sets out of the releases of a project, because the person asks for it."""

from dataclasses import replace

from annotator.domain.annotator_facts import without_annotator
from annotator.domain.instances import GoldInstance
from annotator.domain.people import User
from annotator.domain.project.releases import Release
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.formats.own.releases import pack, unpack
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
        counts = [_erased(store, release, name) for release in releases_of(store, project.id)]
        if not any(has_any for has_any, _ in counts):
            raise NotFound(
                f"No release of '{project.name}' has anything of '{name}'. Write the name as the project has it."
            )
        n = sum(of_release for _, of_release in counts)
        add_event(store, actor.name, "erase from releases", "project", project.id, project_id=project.id, sets=n)
    return n


def _erased(store: Store, release: Release, name: str) -> tuple[bool, int]:
    """Whether a release had anything of a person, and how many sets are gone now."""
    pseudonym = Pseudonyms(release.secret)(name)
    has_any, n = False, 0
    for position, part in enumerate(parts_of(store, release.id)):
        before = unpack(part)
        after = [_without(item, pseudonym) for item in before]
        if after != before:
            has_any = True
            n += sum(len(item.sets) for item in before) - sum(len(item.sets) for item in after)
            replace_part(store, release.id, position, pack(release.number, after))
    add_erased(store, release.id, n)
    return has_any, n


def _without(item: GoldInstance, pseudonym: str) -> GoldInstance:
    origins = [tuple(origin for origin in of_set if origin.annotator != pseudonym) for of_set in item.origins]
    kept_sets = [n for n, of_set in enumerate(item.origins) if origins[n] or not of_set]
    return replace(
        item,
        instance=replace(item.instance, metadata=without_annotator(item.instance.metadata, pseudonym)),
        sets=tuple(item.sets[n] for n in kept_sets) if item.origins else item.sets,
        origins=tuple(origins[n] for n in kept_sets),
    )
