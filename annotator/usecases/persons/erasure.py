"""Anonymising and erasing somebody: what goes and stays, said before; done again in a backup that is restored."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from annotator.domain.numbers import counted
from annotator.domain.people import ANONYMISED, ERASED, SOMEONE_ERASED, User
from annotator.domain.sources import without_annotator
from annotator.errors import Conflict
from annotator.language import _, several, unsaid
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.people import find_user
from annotator.store.persons import erasure
from annotator.store.persons import erasure as erasure_store
from annotator.store.persons import erasure as removals
from annotator.store.persons import person_values as person_values_store
from annotator.store.persons.own_data import (
    Held,
    close_account,
    count_mentions_by_others,
    held_of,
    only_lead_of,
    stop_jobs,
)
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.crowd.recruitment_links import standing_of
from annotator.usecases.evidence.exhaustive_gold import restore_former
from annotator.usecases.persons.removal import (
    BACKUPS_HOLD,
    Removed,
    facts_renamed,
    give_up_all,
    leave_no_byte,
    person_to_remove,
    rename_everywhere_else,
    require_still_administrator,
)
from annotator.usecases.releases.frozen_gold import call_otherwise_in_releases, count_in_releases, erase_in_releases

# Anonymising somebody: account, name and words go, what they marked stays under a name that leads nowhere.


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


def anonymise_person(
    store: Store, actor: User, person: person_values_store.Person, earlier: erasure.Removal | None = None
) -> str:
    """The same within a transaction, of somebody who may be anonymised; answers the drawn name.

    earlier: what was noted when it was done the first time, before a restore
    """
    removal = earlier or erasure.removal_of(store, "anonymise", person)
    called = {old: _drawn_name(store) for old in person.names}
    give_up_all(store, person)
    words = person_values_store.words_of(store, person) | {*person_values_store.packed_words_of(store, person)}
    call_otherwise_in_releases(store, called, words)
    with person_values_store.append_only_lifted(store, "events", "comments"):
        person_values_store.take_words_out_of_events(store, person, words)
        person_values_store.take_out_words(store, person)
        person_values_store.take_out_packed_words(store, person)
        person_values_store.rewrite_facts(store, person, facts_renamed(called, words))
        person_values_store.rename(store, person, called)
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
    made = erasure_store.made_by(store, person)
    releases: dict[str, int] = {}
    for project_id in erasure_store.projects_touched(store, person, made):
        texts = erasure_store.frozen_names_of(store, project_id, made.instances)
        releases |= count_in_releases(store, project_id, person.names, texts)
    return ErasingPlan(
        person.name, held_of(store, person), len(made.instances), erasure_store.count_of_others_in(store, made, person),
        erasure_store.count_gold_lost(store, person), releases, tuple(only_lead_of(store, person)),
        count_mentions_by_others(store, person),
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


def erase_person(
    store: Store, actor: User, person: person_values_store.Person, earlier: removals.Removal | None = None
) -> None:
    """The same within a transaction, of somebody who may be erased.

    earlier: what was noted when it was done the first time, before a restore
    """
    removal = earlier or removals.removal_of(store, "erase", person)
    made, held = erasure_store.made_by(store, person), held_of(store, person)
    projects = erasure_store.projects_touched(store, person, made)
    give_up_all(store, person)
    for project_id in projects:
        erase_in_releases(
            store, project_id, person.names, erasure_store.frozen_names_of(store, project_id, made.instances)
        )
    _erase(store, person, made)
    actor_name = SOMEONE_ERASED if actor.name in person.names else actor.name
    counts = {"annotations": held.annotations, "reviews": held.reviews}
    for project_id in projects:
        add_event(store, actor_name, ERASED, "project", project_id, project_id=project_id, **counts)
    add_event(store, actor_name, ERASED, "user", **counts)
    removals.add_removal(store, removal)


def _require_paid(store: Store, person: person_values_store.Person) -> None:
    """The code of a crowd worker goes with them, so that nobody could say any more what they are paid for."""
    standing = None if person.id is None else standing_of(store, person.id)
    if standing is not None and standing.worker.done and standing.worker.paid_at is None:
        n, link = counted(standing.worker.done, "text"), standing.link.rules.name
        raise Conflict(
            _(
                "'{name}' did {n} via “{link}”; their unpaid code would be lost. Mark it as paid (Project, People), "
                "or anonymise instead.",
                name=person.name,
                n=n,
                link=link,
            )
        )


def _erase(store: Store, person: person_values_store.Person, made: erasure_store.Made) -> None:
    called = dict.fromkeys(person.names, SOMEONE_ERASED)
    with person_values_store.append_only_lifted(store, "events", "comments"):
        words = person_values_store.words_of(store, person) | {*person_values_store.packed_words_of(store, person)}
        person_values_store.take_words_out_of_events(store, person, words)
        person_values_store.take_marks_out_of_events(store, person)
        person_values_store.take_out_words(store, person)
        person_values_store.take_out_packed_words(store, person)
        for name in person.names:
            person_values_store.rewrite_facts(store, person, lambda facts, _, name=name: without_annotator(facts, name))  # type: ignore[misc]
        person_values_store.rewrite_facts(store, person, facts_renamed(called, words))
        for original_id in erasure_store.originals_taken_from(store, made):
            restore_former(store, original_id)
        erasure_store.erase_made(store, person, made)
        person_values_store.rename(store, person, called)
        rename_everywhere_else(store, called)


# What will go and what stays, in sentences, before somebody is anonymised or erased.


def anonymising_lines(plan: AnonymisingPlan) -> tuple[str, ...]:
    """What anonymising takes, what it leaves, and what it cannot reach."""
    goes = _(
        "Deletes the account and name '{name}', sessions, links, roles, mail address, notices, and "
        "{words} they wrote. Open work goes to others.",
        name=plan.name,
        **_amounts(plan.held),
    )
    stays = _(
        "Keeps under an untraceable random name: {annotations} ({sets}), {reviews}, {changed_versions}, "
        "{verdicts}, {answers} in training and checks, {events}, all times. Numbers don't change.",
        **_amounts(plan.held),
    )
    return (goes, stays, *_lead_lines(plan.only_lead_of), *mention_lines(plan.n_mentions), _(BACKUPS_HOLD))


_UNPAID = unsaid("Payment tables lose all this work: pay for it, or download them, first.")


def erasing_lines(plan: ErasingPlan) -> tuple[str, ...]:
    """What erasing takes, what becomes of gold and releases, and what it cannot reach."""
    goes = _(
        "Deletes the account and name '{name}', {annotations} ({sets}), {reviews}, {changed_versions}, "
        "{checks}, {verdicts}, {answers} in training and checks, mail address, notices, and {words} they "
        "wrote.",
        name=plan.name,
        **_amounts(plan.held),
    )
    gold = several(
        "{n} instance would lose its gold. Incomplete ones return to the queue; earlier numbers become outdated.",
        "{n} instances would lose their gold. Incomplete ones return to the queue; earlier numbers become outdated.",
        plan.n_gold_lost,
    )
    instances = several(
        "{n} instance is their perturbed version and would be deleted, with model output and {annotations} by others.",
        "{n} instances are their perturbed versions and would be deleted, with model output and "
        "{annotations} by others.",
        plan.n_instances,
        annotations=counted(plan.n_of_others, "annotation"),
    )
    reviews = several(
        "{n} review of these by others would be deleted too.",
        "{n} reviews of these by others would be deleted too.",
        plan.held.reviews_of_theirs,
    )
    releases = (
        several(
            "{n} rationale set would leave {release}, which counts, not names them.",
            "{n} rationale sets would leave {release}, which counts, not names them.",
            n,
            release=name,
        )
        for name, n in plan.releases.items()
    )
    paid = [_(_UNPAID)] if plan.held.annotations or plan.held.reviews else []
    return (
        goes, gold, *([reviews] if plan.held.reviews_of_theirs else []), *paid, *([instances] if plan.n_instances else []),
        *releases, *_lead_lines(plan.only_lead_of), *mention_lines(plan.n_mentions), _(BACKUPS_HOLD),
    )  # fmt: skip


def _amounts(held: Held) -> dict[str, str]:
    """What the database holds of somebody, each amount under the name that it has in the sentences above."""
    return {
        "annotations": counted(held.annotations, "annotation"),
        "sets": counted(held.sets, "rationale set"),
        "reviews": counted(held.reviews, "review"),
        "changed_versions": counted(held.versions, "perturbed version"),
        "checks": counted(held.checks, "check"),
        "verdicts": counted(held.verdicts, "verdict"),
        "answers": counted(held.answers, "answer"),
        "events": counted(held.events, "event"),
        "words": counted(held.words, "note or message", "notes and messages"),
    }


def _lead_lines(projects: Sequence[str]) -> tuple[str, ...]:
    return tuple(_("'{name}' would have no lead. Appoint one first.", name=name) for name in projects)


def mention_lines(n: int) -> tuple[str, ...]:
    """That texts, and words of others, stay as they are."""
    if not n:
        return ()
    return (
        several(
            "{n} text or message by others also has the name and stays.",
            "{n} texts and messages by others also have the name and stay.",
            n,
        ),
    )


# Who was anonymised or erased since a backup was made, and doing it again in what is restored.


@dataclass(frozen=True, slots=True)
class RemovedSince:
    """What happened to people since a backup was made.

    again:    those whom the backup still knows: they are taken out again
    unknown:  those of whom an earlier version did not note who they were
    is_known: False where no database is replaced, or one that cannot be read, and nothing beside it says anything
    """

    again: tuple[erasure_store.Removal, ...] = ()
    unknown: tuple[erasure_store.Removal, ...] = ()
    is_known: bool = True


def find_removed_since(backup: Store, known: Sequence[erasure_store.Removal] | None) -> RemovedSince:
    """Compare what was done at a place with what a backup holds; changes nothing.

    known: the removals of the database that is replaced and of the file beside it
    """
    if known is None:
        return RemovedSince(is_known=False)
    done = {removal.key for removal in removals.list_removals(backup)}
    since = sorted((removal for removal in known if removal.key not in done), key=lambda removal: removal.at)
    return RemovedSince(
        tuple(removal for removal in since if erasure_store.find_removed(backup, removal) is not None),
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
            name = erasure_store.find_removed(store, removal)
            person = None if name is None else person_values_store.find_person(store, name)
            if person is None:  # taken out with another removal of the same person
                continue
            stop_jobs(store, person, also_running=True)
            if removal.kind == "erase":
                erase_person(store, actor, person, removal)
            else:
                anonymise_person(store, actor, person, removal)
    removals.wipe(store)
