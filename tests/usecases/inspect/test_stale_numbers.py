"""Which events put numbers out of date: those that change gold, answers or attributions, and no others."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.suites import Case
from annotator.store import Store
from annotator.store.events import add_event
from annotator.usecases.annotate.work import next_work, submit, withdraw
from annotator.usecases.inspect.measurement import is_measured, is_out_of_date, measure
from annotator.usecases.inspect.metric_values import has_changed_since, newest_event
from annotator.usecases.inspect.stale_numbers import _CHANGES, has_changed, last_change
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.project.projects import change_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.suites.construction import save_test
from annotator.usecases.suites.runs import run_suite
from tests.conftest import REPOSITORY

# What people do that changes neither gold nor what models say.
HARMLESS = frozenset({
    "add label", "add role", "add user", "approve perturbation", "archive", "backup", "bring back", "change list", "change score", "change word list",
    "check perturbation: ", "copy rules", "create", "decide: keep", "decide round: returned", "delete", "delete list", "delete view", "disable user", "erase from releases", "export", "export release",
    "accept training gold", "allow after training", "begin as worker", "change door", "change password", "change training",
    "end as worker", "end training", "leave project", "make door", "pay worker", "pick training texts", "take data along",
    "stop worker", "take out training text", "take payment back",
    "change evidence pass", "start evidence pass", "take over every evidence", "draw audit", "judge version",
    "export suite", "fail to sign in", "fail to use token", "freeze gold", "give back", "give role", "import suite", "import suite predictions",
    "make first link", "make suite", "make test", "make token", "make word list", "measure", "propose discard",
    "put on list", "remove suite", "remove test", "remove word list", "rename view", "renew link", "reset user", "restore", "review", "revise perturbation",
    "revoke token", "run suite", "save list", "save view", "set password", "sign in", "sign out", "skip", "skip review", "take off list",
    "take role", "withdraw perturbation", "write perturbation", "write prompts",
})  # fmt: skip
_PLACE_OF_ACTION = {"add_event": 2, "record_event": 3, "_note": 2, "_tell": 0}


def told_actions() -> Iterator[str]:
    """Every action that the program writes into its record; of one that is put together, what it begins with."""
    for path in sorted((REPOSITORY / "annotator").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
                name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
                place = _PLACE_OF_ACTION.get(name)
                if place is not None and len(call.args) > place:
                    for part in ast.walk(call.args[place]):
                        if isinstance(part, ast.Constant) and isinstance(part.value, str):
                            yield part.value


def test_every_action_that_is_written_down_is_known_to_change_numbers_or_not_to() -> None:
    prefixes = ("decide round: ", "decide: ")
    known = {*_CHANGES, *HARMLESS}
    told = set(told_actions())
    assert len(told) > 40
    unknown = {action for action in told if action not in known and action not in prefixes}
    assert unknown == set(), "say in stale_numbers.py, or in the list of this test, whether it changes numbers"
    assert known.isdisjoint(prefixes)
    assert HARMLESS.isdisjoint(_CHANGES)


@pytest.fixture
def measured(store: Store, project: Project) -> Project:
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions())
    measure(store, LOCAL_OPERATOR, project)
    assert not is_out_of_date(store, project)
    return project


def test_numbers_that_were_never_measured_are_told_from_old_ones(store: Store, project: Project) -> None:
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions())
    assert (is_out_of_date(store, project), is_measured(store, project)) == (True, False)
    measure(store, LOCAL_OPERATOR, project)
    assert (is_out_of_date(store, project), is_measured(store, project)) == (False, True)


def test_running_tests_puts_no_number_out_of_date(store: Store, measured: Project) -> None:
    newest = newest_event(store, LOCAL_OPERATOR, measured)
    save_word_list(store, LOCAL_OPERATOR, measured, "good", ["good", "great"])
    asked = Case("t", "MFT", "Logic", "1", ("It was not good.",), "label", ("negative",))
    save_test(store, LOCAL_OPERATOR, measured, "s", [asked])
    assert run_suite(store, LOCAL_OPERATOR, measured, "s", "built-in").n_tests == 1
    assert not is_out_of_date(store, measured)
    assert not has_changed_since(store, LOCAL_OPERATOR, measured, newest)
    assert newest_event(store, LOCAL_OPERATOR, measured) == newest


def test_training_puts_numbers_out_of_date_where_it_gives_another_model(
    store: Store, measured: Project, import_rows: Callable[..., object]
) -> None:
    before = last_change(store, measured.id)
    attribute(store, LOCAL_OPERATOR, measured, "built-in", "linear", AttributingOptions(trains=True))
    assert not has_changed(store, measured.id, before)  # the same examples give the same model
    import_rows(measured, [{"id": "one more", "text": "a cold bad day", "label": "negative"}])
    measure(store, LOCAL_OPERATOR, measured)
    assert not is_out_of_date(store, measured)
    attribute(store, LOCAL_OPERATOR, measured, "built-in", "linear", AttributingOptions(trains=True))
    assert is_out_of_date(store, measured)


def test_taking_out_what_a_model_says_puts_numbers_out_of_date_at_once(store: Store, measured: Project) -> None:
    before = last_change(store, measured.id)
    attribute(store, LOCAL_OPERATOR, measured, "built-in", "linear", AttributingOptions(is_anew=True))
    assert has_changed(store, measured.id, before)


def test_importing_the_same_again_changes_no_number_and_importing_more_does(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    before = last_change(store, project.id)
    import_rows(project, [{"id": "t1", "text": "The staff never smiled and the soup was cold.", "label": "negative"}])
    assert not has_changed(store, project.id, before)
    import_rows(project, [{"id": "new", "text": "Fine.", "label": "positive"}])
    assert has_changed(store, project.id, before)


def test_only_rules_that_decide_what_gold_is_change_numbers(store: Store, project: Project) -> None:
    before = last_change(store, project.id)
    changed = replace(project, guidelines="Mark little.", settings=replace(project.settings, lease_minutes=5))
    change_project(store, LOCAL_OPERATOR, changed)
    assert not has_changed(store, project.id, before)
    change_project(store, LOCAL_OPERATOR, replace(changed, settings=replace(changed.settings, gold_policy="union")))
    assert has_changed(store, project.id, before)


@pytest.mark.parametrize("is_reviewed", [False, True])
def test_a_submission_changes_numbers_where_it_counts_at_once(
    store: Store, project: Project, annotator: User, is_reviewed: bool
) -> None:
    settings = replace(project.settings, reviewers_per_annotation=int(is_reviewed), may_be_empty=True)
    project = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    before = last_change(store, project.id)
    work = next_work(store, annotator, project.id).work
    assert work is not None
    draft = replace(work.assignment.draft, result="negative", no_rationale=True)
    submit(store, annotator, work.assignment.id, work.assignment.revision, draft)
    assert has_changed(store, project.id, before) is not is_reviewed
    before = last_change(store, project.id)
    withdraw(store, annotator, work.assignment.id)
    assert has_changed(store, project.id, before) is not is_reviewed


def test_events_of_before_that_do_not_say_what_they_changed_count(store: Store, project: Project) -> None:
    for action in ("submit", "withdraw", "train model", "change"):
        before = last_change(store, project.id)
        with store.transaction():
            detail = {"changed": ["settings"]} if action == "change" else {}
            add_event(store, "ann", action, "project", project.id, project_id=project.id, **detail)
        assert has_changed(store, project.id, before), action


def test_the_last_change_is_found_behind_many_events_that_change_nothing(store: Store, project: Project) -> None:
    before = last_change(store, project.id)
    with store.transaction():
        for _ in range(60):
            add_event(store, "ann", "submit", "project", project.id, project_id=project.id, state="submitted")
    assert last_change(store, project.id) == before
