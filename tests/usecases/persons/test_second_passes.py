"""Somebody had a part in a second pass: their name and words go from what it remembers, and gold is as it was before them."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.evidence import Selection
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.people import get_user
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.evidence.exhaustive_gold import take_back, take_over
from annotator.usecases.gold import gold_instances
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.persons.erasure import anonymise, erase
from annotator.usecases.persons.removal import Removed
from annotator.usecases.project.exhaustive_passes import start_pass
from annotator.usecases.project.projects import instances_of
from annotator.usecases.upkeep import check
from tests.usecases.persons.conftest import WANDA, WORD, bytes_of

OF_THE_LEAD, OF_THE_FILE = [(2,)], [(0,)]


@pytest.fixture
def passed(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> tuple[Project, Project]:
    """Wanda chose the gold of a text, Ann and Bo marked more in a second pass, and that is its gold now."""
    first = make_project(gold_policy="all", annotators_per_instance=2)
    import_rows(first, [{"id": "t", "text": "good and bad", "label": "positive", "rationales": [[[0, 1]]]}])
    wanda, ann = add_person(WANDA, first, "lead"), add_person("Ann", first, "annotator")
    bo = add_person("Bo", first, "annotator")
    [original] = [row.id for row in instances_of(store, LOCAL_OPERATOR, first.id)]
    adjudicate(store, wanda, first, original, "positive", (RationaleSet.of((2, 3)),), WORD)
    second = start_pass(store, LOCAL_OPERATOR, first.id, "More", Selection(""))
    for person, span in ((ann, (0, 1)), (bo, (1, 2))):
        work = next_work(store, person, second.id).work
        assert work is not None
        sets = (RationaleSet.of(span), RationaleSet.of((2, 3)))
        submit(store, person, work.assignment.id, work.assignment.revision, Draft("positive", sets))
    assert take_over(store, LOCAL_OPERATOR, second.id) == 1
    assert store.value("SELECT count(*) FROM annotations WHERE annotator = 'Ann, Bo'") == 1
    return first, second


def chosen(store: Store, project: Project) -> list[tuple[int, ...]]:
    """The tokens of the gold sets of the text, as the lead chose."""
    [item] = gold_instances(store, project, "chosen")
    return [tuple(gold_set.token_indices) for gold_set in item.sets]


@pytest.mark.parametrize(("act", "left"), [(anonymise, OF_THE_LEAD), (erase, OF_THE_FILE)])
def test_what_a_pass_remembers_of_the_lead_who_chose_before_names_them_no_more(
    store: Store, passed: tuple[Project, Project], act: Callable[..., Removed], left: list[tuple[int, ...]]
) -> None:  # fmt: skip
    first, second = passed
    act(store, LOCAL_OPERATOR, WANDA)
    assert not [word for word in (WANDA, WORD) if word.encode() in bytes_of(store.path)]
    assert take_back(store, LOCAL_OPERATOR, second.id) == 1
    assert chosen(store, first) == left
    assert check(store) == []


@pytest.mark.parametrize("act", [anonymise, erase])
def test_of_several_people_behind_gold_only_the_one_who_went_is_called_otherwise(
    store: Store, passed: tuple[Project, Project], act: Callable[..., Removed]
) -> None:
    before = chosen(store, passed[0])
    called = act(store, LOCAL_OPERATOR, "Ann").called
    assert b"Ann" not in bytes_of(store.path).replace(b"Annot", b"")
    assert store.value("SELECT count(*) FROM annotations WHERE annotator = ?", (f"{called}, Bo",)) == 1
    assert chosen(store, passed[0]) == before
    assert check(store) == []


def test_gold_that_came_of_one_person_alone_goes_with_them_and_what_the_lead_chose_before_stands_again(
    store: Store, passed: tuple[Project, Project]
) -> None:
    with store.transaction():
        ann = get_user(store, "Ann")
        store.run("UPDATE annotations SET annotator = 'Ann', user_id = ? WHERE annotator = 'Ann, Bo'", (ann.id,))
    erase(store, LOCAL_OPERATOR, "Ann")
    assert chosen(store, passed[0]) == OF_THE_LEAD
    assert store.rows("SELECT 1 FROM evidence_copies WHERE taken IS NOT NULL") == []
    assert check(store) == []
