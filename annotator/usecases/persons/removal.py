"""What anonymising and erasing somebody share: who may ask for it and of whom, and that no byte is left."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.sources import with_annotators_called, with_authors_called, without_note
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.connection.file_access import copies_beside
from annotator.store.people import get_user_by_id
from annotator.store.persons import erasure
from annotator.store.persons import person_values as person_values_store
from annotator.store.persons.own_data import let_go_of_audits, stop_jobs, titles_of_running_jobs
from annotator.store.review.reviews import give_up_reviews_of
from annotator.text.characters import normal
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.crowd.recruitment_links import end_visit, standing_of

BACKUPS_HOLD = unsaid(
    "Any backup or export from before keeps the name and words; the server log may. Delete what nobody needs."
)
NOT_WIPED = unsaid("Done, but the file may still hold removed bytes. Run 'annotator user wipe'.")


@dataclass(frozen=True, slots=True)
class Removed:
    """What became of somebody. is_wiped: whether no byte of it is left in the database's files."""

    called: str
    is_wiped: bool


def require_still_administrator(store: Store, actor: User) -> None:
    """Within the transaction: of two administrators who remove each other, the second one is none any more."""
    require_administrator(actor)
    if actor.id is None:
        return
    now = get_user_by_id(store, actor.id)
    if now.is_disabled or not now.is_administrator:
        raise NotAllowed(_("Ask an administrator to do this."))


def person_to_remove(store: Store, name: str) -> person_values_store.Person:
    """Whom a name means; raises NotFound, and InvalidValue for the only administrator and for who is no person."""
    name = normal(name)
    person = None if name.casefold() == LOCAL_OPERATOR.name else person_values_store.find_person(store, name)
    if person is None:
        raise NotFound(_("No {what} '{name}'.", what=_("person"), name=name))
    active = [user.id for user in people_store.list_users(store) if user.is_administrator and not user.is_disabled]
    if active == [person.id]:
        raise InvalidValue(_("'{name}' is the only administrator. Appoint another first.", name=person.name))
    return person


def give_up_all(store: Store, person: person_values_store.Person) -> None:
    """What somebody holds goes to others, in every project, and long work that they asked for does not begin any more.

    Raises: Conflict while such work runs, which would end with an event in the old name
    """
    running = titles_of_running_jobs(store, person)
    if running:
        raise Conflict(_("'{running}' by '{name}' is running. Wait, or stop it.", running=running[0], name=person.name))
    stop_jobs(store, person)
    if person.id is not None:
        user = get_user_by_id(store, person.id)
        standing = standing_of(store, person.id)
        if standing is not None and standing.worker.state == "working":
            end_visit(store, standing, "finished" if standing.is_done else "left")
        give_up_work_of(store, user)
        give_up_reviews_of(store, user)
        let_go_of_audits(store, person)


def rename_everywhere_else(store: Store, called: dict[str, str]) -> None:
    """In the record of events, in saved views and in other JSON; the events must be open for changes."""
    person_values_store.rename_in_events(store, called)
    person_values_store.rename_in_packed(store, called)
    person_values_store.rename_in_views(store, called)


def facts_renamed(
    called: Mapping[str, str], notes: Collection[str]
) -> Callable[[dict[str, Any], bool], Mapping[str, Any]]:
    """What becomes of the metadata of an instance: other names, and of a changed version its author's note is gone."""

    def change(metadata: dict[str, Any], is_version: bool) -> Mapping[str, Any]:
        renamed = with_annotators_called(metadata, lambda who: called.get(who, who))
        if not is_version:
            return renamed
        return without_note(with_authors_called(renamed, lambda who: called.get(who, who)), notes)

    return change


def names_of_copies(store: Store) -> list[str]:
    """The backups and other copies beside the database, which still hold what is taken out of it."""
    return [copy.name for copy in copies_beside(store.path)]


def leave_no_byte(store: Store) -> bool:
    """After somebody was taken out: it is noted beside the database, and the file is written anew; False where bytes stay."""
    erasure.keep_beside(store)
    return erasure.wipe(store)


def finish_removals(store: Store) -> bool:
    """The same where a killed process or a reader left something of it; False where bytes stay."""
    erasure.keep_beside(store)
    return not erasure.is_wiping_due(store) or erasure.wipe(store)
