"""The queue of long work: asked for, claimed by one process, told of, ended."""

import datetime as dt
from typing import cast

from annotator.domain.jobs import Job, JobKind, JobState
from annotator.domain.people import User
from annotator.language import _
from annotator.store.connection.database import Row, Store, iso, of_columns
from annotator.store.events import require_open

SILENT_AFTER = dt.timedelta(seconds=15)  # a process that gave no sign of life for so long is gone
_SELECT = """SELECT jobs.*, coalesce(users.name, 'local operator') AS asked_by_name
    FROM jobs LEFT JOIN users ON users.id = asked_by"""
_OPEN = "state IN ('waiting', 'running')"


def add_job(store: Store, project_id: int, kind: JobKind, title: str, options: str, asked_by: User) -> Job:
    """A new job at the end of the queue; an equal one that waits already is answered instead."""
    require_open(store, project_id)
    waiting = store.value(
        "SELECT id FROM jobs WHERE project_id = ? AND kind = ? AND options = ? AND state = 'waiting'",
        (project_id, kind, options),
    )
    if waiting is not None:
        return get_job(store, waiting)
    cursor = store.run(
        "INSERT INTO jobs (project_id, kind, title, options, asked_by, asked_at) VALUES (?, ?, ?, ?, ?, ?)",
        (project_id, kind, title, options, asked_by.id, store.now()),
    )
    return get_job(store, cast("int", cursor.lastrowid))


def get_job(store: Store, job_id: int) -> Job:
    """A job by number; raises NotFound."""
    row = store.get(f"{_SELECT} WHERE jobs.id = ?", job_id, _("job"))
    return _job(row)


def open_jobs(store: Store, project_id: int) -> list[Job]:
    """The jobs of a project that run or wait, in their order."""
    return [
        _job(row) for row in store.rows(f"{_SELECT} WHERE project_id = ? AND {_OPEN} ORDER BY jobs.id", (project_id,))
    ]


def ended_jobs(store: Store, project_id: int, limit: int, kind: JobKind | None = None) -> list[Job]:
    """The last jobs of a project that ended, the latest first. kind: of one kind alone."""
    rows = store.rows(
        f"""{_SELECT} WHERE project_id = ?1 AND ended_at IS NOT NULL AND (?2 IS NULL OR kind = ?2)
            ORDER BY ended_at DESC, jobs.id DESC LIMIT ?3""",
        (project_id, kind, limit),
    )
    return [_job(row) for row in rows]


def is_work_waiting(store: Store) -> bool:
    """Whether a process that begins now finds something to do: one job runs at a time in the whole database."""
    return not _is_one_at_work(store) and store.holds(f"SELECT EXISTS (SELECT 1 FROM jobs WHERE {_OPEN})")


def claim_job(store: Store, worker: int) -> Job | None:
    """The first job that waits is this process's now; None while another process is at work, or nothing waits.

    What a process left behind that is gone waits again.
    """
    if _is_one_at_work(store):
        return None
    store.run("UPDATE jobs SET state = 'waiting', worker = NULL, beat_at = NULL WHERE state = 'running'")
    job_id = store.value("SELECT id FROM jobs WHERE state = 'waiting' ORDER BY id LIMIT 1")
    if job_id is None:
        return None
    store.run(
        """UPDATE jobs SET state = 'running', worker = ?, beat_at = ?, n_starts = n_starts + 1, n_done = 0, n_of = 0
            WHERE id = ?""",
        (worker, store.now(), job_id),
    )
    return get_job(store, job_id)


def _is_one_at_work(store: Store) -> bool:
    moment = store.moment()
    # A sign of life from the future is of a clock that was ahead: whoever lives gives the next one within a second.
    beat = "SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'running' AND beat_at BETWEEN ? AND ?)"
    return store.holds(beat, (iso(moment - SILENT_AFTER), iso(moment + SILENT_AFTER)))


def note_progress(store: Store, job_id: int, worker: int, n_done: int, n_of: int) -> bool:
    """A sign of life, and how far it is; whether the job is this process's still."""
    cursor = store.run(
        "UPDATE jobs SET n_done = ?, n_of = ?, beat_at = ? WHERE id = ? AND state = 'running' AND worker = ?",
        (n_done, n_of, store.now(), job_id, worker),
    )
    return cursor.rowcount > 0


def is_to_stop(store: Store, job_id: int) -> bool:
    """Whether somebody asked it to stop."""
    return store.holds("SELECT wants_stop FROM jobs WHERE id = ?", (job_id,))


def ask_to_stop(store: Store, job_id: int) -> None:
    """A job that waits is stopped; one that runs is asked to."""
    store.run(
        "UPDATE jobs SET state = 'stopped', told = 'Stopped before it began.', ended_at = ? WHERE id = ? AND state = 'waiting'",
        (store.now(), job_id),
    )
    store.run("UPDATE jobs SET wants_stop = 1 WHERE id = ? AND state = 'running'", (job_id,))


def end_job(store: Store, job_id: int, worker: int, state: JobState, message: str) -> None:
    """It is done, failed or stopped, and what is to be said of it; nothing when another process has taken it over."""
    store.run(
        """UPDATE jobs SET state = ?, told = ?, ended_at = ?, worker = NULL, beat_at = NULL
            WHERE id = ? AND state = 'running' AND worker = ?""",
        (state, message, store.now(), job_id, worker),
    )


def release_jobs_of(store: Store, worker: int, *, is_counted: bool) -> None:
    """What a process had begun waits again, or has ended where somebody had asked it to stop.

    is_counted: it ended by itself, so that a job that kills its process again and again can be given up
    """
    store.run(
        """UPDATE jobs SET state = 'stopped', told = 'Stopped. What was stored until then stays.', ended_at = ?,
            worker = NULL, beat_at = NULL WHERE state = 'running' AND worker = ? AND wants_stop = 1""",
        (store.now(), worker),
    )
    store.run(
        """UPDATE jobs SET state = 'waiting', worker = NULL, beat_at = NULL, n_starts = n_starts - ?
            WHERE state = 'running' AND worker = ?""",
        (0 if is_counted else 1, worker),
    )


def _job(row: Row) -> Job:
    return of_columns(Job, row, wants_stop=bool(row["wants_stop"]))
