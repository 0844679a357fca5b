"""API tokens: made, looked up by number, listed, revoked."""

from collections.abc import Collection
from typing import cast

from annotator.domain.people import ApiToken, Scope, User
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store

_COLUMNS: dict[Scope, str] = {"read": "may_read", "write model output": "may_write_output"}
_SELECT = """SELECT api_tokens.*, users.name AS user_name, is_administrator, is_disabled, projects.name AS project_name
    FROM api_tokens JOIN users ON users.id = user_id JOIN projects ON projects.id = project_id"""


def add_token(
    store: Store,
    secret_hash: bytes,
    user: User,
    project_id: int,
    scopes: Collection[Scope],
    *,
    expires_at: str,
    note: str,
    created_by: str,
) -> ApiToken:
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
    row = store.row(f"{_SELECT} WHERE api_tokens.id = ?", (token_id,))
    if row is None:
        raise NotFound(
            _("There is no token number {token_id}. 'annotator token list' names those there are.", token_id=token_id)
        )
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
    return ApiToken(
        id=row["id"],
        user=User(row["user_id"], row["user_name"], bool(row["is_administrator"]), bool(row["is_disabled"])),
        project_id=row["project_id"],
        project_name=row["project_name"],
        scopes=tuple(scope for scope, column in _COLUMNS.items() if row[column]),
        note=row["note"],
        created_by=row["created_by"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
    )
