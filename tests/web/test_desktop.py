"""A window's own server: only the window reaches it, it ends with the window, and a stranger's file is checked first."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import StoreError
from annotator.store import Store, open_store
from annotator.usecases.access.accounts import list_users
from annotator.web import desktop
from annotator.web.desktop import WindowServer, last_file, register, remember, require_sound


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of whoever runs the tests is read or written."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    monkeypatch.setenv("LOGNAME", "lea")
    return tmp_path / "home"


@pytest.fixture
def window(tmp_path: Path) -> Iterator[WindowServer]:
    server = WindowServer(tmp_path / "films.rationales", create=True)
    yield server
    server.close()


def ask(address: str, cookie: str = "") -> HTTPResponse:
    parts = urlsplit(address)
    headers = {"Accept": "text/html", "Connection": "close", **({"Cookie": cookie} if cookie else {})}
    with closing(HTTPConnection(parts.hostname or "", parts.port or 0, timeout=30)) as connection:
        connection.request("GET", parts.path or "/", headers=headers)
        answer = connection.getresponse()
        answer.read()
    return answer


def cookies_of(answer: HTTPResponse) -> str:
    return "; ".join(value.partition(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie")


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_window_is_signed_in_by_an_address_that_works_once_and_nobody_else_is_answered(
    window: WindowServer,
) -> None:
    for path in (
        "/",
        "/sign-in",
        "/start",
        "/link/x",
        "/crowd/x",
        "/api/panel/next",
        "/panel/x/y.js",
        "/_stcore/stream",
        "/window/guessed",
    ):
        assert ask(window.address + path).status == 403, path
        assert ask(window.address + path, "annotator_window=guessed").status == 403, path
    first = ask(window.first_address)
    assert (first.status, first.headers["location"]) == (303, "/")
    assert all("httponly" in value.lower() for name, value in first.getheaders() if name.lower() == "set-cookie")
    assert ask(window.first_address).status == 403
    page = ask(f"{window.address}/start", cookies_of(first))
    assert page.status == 200
    assert ask(f"{window.address}/health").status == 200


def test_a_new_file_gets_the_account_of_whoever_is_at_the_machine(window: WindowServer) -> None:
    with open_store(window.path) as store:
        [listed] = list_users(store, LOCAL_OPERATOR)
    assert (listed.user.name, listed.user.is_administrator) == ("lea", True)


def test_the_server_ends_with_the_window_however_that_ends(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from annotator.web.desktop import WindowServer\n"
        f"server = WindowServer(Path({str(tmp_path / 'a.rationales')!r}), create=True)\n"
        "print(server.address, flush=True); time.sleep(600)"
    )
    window = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert window.stdout is not None
    address = window.stdout.readline().strip()
    assert ask(f"{address}/health").status == 200
    os.kill(window.pid, signal.SIGKILL)
    window.wait()
    window.stdout.close()

    def is_gone() -> bool:
        try:
            ask(f"{address}/health")
        except OSError:
            return True
        return False

    wait_until(is_gone)


def test_a_file_that_is_open_elsewhere_is_refused_with_the_address(window: WindowServer) -> None:
    with pytest.raises(StoreError, match=r"“films\.rationales” is open already, at http://127\.0\.0\.1:"):
        WindowServer(window.path)


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no file"):
        WindowServer(tmp_path / "nothing.rationales")
    assert not (tmp_path / "nothing.rationales").exists()


def test_a_strangers_file_is_checked_before_it_is_opened_and_a_known_one_is_not_again(
    store: Store, database: Path
) -> None:
    require_sound(database)
    store.close()
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("INSERT INTO memberships (project_id, user_id, role) VALUES (999, 999, 'lead')")
    with pytest.raises(StoreError, match="is damaged and was not opened:\ntable memberships, row "):
        require_sound(database)
    remember(database)
    require_sound(database)


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to be read as a header of one" * 10])
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.rationales"
    path.write_bytes(content)
    with pytest.raises(StoreError):
        require_sound(path)
    assert path.read_bytes() == content


def test_the_last_file_is_remembered_and_forgotten_when_it_is_gone(tmp_path: Path) -> None:
    assert last_file() is None
    first, second = tmp_path / "a.rationales", tmp_path / "b.rationales"
    for path in (first, second, first):
        path.touch()
        remember(path)
    assert last_file() == first
    first.unlink()
    assert last_file() is None


@pytest.mark.parametrize("memory", ["", "[]", "{}", '{"files": 3}', '{"files": [1, null]}', "\udcff"])
def test_a_memory_that_cannot_be_read_is_as_good_as_none(memory: str, home: Path) -> None:
    path = desktop._memory()
    path.parent.mkdir(parents=True)
    path.write_bytes(memory.encode("utf-8", "surrogateescape"))
    assert last_file() is None


def test_the_menu_entry_and_the_file_type_name_the_program_and_the_ending(tmp_path: Path, home: Path) -> None:
    entry, file_type = register(tmp_path / "share")
    lines = entry.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "[Desktop Entry]"
    assert any(line.startswith('Exec="') and line.endswith(" desktop %f") for line in lines)
    assert Path(next(line for line in lines if line.startswith("Icon="))[5:]).is_file()
    assert '<glob pattern="*.rationales"/>' in file_type.read_text(encoding="utf-8")


def test_without_pywebview_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(desktop, "find_spec", lambda name: None)
    assert run(["desktop"]) == 1
    assert "pip install 'rationale-annotator[desktop]'" in capsys.readouterr().err


class FakeWindow:
    """As much of pywebview's window as the program uses."""

    def __init__(self, chosen: Path | None = None) -> None:
        self.chosen = chosen
        self.shown: list[str] = []
        self.title = ""

    def load_html(self, html: str) -> None:
        self.shown.append(html)

    def load_url(self, url: str) -> None:
        self.shown.append(url)

    def set_title(self, title: str) -> None:
        self.title = title


def test_a_fault_is_told_in_the_window_and_a_good_file_is_shown_in_it(tmp_path: Path) -> None:
    program = desktop.Desktop()
    program.window = window = FakeWindow()
    program.begin(None)
    assert "Open a file, or make a new one." in window.shown[-1]
    program.begin(tmp_path / "<b>gone</b>.rationales")
    assert "&lt;b&gt;gone&lt;/b&gt;" in window.shown[-1]
    assert "new_file()" in window.shown[-1]
    program.open(tmp_path / "films.rationales", create=True)
    try:
        assert window.shown[-1].startswith("http://127.0.0.1:")
        assert (window.title, last_file()) == ("films.rationales · Rationale annotator", tmp_path / "films.rationales")
        program.open(tmp_path / "films.rationales")  # once more, from the menu
        assert len(window.shown) == 3
    finally:
        program.close()
    assert json.loads(desktop._memory().read_text(encoding="utf-8")) == {"files": [str(tmp_path / "films.rationales")]}
