"""Single sign-on: who somebody is here for whom a provider vouches, which roles claims bring, and what local accounts still may.

People are known by the provider's address and its name for them (`iss`, `sub`), never by a name or an e-mail address.
"""

import base64
import binascii
import hmac
import itertools
import logging
import os
import secrets
import threading
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from annotator.domain.people import ROLES, Role, User
from annotator.errors import InvalidValue, NotAllowed
from annotator.language import _
from annotator.outbound.allowed_hosts import Exceptions, Resolver, resolve
from annotator.outbound.identity_provider import Client, IdentityProvider, require_packages
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.events import add_event
from annotator.store.persons.person_values import find_person
from annotator.store.projects import list_projects
from annotator.text.characters import normal
from annotator.usecases.access.accounts import active_administrators, disable_user, lose_role, new_token, start_session
from annotator.usecases.access.credentials import LONGEST_NAME, checked_name
from annotator.usecases.access.rights import require_administrator, require_no_worker

SECRET_VARIABLE = "ANNOTATOR_SSO_SECRET"  # noqa: S105  (a name)
ATTEMPT_SECONDS = 600
_OTHERS = 0o007
_LONGEST_PATH = 1000  # of a page to come back to: a cookie holds 4,096 bytes
_MOST_USED = 10_000
_LONGEST_SUBJECT = 255
_LOG = logging.getLogger(__name__)


class ClaimedRole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which role a value of the claim brings. project: "" for administrators."""

    value: str
    role: Role
    project: str = ""

    def __post_init__(self) -> None:
        if self.role not in ROLES or (self.role == "administrator") is bool(self.project):
            raise ValueError(f"'{self.role}' is a role of a project, or administrator without one")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings file. claim: by dots where it lies in others; private_hosts: other hosts of the provider than the issuer's."""

    issuer: str
    client_id: str
    name: str = ""
    client_secret: str = ""
    scopes: tuple[str, ...] = ("openid", "profile")
    claim: str = ""
    roles: tuple[ClaimedRole, ...] = ()
    local_accounts: bool = True
    private_hosts: str = ""

    def __repr__(self) -> str:
        """Without the secret, since it may come into a log."""
        return f"Settings({self.issuer!r}, {self.client_id!r})"

    @property
    def shown_name(self) -> str:
        """What the button calls the provider."""
        return self.name or urlsplit(self.issuer).hostname or ""

    def client(self) -> Client:
        """Checked; raises InvalidValue."""
        scopes = tuple(dict.fromkeys(("openid", *self.scopes)))
        exceptions = Exceptions.read(self.private_hosts)
        return Client(self.issuer, self.client_id, self.client_secret, scopes, exceptions)


def read_settings(path: Path) -> Settings:
    """The settings of a TOML file; the secret of the environment comes before the file's.

    Raises: InvalidValue for what cannot be read, or is no setting, and for a file with a secret that others may read
    """
    try:
        settings = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Settings)
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:  # TOML's and msgspec's own are ValueErrors
        raise InvalidValue(f"'{path}' has no settings for single sign-on: {error} (docs/single_sign_on.md).") from None
    if settings.client_secret and mode & _OTHERS and os.name != "nt":
        raise InvalidValue(f"Others can read '{path}', which holds a secret. Run: chmod 600 '{path}'")
    if settings.roles and not settings.claim:
        raise InvalidValue(f"'{path}' has roles, but doesn't name the claim that brings them ('claim').")
    if not settings.shown_name.isprintable() or len(settings.shown_name) > LONGEST_NAME:
        raise InvalidValue(f"'name' in '{path}' must be one line of at most {LONGEST_NAME} characters.")
    secret = os.environ.get(SECRET_VARIABLE, "") or settings.client_secret
    settings = msgspec.structs.replace(settings, client_secret=secret)
    settings.client()  # checked before anything is served
    return settings


class _Attempt(msgspec.Struct, frozen=True):
    """A sign-in that a browser began, and what it must bring back."""

    state: str
    nonce: str
    verifier: str
    next_path: str
    until: float


class SingleSignOn:
    """Signing in through one provider. A browser keeps its attempt in a signed cookie; each can be used once.

    callback: the address at which the provider sends browsers back
    """

    def __init__(self, settings: Settings, callback: str, *, resolver: Resolver = resolve) -> None:
        require_packages()
        self.settings = settings
        self._provider = IdentityProvider(settings.client(), resolver)
        self._callback = callback
        self._key = secrets.token_bytes(32)  # attempts end with the server
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    def begin(self, next_path: str, now: float) -> tuple[str, str]:
        """Where to send a browser, and the cookie that it keeps meanwhile; raises DeliveryError without the provider."""
        path = next_path if len(next_path) <= _LONGEST_PATH else "/"
        attempt = _Attempt(new_token(), new_token(), new_token(), path, now + ATTEMPT_SECONDS)
        address = self._provider.authorization_address(
            self._callback, state=attempt.state, nonce=attempt.nonce, verifier=attempt.verifier
        )
        written = base64.urlsafe_b64encode(msgspec.json.encode(attempt)).decode()
        return address, f"{written}.{self._signature(written)}"

    def finish(self, store: Store, cookie: str, answer: Mapping[str, str]) -> tuple[str, str]:
        """The token of a new session, and the page to go on to.

        answer: what the provider put into the address: `state`, and `code` or `error`
        Raises: NotAllowed for an attempt or a token that is not right, or a disabled account; DeliveryError
        """
        now = store.moment().timestamp()
        attempt = self._taken(cookie, answer.get("state", ""), now)
        if "error" in answer or answer.get("iss", self.settings.issuer) != self.settings.issuer:
            raise NotAllowed(_("{name} didn't sign you in. Try again.", name=self.settings.shown_name))
        claims = self._provider.claims(
            answer.get("code", ""), self._callback, nonce=attempt.nonce, verifier=attempt.verifier, now=now
        )
        return sign_in(store, self.settings, claims), attempt.next_path

    def _taken(self, cookie: str, state: str, now: float) -> _Attempt:
        """The attempt of a browser, once."""
        written, _dot, signature = cookie.partition(".")
        refusal = NotAllowed(_("This sign-in has expired, or began in another browser. Start again."))
        if not hmac.compare_digest(signature.encode(), self._signature(written).encode()):
            raise refusal
        try:
            attempt = msgspec.json.decode(base64.urlsafe_b64decode(written), type=_Attempt)
        except (binascii.Error, msgspec.MsgspecError):
            raise refusal from None
        with self._lock:
            self._used = {used: until for used, until in self._used.items() if until > now}
            if attempt.state in self._used or attempt.until <= now:
                raise refusal
            if not hmac.compare_digest(state.encode("utf-8", "replace"), attempt.state.encode()):
                raise refusal
            self._used[attempt.state] = attempt.until
            if len(self._used) > _MOST_USED:  # the provider takes no code twice either
                del self._used[next(iter(self._used))]
        return attempt

    def _signature(self, written: str) -> str:
        return hmac.new(self._key, written.encode("utf-8", "replace"), sha256).hexdigest()


def sign_in(store: Store, settings: Settings, claims: Mapping[str, Any]) -> str:
    """The token of a new session for whoever checked claims name; the first time they get an account.

    Raises: NotAllowed for a disabled account, and for everybody but administrators while there is none
    """
    subject = claims.get("sub")
    if not (isinstance(subject, str) and 1 <= len(subject) <= _LONGEST_SUBJECT and subject.isprintable()):
        raise NotAllowed(_("{name} didn't sign you in. Try again.", name=settings.shown_name))
    with store.transaction():
        is_administrator, roles = _roles_of_claims(store, settings, claims)
        user = people_store.find_identity(store, settings.issuer, subject)
        if user is None:
            if not is_administrator and not people_store.has_users(store):
                raise NotAllowed(_("No account yet. Open the link printed at server start."))
            user = people_store.add_user(store, _free_name(store, claims))
            people_store.add_identity(store, settings.issuer, subject, user)
            add_event(store, user.name, "join by single sign-on", "user", user.id, name=user.name)
        if user.is_disabled:
            raise NotAllowed(_("'{name}' is disabled. Ask an administrator.", name=user.name))
        _follow_administrator(store, settings, subject, user, is_administrator)
        _follow_roles(store, user, roles)
        add_event(store, user.name, "sign in", "user", user.id, issuer=settings.issuer)
        return start_session(store, user)


def _free_name(store: Store, claims: Mapping[str, Any]) -> str:
    """A name that no account and no row has: whoever names themselves at the provider as somebody else is somebody else."""
    wished = (claims.get(claim) for claim in ("preferred_username", "name"))
    plain = ("".join(c for c in " ".join(text.split()) if c.isprintable()) for text in wished if isinstance(text, str))
    name = next((clean for text in plain if (clean := normal(text)[: LONGEST_NAME - 10].strip())), "user")
    candidates = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return next(candidate for candidate in candidates if _is_free(store, candidate))


def _is_free(store: Store, name: str) -> bool:
    try:
        return find_person(store, checked_name(name)) is None
    except InvalidValue:  # reserved
        return False


def _roles_of_claims(
    store: Store, settings: Settings, claims: Mapping[str, Any]
) -> tuple[bool, frozenset[tuple[int, Role]]]:
    """Whether somebody is an administrator, and their roles in projects; of a project that is not there none."""
    values = _values_of(claims, settings.claim)
    projects = {project.name: project.id for project in list_projects(store)}
    matching = [claimed for claimed in settings.roles if claimed.value in values]
    missing = sorted({claimed.project for claimed in matching if claimed.project} - projects.keys())
    if missing:
        _LOG.warning("Single sign-on gives roles in '%s', but there is no such project.", "', '".join(missing))
    roles = {(projects[claimed.project], claimed.role) for claimed in matching if claimed.project in projects}
    return any(claimed.role == "administrator" for claimed in matching), frozenset(roles)


def _values_of(claims: Mapping[str, Any], claim: str) -> frozenset[str]:
    """The values of a claim, alone or in a list.

    >>> sorted(_values_of({"realm_access": {"roles": ["b", "a"]}}, "realm_access.roles"))
    ['a', 'b']
    """
    value: Any = claims.get(claim)
    if value is None:
        value = claims
        for part in claim.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    values = value if isinstance(value, list) else [value]
    return frozenset(text for text in values if isinstance(text, str))


def _follow_administrator(store: Store, settings: Settings, subject: str, user: User, is_wanted: bool) -> None:
    """The only administrator stays one when the claim goes: nobody could appoint another."""
    if is_wanted == user.is_administrator:
        return
    if not is_wanted:
        if not people_store.is_administrator_by_claim(store, user):
            return
        if len(active_administrators(store)) == 1:
            _LOG.warning("'%s' is the only administrator, and stays one, though no claim says so any more.", user.name)
            return
    people_store.set_administrator_by_claim(store, settings.issuer, subject, user, is_wanted)
    _add_role_event(store, user, "administrator", None, is_given=is_wanted)


def _follow_roles(store: Store, user: User, wanted: frozenset[tuple[int, Role]]) -> None:
    """Roles that a person gave stay; what came from claims alone goes with them."""
    held = people_store.claimed_roles(store, user)
    for project_id, role in held:
        if (project_id, role) not in wanted:
            lose_role(store, user, project_id, role)
            _add_role_event(store, user, role, project_id, is_given=False)
    for project_id, role in sorted(wanted):
        if role not in people_store.roles_of(store, user, project_id):
            people_store.add_claimed_role(store, project_id, user, role)
            _add_role_event(store, user, role, project_id, is_given=True)


def _add_role_event(store: Store, user: User, role: Role, project_id: int | None, *, is_given: bool) -> None:
    add_event(
        store, user.name, "give role" if is_given else "take role", "user" if project_id is None else "project",
        user.id if project_id is None else project_id, project_id=project_id, user=user.name, role=role, is_claimed=True,
    )  # fmt: skip


# Local accounts, where they are turned off: who may still use one, and how an account is joined with somebody's identity.


def require_way_in(store: Store, settings: Settings) -> None:
    """Before a server starts: end what local accounts may no longer do.

    Raises: InvalidValue where they are to be off and no administrator has signed in through the provider
    """
    if settings.local_accounts:
        return
    if not any(
        people_store.has_identity(store, administrator, settings.issuer)
        for administrator in active_administrators(store)
    ):
        raise InvalidValue(
            f"Local accounts stay on until an administrator has signed in with {settings.shown_name}. Start without "
            "'local_accounts = false', sign in there as one, then turn them off (docs/single_sign_on.md)."
        )
    with store.transaction():
        people_store.end_local_sessions(store)


def require_password_allowed(settings: Settings | None, user: User | None = None) -> None:
    """Raise NotAllowed where local accounts are off; the link of an administrator still works, so that there is a way in.

    user: whose link it is; None for every other use of a password
    """
    if settings is None or settings.local_accounts or (user is not None and user.is_administrator):
        return
    raise NotAllowed(_("This server takes no passwords. Sign in with {name}.", name=settings.shown_name))


def join_accounts(store: Store, actor: User, name: str, other_name: str) -> User:
    """Let whoever signs in elsewhere as another account be this one from now on; that account is disabled.

    Raises: NotAllowed; NotFound; InvalidValue for an account that nobody signs in to through a provider
    """
    require_administrator(actor)
    with store.transaction():
        user, other = (people_store.get_user(store, normal(text)) for text in (name, other_name))
        require_no_worker(user)
        if user.is_disabled:
            raise InvalidValue(_("'{name}' is disabled. Choose another person.", name=user.name))
        if user.id == other.id or not people_store.has_identity(store, other):
            raise InvalidValue(_("Nobody signs in to '{name}' by single sign-on.", name=other.name))
        if not other.is_disabled:
            disable_user(store, actor, other.name)
        for project_id, role in people_store.claimed_roles(store, other):
            people_store.remove_role(store, project_id, other, role)
        people_store.move_identities(store, other, user)
        add_event(store, actor.name, "join accounts", "user", user.id, name=user.name, other=other.name)
    return user
