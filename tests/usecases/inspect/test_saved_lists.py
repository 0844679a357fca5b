"""Saved lists: what is listed, frozen under a name; who may change one; the record; our own export brings them back."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.measurements import MOST_LISTED, Question, SavedList
from annotator.domain.own_sources import SourceList
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store import lists as list_store
from annotator.store.instances import find_instance_ids
from annotator.store.measurements import last_event_id
from annotator.usecases.gold import GoldOptions
from annotator.usecases.inspect.saliency import list_instances_by
from annotator.usecases.inspect.stale_numbers import has_changed
from annotator.usecases.inspect.text_lists import (
    change_list,
    delete_list,
    lists_of_project,
    lists_with_instance,
    put_on_list,
    save_instance,
    save_listed,
    take_off_list,
)
from annotator.usecases.lead.timeline import timeline
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.transfer.export import everything_of, export_file
from annotator.usecases.transfer.file_import import import_file


@pytest.fixture
def maker(add_person: Callable[..., User], project: Project) -> User:
    return add_person("maker", project, "researcher")


@pytest.fixture
def other(add_person: Callable[..., User], project: Project) -> User:
    return add_person("other", project, "researcher")


@pytest.fixture
def worst(store: Store, project: Project, maker: User) -> SavedList:
    """The three texts that hold the word "the": t1, t2 and t4, in the order of import."""
    return save_listed(store, maker, Question(project.id, words="the "), "The worst", "look at  the soup\nagain")


def instance(store: Store, project: Project, key: str) -> int:
    [number] = find_instance_ids(store, project.id, key)
    return number


def keys(store: Store, project: Project, saved: SavedList, **asked: object) -> list[str]:
    question = Question(project.id, list_id=saved.id, **asked)  # type: ignore[arg-type]
    rows, n = list_instances_by(store, LOCAL_OPERATOR, question, 1)
    assert n == len(rows)
    return [row.key for row in rows]


def test_what_is_listed_is_saved_with_its_order_and_note_and_lists_again(store, project, worst, import_rows) -> None:
    assert (worst.name, worst.note, worst.made_by, worst.n) == ("The worst", "look at  the soup\nagain", "maker", 3)
    assert keys(store, project, worst) == ["t1", "t2", "t4"]
    assert keys(store, project, worst, words="soup") == ["t1"]
    import_rows(project, [{"id": "t5", "text": "the new one", "label": "positive"}])
    assert keys(store, project, worst) == ["t1", "t2", "t4"]  # a saved list does not move with what would be listed now


def test_a_list_keeps_the_order_in_which_it_was_put_together(store, project, maker) -> None:
    saved = save_instance(store, maker, project.id, instance(store, project, "t3"), "mine", "")
    for key in ("t1", "t4", "t1"):
        saved = put_on_list(store, maker, saved.id, instance(store, project, key))
    assert keys(store, project, saved) == ["t3", "t1", "t4"]
    take_off_list(store, maker, saved.id, instance(store, project, "t1"))
    saved = put_on_list(store, maker, saved.id, instance(store, project, "t1"))
    assert keys(store, project, saved) == ["t3", "t4", "t1"]
    again = save_listed(store, maker, Question(project.id, list_id=saved.id), "copy", "")
    assert keys(store, project, again) == ["t3", "t4", "t1"]


def test_everybody_who_may_use_models_sees_a_list_and_its_maker_or_a_lead_changes_it(
    store, project, worst, maker, other, annotator, add_person
) -> None:
    lead = add_person("lead", project, "lead")
    t3 = instance(store, project, "t3")
    for person, may_change in ((maker, True), (lead, True), (other, False), (LOCAL_OPERATOR, True)):
        assert lists_of_project(store, person, project.id) == [(worst, may_change)]
    for act in (
        lambda: change_list(store, other, worst.id, "x", ""),
        lambda: delete_list(store, other, worst.id),
        lambda: put_on_list(store, other, worst.id, t3),
        lambda: take_off_list(store, other, worst.id, t3),
    ):
        with pytest.raises(NotAllowed, match="'The worst' was made by maker; only they or a lead can change it"):
            act()
    with pytest.raises(NotAllowed, match="use models"):
        lists_of_project(store, annotator, project.id)
    assert (
        change_list(store, lead, worst.id, "the worst", "none").note == "none"
    )  # its own name in other letters is free
    assert delete_list(store, maker, worst.id).n == 3
    assert lists_of_project(store, other, project.id) == []
    assert instance(store, project, "t1")  # the texts stay


def test_whose_list_it_is_does_not_go_by_the_name(store, project, maker) -> None:
    """A list that came with a file from somebody of the same name, without an account, is no maker's."""
    source = SourceList(
        "theirs", "", "maker", by_user=False, created_at="2026-01-01T00:00:00Z", changed_at="2026-01-01T00:00:00Z"
    )
    with store.transaction():
        list_store.restore_list(store, project.id, source, None, [])
    [(_, may_change)] = lists_of_project(store, maker, project.id)
    assert not may_change


def test_refusals_name_what_is_wrong_and_store_nothing(store, project, worst, maker, make_project, import_rows) -> None:
    elsewhere = make_project(name="Elsewhere")
    import_rows(elsewhere, [{"id": "far", "text": "far away", "label": "positive"}])
    far = instance(store, elsewhere, "far")
    everything = Question(project.id)
    before = store.value("SELECT count(*) FROM events")
    for error, words, act in (
        (InvalidValue, "No text is listed now", lambda: save_listed(store, maker, Question(project.id, words="zebra"), "x", "")),
        (InvalidValue, "one line of 1 to 100", lambda: save_listed(store, maker, everything, "  ", "")),
        (InvalidValue, "one line of 1 to 100", lambda: save_listed(store, maker, everything, "two\nlines", "")),
        (InvalidValue, "at most 2,000 characters", lambda: save_listed(store, maker, everything, "x", "n" * 2001)),
        (InvalidValue, "already a list 'The worst', made by maker", lambda: save_listed(store, maker, everything, "THE WORST ", "")),
        (NotFound, "no instance number", lambda: put_on_list(store, maker, worst.id, far)),
        (NotFound, "no instance number", lambda: save_instance(store, maker, project.id, far, "x", "")),
        (NotFound, "no instance number", lambda: lists_with_instance(store, maker, project.id, far)),
        (NotFound, "not there", lambda: put_on_list(store, maker, 999, far)),
        (NotFound, "no list number", lambda: list_instances_by(store, LOCAL_OPERATOR, Question(elsewhere.id, list_id=worst.id), 1)),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            act()
    assert [saved for saved, _ in lists_of_project(store, maker, project.id)] == [worst]
    assert store.value("SELECT count(*) FROM events") == before


def test_more_than_a_list_holds_is_refused_before_anything_is_stored(store, project, maker, monkeypatch) -> None:
    monkeypatch.setattr("annotator.usecases.inspect.text_lists.MOST_LISTED", 3)
    with pytest.raises(InvalidValue, match="4 texts are listed now; a list holds at most 3"):
        save_listed(store, maker, Question(project.id), "all", "")
    full = save_listed(store, maker, Question(project.id, words="the "), "full", "")
    with pytest.raises(InvalidValue, match="'full' is full"):
        put_on_list(store, maker, full.id, instance(store, project, "t3"))
    assert MOST_LISTED == 10_000


def test_the_record_tells_of_lists_and_they_do_not_put_numbers_out_of_date(store, project, worst, maker) -> None:
    t3 = instance(store, project, "t3")
    since = last_event_id(store, project.id)
    put_on_list(store, maker, worst.id, t3)
    take_off_list(store, maker, worst.id, t3)
    save_instance(store, maker, project.id, t3, "mine", "")
    change_list(store, maker, worst.id, "better", "")
    delete_list(store, maker, worst.id)
    told = [(m.who, m.what) for m in timeline(store, LOCAL_OPERATOR, project, t3)]
    assert told[-3:] == [
        ("maker", "put the text on the list “The worst”"),
        ("maker", "took the text off the list “The worst”"),
        ("maker", "saved the list “mine” with 1 text"),
    ]
    assert not has_changed(store, project.id, since)


def lists(store: Store, project: Project, split: str | None = None) -> list[SourceList]:
    return [item for item in everything_of(store, project, split) if isinstance(item, SourceList)]


def test_our_own_export_brings_lists_back_with_makers_notes_and_order(store, project, worst, maker, tmp_path) -> None:
    save_instance(store, LOCAL_OPERATOR, project.id, instance(store, project, "t4"), "operator's", "")
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as there:
        copy = create_project(there, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(there, LOCAL_OPERATOR, copy, "jsonl", path)
        assert lists(there, find_project(there, "Copy")) == lists(store, project)
        assert [member for one in lists(there, copy) for member in one.members] == [
            ("t4", ""),
            ("t1", ""),
            ("t2", ""),
            ("t4", ""),
        ]
        assert there.problems() == []
    delete_list(store, maker, worst.id)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path)  # what is missing comes back, what is there stays
    assert [one.name for one in lists(store, project)] == ["operator's", "The worst"]


def test_a_list_of_a_file_that_names_an_unknown_instance_refuses_the_import(
    store, project, worst, tmp_path: Path
) -> None:
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path, GoldOptions())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    [row] = [row for row in rows if row["record"] == "list"]
    row["name"], row["members"] = "another", [["t1", ""], ["gone", ""]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    [problem] = refused.value.problems
    assert (problem.field, problem.value, problem.line) == ("members", "gone", rows.index(row) + 1)
    assert "the list 'another' names an instance" in problem.reason
    assert [saved.name for saved, _ in lists_of_project(store, LOCAL_OPERATOR, project.id)] == ["The worst"]


def test_an_export_of_one_split_holds_its_part_of_each_list(store, project, maker, import_rows) -> None:
    import_rows(project, [{"id": "t1", "text": "the tested one", "label": "negative", "split": "test"}])
    save_listed(store, maker, Question(project.id, words="the "), "both", "")
    assert [one.members for one in lists(store, project, "test")] == [(("t1", "test"),)]
