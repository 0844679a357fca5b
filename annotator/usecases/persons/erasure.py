"""Erasing somebody: besides account, name and words all that they marked, scored and wrote."""

from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.domain.people import ERASED, SOMEONE_ERASED, User
from annotator.domain.sources import without_annotator
from annotator.errors import Conflict
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.persons import erasure as removals
from annotator.store.persons.erasure import (
    Made,
    count_gold_lost,
    count_of_others_in,
    erase_made,
    frozen_names_of,
    made_by,
    originals_taken_from,
    projects_touched,
)
from annotator.store.persons.own_data import Held, count_mentions_by_others, held_of, only_lead_of
from annotator.store.persons.person_values import (
    Person,
    append_only_lifted,
    packed_words_of,
    rename,
    rewrite_facts,
    take_marks_out_of_events,
    take_out_packed_words,
    take_out_words,
    take_words_out_of_events,
    words_of,
)
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.crowd.workers import standing_of
from annotator.usecases.evidence.taking_over import restore_former
from annotator.usecases.persons.removal import (
    Removed,
    facts_renamed,
    give_up_all,
    leave_no_byte,
    person_to_remove,
    rename_everywhere_else,
    require_still_administrator,
)
from annotator.usecases.releases.erasure import count_in_releases, erase_in_releases


@dataclass(frozen=True, slots=True)
class ErasingPlan:
    """What would go.

    n_instances:  changed versions of theirs that became instances of a project, which go
    n_of_others:  annotations of others of these
    n_gold_lost:  instances that would have no gold any more
    releases:     how many sets each release would lose, by the release in words
    """

    name: str
    held: Held
    n_instances: int
    n_of_others: int
    n_gold_lost: int
    releases: dict[str, int]
    only_lead_of: tuple[str, ...]
    n_mentions: int


def plan_erasing(store: Store, actor: User, name: str) -> ErasingPlan:
    """Count what would go, and change nothing."""
    require_administrator(actor)
    person = person_to_remove(store, name)
    made = made_by(store, person)
    releases: dict[str, int] = {}
    for project_id in projects_touched(store, person, made):
        texts = frozen_names_of(store, project_id, made.instances)
        releases |= count_in_releases(store, project_id, person.names, texts)
    return ErasingPlan(
        person.name, held_of(store, person), len(made.instances), count_of_others_in(store, made, person),
        count_gold_lost(store, person), releases, tuple(only_lead_of(store, person)), count_mentions_by_others(store, person),
    )  # fmt: skip


def erase(store: Store, actor: User, name: str) -> Removed:
    """Take somebody out with all that they made; gold and what is free are worked out anew.

    Decisions stay where they were made: a round that the gate decided keeps its outcome, though a score of it is gone.
    Raises: NotAllowed, NotFound, InvalidValue for the only administrator; Conflict for a crowd worker who was not paid
    """
    with store.transaction():
        require_still_administrator(store, actor)
        person = person_to_remove(store, name)
        _require_paid(store, person)
        erase_person(store, actor, person)
    return Removed(SOMEONE_ERASED, leave_no_byte(store))


def erase_person(store: Store, actor: User, person: Person, earlier: removals.Removal | None = None) -> None:
    """The same within a transaction, of somebody who may be erased.

    earlier: what was noted when it was done the first time, before a restore
    """
    removal = earlier or removals.removal_of(store, "erase", person)
    made, held = made_by(store, person), held_of(store, person)
    projects = projects_touched(store, person, made)
    give_up_all(store, person)
    for project_id in projects:
        erase_in_releases(store, project_id, person.names, frozen_names_of(store, project_id, made.instances))
    _erase(store, person, made)
    actor_name = SOMEONE_ERASED if actor.name in person.names else actor.name
    counts = {"annotations": held.annotations, "reviews": held.reviews}
    for project_id in projects:
        add_event(store, actor_name, ERASED, "project", project_id, project_id=project_id, **counts)
    add_event(store, actor_name, ERASED, "user", **counts)
    removals.add_removal(store, removal)


def _require_paid(store: Store, person: Person) -> None:
    """The code of a crowd worker goes with them, so that nobody could say any more what they are paid for."""
    standing = None if person.id is None else standing_of(store, person.id)
    if standing is not None and standing.worker.done and standing.worker.paid_at is None:
        n, door = counted(standing.worker.done, "text"), standing.door.rules.name
        raise Conflict(
            _(
                "'{name}' did {n} by the crowd door “{door}”, and their code is not marked as paid. It would be gone. Mark it on "
                "the Project page, section Crowd, when the visit is over, and try again. Anonymising keeps the code.",
                name=person.name,
                n=n,
                door=door,
            )
        )


def _erase(store: Store, person: Person, made: Made) -> None:
    called = dict.fromkeys(person.names, SOMEONE_ERASED)
    with append_only_lifted(store, "events", "comments"):
        words = words_of(store, person) | {*packed_words_of(store, person)}
        take_words_out_of_events(store, person, words)
        take_marks_out_of_events(store, person)
        take_out_words(store, person)
        take_out_packed_words(store, person)
        for name in person.names:
            rewrite_facts(store, person, lambda facts, _, name=name: without_annotator(facts, name))  # type: ignore[misc]
        rewrite_facts(store, person, facts_renamed(called, words))
        for original_id in originals_taken_from(store, made):
            restore_former(store, original_id)
        erase_made(store, person, made)
        rename(store, person, called)
        rename_everywhere_else(store, called)
