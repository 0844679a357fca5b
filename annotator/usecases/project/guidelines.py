"""The guidelines of a project: their versions, what changed, who has read them, and whom to ask to read them."""

from dataclasses import dataclass, replace

from annotator.domain.guidelines import ChangedLine, GuidelinesVersion, changed_lines
from annotator.domain.people import User
from annotator.errors import Conflict
from annotator.store import Store
from annotator.store.project.guidelines import find_version, newest_number, versions_of
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require
from annotator.usecases.project.projects import change_project


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version, with what it changed in the one before it."""

    version: GuidelinesVersion
    changes: tuple[ChangedLine, ...]


def change_guidelines(
    store: Store, actor: User, project_id: int, text: str, *, based_on: int, is_small: bool = False
) -> int:
    """Make a new version, unless the text is the same; answers the number of the version that holds.

    based_on: the version that the lead had before them, 0 for none
    is_small: it says the same as before, so that nobody is asked to read it again

    Raises: Conflict where somebody else made a version meanwhile
    """
    with store.transaction():
        require(store, actor, project_id, "manage project")
        newest = newest_number(store, project_id) or 0
        if newest != based_on:
            by = find_version(store, project_id, newest)
            raise Conflict(
                f"{by.made_by if by else 'Somebody else'} saved version {newest} of the guidelines meanwhile, so yours was not "
                "saved. Copy what you wrote, take the newest version, and write your changes into it."
            )
        project = get_project_by_id(store, project_id)
        if text == project.guidelines:
            return newest
        change_project(store, actor, replace(project, guidelines=text), is_small=is_small)
        return newest + 1


def guidelines_versions(store: Store, actor: User, project_id: int) -> list[ShownVersion]:
    """All versions, the newest first, each with what it changed."""
    require(store, actor, project_id, "manage project")
    versions = versions_of(store, project_id)
    before = ["", *(version.text for version in versions)]
    return [
        ShownVersion(version, changed_lines(text, version.text))
        for text, version in zip(before, versions, strict=False)
    ][::-1]
