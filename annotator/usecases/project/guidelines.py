"""The guidelines of a project: their versions, what changed, who has read them, and whom to ask to read them."""

from dataclasses import dataclass, replace

from annotator.domain.people import User
from annotator.domain.project.guidelines import ChangedLine, GuidelinesVersion, changed_lines, require_sound_examples
from annotator.domain.projects import Project
from annotator.errors import Conflict, NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.people import list_members
from annotator.store.project import guidelines as guidelines_store
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require, require_person


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

    Raises: Conflict where somebody else made a version meanwhile, InvalidValue for a worked example that cannot be drawn
    """
    from annotator.usecases.project.projects import change_project  # noqa: PLC0415  (brings NumPy, which routes do without)

    with store.transaction():
        require(store, actor, project_id, "manage project")
        newest = guidelines_store.newest_number(store, project_id) or 0
        if newest != based_on:
            by = guidelines_store.find_version(store, project_id, newest)
            raise Conflict(
                _(
                    "Not saved: {name} changed this meanwhile. Copy your changes, reload and redo them.",
                    name=by.made_by if by else _("Someone else"),
                )
            )
        project = get_project_by_id(store, project_id)
        if text == project.guidelines:
            return newest
        require_sound_examples(text, project.labels if project.task.result_kind == "label" else ())
        change_project(store, actor, replace(project, guidelines=text), is_small=is_small)
        return newest + 1


@dataclass(frozen=True, slots=True)
class Reading:
    """What somebody has read of the guidelines.

    number:   the version that holds, 0 where there are none
    is_asked: whether they are to read it before the next text
    last:     the newest version that they have read; None for none
    changes:  from that one to the version that holds
    """

    number: int
    is_asked: bool
    last: int | None = None
    changes: tuple[ChangedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Readers:
    """Of those who annotate or review, by name: who has read what they are asked to read, and who has not yet."""

    have_read: tuple[str, ...]
    waiting: tuple[str, ...]


def reading_of(store: Store, user: User, project: Project) -> Reading:
    """What is to be shown to somebody who opens a screen that has the guidelines beside it."""
    newest = guidelines_store.newest_number(store, project.id) or 0
    if not project.guidelines.strip():
        return Reading(0, is_asked=False)
    if user.id is None:
        return Reading(newest, is_asked=False)
    last = guidelines_store.newest_read(store, project.id, user.id)
    before = guidelines_store.find_version(store, project.id, last) if last is not None and last < newest else None
    changes = () if before is None else changed_lines(before.text, project.guidelines)
    return Reading(newest, (last or 0) < guidelines_store.number_to_be_read(store, project.id), last, changes)


def acknowledge(store: Store, user: User, project_id: int, number: int) -> None:
    """Somebody says that they have read a version, which stays the one that was on their screen.

    Raises: NotFound where there is no such version
    """
    with store.transaction():
        require(store, user, project_id, "annotate", "review")
        user_id = require_person(user)
        if guidelines_store.find_version(store, project_id, number) is None:
            raise NotFound(_("No guidelines version {number}. Reload.", number=number))
        guidelines_store.note_read(store, project_id, user_id, number)


def readers_of(store: Store, actor: User, project: Project) -> Readers:
    """Who has read the newest version that is more than a small change, for the project's lead."""
    require(store, actor, project.id, "manage project")
    wanted = guidelines_store.number_to_be_read(store, project.id) if project.guidelines.strip() else 0
    newest = {
        name: number
        for name, number, _ in sorted(guidelines_store.readings_of(store, project.id), key=lambda read: read[1])
    }
    names = dict.fromkeys(
        user.name
        for user, role in list_members(store, project.id)
        if not user.is_disabled and role in {"annotator", "reviewer"}
    )
    have_read = tuple(name for name in names if newest.get(name, 0) >= wanted)
    return Readers(have_read, tuple(name for name in names if name not in have_read))


def guidelines_versions(store: Store, actor: User, project_id: int) -> list[ShownVersion]:
    """All versions, the newest first, each with what it changed."""
    require(store, actor, project_id, "manage project")
    versions = guidelines_store.versions_of(store, project_id)
    before = ["", *(version.text for version in versions)]
    return [
        ShownVersion(version, changed_lines(text, version.text))
        for text, version in zip(before, versions, strict=False)
    ][::-1]
