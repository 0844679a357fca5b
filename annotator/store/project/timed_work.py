"""How long people worked on each text that they submitted, in the order in which each of them submitted."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.store.connection.database import Store


@dataclass(frozen=True, slots=True)
class TimedWork:
    """A first submission of somebody's for a text; corrections, which begin with sets that are there, are none.

    position:  the how-manieth first submission of this person in the project, from 1
    active_ms: working time without pauses; 0 where it is not known
    """

    person: str
    position: int
    active_ms: int
    n_tokens: int


def timed_work(store: Store, project_id: int) -> Iterator[TimedWork]:
    """Everybody's, one after the other."""
    rows = store.iterate(
        """SELECT name, row_number() OVER (PARTITION BY user_id ORDER BY submitted_at, work.id) AS position, active_ms, n_tokens
            FROM assignments AS work JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE work.project_id = ? AND submitted_at IS NOT NULL AND follows_id IS NULL""",
        (project_id,),
    )
    for row in rows:
        yield TimedWork(row["name"], row["position"], row["active_ms"], row["n_tokens"])
