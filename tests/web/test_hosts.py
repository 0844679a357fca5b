"""Under which names the server answers: its own, those of its settings, and never one that a page elsewhere chose."""

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.requests import HTTPConnection as StarletteConnection
from starlette.testclient import TestClient

from annotator.cli.main import run
from annotator.errors import InvalidValue
from annotator.store import Store, open_store
from annotator.usecases.access import accounts
from annotator.web.addresses import (
    PUBLIC_VARIABLE,
    Addresses,
    AllowedHosts,
    addresses_of,
    allowed_hosts,
    host_name,
    refusal_of,
)
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import (
    ServerOptions,
    close_kept_store,
    is_from_elsewhere,
    is_from_own_page,
    is_own_origin,
)

LOCAL = ["localhost", "localhost:8501", "127.0.0.1", "127.0.0.1:9000", "[::1]", "[::1]:8501", "LocalHost.", ""]
STRANGE = ["rebound.example", "localhost.rebound.example", "127.0.0.1.rebound.example:8501", "a@localhost", "localhost/x", "[::1",
    "localhost:x", "localhost:99999", " localhost", "localhost\t", "x" * 5000, "127.0.0.1:8501@rebound.example", ":8501", "?"]  # fmt: skip


@pytest.mark.parametrize("host", LOCAL)
def test_a_server_answers_under_the_names_of_its_own_machine(host: str) -> None:
    assert allowed_hosts("127.0.0.1", "127.0.0.1", None, ()).allows(host)
    assert AllowedHosts().allows(host)


@pytest.mark.parametrize("bound", ["127.0.0.1", "::1", "0.0.0.0", "::", "192.0.2.7"])
@pytest.mark.parametrize("host", STRANGE)
def test_no_server_answers_under_a_name_that_somebody_else_chose(bound: str, host: str) -> None:
    assert not allowed_hosts(bound, bound, "https://annotate.example.org", ["annotate.lab"]).allows(host)


@pytest.mark.parametrize(
    ("bound", "host", "is_allowed"),
    [
        ("127.0.0.1", "192.0.2.7:8501", False),  # nobody else reaches it
        ("192.0.2.7", "192.0.2.7:8501", True),
        ("0.0.0.0", "192.0.2.7:8501", True),  # no page elsewhere has a number for a name
        ("::", "[2001:db8::7]:8501", True),
        ("0.0.0.0", f"{socket.gethostname()}:8501", True),
        ("192.0.2.7", f"{socket.gethostname()}.local", True),
    ],
)
def test_where_others_reach_it_any_number_and_the_machines_name_are_taken(
    bound: str, host: str, is_allowed: bool
) -> None:
    assert allowed_hosts(bound, bound, None, ()).allows(host) is is_allowed


def test_the_address_of_a_proxy_and_named_hosts_are_taken() -> None:
    hosts = allowed_hosts(
        "127.0.0.1", "127.0.0.1", "https://Annotate.Example.org:8443/x", ["annotate.lab", "[2001:db8::7]"]
    )
    assert [hosts.allows(host) for host in ("annotate.example.org:8443", "ANNOTATE.LAB", "[2001:db8::7]:80")] == [
        True
    ] * 3


@pytest.mark.parametrize("name", ["http://annotate.lab", "annotate.lab:8501", "annotate.lab/x", "", "a b@c"])
def test_what_is_no_name_of_a_host_is_refused_at_the_start(name: str, database: Path, capsys) -> None:
    with pytest.raises(InvalidValue, match=r"is not a host\. Write it like annotate\.example\.org\."):
        allowed_hosts("127.0.0.1", "127.0.0.1", None, [name])
    open_store(database, create=True).close()
    assert run(["--db", str(database), "serve", "--port", "0", "--allowed-host", name]) == 1
    assert "is not a host. Write it like annotate.example.org." in capsys.readouterr().err


def test_the_refusal_names_the_option_to_whoever_asks_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        said = refusal_of("annotate.lab\x1b[2J" + "x" * 5000)
    assert "Start the server with --allowed-host or --url (docs/server.md)." in said
    assert "Start the server with --allowed-host or --url (docs/server.md)." in said
    assert len(caplog.text) < 500
    assert "--allowed-host" in caplog.text


@pytest.mark.parametrize("host", ["localhost:8501", "[::1]:1"])
def test_a_name_is_known_without_its_port(host: str) -> None:
    assert host_name(host) in {"localhost", "::1"}


def test_a_running_server_takes_the_hosts_that_it_was_given_and_no_other(database: Path) -> None:
    open_store(database, create=True).close()
    command = [
        sys.executable,
        "-m",
        "annotator.cli.main",
        "--db",
        str(database),
        "serve",
        "--port",
        "0",
        "--allowed-host",
        "annotate.lab",
    ]
    process = subprocess.Popen(
        command, env=os.environ | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        process.stdout.readline()
        port = int(process.stdout.readline().split("http://127.0.0.1:")[1].split()[0])
        statuses = {host: _status(port, host) for host in ("annotate.lab", "rebound.example", f"localhost:{port}")}
    finally:
        process.terminate()
        _, errors = process.communicate()
    assert statuses == {"annotate.lab": 200, "rebound.example": 421, f"localhost:{port}": 200}
    assert "The host 'rebound.example' was refused." in errors


def _status(port: int, host: str) -> int:
    """The socket listens before the application is there."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/health", headers={"Host": host})
    status = connection.getresponse().status
    connection.close()
    return status


# Below a path: https://example.org/annotate


@pytest.fixture
def below(monkeypatch: pytest.MonkeyPatch, database: Path, empty_database: Path) -> Iterator[Callable[..., Response]]:
    """Answers of the program behind https://example.org/annotate, by path."""
    monkeypatch.setenv(PUBLIC_VARIABLE, "https://example.org/annotate")
    shutil.copy(empty_database, database)
    options = ServerOptions(database, hosts=allowed_hosts("127.0.0.1", "127.0.0.1", "https://example.org/annotate", ()))
    app = Starlette(routes=all_routes(), middleware=web_middleware(options))
    with TestClient(app, base_url="https://example.org", follow_redirects=False) as client:
        yield lambda path, **form: (
            client.post(path, data=form, headers={"Origin": "https://example.org"}) if form
            else client.get(path, headers={"Accept": "text/html"})
        )  # fmt: skip
    close_kept_store()


def test_below_a_path_every_address_that_a_browser_gets_begins_with_it(
    below: Callable[..., Response], store: Store
) -> None:
    assert (
        below("/annotate/annotate?project=1").headers["location"] == "/annotate/sign-in?next=%2Fannotate%3Fproject%3D1"
    )
    page = below("/annotate/sign-in?next=%2Fsaliency%3Fproject%3D1")
    assert re.findall(r'(?:href|action)="([^"]*)"', page.text) == [
        "/annotate/favicon.png",
        "/annotate/sign-in?next=%2Fsaliency%3Fproject%3D1",
    ]
    link = accounts.make_first_account_link(store)
    answer = below(f"/annotate/link/{link}", name="ann", password="a good long password")
    assert (answer.status_code, answer.headers["location"]) == (303, "/annotate/")
    assert "Path=/annotate/;" in answer.headers["set-cookie"]


@pytest.mark.parametrize(("path", "status", "leads"), [
    ("/", 307, "/annotate/"), ("/annotate?project=1", 307, None), ("/annotate", 307, "/annotate/"), ("/health", 200, None),
    ("/annotate/health", 200, None), ("/saliency", 404, None), ("/annotated/health", 404, None),
])  # fmt: skip
def test_beside_the_path_there_is_only_the_health_and_the_way_to_it(
    below: Callable[..., Response], path: str, status: int, leads: str | None
) -> None:
    answer = below(path)
    assert answer.status_code == status
    if leads:
        assert answer.headers["location"] == leads
    if status == 404:
        assert answer.text == "This server is at /annotate/. A proxy must pass the path on as it is (docs/deploy.md).\n"


def test_the_stated_address_is_the_servers_own_origin_whatever_host_the_proxy_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = request(host="127.0.0.1:8501", origin="https://example.org", sec_fetch_site="same-origin")
    assert is_from_elsewhere(asked)
    monkeypatch.setenv(PUBLIC_VARIABLE, "https://example.org:443/annotate")
    assert is_from_own_page(asked)
    for other in (
        "http://example.org",
        "https://example.org:8443",
        "https://example.org.evil.example",
        "null",
        "https://[",
        "",
    ):
        assert not is_own_origin(asked, other)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a//b",
        "https://example.org/a/..",
        "https://example.org/a%2F",
        "https://e.org/ä",
        "/a",
        "ftp://e.org/",
    ],
)
def test_an_address_with_a_path_that_no_proxy_would_pass_on_is_refused(url: str) -> None:
    with pytest.raises(InvalidValue, match="is no address of a server"):
        addresses_of("127.0.0.1", 8501, url)


def test_a_slash_at_the_end_of_the_stated_address_changes_nothing() -> None:
    assert addresses_of("127.0.0.1", 8501, "https://example.org/annotate/") == Addresses(
        "http://127.0.0.1:8501/annotate", "https://example.org/annotate"
    )


# Whether a request comes from a page of this server: what browsers send, alone and behind a proxy.


def request(scheme: str = "http", **headers: str) -> StarletteConnection:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return StarletteConnection({"type": "http", "scheme": scheme, "path": "/", "headers": sent, "query_string": b""})


@pytest.mark.parametrize(
    ("host", "scheme", "origin", "is_own"),
    [
        ("127.0.0.1:8501", "http", "http://127.0.0.1:8501", True),
        ("127.0.0.1:8501", "http", "http://127.0.0.1:9000", False),  # another program on this machine
        ("127.0.0.1:8501", "http", "http://localhost:8501", False),
        ("127.0.0.1:8501", "http", "http://127.0.0.1", False),
        ("Annotate.example.org", "http", "https://annotate.example.org", True),  # a proxy ends TLS and does not say so
        ("annotate.example.org", "https", "https://annotate.example.org", True),
        ("annotate.example.org:443", "https", "https://annotate.example.org", True),
        ("annotate.example.org:8443", "https", "https://annotate.example.org:8443", True),
        ("annotate.example.org", "https", "https://annotate.example.org:8443", False),  # a proxy that cuts the port off
        ("annotate.example.org", "https", "http://annotate.example.org", False),  # a page that came without TLS
        ("annotate.example.org", "wss", "http://annotate.example.org", False),
        ("annotate.example.org", "wss", "https://annotate.example.org", True),
        ("annotate.example.org:80", "http", "http://annotate.example.org", True),
        ("127.0.0.1:8501", "https", "https://annotate.example.org", False),  # a proxy that does not hand the host on
        ("[::1]:8501", "ws", "http://[::1]:8501", True),
        ("127.0.0.1:8501", "http", "null", False),
        ("127.0.0.1:8501", "http", "", False),
        ("127.0.0.1:8501", "http", "127.0.0.1:8501", False),
        ("127.0.0.1:8501", "http", "ftp://127.0.0.1:8501", False),
        ("127.0.0.1:8501", "http", "http://127.0.0.1:x", False),
        ("127.0.0.1:8501", "http", "http://[::1", False),
        ("127.0.0.1:8501", "http", "http://127.0.0.1:8501@elsewhere.example", False),
        ("", "http", "http://", False),
    ],
)
def test_an_origin_is_own_when_its_host_and_port_are_those_that_were_asked_for(
    host: str, scheme: str, origin: str, is_own: bool
) -> None:
    assert is_own_origin(request(scheme, host=host), origin) is is_own


def test_without_a_host_no_origin_is_own() -> None:
    assert not is_own_origin(request(), "http://127.0.0.1:8501")


OWN = {"host": "a:1", "origin": "http://a:1"}


@pytest.mark.parametrize(
    ("sent", "own", "elsewhere"),
    [
        ({"host": "a:1"}, False, False),  # nothing is said
        ({"host": "a:1", "sec_fetch_site": "same-origin"}, True, False),
        ({"host": "a:1", "sec_fetch_site": "none"}, False, False),
        ({"host": "a:1", "sec_fetch_site": "same-site"}, False, True),
        ({"host": "a:1", "sec_fetch_site": "cross-site"}, False, True),
        (OWN, True, False),
        (OWN | {"sec_fetch_site": "cross-site"}, False, True),
        (OWN | {"sec_fetch_site": "none"}, False, False),
        (OWN | {"origin": "http://b:1", "sec_fetch_site": "same-origin"}, False, True),
        (OWN | {"referer": "http://b:1/page"}, True, False),  # the origin says more than the address of the page
        ({"host": "a:1", "referer": "http://a:1/annotate?project=1"}, True, False),
        ({"host": "a:1", "referer": "http://b:1/a:1"}, False, True),
        ({"host": "a:1", "origin": "null", "referer": "http://a:1/"}, False, True),
    ],
)
def test_a_request_is_of_an_own_page_when_a_browser_says_so_and_nothing_says_otherwise(
    sent: dict[str, str], own: bool, elsewhere: bool
) -> None:
    assert (is_from_own_page(request(**sent)), is_from_elsewhere(request(**sent))) == (own, elsewhere)
