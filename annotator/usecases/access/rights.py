"""Who may do what, and who reads which names in the record: asked by every other use case before it does anything."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from annotator.domain.people import PROJECT_ROLES, Right, Role, User, has_right, role_name
from annotator.domain.projects import Project
from annotator.errors import NotAllowed, NotFound
from annotator.language import _, listed, unsaid
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store import projects as projects_store
from annotator.store.events import Event, EventFilter, require_open
from annotator.store.people import roles_of
from annotator.store.perturb.perturbations import get_perturbation, waiting_for
from annotator.store.projects import list_projects_of

_NAMED_LEADS = 3
_SPOKEN: dict[Right, str] = {
    "annotate": unsaid("annotate"),
    "review": unsaid("review"),
    "see all annotations": unsaid("see all annotations"),
    "export": unsaid("export"),
    "use models": unsaid("use models"),
    "manage project": unsaid("manage the project"),
    "manage accounts": unsaid("manage accounts"),
}
_OF_WORK: frozenset[Right] = frozenset({"annotate", "review"})
_NOT_YOURS = unsaid("No such project, or you have no role in it. Ask its lead.")


def require(store: Store, user: User, project_id: int, *rights: Right) -> frozenset[Role]:
    """The roles of a person who has a right in a project, or one of several.

    Raises: NotAllowed saying which right, and who can give it. NotFound for a person who has no role there: in the same
            words whether there is such a project or not, so that nobody learns by trying numbers what others work on.
            ProjectArchived where the rights are those to annotate or review, which nobody does there
    """
    roles = people_store.roles_of(store, user, project_id)
    if any(has_right(user, roles, right) for right in rights):
        if _OF_WORK.issuperset(rights):
            require_open(store, project_id)
        return roles
    if not roles and not user.is_administrator:
        raise NotFound(_(_NOT_YOURS))
    project = projects_store.get_project_by_id(store, project_id)
    raise NotAllowed(_lacks(user, rights, project.name, _who_can_give_it(store, project_id)))


def _lacks(user: User, rights: Sequence[Right], project_name: str, who: str) -> str:
    if rights == ("manage project",):
        return _(
            "{name} can't manage '{project}'. {who} can grant a role ({roles}).",
            name=user.name,
            project=project_name,
            who=who,
            roles=_roles_with(rights),
        )
    return _(
        "{name} can't {rights} in '{project}'. {who} can grant a role ({roles}).",
        name=user.name,
        rights=spoken_rights(rights),
        project=project_name,
        who=who,
        roles=_roles_with(rights),
    )


def is_onlooker(store: Store, user: User, project_id: int, role: Literal["annotator", "reviewer"]) -> bool:
    """Whether somebody may do the work of a role only as a lead, and has never had any: to open its page is not to begin.

    Where a project has nobody else for the work, whoever opens the page has come for it.
    """
    return people_store.leads_without_work(store, user, project_id, role)


def require_of_project(owner_id: int, project_id: int, number: int, what: str) -> None:
    """Raise NotFound for the number of something that belongs to another project."""
    if owner_id != project_id:
        raise NotFound(_("No {what} number {number}.", number=number, what=what))


def require_administrator(user: User) -> None:
    """Raise NotAllowed unless the person is an administrator."""
    if not has_right(user, frozenset(), "manage accounts"):
        raise NotAllowed(_("Ask an administrator to do this."))


def require_person(user: User) -> int:
    """The number of a person's account; raises NotAllowed for whoever has none."""
    if user.id is None:
        raise NotAllowed(_("Sign in as a person to do this."))
    return user.id


def require_no_worker(user: User | None) -> None:
    """Raise NotAllowed for the account of a worker of a recruitment link: the link made it, and it ends with the visit."""
    if user is not None and user.is_worker:
        raise NotAllowed(_("'{name}' came by recruitment link. Create another account.", name=user.name))


def roles_with(right: Right) -> tuple[Role, ...]:
    """The project roles that carry a right.

    >>> roles_with("annotate")
    ('annotator', 'lead')
    """
    nobody = User(id=None, name="")
    return tuple(role for role in PROJECT_ROLES if has_right(nobody, frozenset({role}), right))


def _roles_with(rights: Sequence[Right]) -> str:
    roles = dict.fromkeys(role for right in rights for role in roles_with(right))
    return listed([role_name(role) for role in roles], "or") or role_name("administrator")


def spoken(right: Right) -> str:
    """A right as it stands in a sentence after "the right to"."""
    return _(_SPOKEN[right])


def spoken_rights(rights: Sequence[Right]) -> str:
    """Rights, of which one is enough, as they stand in a sentence after "the right to".

    >>> spoken_rights(["annotate", "review"])
    'annotate or review'
    """
    words = ""
    for right in rights:
        words = _("{before} or {right}", before=words, right=spoken(right)) if words else spoken(right)
    return words


def _who_can_give_it(store: Store, project_id: int) -> str:
    leads = [user.name for user, role in people_store.list_members(store, project_id) if role == "lead"]
    if not leads:
        return _("An administrator")
    return _("A lead of the project ({names})", names=listed(leads[:_NAMED_LEADS]))


def require_may_create(store: Store, user: User) -> None:
    """Raise NotAllowed unless the person may create projects: administrators, and whoever leads a project already."""
    if any("lead" in people_store.roles_of(store, user, p.id) for p in projects_store.list_projects_of(store, user)):
        return
    require_administrator(user)


def require_role(store: Store, user: User, project_id: int) -> frozenset[Role]:
    """The roles of a person who has some role in a project, or is an administrator; raises NotFound as `require` does."""
    roles = people_store.roles_of(store, user, project_id)
    if user.is_disabled or not (roles or user.is_administrator):
        raise NotFound(_(_NOT_YOURS))
    return roles


# The roles of a person, in a project and anywhere, and which changed versions wait for them.


def roles_in(store: Store, user: User, project_id: int) -> frozenset[Role]:
    """The roles of a person in a project."""
    return roles_of(store, user, project_id)


def roles_anywhere(store: Store, user: User) -> frozenset[Role]:
    """The roles of a person in any project."""
    return frozenset(role for project in list_projects_of(store, user) for role in roles_of(store, user, project.id))


def has_projects(store: Store, user: User) -> bool:
    """Whether a person takes part in any project; an administrator does in all."""
    return bool(list_projects_of(store, user))


def changed_versions_waiting(store: Store, project: Project, user: User) -> tuple[int, int]:
    """How many changed versions wait for a person's check, and how many of their own came back."""
    is_lead = has_right(user, roles_of(store, user, project.id), "manage project")
    return waiting_for(store, project.id, user, is_lead=is_lead)


# The record as somebody reads it who is still to check a changed version: neither who wrote it nor what others said of it.


_SOMEBODY = "somebody"
_CHECK = "check perturbation"
_WRITTEN = ("write perturbation", "revise perturbation")


def redacted(
    store: Store, actor: User, project_id: int, events: Sequence[Event], *, names_authors: bool
) -> list[Event]:
    """Events as they were, but for those about changed versions that the person may still check."""
    roles = roles_of(store, actor, project_id)
    if actor.id is None or not any(has_right(actor, roles, right) for right in ("annotate", "review")):
        return list(events)
    numbers = {number for event in events if (number := _perturbation_of(event)) is not None}
    to_check = {number for number in numbers if get_perturbation(store, number).may_be_checked_by(actor.id)}
    return [
        event if event.actor == actor.name or _perturbation_of(event) not in to_check else _veil(event, names_authors)
        for event in events
    ]


def unveiling_nobody(store: Store, actor: User, project_id: int, wanted: EventFilter) -> EventFilter:
    """A filter by person finds nothing that is veiled: that it is theirs would say who it was."""
    roles = roles_of(store, actor, project_id)
    is_veiled = actor.id is not None and any(has_right(actor, roles, right) for right in ("annotate", "review"))
    if not is_veiled or wanted.actor.casefold() in {"", actor.name.casefold()}:
        return wanted
    return replace(wanted, without=frozenset({f"{_CHECK}: ", _CHECK, *_WRITTEN}))


def _perturbation_of(event: Event) -> int | None:
    number = event.detail.get("perturbation")
    is_about_one = event.action.startswith(_CHECK) or event.action in _WRITTEN
    return number if is_about_one and isinstance(number, int) else None


def _veil(event: Event, names_authors: bool) -> Event:
    if event.action.startswith(_CHECK):
        detail = {name: value for name, value in event.detail.items() if name != "reason"}
        return replace(event, actor=_SOMEBODY, action=_CHECK, detail=detail)
    return event if names_authors else replace(event, actor=_SOMEBODY)
