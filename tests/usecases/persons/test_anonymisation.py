"""Somebody is anonymised: name, account and words are gone to the last byte, and every number is what it was."""

import shutil
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import Store, open_store
from annotator.usecases.access.accounts import disable_user
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.persons.erasure import anonymise, plan_anonymising
from annotator.usecases.project.projects import find_project, projects_of
from annotator.usecases.upkeep import check
from tests.usecases.persons.conftest import MAIL, OTHERS, WANDA, WORD, bytes_of, gold_of_project, numbers_of, speak
from tests.usecases.test_whole_life import _goes_out_and_in_again as goes_out_and_in_again


def metrics_of(store: Store) -> list[str]:
    """Every metric of every model, as it is computed now."""
    return [repr(evaluate_project(store, LOCAL_OPERATOR, project)) for project in projects_of(store, LOCAL_OPERATOR)]


def test_of_the_demonstration_no_byte_holds_the_name_and_no_number_changes(demonstration: Path, tmp_path: Path) -> None:
    shutil.copy(demonstration, tmp_path / "demo.db")
    with open_store(tmp_path / "demo.db") as demo:
        assert b"Annotator 2" in bytes_of(demo.path)
        disable_user(demo, LOCAL_OPERATOR, "Annotator 2")  # what they hold goes to others, which is all that changes
        before, measured = numbers_of(demo, {}), metrics_of(demo)
        removed = anonymise(demo, LOCAL_OPERATOR, "annotator 2")
        assert removed.is_wiped
        assert b"annotator 2" not in bytes_of(demo.path).lower()
        assert numbers_of(demo, {removed.called: "Annotator 2"}) == before
        assert metrics_of(demo) == measured
        assert (check(demo), demo.problems()) == ([], [])


def kept_of(store: Store, name: str) -> tuple[list[tuple[object, ...]], ...]:
    """What stays of somebody beside annotations and reviews: how they came out in training, verdicts, what they changed at once."""
    return tuple(
        [tuple(row) for row in store.rows(sql, (name,))]
        for sql in (
            """SELECT state, measures, answer ->> '$.draft.sets' FROM exercises JOIN users ON users.id = user_id
                WHERE name = ? ORDER BY exercises.id""",
            """SELECT audit_id, position, is_right, faults, texts FROM audit_items JOIN users ON users.id = auditor
                WHERE name = ? ORDER BY 1, 2""",
            "SELECT kind, n_instances, undone_by = made_by FROM bulk_actions WHERE made_by = ? ORDER BY id",
            "SELECT instance_id FROM named_people JOIN users ON users.id = user_id WHERE name = ? ORDER BY 1",
        )
    )


@pytest.mark.parametrize("seed", range(6))
def test_after_any_life_no_byte_is_left_of_name_and_words_and_the_numbers_are_the_same(
    store: Store, live, seed: int, tmp_path: Path
) -> None:
    life = live(seed)
    disable_user(store, LOCAL_OPERATOR, WANDA)  # what she holds goes to others, which is all that changes
    n_words = speak(store, WANDA)
    before, gold, kept = numbers_of(store, {}), gold_of_project(store, life.project), kept_of(store, WANDA)
    assert all(kept)
    assert plan_anonymising(store, LOCAL_OPERATOR, WANDA).held.words == n_words > 5
    removed = anonymise(store, LOCAL_OPERATOR, WANDA)
    assert WANDA.encode() not in bytes_of(store.path)
    assert WORD.encode() not in bytes_of(store.path)
    assert MAIL.encode() not in bytes_of(store.path)
    assert numbers_of(store, {removed.called: WANDA}) == before
    assert gold_of_project(store, life.project) == gold
    assert kept_of(store, removed.called) == kept
    assert store.rows("SELECT 1 FROM notices JOIN users ON users.id = user_id WHERE name = ?", (removed.called,)) == []
    assert store.rows("SELECT 1 FROM users WHERE name = ? AND language IS NOT NULL", (removed.called,)) == []
    assert store.rows("SELECT 1 FROM audit_items WHERE held_by IS NOT NULL") == []
    assert (check(store), store.problems()) == ([], [])
    goes_out_and_in_again(store, find_project(store, life.project.name), OTHERS, tmp_path)
