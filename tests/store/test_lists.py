"""Saved lists: what is on them in which order, once each, and what stays when a list goes."""

import pytest

from annotator.domain.measurements import Question
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.saved_lists import (
    add_list,
    change_list,
    count_lists,
    delete_list,
    fill_list,
    find_list,
    get_list,
    lists_of,
    lists_with,
    put_on_list,
    take_off_list,
    touch_list,
)
from tests.clock import pass_time


@pytest.fixture
def made(store: Store, project: Project, annotator: User) -> int:
    with store.transaction():
        return add_list(store, project.id, "odd ones", "", annotator)


def on(store: Store, list_id: int) -> list[int]:
    rows = store.rows("SELECT instance_id FROM list_members WHERE list_id = ? ORDER BY position", (list_id,))
    return [row[0] for row in rows]


def test_an_instance_is_on_a_list_once_at_the_end_and_can_be_taken_off(
    store: Store, project: Project, made: int
) -> None:
    first, second, third = (find_instance_ids(store, project.id, key)[0] for key in ("t3", "t1", "t2"))
    with store.transaction():
        assert [put_on_list(store, made, number) for number in (first, second, first, third)] == [
            True,
            True,
            False,
            True,
        ]
        assert on(store, made) == [first, second, third]
        assert [take_off_list(store, made, second) for _ in range(2)] == [True, False]
        assert put_on_list(store, made, second)
    assert on(store, made) == [first, third, second]
    assert (get_list(store, made).n, lists_with(store, second)) == (3, {made})


def test_a_list_holds_what_a_question_lists_in_its_order(store: Store, project: Project, made: int) -> None:
    with store.transaction():
        n = fill_list(store, made, Question(project.id))
    assert n == 4
    assert on(store, made) == [find_instance_ids(store, project.id, f"t{number}")[0] for number in (1, 2, 3, 4)]


def test_lists_come_by_name_and_one_is_found_whatever_the_case_of_its_letters(
    store: Store, project: Project, annotator: User, made: int
) -> None:
    with store.transaction():
        add_list(store, project.id, "Brief", "", annotator)
        change_list(store, made, "Awkward", "look again")
    assert [saved.name for saved in lists_of(store, project.id)] == ["Awkward", "Brief"]
    found = find_list(store, project.id, "AWKWARD")
    assert found is not None
    assert (found.id, found.note, found.made_by) == (made, "look again", annotator.name)
    assert find_list(store, project.id, "odd ones") is None
    assert (count_lists(store, project.id), count_lists(store, project.id + 1)) == (2, 0)


def test_touching_a_list_moves_its_time_of_change_alone(store: Store, made: int) -> None:
    before = get_list(store, made)
    pass_time(store, minutes=5)
    with store.transaction():
        touch_list(store, made)
    after = get_list(store, made)
    assert after.created_at == before.created_at
    assert after.changed_at > before.changed_at


def test_a_list_that_is_deleted_leaves_its_instances(store: Store, project: Project, made: int) -> None:
    [number] = find_instance_ids(store, project.id, "t1")
    with store.transaction():
        put_on_list(store, made, number)
        delete_list(store, made)
    assert lists_with(store, number) == set()
    assert find_instance_ids(store, project.id, "t1") == [number]
    with pytest.raises(NotFound, match=r"This no longer exists\. Choose another\."):
        get_list(store, made)
