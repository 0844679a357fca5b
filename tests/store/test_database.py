"""Opening, refusing, transactions, backup, and what survives."""

import datetime as dt
import errno
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from sqlite_utils import db as sqlite_utils_db
from sqlite_utils import plugins as sqlite_utils_plugins

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.guidelines import GuidelinesVersion
from annotator.domain.projects import Project
from annotator.errors import NotWritable, StoreError
from annotator.store import Store, open_store
from annotator.store.connection import database as database_module
from annotator.store.connection.database import Database
from annotator.store.connection.database import Store as StoreClass
from annotator.store.jobs import add_job, get_job
from annotator.store.models import outputs_of_run
from annotator.store.people import add_user, list_users
from annotator.store.project.guidelines import versions_of
from annotator.store.schema.migrations import MIGRATIONS
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.upkeep import check

TABLES = {
    "releases", "release_parts", "removals",
    "_sqlite_migrations", "used_numbers", "users", "identities", "sign_in_links", "sessions", "sign_in_failures", "projects", "memberships", "documents",
    "instances", "segments", "assignments", "drafts", "queue_cursors", "annotations", "rationale_sets", "proposals", "events",
    "models", "runs", "predictions", "machine_rationales", "attributions", "measurements", "metric_values", "sufficient_sets", "shadow_scores",
    "instance_counts", "assignment_counts", "rounds", "set_origins", "reviews", "scores", "gold_choices", "threads", "comments",
    "api_tokens", "jobs",
    "perturbations", "perturbation_versions", "perturbation_checks", "perturbation_drafts",
    "saved_lists", "list_members", "saved_views", "guidelines_versions", "guidelines_read", "qualification_rules",
    "qualification_items", "qualification_attempts", "qualification_grants", "exercises",
    "notices", "messages", "channels", "mail_addresses",
    "word_lists", "suites", "suite_tests", "suite_cases", "suite_runs", "suite_answers", "suite_verdicts", "proposed_sets", "help_log",
    "repeated_events",
    "sets_shown", "named_people", "bulk_actions", "bulk_members",
    "trainings", "training_members",
    "evidence_passes", "evidence_copies", "audits", "audit_items",
    "crowd_doors", "crowd_workers", "crowd_secret",
}  # fmt: skip


def test_a_new_database_has_exactly_the_tables_of_the_schema(store: Store) -> None:
    assert set(store.db.table_names()) == TABLES


def test_every_table_of_ours_is_strict(store: Store) -> None:
    rows = store.rows("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    assert {row["name"] for row in rows if not row["strict"]} <= {"sqlite_schema", "_sqlite_migrations"}


def test_a_database_that_is_not_there_is_not_made_by_accident(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no database at .*annotator demo"):
        open_store(tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("these are my notes, not a database\n" * 50)
    with pytest.raises(StoreError, match=r"isn't an SQLite database\. Choose another, or restore a backup\."):
        open_store(path)
    assert path.read_text().startswith("these are my notes")


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    with pytest.raises(StoreError, match=r"database of another program \(tables recipes\)"):
        open_store(path)


def test_a_database_of_a_newer_version_is_refused_with_what_to_do(database: Path) -> None:
    with open_store(database, create=True) as store:
        store.run(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('annotator', 'm999_future', 'x')"
        )
    with pytest.raises(
        StoreError, match=r"newer version of this program \(it knows m999_future\). Install that version"
    ):
        _open_in_a_new_process(database)


def _open_in_a_new_process(path: Path) -> None:
    code = f"from annotator.store import open_store\nopen_store({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise StoreError(done.stderr.strip().splitlines()[-1])


def test_a_read_only_database_says_so(database: Path) -> None:
    with open_store(database, create=True) as store:
        store.checkpoint()
    with open_store(database) as store:
        store.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match=r"or its folder is read-only\."), store.transaction():
            add_user(store, "someone")


def test_a_full_disk_stores_nothing_of_the_step_and_says_so(store: Store) -> None:
    with store.transaction():
        add_user(store, "first")
    pages = store.value("PRAGMA page_count")
    store.connection.execute(f"PRAGMA max_page_count = {pages}")

    def fill() -> None:
        with store.transaction():
            for number in range(100_000):
                add_user(store, f"person {number}")

    with pytest.raises(StoreError, match=r"is full; nothing was stored\."):
        fill()
    assert [user.name for user in list_users(store)] == ["first"]


def test_a_failed_transaction_inside_another_is_undone_and_the_outer_one_is_kept(store: Store) -> None:
    def fail() -> None:
        with store.transaction():
            add_user(store, "half done")
            with store.transaction():
                add_user(store, "done inside of it")
            raise RuntimeError

    with store.transaction():
        add_user(store, "before")
        with pytest.raises(RuntimeError):
            fail()
        add_user(store, "after")
    assert [user.name for user in list_users(store)] == ["after", "before"]


@pytest.mark.parametrize("is_inside", [False, True])
def test_a_failed_transaction_leaves_nothing_not_even_what_was_finished_inside(store: Store, is_inside: bool) -> None:
    def fail() -> None:
        with store.transaction():
            with store.transaction() if is_inside else nullcontext():
                add_user(store, "someone")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list_users(store) == []
    assert not store.connection.in_transaction


def test_a_disk_that_fills_up_inside_a_transaction_is_named_and_leaves_nothing_of_either(store: Store) -> None:
    pages = store.value("PRAGMA page_count")
    store.connection.execute(f"PRAGMA max_page_count = {pages}")

    def fill() -> None:
        with store.transaction():
            add_user(store, "outside")
            with store.transaction():
                for number in range(100_000):
                    add_user(store, f"person {number}")

    with pytest.raises(StoreError, match=r"is full; nothing was stored\."):
        fill()
    assert list_users(store) == []


def test_a_wrong_value_cannot_be_stored_whoever_writes(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"), store.transaction():
        store.run("INSERT INTO users (name, created_at, is_disabled) VALUES ('x', 'now', 7)")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), store.transaction():
        store.run("INSERT INTO memberships (project_id, user_id, role) VALUES (1, 1, 'lead')")


def test_the_record_of_events_can_only_grow(store: Store, project: Project) -> None:
    for statement in ("DELETE FROM events", "UPDATE events SET actor = 'nobody'"):
        with pytest.raises(sqlite3.IntegrityError, match="append only"), store.transaction():
            store.run(statement)


def test_a_backup_is_a_whole_database_made_while_others_work(store: Store, project: Project, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    store.backup(target)
    with open_store(target) as copy:
        assert copy.problems() == []
        assert copy.value("SELECT count(*) FROM instances") == 4
    with pytest.raises(StoreError, match=r"'.*copy\.db' is there already\. Choose another name for the backup\."):
        store.backup(target)


def test_two_threads_never_claim_the_same_instance(
    database: Path, store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    people = [add_person(f"annotator-{n}", project, "annotator") for n in range(4)]
    claimed: list[str] = []
    barrier = threading.Barrier(len(people))

    def claim(person: User) -> None:
        with open_store(database) as own:
            barrier.wait()
            answer = annotate_work.next_work(own, person, project.id)
            claimed.extend(work.instance.key for work in (answer.work, answer.ahead) if work)

    threads = [threading.Thread(target=claim, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == ["t1", "t2", "t3", "t4"]


def test_two_processes_never_claim_the_same_instance(
    database: Path, store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    people = [add_person(f"annotator-{n}", project, "annotator").name for n in range(2)]
    code = """
import sys
from annotator.store import open_store
from annotator.store.people import get_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.upkeep import check
store = open_store(sys.argv[1])
answer = annotate_work.next_work(store, get_user(store, sys.argv[2]), int(sys.argv[3]))
print(*(work.instance.key for work in (answer.work, answer.ahead) if work))
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(database), name, str(project.id)], stdout=subprocess.PIPE, text=True
        )
        for name in people
    ]
    claimed = " ".join(process.communicate(timeout=60)[0] for process in processes).split()
    assert sorted(claimed) == ["t1", "t2", "t3", "t4"]


def test_what_was_acknowledged_survives_kill_9(database: Path, store: Store, project: Project, annotator: User) -> None:
    code = """
import os, signal, sys
from annotator.domain.instances import Draft
from annotator.domain.texts import RationaleSet
from annotator.store import open_store
from annotator.store.people import get_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.upkeep import check
store = open_store(sys.argv[1])
user = get_user(store, "annotator-a")
work = annotate_work.next_work(store, user, 1).work
annotate_work.save_draft(store, user, work.assignment.id, 0, Draft(sets=(RationaleSet.of((2, 5)),)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code, str(database)], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    assert work.assignment.draft.sets[0].token_indices == (2, 3, 4)
    assert store.problems() == []


def test_a_process_killed_inside_a_submission_leaves_it_whole_or_not_at_all(
    database: Path, store: Store, project: Project, annotator: User
) -> None:
    code = """
import os, signal, sys
from annotator.domain.instances import Draft
from annotator.domain.texts import RationaleSet
from annotator.store import open_store
from annotator.store.people import get_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.upkeep import check
store = open_store(sys.argv[1])
user = get_user(store, "annotator-a")
work = annotate_work.next_work(store, user, 1).work
annotate_work._what_follows = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
annotate_work.submit(store, user, work.assignment.id, 0, Draft(sets=(RationaleSet.of((2, 5)),)))
"""
    done = subprocess.run([sys.executable, "-c", code, str(database)], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    assert store.value("SELECT count(*) FROM annotations") == 0
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    assert work.assignment.state == "leased"


def test_a_transaction_ends_when_what_it_wrote_is_on_the_disk(
    store: Store, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_disk = database_module._put_on_disk
    seen: list[list[str]] = []
    synced: list[int] = []

    def looked(log: str) -> None:
        with open_store(database) as other:
            seen.append([user.name for user in list_users(other)])
        put_on_disk(log)

    monkeypatch.setattr(database_module, "_put_on_disk", looked)
    monkeypatch.setattr(os, "fdatasync", synced.append, raising=False)
    with store.transaction():
        add_user(store, "ann")
        with store.transaction():
            add_user(store, "bob")
        assert not seen
    assert seen == [["ann", "bob"]]
    assert len(synced) == 1


def test_plugins_of_sqlite_utils_that_others_installed_are_not_run(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_utils_plugins, "ensure_plugins_loaded", lambda: pytest.fail("plugins were loaded"))
    monkeypatch.setattr(sqlite_utils_db, "ensure_plugins_loaded", lambda: pytest.fail("plugins were loaded"))
    open_store(database, create=True).close()
    open_store(database).close()


def test_commits_that_wait_for_the_disk_at_once_share_it_and_let_others_write(
    store: Store, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"u{n}" for n in range(8)]
    n_puts = 0

    def put(_: str) -> None:
        nonlocal n_puts
        n_puts += 1
        with open_store(database) as own:
            while n_puts == 1 and len(list_users(own)) < len(names):
                time.sleep(0.01)  # the first one is slow: meanwhile all others commit

    def come(name: str) -> None:
        with open_store(database) as own, own.transaction():
            add_user(own, name)

    threads = [threading.Thread(target=come, args=(name,), daemon=True) for name in names]
    monkeypatch.setattr(database_module, "_put_on_disk", put)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(user.name for user in list_users(store)) == names
    assert 2 <= n_puts <= 3  # a third where one was counted only after the second had begun


def test_what_the_disk_did_not_take_is_said_and_asked_of_the_disk_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(database_module, "_put_on_disk", full)
        for name in ("ann", "bob"):
            with pytest.raises(NotWritable, match="disk"), store.transaction():
                add_user(store, name)
    store.require_writable()
    assert [user.name for user in list_users(store)] == [
        "ann",
        "bob",
    ]  # there, as every commit, until somebody takes it back


def test_opening_is_cheap_when_the_process_knows_the_database(
    database: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: StoreClass) -> None:
        pytest.fail("migrations were looked at again")

    monkeypatch.setattr("annotator.store.connection.opening._migrate", fail)
    with open_store(database) as again:
        assert list_users(again) == []


def test_attributions_from_before_facts_stay_and_say_nothing_of_themselves(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m009_facts")
    old.conn.executescript(
        """INSERT INTO projects VALUES (1, 'Old', 'sentiment', '[{"name": "text", "title": "Text"}]', 'label', '["no", "yes"]', 'en',
            '{}', '', '', '', '', '2026-11-01T00:00:00.000Z');
        INSERT INTO documents VALUES (1, 1, NULL, 'ab', 1, x'0000000002000000', x'00000000', zeroblob(16));
        INSERT INTO instances (id, project_id, key, split, source_split, language, result, n_tokens, n_selectable,
            queue_position, open_slots, fingerprint) VALUES (1, 1, 'k', '', '', 'en', 'yes', 1, 1, 1, 0, zeroblob(16));
        INSERT INTO models VALUES (1, 1, 'm', '2026-11-01T00:00:00.000Z');
        INSERT INTO runs VALUES (1, 1, 'ig', '{}', NULL, 'logit', 1, '2026-11-01T00:00:00.000Z');
        INSERT INTO attributions VALUES (1, 1, 1, 'yes', -1, x'000000000000f03f', NULL, NULL, 0.25);"""
    )
    old.close()
    with open_store(path) as store:
        [attribution] = outputs_of_run(store, 1, [1])[1].attributions
        assert (attribution.scores, attribution.convergence, attribution.facts) == ((1.0,), 0.25, ())
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"), store.transaction():
            store.run("UPDATE attributions SET facts = '[1]'")


def test_jobs_from_before_trainings_stay_as_they_were_and_trainings_stand_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m016_trainpage_jobs_that_train")
    old.conn.executescript(
        """INSERT INTO projects VALUES (1, 'Old', 'sentiment', '[{"name": "text", "title": "Text"}]', 'label', '["no", "yes"]', 'en',
            '{}', '', '', '', '', '2026-11-01T00:00:00.000Z');
        INSERT INTO jobs (id, project_id, kind, title, options, asked_at, state, told, ended_at)
            VALUES (7, 1, 'suite', 'The tests', '{"a": 1}', '2026-11-01T00:00:00.000Z', 'done', 'Told.', '2026-11-01T00:00:01.000Z');"""
    )
    old.close()
    with open_store(path) as store:
        before = get_job(store, 7)
        assert (before.kind, before.options, before.state, before.told) == ("suite", '{"a": 1}', "done", "Told.")
        with store.transaction():
            assert add_job(store, 1, "train", "Training", "{}", LOCAL_OPERATOR).id == 8
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"), store.transaction():
            store.run("UPDATE jobs SET kind = 'sleep'")
        assert {row["name"] for row in store.rows("SELECT name FROM pragma_index_list('jobs')")} == {
            "jobs_that_are_open",
            "jobs_by_project",
        }


def test_a_database_from_before_reviewing_is_brought_up_to_date_and_goes_on_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m002_reviewing")
    old.conn.executescript(
        """INSERT INTO users VALUES (1, 'ann', NULL, 0, 0, '2026-11-01T00:00:00.000Z');
        INSERT INTO projects VALUES (1, 'Old', 'sentiment', '[{"name": "text", "title": "Text"}]', 'label', '["no", "yes"]', 'en',
            '{"annotators_per_instance": 1, "reviewers_per_annotation": 0}', '', '', '', '', '2026-11-01T00:00:00.000Z');
        INSERT INTO memberships VALUES (1, 1, 'annotator');
        INSERT INTO documents VALUES (1, 1, NULL, 'ab', 1, x'0000000002000000', x'00000000', zeroblob(16));
        INSERT INTO instances (id, project_id, key, split, source_split, language, result, n_tokens, n_selectable,
            queue_position, open_slots, fingerprint) VALUES (1, 1, 'k', '', '', 'en', 'yes', 1, 1, 1, 0, zeroblob(16));
        INSERT INTO segments VALUES (1, 0, 'text', 1, 1);
        INSERT INTO assignments (id, project_id, instance_id, user_id, state, lease_until, created_at)
            VALUES (1, 1, 1, 1, 'returned', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z');
        INSERT INTO drafts VALUES (1, 1, NULL, '[[[0,1]]]', '', 0, '2026-11-01T00:00:00.000Z');"""
    )
    old.close()
    with open_store(path) as store:
        assert check(store) == []
        assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".backup")]
        [ann] = list_users(store)
        work = annotate_work.next_work(store, ann, 1).work
        assert work is not None
        assert work.assignment.state == "returned"
        annotate_work.submit(store, ann, work.assignment.id, work.assignment.revision, work.assignment.draft)
        assert (
            store.value("SELECT state FROM annotations") == "accepted"
        )  # the project asked for no reviewers, and still does
        assert store.value("SELECT state FROM instances") == "complete"


def test_reviewers_from_before_independence_are_not_given_what_they_scored_and_what_both_is_stays_both(
    tmp_path: Path,
) -> None:
    path, at = tmp_path / "old.db", "'2026-11-01T00:00:00.000Z'"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m012_independence_sets_shown")
    old.conn.executescript(
        f"""INSERT INTO users VALUES (1, 'ann', NULL, 0, 0, {at}), (2, 'ben', NULL, 0, 0, {at}), (3, 'cem', NULL, 0, 0, {at});
        INSERT INTO projects VALUES (1, 'Old', 'sentiment', '[{{"name": "text", "title": "Text"}}]', 'label', '["no", "yes"]', 'en',
            '{{"annotators_per_instance": 3, "reviewers_per_annotation": 3}}', '', '', '', '', {at});
        INSERT INTO memberships VALUES (1, 1, 'annotator'), (1, 2, 'annotator'), (1, 2, 'reviewer'), (1, 3, 'annotator'),
            (1, 3, 'reviewer');
        INSERT INTO documents VALUES (1, 1, NULL, 'ab', 1, x'0000000002000000', x'00000000', zeroblob(16));
        INSERT INTO instances (id, project_id, key, split, source_split, language, result, n_tokens, n_selectable,
            queue_position, open_slots, fingerprint) VALUES (1, 1, 'k', '', '', 'en', 'yes', 1, 1, 1, 1, zeroblob(16));
        INSERT INTO segments VALUES (1, 0, 'text', 1, 1);
        INSERT INTO assignments (id, project_id, instance_id, user_id, state, lease_until, created_at, submitted_at)
            VALUES (1, 1, 1, 1, 'submitted', {at}, {at}, {at}), (2, 1, 1, 3, 'leased', {at}, {at}, NULL);
        INSERT INTO annotations (id, instance_id, assignment_id, user_id, annotator, round, state, result, created_at)
            VALUES (1, 1, 1, 1, 'ann', 1, 'submitted', 'yes', {at});
        INSERT INTO rounds (annotation_id, project_id, instance_id, number, opened_at, open_slots) VALUES (1, 1, 1, 1, {at}, 1);
        INSERT INTO reviews (project_id, annotation_id, user_id, state, lease_until, created_at)
            VALUES (1, 1, 2, 'leased', {at}, {at}), (1, 1, 3, 'leased', {at}, {at});"""
    )
    old.close()
    with open_store(path) as store:
        assert check(store) == []
        _, ben, cem = list_users(store)
        answer = annotate_work.next_work(store, ben, 1)
        assert (answer.work, answer.counts["waiting"]) == (None, 0)
        work = annotate_work.next_work(store, cem, 1).work
        assert work is not None
        assert work.instance.key == "k"


def test_a_database_that_is_deleted_and_made_again_in_one_process_gets_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "annotator.db"
    for _ in range(5):  # the file system often gives the new file the number of the old one
        with open_store(path, create=True) as store:
            assert set(store.db.table_names()) == TABLES
        for made in tmp_path.iterdir():
            made.unlink()


def test_what_is_stored_is_dated_by_the_clock_that_was_handed_in_and_by_the_machines_else(database: Path) -> None:
    leap_day = dt.datetime(2020, 2, 29, 13, 0, 0, 5_000, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    with open_store(database, create=True, clock=lambda: leap_day) as store, store.transaction():
        add_user(store, "ann")
    before = dt.datetime.now(dt.UTC).replace(microsecond=0)
    with open_store(database) as store, store.transaction():
        add_user(store, "ben")
        ann, ben = (row[0] for row in store.rows("SELECT created_at FROM users ORDER BY id"))
    assert ann == "2020-02-29T12:00:00.005Z"
    assert before <= dt.datetime.fromisoformat(ben) <= dt.datetime.now(dt.UTC)


def test_guidelines_of_an_older_database_are_version_1_by_whoever_changed_them_last(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m023_guidelines_versions")
    for number, guidelines in ((1, "Mark all."), (2, "")):
        old.execute(
            """INSERT INTO projects (id, name, task, segments, result_kind, labels, language, settings, guidelines, created_at)
                VALUES (?, ?, 'sentiment', '[{"name":"text","is_selectable":true}]', 'label', '[]', 'en', '{}', ?, '2026-01-01')""",
            (number, f"P{number}", guidelines),
        )
    for actor, action, detail in (
        ("Ada", "create", "{}"),
        ("Bo", "change", '{"changed": ["name", "guidelines"]}'),
        ("Cy", "change", '{"changed": ["settings"]}'),
    ):
        old.execute(
            "INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail) VALUES (?, ?, ?, 1, 'project', 1, ?)",
            (f"2026-02-0{len(actor)}", actor, action, detail),
        )
    old.conn.commit()
    old.close()
    with open_store(path) as store:
        assert versions_of(store, 1) == [GuidelinesVersion(1, "Mark all.", "Bo", "2026-02-02")]
        assert versions_of(store, 2) == []
