"""Releases of gold: what is told of each, and its content in parts."""

from collections.abc import Iterator
from dataclasses import asdict

import msgspec

from annotator.domain.project.releases import FrozenGold, Release, ReleaseRules
from annotator.errors import NotFound
from annotator.language import _, listed
from annotator.store.connection.database import Row, Store, of_columns

_SELECT = "SELECT * FROM releases"


def add_release(store: Store, release: Release) -> int:
    """Write a release without its parts; its `id` is not looked at. Answers its number in the database."""
    return store.add(
        """INSERT INTO releases (project_id, number, name, rules, n_instances, n_sets, n_annotators, digest, made_by,
            user_id, created_at, event_id, secret, n_erased) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            release.project_id, release.number, release.name, msgspec.json.encode(asdict(release.rules)).decode(),
            release.gold.n_instances, release.gold.n_sets, release.gold.n_annotators, release.gold.digest,
            release.made_by, release.user_id, release.created_at, release.event_id, release.secret, release.n_erased,
        ),
    )  # fmt: skip


def add_part(store: Store, release_id: int, content: bytes) -> None:
    """Write the next part of a release's content."""
    store.run(
        """INSERT INTO release_parts (release_id, position, content)
            SELECT ?1, (SELECT count(*) FROM release_parts WHERE release_id = ?1), ?2""",
        (release_id, content),
    )


def parts_of(store: Store, release_id: int) -> Iterator[bytes]:
    """The content of a release, a part at a time, in the order in which it was frozen."""
    n = store.number("SELECT count(*) FROM release_parts WHERE release_id = ?", (release_id,))
    for position in range(n):
        yield store.value(
            "SELECT content FROM release_parts WHERE release_id = ? AND position = ?", (release_id, position)
        )


def replace_part(store: Store, release_id: int, position: int, content: bytes) -> None:
    """Write a part anew, without what somebody asked to be erased."""
    store.run(
        "UPDATE release_parts SET content = ? WHERE release_id = ? AND position = ?", (content, release_id, position)
    )


def add_erased(store: Store, release_id: int, n: int) -> None:
    """So many more sets are gone from a release."""
    store.run("UPDATE releases SET n_erased = n_erased + ? WHERE id = ?", (n, release_id))


def releases_of(store: Store, project_id: int) -> list[Release]:
    """The releases of a project, the first one first."""
    return [_release(row) for row in store.rows(f"{_SELECT} WHERE project_id = ? ORDER BY number", (project_id,))]


def every_release(store: Store) -> list[Release]:
    """The releases of all projects."""
    return [_release(row) for row in store.rows(f"{_SELECT} ORDER BY id")]


def get_release(store: Store, project_id: int, number: int) -> Release:
    """A release by its number in the project; raises NotFound naming those there are."""
    row = store.row(f"{_SELECT} WHERE project_id = ? AND number = ?", (project_id, number))
    if row is None:
        known = listed([f"{release.number} (“{release.name}”)" for release in releases_of(store, project_id)])
        raise NotFound(
            _("No release {number}. Available: {known}.", number=number, known=known)
            if known
            else _("No {what} number {number}.", number=number, what=_("release"))
        )
    return _release(row)


def find_release(store: Store, project_id: int, name: str) -> Release | None:
    """The release of a name in a project; ASCII letters count without their case."""
    row = store.row(f"{_SELECT} WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _release(row)


def newest_release(store: Store, project_id: int) -> Release | None:
    """The release of the highest number."""
    row = store.row(f"{_SELECT} WHERE project_id = ? ORDER BY number DESC LIMIT 1", (project_id,))
    return None if row is None else _release(row)


def _release(row: Row) -> Release:
    rules = msgspec.json.decode(row["rules"], type=ReleaseRules)
    return of_columns(Release, row, rules=rules, gold=of_columns(FrozenGold, row))
