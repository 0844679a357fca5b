"""Who was anonymised or erased since a backup was made, and doing it again in what is restored."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.store import Store
from annotator.store.persons import erasure as removals
from annotator.store.persons.erasure import Removal, find_removed
from annotator.store.persons.own_data import stop_jobs
from annotator.store.persons.person_values import find_person
from annotator.usecases.persons.erasure import anonymise_person, erase_person


@dataclass(frozen=True, slots=True)
class RemovedSince:
    """What happened to people since a backup was made.

    again:    those whom the backup still knows: they are taken out again
    unknown:  those of whom an earlier version did not note who they were
    is_known: False where the database that is replaced cannot be read, and nothing beside it says anything
    """

    again: tuple[Removal, ...] = ()
    unknown: tuple[Removal, ...] = ()
    is_known: bool = True


def find_removed_since(backup: Store, known: Sequence[Removal] | None) -> RemovedSince:
    """Compare what was done at a place with what a backup holds; changes nothing.

    known: the removals of the database that is replaced and of the file beside it
    """
    if known is None:
        return RemovedSince(is_known=False)
    done = {removal.key for removal in removals.list_removals(backup)}
    since = sorted((removal for removal in known if removal.key not in done), key=lambda removal: removal.at)
    return RemovedSince(
        tuple(removal for removal in since if find_removed(backup, removal) is not None),
        tuple(removal for removal in since if not removal.name_hash and removal.account is None),
    )


def remove_again(store: Store, actor: User, since: RemovedSince) -> None:
    """Take them out of what is restored, in one transaction, and leave no byte of them.

    Nothing keeps them in it: neither that they are its only administrator, nor work or pay that the backup has open.
    """
    if not since.again:
        return
    with store.transaction():
        for removal in since.again:
            name = find_removed(store, removal)
            person = None if name is None else find_person(store, name)
            if person is None:  # taken out with another removal of the same person
                continue
            stop_jobs(store, person, also_running=True)
            if removal.kind == "erase":
                erase_person(store, actor, person, removal)
            else:
                anonymise_person(store, actor, person, removal)
    removals.wipe(store)
