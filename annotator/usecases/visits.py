"""What a person may see of the program: their roles, and what they may do in some project at least."""

from annotator.domain.people import Right, Role, User, has_right
from annotator.store import Store
from annotator.store.people import roles_of
from annotator.store.projects import list_projects_of


def roles_in(store: Store, user: User, project_id: int) -> frozenset[Role]:
    """The roles of a person in a project."""
    return roles_of(store, user, project_id)


def roles_anywhere(store: Store, user: User) -> frozenset[Role]:
    """The roles of a person in any project."""
    return frozenset(role for project in list_projects_of(store, user) for role in roles_of(store, user, project.id))


def may_anywhere(store: Store, user: User, right: Right) -> bool:
    """Whether a person has a right in some project, or in all as an administrator."""
    return has_right(user, roles_anywhere(store, user), right)
