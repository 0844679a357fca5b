"""Versions of guidelines, and who has read which."""

from collections.abc import Sequence

from annotator.domain.project.guidelines import GuidelinesVersion
from annotator.store.connection.database import Row, Store


def add_version(store: Store, project_id: int, text: str, made_by: str, *, is_small: bool = False) -> int:
    """A new version; answers its number."""
    number = 1 + (newest_number(store, project_id) or 0)
    restore_versions(store, project_id, [GuidelinesVersion(number, text, made_by, store.now(), is_small)])
    return number


def restore_versions(store: Store, project_id: int, versions: Sequence[GuidelinesVersion]) -> None:
    """Write versions with their numbers, which must be free."""
    store.run_many(
        """INSERT INTO guidelines_versions (project_id, number, text, made_by, made_at, is_small)
            VALUES (?, ?, ?, ?, ?, ?)""",
        [(project_id, v.number, v.text, v.made_by, v.made_at, v.is_small) for v in versions],
    )


def newest_number(store: Store, project_id: int) -> int | None:
    """The number of the version that holds; None where the project never had guidelines."""
    number: int | None = store.value("SELECT max(number) FROM guidelines_versions WHERE project_id = ?", (project_id,))
    return number


def versions_of(store: Store, project_id: int) -> list[GuidelinesVersion]:
    """All versions, the oldest first."""
    rows = store.rows("SELECT * FROM guidelines_versions WHERE project_id = ? ORDER BY number", (project_id,))
    return [_version(row) for row in rows]


def find_version(store: Store, project_id: int, number: int) -> GuidelinesVersion | None:
    """One version by its number."""
    row = store.row("SELECT * FROM guidelines_versions WHERE project_id = ? AND number = ?", (project_id, number))
    return None if row is None else _version(row)


def note_read(store: Store, project_id: int, user_id: int, number: int, read_at: str | None = None) -> None:
    """Somebody has read a version; the first time counts."""
    store.run(
        """INSERT INTO guidelines_read (project_id, user_id, number, read_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING""",
        (project_id, user_id, number, read_at or store.now()),
    )


def newest_read(store: Store, project_id: int, user_id: int) -> int | None:
    """The newest version that somebody has read."""
    number: int | None = store.value(
        "SELECT max(number) FROM guidelines_read WHERE project_id = ? AND user_id = ?", (project_id, user_id)
    )
    return number


def number_to_be_read(store: Store, project_id: int) -> int:
    """The newest version that is more than a small change: whoever has read it, or a later one, is not asked; 0 for none."""
    return store.number(
        "SELECT coalesce(max(number), 0) FROM guidelines_versions WHERE project_id = ? AND is_small = 0", (project_id,)
    )


def readings_of(store: Store, project_id: int) -> list[tuple[str, int, str]]:
    """Who has read which version when, in that order."""
    return store.tuples(
        """SELECT name, number, read_at FROM guidelines_read JOIN users ON users.id = user_id
            WHERE project_id = ? ORDER BY read_at, number, name""",
        (project_id,),
    )


def _version(row: Row) -> GuidelinesVersion:
    return GuidelinesVersion(row["number"], row["text"], row["made_by"], row["made_at"], bool(row["is_small"]))
