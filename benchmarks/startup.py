"""From the command to a page that can be used: the second start, with warm files and a browser that was here before.

Target: 2.5 s from `annotator --db X demo --no-browser` to the first frame with the text to be marked, the annotator being
signed in already. By turns with Streamlit's own "hello" of one line, started with `streamlit run`, for comparison; and what
each server's memory holds when its first page has been used for a few seconds.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.store import open_store
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import sign_in_as
from annotator.usecases.databases import find_project
from annotator.usecases.demonstration.construction import build
from annotator.web.routes.access import COOKIE
from benchmarks.chromium import browser_context, open_until_shown
from benchmarks.measured import Measured, table
from benchmarks.served import free_port, wait_for_port

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_ROUNDS = 5
_SETTLE_MS = 3000
_HELLO = 'import streamlit as st\nst.title("Hello")\n'


def main() -> list[Measured]:
    """Median seconds of both, by turns."""
    ours: list[tuple[float, float]] = []
    hello: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as name, browser_context() as context:
        database, script = Path(name) / "demo.db", Path(name) / "hello.py"
        build(database)
        script.write_text(_HELLO, encoding="utf-8")
        port, other = free_port(), free_port()
        context.add_cookies([{"name": COOKIE, "value": _sign_in(database), "url": f"http://127.0.0.1:{port}"}])
        annotator = ["-m", "annotator.cli.main", "--db", str(database), "demo", "--no-browser", "--port", str(port)]
        streamlit = ["-m", "streamlit", "run", str(script), "--server.port", str(other), "--server.headless", "true"]
        streamlit += ["--browser.gatherUsageStats", "false"]
        for number in range(_ROUNDS + 1):  # the first does not count: it warms the files
            started = _start(context, annotator, f"http://127.0.0.1:{port}/")
            started_hello = _start(context, streamlit, f"http://127.0.0.1:{other}/")
            if number:
                ours.append(started)
                hello.append(started_hello)
    (seconds, megabytes), (theirs, their_megabytes) = (
        map(statistics.median, zip(*of, strict=True)) for of in (ours, hello)
    )
    return [
        Measured("from the command to the text on the screen", seconds, "s", at_most=2.5),
        Measured("the same", seconds, "s", theirs, "streamlit run hello.py"),
        Measured(
            "memory of the server after the first page", megabytes, "MB", their_megabytes, "streamlit run hello.py", 1.6
        ),
    ]


def _start(context: "BrowserContext", arguments: list[str], address: str) -> tuple[float, float]:
    """Seconds from the command to the first frame that shows something, and the server's megabytes; it is stopped again."""
    page = context.new_page()
    began = time.time()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        wait_for_port(int(address.rstrip("/").rsplit(":", 1)[1]))
        seconds = open_until_shown(page, address).clock - began
        page.wait_for_timeout(_SETTLE_MS)
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        megabytes = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    finally:
        process.terminate()
        process.wait(20)
        page.close()
    return seconds, megabytes


def _sign_in(database: Path) -> str:
    """The cookie of an annotator who was here before."""
    with open_store(database) as store:
        with store.transaction():
            user = add_user(store, "Bench")
            add_role(store, find_project(store, "Sentiment").id, user, "annotator")
        return sign_in_as(store, user.name, is_demonstration=True)


if __name__ == "__main__":
    print(table([("startup", row) for row in main()]))
