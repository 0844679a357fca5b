"""Saved views of the Metrics page: what is chosen there, under a name, for everybody who may use models in the project.

Only whoever made a view, or a lead, renames or deletes it: others rely on a view that is named in a link. A view says what is
asked for, not what there is: the page checks it like an address.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlencode

from annotator.domain.measurements import LONGEST_QUERY, MOST_VIEWS, SavedView
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store import saved_lists as view_store
from annotator.store.events import add_event
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.text_lists import checked_name, may_change, require_may_change

Params = Mapping[str, tuple[str, ...]]


def views_of_project(store: Store, actor: User, project: Project) -> list[tuple[SavedView, bool]]:
    """The views of a project by name, each with whether the person may change it."""
    require(store, actor, project.id, "use models")
    return [
        (view, may_change(store, actor, view.project_id, view.user_id))
        for view in view_store.views_of(store, project.id)
    ]


def view_of_project(store: Store, actor: User, project: Project, view_id: int) -> SavedView:
    """A view of a project; raises NotFound for one of another project too."""
    require(store, actor, project.id, "use models")
    view = view_store.get_view(store, view_id)
    if view.project_id != project.id:
        raise NotFound(_("No {what} number {number}.", number=view_id, what=_("view")))
    return view


def params_of(view: SavedView) -> Params:
    """What a view asks for, as an address names it."""
    return {name: tuple(texts) for name, texts in parse_qs(view.query, keep_blank_values=True).items()}


def save_view(store: Store, actor: User, project: Project, name: str, params: Mapping[str, Sequence[str]]) -> SavedView:
    """Keep what is chosen under a name.

    Raises: InvalidValue for a name that is taken, and when the project has as many views as it may have
    """
    query = urlencode(params, doseq=True, errors="replace")
    with store.transaction():
        require(store, actor, project.id, "use models")
        name = _checked(store, project.id, name, None)
        if len(query) > LONGEST_QUERY:
            raise InvalidValue(
                _(
                    "The selection takes {characters} of {most}. Choose fewer columns or rows.",
                    characters=counted(len(query), "character"),
                    most=f"{LONGEST_QUERY:,}",
                )
            )
        if view_store.count_views(store, project.id) >= MOST_VIEWS:
            raise InvalidValue(_("The maximum is {n}. Delete one first.", n=MOST_VIEWS))
        view_id = view_store.add_view(store, project.id, name, query, actor)
        add_event(store, actor.name, "save view", "project", project.id, project_id=project.id, view=name)
        return view_store.get_view(store, view_id)


def rename_view(store: Store, actor: User, view_id: int, name: str) -> SavedView:
    """Give a view another name."""
    with store.transaction():
        view = _changeable(store, actor, view_id)
        name = _checked(store, view.project_id, name, view_id)
        if name != view.name:
            view_store.rename_view(store, view_id, name)
            add_event(
                store, actor.name, "rename view", "project", view.project_id, project_id=view.project_id,
                view=name, before={"view": view.name},
            )  # fmt: skip
        return view_store.get_view(store, view_id)


def delete_view(store: Store, actor: User, view_id: int) -> SavedView:
    """Delete a view. Answers it as it was."""
    with store.transaction():
        view = _changeable(store, actor, view_id)
        view_store.delete_view(store, view_id)
        add_event(
            store, actor.name, "delete view", "project", view.project_id, project_id=view.project_id, view=view.name
        )  # fmt: skip
    return view


def _changeable(store: Store, actor: User, view_id: int) -> SavedView:
    view = view_store.get_view(store, view_id)
    require_may_change(store, actor, view)
    return view


def _checked(store: Store, project_id: int, name: str, view_id: int | None) -> str:
    return checked_name(name, lambda wanted: view_store.find_view(store, project_id, wanted), view_id)
