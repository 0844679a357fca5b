"""A damaged file: whatever was overwritten, every way in answers with a sentence and never with a trace."""

import contextlib
import io
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.cli.main import run
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, StoreError
from annotator.store import Store, open_store
from annotator.store.people import add_user
from annotator.usecases.annotate import work
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions

PAGE = 4096
DAMAGED = r"is damaged \(.*Bring back a backup with 'annotator restore BACKUP'|is not an SQLite database"


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
