"""Accounts, sign-in links, sessions, API tokens, failures, and who has which role in a project."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import cast

from annotator.domain.people import LOCAL_OPERATOR, ApiToken, Role, Scope, User
from annotator.errors import NotFound
from annotator.language import Language, _
from annotator.store.connection.database import Row, Store, of_columns

_FORGOTTEN_AT_ONCE = 10  # more than are added, so that the table shrinks


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in."""

    user: User
    csrf: str
    expires_at: str


def add_user(store: Store, name: str, *, is_administrator: bool = False, is_disabled: bool = False) -> User:
    """A new account without a password."""
    cursor = store.run(
        "INSERT INTO users (name, is_administrator, is_disabled, created_at) VALUES (?, ?, ?, ?)",
        (name, is_administrator, is_disabled, store.now()),
    )
    return User(cast("int", cursor.lastrowid), name, is_administrator, is_disabled)


def find_user(store: Store, name: str) -> User | None:
    """The account of that name; case does not matter."""
    row = store.row("SELECT * FROM users WHERE name = ?", (name,))
    return None if row is None else _user(row)


def account_for(store: Store, name: str) -> User:
    """The account of that name; whoever has none gets a disabled one."""
    return find_user(store, name) or add_user(store, name, is_disabled=True)


def accounts_for(store: Store, names: Iterable[str]) -> dict[str, int]:
    """The number of each person's account; whoever has none gets a disabled one, in the order of the names."""
    return {name: cast("int", account_for(store, name).id) for name in dict.fromkeys(names)}


def get_user(store: Store, name: str) -> User:
    """The account of that name; raises NotFound."""
    user = find_user(store, name)
    if user is None:
        raise NotFound(_("No {what} '{name}'.", what=_("person"), name=name))
    return user


def get_user_by_id(store: Store, user_id: int) -> User:
    """A person by number; raises NotFound."""
    row = store.get("SELECT * FROM users WHERE id = ?", user_id, _("person"))
    return _user(row)


def set_language(store: Store, user: User, language: Language | None) -> None:
    """The language that a person chose; None: that of their browser."""
    store.run("UPDATE users SET language = ? WHERE id = ?", (language, user.id))


def list_users(store: Store) -> list[User]:
    """All accounts by name, without the workers of recruitment links."""
    return [_user(row) for row in store.rows("SELECT * FROM users WHERE is_worker = 0 ORDER BY name")]


def has_users(store: Store) -> bool:
    """Whether anybody could sign in at all."""
    return store.holds("SELECT 1 FROM users LIMIT 1")


def set_password_hash(store: Store, user: User, password_hash: str | None) -> None:
    store.run("UPDATE users SET password_hash = ? WHERE id = ?", (password_hash, user.id))


def password_hash(store: Store, name: str) -> str | None:
    """The stored hash of an account that may sign in, or None."""
    value = store.value("SELECT password_hash FROM users WHERE name = ? AND is_disabled = 0", (name,))
    return cast("str | None", value)


def set_disabled(store: Store, user: User, is_disabled: bool) -> None:
    store.run("UPDATE users SET is_disabled = ? WHERE id = ?", (is_disabled, user.id))


def add_link(store: Store, token_hash: bytes, user: User | None, expires_at: str) -> None:
    """A one-time sign-in link; without a user it makes the first account."""
    store.run(
        "INSERT INTO sign_in_links (token_hash, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
        (token_hash, user.id if user else None, store.now(), expires_at),
    )


def find_link(store: Store, token_hash: bytes) -> tuple[User | None] | None:
    """The user of an unused, unexpired link as a one-tuple (the user is None for the first account), or None."""
    row = store.row(
        "SELECT user_id FROM sign_in_links WHERE token_hash = ? AND used_at IS NULL AND expires_at > ?",
        (token_hash, store.now()),
    )
    if row is None:
        return None
    user = store.row("SELECT * FROM users WHERE id = ?", (row["user_id"],))
    return (None if user is None else _user(user),)


def use_link(store: Store, token_hash: bytes) -> bool:
    """Mark a link as used; False when someone was faster."""
    cursor = store.run(
        "UPDATE sign_in_links SET used_at = ? WHERE token_hash = ? AND used_at IS NULL", (store.now(), token_hash)
    )
    return cursor.rowcount == 1


def withdraw_links(store: Store, user: User | None) -> None:
    """Make the unused links of a user (or of the first account) worthless."""
    store.run(
        "UPDATE sign_in_links SET used_at = ? WHERE user_id IS ? AND used_at IS NULL",
        (store.now(), user.id if user else None),
    )


def add_session(store: Store, token_hash: bytes, user: User, csrf: str, expires_at: str) -> None:
    store.run(
        "INSERT INTO sessions (token_hash, user_id, csrf, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
        (token_hash, user.id, csrf, store.now(), expires_at),
    )


def find_session(store: Store, token_hash: bytes) -> Session | None:
    """The session of a cookie while it is valid and its user may sign in."""
    row = store.row(
        """SELECT users.*, sessions.csrf, sessions.expires_at FROM sessions JOIN users ON users.id = user_id
            WHERE token_hash = ? AND expires_at > ? AND is_disabled = 0""",
        (token_hash, store.now()),
    )
    return None if row is None else Session(_user(row), row["csrf"], row["expires_at"])


def end_session(store: Store, token_hash: bytes) -> None:
    store.run("DELETE FROM sessions WHERE token_hash = ?", (token_hash,))


def end_sessions_of(store: Store, user: User) -> None:
    store.run("DELETE FROM sessions WHERE user_id = ?", (user.id,))


def end_other_sessions(store: Store, user: User, token_hash: bytes) -> None:
    store.run("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", (user.id, token_hash))


def end_expired_sessions(store: Store) -> None:
    store.run("DELETE FROM sessions WHERE expires_at <= ?", (store.now(),))


def add_failure(store: Store, name: str, since: str, until: str) -> None:
    """Note that signing in as `name` failed just now (`until`).

    Some of the oldest rows that do not lie between the two times, so that they count no more, go each time: strangers cannot
    fill the table, and nobody's sign-in waits for a large deletion.
    """
    store.run("INSERT INTO sign_in_failures (name, at) VALUES (?, ?)", (name, until))
    store.run(
        """DELETE FROM sign_in_failures WHERE at NOT BETWEEN ? AND ?
            AND rowid IN (SELECT rowid FROM sign_in_failures ORDER BY rowid LIMIT ?)""",
        (since, until, _FORGOTTEN_AT_ONCE),
    )


def failures_between(store: Store, name: str, since: str, until: str) -> list[str]:
    """When signing in as `name` failed between two times, oldest first; a time past `until` is of a clock that was ahead."""
    return store.column(
        "SELECT at FROM sign_in_failures WHERE name = ? AND at BETWEEN ? AND ? ORDER BY at", (name, since, until)
    )


def forget_last_failure(store: Store, name: str) -> None:
    store.run(
        "DELETE FROM sign_in_failures WHERE rowid = (SELECT max(rowid) FROM sign_in_failures WHERE name = ?)", (name,)
    )


def clear_failures(store: Store, name: str) -> None:
    """Forget the failures of a name."""
    store.run("DELETE FROM sign_in_failures WHERE name = ?", (name,))


def add_role(store: Store, project_id: int, user: User, role: Role) -> None:
    """A role that somebody gave; one that came from a claim stays from now on when the claim goes."""
    store.run(
        """INSERT INTO memberships (project_id, user_id, role) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET is_claimed = 0""",
        (project_id, user.id, role),
    )


def remove_role(store: Store, project_id: int, user: User, role: Role) -> None:
    store.run("DELETE FROM memberships WHERE project_id = ? AND user_id = ? AND role = ?", (project_id, user.id, role))


def roles_of(store: Store, user: User, project_id: int) -> frozenset[Role]:
    """The roles of a user in a project."""
    if user is LOCAL_OPERATOR:
        return frozenset()
    rows = store.rows("SELECT role FROM memberships WHERE project_id = ? AND user_id = ?", (project_id, user.id))
    return frozenset(row["role"] for row in rows)


def leads_without_work(store: Store, user: User, project_id: int, role: Role) -> bool:
    """Whether somebody leads a project where others have a role, and neither has it nor ever had a piece of its work."""
    work = "reviews" if role == "reviewer" else "assignments"
    return store.holds(
        f"""WITH own AS (SELECT role FROM memberships WHERE project_id = ?1 AND user_id = ?2)
            SELECT 'lead' IN own AND ?3 NOT IN own AND EXISTS (SELECT 1 FROM memberships WHERE project_id = ?1 AND role = ?3)
                AND NOT EXISTS (SELECT 1 FROM {work} WHERE project_id = ?1 AND user_id = ?2)""",
        (project_id, user.id, role),
    )


def list_members(store: Store, project_id: int, *, with_workers: bool = False) -> list[tuple[User, Role]]:
    """Everyone with a role in the project, by name; the workers of recruitment links, who may be hundreds, only if asked for."""
    rows = store.rows(
        """SELECT users.*, role FROM memberships JOIN users ON users.id = user_id
            WHERE project_id = ? AND (is_worker = 0 OR ?) ORDER BY name, role""",
        (project_id, with_workers),
    )
    return [(_user(row), row["role"]) for row in rows]


def members_with_password(store: Store, project_id: int) -> set[int]:
    """The numbers of the project's members who have set a password, or sign in through an identity provider."""
    return set(
        store.column(
            """SELECT DISTINCT user_id FROM memberships JOIN users ON users.id = user_id
            WHERE project_id = ? AND (password_hash IS NOT NULL OR users.id IN (SELECT user_id FROM identities))""",
            (project_id,),
        )
    )


def open_links_of_members(store: Store, project_id: int) -> dict[int, str]:
    """Until when a one-time link of each of the project's members works, of those who have one that is unused."""
    return store.mapping(
        """SELECT user_id, max(expires_at) AS until FROM sign_in_links
            WHERE user_id IN (SELECT user_id FROM memberships WHERE project_id = ?) AND used_at IS NULL AND expires_at > ?
            GROUP BY user_id""",
        (project_id, store.now()),
    )


def members_of_others(store: Store, project_id: int, lead: User) -> set[int]:
    """The numbers of the project's members who also have a role in a project that this person does not lead."""
    return set(
        store.column(
            """SELECT DISTINCT elsewhere.user_id FROM memberships AS elsewhere
            WHERE elsewhere.user_id IN (SELECT user_id FROM memberships WHERE project_id = ?1)
            AND elsewhere.project_id NOT IN (SELECT project_id FROM memberships WHERE user_id IS ?2 AND role = 'lead')""",
            (project_id, lead.id),
        )
    )


def _user(row: Row) -> User:
    is_administrator, is_disabled, is_worker = map(
        bool, (row["is_administrator"], row["is_disabled"], row["is_worker"])
    )
    return User(row["id"], row["name"], is_administrator, is_disabled, row["language"], is_worker)


# Identities: people for whom a provider vouches, known by its address and its name for them; and roles from its claims.


def find_identity(store: Store, issuer: str, subject: str) -> User | None:
    """The account of whoever a provider calls so."""
    row = store.row(
        "SELECT users.* FROM identities JOIN users ON users.id = user_id WHERE issuer = ? AND subject = ?",
        (issuer, subject),
    )
    return None if row is None else _user(row)


def add_identity(store: Store, issuer: str, subject: str, user: User) -> None:
    store.run(
        "INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?)",
        (issuer, subject, user.id, store.now()),
    )


def move_identities(store: Store, old: User, new: User) -> None:
    """Let another account be the one that somebody reaches through a provider; a claim says anew who is an administrator."""
    if is_administrator_by_claim(store, old):
        store.run("UPDATE users SET is_administrator = 0 WHERE id = ?", (old.id,))
    store.run("UPDATE identities SET user_id = ?, is_administrator = 0 WHERE user_id = ?", (new.id, old.id))


def has_identity(store: Store, user: User, issuer: str | None = None) -> bool:
    """Whether an account has been signed in to through a provider. issuer: that one; None for any."""
    return store.holds(
        "SELECT 1 FROM identities WHERE user_id = ?1 AND issuer = coalesce(?2, issuer)", (user.id, issuer)
    )


def end_local_sessions(store: Store) -> None:
    """End the sessions of whoever has no identity, but for the workers of recruitment links."""
    store.run(
        """DELETE FROM sessions WHERE user_id NOT IN (SELECT user_id FROM identities)
            AND user_id IN (SELECT id FROM users WHERE is_worker = 0)"""
    )


def is_administrator_by_claim(store: Store, user: User) -> bool:
    return store.holds("SELECT 1 FROM identities WHERE user_id = ? AND is_administrator = 1", (user.id,))


def set_administrator_by_claim(store: Store, issuer: str, subject: str, user: User, is_administrator: bool) -> None:
    """Make somebody an administrator or none, and note that a claim did."""
    store.run("UPDATE users SET is_administrator = ? WHERE id = ?", (is_administrator, user.id))
    store.run("UPDATE identities SET is_administrator = 0 WHERE user_id = ?", (user.id,))
    store.run(
        "UPDATE identities SET is_administrator = ? WHERE issuer = ? AND subject = ?",
        (is_administrator, issuer, subject),
    )


def add_claimed_role(store: Store, project_id: int, user: User, role: Role) -> None:
    """A role that a claim gives; one that somebody gave by hand is left as it is."""
    store.run(
        "INSERT OR IGNORE INTO memberships (project_id, user_id, role, is_claimed) VALUES (?, ?, ?, 1)",
        (project_id, user.id, role),
    )


def claimed_roles(store: Store, user: User) -> list[tuple[int, Role]]:
    """The roles that a person has from claims alone, with their projects."""
    return store.tuples(
        "SELECT project_id, role FROM memberships WHERE user_id = ? AND is_claimed = 1 ORDER BY 1, 2", (user.id,)
    )


# API tokens: made, looked up by number, listed, revoked.


_COLUMNS: dict[Scope, str] = {"read": "may_read", "write model output": "may_write_output"}
_SELECT = """SELECT api_tokens.*, users.name AS user_name, is_administrator, is_disabled, projects.name AS project_name
    FROM api_tokens JOIN users ON users.id = user_id JOIN projects ON projects.id = project_id"""


def add_token(
    store: Store, secret_hash: bytes, user: User, project_id: int, scopes: Collection[Scope], *, expires_at: str,
    note: str, created_by: str,
) -> ApiToken:  # fmt: skip
    """A new token."""
    cursor = store.run(
        """INSERT INTO api_tokens (secret_hash, user_id, project_id, may_read, may_write_output, note, created_by,
            created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            secret_hash, user.id, project_id, "read" in scopes, "write model output" in scopes, note, created_by, store.now(),
            expires_at,
        ),
    )  # fmt: skip
    return get_token(store, cast("int", cursor.lastrowid))


def get_token(store: Store, token_id: int) -> ApiToken:
    """A token by number; raises NotFound."""
    row = store.get(f"{_SELECT} WHERE api_tokens.id = ?", token_id, _("access token"))
    return _token(row)


def find_token(store: Store, token_id: int) -> tuple[bytes, ApiToken] | None:
    """The hash of a token's secret, and the token."""
    row = store.row(f"{_SELECT} WHERE api_tokens.id = ?", (token_id,))
    return None if row is None else (row["secret_hash"], _token(row))


def list_tokens(store: Store) -> list[ApiToken]:
    """All tokens, oldest first."""
    return [_token(row) for row in store.rows(f"{_SELECT} ORDER BY api_tokens.id")]


def note_use(store: Store, token_id: int) -> None:
    """The token was used just now."""
    store.run("UPDATE api_tokens SET last_used_at = ? WHERE id = ?", (store.now(), token_id))


def revoke_token(store: Store, token_id: int) -> None:
    """The token is worthless from now on."""
    store.run("UPDATE api_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (store.now(), token_id))


def revoke_tokens_of(store: Store, user: User) -> None:
    """All tokens of a person are worthless from now on."""
    store.run("UPDATE api_tokens SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", (store.now(), user.id))


def _token(row: Row) -> ApiToken:
    return of_columns(
        ApiToken,
        row,
        user=User(row["user_id"], row["user_name"], bool(row["is_administrator"]), bool(row["is_disabled"])),
        scopes=tuple(scope for scope, column in _COLUMNS.items() if row[column]),
    )
