"""Damaged files and full disks: told once, with a sentence and never with a trace; a backup elsewhere is possible."""

import contextlib
import io
import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.cli.main import run
from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, NotWritable, StoreError
from annotator.store import Store, open_store
from annotator.store.connection.error_wording import _SENTENCES, ClearErrors
from annotator.store.people import add_user
from annotator.usecases.annotate import work
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.review import reviews
from annotator.usecases.upkeep import back_up
from annotator.web.addresses import OnceAMinute
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions

PAGE = 4096
DAMAGED = (
    r"'.*damaged\.db' is damaged \((database disk image is malformed|Could not decode to UTF-8 column 'text'|"
    r"\*\*\* in database main \*\*\* Page 4: btreeInitPage\(\) returns error code 11)\)\. "
    r"Restore a backup: 'annotator restore BACKUP'\."
)


@pytest.fixture
def content(store: Store, project: Project, annotator: User) -> bytes:
    """A sound database with a project, texts, people and work in it, as it is on the disk."""
    work.next_work(store, annotator, project.id)
    store.checkpoint()
    return store.path.read_bytes()


def whole_page(chance: random.Random, content: bytearray) -> None:
    at = chance.randrange(len(content) // PAGE) * PAGE
    content[at : at + PAGE] = chance.randbytes(PAGE)


def several_pages(chance: random.Random, content: bytearray) -> None:
    for _ in range(chance.randrange(2, 20)):
        whole_page(chance, content)


def part_of_the_first_page(chance: random.Random, content: bytearray) -> None:
    at, length = chance.randrange(PAGE - 100), chance.randrange(1, 100)
    content[at : at + length] = chance.randbytes(length)


def the_schema(chance: random.Random, content: bytearray) -> None:
    """Where the tables are described: pages that hold SQL."""
    pages = [at for at in range(0, len(content), PAGE) if b"CREATE TABLE" in content[at : at + PAGE]]
    at = chance.choice(pages) + chance.randrange(PAGE - 50)
    content[at : at + 40] = chance.randbytes(40)


def bytes_anywhere(chance: random.Random, content: bytearray) -> None:
    for _ in range(chance.randrange(1, 60)):
        at, length = chance.randrange(len(content) - 50), chance.randrange(1, 40)
        content[at : at + length] = chance.randbytes(length)


def cut_short(chance: random.Random, content: bytearray) -> None:
    del content[chance.randrange(1, len(content)) :]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "damage", [whole_page, several_pages, part_of_the_first_page, the_schema, bytes_anywhere, cut_short]
)
def test_whatever_is_overwritten_every_command_and_the_server_answer_in_sentences(
    damage: Callable[[random.Random, bytearray], None], seed: int, content: bytes, tmp_path: Path
) -> None:
    spoiled = bytearray(content)
    damage(random.Random(f"{damage.__name__} {seed}"), spoiled)
    path = tmp_path / "damaged.db"
    path.write_bytes(spoiled)
    for words in (
        ("check",), ("stats", "--project", "Project"), ("project", "show", "Project"), ("user", "list"),
        ("export", "jsonl", str(tmp_path / "out.jsonl"), "--project", "Project"), ("backup", str(tmp_path / "copy.db")),
    ):  # fmt: skip
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            code = run(["--db", str(path), *words])
        assert code in (0, 1)
        assert "Traceback" not in said.getvalue()
        assert (code == 0) or said.getvalue().strip()
    assert asked_of_the_server(path, "/health").status_code in (200, 503)


def asked_of_the_server(path: Path, address: str) -> "object":
    async def refuse(_: object, error: AnnotatorError) -> object:
        raise error

    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(path, is_demonstration=True)))
    return TestClient(app, base_url="http://127.0.0.1").get(address)


def test_a_damaged_first_page_is_said_by_health(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    path.write_bytes(b"\0" * PAGE + content[PAGE:])
    answer = asked_of_the_server(path, "/health")
    assert answer.status_code == 503
    assert answer.json()["status"] == "failing"


@pytest.fixture
def spoiled(content: bytes, store: Store, tmp_path: Path) -> Iterator[Store]:
    """An open database whose table of users cannot be read."""
    page = store.value("SELECT rootpage FROM sqlite_schema WHERE name = 'users'")
    path = tmp_path / "damaged.db"
    path.write_bytes(content[: (page - 1) * PAGE] + b"\xff" * PAGE + content[page * PAGE :])
    with open_store(path) as opened:
        yield opened


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.rows("SELECT * FROM users"),
        lambda store: store.row("SELECT * FROM users"),
        lambda store: store.value("SELECT created_at FROM users"),
        lambda store: list(store.iterate("SELECT * FROM users")),
        lambda store: within(store, lambda: store.run("UPDATE users SET name = 'x'")),
        lambda store: within(store, lambda: store.run_many("DELETE FROM users WHERE id = ?", [(1,), (2,)])),
        lambda store: within(store, lambda: add_user(store, "ann")),
        lambda store: in_a_snapshot(store),  # noqa: PLW0108  (defined below)
        lambda store: list(store.db.table("users").rows),  # by no way of ours: explained when the connection is closed
    ],
)
def test_damage_is_said_wherever_it_is_met(ask: Callable[[Store], object], spoiled: Store) -> None:
    def meet() -> None:
        with open_store(spoiled.path) as own:
            ask(own)

    with pytest.raises(StoreError, match=DAMAGED):
        meet()


def within(store: Store, do: Callable[[], object]) -> None:
    with store.transaction():
        do()


def in_a_snapshot(store: Store) -> None:
    with store.snapshot():
        store.rows("SELECT * FROM users")


def test_what_makes_no_sense_is_explained_by_the_damage(spoiled: Store) -> None:
    def stumble() -> None:
        with open_store(spoiled.path):
            raise KeyError("a name that was overwritten")

    with pytest.raises(StoreError, match=DAMAGED) as said:
        stumble()
    assert isinstance(said.value.__cause__, KeyError)


@pytest.mark.parametrize("mark", [mark for mark, _, _ in _SENTENCES])
def test_whatever_sqlite_refuses_is_said_with_the_name_of_the_file(mark: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"films\.db"), ClearErrors(tmp_path / "films.db"):
        raise sqlite3.DatabaseError(mark)


def test_a_defect_stays_a_defect_where_the_file_is_sound(database: Path) -> None:
    def stumble() -> None:
        with open_store(database, create=True):
            raise KeyError("a mistake of ours")

    with pytest.raises(KeyError, match="a mistake of ours"):
        stumble()


def test_a_refused_value_is_a_defect_and_no_damage(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"), store.transaction():
        store.run("INSERT INTO users (name, created_at, is_disabled) VALUES ('x', 'now', 7)")


def test_what_is_said_of_damage_holds_no_texts_of_people(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    at = content.index(b"The staff never smiled")
    path.write_bytes(content[:at] + b"\xff\xfe" + content[at + 2 :])
    with open_store(path) as store, pytest.raises(StoreError, match=DAMAGED) as said:
        store.rows("SELECT text FROM documents")
    assert "smiled" not in str(said.value)


# A disk that is full, or nearly: told once, reading goes on, and a backup elsewhere is possible.


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
        with pytest.raises(NotWritable, match=r"is almost full\. Free space\."):
            store.require_writable()


@pytest.mark.parametrize(("free", "sentence"), [(0, "is full; nothing was stored."), (10**9, "nothing was stored.")])
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
    with pytest.raises(NotWritable, match=r"or its folder is read-only\."):
        store.require_writable()
    store.connection.execute("PRAGMA query_only = OFF")
    store.require_writable()


def test_a_file_that_may_not_be_written_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.connection.database.os.access", lambda *_: False)
    with pytest.raises(NotWritable, match=r"or its folder is read-only\."):
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
    with pytest.raises(NotWritable, match=r"or its folder is read-only\."):
        annotate_work.next_work(store, bob, project.id)
    with pytest.raises(NotWritable, match=r"or its folder is read-only\."):
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
    with pytest.raises(NotWritable, match=r"or its folder is read-only\."):
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
    monkeypatch.setattr("annotator.web.addresses.time.monotonic", lambda: seconds[0])
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
