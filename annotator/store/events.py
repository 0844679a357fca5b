"""The append-only record of who did what, on what, and when."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotator.store.database import Row, Store, now


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the record."""

    id: int
    at: str
    actor: str
    action: str
    subject: str
    subject_id: int | None
    detail: Mapping[str, object]


def add_event(
    store: Store,
    actor: str,
    action: str,
    subject: str,
    subject_id: int | None = None,
    *,
    project_id: int | None = None,
    at: str | None = None,
    **detail: object,
) -> None:
    """Write down that `actor` did `action` to a subject ("instance", "project" ...)."""
    store.run(
        "INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (at or now(), actor, action, project_id, subject, subject_id, json.dumps(detail, ensure_ascii=False)),
    )


def list_events(store: Store, project_id: int, *, limit: int, offset: int = 0) -> list[Event]:
    """The newest events of a project first."""
    rows = store.rows(
        "SELECT * FROM events WHERE project_id = ? ORDER BY id DESC LIMIT ? OFFSET ?", (project_id, limit, offset)
    )
    return [_event(row) for row in rows]


def all_events(store: Store, project_id: int) -> Iterator[Event]:
    """Every event of a project, oldest first."""
    for row in store.connection.execute("SELECT * FROM events WHERE project_id = ? ORDER BY id", (project_id,)):
        yield _event(row)


def _event(row: Row) -> Event:
    detail = json.loads(row["detail"])
    return Event(row["id"], row["at"], row["actor"], row["action"], row["subject"], row["subject_id"], detail)
