"""What tests of crowd doors share: a door that is open, and a worker who does texts."""

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.recruitment import Door, DoorRules
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.usecases.access.accounts import session_of
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.crowd.doors import make_door, set_door_state
from annotator.usecases.crowd.visits import Entry, come_in

MARKED = Draft(None, (RationaleSet.of((0, 2)),), "", no_rationale=False)


def open_door(store: Store, project: Project, **rules: object) -> Door:
    """A door of two texts by which ten may come."""
    given = {"name": "Pilot", "most_workers": 10, "quota": 2, "parameter": "PROLIFIC_PID", **rules}
    door = make_door(store, LOCAL_OPERATOR, project.id, DoorRules(**given))  # type: ignore[arg-type]
    return set_door_state(store, LOCAL_OPERATOR, door.id, "open")


def enter(store: Store, door: Door, platform_id: str = "5f1a") -> tuple[Entry, User]:
    """Somebody whom the platform calls so comes in."""
    entry = come_in(store, door.token, platform_id)
    return entry, session_of(store, entry.token).user


def do_texts(store: Store, user: User, project: Project, n: int) -> None:
    """Mark and submit the next texts."""
    for _ in range(n):
        work = next_work(store, user, project.id).work
        assert work is not None
        submit(store, user, work.assignment.id, work.assignment.revision, MARKED, is_confirmed=True)
