"""Sending mails and calls, what they say, and a trial; each message is claimed in the database first, and sent at most once.

Called by a thread of the server, outside every request.
"""

import datetime as dt
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from annotator.domain.numbers import counted
from annotator.domain.people import ChannelKind, Message, NoticeGroup, User
from annotator.errors import AnnotatorError, DeliveryError
from annotator.language import _, speaking, unsaid
from annotator.outbound import mail, webhook
from annotator.outbound.allowed_hosts import Resolver, resolve
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.connection.file_access import address_of_server
from annotator.store.notices import outbox as channel_store
from annotator.store.notices import outbox as message_store
from annotator.store.notices.outbox import prune_notices
from annotator.store.people import get_user_by_id
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.delivery.channels import WEBHOOK, draw_code, mail_options, secret_of, webhook_options
from annotator.usecases.notices.notices import KEPT_DAYS, sentence

# What a mail and a call of the webhook say: kinds, counts, keys and links, and nothing of any text.


_LONGEST_NAME = 200
KEYS_AT_MOST = 20
_LINES_AT_MOST = 100

_MAIL = """{name},

this is new for you in the annotator:

{lines}

Look at it here: {link}

You get this because you asked for it; you can stop it on the page Start.
"""
_CODE = """{name},

somebody, you we hope, asked for the annotator's notices to be sent to this address. The code is

    {code}

Enter it on the page Start within a day: {link}

If it was not you, do nothing, and nothing more is sent here.
"""


def mail_subject(groups: Sequence[NoticeGroup]) -> str:
    """Nothing that people named stands in a header."""
    return f"Annotator: {counted(sum(group.n for group in groups), 'notice')}"


def mail_body(name: str, groups: Sequence[NoticeGroup], link: str) -> str:
    """The sum of the day."""
    lines = [f"- {one_line(group.project_name)}: {one_line(sentence(group))}" for group in groups]
    more = [f"- and {len(lines) - _LINES_AT_MOST:,} more"] if len(lines) > _LINES_AT_MOST else []
    return _MAIL.format(name=one_line(name), lines="\n".join([*lines[:_LINES_AT_MOST], *more]), link=link)


def code_body(name: str, code: str, link: str) -> str:
    """What confirms an address."""
    return _CODE.format(name=one_line(name), code=code, link=link)


def call_body(
    project_id: int, project_name: str, counts: Iterable[tuple[str, int, list[str]]], link: str, sent_at: str
) -> bytes:
    """What the webhook is told, as JSON."""
    notices = [{"kind": kind, "count": n, "keys": [one_line(key) for key in keys]} for kind, n, keys in counts]
    return msgspec.json.encode(
        {
            "sent_at": sent_at,
            "project": {"id": project_id, "name": one_line(project_name)},
            "notices": notices,
            "link": link,
        }
    )


def one_line(text: str) -> str:
    r"""What people and files named, without line breaks and other control characters.

    >>> one_line("P\r\nBcc: all@lab.example")
    'P Bcc: all@lab.example'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_NAME]


# After each failure that is certain, so much later; after the last of them it is given up.
PAUSES = (
    dt.timedelta(minutes=1),
    dt.timedelta(minutes=5),
    dt.timedelta(minutes=30),
    dt.timedelta(hours=2),
    dt.timedelta(hours=8),
)
BROKEN_AFTER = dt.timedelta(minutes=10)  # longer than any attempt can take
_BROKEN = unsaid("Server stopped while sending: perhaps sent, not sent again.")
_USUAL_LINK = "the address at which you use the annotator"


@dataclass(frozen=True, slots=True)
class Outside:
    """The way out; tests put their own here."""

    resolver: Resolver = field(default=resolve)


def gather(store: Store) -> None:
    """Make messages of what is new: mails once a day, from the hour on that is set; calls of the webhook each time."""
    options, is_mail_on = mail_options(store)
    _, is_webhook_on = webhook_options(store)
    if not (is_mail_on or is_webhook_on):
        return
    with store.transaction():
        if is_mail_on:
            message_store.gather_mail(store, _day_began(store.moment(), options.hour))
        if is_webhook_on:
            message_store.gather_calls(store)


def _day_began(now: dt.datetime, hour: int) -> str:
    """The last moment at which it was that hour."""
    began = now.astimezone(dt.UTC).replace(hour=hour, minute=0, second=0, microsecond=0)
    return iso(began if began <= now else began - dt.timedelta(days=1))


def tidy(store: Store) -> None:
    """What a server left behind that ended in the middle is said to be unknown; what is old goes."""
    now = store.moment()
    old = iso(now - dt.timedelta(days=KEPT_DAYS))
    with store.transaction():
        message_store.give_up_broken(store, iso(now - BROKEN_AFTER), _BROKEN)
        prune_notices(store, old)
        message_store.prune_messages(store, old)


@speaking("en")  # what failed is stored, and logged
def send_next(store: Store, outside: Outside = Outside()) -> bool:
    """Send one message that is due; False when there is none. A failure is noted, and never raised."""
    with store.transaction():
        message = message_store.claim_message(store)
    if message is None:
        return False
    try:
        _send(store, message, outside)
    except DeliveryError as error:
        _note_failure(store, message, str(error), is_certain=not error.may_have_arrived)
    except AnnotatorError as error:  # the settings, or their secret
        _note_failure(store, message, str(error), is_certain=True)
    else:
        with store.transaction():
            message_store.end_message(store, message.id, "sent")
    return True


def _note_failure(store: Store, message: Message, problem: str, *, is_certain: bool) -> None:
    logging.getLogger(__name__).warning("Message %d by %s: %s", message.id, message.channel, problem)
    with store.transaction():
        if not is_certain:
            message_store.end_message(store, message.id, "unknown", problem)
        elif message.n_tries > len(PAUSES):
            message_store.end_message(store, message.id, "failed", problem)
        else:
            message_store.put_off(store, message.id, iso(store.moment() + PAUSES[message.n_tries - 1]), problem)


def _send(store: Store, message: Message, outside: Outside) -> None:
    if message.channel == "webhook":
        project = get_project_by_id(store, message.project_id or 0)
        counts = message_store.counts_in_call(store, message.id, keys_at_most=KEYS_AT_MOST)
        now = store.now()
        webhook.call(
            webhook_options(store)[0].webhook,
            secret_of(store.path, "webhook", WEBHOOK),
            call_body(project.id, project.name, counts, _link(store), now),
            timestamp=now,
            number=str(message.id),
            resolver=outside.resolver,
        )
    else:
        _mail(store, message, outside)


def _mail(store: Store, message: Message, outside: Outside) -> None:
    """To where the person wants it now; nothing, where they have changed their mind since."""
    user = get_user_by_id(store, message.user_id or 0)
    address = channel_store.find_address(store, message.user_id or 0)
    if address is None or user.is_disabled or (message.purpose == "notices") != (address.confirmed_at is not None):
        return
    options = mail_options(store)[0]
    server = options.server
    if message.purpose == "address":
        code = draw_code(store, address.user_id)
        subject, body = "Annotator: confirm your address", code_body(user.name, code, _link(store))
    else:
        groups = message_store.groups_in_mail(store, message, is_administrator=user.is_administrator)
        if not groups:
            return
        subject, body = mail_subject(groups), mail_body(user.name, groups, _link(store))
    composed = mail.compose(server, address.address, subject, body)
    mail.deliver(
        server, secret_of(store.path, "mail", options.target), address.address, composed, resolver=outside.resolver
    )


def _link(store: Store) -> str:
    address = address_of_server(store.path)
    return f"{address}/start" if address else _USUAL_LINK


# Trying a channel at once, and saying exactly what failed.


_SUBJECT = "Annotator: a test"
_BODY = "This is a test of the annotator's mail. Nothing needs to be done.\n"
_CALL = b'{"test":true}'


def try_channel(store: Store, actor: User, kind: ChannelKind, to: str = "", outside: Outside = Outside()) -> str:
    """Send a test, by mail to an address; answers what was done. Raises DeliveryError saying what failed.

    It is within time limits, but not a message of the outbox: who asks waits for it.
    """
    require_administrator(actor)
    if kind == "webhook":
        hook = webhook_options(store)[0].webhook
        key = secret_of(store.path, "webhook", WEBHOOK)
        webhook.call(hook, key, _CALL, timestamp=store.now(), number="test", resolver=outside.resolver)
        return _("{host} accepted the test.", host=hook.host)
    options = mail_options(store)[0]
    server = options.server
    composed = mail.compose(server, to.strip(), _SUBJECT, _BODY)
    mail.deliver(server, secret_of(store.path, "mail", options.target), to.strip(), composed, resolver=outside.resolver)
    return _("{host} accepted the test.", host=server.host)
