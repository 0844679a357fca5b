"""`annotator notices`: the mail server and the webhook, from the command line, where one acts as the local operator."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import click

from annotator.cli.commands import answering, examples, opened, option, respond
from annotator.domain.people import LOCAL_OPERATOR

_PRIVATE = "Hosts and networks that may be private, with commas between them."
_private_option = option("--private", default="", metavar="HOSTS", help=_PRIVATE)


@click.group()
def notices() -> None:
    """Notices by mail and webhook, both off until they are set here or on the page Start. See docs/notices.md."""


@notices.command()
@answering
def show(path: Path, as_json: bool) -> None:
    """What is set, how many messages are in which state, and which failed; never a secret."""
    from annotator.usecases.delivery.channels import channels

    with opened(path) as store:
        now = channels(store, LOCAL_OPERATOR)
    mail, webhook = now.mail, now.webhook
    to = f"{mail.host}:{mail.port}, {mail.security}, from {mail.sender}, from {mail.hour}:00 UTC on"
    respond(
        as_json,
        asdict(now),
        f"Mail: on ({to})" if now.is_mail_on else "Mail: off",
        f"Webhook: on ({webhook.url})" if now.is_webhook_on else "Webhook: off",
        *(f"{state}\t{n:,}" for state, n in now.counts.items()),
        *(f"{m.channel} {m.id}\t{m.created_at[:16]}\t{m.state}\t{m.problem}" for m in now.undelivered),
    )


@notices.command()
@option("--host", required=True, help="The SMTP server.")
@option("--port", type=int, help="Its port; by default 587 for starttls, 465 for tls.")
@option(
    "--security", type=click.Choice(["starttls", "tls"]), default="starttls", help="How the connection is encrypted."
)
@option("--sender", required=True, metavar="ADDRESS", help="Who the mail is from.")
@option("--account", default="", help="The account at the server, if it wants one.")
@option(
    "--password-file",
    type=click.File(encoding="utf-8"),
    help="A file whose first line is the password (- reads standard input).",
)
@_private_option
@option("--hour", type=click.IntRange(0, 23), default=6, help="The hour from which the day's mails go out, in UTC.")
@click.pass_obj
@examples("annotator notices mail --host smtp.example.org --sender annotator@example.org --password-file password.txt")
def mail(path: Path, /, port: int | None, password_file: TextIO | None, **options: Any) -> None:
    """Turn mail on. The password may also come from ANNOTATOR_SMTP_PASSWORD in the server's environment."""
    from annotator.usecases.delivery.channels import MailOptions, set_mail

    usual = 587 if options["security"] == "starttls" else 465
    password = None if password_file is None else password_file.readline().rstrip("\r\n")
    with opened(path) as store:
        set_mail(store, LOCAL_OPERATOR, MailOptions(port=port or usual, **options), password)
    click.echo("Mail is on. Try it with 'annotator notices test mail --to ADDRESS'.")


@notices.command()
@option("--url", required=True, help="The address, beginning with https://.")
@_private_option
@option("--new-key", is_flag=True, help="Make a new key for the signatures.")
@click.pass_obj
def webhook(path: Path, url: str, private: str, new_key: bool) -> None:
    """Turn the webhook on. If a new key for its signatures was made, print it; it is not shown again."""
    from annotator.usecases.delivery.channels import WebhookOptions, set_webhook

    with opened(path) as store:
        key = set_webhook(store, LOCAL_OPERATOR, WebhookOptions(url, private), is_new_key=new_key)
    if key is not None:
        click.echo("The key for the signatures; it is not shown again:", err=True)
        click.echo(key)
    click.echo("The webhook is on. Try it with 'annotator notices test webhook'.", err=True)


@notices.command()
@click.argument("channel", type=click.Choice(["mail", "webhook"]))
@option("--to", default="", metavar="ADDRESS", help="Of mail: where the test goes.")
@click.pass_obj
def test(path: Path, channel: str, to: str) -> None:
    """Send a test by mail or webhook, and say exactly what failed."""
    from annotator.usecases.delivery.outbox import try_channel

    with opened(path) as store:
        click.echo(try_channel(store, LOCAL_OPERATOR, channel, to))  # type: ignore[arg-type]  # click.Choice


@notices.command()
@click.argument("channel", type=click.Choice(["mail", "webhook"]))
@click.pass_obj
def off(path: Path, channel: str) -> None:
    """Turn mail or webhook off: waiting messages are dropped and its secret is forgotten."""
    from annotator.usecases.delivery.channels import turn_off

    with opened(path) as store:
        turn_off(store, LOCAL_OPERATOR, channel)  # type: ignore[arg-type]  # click.Choice
    click.echo(f"The {channel} is off.")
