"""A lead ends the work of one crowd worker; the door stays as it is for everybody else."""

from annotator.domain.people import User
from annotator.domain.project.recruitment import Worker
from annotator.errors import NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.project import crowd as crowd_store
from annotator.usecases.access.rights import require
from annotator.usecases.crowd.workers import Standing, end_visit


def workers_at_work(store: Store, actor: User, project_id: int) -> list[Worker]:
    """Who is at work by any door of a project, by door and in the order in which they came."""
    require(store, actor, project_id, "manage project")
    doors = crowd_store.list_doors(store, project_id)
    return [w for door in doors for w in crowd_store.list_workers(store, door.id) if w.state == "working"]


def stop_worker(store: Store, actor: User, project_id: int, name: str) -> Worker:
    """What they handed in stays, what they hold goes to others, and their next page says that the lead ended this work.

    Their code stands for what they did, as for whoever stops by themselves.
    Raises: NotFound where nobody of that name is at work by a door of the project
    """
    with store.transaction():
        worker = next((w for w in workers_at_work(store, actor, project_id) if w.name == name.strip()), None)
        if worker is None:
            raise NotFound(
                _("No crowd worker of this project who is at work is called “{name}”.", name=name.strip()[:60])
            )
        standing = Standing(worker, crowd_store.get_door(store, worker.door_id))
        end_visit(store, standing, "finished" if standing.is_done else "left")
        if not standing.is_done:
            crowd_store.note_stopped(store, worker.user_id)
        add_event(
            store, actor.name, "stop worker", "user", worker.user_id, project_id=project_id, name=worker.name,
            texts=worker.done,
        )  # fmt: skip
    return worker
