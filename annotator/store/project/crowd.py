"""Recruitment links, and the workers who came in by them."""

from secrets import token_bytes
from typing import cast

from annotator.domain.people import User
from annotator.domain.project.recruitment import LinkRules, LinkState, RecruitmentLink, Worker, WorkerState
from annotator.language import _
from annotator.store.connection.database import Row, Store, of_columns

# What a worker has done counts for good: a text that comes back after review was done all the same.
_OWN_WORK = """assignments.user_id = crowd_workers.user_id
    AND assignments.project_id = (SELECT project_id FROM crowd_doors WHERE crowd_doors.id = door_id)"""
_DONE = f"""(SELECT count(DISTINCT instance_id) FROM assignments WHERE {_OWN_WORK}
    AND (assignments.state = 'proposed' OR EXISTS (SELECT 1 FROM annotations
        WHERE annotations.assignment_id = assignments.id AND annotations.state <> 'withdrawn')
        OR EXISTS (SELECT 1 FROM proposals WHERE proposals.assignment_id = assignments.id AND kind = 'discard')))"""
_WORKERS = f"""SELECT crowd_workers.*, users.name, {_DONE} AS done
    FROM crowd_workers JOIN users ON users.id = crowd_workers.user_id"""
_RULES = (
    "name", "most_workers", "quota", "minutes", "at_once", "until", "parameter", "return_address", "introduction", "must_read",
)  # fmt: skip


def add_recruitment_link(
    store: Store, project_id: int, token: str, rules: LinkRules, created_by: str
) -> RecruitmentLink:
    """A new link; nobody can come in by it yet."""
    values = [getattr(rules, name) for name in _RULES]
    cursor = store.run(
        f"""INSERT INTO crowd_doors (project_id, token, created_by, created_at, {", ".join(_RULES)})
            VALUES (?, ?, ?, ?, {", ".join("?" * len(_RULES))})""",
        (project_id, token, created_by, store.now(), *values),
    )
    return get_recruitment_link(store, cast("int", cursor.lastrowid))


def change_recruitment_link(store: Store, link_id: int, rules: LinkRules) -> None:
    """Other rules, for whoever comes from now on."""
    values = [getattr(rules, name) for name in _RULES]
    store.run(f"UPDATE crowd_doors SET {', '.join(f'{name} = ?' for name in _RULES)} WHERE id = ?", (*values, link_id))


def set_link_state(store: Store, link_id: int, state: LinkState) -> None:
    store.run("UPDATE crowd_doors SET state = ? WHERE id = ?", (state, link_id))


def get_recruitment_link(store: Store, link_id: int) -> RecruitmentLink:
    """A link by its number; raises NotFound."""
    row = store.get("SELECT * FROM crowd_doors WHERE id = ?", link_id, _("recruitment link"))
    return _link_of(row)


def find_recruitment_link(store: Store, token: str) -> RecruitmentLink | None:
    """The link with that token."""
    row = store.row("SELECT * FROM crowd_doors WHERE token = ?", (token,))
    return None if row is None else _link_of(row)


def list_recruitment_links(store: Store, project_id: int) -> list[RecruitmentLink]:
    """The links of a project, the newest first."""
    return [
        _link_of(row)
        for row in store.rows("SELECT * FROM crowd_doors WHERE project_id = ? ORDER BY id DESC", (project_id,))
    ]


def count_at_work(store: Store, moment: str, link_id: int | None = None) -> int:
    """How many workers are at work at a moment: by one link, or by all of them."""
    return store.number(
        """SELECT count(*) FROM crowd_workers WHERE state = 'working' AND ends_at > ?1
                AND (?2 IS NULL OR door_id = ?2)""",
        (moment, link_id),
    )


def count_workers(store: Store, link_id: int) -> dict[WorkerState, int]:
    """How many workers of a link are in each state."""
    return store.mapping("SELECT state, count(*) AS n FROM crowd_workers WHERE door_id = ? GROUP BY state", (link_id,))


def add_worker(
    store: Store, link_id: int, user: User, *, platform_hash: bytes | None, visit_hash: bytes, code: str, ends_at: str
) -> None:
    """Somebody comes in by a link."""
    store.run("UPDATE users SET is_worker = 1 WHERE id = ?", (user.id,))
    store.run(
        """INSERT INTO crowd_workers (user_id, door_id, platform_hash, visit_hash, code, began_at, ends_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (user.id, link_id, platform_hash, visit_hash, code, store.now(), ends_at),
    )


def set_visit(store: Store, user_id: int, visit_hash: bytes) -> None:
    """The worker has come back, in this browser."""
    store.run("UPDATE crowd_workers SET visit_hash = ? WHERE user_id = ?", (visit_hash, user_id))


def end_worker(store: Store, user_id: int, state: WorkerState) -> None:
    store.run("UPDATE crowd_workers SET state = ?, ended_at = ? WHERE user_id = ?", (state, store.now(), user_id))


def note_stopped(store: Store, user_id: int) -> None:
    """A lead ended the work of a worker."""
    store.run("UPDATE crowd_workers SET is_stopped = 1 WHERE user_id = ?", (user_id,))


def set_paid(store: Store, user_id: int, *, is_paid: bool) -> None:
    store.run("UPDATE crowd_workers SET paid_at = ? WHERE user_id = ?", (store.now() if is_paid else None, user_id))


def find_worker(store: Store, user_id: int) -> Worker | None:
    """The worker whose account that is."""
    return _one(store, f"{_WORKERS} WHERE crowd_workers.user_id = ?", (user_id,))


def find_worker_of_platform(store: Store, link_id: int, platform_hash: bytes) -> Worker | None:
    """The worker whom the platform called so, at this link."""
    return _one(store, f"{_WORKERS} WHERE door_id = ? AND platform_hash = ?", (link_id, platform_hash))


def find_worker_of_visit(store: Store, visit_hash: bytes) -> Worker | None:
    """The worker of a browser."""
    return _one(store, f"{_WORKERS} WHERE visit_hash = ?", (visit_hash,))


def list_workers(store: Store, link_id: int) -> list[Worker]:
    """The workers of a link, in the order in which they came."""
    return [_worker(row) for row in store.rows(f"{_WORKERS} WHERE door_id = ? ORDER BY began_at, users.id", (link_id,))]


def list_overdue(store: Store, moment: str) -> list[Worker]:
    """Those at work whose time was up at a moment."""
    return [_worker(row) for row in store.rows(f"{_WORKERS} WHERE state = 'working' AND ends_at <= ?", (moment,))]


def active_ms_of(store: Store, link_id: int) -> dict[int, int]:
    """How long each worker of a link was active, by account."""
    return store.mapping(
        f"""SELECT crowd_workers.user_id, (SELECT coalesce(sum(active_ms), 0) FROM assignments WHERE {_OWN_WORK}) AS ms
            FROM crowd_workers WHERE door_id = ?""",
        (link_id,),
    )


def platform_secret(store: Store) -> bytes:
    """The secret of this database under which platforms' ids are hashed; made when it is needed first."""
    store.run("INSERT INTO crowd_secret (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING", (token_bytes(32),))
    return cast("bytes", store.value("SELECT secret FROM crowd_secret"))


def find_platform_secret(store: Store) -> bytes | None:
    """The same without making it: before the first worker there is none."""
    return cast("bytes | None", store.value("SELECT secret FROM crowd_secret"))


def _one(store: Store, sql: str, parameters: tuple[object, ...]) -> Worker | None:
    row = store.row(sql, parameters)
    return None if row is None else _worker(row)


def _link_of(row: Row) -> RecruitmentLink:
    values = {name: row[name] for name in _RULES}
    rules = LinkRules(**{**values, "must_read": bool(row["must_read"])})
    return of_columns(RecruitmentLink, row, rules=rules)


def _worker(row: Row) -> Worker:
    return of_columns(Worker, row, link_id=row["door_id"], is_stopped=bool(row["is_stopped"]))
