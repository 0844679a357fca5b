"""A worker of a crowd door is taken out: by their code they can be paid all the same, or they were paid before."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.recruitment import Door
from annotator.domain.projects import Project
from annotator.errors import Conflict
from annotator.store import Store
from annotator.usecases.crowd.doors import doors_of, find_code, mark_paid
from annotator.usecases.crowd.visits import Entry, come_in, leave, look_at_visit
from annotator.usecases.persons.erasure import anonymise, erase
from annotator.usecases.upkeep import check
from tests.usecases.crowd.crowd_work import do_texts, enter, open_door


@pytest.fixture
def crowd(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project()
    import_rows(made, [{"id": key, "text": "It was good.", "label": "positive"} for key in "abcdef"])
    return made


@pytest.fixture
def door(store: Store, crowd: Project) -> Door:
    return open_door(store, crowd)


@pytest.fixture
def finished(store: Store, crowd: Project, door: Door) -> tuple[Entry, User, str]:
    """A worker who did both texts, with their code."""
    entry, worker = enter(store, door)
    do_texts(store, worker, crowd, 2)
    assert entry.token is not None
    code = look_at_visit(store, entry.token).code
    assert code is not None
    return entry, worker, code


def test_whoever_is_anonymised_can_still_be_paid_and_is_not_known_again(
    store: Store, crowd: Project, door: Door, finished: tuple[Entry, User, str]
) -> None:
    _, worker, code = finished
    [hashes] = store.rows("SELECT platform_hash, visit_hash FROM crowd_workers")
    removed = anonymise(store, LOCAL_OPERATOR, worker.name)
    content = store.path.read_bytes()
    assert not [name for name in (worker.name.encode(), *hashes) if name in content]
    payment = find_code(store, LOCAL_OPERATOR, crowd.id, code)
    assert (payment.worker.name, payment.worker.done) == (removed.called, 2)
    assert mark_paid(store, LOCAL_OPERATOR, crowd.id, code).worker.paid_at is not None
    assert come_in(store, door.token, "5f1a").visit.done == 0  # another worker, for all that is known
    assert check(store) == []


def test_nobody_is_erased_before_they_are_paid_and_then_all_of_it_goes(
    store: Store, crowd: Project, finished: tuple[Entry, User, str]
) -> None:
    _, worker, code = finished
    with pytest.raises(
        Conflict, match=f"'{worker.name}' did 2 texts by the crowd door “Pilot”, and their code is not marked"
    ):
        erase(store, LOCAL_OPERATOR, worker.name)
    assert find_code(store, LOCAL_OPERATOR, crowd.id, code).worker.done == 2
    mark_paid(store, LOCAL_OPERATOR, crowd.id, code)
    erase(store, LOCAL_OPERATOR, worker.name)
    assert store.rows("SELECT 1 FROM crowd_workers") == []
    assert code.encode() not in store.path.read_bytes()
    assert doors_of(store, LOCAL_OPERATOR, crowd.id)[0].came == 0
    assert check(store) == []


@pytest.mark.parametrize("act", [anonymise, erase])
def test_a_visit_ends_with_its_worker_and_what_they_hold_goes_to_others(
    store: Store, crowd: Project, door: Door, act: Callable[..., object]
) -> None:
    _, worker = enter(store, door)
    act(store, LOCAL_OPERATOR, worker.name)
    assert doors_of(store, LOCAL_OPERATOR, crowd.id)[0].working == 0
    assert store.rows("SELECT 1 FROM sessions") == []
    assert check(store) == []
    entry, other = enter(store, door, "other")
    do_texts(store, other, crowd, 2)
    assert entry.token is not None
    assert leave(store, entry.token).code is not None
