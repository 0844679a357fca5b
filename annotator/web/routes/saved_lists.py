"""Saved lists on the Saliency page (docs/saliency.md): which there are, save, change, delete, put an instance on one or off."""

import msgspec
from msgspec import structs
from starlette.routing import Route

from annotator.domain.people import User
from annotator.usecases.databases import Store
from annotator.usecases.inspect import text_lists
from annotator.usecases.inspect.saliency_messages import ShownSavedList, ShownSavedLists, show_saved_list
from annotator.web.routes.messages import Number, Query, get_route, number, post_route
from annotator.web.routes.saliency import question_of


class SaveBody(msgspec.Struct, frozen=True):
    """A new list: of one instance, or of what is listed for `asked` (the names and texts of GET list's address)."""

    project: Number
    name: str
    note: str = ""
    instance: Number | None = None
    asked: dict[str, str] = {}


class ChangeBody(msgspec.Struct, frozen=True):
    """Another name or note."""

    list: Number
    name: str
    note: str = ""


class DeleteBody(msgspec.Struct, frozen=True):
    """A list that is to go."""

    list: Number


class MemberBody(msgspec.Struct, frozen=True):
    """An instance that is to be on a list, or not."""

    list: Number
    instance: Number
    on: bool


def _lists(store: Store, user: User, query: Query) -> ShownSavedLists:
    project_id = number(query, "project")
    saved_lists = text_lists.lists_of_project(store, user, project_id)
    instance_id = number(query, "instance") if query.get("instance") else None
    holding = set() if instance_id is None else text_lists.lists_with_instance(store, user, project_id, instance_id)
    return ShownSavedLists(
        tuple(
            structs.replace(show_saved_list(saved), may_change=may, holds=saved.id in holding)
            for saved, may in saved_lists
        )
    )


def _save(store: Store, user: User, body: SaveBody) -> ShownSavedList:
    if body.instance is not None:
        return show_saved_list(text_lists.save_instance(store, user, body.project, body.instance, body.name, body.note))
    question = question_of({**body.asked, "project": str(body.project)})
    return show_saved_list(text_lists.save_listed(store, user, question, body.name, body.note))


def _change(store: Store, user: User, body: ChangeBody) -> ShownSavedList:
    return show_saved_list(text_lists.change_list(store, user, body.list, body.name, body.note))


def _delete(store: Store, user: User, body: DeleteBody) -> ShownSavedList:
    return show_saved_list(text_lists.delete_list(store, user, body.list))


def _put(store: Store, user: User, body: MemberBody) -> ShownSavedList:
    act = text_lists.put_on_list if body.on else text_lists.take_off_list
    return show_saved_list(act(store, user, body.list, body.instance))


routes: list[Route] = [
    get_route("saliency/lists", _lists),
    post_route("saliency/lists/save", _save, SaveBody),
    post_route("saliency/lists/change", _change, ChangeBody),
    post_route("saliency/lists/delete", _delete, DeleteBody),
    post_route("saliency/lists/put", _put, MemberBody),
]
