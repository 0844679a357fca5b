"""Anonymising somebody: account, name and words go, what they marked stays under a name that leads nowhere."""

import secrets
from dataclasses import dataclass
from string import ascii_lowercase

from annotator.domain.people import ANONYMISED, User
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.people import find_user
from annotator.store.persons import erasure
from annotator.store.persons.own_data import Held, close_account, count_mentions_by_others, held_of, only_lead_of
from annotator.store.persons.person_values import (
    Person,
    append_only_lifted,
    packed_words_of,
    rename,
    rewrite_facts,
    take_out_packed_words,
    take_out_words,
    take_words_out_of_events,
    words_of,
)
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.persons.removal import (
    Removed,
    facts_renamed,
    give_up_all,
    leave_no_byte,
    person_to_remove,
    rename_everywhere_else,
    require_still_administrator,
)
from annotator.usecases.releases.pseudonyms_anew import call_otherwise_in_releases

_LETTERS = 12


@dataclass(frozen=True, slots=True)
class AnonymisingPlan:
    """What would go and stay.

    only_lead_of: projects that nobody would lead any more
    n_mentions:   texts, and words of others, in which the name stands: they stay as they are
    """

    name: str
    held: Held
    only_lead_of: tuple[str, ...]
    n_mentions: int


def plan_anonymising(store: Store, actor: User, name: str) -> AnonymisingPlan:
    """Count what would go and stay, and change nothing."""
    require_administrator(actor)
    person = person_to_remove(store, name)
    return AnonymisingPlan(
        person.name, held_of(store, person), tuple(only_lead_of(store, person)), count_mentions_by_others(store, person)
    )


def anonymise(store: Store, actor: User, name: str) -> Removed:
    """Take somebody's account, name and words out of the database; sets, labels, scores and times stay, and so every number.

    The pseudonym is drawn, and nobody keeps whose it is.
    Raises: NotAllowed, NotFound, InvalidValue for the only administrator
    """
    with store.transaction():
        require_still_administrator(store, actor)
        called = anonymise_person(store, actor, person_to_remove(store, name))
    return Removed(called, leave_no_byte(store))


def anonymise_person(store: Store, actor: User, person: Person, earlier: erasure.Removal | None = None) -> str:
    """The same within a transaction, of somebody who may be anonymised; answers the drawn name.

    earlier: what was noted when it was done the first time, before a restore
    """
    removal = earlier or erasure.removal_of(store, "anonymise", person)
    called = {old: _drawn_name(store) for old in person.names}
    give_up_all(store, person)
    words = words_of(store, person) | {*packed_words_of(store, person)}
    call_otherwise_in_releases(store, called, words)
    with append_only_lifted(store, "events", "comments"):
        take_words_out_of_events(store, person, words)
        take_out_words(store, person)
        take_out_packed_words(store, person)
        rewrite_facts(store, person, facts_renamed(called, words))
        rename(store, person, called)
        rename_everywhere_else(store, called)
    if person.id is not None:
        close_account(store, person, called[person.name])
    actor_name = called.get(actor.name, actor.name)
    add_event(store, actor_name, ANONYMISED, "user", person.id, name=called[person.name])
    erasure.add_removal(store, removal)
    return called[person.name]


def _drawn_name(store: Store) -> str:
    while True:
        name = "person " + "".join(secrets.choice(ascii_lowercase) for _ in range(_LETTERS))
        if find_user(store, name) is None:
            return name
