"""What each step of a piece of work leaves behind: its new state, its instance's, and a line of the record."""

from annotator.domain.instances import Assignment, AssignmentState
from annotator.domain.people import User
from annotator.store import Store
from annotator.store.annotate import assignments as work_store
from annotator.store.annotate import instance_queue
from annotator.store.events import record_event


def move(store: Store, assignment: Assignment, state: AssignmentState) -> None:
    """Bring a piece of work into another state, and its instance after it."""
    work_store.set_assignment_state(store, assignment.id, state)
    instance_queue.settle(store, assignment.instance_id)


def note_event(store: Store, user: User, action: str, assignment: Assignment, **detail: object) -> None:
    """Write into the record who did what to a piece of work, with its number and its round."""
    event_detail = {"assignment": assignment.id, "round": assignment.round_number, **detail}
    record_event(
        store, store.now(), user.name, action, "instance", assignment.instance_id, assignment.project_id, event_detail
    )
