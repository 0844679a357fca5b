"""What the server writes into its log, which is standard error: trouble, and the same trouble once a minute."""

import logging
import time

_SAID_AGAIN_AFTER = 60.0  # seconds
_MOST_KEPT = 100


class OnceAMinute(logging.Filter):
    """Lets a warning through unless the same one was written within the last minute.

    A full disk is noticed by every save of everybody; one line says it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; what comes with a trace always is."""
        if record.exc_info:
            return True
        said, now = record.getMessage(), time.monotonic()
        if now - self._written.get(said, -_SAID_AGAIN_AFTER) < _SAID_AGAIN_AFTER:
            return False
        if len(self._written) >= _MOST_KEPT:
            self._written.clear()
        self._written[said] = now
        return True


def log_to_standard_error() -> None:
    """Warnings and errors of the whole program, with the time."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(OnceAMinute())
