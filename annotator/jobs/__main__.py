"""`python -m annotator.jobs DATABASE`: the process that does long work. The server starts it, and it ends with the server."""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from annotator.errors import StoreError
from annotator.jobs.worker import release_own, work

_LESS_THAN_THE_SERVER = 10  # people who mark come first


def main() -> None:
    """Work until the queue has been empty for a while, or the process that started this one is gone."""
    path = Path(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server, which then ends this one
    threading.Thread(target=_end_with_the_server, args=(path,), daemon=True).start()
    with suppress(AttributeError, OSError):
        os.nice(_LESS_THAN_THE_SERVER)
    try:
        work(path)
    except StoreError as error:  # the server says so too, and starts another process when it is over
        sys.exit(str(error))


def _end_with_the_server(path: Path) -> None:
    """The server holds the other end of standard input: it closes however the server ends, by kill -9 too."""
    while os.read(sys.stdin.fileno(), 1):  # unbuffered: Python could not end while another thread holds a buffer's lock
        pass
    release_own(path)
    os._exit(0)


if __name__ == "__main__":
    main()
