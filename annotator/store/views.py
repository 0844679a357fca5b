"""Saved views of the Metrics page: made, read, renamed, deleted."""

from typing import cast

from annotator.domain.measurements import SavedView
from annotator.domain.own_sources import SourceView
from annotator.domain.people import User
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store

_SELECT = "SELECT * FROM saved_views"


def add_view(store: Store, project_id: int, name: str, query: str, maker: User) -> int:
    """A new view; answers its number."""
    at = store.now()
    return _insert(store, project_id, name, query, maker.name, maker.id, at, at)


def _insert(
    store: Store, project_id: int, name: str, query: str, made_by: str, user_id: int | None, at: str, changed_at: str
) -> int:
    cursor = store.run(
        """INSERT INTO saved_views (project_id, name, query, made_by, user_id, created_at, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (project_id, name, query, made_by, user_id, at, changed_at),
    )
    return cast("int", cursor.lastrowid)


def get_view(store: Store, view_id: int) -> SavedView:
    """A view by number; raises NotFound."""
    row = store.row(f"{_SELECT} WHERE id = ?", (view_id,))
    if row is None:
        raise NotFound(_("This view is not there, or no longer there. Choose another one."))
    return _saved(row)


def find_view(store: Store, project_id: int, name: str) -> SavedView | None:
    """The view of a name in a project; ASCII letters count without their case."""
    row = store.row(f"{_SELECT} WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _saved(row)


def views_of(store: Store, project_id: int) -> list[SavedView]:
    """The views of a project by name; their number is bounded (MOST_VIEWS)."""
    return [_saved(row) for row in store.rows(f"{_SELECT} WHERE project_id = ? ORDER BY name", (project_id,))]


def count_views(store: Store, project_id: int) -> int:
    """How many views a project has."""
    return int(store.value("SELECT count(*) FROM saved_views WHERE project_id = ?", (project_id,)))


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
    _insert(
        store, project_id, source.name, source.query, source.made_by, user_id, source.created_at, source.changed_at
    )  # fmt: skip


def _saved(row: Row) -> SavedView:
    return SavedView(**dict(row))
