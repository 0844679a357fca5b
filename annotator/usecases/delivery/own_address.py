"""Where a person wants their mail: off until they have confirmed an address with the code that was sent there."""

import datetime as dt
import hashlib
import hmac
import secrets

from annotator.domain.people import MailAddress, User
from annotator.errors import Conflict, InvalidValue, NotAllowed, TooBusy
from annotator.language import _
from annotator.outbound.mail import check_address
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.notices import outbox as channel_store
from annotator.store.notices.outbox import add_mail, count_recent
from annotator.usecases.delivery.channels import mail_options

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
    user_id = _user_id(user)
    address = check_address(address.strip())
    with store.transaction():
        if not mail_options(store)[1]:
            raise Conflict(_("This server sends no mail. An administrator can turn it on."))
        if count_recent(store, user_id, "address", iso(store.moment() - dt.timedelta(days=1))) >= _MOST_A_DAY:
            raise TooBusy(_("{most} codes were sent for you within a day. Try again tomorrow.", most=_MOST_A_DAY))
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
    user_id = _user_id(user)
    is_right = False
    with store.transaction():
        address = channel_store.find_address(store, user_id)
        if address is None or address.code_hash is None or address.code_until is None:
            raise NotAllowed(
                _("There is no code to confirm yet. It is sent within a minute; else ask for another one.")
            )
        if address.n_tries >= _MOST_TRIES or address.code_until < store.now():
            raise NotAllowed(_("This code does not work any more. Ask for another one."))
        is_right = hmac.compare_digest(address.code_hash, _hash(user_id, code.strip().lower()))
        if is_right:
            channel_store.confirm_address(store, user_id)
        else:
            channel_store.count_try(store, user_id)
    if not is_right:
        raise InvalidValue(_("This is not the code that was sent. Look at the newest mail."))


def stop_mail(store: Store, user: User) -> None:
    """No mail any more; the address is forgotten."""
    with store.transaction():
        channel_store.remove_address(store, _user_id(user))


def _user_id(user: User) -> int:
    if user.id is None:
        raise NotAllowed(_("The local operator has no notices."))
    return user.id


def _hash(user_id: int, code: str) -> bytes:
    return hashlib.sha256(f"{user_id}:{code}".encode()).digest()
