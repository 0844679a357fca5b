"""Leases: who holds what until when, and what comes back to the queue when a lease has run out."""

import datetime as dt
from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import NotFound
from annotator.store import Store
from annotator.store.annotate import assignments
from annotator.store.annotate.assignments import (
    claim,
    end_expired_leases,
    extend_leases,
    get_assignment,
    give_up_work_of,
)
from annotator.store.annotate.instance_queue import is_free, is_free_for, next_in_queue, next_set_aside, waiting_for
from annotator.store.connection.database import iso
from annotator.store.instances import find_instance_ids
from tests.clock import pass_time

People = Callable[..., User]
DRAFT = Draft(result="negative", sets=(RationaleSet.of((1, 3)),), note="in the middle")


def until(store: Store, **time: float) -> str:
    return iso(store.moment() + dt.timedelta(**time))


def end_expired(store: Store, project: Project, *, but_not_of: int = 0) -> int:
    """As `next` does it, under leases of half an hour and absences of a week."""
    return end_expired_leases(
        store,
        project.id,
        but_not_of=but_not_of,
        lease_until=until(store, minutes=30),
        returned_until=until(store, days=7),
    )


@pytest.fixture
def first(store: Store, project: Project) -> int:
    return find_instance_ids(store, project.id, "t1")[0]


@pytest.fixture
def ann(add_person: People, project: Project) -> int:
    return add_person("ann", project, "annotator").id or 0


@pytest.fixture
def ben(add_person: People, project: Project) -> int:
    return add_person("ben", project, "annotator").id or 0


def test_a_lease_holds_until_its_moment_and_not_longer_and_the_draft_is_kept(
    store: Store, project: Project, first: int, ann: int, ben: int
) -> None:
    moment = store.moment()
    store.clock = lambda: moment
    held = claim(store, project.id, first, ann, until(store, minutes=30))
    assignments.save_draft(store, held.id, DRAFT, 1)
    assert not is_free(store, first)
    store.clock = lambda: moment + dt.timedelta(minutes=30, milliseconds=-1)
    assert end_expired(store, project, but_not_of=ben) == 0
    store.clock = lambda: moment + dt.timedelta(minutes=30)
    assert end_expired(store, project, but_not_of=ben) == 1
    assert is_free_for(store, first, ben)
    after = get_assignment(store, held.id)
    assert (after.state, after.draft, after.revision) == ("expired", DRAFT, 1)
    assert end_expired(store, project, but_not_of=ben) == 0


def test_nobodys_own_lease_runs_out_under_their_hands(store: Store, project: Project, first: int, ann: int) -> None:
    held = claim(store, project.id, first, ann, until(store, minutes=30))
    pass_time(store, days=2)
    assert end_expired(store, project, but_not_of=ann) == 0
    assert get_assignment(store, held.id).state == "leased"


def test_leases_of_another_project_are_left_alone(
    store: Store, project: Project, first: int, ann: int, make_project: Callable[..., Project]
) -> None:
    held = claim(store, project.id, first, ann, until(store, minutes=30))
    pass_time(store, days=2)
    assert end_expired(store, make_project(name="Other")) == 0
    assert get_assignment(store, held.id).state == "leased"


def test_returned_work_waits_for_its_annotator_beyond_any_lease(
    store: Store, project: Project, first: int, ann: int, ben: int
) -> None:
    held = claim(store, project.id, first, ann, until(store, minutes=30))
    assignments.give_back_to_annotator(store, held.id, until(store, days=7))
    extend_leases(store, project.id, ann, until(store, minutes=30))  # of what is leased alone
    pass_time(store, days=6)
    assert end_expired(store, project, but_not_of=ben) == 0
    pass_time(store, days=1)
    assert end_expired(store, project, but_not_of=ben) == 1
    assert get_assignment(store, held.id).state == "expired"


def test_whoever_works_keeps_all_that_is_leased_to_them_and_to_nobody_else(
    store: Store, project: Project, ann: int, ben: int
) -> None:
    one, two, three = (find_instance_ids(store, project.id, key)[0] for key in ("t1", "t2", "t3"))
    for user_id, instance_id in ((ann, one), (ann, two), (ben, three)):
        claim(store, project.id, instance_id, user_id, until(store, minutes=30))
    pass_time(store, minutes=29)
    extend_leases(store, project.id, ann, until(store, minutes=30))
    pass_time(store, minutes=2)
    assert end_expired(store, project) == 1
    assert [held.instance_id for held in assignments.list_held(store, project.id, ann)] == [one, two]
    assert assignments.list_held(store, project.id, ben) == []


def test_whose_lease_ran_out_gets_the_text_again_after_the_new_ones_unless_somebody_took_it(
    store: Store, project: Project, first: int, ann: int, ben: int
) -> None:
    claim(store, project.id, first, ann, until(store, minutes=30))
    pass_time(store, hours=1)
    end_expired(store, project)
    assert next_in_queue(store, project.id, ann) == find_instance_ids(store, project.id, "t2")[0]
    assert next_set_aside(store, project.id, ann, "expired", []) == first
    assert next_set_aside(store, project.id, ann, "expired", [first]) is None
    assert next_set_aside(store, project.id, ben, "expired", []) is None
    assert (waiting_for(store, project.id, ann), waiting_for(store, project.id, ben)) == (3, 4)
    claim(store, project.id, first, ben, until(store, minutes=30))
    assert next_set_aside(store, project.id, ann, "expired", []) is None


def test_what_is_given_up_in_one_project_stays_held_in_another(
    store: Store, project: Project, first: int, add_person: People, make_project: Callable[..., Project],
    import_rows: Callable[..., object],
) -> None:  # fmt: skip
    other = make_project(name="Other")
    import_rows(other, [{"id": "o1", "text": "Never again.", "label": "negative"}])
    ann = add_person("ann", project, "annotator")
    for of, key in ((project, "t1"), (other, "o1")):
        claim(store, of.id, find_instance_ids(store, of.id, key)[0], ann.id or 0, until(store, minutes=30))
    give_up_work_of(store, ann, project.id)
    assert assignments.list_held(store, project.id, ann.id or 0) == []
    assert is_free(store, first)
    assert len(assignments.list_held(store, other.id, ann.id or 0)) == 1
    give_up_work_of(store, ann)
    assert assignments.list_held(store, other.id, ann.id or 0) == []


def test_work_that_is_undone_half_way_leaves_every_lease_and_the_queue_as_they_were(
    store: Store, project: Project, ann: int, ben: int
) -> None:
    for key in ("t1", "t2"):
        claim(store, project.id, find_instance_ids(store, project.id, key)[0], ann, until(store, minutes=30))
    pass_time(store, hours=1)
    before = list(store.connection.iterdump())

    def end_and_fail() -> None:
        with store.transaction():
            assert end_expired(store, project, but_not_of=ben) == 2
            get_assignment(store, 10**6)

    with pytest.raises(NotFound):
        end_and_fail()
    assert list(store.connection.iterdump()) == before


def test_of_an_empty_project_nothing_is_held_waits_or_runs_out(
    store: Store, make_project: Callable[..., Project], ann: int
) -> None:
    empty = make_project(name="Empty")
    assert end_expired(store, empty) == 0
    assert next_in_queue(store, empty.id, ann) is None
    assert (waiting_for(store, empty.id, ann), assignments.list_held(store, empty.id, ann)) == (0, [])
