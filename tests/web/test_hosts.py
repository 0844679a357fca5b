"""Under which names the server answers: its own, those of its settings, and never one that a page elsewhere chose."""

import logging
import os
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.errors import InvalidValue
from annotator.store import open_store
from annotator.web.hosts import AllowedHosts, allowed_hosts, host_name, refusal_of

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
