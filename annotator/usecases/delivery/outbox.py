"""Sending what was gathered, each message at most once: it is claimed in the database before anything leaves the server.

Called by a thread of the server, outside every request.
"""

import datetime as dt
import logging
from dataclasses import dataclass, field

from annotator.domain.people import Message
from annotator.errors import AnnotatorError, DeliveryError
from annotator.language import speaking, unsaid
from annotator.outbound import mail, webhook
from annotator.outbound.targets import Resolver, resolve
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.connection.file_access import address_of_server
from annotator.store.notices import outbox as channel_store
from annotator.store.notices import outbox as message_store
from annotator.store.notices.inbox import prune_notices
from annotator.store.people import get_user_by_id
from annotator.store.projects import get_project_by_id
from annotator.usecases.delivery import texts
from annotator.usecases.delivery.channel_secrets import secret_of
from annotator.usecases.delivery.channels import WEBHOOK, mail_options, webhook_options
from annotator.usecases.delivery.own_address import draw_code
from annotator.usecases.notices.inbox import KEPT_DAYS

# After each failure that is certain, so much later; after the last of them it is given up.
PAUSES = (
    dt.timedelta(minutes=1),
    dt.timedelta(minutes=5),
    dt.timedelta(minutes=30),
    dt.timedelta(hours=2),
    dt.timedelta(hours=8),
)
BROKEN_AFTER = dt.timedelta(minutes=10)  # longer than any attempt can take
_BROKEN = unsaid("The server ended while this was being sent. It may have arrived, and is not sent again.")
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
        _call(store, message, outside)
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
        subject, body = "Annotator: confirm your address", texts.code_body(user.name, code, _link(store))
    else:
        groups = message_store.groups_in_mail(store, message, is_administrator=user.is_administrator)
        if not groups:
            return
        subject, body = texts.mail_subject(groups), texts.mail_body(user.name, groups, _link(store))
    composed = mail.compose(server, address.address, subject, body)
    mail.deliver(
        server, secret_of(store.path, "mail", options.target), address.address, composed, resolver=outside.resolver
    )


def _call(store: Store, message: Message, outside: Outside) -> None:
    project = get_project_by_id(store, message.project_id or 0)
    counts = message_store.counts_in_call(store, message.id, keys_at_most=texts.KEYS_AT_MOST)
    now = store.now()
    webhook.call(
        webhook_options(store)[0].webhook,
        secret_of(store.path, "webhook", WEBHOOK),
        texts.call_body(project.id, project.name, counts, _link(store), now),
        timestamp=now,
        number=str(message.id),
        resolver=outside.resolver,
    )


def _link(store: Store) -> str:
    address = address_of_server(store.path)
    return f"{address}/start" if address else _USUAL_LINK
