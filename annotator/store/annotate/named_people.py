"""The people for whom texts are, and whether the queue may give a text to somebody.

The conditions are in SQL, as those of `shown_sets`; `user` is an expression for the number of a person, and the rows that they
are about are called `instances`.
"""

import json
from collections.abc import Sequence

from annotator.domain.project.search import NamedAs
from annotator.store.connection.database import Store


def names(user: str) -> str:
    """The text names the person."""
    return f"""EXISTS (SELECT 1 FROM named_people WHERE named_people.instance_id = instances.id
        AND named_people.user_id = {user})"""


def is_not_kept_from(user: str) -> str:
    """The text is not for others only."""
    return f"(coalesce(instances.named_as, '') <> 'only' OR {names(user)})"


def is_for_others(store: Store, instance_id: int, user_id: int) -> bool:
    """Whether a text is for other people only."""
    row = store.row(f"SELECT 1 FROM instances WHERE id = ?1 AND NOT {is_not_kept_from('?2')}", (instance_id, user_id))
    return row is not None


def name_people(store: Store, instance_ids: Sequence[int], user_ids: Sequence[int], named_as: NamedAs | None) -> None:
    """From now on some texts are for these people and no others; for nobody in particular where there are none."""
    numbers = json.dumps(list(instance_ids))
    store.run("DELETE FROM named_people WHERE instance_id IN (SELECT value FROM json_each(?))", (numbers,))
    store.run(
        "UPDATE instances SET named_as = ? WHERE id IN (SELECT value FROM json_each(?))",
        (named_as if user_ids else None, numbers),
    )
    store.run(
        """INSERT INTO named_people (instance_id, user_id, project_id)
            SELECT instances.id, person.value, project_id FROM instances CROSS JOIN json_each(?) AS person
            WHERE instances.id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(user_ids)), numbers),
    )


def is_queue_plain(store: Store, project_id: int) -> bool:
    """Whether no text of a project names anybody or wants more annotators than the others: then kept counts suffice."""
    return not store.value(
        """SELECT EXISTS (SELECT 1 FROM instances WHERE project_id = ?1 AND named_as IS NOT NULL)
            OR EXISTS (SELECT 1 FROM instances WHERE project_id = ?1 AND extra_annotators > 0)""",
        (project_id,),
    )


def named_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[NamedAs, tuple[str, ...]]]:
    """Of those among some instances that name people, in which way, and their names."""
    by_instance: dict[int, tuple[NamedAs, tuple[str, ...]]] = {}
    for row in store.rows(
        """SELECT instances.id AS id, named_as, users.name AS name FROM instances
            JOIN named_people ON instance_id = instances.id JOIN users ON users.id = user_id
            WHERE named_as IS NOT NULL AND instances.id IN (SELECT value FROM json_each(?)) ORDER BY instances.id, users.name""",
        (json.dumps(list(instance_ids)),),
    ):
        _, before = by_instance.get(row["id"], (None, ()))
        by_instance[row["id"]] = (row["named_as"], (*before, row["name"]))
    return by_instance


def extra_annotators_of(store: Store, instance_ids: Sequence[int]) -> dict[int, int]:
    """Of those among some instances that want more annotators than the others of their project, how many more."""
    rows = store.rows(
        """SELECT id, extra_annotators FROM instances
            WHERE extra_annotators > 0 AND id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(instance_ids)),),
    )
    return {row["id"]: row["extra_annotators"] for row in rows}
