"""Which server serves a database: told to commands and to a second server as long as the first one lives, and no longer."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.store.connection.file_access import address_of_server, served

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")

HERE, THERE = "http://127.0.0.1:9000", "http://127.0.0.1:9001"


def test_the_address_is_known_while_it_is_served_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert address_of_server(path) is None
    with served(path, HERE) as other:
        assert (other, address_of_server(path)) == (None, HERE)
        assert (tmp_path / "a.db-server").stat().st_mode & 0o777 == 0o600
    assert address_of_server(path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_second_server_learns_of_the_first_and_takes_nothing_from_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with served(path, HERE):
        with served(path, THERE) as other:
            assert (other, address_of_server(path)) == (HERE, HERE)
        assert address_of_server(path) == HERE
    with served(path, THERE) as other:
        assert (other, address_of_server(path)) == (None, THERE)


def test_what_a_killed_server_left_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    program = (
        "import sys, time; from pathlib import Path; from annotator.store.connection.file_access import served\n"
        f"with served(Path(sys.argv[1]), {HERE!r}):\n    print('serves', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "serves\n"
        assert address_of_server(path) == HERE
        os.kill(process.pid, signal.SIGKILL)
    assert (tmp_path / "a.db-server").exists()
    assert address_of_server(path) is None
    with served(path, "http://a") as other:
        assert (other, address_of_server(path)) == (None, "http://a")


def test_where_no_file_can_be_made_nobody_is_told_and_the_server_serves(tmp_path: Path) -> None:
    with served(tmp_path / "no folder" / "a.db", HERE) as other:
        assert other is None
