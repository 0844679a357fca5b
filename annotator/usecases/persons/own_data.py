"""Everything about somebody in one file, for the person and for administrators."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.errors import NotAllowed, NotFound
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.persons.own_data import rows_of
from annotator.store.persons.person_values import find_person
from annotator.text.characters import normal

_README = """What this database holds of one person.

Each kind of data is there twice: as JSON, which holds all of it, and as CSV for a spreadsheet. Texts are named by project, key
and split; what others wrote, marked or scored is not in here. Sets are lists of spans, each from its first token to behind its
last. Times are UTC. The password is kept as a hash and is not in here; nor are the secrets of sessions and access tokens, of
which nobody knows anything but a hash.
"""


def data_of_person(store: Store, actor: User, name: str) -> bytes:
    """A ZIP of everything about somebody: account, roles, annotations with sets and times, reviews, messages, events.

    Raises: NotAllowed for others than the person and administrators; NotFound
    """
    name = normal(name)
    if not actor.is_administrator and name.casefold() != actor.name.casefold():
        raise NotAllowed(_("Only the person and administrators can take a person's data along."))
    person = None if name.casefold() == LOCAL_OPERATOR.name else find_person(store, name)
    if person is None:
        raise NotFound(_("Nobody is called '{name}' here. Write the name as the list of people has it.", name=name))
    with store.snapshot():
        files = rows_of(store, person)
    with store.transaction():
        add_event(store, actor.name, "take data along", "user", person.id, name=person.name)
    return _zipped(files)


def _zipped(files: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _README)
        for name, rows in files.items():
            archive.writestr(f"{name}.json", json.dumps(rows, ensure_ascii=False, indent=2))
            if rows:
                archive.writestr(f"{name}.csv", written_csv(list(rows[0]), map(_cells, rows)))
    return written.getvalue()


def _cells(row: Mapping[str, Any]) -> list[Any]:
    return [
        json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value for value in row.values()
    ]
