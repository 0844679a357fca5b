"""How far a worker is, what they may still take, and the end of a visit; inside the transaction of another use case."""

import datetime as dt
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.project.recruitment import Door, Worker, WorkerState
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.assignments import give_up_work_of, list_held
from annotator.store.annotate.instance_queue import is_new_work_left, next_set_aside
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.people import end_sessions_of, get_user_by_id, set_disabled
from annotator.store.project import crowd as crowd_store
from annotator.store.project.guidelines import newest_read, number_to_be_read

# Marks that were made in time, and reach us a moment later, are still saved.
GRACE = dt.timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Standing:
    """A worker at work, and the door that they came in by."""

    worker: Worker
    door: Door

    @property
    def is_done(self) -> bool:
        """Whether the quota is reached."""
        return self.worker.done >= self.door.rules.quota

    def seconds_left(self, moment: dt.datetime) -> int:
        """Of the time that the visit may take; 0 when it is over."""
        return max(0, int((dt.datetime.fromisoformat(self.worker.ends_at) - moment).total_seconds()))


def standing_of(store: Store, user_id: int) -> Standing | None:
    """How far a worker is; None for everybody who came in by no door."""
    worker = crowd_store.find_worker(store, user_id)
    return None if worker is None else Standing(worker, crowd_store.get_door(store, worker.door_id))


def is_worker(store: Store, user_id: int) -> bool:
    """Whether somebody came in by a door."""
    return crowd_store.find_worker(store, user_id) is not None


def may_take_more(store: Store, project_id: int, user_id: int) -> bool:
    """Whether somebody may be given one more text: a worker's quota and time hold, everybody else may."""
    standing = standing_of(store, user_id)
    if standing is None:
        return True
    if standing.worker.state != "working" or not standing.seconds_left(store.moment()):
        return False
    return standing.worker.done + len(list_held(store, project_id, user_id)) < standing.door.rules.quota


def require_read(store: Store, user: User, project: Project) -> None:
    """Raise InvalidValue for a worker who has not read the guidelines where their door asks for it."""
    standing = standing_of(store, user.id or 0) if user.is_worker else None
    if standing is None or not standing.door.rules.must_read or not project.guidelines.strip():
        return
    if (newest_read(store, project.id, standing.worker.user_id) or 0) < number_to_be_read(store, project.id):
        raise InvalidValue(
            _(
                "Read the guidelines before you submit: press g, read them, and press “I have read them”. Your marks are kept."
            )
        )


def has_work(store: Store, project_id: int, user_id: int) -> bool:
    """Whether a worker holds anything, or could be given anything."""
    return bool(
        list_held(store, project_id, user_id)
        or is_new_work_left(store, project_id, user_id)
        or next_set_aside(store, project_id, user_id, "skipped", ())
    )


def end_overdue(store: Store) -> None:
    """End the visits whose time is up; what these workers hold goes back to the queue, with their marks kept as drafts."""
    for worker in crowd_store.list_overdue(store, iso(store.moment() - GRACE)):
        door = crowd_store.get_door(store, worker.door_id)
        end_visit(store, Standing(worker, door), "finished" if worker.done >= door.rules.quota else "out of time")


def end_visit(store: Store, standing: Standing, state: WorkerState) -> None:
    """From now on the account is shut, and what the worker holds is others' to take."""
    worker, door = standing.worker, standing.door
    user = get_user_by_id(store, worker.user_id)
    crowd_store.end_worker(store, worker.user_id, state)
    give_up_work_of(store, user, door.project_id)
    end_sessions_of(store, user)
    set_disabled(store, user, is_disabled=True)
    add_event(
        store, user.name, "end as worker", "user", user.id, project_id=door.project_id, door=door.rules.name,
        state=state, texts=worker.done,
    )  # fmt: skip
