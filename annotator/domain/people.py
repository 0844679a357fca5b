"""People, their roles, and what each role may do."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["annotator", "reviewer", "researcher", "lead", "administrator"]
PROJECT_ROLES: tuple[Role, ...] = ("annotator", "reviewer", "researcher", "lead")
ROLES: tuple[Role, ...] = (*PROJECT_ROLES, "administrator")

Right = Literal[
    "annotate", "review", "see all annotations", "export", "use models", "manage project", "manage accounts"
]
_RIGHTS: dict[Role, frozenset[Right]] = {
    "annotator": frozenset({"annotate"}),
    "reviewer": frozenset({"review"}),
    "researcher": frozenset({"export", "use models"}),
    "lead": frozenset({"annotate", "review", "see all annotations", "export", "use models", "manage project"}),
    "administrator": frozenset({"see all annotations", "export", "use models", "manage project", "manage accounts"}),
}


@dataclass(frozen=True, slots=True)
class User:
    """A person with an account. The local operator (the command line) is an administrator with id None.

    is_worker: they came in by a crowd door, and may do nothing but the work behind it
    """

    id: int | None
    name: str
    is_administrator: bool = False
    is_disabled: bool = False
    is_worker: bool = False


LOCAL_OPERATOR = User(id=None, name="local operator", is_administrator=True)


def has_right(user: User, roles: frozenset[Role], right: Right) -> bool:
    """Whether a person with these roles in a project has a right there."""
    everywhere: frozenset[Role] = frozenset({"administrator"}) if user.is_administrator else frozenset()
    held = roles | everywhere
    return not user.is_disabled and any(right in _RIGHTS[role] for role in held)
