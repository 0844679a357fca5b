"""API tokens: what a script shows instead of a person's cookie, and what it may do."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

from annotator.domain.people import Right, User

Scope = Literal["read", "write model output"]
TokenState = Literal["valid", "expired", "revoked"]
SCOPES: tuple[Scope, ...] = cast("tuple[Scope, ...]", get_args(Scope))

# What the person must be allowed to do in the project, so that their token may.
RIGHT_FOR: dict[Scope, Right] = {"read": "export", "write model output": "use models"}


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token without its secret. It acts as its user, in one project, within its scopes.

    last_used_at: to the minute; times are UTC, ISO 8601, so that they are compared as text
    """

    id: int
    user: User
    project_id: int
    project_name: str
    scopes: tuple[Scope, ...]
    note: str
    created_by: str
    created_at: str
    expires_at: str
    last_used_at: str | None
    revoked_at: str | None

    def state_at(self, moment: str) -> TokenState:
        """What the token is at a time."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= moment else "valid"
