"""Items: texts with known gold that a lead picked for training or for blind checks."""

import json
from collections.abc import Sequence

from annotator.domain.project.qualification import Item, Known, Purpose, Spoiling
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.annotate.shown_sets import annotates, may_still_be_given, was_shown
from annotator.store.connection.database import Row, Store
from annotator.store.qualification.packed import pack, unpack


def add_item(
    store: Store,
    project_id: int,
    purpose: Purpose,
    instance_id: int,
    known: Known,
    added_by: str,
    *,
    spoiling: Spoiling = "",
    seed: int = 0,
) -> bool:
    """Pick a text; one that was taken out before comes back. Answers whether it is new."""
    changed = store.run(
        """INSERT INTO qualification_items (project_id, purpose, instance_id, spoiling, seed, known, added_by, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET is_removed = 0, known = excluded.known, added_by = excluded.added_by,
                added_at = excluded.added_at WHERE is_removed = 1""",
        (project_id, purpose, instance_id, spoiling, seed, pack(known), added_by, store.now()),
    )
    return changed.rowcount > 0


def remove_item(store: Store, item_id: int) -> None:
    """Take an item out; what people answered to it is kept."""
    store.run("UPDATE qualification_items SET is_removed = 1 WHERE id = ?", (item_id,))


def set_known(store: Store, item_id: int, known: Known) -> None:
    """The lead takes the gold of now for an item."""
    store.run("UPDATE qualification_items SET known = ? WHERE id = ?", (pack(known), item_id))


def get_item(store: Store, item_id: int) -> Item:
    """An item, also one that was taken out; raises NotFound."""
    row = store.row("SELECT * FROM qualification_items WHERE id = ?", (item_id,))
    if row is None:
        raise NotFound(_("There is no training item number {item_id}.", item_id=item_id))
    return _item(row)


def is_removed(store: Store, item_id: int) -> bool:
    """Whether the lead took an item out."""
    return bool(store.value("SELECT is_removed FROM qualification_items WHERE id = ?", (item_id,)))


def list_items(store: Store, project_id: int, purpose: Purpose) -> list[Item]:
    """The items of a kind, in the order in which they were picked."""
    rows = store.rows(
        "SELECT * FROM qualification_items WHERE project_id = ? AND purpose = ? AND is_removed = 0 ORDER BY id",
        (project_id, purpose),
    )
    return [_item(row) for row in rows]


def count_complete(store: Store, project_id: int, purposes: Sequence[Purpose]) -> int:
    """How many complete texts are picked for any of these."""
    n: int = store.value(
        """SELECT count(DISTINCT instance_id) FROM qualification_items AS items
            JOIN instances ON instances.id = items.instance_id WHERE items.project_id = ? AND is_removed = 0
            AND instances.state = 'complete' AND purpose IN (SELECT value FROM json_each(?))""",
        (project_id, json.dumps(list(purposes))),
    )
    return n


_ANSWERED = """EXISTS (SELECT 1 FROM exercises AS former WHERE former.instance_id = instances.id AND former.user_id = ?3
    AND former.attempt_id IS NOT NULL)"""


def items_for(store: Store, project_id: int, purpose: Purpose, user_id: int) -> list[tuple[Item, int]]:
    """The items that a person could be given in training, and how often they had each before.

    Never a text that they annotate or annotated, nor one of which others' sets were shown to them elsewhere than in training.
    """
    rows = store.rows(
        f"""SELECT items.*, (SELECT count(*) FROM exercises WHERE item_id = items.id AND user_id = ?3) AS n_before
            FROM qualification_items AS items JOIN instances ON instances.id = items.instance_id
            WHERE items.project_id = ?1 AND purpose = ?2 AND is_removed = 0 AND instances.state <> 'discarded'
            AND NOT {annotates("?3")} AND (NOT {was_shown("?3")} OR {_ANSWERED})
            AND NOT EXISTS (SELECT 1 FROM exercises AS checks WHERE checks.instance_id = instances.id
                AND checks.user_id = ?3 AND checks.attempt_id IS NULL)
            ORDER BY items.id""",
        (project_id, purpose, user_id),
    )
    return [(_item(row), row["n_before"]) for row in rows]


_FOR_CHECKS = f"""FROM qualification_items AS items JOIN instances ON instances.id = items.instance_id
    WHERE items.project_id = ?1 AND purpose = 'checks' AND is_removed = 0 AND instances.state = 'complete'
    AND parent_key IS NULL AND NOT {annotates("?2")} AND NOT {was_shown("?2")} AND NOT {may_still_be_given("?2")}
    AND NOT EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id AND user_id = ?2)
    AND NOT EXISTS (SELECT 1 FROM exercises WHERE exercises.instance_id = instances.id AND user_id = ?2)
    AND NOT EXISTS (SELECT 1 FROM annotations WHERE annotations.instance_id = instances.id
        AND annotations.state = 'draft')
    AND NOT EXISTS (SELECT 1 FROM threads WHERE threads.instance_id = instances.id)"""


def check_items_for(store: Store, project_id: int, user_id: int) -> list[Item]:
    """The items that could be put among a person's work: texts that they never saw and will not be given."""
    return [_item(row) for row in store.rows(f"SELECT items.* {_FOR_CHECKS} ORDER BY items.id", (project_id, user_id))]


def count_check_items_for(store: Store, project_id: int, user_id: int) -> int:
    """How many these are."""
    return int(store.value(f"SELECT count(*) {_FOR_CHECKS}", (project_id, user_id)))


def items_by_number(store: Store, item_ids: Sequence[int]) -> dict[int, Item]:
    """Items by their number, also those that were taken out."""
    rows = store.rows(
        "SELECT * FROM qualification_items WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(item_ids)),)
    )
    return {row["id"]: _item(row) for row in rows}


def _item(row: Row) -> Item:
    return Item(
        row["id"], row["project_id"], row["purpose"], row["instance_id"], unpack(row["known"], Known), row["spoiling"],
        row["seed"], row["added_by"], row["added_at"],
    )  # fmt: skip
