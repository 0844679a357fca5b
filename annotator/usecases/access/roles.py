"""The roles of a person, in a project and anywhere, and which changed versions wait for them."""

from annotator.domain.people import Role, User, has_right
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.people import roles_of
from annotator.store.perturb.perturbations import waiting_for
from annotator.store.projects import list_projects_of


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
