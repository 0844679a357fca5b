"""The mail server, the webhook and a person's own address. All are off until somebody sets them.

Not in the database: so no export, no backup and no record can hold them, and nothing that reads the database can show them.
"""

import datetime as dt
import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from annotator.domain.numbers import require_between
from annotator.domain.people import ChannelKind, MailAddress, Message, MessageState, User
from annotator.errors import Conflict, InvalidValue, NotAllowed, StoreError, TooBusy
from annotator.files import part_folder, sync_file, sync_folder
from annotator.language import _, unsaid
from annotator.outbound.allowed_hosts import Exceptions
from annotator.outbound.mail import MailServer, Security, check_address
from annotator.outbound.webhook import Webhook
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.connection.file_access import OWNERS, give_to_owner_of
from annotator.store.events import add_event
from annotator.store.notices import outbox as channel_store
from annotator.store.notices.outbox import add_mail, count_by_state, count_recent, give_up_waiting, list_undelivered
from annotator.usecases.access.rights import require_administrator, require_person

__all__ = ["Security"]

# The password of the mail server and the key of the webhook: in a file beside the database, or in the environment.


VARIABLES: Mapping[ChannelKind, str] = {"mail": "ANNOTATOR_SMTP_PASSWORD", "webhook": "ANNOTATOR_WEBHOOK_SECRET"}
_SECRETS = ".secrets"


def secret_of(database: Path, kind: ChannelKind, target: str) -> str:
    """The secret of a channel, "" where there is none; the environment's comes before the file's.

    target: what it was entered for: the file's is not given away to anything else, such as the host that a restored backup names
    """
    stored_target, secret = _stored(database).get(kind, ("", ""))
    return os.environ.get(VARIABLES[kind], "") or (secret if stored_target == target else "")


def save_secret(database: Path, kind: ChannelKind, target: str, secret: str) -> None:
    """Keep a secret for the server's owner alone; "" forgets it."""
    secrets = {name: pair for name, pair in {**_stored(database), kind: (target, secret)}.items() if pair[1]}
    path = secrets_file(database)
    try:
        with part_folder(path) as folder:
            made = folder / path.name
            made.touch(mode=OWNERS)
            made.write_bytes(msgspec.json.encode(secrets))
            give_to_owner_of(database, made)
            sync_file(made)
            made.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(_("Can't write '{path}': {reason}.", path=path, reason=error.strerror)) from None


def secrets_file(database: Path) -> Path:
    """Where they are."""
    return database.with_name(database.name + _SECRETS)


def _stored(database: Path) -> dict[str, tuple[str, str]]:
    try:
        return msgspec.json.decode(secrets_file(database).read_bytes(), type=dict[str, tuple[str, str]])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError):
        raise StoreError(
            _(
                "Can't read '{path}'. Fix its permissions, or delete it and re-enter the secrets.",
                path=secrets_file(database),
            )
        ) from None


WEBHOOK = "webhook"  # its key is for signatures, and goes nowhere
_TURNED_OFF = unsaid("An administrator turned this off before sending.")
_SHOWN = 20
_SUBJECT = "database"
_ON: dict[ChannelKind, str] = {"mail": "turn mail on", "webhook": "turn webhook on"}
_OFF: dict[ChannelKind, str] = {"mail": "turn mail off", "webhook": "turn webhook off"}


@dataclass(frozen=True, slots=True)
class MailOptions:
    """The mail server as it is kept. private: hosts and networks that may be private, as they were written.

    hour: of the day, in UTC, from which the day's mails go out
    """

    host: str = ""
    port: int = 587
    security: Security = "starttls"
    sender: str = ""
    account: str = ""
    private: str = ""
    hour: int = 6

    @property
    def target(self) -> str:
        """What a password is for."""
        return f"{self.account} at {self.host}"

    @property
    def server(self) -> MailServer:
        """Checked; raises InvalidValue."""
        return MailServer(self.host, self.port, self.security, self.sender, self.account, Exceptions.read(self.private))


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """The webhook as it is kept."""

    url: str = ""
    private: str = ""

    @property
    def webhook(self) -> Webhook:
        """Checked; raises InvalidValue."""
        return Webhook(self.url, Exceptions.read(self.private))


@dataclass(frozen=True, slots=True)
class Channels:
    """What is set, for administrators; whether there are secrets, and never which."""

    mail: MailOptions
    is_mail_on: bool
    has_password: bool
    webhook: WebhookOptions
    is_webhook_on: bool
    has_key: bool
    counts: dict[MessageState, int]
    undelivered: tuple[Message, ...]


def mail_options(store: Store) -> tuple[MailOptions, bool]:
    """The mail server, and whether mail is on."""
    is_on, options = channel_store.find_channel(store, "mail") or (False, "{}")
    return msgspec.json.decode(options, type=MailOptions), is_on


def webhook_options(store: Store) -> tuple[WebhookOptions, bool]:
    """The webhook, and whether it is on."""
    is_on, options = channel_store.find_channel(store, "webhook") or (False, "{}")
    return msgspec.json.decode(options, type=WebhookOptions), is_on


def channels(store: Store, actor: User) -> Channels:
    """What is set, and what could not be delivered."""
    require_administrator(actor)
    mail, is_mail_on = mail_options(store)
    webhook, is_webhook_on = webhook_options(store)
    return Channels(
        mail, is_mail_on, bool(secret_of(store.path, "mail", mail.target)), webhook, is_webhook_on,
        bool(secret_of(store.path, "webhook", WEBHOOK)), count_by_state(store), tuple(list_undelivered(store, limit=_SHOWN)),
    )  # fmt: skip


def set_mail(store: Store, actor: User, options: MailOptions, password: str | None = None) -> None:
    """Turn mail on. password: None keeps the one that is stored; it is kept only for the host that it was entered for.

    Raises: InvalidValue for what is no host, port, address, hour or network, and for an account without a password
    """
    require_administrator(actor)
    server = options.server
    require_between(_("Daily mail at (hour, UTC)"), options.hour, 0, _LAST_HOUR)
    if password is not None:
        save_secret(store.path, "mail", options.target, password)
    if server.account and not secret_of(store.path, "mail", options.target):
        raise InvalidValue(_("Mail account '{account}' needs its password.", account=server.account))
    _save(store, actor, "mail", options, to=f"{server.host}:{server.port}")


_LAST_HOUR = 23


def set_webhook(store: Store, actor: User, options: WebhookOptions, *, is_new_key: bool = False) -> str | None:
    """Turn the webhook on; answers the key with which calls are signed where a new one was made: it is told once.

    is_new_key: make one although there is one
    """
    require_administrator(actor)
    webhook = options.webhook
    key = secrets.token_urlsafe(32) if is_new_key or not secret_of(store.path, "webhook", WEBHOOK) else None
    if key is not None:
        save_secret(store.path, "webhook", WEBHOOK, key)
    _save(store, actor, "webhook", options, to=f"{webhook.host}:{webhook.port}")
    return key


def turn_off(store: Store, actor: User, kind: ChannelKind) -> None:
    """Nothing leaves the server by it any more, and what waits is given up; the settings stay, the secret goes."""
    require_administrator(actor)
    _, options = channel_store.find_channel(store, kind) or (False, "{}")
    save_secret(store.path, kind, "", "")
    with store.transaction():
        channel_store.save_channel(store, kind, options, is_on=False)
        give_up_waiting(store, kind, _TURNED_OFF)
        add_event(store, actor.name, _OFF[kind], _SUBJECT)


def _save(store: Store, actor: User, kind: ChannelKind, options: MailOptions | WebhookOptions, to: str) -> None:
    """The record names the host: a webhook's path may hold a secret of the receiver."""
    with store.transaction():
        channel_store.save_channel(store, kind, msgspec.json.encode(asdict(options)).decode(), is_on=True)
        add_event(store, actor.name, _ON[kind], _SUBJECT, to=to, private=options.private)


# Where a person wants their mail: off until they have confirmed an address with the code that was sent there.


CODE_LASTS = dt.timedelta(hours=24)
_MOST_TRIES = 5
_MOST_A_DAY = 5  # mails to addresses that nobody has confirmed


def own_address(store: Store, user: User) -> MailAddress | None:
    """Where somebody wants their mail."""
    return None if user.id is None else channel_store.find_address(store, user.id)


def choose_address(store: Store, user: User, address: str) -> None:
    """Ask for a code to be sent to an address; nothing else goes there before it is confirmed.

    Raises: InvalidValue for what is no address; Conflict while the server sends no mail; TooBusy after five in a day
    """
    user_id = require_person(user)
    address = check_address(address.strip())
    with store.transaction():
        if not mail_options(store)[1]:
            raise Conflict(_("This server sends no mail."))
        if count_recent(store, user_id, "address", iso(store.moment() - dt.timedelta(days=1))) >= _MOST_A_DAY:
            raise TooBusy(_("{most} codes were sent today. Try tomorrow.", most=_MOST_A_DAY))
        channel_store.save_address(store, user_id, address)
        add_mail(store, user_id, "address")


def draw_code(store: Store, user_id: int) -> str:
    """A new code for somebody's address; only its hash is kept. Called when the mail with it goes out."""
    code = secrets.token_hex(4)
    with store.transaction():
        channel_store.save_code(store, user_id, _hash(user_id, code), iso(store.moment() + CODE_LASTS))
    return code


def confirm(store: Store, user: User, code: str) -> None:
    """Enter the code. Raises InvalidValue for a wrong one, NotAllowed when it does not work any more."""
    user_id = require_person(user)
    is_right = False
    with store.transaction():
        address = channel_store.find_address(store, user_id)
        if address is None or address.code_hash is None or address.code_until is None:
            raise NotAllowed(_("No code sent yet. Wait a minute, or request another."))
        if address.n_tries >= _MOST_TRIES or address.code_until < store.now():
            raise NotAllowed(_("Wrong or expired code. Request another."))
        is_right = hmac.compare_digest(address.code_hash, _hash(user_id, code.strip().lower()))
        if is_right:
            channel_store.confirm_address(store, user_id)
        else:
            channel_store.count_try(store, user_id)
    if not is_right:
        raise InvalidValue(_("Wrong or expired code. Request another."))


def stop_mail(store: Store, user: User) -> None:
    """No mail any more; the address is forgotten."""
    with store.transaction():
        channel_store.remove_address(store, require_person(user))


def _hash(user_id: int, code: str) -> bytes:
    return hashlib.sha256(f"{user_id}:{code}".encode()).digest()
