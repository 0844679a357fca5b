"""People, their roles, and what each role may do."""

from dataclasses import dataclass
from typing import Literal

from annotator.language import Language, _

Role = Literal["annotator", "reviewer", "researcher", "lead", "administrator"]
PROJECT_ROLES: tuple[Role, ...] = ("annotator", "reviewer", "researcher", "lead")
ROLES: tuple[Role, ...] = (*PROJECT_ROLES, "administrator")

Right = Literal[
    "annotate", "review", "see all annotations", "export", "use models", "manage project", "manage accounts"
]


def role_name(role: Role) -> str:
    """A role, as a person reads it."""
    match role:
        case "annotator":
            return _("annotator")
        case "reviewer":
            return _("reviewer")
        case "researcher":
            return _("researcher")
        case "lead":
            return _("lead")
    return _("administrator")


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

    language:  the one that they chose; None is their browser's
    is_worker: they came in by a crowd door, and may do nothing but the work behind it
    """

    id: int | None
    name: str
    is_administrator: bool = False
    is_disabled: bool = False
    language: Language | None = None
    is_worker: bool = False


# Events of somebody who was taken out, and what the record calls whoever was erased. No account can have that name.
ANONYMISED = "anonymise person"
ERASED = "erase person"
SOMEONE_ERASED = "someone who was erased"

LOCAL_OPERATOR = User(id=None, name="local operator", is_administrator=True)


def has_right(user: User, roles: frozenset[Role], right: Right) -> bool:
    """Whether a person with these roles in a project has a right there."""
    everywhere: frozenset[Role] = frozenset({"administrator"}) if user.is_administrator else frozenset()
    held = roles | everywhere
    return not user.is_disabled and any(right in _RIGHTS[role] for role in held)
