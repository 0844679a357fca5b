"""What somebody sees of their own account, everything about them in one file, and what leaving a project would mean."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.domain.people import LOCAL_OPERATOR, Role, User
from annotator.errors import NotAllowed, NotFound
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate.assignments import count_held, give_up_work_of
from annotator.store.events import add_event
from annotator.store.people import list_members, password_hash, remove_role, roles_of
from annotator.store.persons.own_data import rows_of
from annotator.store.persons.person_values import find_person
from annotator.store.projects import list_projects_of
from annotator.store.review.reviews import count_held_reviews, give_up_reviews_of
from annotator.text.characters import normal

_NO_ROLE = unsaid("You have no role in this project.")


@dataclass(frozen=True, slots=True)
class OwnRoles:
    """A project in which somebody has roles. n_texts, n_reviews: what they hold there, which goes to others when they leave.

    is_only_lead: nobody else leads it, so that they cannot leave
    """

    project_id: int
    project: str
    roles: tuple[Role, ...]
    n_texts: int
    n_reviews: int
    is_only_lead: bool


@dataclass(frozen=True, slots=True)
class MyAccount:
    """Somebody's account as they see it."""

    user: User
    has_password: bool
    projects: tuple[OwnRoles, ...]


def my_account(store: Store, user: User) -> MyAccount:
    """In which projects somebody has which role, and whether there is a password to change."""
    projects = ((project, roles_of(store, user, project.id)) for project in list_projects_of(store, user))
    held = [_roles_in(store, user, project.id, project.name, roles) for project, roles in projects if roles]
    return MyAccount(user, password_hash(store, user.name) is not None, tuple(held))


def roles_to_leave(store: Store, user: User, project_id: int) -> OwnRoles:
    """One of these projects; raises NotFound."""
    matching = [held for held in my_account(store, user).projects if held.project_id == project_id]
    if not matching:
        raise NotFound(_(_NO_ROLE))
    return matching[0]


def leave_project(store: Store, user: User, project_id: int) -> None:
    """Give up all of one's own roles in a project. What one handed in stays; what one holds goes to others.

    Raises: NotFound for somebody without a role there; NotAllowed for its last lead
    """
    with store.transaction():
        held = roles_to_leave(store, user, project_id)
        if held.is_only_lead:
            raise NotAllowed(_("Projects need a lead. Appoint another first."))
        for role in held.roles:
            remove_role(store, project_id, user, role)
        give_up_work_of(store, user, project_id)
        give_up_reviews_of(store, user, project_id)
        add_event(
            store, user.name, "leave project", "project", project_id, project_id=project_id, user=user.name,
            roles=list(held.roles),
        )  # fmt: skip


def _roles_in(store: Store, user: User, project_id: int, name: str, roles: frozenset[Role]) -> OwnRoles:
    leads = {member.id for member, role in list_members(store, project_id) if role == "lead" and not member.is_disabled}
    return OwnRoles(
        project_id, name, tuple(sorted(roles)), count_held(store, project_id, user), count_held_reviews(store, project_id, user),
        leads == {user.id},
    )  # fmt: skip


# Everything about somebody in one file, for the person and for administrators.


_README = """What this database holds of one person.

Each kind of data is there twice: as JSON, which holds all of it, and as CSV for a spreadsheet. Texts are named by project, key
and split; what others wrote, marked or scored is not in here. Sets are lists of spans, each from its first token to behind its
last. Times are UTC. The password is kept as a hash and is not in here; nor are the secrets of sessions and access tokens, of
which nobody knows anything but a hash.
"""


def data_of_person(store: Store, actor: User, name: str) -> bytes:
    """A ZIP of everything about somebody: account, roles, annotations with sets and times, reviews, messages, events.

    Raises: NotAllowed for others than the person and administrators; NotFound
    """
    name = normal(name)
    if not actor.is_administrator and name.casefold() != actor.name.casefold():
        raise NotAllowed(_("Only the person or an administrator can download this."))
    person = None if name.casefold() == LOCAL_OPERATOR.name else find_person(store, name)
    if person is None:
        raise NotFound(_("No {what} '{name}'.", what=_("person"), name=name))
    with store.snapshot():
        files = rows_of(store, person)
    with store.transaction():
        add_event(store, actor.name, "take data along", "user", person.id, name=person.name)
    return _zipped(files)


def _zipped(files: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _README)
        for name, rows in files.items():
            archive.writestr(f"{name}.json", json.dumps(rows, ensure_ascii=False, indent=2))
            if rows:
                archive.writestr(f"{name}.csv", written_csv(list(rows[0]), map(_cells, rows)))
    return written.getvalue()


def _cells(row: Mapping[str, Any]) -> list[Any]:
    return [
        json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value for value in row.values()
    ]
