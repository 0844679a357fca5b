"""A disk that is full, or nearly: told once, reading goes on, and a backup elsewhere is possible."""

import logging
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import NotWritable
from annotator.store import Store, open_store
from annotator.store.connection.error_wording import ClearErrors
from annotator.store.people import add_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.review import reviews
from annotator.usecases.upkeep import back_up
from annotator.web.logs import OnceAMinute


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def has_space(monkeypatch: pytest.MonkeyPatch, total: int, free: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(total, total - free, free))


@pytest.mark.parametrize(
    ("total", "free", "is_enough"),
    [
        (10**12, 5 * 10**6, True),
        (10**12, 10**6, False),
        (8 * 2**20, 2**20, True),  # a small disk
        (8 * 2**20, 2**16, False),
        (8 * 2**20, 0, False),
    ],
)
def test_a_disk_with_hardly_any_space_is_told_before_a_save_is_refused(
    total: int, free: int, is_enough: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_space(monkeypatch, total, free)
    if is_enough:
        store.require_writable()
    else:
        with pytest.raises(NotWritable, match="hardly any space left on the disk of .*test.db'.*Free some space"):
            store.require_writable()


@pytest.mark.parametrize(("free", "sentence"), [(0, "There is no space left on the disk"), (10**9, "reports an error")])
def test_a_disk_error_on_a_full_disk_is_a_full_disk(
    free: int, sentence: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_space(monkeypatch, 10**10, free)
    with pytest.raises(NotWritable, match=sentence), ClearErrors(database):
        raise sqlite3.OperationalError("disk I/O error")


def test_asking_writes_nothing_while_all_is_well(store: Store) -> None:
    def size() -> int:
        return store.path.with_name("test.db-wal").stat().st_size

    before = size()
    for _ in range(10):
        store.require_writable()
    assert size() == before


def refuse_writing(store: Store) -> None:
    """From now on this connection cannot store anything, as on a full disk."""
    store.connection.execute("PRAGMA query_only = ON")


def test_a_refused_save_is_told_until_something_can_be_stored_again(store: Store) -> None:
    refuse_writing(store)
    with pytest.raises(NotWritable), store.transaction():
        add_user(store, "ann")
    with pytest.raises(NotWritable, match="cannot be written"):
        store.require_writable()
    store.connection.execute("PRAGMA query_only = OFF")
    store.require_writable()


def test_a_file_that_may_not_be_written_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.connection.database.os.access", lambda *_: False)
    with pytest.raises(NotWritable, match="cannot be written: the file or its folder is read-only"):
        store.require_writable()


def test_what_an_annotator_holds_can_be_read_on_a_full_disk(store: Store, project: Project, annotator: User) -> None:
    held = annotate_work.next_work(store, annotator, project.id)
    refuse_writing(store)
    shown = annotate_work.next_work(store, annotator, project.id)
    assert held.work is not None
    assert shown.work is not None
    assert (shown.work.instance, shown.ahead and shown.ahead.instance) == (
        held.work.instance, held.ahead and held.ahead.instance,
    )  # fmt: skip
    assert shown.counts == held.counts
    asked = annotate_work.next_work(store, annotator, project.id, held.work.instance.id)
    assert asked.work is not None
    assert asked.work.instance == held.work.instance


def test_who_holds_nothing_hears_why_nothing_is_given_out(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    held = annotate_work.next_work(store, annotator, project.id).work
    bob = add_person("bob", project, "annotator")
    assert held is not None
    refuse_writing(store)
    with pytest.raises(NotWritable, match="cannot be written"):
        annotate_work.next_work(store, bob, project.id)
    with pytest.raises(NotWritable, match="cannot be written"):
        annotate_work.next_work(store, bob, project.id, held.instance.id)


def test_what_a_reviewer_holds_can_be_read_on_a_full_disk(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    project = make_project(name="Reviewed", reviewers_per_annotation=1)
    import_rows(project, [{"id": "a", "text": "Good food.", "label": "positive"}])
    ann, rob = add_person("ann", project, "annotator"), add_person("rob", project, "reviewer")
    work = annotate_work.next_work(store, ann, project.id).work
    assert work is not None
    annotate_work.submit(store, ann, work.assignment.id, 0, Draft(sets=(RationaleSet.of((0, 1)),)))
    held = reviews.next_review(store, rob, project.id).work
    refuse_writing(store)
    shown = reviews.next_review(store, rob, project.id).work
    assert held is not None
    assert shown is not None
    assert shown.instance == held.instance


def test_a_submission_that_a_full_disk_refused_stores_nothing_and_goes_through_when_there_is_space_again(
    store: Store, project: Project, annotator: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    marked = Draft(sets=(RationaleSet.of((0, 1)),))
    annotate_work.save_draft(store, annotator, work.assignment.id, 0, marked)
    before = "\n".join(store.connection.iterdump())
    refuse_writing(store)
    with pytest.raises(NotWritable, match="cannot be written"):
        annotate_work.submit(store, annotator, work.assignment.id, 1, marked)
    assert "\n".join(store.connection.iterdump()) == before
    store.connection.execute("PRAGMA query_only = OFF")
    annotate_work.submit(store, annotator, work.assignment.id, 1, marked)
    assert store.value("SELECT state FROM assignments WHERE id = ?", (work.assignment.id,)) == "submitted"


def test_a_backup_elsewhere_succeeds_though_it_cannot_be_written_down(
    store: Store, project: Project, tmp_path: Path
) -> None:
    refuse_writing(store)
    said = back_up(store, LOCAL_OPERATOR, tmp_path / "elsewhere.db")
    assert said is not None
    assert said.startswith("The backup is complete, but it could not be noted in the record: ")
    with open_store(tmp_path / "elsewhere.db") as copy:
        assert copy.problems() == []
        assert copy.value("SELECT count(*) FROM instances") == 4


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_backup_onto_a_full_disk_leaves_nothing_behind_and_names_its_target(database: Path, tmp_path: Path) -> None:
    """The size of files is limited in a process of its own, which for whoever writes is a full disk."""
    with open_store(database, create=True) as store, store.transaction():
        for number in range(2_000):
            add_user(store, f"person {number}")
    target = tmp_path / "backups" / "copy.db"
    target.parent.mkdir()
    code = f"""
import resource, signal
from pathlib import Path
from annotator.cli.main import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
raise SystemExit(run(["--db", {str(database)!r}, "backup", {str(target)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert str(target) in done.stderr
    assert "Traceback" not in done.stderr
    assert list(target.parent.iterdir()) == []


def test_trouble_is_written_into_the_log_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0]
    monkeypatch.setattr("annotator.web.logs.time.monotonic", lambda: seconds[0])
    once = OnceAMinute()

    def is_written(said: str, **options: object) -> bool:
        return once.filter(logging.LogRecord("x", logging.WARNING, "f", 1, said, None, options.get("trace")))  # type: ignore[arg-type]

    assert [is_written("The disk is full.") for _ in range(100)] == [True, *[False] * 99]
    assert is_written("Something else.")
    seconds[0] = 59.0
    assert not is_written("The disk is full.")
    seconds[0] = 60.0
    assert is_written("The disk is full.")
    assert not is_written("The disk is full.")
    trace = (ValueError, ValueError("x"), None)
    assert [is_written("A defect.", trace=trace) for _ in range(3)] == [True] * 3


def test_the_log_of_many_different_troubles_is_not_kept_for_ever() -> None:
    once = OnceAMinute()
    for number in range(1_000):
        assert once.filter(logging.LogRecord("x", logging.WARNING, "f", 1, f"trouble {number}", None, None))
    assert len(once._written) <= 100
