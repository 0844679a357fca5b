"""Passwords and API tokens: what they may be, how they are kept, and how failures to sign in make the next one wait.

They count for a name and the address that they came from, so that nobody keeps somebody else out by failing for them. Guesses
from many addresses make the name wait for all who were never signed in, and not for the browsers of its owner.

A token reads `annotator_NUMBER_SECRET`; only the secret's hash is stored. Wrong secrets slow that number down as wrong
passwords slow a name.

A browser keeps a note in a cookie, signed with a secret of the database and with the account's password: a new password, a
reset or an erased account makes the notes worthless. A note alone opens nothing.
"""

import datetime as dt
import hmac
import re
import secrets
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256, sha512
from hmac import compare_digest
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NoReturn

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from annotator.domain import people
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotSignedIn
from annotator.language import _
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store import people as token_store
from annotator.store.connection.database import iso
from annotator.store.events import add_event, add_repeated_event
from annotator.store.project.crowd import find_platform_secret, platform_secret
from annotator.store.projects import get_project_by_id
from annotator.text.characters import normal
from annotator.usecases.access.rights import require, require_administrator, require_no_worker, roles_with, spoken

LONGEST_NAME = 100
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1000

_HASHER = PasswordHasher()  # each hash takes 64 MiB and several cores: web/routes/sign_in.py lets few happen at once


def checked_name(name: str) -> str:
    """A name as it is stored; raises InvalidValue saying what is wrong with it."""
    name = normal(name)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidValue(_("Names are one line of 1–{n} visible characters.", n=LONGEST_NAME))
    if not name.isprintable():
        raise InvalidValue(_("Name {name} has an invisible character.", name=f"{name!r}"))
    if name.casefold() in {people.LOCAL_OPERATOR.name, people.SOMEONE_ERASED}:
        raise InvalidValue(_("'{name}' is reserved. Choose another name.", name=name.casefold()))
    return name


def checked_password(password: str) -> str:
    """The password; raises InvalidValue when it is too short or longer than anybody types."""
    if len(password) < SHORTEST_PASSWORD:
        raise InvalidValue(_("Passwords need at least {least} characters.", least=SHORTEST_PASSWORD))
    if len(password) > LONGEST_PASSWORD:
        raise InvalidValue(_("{name} has at most {most} characters.", most=LONGEST_PASSWORD, name=_("Password")))
    return password


def hash_password(password: str) -> str:
    """What is stored of a password."""
    return _HASHER.hash(_encoded(password))


def is_password(stored_hash: str | None, password: str) -> bool:
    """Whether a password is the stored one; takes as long when there is none, so that the time tells nothing."""
    try:
        _HASHER.verify(stored_hash or _dummy_hash(), _encoded(password[: LONGEST_PASSWORD + 1]))
    except (VerificationError, InvalidHashError):
        return False
    return stored_hash is not None


def needs_rehash(stored_hash: str | None) -> bool:
    """Whether a stored hash was made with older parameters than today's."""
    return stored_hash is not None and _HASHER.check_needs_rehash(stored_hash)


@lru_cache(maxsize=1)
def _dummy_hash() -> str:
    return _HASHER.hash(secrets.token_bytes(16))


def _encoded(password: str) -> bytes:
    return unicodedata.normalize("NFKC", password).encode("utf-8", "replace")


# Failures to sign in: each costs whoever goes on a longer wait, so that passwords and tokens cannot be guessed.


_OF_ALL_UNTIL_A_WAIT = 30  # from all addresses together
_OF_ALL_UNTIL_THE_LONGEST_WAIT = 100
FAILURES_COUNT_FOR = dt.timedelta(minutes=15)
FAILURES_UNTIL_A_WAIT = 5
FAILURES_UNTIL_THE_LONGEST_WAIT = 20
LONGEST_WAIT_SECONDS = 15 * 60
WAIT_STEP_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Sender:
    """Where an attempt to sign in comes from. browser: of the account itself, if it was signed in there before."""

    address: str = ""
    browser: str | None = None


def count_failure(store: Store, name: str, sender: Sender) -> None:
    """Note a failure of a name; raises NotAllowed, and notes nothing, while the name must wait."""
    moment = store.moment()
    since, until = failures_window(moment)
    key = counted_as(store, name, sender)
    seconds = seconds_to_wait(people_store.failures_between(store, key, since, until), moment)
    if sender.browser is None:
        of_all = people_store.failures_between(store, name, since, until)
        longest = _OF_ALL_UNTIL_THE_LONGEST_WAIT
        seconds = max(seconds, seconds_to_wait(of_all, moment, free=_OF_ALL_UNTIL_A_WAIT, until_longest=longest))
        _refuse(seconds)
        people_store.add_failure(store, name, since, until)
    _refuse(seconds)
    people_store.add_failure(store, key, since, until)


def forget_failure(store: Store, name: str, sender: Sender) -> None:
    """It was none: the attempt that was counted last succeeded."""
    people_store.clear_failures(store, counted_as(store, name, sender))
    if sender.browser is None:
        people_store.forget_last_failure(store, name)


def counted_as(store: Store, name: str, sender: Sender) -> str:
    """What failures from one place are counted under: longer than any name, and nobody reads name or address in it."""
    origin = f"browser {sender.browser}" if sender.browser else f"address {_network(sender.address)}"
    secret = platform_secret(store)
    return f"from {hmac.new(secret, f'{origin} {name.casefold()}'.encode('utf-8', 'replace'), sha512).hexdigest()}"


def _network(address: str) -> str:
    """Of IPv6 the half that one customer has as a whole."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is None:
        return str(ip_network((ip, 64), strict=False))
    return str(getattr(ip, "ipv4_mapped", None) or ip)


def _refuse(seconds: int) -> None:
    if seconds > 0:
        raise NotAllowed(_("Too many failed sign-ins. Try again in {time}.", time=_spoken_time(seconds)))


def failures_window(moment: dt.datetime) -> tuple[str, str]:
    """Between which times failures count at a moment."""
    return iso(moment - FAILURES_COUNT_FOR), iso(moment)


def seconds_to_wait(
    failures: Sequence[str],
    moment: dt.datetime,
    *,
    free: int = FAILURES_UNTIL_A_WAIT,
    until_longest: int = FAILURES_UNTIL_THE_LONGEST_WAIT,
) -> int:
    """How long a name must still wait after its failures of the last 15 minutes.

    From the fifth on each failure costs 5 seconds more than the one before; from the twentieth on 15 minutes. From all
    addresses together that begins with the thirtieth and the hundredth.
    >>> a_minute_ago = dt.datetime(2026, 1, 31, 11, 59, tzinfo=dt.UTC)
    >>> seconds_to_wait(["2026-01-31T11:59:00.000Z"] * 16, a_minute_ago)
    60
    """
    n = len(failures)
    if n < free:
        return 0
    wait = WAIT_STEP_SECONDS * (n - free + 1)
    if n >= until_longest:
        wait = LONGEST_WAIT_SECONDS
    since = (moment - dt.datetime.fromisoformat(failures[-1])).total_seconds()
    return max(0, round(wait - since))


def _spoken_time(seconds: int) -> str:
    return counted(seconds, "second") if seconds < 100 else counted(-(-seconds // 60), "minute")


def note_failure(store: Store, name: str) -> None:
    """Write a failure of a name into the record."""
    with store.transaction():
        user = people_store.find_user(store, name)
        # An unknown name is often a password typed into the wrong field: it does not belong into the record.
        add_repeated_event(
            store, user.name if user else "unknown", "fail to sign in", "user", user.id if user else None
        )


# API tokens for scripts: making one, listing, revoking, and telling who stands behind one that comes with a request.


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

    token: people.ApiToken
    text: str


def make_token(
    store: Store, actor: people.User, project: Project, name: str, scopes: Collection[people.Scope], *, days: int = DAYS,
    note: str = "",
) -> NewToken:  # fmt: skip
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


def _check(scopes: Collection[people.Scope], days: int, note: str) -> None:
    unknown = [scope for scope in scopes if scope not in people.SCOPES]
    if unknown or not scopes:
        fault = f"There is no scope '{unknown[0]}'." if unknown else "A token needs at least one scope."
        raise InvalidValue(f"{fault} Choose one or more of: {', '.join(people.SCOPES)}.")
    if not 1 <= days <= LONGEST_DAYS:
        raise InvalidValue(f"A token may be valid for 1 to {LONGEST_DAYS} days, not {days}.")
    if len(note) > LONGEST_NOTE or not (note == "" or note.isprintable()):
        raise InvalidValue(f"A note is one line of at most {LONGEST_NOTE} characters.")


def _require_right(store: Store, actor: people.User, user: people.User, project: Project, scope: people.Scope) -> None:
    right = people.RIGHT_FOR[scope]
    if user.id == actor.id:
        require(store, user, project.id, right)
    elif not people.has_right(user, people_store.roles_of(store, user, project.id), right):
        raise NotAllowed(
            f"{user.name} does not have the right to {spoken(right)} in the project '{project.name}', which a token with the "
            f"scope '{scope}' needs. Give them a role that has it first ({' or '.join(roles_with(right))})."
        )


def list_tokens(store: Store, actor: people.User) -> list[people.ApiToken]:
    """The tokens that somebody may revoke, oldest first: their own, those of projects they lead; administrators: all."""
    return [token for token in token_store.list_tokens(store) if _may_manage(store, actor, token)]


def revoke_token(store: Store, actor: people.User, token_id: int) -> people.ApiToken:
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


def _may_manage(store: Store, actor: people.User, token: people.ApiToken) -> bool:
    roles = people_store.roles_of(store, actor, token.project_id)
    return token.user.id == actor.id or people.has_right(actor, roles, "manage project")


def state_of(store: Store, token: people.ApiToken) -> people.TokenState:
    """What a token is now."""
    return token.state_at(store.now())


# --- a request with a token -------------------------------------------------------------------------------------------


def open_token(store: Store, text: str | None, project: str, scope: people.Scope) -> tuple[people.User, Project]:
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
    if not people.has_right(token.user, roles, people.RIGHT_FOR[scope]):
        right = spoken(people.RIGHT_FOR[scope])
        raise NotAllowed(f"{token.user.name}, whose token this is, no longer has the right to {right} in this project.")
    _note_use(store, token)
    return token.user, get_project_by_id(store, token.project_id)


def _expired(when: str) -> str:
    return f"This token expired on {when[:10]}. Make another one ('annotator token make')."


def _known_token(store: Store, text: str | None) -> people.ApiToken:
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


def _fail(store: Store, token: people.ApiToken) -> NoReturn:
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


def _note_use(store: Store, token: people.ApiToken) -> None:
    moment = store.moment()
    is_noted = iso(moment - _USE_IS_NOTED_EVERY) <= (token.last_used_at or "") <= iso(moment)
    if not is_noted:
        with store.transaction():
            token_store.note_use(store, token.id)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


# Browsers from which somebody signed in before: strangers who guess a name's password do not keep its owner out of these.


_MOST_ACCOUNTS = 5  # of people who share a browser
_BETWEEN = "~"


def noted_in(store: Store, user: people.User, cookie: str) -> str:
    """What a browser keeps after somebody signed in there: a new note of them, and those of the others as they were."""
    with store.transaction():
        secret = platform_secret(store)
    browser = secrets.token_urlsafe(12)
    note = f"{user.id}.{browser}.{_signature(secret, user, browser, people_store.password_hash(store, user.name))}"
    others = [other for other in cookie.split(_BETWEEN) if other and not other.startswith(f"{user.id}.")]
    return _BETWEEN.join([note, *others[: _MOST_ACCOUNTS - 1]])


def find_browser(store: Store, name: str, cookie: str) -> str | None:
    """What a browser is called in which the account of that name has signed in; None for every other one."""
    user = people_store.find_user(store, name)
    secret = find_platform_secret(store)
    if user is None or secret is None:
        return None
    stored_hash = people_store.password_hash(store, name)
    for note in cookie.split(_BETWEEN)[:_MOST_ACCOUNTS]:
        number, _, rest = note.partition(".")
        browser, _, signature = rest.partition(".")
        if number == str(user.id) and hmac.compare_digest(
            signature.encode(), _signature(secret, user, browser, stored_hash).encode()
        ):
            return browser
    return None


def _signature(secret: bytes, user: people.User, browser: str, stored_hash: str | None) -> str:
    key = hmac.new(secret, b"known browsers", sha256).digest()
    return hmac.new(key, f"{user.id}:{browser}:{stored_hash}".encode(), sha256).hexdigest()
