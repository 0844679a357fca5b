"""So that no byte is left of what was taken out: the file is written anew, and its log emptied."""

from annotator.errors import NotWritable, StoreError
from annotator.store.connection.database import Store


def add_removal(store: Store, kind: str) -> None:
    """Note that somebody was made nameless or erased, in the transaction that does it: the file is still to be written anew."""
    store.run("INSERT INTO removals (kind, at) VALUES (?, ?)", (kind, store.now()))


def is_wiping_due(store: Store) -> bool:
    """Whether something was taken out whose bytes may still be in the file."""
    return store.row("SELECT 1 FROM removals WHERE is_wiped = 0") is not None


def wipe(store: Store) -> bool:
    """Write the file anew; False where somebody still reads the log, or the disk has no room: then it is to be done again.

    What was taken out while the file was written is noted for the next time.
    """
    due = [row["id"] for row in store.rows("SELECT id FROM removals WHERE is_wiped = 0")]
    try:
        is_rewritten = store.rewrite()
    except (NotWritable, StoreError):  # what was to be done is done, and this is noted as not done
        return False
    if not is_rewritten:
        return False
    with store.transaction():
        store.run_many("UPDATE removals SET is_wiped = 1 WHERE id = ?", [(number,) for number in due])
    return True
