"""Servers of the demonstration that begin at once: each is a fork of one process that has imported what servers need.

What a start from nothing does is tested in `tests/web` and by the stories that start a `Server` themselves after a kill.
"""

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

from annotator.web.server import serve
from benchmarks.served import Server

# Nothing of it starts a thread, which would not be there in the fork. Components register only while a server runs: of our own
# web floor nothing is imported but what the server itself needs.
_ROOMS = ("annotator.figures", "annotator.formats", "annotator.usecases")
_IMPORTED = (
    "anyio._backends._asyncio",
    "jinja2",
    "pandas.io.formats.style",
    "PIL.PngImagePlugin",
    "plotly.graph_objects",
    "plotly.subplots",
    "pyarrow",
    "spacy.lang.en",
    "spacy.lang.zh",
    "spellchecker",
    "streamlit.material_icon_names",
    "streamlit.starlette",
    "tests.browser.stories.ready_server",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "uvloop",
)
_STARTS = get_context("forkserver")


class ReadyServer(Server):
    """A server in such a fork."""

    def __init__(self, database: Path, url: str | None = None, port: int = 0) -> None:
        self.database = database
        self.log = database.with_suffix(".log")
        self.log.touch()
        said, says = _STARTS.Pipe(duplex=False)
        self.fork: BaseProcess = _STARTS.Process(target=_run, args=(database, url, port, self.log, says))
        with _no_main():
            self.fork.start()
        says.close()
        self.said = os.fdopen(os.dup(said.fileno()), encoding="utf-8")
        said.close()
        self.address = self._address_in(self.said)

    def kill(self) -> None:
        self.fork.kill()
        self._wait()

    def stop(self) -> None:
        self.fork.terminate()
        self._wait()

    def _wait(self) -> None:
        self.fork.join(20)
        self.said.close()


@contextmanager
def _no_main() -> Iterator[None]:
    """A fork would run again what is `__main__` here; it needs none of it, and AppTest leaves there the page that it ran."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _run(database: Path, url: str | None, port: int, log: Path, says: Connection) -> None:
    """In the fork: its own session, as a program that was started by itself; what it prints goes to whoever waits for it."""
    os.setsid()
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    os.dup2(says.fileno(), 1)
    os.environ["TMPDIR"] = str(database.parent)  # what a kill leaves behind lies with what the test leaves
    tempfile.tempdir = None
    serve(database, "127.0.0.1", port, url=url, is_demonstration=True)


def _end_with_the_tests() -> None:
    """No server stays behind where the tests are killed."""
    tests = parent_process()
    if tests is not None:
        tests.join()
        os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def ready_server(database: Path, url: str | None = None, port: int = 0) -> Iterator[ReadyServer]:
    """A server that lasts as long as the block, and ends without ceremony: what it served is thrown away."""
    server = ReadyServer(database, url, port)
    try:
        yield server
    finally:
        server.kill()


def _modules(room: str) -> list[str]:
    return [module.name for module in walk_packages(import_module(room).__path__, f"{room}.")]


_STARTS.set_forkserver_preload([*_IMPORTED, *(module for room in _ROOMS for module in _modules(room))])
