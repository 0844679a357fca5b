"""The listening socket, and where one reaches it."""

import errno
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from annotator.errors import InvalidValue

_BACKLOG = 2048
_NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE})


class Listener(socket.socket):
    """A listening socket that turns connections away while the system gives no more files.

    asyncio would try thousands of times, and write thousands of lines. One file is kept back, so that the connection can be taken
    and closed: whoever it was learns it at once.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._kept_back = _a_file()

    def accept(self) -> tuple[socket.socket, Any]:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in _NO_FILE_LEFT:
                raise
            self._turn_away()
            raise BlockingIOError from error

    def close(self) -> None:
        self._kept_back.close()
        super().close()

    def _turn_away(self) -> None:
        self._kept_back.close()
        with suppress(OSError):  # another thread was faster, or whoever it was has left
            super().accept()[0].close()
        with suppress(OSError):
            self._kept_back = _a_file()


def _a_file() -> BinaryIO:
    return Path(os.devnull).open("rb")


def listen(host: str, port: int) -> Listener:
    """A listening socket. It names TCP, else asyncio would leave Nagle's delay on and each small answer waits 40 ms."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, OverflowError) as error:
        raise InvalidValue(f"There is no address '{host}', port {port}, on this machine ({error}).") from error
    listener = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InvalidValue(_unusable(host, port, error)) from error
    return listener


def _unusable(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {host} is taken by another program. Choose another one with --port, or stop that program."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} of {host} may not be used by you. Choose one from 1024 on with --port."
    return f"'{host}', port {port}, cannot be served ({error.strerror}). Choose another --host or --port."
