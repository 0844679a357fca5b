"""The password of the mail server and the key of the webhook: in a file beside the database, or in the environment.

Not in the database: so no export, no backup and no record can hold them, and nothing that reads the database can show them.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from annotator.domain.people import ChannelKind
from annotator.errors import StoreError
from annotator.files import part_folder, sync_file, sync_folder
from annotator.language import _
from annotator.store.connection.file_access import OWNERS, give_to_owner_of

VARIABLES: Mapping[ChannelKind, str] = {
    "mail": "ANNOTATOR_SMTP_PASSWORD",
    "webhook": "ANNOTATOR_WEBHOOK_SECRET",
}
_SECRETS = ".secrets"


def secret_of(database: Path, kind: ChannelKind, target: str) -> str:
    """The secret of a channel, "" where there is none; the environment's comes before the file's.

    target: what it was entered for: the file's is not given away to anything else, such as the host that a restored backup names
    """
    stored_target, secret = _stored(database).get(kind, ("", ""))
    return os.environ.get(VARIABLES[kind], "") or (secret if stored_target == target else "")


def save_secret(database: Path, kind: ChannelKind, target: str, secret: str) -> None:
    """Keep a secret for the server's owner alone; "" forgets it."""
    secrets = {name: pair for name, pair in {**_stored(database), kind: (target, secret)}.items() if pair[1]}
    path = secrets_file(database)
    try:
        with part_folder(path) as folder:
            made = folder / path.name
            made.touch(mode=OWNERS)
            made.write_bytes(msgspec.json.encode(secrets))
            give_to_owner_of(database, made)
            sync_file(made)
            made.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            _("The secret could not be written to '{path}': {reason}.", path=path, reason=error.strerror)
        ) from None


def secrets_file(database: Path) -> Path:
    """Where they are."""
    return database.with_name(database.name + _SECRETS)


def _stored(database: Path) -> dict[str, tuple[str, str]]:
    try:
        return msgspec.json.decode(secrets_file(database).read_bytes(), type=dict[str, tuple[str, str]])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError):
        raise StoreError(
            _(
                "'{path}' cannot be read. Make it readable for the server, or remove it and enter them again.",
                path=secrets_file(database),
            )
        ) from None
