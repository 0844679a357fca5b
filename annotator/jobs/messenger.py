"""The thread of the server that sends mail and calls the webhook: outside every request, and in no hurry."""

import logging
import threading
import time
from pathlib import Path

from annotator.errors import StoreError
from annotator.store import Store, open_store
from annotator.usecases.delivery.outbox import gather, send_next, tidy

_LOOKS_EVERY = 30.0  # seconds
_TIDIES_EVERY = 600.0
_AFTER_TROUBLE = 300.0


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
            pause = _LOOKS_EVERY
            try:
                with open_store(self._path) as store:
                    self._look(store)
            except (StoreError, OSError) as error:
                logging.getLogger(__name__).warning("Messages wait: %s", error)
                pause = _AFTER_TROUBLE
            except Exception:  # a defect, unknown by its nature: it must not end this thread, the only one that sends
                logging.getLogger(__name__).exception("Messages wait")
                pause = _AFTER_TROUBLE
            self._is_over.wait(pause)

    def _look(self, store: Store) -> None:
        if self._tidied_at is None or time.monotonic() - self._tidied_at > _TIDIES_EVERY:
            tidy(store)
            self._tidied_at = time.monotonic()
        gather(store)
        while not self._is_over.is_set() and send_next(store):
            pass
