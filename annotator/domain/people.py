"""People, their roles, and what each role may do; API tokens, and notices."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

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
    is_worker: they came in by a recruitment link, and may do nothing but the work behind it
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


# API tokens: what a script shows instead of a person's cookie, and what it may do.


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


# Notices: that something happened which concerns a person, without anything of a text.


NoticeKind = Literal["returned", "version returned", "answer", "question", "decision", "stuck", "role"]


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """Notices of one kind to one person in one project, told in one line.

    detail:      what the sentence needs besides: the role, the decision, what the person is to the text
    newest_id:   the last of them; key, instance_id: of a single one about an instance
    """

    project_id: int
    project_name: str
    kind: NoticeKind
    detail: str
    n: int
    newest_id: int
    newest_at: str
    is_read: bool
    instance_id: int | None = None
    key: str = ""


ChannelKind = Literal["mail", "webhook"]
MessagePurpose = Literal["notices", "address"]
MessageState = Literal["waiting", "sending", "sent", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Message:
    """What leaves the server: a mail to one person, or one call of the webhook about one project.

    purpose: their notices, or the code that confirms an address
    state:   failed: given up; unknown: it may have arrived, and is never sent again
    """

    id: int
    channel: ChannelKind
    purpose: MessagePurpose
    user_id: int | None
    project_id: int | None
    state: MessageState
    n_tries: int
    problem: str
    created_at: str


@dataclass(frozen=True, slots=True)
class MailAddress:
    """Where somebody wants their mail. code_hash: of the code that was sent there and confirms it."""

    user_id: int
    address: str
    confirmed_at: str | None
    code_hash: bytes | None
    code_until: str | None
    n_tries: int
