"""For administrators: the mail server and the webhook, off until they are set; a test of each; what was not delivered."""

from typing import get_args

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.people import ChannelKind, Message
from annotator.language import _, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.delivery.channels import (
    Channels,
    MailOptions,
    Security,
    WebhookOptions,
    channels,
    set_mail,
    set_webhook,
    turn_off,
)
from annotator.usecases.delivery.outbox import try_channel
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, carry_out, confirm_and_rerun, refusals_shown
from annotator.web.sections.tables import choose
from annotator.web.session import Visit, shown_time

_NEW_KEY = "webhook_new_key"
_PRIVATE_HELP = unsaid("Private addresses are refused unless listed: mail.lab.example, 10.1.0.0/16")
_ENCRYPTIONS: dict[Security, str] = {
    "starttls": unsaid("STARTTLS (usually port 587)"),
    "tls": unsaid("TLS from the start (usually port 465)"),
}
_MAIL_FIELDS = (
    "mail_host", "mail_port", "mail_security", "mail_sender", "mail_account", "mail_private", "mail_hour",
)  # fmt: skip
_PASSWORDS_ENTERED = "mail_passwords_entered"
_WEBHOOK_FIELDS = ("webhook_url", "webhook_private", "webhook_renew")


def show(store: Store, visit: Visit) -> None:
    """Nothing for anybody else."""
    if not visit.user.is_administrator:
        return
    now = channels(store, visit.user)
    with st.expander(_("Server mail and webhook"), icon=":material/outgoing_mail:"):
        st.write(_("May send project names, text IDs, notice types, counts and links to other hosts; never texts."))
        mail, webhook, undelivered = st.tabs([_("Mail"), "Webhook", _("Not delivered ({n})", n=len(now.undelivered))])
        with mail:
            _show_mail(store, visit, now)
        with webhook:
            _show_webhook(store, visit, now)
        with undelivered:
            _show_undelivered(now)


def _show_mail(store: Store, visit: Visit, now: Channels) -> None:
    options = now.mail
    st.write(_("Mail is on.") if now.is_mail_on else _("Mail is off."))
    password_key = (
        f"mail_password_{st.session_state.get(_PASSWORDS_ENTERED, 0)}"  # an empty field after each that was stored
    )
    with st.form("mail_channel", border=False):
        host, port = st.columns([3, 1])
        host.text_input(_("SMTP server"), options.host, key="mail_host", placeholder="mail.lab.example")
        port.number_input(_("Port"), 1, 65_535, options.port, key="mail_port")
        choose(_("Encryption"), _ENCRYPTIONS, get_args(Security), options.security, key="mail_security")
        sender, hour = st.columns([3, 1])
        sender.text_input(_("Sender"), options.sender, key="mail_sender", placeholder="annotator@lab.example")
        hour.number_input(_("Daily mail at (hour, UTC)"), 0, 23, options.hour, key="mail_hour")
        account, password = st.columns(2)
        account.text_input(_("Account (if required)"), options.account, key="mail_account")
        password.text_input(
            _("Password"), type="password", key=password_key, autocomplete="new-password",
            placeholder=_("stored; leave empty to keep") if now.has_password else ""
        )  # fmt: skip
        st.text_input(
            _("Allowed private hosts and networks"), options.private, key="mail_private", help=_(_PRIVATE_HELP)
        )
        label = _("Save") if now.is_mail_on else _("Save and turn on")
        given = submitted(label, key="mail_save", type="primary", fields=(*_MAIL_FIELDS, password_key))
    if given is not None:
        wanted = MailOptions(
            given["mail_host"].strip(), int(given["mail_port"]), given["mail_security"], given["mail_sender"].strip(),
            given["mail_account"].strip(), given["mail_private"].strip(), int(given["mail_hour"]),
        )  # fmt: skip
        carry_out(lambda: _set_mail(store, visit, wanted, given[password_key]), _("Mail is on."))
    if now.is_mail_on:
        with st.form("mail_test", border=False):
            field, button = st.columns([4, 1], vertical_alignment="bottom")
            field.text_input(_("Send a test to"), key="mail_test_to", placeholder="you@lab.example")
            to = submitted(_("Test"), container=button, width="stretch", key="mail_test_send", fields=("mail_test_to",))
        if to is not None:
            _try(store, visit, "mail", to["mail_test_to"])
        _offer_to_turn_off(store, visit, "mail", _("Turn off mail"))


def _set_mail(store: Store, visit: Visit, wanted: MailOptions, password: str) -> None:
    set_mail(store, visit.user, wanted, password or None)
    st.session_state[_PASSWORDS_ENTERED] = st.session_state.get(_PASSWORDS_ENTERED, 0) + 1


def _show_webhook(store: Store, visit: Visit, now: Channels) -> None:
    st.write(_("The webhook is on.") if now.is_webhook_on else _("The webhook is off."))
    with st.container():
        _show_new_key()
    with st.form("webhook_channel", border=False):
        st.text_input(
            _("Address"), now.webhook.url, key="webhook_url", placeholder="https://hooks.lab.example/annotator"
        )
        st.text_input(
            _("Allowed private hosts and networks"), now.webhook.private, key="webhook_private", help=_(_PRIVATE_HELP)
        )
        st.checkbox(_("Create a new signing key"), key="webhook_renew", disabled=not now.has_key)
        label = _("Save") if now.is_webhook_on else _("Save and turn on")
        given = submitted(label, key="webhook_save", type="primary", fields=_WEBHOOK_FIELDS)
    if given is not None:
        wanted = WebhookOptions(given["webhook_url"].strip(), given["webhook_private"].strip())
        carry_out(
            lambda: _set_webhook(store, visit, wanted, is_new_key=given["webhook_renew"]), _("The webhook is on.")
        )
    if now.is_webhook_on:
        if pressed(_("Test"), key="webhook_test"):
            _try(store, visit, "webhook", "")
        _offer_to_turn_off(store, visit, "webhook", _("Turn off webhook"))


def _set_webhook(store: Store, visit: Visit, wanted: WebhookOptions, *, is_new_key: bool) -> None:
    key = set_webhook(store, visit.user, wanted, is_new_key=is_new_key)
    if key is not None:
        st.session_state[_NEW_KEY] = key


def _show_new_key() -> None:
    """In this tab alone, until it is taken: whoever leaves without it makes another one."""
    key = st.session_state.get(_NEW_KEY)
    if key is None:
        return
    st.warning(_("Copy the signing key; it's shown only now."), icon=":material/key:")
    st.code(key, language=None)
    if pressed(_("I've copied it"), key="webhook_key_taken"):
        del st.session_state[_NEW_KEY]
        st.rerun()


def _offer_to_turn_off(store: Store, visit: Visit, kind: ChannelKind, label: str) -> None:
    if pressed(label, key=f"{kind}_off"):
        carry_out(
            lambda: turn_off(store, visit.user, kind), _("Turned off. Queued messages and the secret were deleted.")
        )


def _show_undelivered(now: Channels) -> None:
    waiting = now.counts.get("waiting", 0) + now.counts.get("sending", 0)
    st.write(
        several(
            "{n} message queued; {sent} sent.",
            "{n} messages queued; {sent} sent.",
            waiting,
            sent=f"{now.counts.get('sent', 0):,}",
        )
    )
    for message in now.undelivered:
        st.markdown(f":material/error: {as_text(_line(message))}")


def _line(message: Message) -> str:
    when = shown_time(message.created_at)
    tries = counted(message.n_tries, "attempt")
    channel = _("Mail") if message.channel == "mail" else _("Webhook call")
    return _(
        "{channel} {number} ({when}, {attempts}): {problem}",
        channel=channel, number=f"{message.id:,}", when=when, attempts=tries, problem=_(message.problem)
    )  # fmt: skip


def _try(store: Store, visit: Visit, kind: ChannelKind, to: str) -> None:
    with st.spinner(_("Testing …")), refusals_shown():
        confirm_and_rerun(try_channel(store, visit.user, kind, to))
