"""Accounts, one-time links, signing in and out.

Slow work (a password hash costs some 50 ms) is done before the transaction, so that nobody's save waits for it.
"""

import datetime as dt
import secrets
from dataclasses import dataclass
from hashlib import sha256

from annotator.domain.numbers import by_key
from annotator.domain.people import LOCAL_OPERATOR, ROLES, Role, User, has_right
from annotator.errors import InvalidValue, NotAllowed, NotSignedIn
from annotator.language import Language, _, listed, unknown, unsaid
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store import projects as projects_store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.connection.database import iso
from annotator.store.events import ALL_EVENTS, Event, EventFilter, add_event, count_events, list_events
from annotator.store.people import Session, revoke_tokens_of
from annotator.store.review.reviews import give_up_reviews_of
from annotator.text.characters import normal
from annotator.usecases.access import credentials
from annotator.usecases.access.rights import require, require_administrator, require_no_worker, roles_with
from annotator.usecases.notices.notices import tell, tell_of_stuck_rounds

__all__ = ["Session"]

SESSION_LASTS = dt.timedelta(days=14)
LINK_LASTS = dt.timedelta(days=7)
_FIRST_LINK_LASTS = dt.timedelta(hours=24)  # it stands in the log, and makes an administrator of whoever reads it
_SIGNED_IN = credentials.Sender(
    browser="with a session"
)  # whoever is signed in: nobody else's failures keep them from a new password

_WRONG = unsaid("Wrong name or password.")
_BAD_LINK = unsaid("This link was used, replaced or has expired. Ask your lead or administrator for a new one.")
_NOT_SIGNED_IN = unsaid("You're signed out. Sign in again.")


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What adding a user gave: the token of the one-time link, or None for a person who had an account before."""

    user: User
    link_token: str | None
    project_name: str | None


@dataclass(frozen=True, slots=True)
class ListedUser:
    """One line of the list of users; `roles` are pairs of project and role."""

    user: User
    roles: tuple[tuple[str, Role], ...]


@dataclass(frozen=True, slots=True)
class LinkPurpose:
    """What a one-time link is for: a new password of `user`, or the first account when that is None."""

    user: User | None


# --- people -----------------------------------------------------------------------------------------------------------


def add_user(store: Store, actor: User, name: str, role: Role, project_name: str | None = None) -> NewAccount:
    """Make an account with a one-time link, or give somebody who has one a further role in a project.

    project_name: where the role is held; left out, it is the only project there is. An administrator needs none.
    """
    name = credentials.checked_name(name)
    if role not in ROLES:
        raise InvalidValue(unknown(_("role"), role, listed(ROLES)))
    with store.transaction():
        project_id, project_name = _project_of_role(store, role, project_name)
        if project_id is None:
            require_administrator(actor)
        else:
            require(store, actor, project_id, "manage project")
        known = people_store.find_user(store, name)
        if known is not None and (project_id is None or role in people_store.roles_of(store, known, project_id)):
            raise InvalidValue(_there_already(known.name, role, project_name))
        user, token = add_person(store, actor, name, role, project_id)
    return NewAccount(user, token, project_name)


def add_person(store: Store, actor: User, name: str, role: Role, project_id: int | None) -> tuple[User, str | None]:
    """A person with a role, in the transaction and with the rights of the caller, and the token of the link of a new account.

    A role that they have already is left as it is.
    """
    known = people_store.find_user(store, name)
    require_no_worker(known)
    user = known or people_store.add_user(store, name, is_administrator=role == "administrator")
    if project_id is not None:
        is_held = known is not None and role in people_store.roles_of(store, known, project_id)
        people_store.add_role(store, project_id, user, role)  # also one that a claim gave: from now on it stays
        if is_held:
            return user, None
        if known is not None:
            tell(store, actor, [user.id], project_id, "role", detail=role)
    token = None if known else make_link(store, user)
    add_event(
        store, actor.name, "add role" if known else "add user", "user", user.id,
        project_id=project_id, name=user.name, role=role,
    )  # fmt: skip
    return user, token


def _project_of_role(store: Store, role: Role, project_name: str | None) -> tuple[int | None, str | None]:
    if role == "administrator":
        if project_name is not None:
            raise InvalidValue(_("Administrators have no project. Omit it."))
        return None, None
    if project_name is not None:
        return projects_store.get_project(store, project_name).id, project_name
    projects = projects_store.list_projects(store)
    if len(projects) > 1:
        names = ", ".join(f"'{project.name}'" for project in projects[:20])
        raise InvalidValue(_("Role '{role}' needs --project: {names}.", role=role, names=names))
    return (projects[0].id, projects[0].name) if projects else (None, None)


def _there_already(name: str, role: Role, project_name: str | None) -> str:
    if not project_name:
        return _("'{name}' already exists. Choose another name.", name=name)
    return _("'{name}' already has role '{role}' in '{project}'.", name=name, role=role, project=project_name)


def list_users(store: Store, actor: User) -> list[ListedUser]:
    """Everybody with an account, by name, with their roles."""
    require_administrator(actor)
    return _listed(store)


def _listed(store: Store) -> list[ListedUser]:
    roles = by_key(
        (user.id, (project.name, role))
        for project in projects_store.list_projects(store)
        for user, role in people_store.list_members(store, project.id)
    )
    return [ListedUser(user, tuple(roles.get(user.id, ()))) for user in people_store.list_users(store)]


def events_of_accounts(
    store: Store, actor: User, wanted: EventFilter = ALL_EVENTS, *, limit: int = 50, offset: int = 0
) -> list[Event]:
    """One page of what no project's record has, newest first: accounts, sign-in links, sign-ins, backups and restores."""
    require_administrator(actor)
    return list_events(store, None, wanted, limit=limit, offset=offset)


def count_events_of_accounts(store: Store, actor: User, wanted: EventFilter = ALL_EVENTS) -> int:
    """How many events no project's record has."""
    require_administrator(actor)
    return count_events(store, None, wanted)


def disable_user(store: Store, actor: User, name: str) -> User:
    """Shut somebody out at once: no signing in, no session, link or token. What they did stays; what they hold goes to others."""
    require_administrator(actor)
    with store.transaction():
        user = people_store.get_user(store, normal(name))
        if user.is_disabled:
            raise InvalidValue(_("'{name}' is already disabled.", name=user.name))
        if user.is_administrator and len(active_administrators(store)) == 1:
            raise InvalidValue(_("'{name}' is the only administrator. Appoint another first.", name=user.name))
        people_store.set_disabled(store, user, is_disabled=True)
        _shut_out(store, user)
        revoke_tokens_of(store, user)
        give_up_work_of(store, user)
        give_up_reviews_of(store, user)
        for project in projects_store.list_projects_of(store, user):
            tell_of_stuck_rounds(store, project.id, roles_with("review"))
        add_event(store, actor.name, "disable user", "user", user.id, name=user.name)
    return User(user.id, user.name, user.is_administrator, is_disabled=True)


def lose_role(store: Store, user: User, project_id: int, role: Role) -> None:
    """Take a role in the transaction of the caller. What somebody submitted stays; what they hold goes back to the queue."""
    people_store.remove_role(store, project_id, user, role)
    roles = people_store.roles_of(store, user, project_id)
    if not has_right(user, roles, "annotate"):
        give_up_work_of(store, user, project_id)
    if not has_right(user, roles, "review"):
        give_up_reviews_of(store, user, project_id)
        tell_of_stuck_rounds(store, project_id, roles_with("review"))


def administrator_names(store: Store, actor: User, project_id: int) -> list[str]:
    """Whom the lead of a project can ask for what only an administrator does."""
    require(store, actor, project_id, "manage project")
    return [user.name for user in active_administrators(store)]


def active_administrators(store: Store) -> list[User]:
    """Everybody who may do what only administrators do."""
    return [user for user in people_store.list_users(store) if user.is_administrator and not user.is_disabled]


def reset_user(store: Store, actor: User, name: str) -> str:
    """Answer the token of a new one-time link; the old password, sessions, links and tokens end.

    A disabled person may come back with it: this is how disabling is undone.
    """
    require_administrator(actor)
    with store.transaction():
        user = people_store.get_user(store, normal(name))
        require_no_worker(user)
        people_store.set_password_hash(store, user, None)
        people_store.set_disabled(store, user, is_disabled=False)
        _shut_out(store, user)
        revoke_tokens_of(store, user)
        token = make_link(store, user)
        add_event(store, actor.name, "reset user", "user", user.id, name=user.name, was_disabled=user.is_disabled)
    return token


def _shut_out(store: Store, user: User) -> None:
    people_store.end_sessions_of(store, user)
    people_store.withdraw_links(store, user)


# --- one-time links ---------------------------------------------------------------------------------------------------


def make_first_account_link(store: Store) -> str | None:
    """The token of a link that makes the first account, an administrator; None when there are accounts."""
    with store.transaction():
        if people_store.has_users(store):
            return None
        people_store.withdraw_links(store, None)
        token = make_link(store, None)
        add_event(store, LOCAL_OPERATOR.name, "make first link", "user")
    return token


def has_users(store: Store) -> bool:
    """Whether anybody could sign in at all."""
    return people_store.has_users(store)


def open_link(store: Store, token: str) -> LinkPurpose:
    """What a one-time link is for; looking does not use it up. Raises NotAllowed when it does not work (any more)."""
    linked = people_store.find_link(store, digest_of(token))
    if linked is None:
        raise NotAllowed(_(_BAD_LINK))
    (user,) = linked
    if user.is_disabled if user else people_store.has_users(store):
        raise NotAllowed(_(_BAD_LINK))
    return LinkPurpose(user)


def set_password_with_link(store: Store, token: str, name: str | None, password: str) -> str:
    """Use a one-time link up: set the password and sign in; answers the session's token.

    name: only the first account's; everybody else has a name already
    """
    first_name = credentials.checked_name(name or "") if open_link(store, token).user is None else None
    password_hash = credentials.hash_password(credentials.checked_password(password))
    with store.transaction():
        purpose = open_link(store, token)
        people_store.use_link(store, digest_of(token))
        user = purpose.user or people_store.add_user(store, first_name or "", is_administrator=True)
        people_store.set_password_hash(store, user, password_hash)
        _shut_out(store, user)
        people_store.clear_failures(store, user.name)
        add_event(store, user.name, "set password", "user", user.id, is_first=purpose.user is None)
        return start_session(store, user)


def make_link(store: Store, user: User | None) -> str:
    """The token of a new one-time link, in the transaction and with the rights of the caller."""
    token = new_token()
    people_store.add_link(store, digest_of(token), user, _in(store, LINK_LASTS if user else _FIRST_LINK_LASTS))
    return token


# --- signing in and out -----------------------------------------------------------------------------------------------


def sign_in(store: Store, name: str, password: str, *, address: str = "", browser_note: str = "") -> str:
    """Answer the token of a new session; raises NotAllowed, in the same words for a wrong name and a wrong password.

    The attempt counts as a failure until it has succeeded, so that many at once cannot outrun the count.

    address, browser_note: where it comes from, and what the browser kept of earlier sign-ins
    """
    name = normal(name)[: credentials.LONGEST_NAME]
    sender = credentials.Sender(address, credentials.find_browser(store, name, browser_note))
    with store.transaction():
        credentials.count_failure(store, name, sender)
        stored_hash = people_store.password_hash(store, name)
    if not credentials.is_password(stored_hash, password):
        credentials.note_failure(store, name)
        raise NotAllowed(_(_WRONG))
    new_hash = credentials.hash_password(password) if credentials.needs_rehash(stored_hash) else stored_hash
    with store.transaction():
        if people_store.password_hash(store, name) != stored_hash:
            raise NotAllowed(_(_WRONG))
        user = people_store.get_user(store, name)
        people_store.set_password_hash(store, user, new_hash)
        credentials.forget_failure(store, name, sender)
        add_event(store, user.name, "sign in", "user", user.id)
        return start_session(store, user)


def change_password(store: Store, token: str, old: str, new: str) -> None:
    """Set another password for whoever is signed in; their other sessions and their links end, access tokens stay.

    token: of the session, which goes on. A wrong old password counts as a failure to sign in
    Raises: NotSignedIn, NotAllowed for a wrong old password, InvalidValue for what cannot be a new one
    """
    name = session_of(store, token).user.name
    with store.transaction():
        stored_hash = people_store.password_hash(store, name)
        if stored_hash is None:
            raise InvalidValue(_("You have no password."))
        credentials.count_failure(store, name, _SIGNED_IN)
    if not credentials.is_password(stored_hash, old):
        credentials.note_failure(store, name)
        raise NotAllowed(_("Wrong old password. Nothing was changed."))
    if credentials.checked_password(new) == old:
        raise InvalidValue(_("The new password equals the old one."))
    new_hash = credentials.hash_password(new)
    with store.transaction():
        user = session_of(store, token).user
        if people_store.password_hash(store, user.name) != stored_hash:
            raise NotAllowed(_("Your password has changed. Sign in again."))
        people_store.set_password_hash(store, user, new_hash)
        people_store.end_other_sessions(store, user, digest_of(token))
        people_store.withdraw_links(store, user)
        credentials.forget_failure(store, user.name, _SIGNED_IN)
        add_event(store, user.name, "change password", "user", user.id)


def make_account_of_window(store: Store, name: str) -> None:
    """In a file without accounts, the first one: an administrator named after who is at the machine, without a password."""
    with store.transaction():
        if people_store.has_users(store):
            return
        user = people_store.add_user(store, credentials.checked_name(name), is_administrator=True)
        add_event(store, LOCAL_OPERATOR.name, "add user", "user", user.id, name=user.name, role="administrator")


def sign_in_as(store: Store, name: str, *, is_demonstration: bool, is_window: bool = False) -> str:
    """Sign in by choosing a person; only the demonstration's server and that of a window may, by how they were started."""
    if not is_demonstration and not is_window:
        raise NotAllowed(_("Only the demo works without a password."))
    with store.transaction():
        user = people_store.get_user(store, name)
        require_no_worker(user)
        if user.is_disabled:
            raise NotAllowed(_("'{name}' is disabled. Choose another person.", name=user.name))
        add_event(store, user.name, "sign in", "user", user.id, is_demonstration=is_demonstration)
        return start_session(store, user)


def list_people_to_choose(store: Store) -> list[ListedUser]:
    """The people whom one may sign in as in the demonstration, and in a window."""
    return [listed for listed in _listed(store) if not listed.user.is_disabled and not listed.user.is_worker]


def has_passwords(store: Store) -> bool:
    """Whether anybody has set a password: then it is no demonstration database."""
    return any(people_store.password_hash(store, user.name) for user in people_store.list_users(store))


def sign_out(store: Store, token: str) -> None:
    """End a session; one that has ended already is fine, and holds nobody up who writes."""
    session = people_store.find_session(store, digest_of(token))
    if session is not None:
        with store.transaction():
            people_store.end_session(store, digest_of(token))
            add_event(store, session.user.name, "sign out", "user", session.user.id)


def choose_language(store: Store, user: User, language: Language | None) -> None:
    """Say everything to a person in a language from now on, wherever they sign in; None: in that of their browser."""
    with store.transaction():
        people_store.set_language(store, user, language)


def session_of(store: Store, token: str | None) -> Session:
    """Who is signed in with a cookie's token; raises NotSignedIn."""
    session = people_store.find_session(store, digest_of(token)) if token else None
    if session is None:
        raise NotSignedIn(_(_NOT_SIGNED_IN))
    return session


def start_session(store: Store, user: User, lasts: dt.timedelta | None = None, *, token: str | None = None) -> str:
    """The token of a new session, in the transaction of the caller, who knows that it is the person.

    token: a new secret that was made already
    """
    token = token or new_token()
    people_store.end_expired_sessions(store)
    people_store.add_session(
        store, digest_of(token), user, new_token(), _in(store, SESSION_LASTS if lasts is None else lasts)
    )
    return token


# --- tokens -----------------------------------------------------------------------------------------------------------


def new_token() -> str:
    """A secret that nobody can guess, for a cookie or an address."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> bytes:
    """What is stored of a secret."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def _in(store: Store, time: dt.timedelta) -> str:
    return iso(store.moment() + time)
