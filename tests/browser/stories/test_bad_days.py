"""Bad days on the real server: two tabs, kill -9, a lost connection, an ended session, hostile texts."""

import json
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.people import add_role, end_sessions_of, get_user
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.ready_server import ReadyServer, ready_server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]
SENTIMENT = 1


def tokens_of(person: Person) -> str:
    """The number on the first set's chip."""
    return person.page.locator(".chip .count").first.inner_text()


def test_a_second_tab_cannot_overwrite_the_first_without_being_asked(person: Come) -> None:
    first = person("Annotator 1").annotate(SENTIMENT)
    second = Person(first.page.context.new_page(), _server_of(first)).annotate(SENTIMENT)
    assert first.key == second.key
    first.page.bring_to_front()
    first.press("Home", "Space", "ArrowRight", "Space")
    first.saved()
    second.page.bring_to_front()
    second.press("Home", "Space")
    second.sees("Changed in another tab. Keep this version, or use that one.")


def _server_of(person: Person) -> Server:
    class Known:
        address = person.address
        database = person.database

    return Known()  # type: ignore[return-value]


def test_every_acknowledged_mark_is_there_after_kill_9_and_a_restart(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    key, port = ann.key, server.port
    ann.press("Home", "Space", "ArrowRight", "Space")
    ann.saved()
    server.kill()
    ann.press("ArrowRight", "Space")
    ann.sees("kept in this browser")
    again = Server(server.database, port=port)
    try:
        ann.page.reload()
        ann.wait_for_text()
        assert ann.key == key
        assert tokens_of(ann) == "3"
        ann.saved()
        ann.submit()
    finally:
        again.stop()
    with open_store(server.database) as store:
        spans = store.value("SELECT spans FROM rationale_sets ORDER BY annotation_id DESC LIMIT 1")
    assert json.loads(spans) == [[0, 3]]


def test_a_server_killed_while_submitting_gets_the_submission_after_the_restart(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    key, port = ann.key, server.port
    ann.press("Home", "Space")
    ann.saved()
    server.kill()
    ann.press("Control+Enter")
    expect(ann.page.locator(".word")).to_contain_text("kept in this browser")
    again = Server(server.database, port=port)
    try:
        ann.page.reload()
        ann.wait_for_text()
        ann.saved()
        if ann.key == key:
            ann.submit()
    finally:
        again.stop()
    with open_store(server.database) as store:
        assert store.value("SELECT count(*) FROM annotations WHERE user_id IS NOT NULL AND state = 'accepted'") == 1


def test_a_lost_connection_is_said_and_nothing_is_lost_when_it_is_back(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    ann.page.context.set_offline(True)
    ann.press("Home", "Space", "ArrowRight", "Space")
    ann.sees("kept in this browser")
    ann.page.context.set_offline(False)
    ann.saved()
    with open_store(server.database) as store:
        assert store.value("SELECT sets FROM drafts ORDER BY saved_at DESC LIMIT 1") == "[[[0,2]]]"


@contextmanager
def full_disk(server: ReadyServer) -> Iterator[None]:
    """The server can write to no file: for whoever writes that is a full disk."""
    pid = server.fork.pid or 0
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def sets_submitted_by(server: Server, name: str) -> list[str]:
    with open_store(server.database) as store:
        rows = store.rows(
            "SELECT spans FROM rationale_sets JOIN annotations ON annotations.id = annotation_id WHERE annotator = ?",
            (name,),
        )
    return [row["spans"] for row in rows]


def test_a_disk_that_is_full_at_submit_is_said_and_the_submission_goes_when_there_is_space(
    server: ReadyServer, person: Come
) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    ann.press("Home", "Space", "ArrowRight", "Space")
    ann.saved()
    with full_disk(server):
        ann.press("Control+Enter")
        ann.sees("The server can't save. Your work is kept in this browser. Tell the administrator:")
        assert sets_submitted_by(server, "Annotator 1") == []
        assert ann.page.evaluate("Object.keys(localStorage).some((name) => name.startsWith('annotator:draft:'))")
    ann.page.locator(".notice").get_by_role("button", name="Try again").click()
    expect(ann.page.locator(".notice")).to_have_count(0)
    ann.page.wait_for_function("!Object.keys(localStorage).some((name) => name.startsWith('annotator:draft:'))")
    assert sets_submitted_by(server, "Annotator 1") == ["[[0,2]]"]


# As a proxy does that knows no web sockets: each is answered like a page that is not there.
_DROPPED = """
window.WebSocket = class extends WebSocket {
  constructor(address, ...given) { super(String(address).replace("/stream", "/nothing"), ...given); }
};
"""


def test_a_proxy_that_drops_web_sockets_is_named_on_the_page_that_stays_empty(person: Come) -> None:
    ann = person("Annotator 1")
    ann.change_browser(_DROPPED)
    ann.open("/start").sees("This page can't connect. Let the proxy pass web sockets (docs/deploy.md).")


def test_an_ended_session_says_so_and_the_marks_wait_for_the_next_sign_in(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    key = ann.key
    ann.press("Home", "Space")
    ann.saved()
    with open_store(server.database) as store, store.transaction():
        end_sessions_of(store, get_user(store, "Annotator 1"))
    ann.press("ArrowRight", "Space")
    ann.sees("Sign in")
    ann.sign_in("Annotator 1").annotate(SENTIMENT)
    assert ann.key == key
    assert tokens_of(ann) == "2"


def test_a_tab_that_finds_its_session_ended_after_a_restart_comes_to_the_sign_in_page_and_back(
    server: Server, person: Come
) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    key, port = ann.key, server.port
    server.kill()
    with open_store(server.database) as store, store.transaction():
        end_sessions_of(store, get_user(store, "Annotator 1"))
    again = Server(server.database, port=port)
    try:
        ann.page.wait_for_url("**/sign-in?next=*")
        ann.page.get_by_role("button", name="Annotator 1").click()
        ann.wait_for_text()
        assert ann.key == key
    finally:
        again.stop()


HOSTILE = {
    "markup": "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\"> good",
    "rtl": "الطعام ممتاز والخدمة سريعة جدا",
    "clusters": "Cafe\u0301 👨‍👩‍👧 🇩🇪 was gre\u0301at 👍🏽 !",
    "brackets": "(" * 40_000,
    "megabyte": "word " * 200_000,
}


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_a_hostile_text_is_shown_as_text_and_can_be_marked(
    server: Server, person: Come, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"id": kind, "text": HOSTILE[kind], "label": "positive", "language": "ar" if kind == "rtl" else "en"}
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    with open_store(server.database) as store:
        project = create_project(
            store, LOCAL_OPERATOR, "Hostile", get_task("sentiment"), labels=["positive", "negative"]
        )
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
        with store.transaction():
            add_role(store, project.id, get_user(store, "Annotator 1"), "annotator")
    ann = person("Annotator 1").annotate(project.id)
    # The tail of a very long line is drawn a moment after its beginning.
    ann.page.wait_for_function(
        """(text) => [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.segment-text'))
            .shadowRoot.querySelector('.segment-text').textContent === text""",
        arg=HOSTILE[kind],
    )
    ann.press("Home", "Space", "ArrowRight", "ArrowLeft" if kind == "rtl" else "ArrowRight", "Space")
    ann.saved()
    assert "taken" not in ann.page.title()
    assert ann.page.locator(".segment-text img, .segment-text script").count() == 0


# The servers that stories are told on.


def _page() -> None:
    raise RuntimeError("a page that only AppTest may run")


def test_a_server_begins_where_a_page_was_tested_before(database: Path) -> None:
    """The worker that runs the story may have run tests of pages."""
    with open_store(database, create=True):
        pass
    AppTest.from_function(_page).run()
    with ready_server(database) as server, urlopen(f"{server.address}/sign-in") as answer:
        assert answer.status == 200
