"""Browsers from which somebody signed in before: strangers who guess a name's password do not keep its owner out of these.

A browser keeps a note in a cookie, signed with a secret of the database and with the account's password: a new password, a
reset or an erased account makes the notes worthless. A note alone opens nothing.
"""

import hmac
import secrets
from hashlib import sha256

from annotator.domain.people import User
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.project.crowd import find_platform_secret, platform_secret

_MOST_ACCOUNTS = 5  # of people who share a browser
_BETWEEN = "~"


def noted_in(store: Store, user: User, cookie: str) -> str:
    """What a browser keeps after somebody signed in there: a new note of them, and those of the others as they were."""
    with store.transaction():
        secret = platform_secret(store)
    browser = secrets.token_urlsafe(12)
    note = f"{user.id}.{browser}.{_signature(secret, user, browser, people_store.password_hash(store, user.name))}"
    others = [other for other in cookie.split(_BETWEEN) if other and not other.startswith(f"{user.id}.")]
    return _BETWEEN.join([note, *others[: _MOST_ACCOUNTS - 1]])


def find_browser(store: Store, name: str, cookie: str) -> str | None:
    """What a browser is called in which the account of that name has signed in; None for every other one."""
    user = people_store.find_user(store, name)
    secret = find_platform_secret(store)
    if user is None or secret is None:
        return None
    stored_hash = people_store.password_hash(store, name)
    for note in cookie.split(_BETWEEN)[:_MOST_ACCOUNTS]:
        number, _, rest = note.partition(".")
        browser, _, signature = rest.partition(".")
        if number == str(user.id) and hmac.compare_digest(
            signature.encode(), _signature(secret, user, browser, stored_hash).encode()
        ):
            return browser
    return None


def _signature(secret: bytes, user: User, browser: str, stored_hash: str | None) -> str:
    key = hmac.new(secret, b"known browsers", sha256).digest()
    return hmac.new(key, f"{user.id}:{browser}:{stored_hash}".encode(), sha256).hexdigest()
