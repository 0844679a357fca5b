"""The notices of each person."""

import json
from collections.abc import Collection

from annotator.domain.people import NoticeGroup, NoticeKind, User
from annotator.store.connection.database import Row, Store


def add_notices(
    store: Store,
    user_ids: Collection[int],
    project_id: int,
    kind: NoticeKind,
    instance_id: int | None = None,
    detail: str = "",
) -> None:
    """One line for each person who may still sign in."""
    store.run(
        """INSERT INTO notices (user_id, project_id, kind, instance_id, detail, created_at)
            SELECT id, ?2, ?3, ?4, ?5, ?6 FROM users
            WHERE id IN (SELECT value FROM json_each(?1)) AND is_disabled = 0 ORDER BY id""",
        (json.dumps(sorted(user_ids)), project_id, kind, instance_id, detail, store.now()),
    )


def has_unread(store: Store, user_id: int, project_id: int, kind: NoticeKind) -> bool:
    """Whether a line of this kind waits for somebody already."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM notices
                WHERE user_id = ? AND project_id = ? AND kind = ? AND read_at IS NULL)""",
        (user_id, project_id, kind),
    )


# Whoever has lost their last role in a project is told nothing of it any more, not even its name.
MAY_SEE = """(?2 OR EXISTS (SELECT 1 FROM memberships AS mine
    WHERE mine.project_id = notices.project_id AND mine.user_id = notices.user_id))"""
# What is unread is one line, however long ago the first of it was; what was read is a line for each day on which it was.
_GROUPED = f"""SELECT notices.project_id, kind, detail, count(*) AS n, max(notices.id) AS newest_id,
        max(notices.created_at) AS newest_at, read_at IS NOT NULL AS is_read, max(notices.instance_id) AS instance_id
    FROM notices WHERE notices.user_id = ?1 AND {MAY_SEE}"""
_NAMED = """SELECT grouped.*, projects.name AS project_name, instances.key AS key FROM ({groups}) AS grouped
    JOIN projects ON projects.id = grouped.project_id LEFT JOIN instances ON instances.id = grouped.instance_id
    ORDER BY newest_id DESC"""


def list_groups(store: Store, user: User, *, is_read: bool, limit: int, offset: int = 0) -> list[NoticeGroup]:
    """One page of the lines of somebody's notices, the newest first."""
    which, day = ("NOT NULL", "substr(read_at, 1, 10)") if is_read else ("NULL", "''")
    rows = store.rows(
        _NAMED.format(
            groups=f"""{_GROUPED} AND read_at IS {which} GROUP BY notices.project_id, kind, detail, {day}
                ORDER BY newest_id DESC LIMIT ?3 OFFSET ?4"""
        ),
        (user.id, user.is_administrator, limit, offset),
    )
    return [_group(row) for row in rows]


def count_unread(store: Store, user: User, *, at_most: int) -> int:
    """How many notices somebody has not read, counted up to so many."""
    return store.number(
        f"SELECT count(*) FROM (SELECT 1 FROM notices WHERE user_id = ?1 AND read_at IS NULL AND {MAY_SEE} LIMIT ?3)",
        (user.id, user.is_administrator, at_most),
    )


def mark_read(store: Store, user_id: int, up_to: int) -> None:
    """All of somebody's notices are read, up to one: those that came while they looked stay new."""
    store.run(
        "UPDATE notices SET read_at = ? WHERE user_id = ? AND id <= ? AND read_at IS NULL",
        (store.now(), user_id, up_to),
    )


def mark_group_read(store: Store, user_id: int, notice_id: int) -> None:
    """The same for those of the line whose newest is a notice."""
    store.run(
        """UPDATE notices SET read_at = ?1 WHERE user_id = ?2 AND id <= ?3 AND read_at IS NULL
            AND (project_id, kind, detail) = (SELECT project_id, kind, detail FROM notices WHERE id = ?3 AND user_id = ?2)""",
        (store.now(), user_id, notice_id),
    )


def mark_read_about(
    store: Store, project_id: int, kind: NoticeKind, instance_id: int, user_id: int | None = None
) -> None:
    """The notices of a kind about a text are read: those of one person, or everybody's."""
    store.run(
        """UPDATE notices SET read_at = ?1 WHERE project_id = ?2 AND kind = ?3 AND instance_id = ?4 AND read_at IS NULL
            AND (?5 IS NULL OR user_id = ?5)""",
        (store.now(), project_id, kind, instance_id, user_id),
    )


def prune_notices(store: Store, before: str, *, at_most: int = 1000) -> int:
    """Remove notices that are older; answers how many."""
    cursor = store.run(
        "DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE created_at < ? ORDER BY created_at LIMIT ?)",
        (before, at_most),
    )
    return cursor.rowcount


def _group(row: Row) -> NoticeGroup:
    is_single = row["n"] == 1
    return NoticeGroup(
        row["project_id"], row["project_name"], row["kind"], row["detail"], row["n"], row["newest_id"], row["newest_at"],
        bool(row["is_read"]), row["instance_id"] if is_single else None, (row["key"] or "") if is_single else "",
    )  # fmt: skip
