"""How the server reaches others, and where people want their mail."""

from annotator.domain.people import ChannelKind, MailAddress
from annotator.store.connection.database import Row, Store


def find_channel(store: Store, kind: ChannelKind) -> tuple[bool, str] | None:
    """Whether a channel is on, and its options as JSON; None where it was never set."""
    row = store.row("SELECT is_on, options FROM channels WHERE kind = ?", (kind,))
    return None if row is None else (bool(row["is_on"]), row["options"])


def save_channel(store: Store, kind: ChannelKind, options: str, *, is_on: bool) -> None:
    """Set a channel; from now on it takes what happens, and nothing that happened before."""
    store.run(
        """INSERT INTO channels (kind, is_on, options, on_since) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET is_on = ?2, options = ?3, on_since = iif(is_on AND ?2, on_since, ?4)""",
        (kind, is_on, options, store.now()),
    )


def find_address(store: Store, user_id: int) -> MailAddress | None:
    """Where somebody wants their mail."""
    row = store.row("SELECT * FROM mail_addresses WHERE user_id = ?", (user_id,))
    return None if row is None else _address(row)


def save_address(store: Store, user_id: int, address: str) -> None:
    """A new address, which nobody has confirmed."""
    store.run(
        """INSERT INTO mail_addresses (user_id, address) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET address = excluded.address, confirmed_at = NULL, code_hash = NULL, code_until = NULL,
                n_tries = 0, mailed_at = NULL""",
        (user_id, address),
    )


def remove_address(store: Store, user_id: int) -> None:
    """They want no mail any more."""
    store.run("DELETE FROM mail_addresses WHERE user_id = ?", (user_id,))


def save_code(store: Store, user_id: int, code_hash: bytes, until: str) -> None:
    """The code that was just drawn for an address."""
    store.run(
        "UPDATE mail_addresses SET code_hash = ?, code_until = ?, n_tries = 0 WHERE user_id = ?",
        (code_hash, until, user_id),
    )


def count_try(store: Store, user_id: int) -> None:
    """Somebody entered a code that is not the right one."""
    store.run("UPDATE mail_addresses SET n_tries = n_tries + 1 WHERE user_id = ?", (user_id,))


def confirm_address(store: Store, user_id: int) -> None:
    """The address is theirs: from now on their notices may go there."""
    store.run(
        "UPDATE mail_addresses SET confirmed_at = ?, code_hash = NULL, code_until = NULL WHERE user_id = ?",
        (store.now(), user_id),
    )


def _address(row: Row) -> MailAddress:
    return MailAddress(
        row["user_id"], row["address"], row["confirmed_at"], row["code_hash"], row["code_until"], row["n_tries"]
    )
