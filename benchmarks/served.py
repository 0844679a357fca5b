"""A server of ours in a process of its own, for benchmarks and browser tests that speak to it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from urllib.parse import urlsplit


class Server:
    """A running server; `port` 0 lets the system choose. program: the module that is run, ours or one around it."""

    def __init__(
        self, database: Path, *, command: str = "demo", port: int = 0, program: str = "annotator.cli.main"
    ) -> None:
        arguments = [sys.executable, "-m", program, "--db", str(database), command, "--port", str(port)]
        if command == "demo":
            arguments.append("--no-browser")
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.database = database
        self.command = command
        self.log = database.with_suffix(".log")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                arguments, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, start_new_session=True
            )
        self.address = self._address_in(self.process.stdout or ())

    def _address_in(self, lines: Iterable[str]) -> str:
        """What it says when it listens."""
        for line in lines:
            found = re.match(r"at (http://\S+)", line)
            if found:
                return found[1]
        raise RuntimeError(f"the server did not start:\n{self.log.read_text(encoding='utf-8')}")

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 80

    def kill(self) -> None:
        """As if the machine had lost its power (kill -9)."""
        self.process.send_signal(signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        """As Ctrl+C does."""
        self.process.terminate()
        self._wait()

    def _wait(self) -> None:
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int) -> None:
    """Wait until somebody listens there."""
    for _ in range(3000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise RuntimeError(f"nothing listens at port {port}")


@contextmanager
def served(database: Path, *, command: str = "demo") -> Iterator[str]:
    """The address of a server for this database, while the block lasts. As the demonstration it needs no passwords."""
    server = Server(database, command=command)
    try:
        yield server.address
    finally:
        server.stop()


@contextmanager
def bare_page(module: str, file: Path) -> Iterator[str]:
    """The address of a bare Streamlit page (`bare_page`, `bare_text`) that shows a file, while the block lasts."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", f"benchmarks.{module}", str(file), str(port)])
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def html_file(text: Path) -> Iterator[str]:
    """The address of an HTML file with a text, which Python's own server gives out while the block lasts."""
    file = text.with_suffix(".html")
    words = escape(text.read_text(encoding="utf-8"))
    file.write_text(
        "<!doctype html><meta charset=utf-8><style>p { white-space: pre-wrap; font: 18px/36px sans-serif }</style>"
        f"<p class=file-text>{words}</p>",
        encoding="utf-8",
    )
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(text.parent)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}/{file.name}"
    finally:
        process.terminate()
        process.wait(20)
