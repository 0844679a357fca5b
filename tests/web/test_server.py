"""The real server in a process of its own: what it refuses, what it prints, and who may see a page."""

import datetime as dt
import gc
import importlib.metadata
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.file_util import get_static_dir
from streamlit.runtime.runtime_util import get_max_message_size_bytes

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue
from annotator.store import open_store
from annotator.store.people import add_failure
from annotator.store.projects import add_project
from annotator.usecases.access import accounts, credentials
from annotator.usecases.access.credentials import Sender, counted_as
from annotator.web import server
from annotator.web.addresses import listen
from annotator.web.navigation import PAGES
from annotator.web.routes.static import streamlit_files
from tests.conftest import REPOSITORY

PASSWORD = "a good long password"
PAGE = {"Accept": "text/html"}
STARTS_WITHIN = 30


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Running(NamedTuple):
    """A server that answers, its database, and what it printed first."""

    process: subprocess.Popen[str]
    port: int
    path: Path
    printed: list[str]

    def ask(self, method: str, address: str, body: str | None = None, **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, address, body, headers)
            answer = connection.getresponse()
            return Answer(
                answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode("utf-8", "replace")
            )
        finally:
            connection.close()

    def page(self, cookie: str | None = None, address: str = "/annotate") -> Answer:
        return self.ask("GET", address, **PAGE, **({"Cookie": f"annotator_session={cookie}"} if cookie else {}))

    def post(self, address: str, **form: str) -> Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{self.port}"}
        return self.ask("POST", address, urlencode(form), **kind)

    def sign_in(self, name: str, password: str = PASSWORD) -> Answer:
        return self.post("/sign-in", name=name, password=password)


def cookie_of(answer: Answer) -> str:
    return re.search(r"annotator_session=([^;]+)", answer.headers["set-cookie"])[1]


def copy_program(folder: Path, pages: list[str]) -> Path:
    """The program beside pages of our own, so that no page's work is in the way here."""
    shutil.copytree(REPOSITORY / "annotator", folder / "annotator", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pages").mkdir()
    for name in pages:
        (folder / "pages" / name).write_text("import streamlit as st\nst.title('A page')\n")
    return folder


def command(program: Path, path: Path, *words: str) -> tuple[list[str], dict[str, str]]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(program),
        "ANNOTATOR_DB": "The model output file wasn't checked; texts come first.",
    }
    return [sys.executable, "-m", "annotator.cli.main", "--db", str(path), *words], environment


@contextmanager
def serving(program: Path, path: Path, *words: str, n_lines: int = 2) -> Iterator[Running]:
    words_and_port = (*(words or ("serve",)), "--port", "0")
    arguments, environment = command(program, path, *words_and_port)
    process = subprocess.Popen(
        arguments, env=environment, cwd=path.parent, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        printed = [process.stdout.readline().strip() for _ in range(n_lines)]
        found = re.search(r"http://127\.0\.0\.1:([0-9]+)", printed[1])
        assert found, printed
        running = Running(process, int(found[1]), path, printed)
        wait_until(lambda: running.ask("GET", "/health").status == 200)
        yield running
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while not holds():
        assert time.monotonic() < end, "the server did not answer in time"
        time.sleep(0.05)


def test_a_second_server_on_a_database_says_so_with_the_address_of_the_first(running: Running, program: Path) -> None:
    with serving(program, running.path, n_lines=3) as second:
        line = next(one for one in second.printed if one.startswith("Another server"))
        assert line.startswith(
            f"Another server already serves this database, at http://127.0.0.1:{running.port}. Nothing is lost with two"
        )
    assert not any("Another server" in one for one in running.printed)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_program(tmp_path_factory.mktemp("program"), [page.file for page in PAGES])


@pytest.fixture(scope="module")
def running(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with the people ann, bob, cat and dan, who all have the same password."""
    path = tmp_path_factory.mktemp("data") / "annotator.db"
    with open_store(path, create=True) as store:
        with store.transaction():
            add_project(store, "P", get_task("sentiment"), labels=["no", "yes"])
        for name in ("ann", "bob", "cat", "dan"):
            link = accounts.add_user(store, LOCAL_OPERATOR, name, "annotator").link_token
            accounts.set_password_with_link(store, link, None, PASSWORD)
    with serving(program, path) as started:
        yield started


def test_health_says_that_all_is_well_and_no_more_to_a_stranger(running: Running) -> None:
    answer = running.ask("GET", "/health")
    assert answer.status == 200
    assert json.loads(answer.text) == {"status": "ok"}


def test_nobody_sees_a_page_without_signing_in(running: Running) -> None:
    answer = running.page(address="/annotate?project=1")
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in?next=%2Fannotate%3Fproject%3D1")
    assert running.ask("GET", "/sign-in").status == 200


def test_a_person_signs_in_and_gets_the_page_that_streamlit_serves(running: Running) -> None:
    answer = running.sign_in("ann")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    page = running.page(cookie_of(answer))
    assert page.status == 200
    assert "<title>Annotate</title>" in page.text  # until the first run of the script names project and text, too
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    assert running.page(cookie_of(answer), "/").headers["location"] == "/annotate"


def test_a_wrong_cookie_leads_to_the_sign_in_page(running: Running) -> None:
    assert running.page("wrong").status == 303


def test_an_expired_session_leads_to_the_sign_in_page(running: Running) -> None:
    cookie = cookie_of(running.sign_in("ann"))
    assert running.page(cookie).status == 200
    with open_store(running.path) as store, store.transaction():
        store.run("UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z'")
    assert running.page(cookie).status == 303


def test_a_cookie_is_worth_nothing_after_signing_out(running: Running) -> None:
    cookie = cookie_of(running.sign_in("ann"))
    headers = {"Cookie": f"annotator_session={cookie}", "Sec-Fetch-Site": "same-origin"}
    assert running.ask("POST", "/sign-out", "", **headers).status == 303
    assert running.page(cookie).status == 303


def test_a_disabled_person_is_shut_out_at_once(running: Running) -> None:
    cookie = cookie_of(running.sign_in("bob"))
    with open_store(running.path) as store:
        accounts.disable_user(store, LOCAL_OPERATOR, "bob")
    assert running.page(cookie).status == 303
    assert "Wrong name or password." in running.sign_in("bob").text


def test_twenty_failures_close_a_name_for_a_quarter_of_an_hour(running: Running) -> None:
    with open_store(running.path) as store, store.transaction():
        for _ in range(19):
            store.run(
                "INSERT INTO sign_in_failures VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-80 seconds'))",
                (counted_as(store, "cat", Sender("127.0.0.1")),),
            )
    assert "Wrong name or password." in running.sign_in("cat", "wrong password").text
    refused = running.sign_in("cat")
    assert "Too many failed sign-ins. Try again in 15 minutes." in refused.text
    assert "set-cookie" not in refused.headers
    assert running.sign_in("dan").status == 303


def test_five_failures_make_a_name_wait_for_seconds(running: Running) -> None:
    with open_store(running.path) as store, store.transaction():
        since, until = credentials.failures_window(dt.datetime.now(dt.UTC))
        for _ in range(5):
            add_failure(store, counted_as(store, "dan", Sender("127.0.0.1")), since, until)
    assert re.search(r"Too many failed sign-ins\. Try again in [1-5] seconds?\.", running.sign_in("dan").text)


def send_much(connection: socket.socket, words: bytes) -> None:
    """Ten megabytes and more; the kernel takes some of it after the other end has closed."""
    for _ in range(200):
        connection.sendall(words)
        time.sleep(0.002)


_HEAD = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET /", b"a" * 50_000),
        (_HEAD + b"X-Long: ", b"a" * 50_000),
        (_HEAD, b"X-Many: 1\r\n" * 5_000),
        (_CHUNKED + b"1;", b"a" * 50_000),
        (_CHUNKED + b"0\r\n", b"X-Trailer: 1\r\n" * 4_000),
    ],
    ids=["address", "header", "headers", "chunk extension", "trailers"],
)
def test_lines_without_an_end_are_refused_before_they_fill_the_memory(
    running: Running, begin: bytes, more: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
        connection.sendall(begin)
        with pytest.raises(OSError):  # noqa: PT011  (which of two depends on what the other end had read)
            send_much(connection, more)
    assert running.ask("GET", "/health").status == 200


def test_small_answers_do_not_wait_for_a_delayed_acknowledgement(running: Running) -> None:
    """With Nagle's delay each of these would take 40 ms; no timing is asserted, only that the socket asks for none."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_fresh_database_prints_a_link_that_makes_the_first_account(program: Path, tmp_path: Path) -> None:
    with serving(program, tmp_path / "fresh.db", n_lines=4) as fresh:
        assert fresh.printed[0] == f"Annotator serves {tmp_path / 'fresh.db'}"
        assert fresh.printed[2] == "There is no account yet. Make the first one within 24 hours:"
        link = fresh.printed[3].removeprefix(f"http://127.0.0.1:{fresh.port}")
        assert "First account" in fresh.ask("GET", link).text
        answer = fresh.post(link, name="ann", password=PASSWORD)
        assert fresh.page(cookie_of(answer), "/").headers["location"] == "/project"
        fresh.process.send_signal(signal.SIGINT)
        rest = fresh.process.communicate(timeout=15)[0]
    assert (rest, fresh.process.returncode) == ("Stopped.\n", 0)
    assert link not in rest
    assert not (tmp_path / "fresh.db-wal").exists() or (tmp_path / "fresh.db-wal").stat().st_size == 0


def refusal(program: Path, path: Path, *words: str) -> str:
    arguments, environment = command(program, path, *words)
    done = subprocess.run(
        arguments, env=environment, cwd=path.parent, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_a_server_without_a_page_file_does_not_start(tmp_path: Path) -> None:
    program = copy_program(tmp_path / "program", [page.file for page in PAGES[1:]])
    expected = f"The server cannot start: pages/{PAGES[0].file} is missing. Install the program again.\n"
    assert refusal(program, tmp_path / "annotator.db", "serve") == expected
    shutil.rmtree(program / "pages")
    assert ", ".join(f"pages/{page.file}" for page in PAGES) + " is missing" in refusal(
        program, tmp_path / "annotator.db", "serve"
    )
    assert not (tmp_path / "annotator.db").exists()


def test_a_taken_port_is_named(running: Running, program: Path, tmp_path: Path) -> None:
    said = refusal(program, tmp_path / "annotator.db", "serve", "--port", str(running.port))
    assert said == (
        f"Port {running.port} of 127.0.0.1 is taken by another program. "
        "Choose another one with --port, or stop that program.\n"
    )


def test_an_address_of_another_machine_is_refused(program: Path, tmp_path: Path) -> None:
    said = refusal(program, tmp_path / "annotator.db", "serve", "--host", "192.0.2.1", "--port", "0")
    assert "'192.0.2.1', port 0, cannot be served" in said


def test_the_demonstration_stays_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "missing_pages", list)
    with pytest.raises(server.InvalidValue, match=r"it is served on 127\.0\.0\.1 only, not on '0\.0\.0\.0'"):
        server.serve(tmp_path / "demo.db", "0.0.0.0", 0, is_demonstration=True)


def test_single_sign_on_that_is_not_set_up_stops_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("authlib", reason="the extra sso is not installed")
    monkeypatch.setattr(server, "missing_pages", list)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    settings = tmp_path / "sso.toml"
    with pytest.raises(InvalidValue, match=r"sso\.toml' has no settings for single sign-on: .*No such file"):
        server.serve(tmp_path / "new.db", "127.0.0.1", 0, sso=settings)
    settings.write_text('issuer = "https://id.example.org"\nclient_id = "annotator"\nlocal_accounts = false\n')
    with pytest.raises(InvalidValue, match=r"Local accounts stay on until an administrator .* id\.example\.org"):
        server.serve(tmp_path / "new.db", "127.0.0.1", 0, sso=settings)
    with open_store(tmp_path / "new.db") as store:
        assert store.value("SELECT count(*) FROM sign_in_links") == 0


def test_a_file_that_is_no_database_is_refused(program: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 100)
    assert "isn't an SQLite database. Choose another, or restore a backup." in refusal(
        program, tmp_path / "notes.txt", "serve", "--port", "0"
    )


def test_what_a_server_imports_ahead_is_not_looked_through_for_garbage_after_each_run() -> None:
    gc.unfreeze()
    server._import_ahead()
    kept_apart = gc.get_freeze_count()
    still_looked_through = len(gc.get_objects())
    assert kept_apart > 100 * still_looked_through
    gc.collect()
    # what other threads of this process let go meanwhile leaves by itself, a few of two million
    assert kept_apart - 100 < gc.get_freeze_count() <= kept_apart


def test_streamlit_looks_through_no_installed_package_for_components(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: pytest.fail("packages were looked through"))
    server.spare_streamlit()
    BidiComponentManager().discover_and_register_components(start_file_watching=False)


def test_a_start_does_not_wait_for_what_charts_need_and_charts_can_be_made_then() -> None:
    program = (
        "import sys; from annotator.web import server; server._build_app(log_as_json=False); "
        "print('plotly' in sys.modules); import plotly.graph_objects"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == ("False\n", 0), done.stderr


def test_the_collector_begins_also_where_an_import_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> None:
        raise RuntimeError("a package that is broken")

    monkeypatch.setattr(server, "import_module", fail)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    gc.disable()
    try:
        server._import_ahead()
        assert gc.isenabled()
    finally:
        gc.enable()


def test_streamlits_files_are_where_it_says_itself() -> None:
    assert str(streamlit_files()) == get_static_dir()


def test_a_page_may_send_as_long_a_message_as_streamlit_takes() -> None:
    assert get_max_message_size_bytes() == server._LONGEST_SOCKET_MESSAGE
