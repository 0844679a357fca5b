"""The append-only record of who did what, on what, and when."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.errors import NotFound, ProjectArchived
from annotator.language import _
from annotator.store.annotate.my_work import excerpt_of
from annotator.store.connection.database import Row, Store

_SELECT = """SELECT events.*, instances.key AS key, instances.split AS split FROM events
    LEFT JOIN instances ON subject = 'instance' AND instances.id = subject_id"""
_EXCERPT = f"SELECT {excerpt_of('?1')}"

# What may be done with an archived project: reading it out, handing it over, and taking people's names out of what is published.
_WHILE_ARCHIVED = frozenset(
    {
        "archive",
        "bring back",
        "export",
        "export release",
        "export suite",
        "erase from releases",
        "give role",
        "take role",
    }
)
_AT_ONCE = 50
_IS_ACTION = "value = action OR (value LIKE '%: ' AND substr(action, 1, length(value)) = value)"
_LAST = 2**63 - 1  # above the number of any event


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
    key: str = ""  # of the instance that the event is about, and its split
    split: str = ""
    excerpt: str = ""  # how its text begins, where events are listed


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are wanted; what is empty asks for all.

    actions: an action's name, or what those of a kind begin with ("decide round: ")
    without: actions that are left out
    """

    actor: str = ""
    actions: frozenset[str] = frozenset()
    key: str = ""
    without: frozenset[str] = frozenset()


ALL_EVENTS = EventFilter()


def add_event(
    store: Store, actor: str, action: str, subject: str, subject_id: int | None = None, *,
    project_id: int | None = None, **detail: object,
) -> None:  # fmt: skip
    """Write down that `actor` just did `action` to a subject ("instance", "project" ...)."""
    record_event(store, store.now(), actor, action, subject, subject_id, project_id, detail)


def add_repeated_event(
    store: Store, actor: str, action: str, subject: str, subject_id: int | None, **detail: object
) -> None:
    """Write down what strangers can cause again and again: the 1st, 2nd, 4th, 8th ... time within an hour, as `n`.

    So the record tells how much there was, to a factor of two, and nobody can fill it: events are never deleted.
    """
    at = store.now()
    n = store.value(
        """INSERT INTO repeated_events (actor, action, subject_id, hour, n) VALUES (?, ?, ?, ?, 1)
            ON CONFLICT DO UPDATE SET n = CASE hour WHEN excluded.hour THEN n + 1 ELSE 1 END, hour = excluded.hour
            RETURNING n""",
        (actor, action, subject_id or 0, at[: len("2026-01-31T10")]),
    )
    if n & (n - 1) == 0:
        record_event(store, at, actor, action, subject, subject_id, None, {**detail, "n": n})


def record_event(
    store: Store, at: str, actor: str, action: str, subject: str, subject_id: int | None, project_id: int | None,
    detail: Mapping[str, object],
) -> None:  # fmt: skip
    """Write down what happened at a given time.

    Raises: ProjectArchived for what changes an archived project, which undoes the transaction that wanted to
    """
    if action not in _WHILE_ARCHIVED and project_id is not None:
        require_open(store, project_id)
    store.run(
        "INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (at, actor, action, project_id, subject, subject_id, json.dumps(dict(detail), ensure_ascii=False)),
    )


def require_open(store: Store, project_id: int) -> None:
    """Raise ProjectArchived where nothing of a project is to change, and NotFound where it is gone."""
    row = store.row("SELECT name, archived_at FROM projects WHERE id = ?", (project_id,))
    if row is None:
        raise NotFound(_("This project has been deleted."))
    if row["archived_at"] is not None:
        raise ProjectArchived(row["name"])


def list_events(
    store: Store, project_id: int | None, wanted: EventFilter = ALL_EVENTS, *, limit: int, offset: int = 0
) -> list[Event]:
    """The newest events of a project first, with the beginnings of the texts they are about.

    project_id: None for what is about accounts, links, sign-ins and the whole database
    """
    where, parameters = _where(project_id, wanted)
    rows = store.rows(f"{_SELECT} WHERE {where} ORDER BY events.id DESC LIMIT ? OFFSET ?", (*parameters, limit, offset))
    return [replace(event, excerpt=_excerpt(store, event)) for event in map(_event, rows)]


def count_events(store: Store, project_id: int | None, wanted: EventFilter = ALL_EVENTS) -> int:
    """How many of them there are."""
    where, parameters = _where(project_id, wanted)
    return store.number(f"SELECT count(*) FROM events WHERE {where}", parameters)


def _where(project_id: int | None, wanted: EventFilter) -> tuple[str, tuple[object, ...]]:
    """The condition of a filter, and its values."""
    conditions = ["events.project_id IS ?"]
    parameters: list[object] = [project_id]
    if wanted.actor:
        conditions.append("actor = ? COLLATE NOCASE")
        parameters.append(wanted.actor)
    for actions, names in (("", wanted.actions), ("NOT ", wanted.without)):
        if names:
            conditions.append(f"{actions}EXISTS (SELECT 1 FROM json_each(?) WHERE {_IS_ACTION})")
            parameters.append(json.dumps(sorted(names)))
    if wanted.key:
        conditions.append("""subject = 'instance' AND subject_id IN (SELECT instances.id FROM instances
            WHERE instances.project_id IS ? AND instr(casefold(instances.key), ?))""")
        parameters += [project_id, wanted.key.casefold()]
    return " AND ".join(conditions), tuple(parameters)


def _excerpt(store: Store, event: Event) -> str:
    return str(store.value(_EXCERPT, (event.subject_id,))) if event.key else ""


def events_of_instance(store: Store, instance_id: int) -> list[Event]:
    """Everything that is written down of one instance, oldest first."""
    rows = store.rows(f"{_SELECT} WHERE subject = 'instance' AND subject_id = ? ORDER BY events.id", (instance_id,))
    return [_event(row) for row in rows]


def newest_of_actions(store: Store, project_id: int, actions: Sequence[str], after: int = 0) -> Iterator[Event]:
    """The events of some actions that came after an event, the newest first, read as they are asked for."""
    marks = ",".join("?" * len(actions))
    sql = f"""{_SELECT} WHERE events.project_id = ? AND events.id > ? AND events.id < ? AND action IN ({marks})
        ORDER BY events.id DESC LIMIT {_AT_ONCE}"""
    before = _LAST
    while rows := store.rows(sql, (project_id, after, before, *actions)):
        yield from map(_event, rows)
        before = rows[-1]["id"]


def all_events(store: Store, project_id: int) -> Iterator[Event]:
    """Every event of a project, oldest first."""
    for row in store.iterate(f"{_SELECT} WHERE events.project_id = ? ORDER BY events.id", (project_id,)):
        yield _event(row)


def _event(row: Row) -> Event:
    detail = json.loads(row["detail"])
    subject, subject_id = row["subject"], row["subject_id"]
    return Event(
        row["id"], row["at"], row["actor"], row["action"], subject, subject_id, detail, row["key"] or "",
        row["split"] or "",
    )  # fmt: skip
