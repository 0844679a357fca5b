"""What a name and a password may be, and how a password is kept: as an argon2 hash, never as itself."""

import secrets
import unicodedata
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from annotator.domain.people import LOCAL_OPERATOR, SOMEONE_ERASED
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.characters import normal

LONGEST_NAME = 100
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1000

_HASHER = (
    PasswordHasher()
)  # each hash takes 64 MiB and several cores: web/routes/password_hashes.py lets few happen at once


def checked_name(name: str) -> str:
    """A name as it is stored; raises InvalidValue saying what is wrong with it."""
    name = normal(name)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidValue(
            _(
                "A name must have 1 to {most} characters; this one has {n}.",
                most=LONGEST_NAME,
                n=len(name),
            )
        )
    if not name.isprintable():
        raise InvalidValue(
            _(
                "The name {name} holds a character that cannot be seen. Use letters, digits and blanks.",
                name=f"{name!r}",
            )
        )
    if name.casefold() == LOCAL_OPERATOR.name:
        raise InvalidValue(
            _("'{name}' is how the record names the command line. Choose another name.", name=LOCAL_OPERATOR.name)
        )
    if name.casefold() == SOMEONE_ERASED:
        raise InvalidValue(
            _(
                "'{name}' is how the record names whoever was erased. Choose another name.",
                name=SOMEONE_ERASED,
            )
        )
    return name


def checked_password(password: str) -> str:
    """The password; raises InvalidValue when it is too short or longer than anybody types."""
    if len(password) < SHORTEST_PASSWORD:
        raise InvalidValue(
            _(
                "A password must have at least {least} characters; this one has {n}.",
                least=SHORTEST_PASSWORD,
                n=len(password),
            )
        )
    if len(password) > LONGEST_PASSWORD:
        raise InvalidValue(
            _(
                "A password may have at most {most} characters; this one has {n}.",
                most=LONGEST_PASSWORD,
                n=len(password),
            )
        )
    return password


def hash_password(password: str) -> str:
    """What is stored of a password."""
    return _HASHER.hash(_encoded(password))


def is_password(stored_hash: str | None, password: str) -> bool:
    """Whether a password is the stored one; takes as long when there is none, so that the time tells nothing."""
    try:
        _HASHER.verify(stored_hash or _dummy_hash(), _encoded(password[: LONGEST_PASSWORD + 1]))
    except (VerificationError, InvalidHashError):
        return False
    return stored_hash is not None


def needs_rehash(stored_hash: str | None) -> bool:
    """Whether a stored hash was made with older parameters than today's."""
    return stored_hash is not None and _HASHER.check_needs_rehash(stored_hash)


@lru_cache(maxsize=1)
def _dummy_hash() -> str:
    return _HASHER.hash(secrets.token_bytes(16))


def _encoded(password: str) -> bytes:
    return unicodedata.normalize("NFKC", password).encode("utf-8", "replace")
