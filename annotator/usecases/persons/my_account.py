"""What somebody sees of their own account, and what leaving a project would mean."""

from dataclasses import dataclass

from annotator.domain.people import Role, User
from annotator.errors import NotFound
from annotator.store import Store
from annotator.store.annotate.assignments import count_held
from annotator.store.people import list_members, password_hash, roles_of
from annotator.store.projects import list_projects_of
from annotator.store.review.reviews import count_held_reviews


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
    own = [_own_roles(store, user, project.id, project.name, roles) for project, roles in projects if roles]
    return MyAccount(user, password_hash(store, user.name) is not None, tuple(own))


def roles_to_leave(store: Store, user: User, project_id: int) -> OwnRoles:
    """One of these projects; raises NotFound."""
    own = [own for own in my_account(store, user).projects if own.project_id == project_id]
    if not own:
        raise NotFound("You have no role in this project, so there is nothing to leave.")
    return own[0]


def _own_roles(store: Store, user: User, project_id: int, name: str, roles: frozenset[Role]) -> OwnRoles:
    leads = {member.id for member, role in list_members(store, project_id) if role == "lead" and not member.is_disabled}
    return OwnRoles(
        project_id, name, tuple(sorted(roles)), count_held(store, project_id, user), count_held_reviews(store, project_id, user),
        leads == {user.id},
    )  # fmt: skip
