"""API tokens for scripts: making one, listing, revoking, and telling who stands behind one that comes with a request.

A token reads `annotator_NUMBER_SECRET`; only the secret's hash is stored. Wrong secrets slow that number down as wrong
passwords slow a name.
"""

import datetime as dt
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import NoReturn

from annotator.domain.numbers import counted
from annotator.domain.people import RIGHT_FOR, SCOPES, ApiToken, Scope, TokenState, User, has_right
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotSignedIn
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store import people as token_store
from annotator.store.connection.database import iso
from annotator.store.events import add_event, add_repeated_event
from annotator.store.projects import get_project_by_id
from annotator.text.characters import normal
from annotator.usecases.access.failures import failures_window, seconds_to_wait
from annotator.usecases.access.passwords import LONGEST_NAME
from annotator.usecases.access.rights import require, require_administrator, require_no_worker, roles_with, spoken

DAYS = 90
LONGEST_DAYS = 365
LONGEST_NOTE = 200
_USE_IS_NOTED_EVERY = dt.timedelta(minutes=1)  # a write for each request would cost more than the request

_FORM = re.compile(r"annotator_([1-9][0-9]{0,17})_([A-Za-z0-9_-]{43})")
_NO_TOKEN = (
    "This address is for scripts: send a token, as 'Authorization: Bearer annotator_...'. "  # noqa: S105  (a sentence)
    "'annotator token make NAME' makes one."
)
_UNKNOWN = "This token is not known here. Check that you copied all of it, or make another one."


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made; `text` is shown once and cannot be had again."""

    token: ApiToken
    text: str


def make_token(
    store: Store,
    actor: User,
    project: Project,
    name: str,
    scopes: Collection[Scope],
    *,
    days: int = DAYS,
    note: str = "",
) -> NewToken:
    """Make a token with which a script acts as a person in one project.

    name:   whose token it is; everybody makes their own, and only administrators somebody else's
    Raises: NotAllowed when the person does not have the rights that the scopes need
    """
    note = note.strip()
    _check(scopes, days, note)
    with store.transaction():
        user = people_store.get_user(store, normal(name))
        require_no_worker(user)
        if user.id != actor.id:
            require_administrator(actor)
        for scope in scopes:
            _require_right(store, actor, user, project, scope)
        secret = secrets.token_urlsafe(32)
        expires_at = iso(store.moment() + dt.timedelta(days=days))
        token = token_store.add_token(
            store, _digest(secret), user, project.id, scopes, expires_at=expires_at, note=note, created_by=actor.name
        )
        add_event(
            store, actor.name, "make token", "user", user.id,
            project_id=project.id, token=token.id, of=user.name, scopes=list(token.scopes), days=days,
        )  # fmt: skip
    return NewToken(token, f"annotator_{token.id}_{secret}")


def _check(scopes: Collection[Scope], days: int, note: str) -> None:
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        fault = f"There is no scope '{unknown[0]}'." if unknown else "A token needs at least one scope."
        raise InvalidValue(f"{fault} Choose one or more of: {', '.join(SCOPES)}.")
    if not 1 <= days <= LONGEST_DAYS:
        raise InvalidValue(f"A token may be valid for 1 to {LONGEST_DAYS} days, not {days}.")
    if len(note) > LONGEST_NOTE or not (note == "" or note.isprintable()):
        raise InvalidValue(f"A note is one line of at most {LONGEST_NOTE} characters.")


def _require_right(store: Store, actor: User, user: User, project: Project, scope: Scope) -> None:
    right = RIGHT_FOR[scope]
    if user.id == actor.id:
        require(store, user, project.id, right)
    elif not has_right(user, people_store.roles_of(store, user, project.id), right):
        raise NotAllowed(
            f"{user.name} does not have the right to {spoken(right)} in the project '{project.name}', which a token with the "
            f"scope '{scope}' needs. Give them a role that has it first ({' or '.join(roles_with(right))})."
        )


def list_tokens(store: Store, actor: User) -> list[ApiToken]:
    """The tokens that somebody may revoke, oldest first: their own, those of projects they lead; administrators: all."""
    return [token for token in token_store.list_tokens(store) if _may_manage(store, actor, token)]


def revoke_token(store: Store, actor: User, token_id: int) -> ApiToken:
    """Make a token worthless at once; raises NotAllowed for somebody else's, InvalidValue when it was revoked before."""
    with store.transaction():
        token = token_store.get_token(store, token_id)
        if not _may_manage(store, actor, token):
            raise NotAllowed(
                f"Token {token_id} is not yours. Its owner, a lead of its project or an administrator may."
            )
        if token.revoked_at is not None:
            raise InvalidValue(f"Token {token_id} was already revoked, on {token.revoked_at[:10]}.")
        token_store.revoke_token(store, token_id)
        add_event(
            store, actor.name, "revoke token", "user", token.user.id,
            project_id=token.project_id, token=token.id, of=token.user.name,
        )  # fmt: skip
        return token_store.get_token(store, token_id)


def _may_manage(store: Store, actor: User, token: ApiToken) -> bool:
    roles = people_store.roles_of(store, actor, token.project_id)
    return token.user.id == actor.id or has_right(actor, roles, "manage project")


def state_of(store: Store, token: ApiToken) -> TokenState:
    """What a token is now."""
    return token.state_at(store.now())


# --- a request with a token -------------------------------------------------------------------------------------------


def open_token(store: Store, text: str | None, project: str, scope: Scope) -> tuple[User, Project]:
    """Who stands behind a token, and the project it is for.

    text:    the token; None where the request has none
    project: the name or the number in the address
    Raises:  NotSignedIn for a token that is missing, wrong, revoked or expired, and while its number must wait;
             NotAllowed for another project or scope, and when its person has lost the right
    """
    token = _known_token(store, text)
    state = state_of(store, token)
    if state != "valid":
        when = (token.revoked_at if state == "revoked" else token.expires_at) or ""
        raise NotSignedIn(f"This token was {state} on {when[:10]}." if state == "revoked" else _expired(when))
    if token.user.is_disabled:
        raise NotSignedIn(f"'{token.user.name}', whose token this is, is disabled.")
    if project not in {token.project_name, str(token.project_id)}:
        raise NotAllowed(f"This token is for the project '{token.project_name}' (number {token.project_id}) alone.")
    if scope not in token.scopes:
        raise NotAllowed(f"This token may not {scope}; it may {' and '.join(token.scopes)}. Make one with that scope.")
    roles = people_store.roles_of(store, token.user, token.project_id)
    if not has_right(token.user, roles, RIGHT_FOR[scope]):
        right = spoken(RIGHT_FOR[scope])
        raise NotAllowed(f"{token.user.name}, whose token this is, no longer has the right to {right} in this project.")
    _note_use(store, token)
    return token.user, get_project_by_id(store, token.project_id)


def _expired(when: str) -> str:
    return f"This token expired on {when[:10]}. Make another one ('annotator token make')."


def _known_token(store: Store, text: str | None) -> ApiToken:
    """The token of that text, whatever its state."""
    if not text:
        raise NotSignedIn(_NO_TOKEN)
    form = _FORM.fullmatch(text)
    stored = token_store.find_token(store, int(form[1])) if form else None
    if form is None or stored is None:
        raise NotSignedIn(_UNKNOWN)  # nothing to guess at, and so nothing to slow down or to write
    secret_hash, token = stored
    _refuse_while_waiting(store, token.id)
    if not compare_digest(secret_hash, _digest(form[2])):
        _fail(store, token)
    return token


def _fail(store: Store, token: ApiToken) -> NoReturn:
    """Count a wrong secret. Asked again within the transaction, so that many at once cannot outrun the count."""
    with store.transaction():
        since, until = _refuse_while_waiting(store, token.id)
        people_store.add_failure(store, _failures_name(token.id), since, until)
        add_repeated_event(store, "unknown", "fail to use token", "user", token.user.id, token=token.id)
    raise NotSignedIn(_UNKNOWN)


def _refuse_while_waiting(store: Store, token_id: int) -> tuple[str, str]:
    """Between which times failures count now; raises NotSignedIn while the token must wait."""
    moment = store.moment()
    since, until = failures_window(moment)
    seconds = seconds_to_wait(people_store.failures_between(store, _failures_name(token_id), since, until), moment)
    if seconds > 0:
        raise NotSignedIn(f"Too many failures with this token. Try again in {counted(seconds, 'second')}.")
    return since, until


def _failures_name(token_id: int) -> str:
    """What failures of a token are counted under: longer than any name, so that the sign-in page cannot add to it."""
    return f"token {token_id:0{LONGEST_NAME}}"


def _note_use(store: Store, token: ApiToken) -> None:
    moment = store.moment()
    is_noted = iso(moment - _USE_IS_NOTED_EVERY) <= (token.last_used_at or "") <= iso(moment)
    if not is_noted:
        with store.transaction():
            token_store.note_use(store, token.id)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
