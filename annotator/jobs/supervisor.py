"""The server's two threads: one sees to it that a process does the long work, one sends mails and calls the webhook."""

import logging
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from annotator.errors import StoreError
from annotator.store import Store, open_store
from annotator.store.jobs import is_work_waiting, release_jobs_of
from annotator.usecases.delivery.outbox import gather, send_next, tidy

_LOOKS_EVERY = 1.0  # seconds
_AFTER_TROUBLE = 60.0  # else the log would fill with the same line
_GOES_WITHIN = 5.0


class Supervisor:
    """Starts the one process for long work when something waits, and starts another when it ended in the middle of it.

    Pages only write into the queue: none of them knows of processes, and none has to stay open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process: subprocess.Popen[bytes] | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """From now on the queue is watched."""
        self._thread.start()

    def stop(self) -> None:
        """The process ends; its job waits for the next server."""
        self._is_over.set()
        self._thread.join()
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_GOES_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with suppress(StoreError):
            self._let_go(self._process, is_counted=False)

    def _watch(self) -> None:
        while not self._is_over.is_set():
            try:
                self._look_each_second()
            except (StoreError, OSError) as error:  # the database is away or cannot be written: try again
                logging.getLogger(__name__).warning("Long work waits: %s", error)
            except Exception:  # a defect, unknown by its nature: it must not end this thread, and all long work with it
                logging.getLogger(__name__).exception("Long work waits")
            self._is_over.wait(_AFTER_TROUBLE)

    def _look_each_second(self) -> None:
        """Until it is over. The connection is kept open: it holds what was stored if files are removed under the server."""
        with open_store(self._path) as store:
            while not self._is_over.wait(_LOOKS_EVERY):
                store.require_writable()
                self._look(store)

    def _look(self, store: Store) -> None:
        if self._process is not None and self._process.poll() is not None:
            self._let_go(self._process, is_counted=True)
            self._process = None
        if self._process is None and is_work_waiting(store):
            self._process = self._started()

    def _started(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "annotator.jobs", str(self._path)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # noqa: S603  (ours)

    def _let_go(self, process: "subprocess.Popen[bytes]", *, is_counted: bool) -> None:
        if process.stdin is not None:
            process.stdin.close()
        with open_store(self._path) as store, store.transaction():
            release_jobs_of(store, process.pid, is_counted=is_counted)


# The thread of the server that sends mail and calls the webhook: outside every request, and in no hurry.


_SENDS_EVERY = 30.0  # seconds
_TIDIES_EVERY = 600.0
_SENDS_AFTER_TROUBLE = 300.0


class Messenger:
    """Looks every half minute whether something is to be sent; while nothing is turned on that costs two look-ups."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="messenger", daemon=True)
        self._tidied_at: float | None = None

    def start(self) -> None:
        """From now on messages are sent."""
        self._thread.start()

    def stop(self) -> None:
        """Not waited for: an attempt may take half a minute, and what is in the middle of it is said to be unknown."""
        self._is_over.set()

    def _watch(self) -> None:
        while not self._is_over.is_set():
            pause = _SENDS_EVERY
            try:
                with open_store(self._path) as store:
                    self._look(store)
            except (StoreError, OSError) as error:
                logging.getLogger(__name__).warning("Messages wait: %s", error)
                pause = _SENDS_AFTER_TROUBLE
            except Exception:  # a defect, unknown by its nature: it must not end this thread, the only one that sends
                logging.getLogger(__name__).exception("Messages wait")
                pause = _SENDS_AFTER_TROUBLE
            self._is_over.wait(pause)

    def _look(self, store: Store) -> None:
        if self._tidied_at is None or time.monotonic() - self._tidied_at > _TIDIES_EVERY:
            tidy(store)
            self._tidied_at = time.monotonic()
        gather(store)
        while not self._is_over.is_set() and send_next(store):
            pass
