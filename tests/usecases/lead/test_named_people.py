"""Texts are for named people: these get them first or alone, everybody's numbers are right, and nothing is lost when they leave."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.search import BulkChange, NamedAs, Search
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ImportRefused, InvalidValue, LeaseLost, NotAllowed
from annotator.store import Store, open_store
from annotator.store.instances import rows_of
from annotator.usecases.annotate.work import next_work, skip, submit
from annotator.usecases.databases import find_project
from annotator.usecases.lead.bulk_actions import BulkResult, change_many, plan_change, undo
from annotator.usecases.lead.decisions import stuck_work
from annotator.usecases.lead.instance_search import found_ids
from annotator.usecases.project.projects import create_project, take_role
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check
from tests.usecases.transfer.test_export import content_of

People = Callable[..., User]


@pytest.fixture
def bo(add_person: People, project: Project) -> User:
    return add_person("Bo", project, "annotator")


@pytest.fixture
def chen(add_person: People, project: Project) -> User:
    return add_person("Chen", project, "annotator")


def all_ids(store: Store, project: Project) -> list[int]:
    return found_ids(store, LOCAL_OPERATOR, project, Search())


def name(
    store: Store, project: Project, ids: Sequence[int], *people: str, as_: NamedAs = "only"
) -> BulkResult:  # fmt: skip
    result = change_many(store, LOCAL_OPERATOR, project, BulkChange("name", people=people, named_as=as_), ids)
    assert check(store) == []
    return result


def hand_in(store: Store, user: User, project: Project) -> int | None:
    """Hand in the next text; answers its number, None when nothing is left."""
    work = next_work(store, user, project.id).work
    if work is None:
        return None
    draft = Draft(None, (RationaleSet.of((0, 2)),))
    submit(store, user, work.assignment.id, work.assignment.revision, draft)
    return work.instance.id


def all_of(store: Store, user: User, project: Project) -> list[int]:
    numbers = []
    while (number := hand_in(store, user, project)) is not None:
        numbers.append(number)
    assert check(store) == []
    return numbers


def test_texts_for_somebody_come_first_to_them_and_never_to_others(
    store: Store, project: Project, bo: User, chen: User
) -> None:
    ids = all_ids(store, project)
    order = [row.id for row in rows_of(store, ids)]
    name(store, project, ids[2:], "bo")  # names are found whatever the case
    assert next_work(store, chen, project.id).counts["waiting"] == 0  # two are in hand, the others are Bo's
    assert sorted(all_of(store, chen, project)) == order[:2]
    answer = next_work(store, bo, project.id)
    assert answer.work is not None
    assert answer.counts["waiting"] + answer.counts["open"] == 2
    assert sorted(all_of(store, bo, project)) == order[2:]


def test_texts_first_for_somebody_come_to_others_when_nothing_else_is_left(
    store: Store, project: Project, bo: User, chen: User
) -> None:
    ids = all_ids(store, project)
    name(store, project, ids[:1], "Bo", as_="first")
    assert all_of(store, chen, project)[-1] == ids[0]
    assert next_work(store, bo, project.id).work is None


def test_each_persons_number_counts_what_they_may_be_given(
    store: Store, project: Project, bo: User, chen: User, import_rows: Callable[..., object]
) -> None:
    rows = [{"id": f"more{n}", "text": f"Text number {n} was fine.", "label": "positive"} for n in range(20)]
    import_rows(project, rows)
    ids = all_ids(store, project)
    before = {user.name: next_work(store, user, project.id).counts for user in (bo, chen)}
    assert [before[user]["waiting"] for user in ("Bo", "Chen")] == [22, 20]
    free = [
        number for number in ids if not store.value("SELECT count(*) FROM assignments WHERE instance_id = ?", (number,))
    ]
    name(store, project, free[:8], "Bo")
    name(store, project, free[8:11], "Bo", "Chen", as_="first")
    counts = {user.name: next_work(store, user, project.id).counts["waiting"] for user in (bo, chen)}
    assert counts == {"Bo": 20, "Chen": 12}
    name(store, project, free[:11])  # free again
    assert {user.name: next_work(store, user, project.id).counts["waiting"] for user in (bo, chen)} == {
        "Bo": 20,
        "Chen": 20,
    }


def test_an_address_does_not_open_a_text_that_is_for_others(
    store: Store, project: Project, bo: User, chen: User
) -> None:
    ids = all_ids(store, project)
    name(store, project, ids, "Bo")
    assert next_work(store, chen, project.id).work is None
    with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
        next_work(store, chen, project.id, ids[0])


def test_what_somebody_skipped_is_not_theirs_again_once_it_is_for_others(
    store: Store, project: Project, bo: User, chen: User
) -> None:
    work = next_work(store, chen, project.id).work
    assert work is not None
    skip(store, chen, work.assignment.id)
    name(store, project, [work.instance.id], "Bo")
    assert work.instance.id not in all_of(store, chen, project)
    with pytest.raises(LeaseLost):
        submit(store, chen, work.assignment.id, 0, Draft(None, (RationaleSet.of((0, 2)),)))
    assert hand_in(store, bo, project) == work.instance.id


def test_what_somebody_holds_is_not_given_to_others(store: Store, project: Project, bo: User, chen: User) -> None:
    held = next_work(store, chen, project.id)
    ids = all_ids(store, project)
    result = name(store, project, ids, "Bo")
    assert result.plan.passed_over == {"held": 2}
    assert name(store, project, ids, "Bo", "Chen").plan.passed_over == {}
    assert held.work is not None


def test_texts_of_who_left_are_told_and_freed(store: Store, project: Project, bo: User, chen: User) -> None:
    ids = all_ids(store, project)
    name(store, project, ids[:3], "Bo")
    assert stuck_work(store, LOCAL_OPERATOR, project).for_the_gone == ()
    take_role(store, LOCAL_OPERATOR, project.id, "Bo", "annotator")
    stuck = stuck_work(store, LOCAL_OPERATOR, project)
    assert stuck.for_the_gone == tuple(ids[:3])
    assert stuck.n_texts == 3
    assert all_of(store, chen, project) == [ids[3]]
    name(store, project, stuck.for_the_gone)
    assert sorted(all_of(store, chen, project)) == ids[:3]


def test_naming_is_undone(store: Store, project: Project, bo: User, chen: User) -> None:
    ids = all_ids(store, project)
    first = name(store, project, ids, "Chen", as_="first")
    second = name(store, project, ids[:2], "Bo")
    assert first.action is not None
    assert second.action is not None
    assert undo(store, LOCAL_OPERATOR, project, first.action.id).n_changed == 2
    assert undo(store, LOCAL_OPERATOR, project, second.action.id).n_restored == 2
    assert found_ids(store, LOCAL_OPERATOR, project, Search(named="Chen")) == ids[:2]
    assert check(store) == []


def test_a_text_is_given_out_again_to_named_people(store: Store, project: Project, bo: User, chen: User) -> None:
    ids = all_of(store, bo, project)
    change_many(store, LOCAL_OPERATOR, project, BulkChange("give out", people=("Chen",)), ids[:1])
    assert all_of(store, chen, project) == ids[:1]


def test_texts_can_only_be_for_who_annotates_there(
    store: Store, project: Project, bo: User, add_person: People
) -> None:
    add_person("Reader", project, "researcher")
    for stranger in ("Nobody", "Reader"):
        with pytest.raises(
            InvalidValue, match=rf"'{stranger}' doesn't annotate here\. Choose bo, or give a role \(People\)\."
        ):
            name(store, project, all_ids(store, project), stranger)


def test_for_whom_texts_are_goes_out_and_in_again(
    store: Store, project: Project, bo: User, chen: User, tmp_path: Path
) -> None:
    ids = all_of(store, bo, project)
    change_many(store, LOCAL_OPERATOR, project, BulkChange("give out"), ids[:2])
    name(store, project, ids[:1], "Chen", "Bo", as_="first")
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        assert content_of(other, find_project(other, "Copy")) == content_of(store, project)
        assert check(other) == []
        assert len(found_ids(other, LOCAL_OPERATOR, copy, Search(named="Chen"))) == 1


@pytest.mark.parametrize("fault", [{"named": ["Bo"]}, {"named_as": "only"}])
def test_a_file_that_names_people_without_the_way_is_refused(
    store: Store, make_project: Callable[..., Project], tmp_path: Path, project: Project, fault: dict[str, object]
) -> None:
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    broken = [line | fault if line["record"] == "instance" else line for line in lines]
    (tmp_path / "broken.jsonl").write_text("".join(json.dumps(line) + "\n" for line in broken))
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, make_project(name="Other"), "jsonl", tmp_path / "broken.jsonl")
    assert "Give both “named” and how, or neither." in refused.value.problems[0].reason


def test_a_project_in_which_nobody_is_named_counts_as_before(store: Store, project: Project, bo: User) -> None:
    ids = all_ids(store, project)
    change_many(store, LOCAL_OPERATOR, project, BulkChange("split", split="dev"), ids)
    statements: list[str] = []
    store.connection.set_trace_callback(statements.append)
    counts = next_work(store, bo, project.id).counts
    store.connection.set_trace_callback(None)
    assert counts["waiting"] == 2
    assert not any("count(*) FROM (SELECT 1 FROM instances" in statement for statement in statements)


def test_a_lead_knows_before_how_many_texts_lack_an_annotator_with_the_named_alone(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project(annotators_per_instance=2)
    import_rows(project, [{"id": f"t{n}", "text": f"Warm bread, table {n}.", "label": "positive"} for n in range(3)])
    bo, _chen = add_person("Bo", project, "annotator"), add_person("Chen", project, "annotator")
    ids = all_ids(store, project)

    def n_short(*people: str, way: NamedAs = "only") -> int:
        return plan_change(store, LOCAL_OPERATOR, project, BulkChange("name", people=people, named_as=way), ids).n_short

    assert (n_short("Bo"), n_short("Bo", "Chen"), n_short("Bo", way="first"), n_short()) == (3, 0, 0, 0)
    hand_in(store, bo, project)
    hand_in(store, bo, project)
    hand_in(store, bo, project)
    assert (n_short("Chen"), n_short("Bo")) == (0, 3)
    given_again = BulkChange("give out", people=("Bo",))
    assert plan_change(store, LOCAL_OPERATOR, project, given_again, ids).n_short == 0
