"""The servers that stories are told on."""

from pathlib import Path
from urllib.request import urlopen

from streamlit.testing.v1 import AppTest

from annotator.store import open_store
from tests.browser.stories.ready_server import ready_server


def _page() -> None:
    raise RuntimeError("a page that only AppTest may run")


def test_a_server_begins_where_a_page_was_tested_before(database: Path) -> None:
    """The worker that runs the story may have run tests of pages."""
    with open_store(database, create=True):
        pass
    AppTest.from_function(_page).run()
    with ready_server(database) as server, urlopen(f"{server.address}/sign-in") as answer:
        assert answer.status == 200
