"""Saved views: what was chosen, under a name; who may change one; the record; our own export brings them back."""

import json
from pathlib import Path

import pytest

from annotator.domain.measurements import MOST_VIEWS, SavedView
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, NotAllowed, NotFound
from annotator.store import open_store
from annotator.store.events import all_events
from annotator.store.measurements import last_event_id
from annotator.store.saved_lists import views_as_sources
from annotator.usecases.inspect.stale_numbers import has_changed
from annotator.usecases.inspect.text_lists import (
    delete_view,
    params_of,
    rename_view,
    save_view,
    view_of_project,
    views_of_project,
)
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.usecases.inspect.test_text_lists import maker, other

__all__ = ["maker", "other"]
CHOSEN = {"split": ("",), "models": ("a&b=c", "größer, als"), "columns": ("sets.best_f1",)}


@pytest.fixture
def view(store, project, maker) -> SavedView:
    return save_view(store, maker, project, " My view ", CHOSEN)


def test_a_view_holds_what_was_chosen_whatever_its_names_are_made_of(store, project, other, view) -> None:
    assert view.name == "My view"
    assert view.made_by == "maker"
    assert params_of(view_of_project(store, other, project, view.id)) == CHOSEN


def test_names_are_taken_once_without_regard_to_case(store, project, other, view) -> None:
    with pytest.raises(InvalidValue, match=r"'My view' exists \(made by maker\)\. Choose another name\."):
        save_view(store, other, project, "MY VIEW", {})
    assert rename_view(store, LOCAL_OPERATOR, view.id, "my view").name == "my view"


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\x00b"])
def test_a_name_that_cannot_be_read_is_refused(store, project, maker, name) -> None:
    with pytest.raises(InvalidValue, match=r"Names are one line of 1–100 visible characters\."):
        save_view(store, maker, project, name, {})
    assert views_of_project(store, maker, project) == []


def test_only_its_maker_and_leads_change_a_view(store, project, maker, other, view, add_person) -> None:
    assert [may_change for _, may_change in views_of_project(store, other, project)] == [False]
    for change in (lambda: rename_view(store, other, view.id, "mine"), lambda: delete_view(store, other, view.id)):
        with pytest.raises(NotAllowed, match=r"Only maker or a lead can change 'My view'\. Save your own\."):
            change()
    lead = add_person("boss", project, "lead")
    assert rename_view(store, lead, view.id, "ours").name == "ours"
    delete_view(store, maker, view.id)
    assert views_of_project(store, maker, project) == []


def test_whoever_may_not_use_models_sees_no_view(store, project, view, add_person) -> None:
    annotator = add_person("ann", project, "annotator")
    for look in (
        lambda: views_of_project(store, annotator, project),
        lambda: view_of_project(store, annotator, project, view.id),
        lambda: save_view(store, annotator, project, "x", {}),
        lambda: delete_view(store, annotator, view.id),
    ):
        with pytest.raises(NotAllowed):
            look()


def test_a_view_of_another_project_is_not_there(store, project, view) -> None:
    another = create_project(store, LOCAL_OPERATOR, "Another", get_task("sentiment"))
    with pytest.raises(NotFound, match=rf"No view number {view.id}\."):
        view_of_project(store, LOCAL_OPERATOR, another, view.id)
    with pytest.raises(NotFound, match="This no longer exists"):
        view_of_project(store, LOCAL_OPERATOR, project, 4711)


def test_what_is_too_much_for_a_view_is_refused_with_its_size(store, project, maker) -> None:
    with pytest.raises(
        InvalidValue, match=r"The selection takes 30,007 characters of 20,000\. Choose fewer columns or rows\."
    ):
        save_view(store, maker, project, "long", {"models": ("x" * 30_000,)})
    for n in range(MOST_VIEWS):
        save_view(store, maker, project, f"view {n}", {})
    with pytest.raises(InvalidValue, match=r"The maximum is 200\. Delete one first\."):
        save_view(store, maker, project, "one more", {})


def test_the_record_says_what_became_of_a_view_and_no_number_grows_old_by_it(store, project, maker) -> None:
    before = last_event_id(store, project.id)
    view = save_view(store, maker, project, "first", CHOSEN)
    rename_view(store, maker, view.id, "second")
    rename_view(store, maker, view.id, "second")  # nothing happened
    delete_view(store, maker, view.id)
    events = [event for event in all_events(store, project.id) if "view" in event.action]
    assert [(event.actor, event_words(event)) for event in events] == [
        ("maker", "saved the metrics view “first”"),
        ("maker", "renamed “first” to “second”"),
        ("maker", "deleted the metrics view “second”"),
    ]
    assert not has_changed(store, project.id, before)


def test_our_own_export_brings_views_back_with_their_makers(store, project, maker, view, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as elsewhere:
        copy = create_project(elsewhere, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(elsewhere, LOCAL_OPERATOR, copy, "jsonl", path)
        assert views_as_sources(elsewhere, copy.id) == views_as_sources(store, project.id)
        assert elsewhere.problems() == []
    delete_view(store, maker, view.id)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path)  # what is missing comes back, what is there stays
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    assert [source.name for source in views_as_sources(store, project.id)] == ["My view"]


def test_a_view_of_a_file_that_is_too_long_refuses_the_import(store, project, view, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row.get("record") == "view":
            row |= {"name": "other", "query": "x" * 20_001}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(
        ImportRefused, match=r"1 problem in 'all\.jsonl'; nothing was stored\. Correct it or use --skip-invalid\."
    ):
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
