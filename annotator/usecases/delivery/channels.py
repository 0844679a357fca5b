"""What an administrator sets: the mail server and the webhook. Both are off until then."""

import secrets
from dataclasses import asdict, dataclass

import msgspec

from annotator.domain.people import ChannelKind, Message, MessageState, User
from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.outbound.mail import MailServer, Security
from annotator.outbound.targets import Exceptions
from annotator.outbound.webhook import Webhook
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.notices import outbox as channel_store
from annotator.store.notices.outbox import count_by_state, give_up_waiting, list_undelivered
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.delivery.channel_secrets import save_secret, secret_of

__all__ = [
    "Channels", "MailOptions", "Security", "WebhookOptions", "channels", "mail_options", "set_mail", "set_webhook", "turn_off",
    "webhook_options",
]  # fmt: skip

WEBHOOK = "webhook"  # its key is for signatures, and goes nowhere
_TURNED_OFF = unsaid("An administrator turned this off before it was sent.")
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
    if not 0 <= options.hour <= _LAST_HOUR:
        raise InvalidValue(
            _(
                "{hour} is no hour of the day; it lies between 0 and {last_hour}.",
                hour=options.hour,
                last_hour=_LAST_HOUR,
            )
        )
    if password is not None:
        save_secret(store.path, "mail", options.target, password)
    if server.account and not secret_of(store.path, "mail", options.target):
        raise InvalidValue(_("The account '{account}' at the mail server needs its password.", account=server.account))
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
