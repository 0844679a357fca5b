"""What tests of several floors share: an empty store, a project with texts, and the people who work on it."""

import ast
import gc
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from argon2 import PasswordHasher
from hypothesis import settings

from annotator.domain.people import LOCAL_OPERATOR, Role, User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.people import add_role, add_user
from annotator.usecases.access import credentials
from annotator.usecases.demonstration.construction import build
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_DATA = REPOSITORY.parent / "shared" / "data"
SAMPLES = REPOSITORY / "data" / "samples"

# How long an example takes depends on the machine and on who else works there; speed is measured in benchmarks/.
settings.register_profile("of any speed", deadline=None, max_examples=50)
settings.load_profile("of any speed")

QUICK_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
T = TypeVar("T")


def needs_data(test: T) -> T:
    """Marks tests of other people's data: skipped, which is said, where these are not beside the checkout."""
    here = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real data of others (../shared/data) is not here")
    return pytest.mark.data(here(test))


@cache
def parsed(source: Path) -> ast.Module:
    """The tree of a source, made once for all tests that look at sources; it is left as it is."""
    return ast.parse(source.read_text(encoding="utf-8"), str(source))


TEXTS = (
    "The staff never smiled and the soup was cold.",
    "Quiet rooms, a friendly cat, and the best bread in town!",
    "I would not go again: slow, loud and expensive.",
    "Everything worked at once; even the printer.",
)


def pytest_collection_finish() -> None:
    """What was imported and collected is no garbage: Streamlit need not look through it after each run of a page."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """What a test of this process stores need not outlive a crash of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fdatasync", lambda _: None, raising=False)
        yield


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration's database, with its models beside it; building it takes seconds: copy it, and leave it as it is."""
    path = tmp_path_factory.mktemp("demonstration") / "demo.db"
    build(path)
    return path


@pytest.fixture
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed in no time; as slowly as it should be it takes a tenth of a second each."""
    monkeypatch.setattr(credentials, "_HASHER", QUICK_HASHER)
    credentials._dummy_hash.cache_clear()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all its tables and nothing in them; making one takes five times as long as copying it."""
    path = tmp_path_factory.mktemp("empty") / "empty.db"
    open_store(path, create=True).close()
    return path


@pytest.fixture
def store(database: Path, empty_database: Path) -> Iterator[Store]:
    shutil.copy(empty_database, database)
    with open_store(database) as opened:
        yield opened


@pytest.fixture
def make_project(store: Store) -> Callable[..., Project]:
    """A project of a task, empty."""

    def make(task: str = "sentiment", name: str = "Project", **settings: object) -> Project:
        labels = ["negative", "positive"] if get_task(task).result_kind == "label" else []
        settings.setdefault(
            "reviewers_per_annotation", 0
        )  # what is handed in counts at once, where a test says nothing else
        return create_project(
            store,
            LOCAL_OPERATOR,
            name,
            get_task(task),
            labels=labels,
            settings=ProjectSettings(**settings),  # type: ignore[arg-type]
        )

    return make


@pytest.fixture
def import_rows(store: Store, tmp_path: Path) -> Callable[..., ImportReport]:
    """Import plain rows into a project."""

    def run(project: Project, rows: list[dict[str, object]], **options: object) -> ImportReport:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return import_file(store, LOCAL_OPERATOR, project, "jsonl", path, ImportOptions(**options))  # type: ignore[arg-type]

    return run


@pytest.fixture
def add_person(store: Store) -> Callable[..., User]:
    """Somebody with roles in a project."""

    def add(name: str, project: Project, *roles: Role) -> User:
        with store.transaction():
            user = add_user(store, name)
            for role in roles:
                add_role(store, project.id, user, role)
        return user

    return add


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]) -> Project:
    """A sentiment project with four texts that wait, the first and third negative."""
    made = make_project()
    labels = ("negative", "positive", "negative", "positive")
    rows: list[dict[str, object]] = [
        {"id": f"t{number}", "text": text, "label": label}
        for number, (text, label) in enumerate(zip(TEXTS, labels, strict=True), start=1)
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def annotator(add_person: Callable[..., User], project: Project) -> User:
    return add_person("annotator-a", project, "annotator")


@pytest.fixture
def lead(add_person: Callable[..., User], project: Project) -> User:
    return add_person("lea", project, "lead")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", help="where the pictures of the documents are put; without it they are thrown away")
