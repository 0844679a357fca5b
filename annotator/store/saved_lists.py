"""Saved lists of instances, and saved views of the Metrics page."""

from collections.abc import Sequence

from annotator.domain.measurements import MOST_LISTED, Question, SavedList, SavedView
from annotator.domain.own_sources import SourceList, SourceView
from annotator.domain.people import User
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store
from annotator.store.measurements import ids_asked

_SELECT = """SELECT saved_lists.*, (SELECT count(*) FROM list_members WHERE list_id = saved_lists.id) AS n
    FROM saved_lists"""


def add_list(store: Store, project_id: int, name: str, note: str, maker: User) -> int:
    """A new list with nothing on it; answers its number."""
    at = store.now()
    return _insert(store, project_id, name, note, maker.name, maker.id, at, at)


def _insert(
    store: Store, project_id: int, name: str, note: str, made_by: str, user_id: int | None, at: str, changed_at: str
) -> int:
    return store.add(
        """INSERT INTO saved_lists (project_id, name, note, made_by, user_id, created_at, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (project_id, name, note, made_by, user_id, at, changed_at),
    )


def get_list(store: Store, list_id: int) -> SavedList:
    """A list by number; raises NotFound."""
    row = store.row(f"{_SELECT} WHERE id = ?", (list_id,))
    if row is None:
        raise NotFound(_("This no longer exists. Choose another."))
    return _saved(row)


def find_list(store: Store, project_id: int, name: str) -> SavedList | None:
    """The list of a name in a project; ASCII letters count without their case."""
    row = store.row(f"{_SELECT} WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _saved(row)


def lists_of(store: Store, project_id: int) -> list[SavedList]:
    """The lists of a project by name; their number is bounded (MOST_LISTS)."""
    return [_saved(row) for row in store.rows(f"{_SELECT} WHERE project_id = ? ORDER BY name", (project_id,))]


def count_lists(store: Store, project_id: int) -> int:
    """How many lists a project has."""
    return store.number("SELECT count(*) FROM saved_lists WHERE project_id = ?", (project_id,))


def lists_with(store: Store, instance_id: int) -> set[int]:
    """The numbers of the lists that an instance is on."""
    return {row[0] for row in store.rows("SELECT list_id FROM list_members WHERE instance_id = ?", (instance_id,))}


def keys_on_list(store: Store, list_id: int) -> list[tuple[str, str]]:
    """Key and split of each instance on a list, in its order."""
    return store.tuples(
        """SELECT key, split FROM list_members JOIN instances ON instances.id = instance_id
            WHERE list_id = ? ORDER BY position""",
        (list_id,),
    )


def ids_on_list(store: Store, list_id: int) -> list[int]:
    """The numbers of the instances on a list, in their order."""
    return store.column("SELECT instance_id FROM list_members WHERE list_id = ? ORDER BY position", (list_id,))


def change_list(store: Store, list_id: int, name: str, note: str) -> None:
    """Another name or note."""
    store.run(
        "UPDATE saved_lists SET name = ?, note = ?, changed_at = ? WHERE id = ?", (name, note, store.now(), list_id)
    )


def delete_list(store: Store, list_id: int) -> None:
    """The list is gone; its instances stay."""
    store.run("DELETE FROM list_members WHERE list_id = ?", (list_id,))
    store.run("DELETE FROM saved_lists WHERE id = ?", (list_id,))


def fill_list(store: Store, list_id: int, question: Question) -> int:
    """Put onto an empty list what a question lists, in its order; answers how many.

    At most MOST_LISTED are put there, so a caller counts first (`count_asked`).
    """
    ids = ids_asked(store, question, limit=MOST_LISTED)
    store.run_many(
        "INSERT INTO list_members (list_id, position, instance_id) VALUES (?, ?, ?)",
        [(list_id, position, instance_id) for position, instance_id in enumerate(ids)],
    )
    return len(ids)


def put_on_list(store: Store, list_id: int, instance_id: int) -> bool:
    """Put an instance at the end of a list; whether it was not there before."""
    cursor = store.run(
        """INSERT INTO list_members (list_id, position, instance_id)
            SELECT ?1, (SELECT coalesce(max(position) + 1, 0) FROM list_members WHERE list_id = ?1), ?2
            WHERE NOT EXISTS (SELECT 1 FROM list_members WHERE list_id = ?1 AND instance_id = ?2)""",
        (list_id, instance_id),
    )
    return cursor.rowcount > 0


def take_off_list(store: Store, list_id: int, instance_id: int) -> bool:
    """Take an instance off a list; whether it was there."""
    cursor = store.run("DELETE FROM list_members WHERE list_id = ? AND instance_id = ?", (list_id, instance_id))
    return cursor.rowcount > 0


def touch_list(store: Store, list_id: int) -> None:
    """What is on the list was changed just now."""
    store.run("UPDATE saved_lists SET changed_at = ? WHERE id = ?", (store.now(), list_id))


# --- for our own JSONL ------------------------------------------------------------------------------------------------


def lists_as_sources(store: Store, project_id: int, split: str | None = None) -> list[SourceList]:
    """The lists of a project with the keys and splits of what is on them; split: only instances of that one."""
    sources = []
    for saved in lists_of(store, project_id):
        rows = store.rows(
            """SELECT key, split FROM list_members JOIN instances ON instances.id = instance_id
                WHERE list_id = ? AND (?2 IS NULL OR split = ?2) ORDER BY position""",
            (saved.id, split),
        )
        members = tuple((row["key"], row["split"]) for row in rows)
        sources.append(
            SourceList(
                saved.name, saved.note, saved.made_by, saved.user_id is not None, saved.created_at, saved.changed_at, members
            )
        )  # fmt: skip
    return sources


def restore_list(
    store: Store, project_id: int, source: SourceList, user_id: int | None, instance_ids: Sequence[int]
) -> None:
    """Write a list as it was; its name must be free."""
    list_id = _insert(
        store, project_id, source.name, source.note, source.made_by, user_id, source.created_at, source.changed_at
    )
    store.run_many(
        "INSERT INTO list_members (list_id, position, instance_id) VALUES (?, ?, ?)",
        [(list_id, position, instance_id) for position, instance_id in enumerate(instance_ids)],
    )


def _saved(row: Row) -> SavedList:
    return SavedList(**dict(row))


# Saved views of the Metrics page: made, read, renamed, deleted.


_SELECT_VIEWS = "SELECT * FROM saved_views"


def add_view(store: Store, project_id: int, name: str, query: str, maker: User) -> int:
    """A new view; answers its number."""
    at = store.now()
    return _insert_view(store, project_id, name, query, maker.name, maker.id, at, at)


def _insert_view(
    store: Store, project_id: int, name: str, query: str, made_by: str, user_id: int | None, at: str, changed_at: str
) -> int:
    return store.add(
        """INSERT INTO saved_views (project_id, name, query, made_by, user_id, created_at, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (project_id, name, query, made_by, user_id, at, changed_at),
    )


def get_view(store: Store, view_id: int) -> SavedView:
    """A view by number; raises NotFound."""
    row = store.row(f"{_SELECT_VIEWS} WHERE id = ?", (view_id,))
    if row is None:
        raise NotFound(_("This no longer exists. Choose another."))
    return _saved_view(row)


def find_view(store: Store, project_id: int, name: str) -> SavedView | None:
    """The view of a name in a project; ASCII letters count without their case."""
    row = store.row(f"{_SELECT_VIEWS} WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _saved_view(row)


def views_of(store: Store, project_id: int) -> list[SavedView]:
    """The views of a project by name; their number is bounded (MOST_VIEWS)."""
    return [
        _saved_view(row) for row in store.rows(f"{_SELECT_VIEWS} WHERE project_id = ? ORDER BY name", (project_id,))
    ]


def count_views(store: Store, project_id: int) -> int:
    """How many views a project has."""
    return store.number("SELECT count(*) FROM saved_views WHERE project_id = ?", (project_id,))


def rename_view(store: Store, view_id: int, name: str) -> None:
    """Another name."""
    store.run("UPDATE saved_views SET name = ?, changed_at = ? WHERE id = ?", (name, store.now(), view_id))


def delete_view(store: Store, view_id: int) -> None:
    """The view is gone."""
    store.run("DELETE FROM saved_views WHERE id = ?", (view_id,))


# --- for our own JSONL ------------------------------------------------------------------------------------------------


def views_as_sources(store: Store, project_id: int) -> list[SourceView]:
    """The views of a project."""
    return [
        SourceView(
            view.name, view.query, view.made_by, view.user_id is not None, view.created_at, view.changed_at
        )
        for view in views_of(store, project_id)
    ]  # fmt: skip


def restore_view(store: Store, project_id: int, source: SourceView, user_id: int | None) -> None:
    """Write a view as it was; its name must be free."""
    _insert_view(
        store, project_id, source.name, source.query, source.made_by, user_id, source.created_at, source.changed_at
    )  # fmt: skip


def _saved_view(row: Row) -> SavedView:
    return SavedView(**dict(row))
