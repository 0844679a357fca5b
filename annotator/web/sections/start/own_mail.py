"""A person's own choice: the day's notices by mail, to an address that they confirm. Only where the server sends mail."""

import streamlit as st

from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.delivery.channels import choose_address, confirm, mail_options, own_address, stop_mail
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, carry_out
from annotator.web.session import Visit


def show(store: Store, visit: Visit) -> None:
    """Nothing while mail is off, or for whoever has no account."""
    if visit.user.id is None or not mail_options(store)[1]:
        return
    with st.expander(_("Email notices"), icon=":material/mail:"):
        address = own_address(store, visit.user)
        if address is None:
            _ask_address(store, visit)
        elif address.confirmed_at is None:
            st.write(_("Code sent to {address}, valid for a day.", address=as_text(address.address)))
            _ask_code(store, visit)
            _offer_to_stop(store, visit, _("Use another address"))
        else:
            st.write(
                _(
                    "Daily notices go to {address}, with project names and text IDs, never texts.",
                    address=as_text(address.address),
                )
            )
            _offer_to_stop(store, visit, _("Stop mail"))


def _ask_address(store: Store, visit: Visit) -> None:
    st.write(_("Daily notices by mail, after a confirmation code."))
    with st.form("mail_address", border=False):
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.text_input(_("Your email address"), key="mail_address_text", max_chars=254)
        given = submitted(
            _("Send code"), container=button, width="stretch", key="mail_address_send", fields=("mail_address_text",)
        )
    if given is not None:
        carry_out(lambda: choose_address(store, visit.user, given["mail_address_text"]))


def _ask_code(store: Store, visit: Visit) -> None:
    with st.form("mail_code", border=False):
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.text_input(_("Code from the mail"), key="mail_code_text", max_chars=40)
        given = submitted(
            _("Confirm"), container=button, width="stretch", key="mail_code_send", fields=("mail_code_text",)
        )
    if given is not None:
        carry_out(lambda: confirm(store, visit.user, given["mail_code_text"]))


def _offer_to_stop(store: Store, visit: Visit, label: str) -> None:
    if pressed(label, key="mail_stop"):
        carry_out(lambda: stop_mail(store, visit.user))
