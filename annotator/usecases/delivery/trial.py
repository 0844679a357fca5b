"""Trying a channel at once, and saying exactly what failed."""

from annotator.domain.people import ChannelKind, User
from annotator.language import _
from annotator.outbound import mail, webhook
from annotator.store import Store
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.delivery.channel_secrets import secret_of
from annotator.usecases.delivery.channels import WEBHOOK, mail_options, webhook_options
from annotator.usecases.delivery.outbox import Outside

_SUBJECT = "Annotator: a test"
_BODY = "This is a test of the annotator's mail. Nothing needs to be done.\n"
_CALL = b'{"test":true}'


def try_channel(
    store: Store,
    actor: User,
    kind: ChannelKind,
    to: str = "",
    outside: Outside = Outside(),  # noqa: B008  (frozen)
) -> str:
    """Send a test, by mail to an address; answers what was done. Raises DeliveryError saying what failed.

    It is within time limits, but not a message of the outbox: who asks waits for it.
    """
    require_administrator(actor)
    if kind == "webhook":
        hook = webhook_options(store)[0].webhook
        key = secret_of(store.path, "webhook", WEBHOOK)
        webhook.call(hook, key, _CALL, timestamp=store.now(), number="test", resolver=outside.resolver)
        return _("The webhook at {host} took the test.", host=hook.host)
    options = mail_options(store)[0]
    server = options.server
    composed = mail.compose(server, to.strip(), _SUBJECT, _BODY)
    mail.deliver(server, secret_of(store.path, "mail", options.target), to.strip(), composed, resolver=outside.resolver)
    return _("The mail server {host} took the test for {address}.", host=server.host, address=to.strip())
