"""Which events put numbers out of date, which release gold is equal to, and what an earlier version measured wrongly."""

import ast
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.suites import Case
from annotator.domain.texts import RationaleSet
from annotator.language import speaking
from annotator.metrics import against_sets
from annotator.metrics.ragged import Integers
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import metric_table
from annotator.store import Store, open_store
from annotator.store.events import add_event, list_events
from annotator.store.instances import find_instance_ids
from annotator.store.measurements import measurements_of
from annotator.usecases.annotate.work import next_work, submit, withdraw
from annotator.usecases.inspect.gold_release import cited_in_words, gold_release
from annotator.usecases.inspect.groups import evaluate_groups
from annotator.usecases.inspect.measurement import is_measured, is_out_of_date, measure
from annotator.usecases.inspect.metric_formats import table_csv, table_latex, table_text
from annotator.usecases.inspect.metric_values import has_changed_since, newest_event
from annotator.usecases.inspect.metrics_table import metric_view
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from annotator.usecases.inspect.stale_numbers import _CHANGES, has_changed, last_change
from annotator.usecases.lead.decisions import adjudicate, take_choice_back
from annotator.usecases.lead.event_words import event_actor, event_words
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.project.projects import change_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.suites.construction import save_test
from annotator.usecases.suites.runs import run_suite
from annotator.usecases.upkeep import check
from tests.conftest import REPOSITORY, parsed

# What people do that changes neither gold nor what models say.
HARMLESS = frozenset({
    "add label", "add role", "add user", "approve perturbation", "archive", "backup", "bring back", "change list", "change score", "change word list",
    "check perturbation: ", "copy rules", "create", "decide: keep", "decide round: returned", "delete", "delete list", "delete view", "disable user", "erase from releases", "export", "export release",
    "accept training gold", "allow after training", "begin as worker", "change door", "change password", "change training",
    "end as worker", "end training", "leave project", "make door", "pay worker", "pick training texts", "take data along",
    "stop worker", "take out training text", "take payment back",
    "change evidence pass", "start evidence pass", "take over every evidence", "draw audit", "judge version",
    "export suite", "fail to sign in", "fail to use token", "freeze gold", "give back", "give role", "import suite", "import suite predictions", "join accounts", "join by single sign-on",
    "make first link", "make suite", "make test", "make token", "make word list", "measure", "propose discard",
    "put on list", "remove suite", "remove test", "remove word list", "rename view", "renew link", "reset user", "restore", "review", "revise perturbation",
    "revoke token", "run suite", "save list", "save view", "set password", "sign in", "sign out", "skip", "skip review", "take off list",
    "take role", "withdraw perturbation", "write perturbation", "write prompts", "find sufficient sets",
    "shadow review",
})  # fmt: skip
_PLACE_OF_ACTION = {"add_event": 2, "record_event": 3, "_note": 2, "_tell": 0}


def told_actions() -> Iterator[str]:
    """Every action that the program writes into its record; of one that is put together, what it begins with."""
    for path in sorted((REPOSITORY / "annotator").rglob("*.py")):
        for call in ast.walk(parsed(path)):
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


# Numbers cite the release that gold is equal to, and say when gold has moved on.


@pytest.fixture
def released(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project()
    rows = [
        {"id": f"t{n}", "text": "good and bad", "label": label, "rationales": [[[0, 1]]], "annotator": "a"}
        for n, label in enumerate(("positive", "negative") * 3)
    ]
    import_rows(made, rows)
    return made


def test_numbers_cite_the_release_until_gold_moves_on_and_again_when_it_is_back(
    store: Store, released: Project
) -> None:
    assert gold_release(store, released, "chosen") is None
    release = freeze_gold(store, LOCAL_OPERATOR, released, "camera ready", licence="CC0")
    assert evaluate_project(store, LOCAL_OPERATOR, released)["release"] == release.words
    [number] = find_instance_ids(store, released.id, "t0")
    adjudicate(store, LOCAL_OPERATOR, released, number, "positive", [RationaleSet.of((2, 3))], "better")
    moved = f"moved on since release 1 “camera ready” ({release.day}): 1 instance differs"
    assert evaluate_project(store, LOCAL_OPERATOR, released)["release"] == moved
    take_choice_back(store, LOCAL_OPERATOR, released, number, "a slip")
    assert evaluate_project(store, LOCAL_OPERATOR, released)["release"] == release.words


def test_another_policy_makes_other_gold_than_the_release(store: Store, released: Project) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, released, "camera ready", licence="CC0")
    assert gold_release(store, released, "union") == f"not that of {release.words}, whose policy is “chosen”"


@pytest.mark.parametrize("group", ["a", None])
def test_the_annotations_of_some_people_are_not_what_a_release_holds(
    store: Store, released: Project, group: str | None
) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, released, "camera ready", licence="CC0")
    attribute(store, LOCAL_OPERATOR, released, "built-in", "random")
    alone = f"not that of {release.words}, since it is of some people alone"
    options = ScoringOptions(by="annotator", group=group)
    whole = evaluate_project(store, LOCAL_OPERATOR, released, options=options)["release"]
    assert whole == (release.words if group is None else alone)
    each = evaluate_groups(store, LOCAL_OPERATOR, released, options=ScoringOptions(by="annotator"))
    assert [made.numbers["release"] for made in each] == [alone]


def test_the_table_says_it_as_text_latex_and_csv(store: Store, released: Project) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, released, "camera ready", licence="CC0")
    attribute(store, LOCAL_OPERATOR, released, "built-in", "random")
    table = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, released))
    view = metric_view(table, (), n_resamples=0)
    assert f"gold: {release.words}" in " ".join(table_text(view).split())
    assert "release 1" in table_latex(table, view.rows, view.columns)
    assert release.words in table_csv(table)


def test_whoever_reads_chinese_reads_what_the_numbers_cite_in_chinese(store: Store, released: Project) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, released, "camera ready", licence="CC0")
    cited = [
        release.words,
        gold_release(store, released, "union"),
        gold_release(store, released, "chosen", is_of_people=True),
    ]
    with speaking("zh"):
        words = [cited_in_words(citation or "") for citation in cited]
    named = f"发布版 1“camera ready”（{release.day}）"
    assert words == [named, f"不是{named}的金标准，其策略为“选定”", f"不是{named}的金标准，因为只取了部分人的标注"]
    assert [cited_in_words(citation or "") for citation in cited] == cited, "English as it was"


# Databases of the version whose k ran over 64 bits in long texts: what may be wrong in them is forgotten, all else stays.

OF_K = {"sets.best_f1", "sets.best_iou", "sets.coverage", "benchmark.map", "benchmark.map_aligned"}
OF_ANSWERS = {"method.sufficiency", "method.comprehensiveness"}
FAITHFUL = AttributingOptions(has_faithfulness=True)


def n_of_share_in_64_bits(n_tokens: Integers, ratio: float) -> Integers:
    """As it was; kept word for word."""
    share = Fraction(repr(float(ratio)))
    return np.asarray(-(-n_tokens * share.numerator // share.denominator), dtype=np.int64)


def row(key: str, n: int, n_marked: int, **more: object) -> dict[str, object]:
    tokens = ["good" if key[0] == "p" else "bad", *(f"w{number}" for number in range(n - 1))]
    label = "positive" if key[0] == "p" else "negative"
    rationales = [[[0, n_marked]]]
    return {
        "id": key,
        "text": " ".join(tokens),
        "label": label,
        "annotator": "source",
        "rationales": rationales,
        **more,
    }


@pytest.fixture
def old(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> Project:
    """A project that the old version computed and measured, in a database that lacks what newer ones have."""
    made = make_project(name="Long", gold_policy="all")
    import_rows(made, [
        row("p-short", 19, 7), row("n-short", 17, 5), row("p-middle", 120, 31), row("n-middle", 91, 30), row("p-long", 700, 300),
        row("n-long", 900, 300), row("p-of-long", 40, 13, parent="p-long", perturbation_kind="synonym"),
        row("n-of-short", 16, 5, parent="n-short", perturbation_kind="synonym"),
    ])  # fmt: skip
    monkeypatch.setattr(against_sets, "n_of_share", n_of_share_in_64_bits)
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", FAITHFUL)
    attribute(store, LOCAL_OPERATOR, made, "built-in", "gold")
    measure(store, LOCAL_OPERATOR, made)
    monkeypatch.undo()
    with store.transaction():
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'm015_rules_forget_wrong_k'")
    return made


def numbers(store: Store) -> dict[tuple[str, str, str], float]:
    """By method, instance and name."""
    rows = store.rows(
        """SELECT method, key, metric_values.name AS name, value FROM metric_values JOIN runs ON runs.id = run_id
            JOIN instances ON instances.id = instance_id"""
    )
    return {(one["method"], one["key"], one["name"]): one["value"] for one in rows}


def answers(store: Store) -> dict[tuple[str, str, str, float], str]:
    """By method, instance, input and threshold."""
    rows = store.rows(
        """SELECT method, key, input, threshold, probabilities FROM predictions JOIN runs ON runs.id = run_id
            JOIN instances ON instances.id = instance_id"""
    )
    return {(one["method"], one["key"], one["input"], one["threshold"]): one["probabilities"] for one in rows}


def selected(store: Store) -> dict[tuple[str, str], int]:
    """How many tokens a method selects in an instance."""
    rows = store.rows(
        """SELECT method, key, tokens FROM machine_rationales JOIN runs ON runs.id = run_id
            JOIN instances ON instances.id = instance_id WHERE kind = 'hard'"""
    )
    counts = {(one["method"], one["key"]): np.frombuffer(one["tokens"], dtype="<u4") for one in rows}
    return {key: int((spans[1::2].astype(int) - spans[::2]).sum()) for key, spans in counts.items()}


def upgraded(path: Path) -> Store:
    """As another process would open it: this one has seen the database up to date."""
    with open_store(path) as known:
        known._place.migrated = None
    return open_store(path)


def test_the_old_version_selected_too_little_in_long_texts_alone(old: Project, store: Store) -> None:
    counts = selected(store)
    [measurement] = {one.parameters["ratios"][0] for one in measurements_of(store, old.id).values()}  # type: ignore[index]
    assert len(Fraction(repr(measurement)).limit_denominator(10**20).numerator.__str__()) >= 16
    assert counts["linear", "p-long"] < 93 < counts["gold", "p-long"]
    assert counts["linear", "n-middle"] == n_of_share_in_64_bits(np.array([91]), measurement)[0] > 20


def test_an_upgrade_forgets_the_numbers_of_long_texts_and_of_their_changed_versions_and_no_others(
    old: Project, store: Store, database: Path
) -> None:
    before = numbers(store)
    with upgraded(database) as new:
        after = numbers(new)
        assert check(new) == []
    assert after == {key: value for key, value in before.items() if key in after}
    forgotten = before.keys() - after.keys()
    assert {(method, name) for method, _, name in forgotten} <= {("linear", name) for name in OF_K | OF_ANSWERS}
    by_name = {name: {key for _, key, of in forgotten if of == name} for name in OF_K | OF_ANSWERS}
    assert by_name["sets.best_f1"] == by_name["sets.coverage"] == {"p-long", "n-long"}
    assert by_name["benchmark.map"] == by_name["benchmark.map_aligned"] == {"p-of-long"}
    # With which ratio a rationale was selected is not written down: from 93 tokens on it may be wrong.
    assert by_name["method.sufficiency"] == {"p-long", "n-long", "p-middle"}


def test_an_upgrade_forgets_what_was_selected_in_long_texts_and_the_answers_to_it_but_no_shares_and_not_the_gold(
    old: Project, store: Store, database: Path
) -> None:
    before, counts = answers(store), selected(store)
    with upgraded(database) as new:
        after, counts_after = answers(new), selected(new)
    long = ("p-long", "n-long", "p-middle")
    assert before.keys() - after.keys() == {("linear", key, on, -1.0) for key in long for on in ("rationale", "rest")}
    assert counts.keys() - counts_after.keys() == {("linear", key) for key in long}
    assert {key: counts[key] for key in counts_after} == counts_after


def test_what_was_forgotten_is_computed_and_measured_again_by_the_ways_that_are_named(
    old: Project, database: Path
) -> None:
    with upgraded(database) as new:
        assert is_out_of_date(new, old)
        report = attribute(new, LOCAL_OPERATOR, old, "built-in", "linear", FAITHFUL)
        assert (report.n_reduced, report.n_attributions) == (3, 0)
        measure(new, LOCAL_OPERATOR, old)
        assert not is_out_of_date(new, old)
        [ratio] = next(iter(measurements_of(new, old.id).values())).parameters["ratios"]  # type: ignore[misc,attr-defined]
        assert selected(new)["linear", "p-long"] == against_sets.n_of_share(np.array([700]), ratio)[0]
        assert ("linear", "p-long", "sets.best_f1") in numbers(new)


def test_the_upgrade_says_once_what_was_forgotten_and_what_to_do(
    old: Project, database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = (
        "removed 14 measured numbers and 3 selected rationales with their predictions (k may "
        "have been too small); rerun “annotator attribute … --faithfulness” and measure again"
    )
    with caplog.at_level(logging.WARNING), upgraded(database) as new:
        [event] = [one for one in list_events(new, old.id, limit=5) if one.action == "forget wrong k"]
        assert (event_actor(event), event_words(event)) == ("the upgrade", told)
    assert [record.getMessage() for record in caplog.records] == [f"Project “Long”: the upgrade of test.db {told}."]
    caplog.clear()
    with upgraded(database):
        assert caplog.records == []


def test_an_upgrade_without_long_texts_forgets_nothing_and_says_nothing(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = make_project(name="Short", gold_policy="all")
    import_rows(made, [row("p-short", 19, 7), row("n-short", 17, 5), row("p-middle", 91, 31)])
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", FAITHFUL)
    measure(store, LOCAL_OPERATOR, made)
    with store.transaction():
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'm015_rules_forget_wrong_k'")
    before = numbers(store), answers(store), selected(store)
    with upgraded(database) as new:
        assert (numbers(new), answers(new), selected(new)) == before
        assert not is_out_of_date(new, made)
    assert caplog.records == []


def test_the_sides_of_a_pair_are_looked_at_one_by_one(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = make_project("inference", name="Pairs", gold_policy="all")
    sides = {"both": (90, 90), "first": (1200, 5), "second": (5, 1400), "short": (11, 7), "other": (13, 14)}
    import_rows(made, [
        {"id": key, "premise": " ".join(["good", *["w"] * (n - 1)]), "hypothesis": " ".join(["bad", *["v"] * (m - 1)]),
         "label": "positive" if len(key) == 5 else "negative", "annotator": "source", "rationales": [[
             {"segment": "premise", "start_token": 0, "end_token": n // 4 + 1},
             {"segment": "hypothesis", "start_token": 0, "end_token": m // 6 + 1}]]}
        for key, (n, m) in sides.items()
    ])  # fmt: skip
    monkeypatch.setattr(against_sets, "n_of_share", n_of_share_in_64_bits)
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", FAITHFUL)
    measure(store, LOCAL_OPERATOR, made)
    with store.transaction():
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'm015_rules_forget_wrong_k'")
    before = numbers(store), selected(store)
    with upgraded(database) as new:
        forgotten = before[0].keys() - numbers(new).keys()
        assert {key for _, key, name in forgotten if name == "sets.best_f1"} == {"first", "second"}
        assert {key for _, key in before[1].keys() - selected(new).keys()} == {"first", "second"}
