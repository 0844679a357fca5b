"""A demonstration server of one's own for each story, and people who open browsers at it."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.served import Server
from tests.browser.stories.ready_server import ready_server
from tests.browser.stories.story import Person


@pytest.fixture
def server(demonstration: Path, tmp_path: Path, browser: Browser) -> Iterator[Server]:
    """After the browser was found, since without one no server is needed."""
    database = tmp_path / "demo.db"
    shutil.copy(demonstration, database)
    shutil.copytree(demonstration.with_name("demo.db.models"), tmp_path / "demo.db.models")
    with ready_server(database) as running:
        yield running


@pytest.fixture
def person(server: Server, browser: Browser) -> Iterator[Callable[..., Person]]:
    """Somebody with a browser of their own, signed in. Whoever asks another host fails the story."""
    made: list[tuple[Person, object]] = []

    def come(name: str, *, width: int = 1280, height: int = 720, dark: bool = False, locale: str = "en-US") -> Person:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", accept_downloads=True,
            locale=locale,
        )  # fmt: skip
        somebody = Person(context.new_page(), server).come_in(name)
        made.append((somebody, context))
        return somebody

    yield come
    foreign = [url for somebody, _ in made for url in somebody.foreign]
    for _, context in made:
        context.close()  # type: ignore[attr-defined]
    assert not foreign, "no request may go to any other host"
