"""A demonstration server of one's own for each story, and people who open browsers at it."""

import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.served import Server
from tests.browser.stories.ready_server import ready_server
from tests.browser.stories.story import Browsers, Person


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    """That of all servers of a worker, one after the other, so that browsers know their scripts; nobody else is given it."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        yield int(keeper.getsockname()[1])


@pytest.fixture(scope="session")
def browsers(browser: Browser) -> Browsers:
    return Browsers(browser)


@pytest.fixture
def server(demonstration: Path, tmp_path: Path, browsers: Browsers, port: int) -> Iterator[Server]:
    """After the browser was found, since without one no server is needed."""
    database = tmp_path / "demo.db"
    shutil.copy(demonstration, database)
    shutil.copytree(demonstration.with_name("demo.db.models"), tmp_path / "demo.db.models")
    with ready_server(database, port=port) as running:
        yield running


@pytest.fixture
def stranger(server: Server, browsers: Browsers) -> Iterator[Callable[..., Person]]:
    """Somebody with a browser of their own who is not signed in. Whoever asks another host fails the story."""
    made: list[tuple[Person, str]] = []

    def come(*, width: int = 1280, height: int = 720, dark: bool = False, locale: str = "en-US") -> Person:
        page = browsers.take(width=width, height=height, dark=dark, locale=locale)
        somebody = Person(page, server)
        made.append((somebody, locale))
        return somebody

    yield come
    foreign = [url for somebody, _ in made for url in somebody.foreign]
    for locale in {locale for _, locale in made}:
        browsers.give_back([somebody for somebody, language in made if language == locale], locale)
    assert not foreign, "no request may go to any other host"


@pytest.fixture
def person(stranger: Callable[..., Person]) -> Callable[..., Person]:
    """Somebody with a browser of their own, signed in. Whoever asks another host fails the story."""

    def come(name: str, **browser: object) -> Person:
        return stranger(**browser).come_in(name)

    return come
