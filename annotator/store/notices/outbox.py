"""The notices of each person, and what of them leaves the server: gathered, claimed before it is sent, and how it ended."""

import json
from collections.abc import Collection

from annotator.domain.people import ChannelKind, MailAddress, Message, MessageState, NoticeGroup, NoticeKind, User
from annotator.store.connection.database import Row, Store, of_columns

# The notices of each person.


def add_notices(
    store: Store,
    user_ids: Collection[int],
    project_id: int,
    kind: NoticeKind,
    instance_id: int | None = None,
    detail: str = "",
) -> None:
    """One line for each person who may still sign in."""
    store.run(
        """INSERT INTO notices (user_id, project_id, kind, instance_id, detail, created_at)
            SELECT id, ?2, ?3, ?4, ?5, ?6 FROM users
            WHERE id IN (SELECT value FROM json_each(?1)) AND is_disabled = 0 ORDER BY id""",
        (json.dumps(sorted(user_ids)), project_id, kind, instance_id, detail, store.now()),
    )


def has_unread(store: Store, user_id: int, project_id: int, kind: NoticeKind) -> bool:
    """Whether a line of this kind waits for somebody already."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM notices
                WHERE user_id = ? AND project_id = ? AND kind = ? AND read_at IS NULL)""",
        (user_id, project_id, kind),
    )


# Whoever has lost their last role in a project is told nothing of it any more, not even its name.
MAY_SEE = """(?2 OR EXISTS (SELECT 1 FROM memberships AS mine
    WHERE mine.project_id = notices.project_id AND mine.user_id = notices.user_id))"""
# What is unread is one line, however long ago the first of it was; what was read is a line for each day on which it was.
# Returned texts are counted, however often each came back; replies and questions one by one.
_N = "count(DISTINCT iif(kind = 'returned', coalesce(instance_id, -id), id)) AS n"
_GROUPED = f"""SELECT notices.project_id, kind, detail, {_N},
        max(notices.id) AS newest_id, max(notices.created_at) AS newest_at,
        max(notices.instance_id) AS instance_id
    FROM notices WHERE notices.user_id = ?1 AND {MAY_SEE}"""
_NAMED = """SELECT grouped.*, projects.name AS project_name, instances.key AS key FROM ({groups}) AS grouped
    JOIN projects ON projects.id = grouped.project_id LEFT JOIN instances ON instances.id = grouped.instance_id
    ORDER BY newest_id DESC"""


def list_groups(store: Store, user: User, *, is_read: bool, limit: int, offset: int = 0) -> list[NoticeGroup]:
    """One page of the lines of somebody's notices, the newest first."""
    which, day = ("NOT NULL", "substr(read_at, 1, 10)") if is_read else ("NULL", "''")
    rows = store.rows(
        _NAMED.format(
            groups=f"""{_GROUPED} AND read_at IS {which} GROUP BY notices.project_id, kind, detail, {day}
                ORDER BY newest_id DESC LIMIT ?3 OFFSET ?4"""
        ),
        (user.id, user.is_administrator, limit, offset),
    )
    return [_group(row, is_read=is_read) for row in rows]


def count_unread(store: Store, user: User, *, at_most: int) -> int:
    """How many lines there are of what somebody has not read, looked for in so many notices."""
    return store.number(
        f"""SELECT count(*) FROM (SELECT DISTINCT project_id, kind, detail FROM
            (SELECT * FROM notices WHERE user_id = ?1 AND read_at IS NULL AND {MAY_SEE} LIMIT ?3))""",
        (user.id, user.is_administrator, at_most),
    )


def mark_read(store: Store, user_id: int, up_to: int) -> None:
    """All of somebody's notices are read, up to one: those that came while they looked stay new."""
    store.run(
        "UPDATE notices SET read_at = ? WHERE user_id = ? AND id <= ? AND read_at IS NULL",
        (store.now(), user_id, up_to),
    )


def mark_group_read(store: Store, user_id: int, notice_id: int) -> None:
    """The same for those of the line whose newest is a notice."""
    store.run(
        """UPDATE notices SET read_at = ?1 WHERE user_id = ?2 AND id <= ?3 AND read_at IS NULL
            AND (project_id, kind, detail) = (SELECT project_id, kind, detail FROM notices WHERE id = ?3 AND user_id = ?2)""",
        (store.now(), user_id, notice_id),
    )


def mark_read_about(
    store: Store, project_id: int, kind: NoticeKind, instance_id: int, user_id: int | None = None
) -> None:
    """The notices of a kind about a text are read: those of one person, or everybody's."""
    store.run(
        """UPDATE notices SET read_at = ?1 WHERE project_id = ?2 AND kind = ?3 AND instance_id = ?4 AND read_at IS NULL
            AND (?5 IS NULL OR user_id = ?5)""",
        (store.now(), project_id, kind, instance_id, user_id),
    )


def prune_notices(store: Store, before: str, *, at_most: int = 1000) -> int:
    """Remove notices that are older; answers how many."""
    cursor = store.run(
        "DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE created_at < ? ORDER BY created_at LIMIT ?)",
        (before, at_most),
    )
    return cursor.rowcount


def _group(row: Row, *, is_read: bool) -> NoticeGroup:
    instance_id, key = (row["instance_id"], row["key"] or "") if row["n"] == 1 else (None, "")
    return of_columns(NoticeGroup, row, is_read=is_read, instance_id=instance_id, key=key)


_ON = "EXISTS (SELECT 1 FROM channels WHERE kind = messages.channel AND is_on = 1)"


def gather_mail(store: Store, since: str) -> int:
    """One mail for each person who has confirmed an address, with what is new to them; once since a moment.

    What happened before the channel was turned on, or the address confirmed, stays in the program. Answers how many mails.
    """
    people = store.rows(
        """SELECT user_id, max(confirmed_at, on_since) AS after, is_administrator FROM mail_addresses
            JOIN channels ON channels.kind = 'mail' AND is_on = 1 JOIN users ON users.id = user_id
            WHERE confirmed_at IS NOT NULL AND is_disabled = 0 AND coalesce(mailed_at, '') < ?""",
        (since,),
    )
    return sum(_gather_mail_of(store, row) for row in people)


def _gather_mail_of(store: Store, person: Row) -> bool:
    store.run("UPDATE mail_addresses SET mailed_at = ? WHERE user_id = ?", (store.now(), person["user_id"]))
    theirs = f"""user_id = ?1 AND read_at IS NULL AND mail_id IS NULL AND created_at >= ?3 AND {MAY_SEE}"""
    parameters = (person["user_id"], person["is_administrator"], person["after"])
    if not store.value(f"SELECT EXISTS (SELECT 1 FROM notices WHERE {theirs})", parameters):
        return False
    message_id = add_mail(store, person["user_id"], "notices")
    store.run(f"UPDATE notices SET mail_id = ?4 WHERE {theirs}", (*parameters, message_id))
    return True


def gather_calls(store: Store) -> int:
    """One call of the webhook for each project in which something happened since the last; answers how many."""
    projects = store.rows(
        """SELECT DISTINCT project_id FROM notices JOIN channels ON channels.kind = 'webhook' AND is_on = 1
            WHERE webhook_id IS NULL AND created_at >= on_since"""
    )
    for row in projects:
        message_id = _add(store, "webhook", "notices", None, row["project_id"])
        store.run(
            """UPDATE notices SET webhook_id = ? WHERE project_id = ? AND webhook_id IS NULL
                AND created_at >= (SELECT on_since FROM channels WHERE kind = 'webhook')""",
            (message_id, row["project_id"]),
        )
    return len(projects)


def add_mail(store: Store, user_id: int, purpose: str) -> int:
    """One mail to somebody, to be sent as soon as possible."""
    return _add(store, "mail", purpose, user_id, None)


def _add(store: Store, channel: ChannelKind, purpose: str, user_id: int | None, project_id: int | None) -> int:
    now = store.now()
    return store.add(
        """INSERT INTO messages (channel, purpose, user_id, project_id, due_at, created_at, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (channel, purpose, user_id, project_id, now, now, now),
    )


def claim_message(store: Store) -> Message | None:
    """The first message that is due is this thread's now; None when none is, or its channel is off."""
    now = store.now()
    row = store.row(
        f"""UPDATE messages SET state = 'sending', n_tries = n_tries + 1, changed_at = ?1
            WHERE id = (SELECT id FROM messages WHERE state = 'waiting' AND due_at <= ?1 AND {_ON} ORDER BY due_at, id LIMIT 1)
            RETURNING *""",
        (now,),
    )
    return None if row is None else _message(row)


def end_message(store: Store, message_id: int, state: MessageState, problem: str = "") -> None:
    """How an attempt ended; only what is being sent can end."""
    store.run(
        "UPDATE messages SET state = ?, problem = ?, changed_at = ? WHERE id = ? AND state = 'sending'",
        (state, problem, store.now(), message_id),
    )


def put_off(store: Store, message_id: int, due_at: str, problem: str) -> None:
    """It certainly did not arrive, and is tried again later."""
    store.run(
        """UPDATE messages SET state = 'waiting', due_at = ?, problem = ?, changed_at = ?
            WHERE id = ? AND state = 'sending'""",
        (due_at, problem, store.now(), message_id),
    )


def give_up_broken(store: Store, before: str, problem: str) -> int:
    """What has been on its way since before a moment belongs to a server that has ended: nobody knows what became of it."""
    cursor = store.run(
        "UPDATE messages SET state = 'unknown', problem = ?, changed_at = ? WHERE state = 'sending' AND changed_at < ?",
        (problem, store.now(), before),
    )
    return cursor.rowcount


def give_up_waiting(store: Store, channel: ChannelKind, problem: str) -> None:
    """What waits for a channel that was turned off is not sent when it is turned on again."""
    store.run(
        "UPDATE messages SET state = 'failed', problem = ?, changed_at = ? WHERE state = 'waiting' AND channel = ?",
        (problem, store.now(), channel),
    )


def silence(store: Store, problem: str) -> None:
    """Turn everything off, and give up what was to be sent: of a backup nobody knows what was sent since it was made."""
    store.run("UPDATE channels SET is_on = 0")
    store.run(
        """UPDATE messages SET state = iif(state = 'sending', 'unknown', 'failed'), problem = ?, changed_at = ?
            WHERE state IN ('waiting', 'sending')""",
        (problem, store.now()),
    )


def count_recent(store: Store, user_id: int, purpose: str, since: str) -> int:
    """How many mails of a purpose somebody was sent, or is to be, since a moment."""
    return store.number(
        "SELECT count(*) FROM messages WHERE user_id = ? AND purpose = ? AND created_at > ?", (user_id, purpose, since)
    )


def list_undelivered(store: Store, *, limit: int) -> list[Message]:
    """The newest of what was given up, or may have been lost."""
    rows = store.rows("SELECT * FROM messages WHERE state IN ('failed', 'unknown') ORDER BY id DESC LIMIT ?", (limit,))
    return [_message(row) for row in rows]


def count_by_state(store: Store) -> dict[MessageState, int]:
    """How many messages stand how."""
    return {row["state"]: row["n"] for row in store.rows("SELECT state, count(*) AS n FROM messages GROUP BY state")}


def prune_messages(store: Store, before: str) -> None:
    """Remove what ended before a moment and belongs to no notice any more."""
    store.run(
        """DELETE FROM messages WHERE state NOT IN ('waiting', 'sending') AND changed_at < ?
            AND NOT EXISTS (SELECT 1 FROM notices WHERE mail_id = messages.id)
            AND NOT EXISTS (SELECT 1 FROM notices WHERE webhook_id = messages.id)""",
        (before,),
    )


def groups_in_mail(store: Store, message: Message, *, is_administrator: bool) -> list[NoticeGroup]:
    """What a mail tells, of projects in which the person still has a role."""
    rows = store.rows(
        f"""SELECT grouped.*, projects.name AS project_name, instances.key AS key FROM (
                SELECT project_id, kind, detail, {_N}, max(id) AS newest_id, max(created_at) AS newest_at,
                    max(instance_id) AS instance_id
                FROM notices WHERE mail_id = ?1 AND {MAY_SEE} GROUP BY project_id, kind, detail) AS grouped
            JOIN projects ON projects.id = grouped.project_id LEFT JOIN instances ON instances.id = grouped.instance_id
            ORDER BY projects.name, newest_id""",
        (message.id, is_administrator),
    )
    return [_group(row, is_read=False) for row in rows]


def counts_in_call(store: Store, message_id: int, *, keys_at_most: int) -> list[tuple[str, int, list[str]]]:
    """What a call of the webhook tells: kinds, how many texts (or notices without one), and the first keys.

    A notice to several leads is counted once.
    """
    rows = store.rows(
        """SELECT kind, instances.key AS key, count(DISTINCT user_id) AS n_people, count(*) AS n FROM notices
            LEFT JOIN instances ON instances.id = instance_id
            WHERE webhook_id = ? GROUP BY kind, instance_id ORDER BY kind, min(notices.id)""",
        (message_id,),
    )
    counts: dict[str, tuple[int, list[str]]] = {}
    for row in rows:
        n, keys = counts.get(row["kind"], (0, []))
        if row["key"] is not None and len(keys) < keys_at_most:
            keys = [*keys, row["key"]]
        counts[row["kind"]] = (n + (1 if row["key"] is not None or row["kind"] == "stuck" else row["n"]), keys)
    return [(kind, n, keys) for kind, (n, keys) in counts.items()]


def _message(row: Row) -> Message:
    return of_columns(Message, row)


# How the server reaches others, and where people want their mail.


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
    return of_columns(MailAddress, row)
