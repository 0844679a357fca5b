"""The server's log, which is standard error: the same trouble once a minute, and a few lines of each kind in one.

Strangers can cause some lines (bytes that are no request, more connections than the system gives), thousands in a second.
"""

import logging
import time
from dataclasses import dataclass

from annotator.domain.numbers import counted

_A_MINUTE = 60.0
_OF_ONE_KIND = 5
_MOST_KINDS = 1000
_MOST_KEPT = 100


@dataclass(slots=True)
class _Count:
    """How often something was said in the minute that began at `since`."""

    since: float
    n: int = 0


class Sparing(logging.Filter):
    """Lets five lines of a kind pass in a minute; the first after it says how many there were besides."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[tuple[str, str, str], _Count] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        kind = (record.name, str(record.msg), "" if not record.exc_info else str(record.exc_info[0]))
        if len(self._counts) >= _MOST_KINDS:
            self._counts.clear()
        count = self._counts.setdefault(kind, _Count(now))
        left_out = 0
        if now - count.since >= _A_MINUTE:
            left_out = max(0, count.n - _OF_ONE_KIND)
            count.since, count.n = now, 0
        count.n += 1
        if left_out:
            record.msg, record.args = f"{record.getMessage()} (and {counted(left_out, 'time')} more since)", ()
        return count.n <= _OF_ONE_KIND


class OneLine(logging.Filter):
    """Takes the trace from what is the sender's fault, as bytes that are no text: it says nothing of this program."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record is written."""
        if record.exc_info and isinstance(record.exc_info[1], UnicodeError):
            record.exc_info = record.exc_text = None
        return True


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
        line, now = record.getMessage(), time.monotonic()
        if now - self._written.get(line, -_A_MINUTE) < _A_MINUTE:
            return False
        if len(self._written) >= _MOST_KEPT:
            self._written.clear()
        self._written[line] = now
        return True


def begin_log() -> None:
    """Warnings and errors, on standard error."""
    handler = logging.StreamHandler()
    handler.addFilter(OnceAMinute())
    handler.addFilter(Sparing())
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s", handlers=[handler]
    )
    # Streamlit gives these handlers of their own.
    others = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "streamlit"]
    for name in ("uvicorn.error", *others):
        logging.getLogger(name).addFilter(OneLine())
        logging.getLogger(name).addFilter(Sparing())
