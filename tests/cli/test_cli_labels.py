"""`annotator label`, and the ends of a project from the command line: what they print, ask and leave behind."""

from pathlib import Path

from annotator.store import open_store
from annotator.store.projects import find_project
from tests.cli.conftest import Command


def test_a_label_is_added_renamed_and_mapped_and_what_that_does_is_printed_first(filled: Command) -> None:
    assert filled("label", "add", "maybe", "--project", "P").out == "The labels are now: no, yes, maybe.\n"
    renamed = filled("label", "rename", "maybe", "perhaps", "--project", "P", "--yes").out
    assert renamed.splitlines()[0] == "“maybe” becomes “perhaps”. It changes: nothing that is stored."
    assert renamed.splitlines()[-1] == "“maybe” is now “perhaps”: nothing carried it."
    mapped = filled("label", "map", "no", "perhaps", "--project", "P", "--yes").out
    assert "It changes: 1 instance." in mapped
    assert "This cannot be undone" in mapped
    listed = filled("label", "list", "--project", "P", "--json").json["labels"]
    assert listed == [
        {"label": "yes", "instances": 1, "annotations": 1},
        {"label": "perhaps", "instances": 1, "annotations": 0},
    ]
    assert filled("label", "list", "--project", "P").out.splitlines()[1] == "perhaps  (1 instance, 0 annotations)"


def test_a_project_is_archived_restored_and_deleted(filled: Command, path: Path) -> None:
    assert "Bring it back with: annotator project restore 'P'" in filled("project", "archive", "P").out
    assert filled("project", "list").out == "P  (sentiment, en, 2 instances, archived)\n"
    refused = filled("label", "add", "maybe", "--project", "P")
    assert (refused.code, "The project 'P' is archived" in refused.err) == (1, True)
    assert filled("project", "restore", "P").out == "Project 'P' is at work again.\n"
    wrong = filled("project", "delete", "P", "--name-again", "Q")
    assert (wrong.code, "'Q' is not the name of this project" in wrong.err) == (1, True)
    deleted = filled("project", "delete", "P", "--name-again", "P", "--json").json
    assert (deleted["n_instances"], Path(deleted["backup"]).exists()) == (2, True)
    with open_store(path) as store:
        assert find_project(store, "P") is None


def test_a_project_that_was_created_here_says_that_nobody_leads_it(annotator: Command) -> None:
    made = annotator("project", "create", "New", "--task", "sentiment", "--labels", "a,b").out
    assert "Nobody leads it yet; only administrators see it" in made
    assert "annotator user add NAME --role lead --project 'New'" in made
