"""A mail server and an https server on this machine, for tests: with a certificate that is made when they are asked for."""

import base64
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

HOST = "mail.lab.example"  # what the certificate is for


def make_certificate(folder: Path) -> Path:
    """A certificate for HOST that signs itself, with its key in the same file."""
    key, certificate, both = folder / "key.pem", folder / "certificate.pem", folder / "both.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
            "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", str(key), "-out", str(certificate),
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    return both


def here(_: str, __: int) -> list[str]:
    """Every host is this machine."""
    return ["127.0.0.1"]


@dataclass
class Received:
    """What a server was given. mails: sender, recipient, text; calls: path, headers, body."""

    mails: list[tuple[str, str, str]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


Answer = Callable[[str], str | None]  # to a command: what is answered instead of the usual; "" ends the connection


def _smtp(
    context: ssl.SSLContext, received: Received, answer: Answer, *, offers_tls: bool, begins_with_tls: bool
) -> Any:
    class Handler(StreamRequestHandler):
        def handle(self) -> None:  # noqa: PLR0912  (a command each)
            if begins_with_tls:
                self._encrypt()
            self._say("220 ready")
            sender = recipient = ""
            while line := self.rfile.readline():
                words = line.decode().strip()
                received.commands.append(words.split(" ")[0].upper())
                special = answer(words)
                if special == "":
                    return
                if special is not None:
                    self._say(special)
                elif words.upper().startswith("EHLO"):
                    self._say(
                        "250-hello\r\n250-AUTH PLAIN LOGIN" + ("\r\n250 STARTTLS" if offers_tls else "\r\n250 OK")
                    )
                elif words.upper() == "STARTTLS":
                    self._say("220 go ahead")
                    self._encrypt()
                elif words.upper().startswith("AUTH PLAIN"):
                    received.logins.append(base64.b64decode(words.split(" ")[2]).decode())
                    self._say("235 welcome")
                elif words.upper().startswith("MAIL"):
                    sender = words
                    self._say("250 ok")
                elif words.upper().startswith("RCPT"):
                    recipient = words
                    self._say("250 ok")
                elif words.upper() == "DATA":
                    self._say("354 go on")
                    if not self._take(sender, recipient):
                        return
                elif words.upper() == "QUIT":
                    self._say("221 bye")
                    return
                else:
                    self._say("250 ok")

        def _take(self, sender: str, recipient: str) -> bool:
            lines = []
            while (line := self.rfile.readline()) not in {b".\r\n", b""}:
                lines.append(line)
            received.mails.append((sender, recipient, b"".join(lines).decode()))
            special = answer(".")
            if special == "":
                return False
            self._say(special or "250 taken")
            return True

        def _say(self, text: str) -> None:
            self.wfile.write(text.encode() + b"\r\n")
            self.wfile.flush()

        def _encrypt(self) -> None:
            self.request = context.wrap_socket(self.request, server_side=True)
            self.setup()

        def finish(self) -> None:
            super().finish()
            self.request.close()

    return Handler


class _Quiet(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_: object) -> None:
        """Clients that go away in the middle are what is tested."""


@contextmanager
def smtp_server(
    certificate: Path, answer: Answer = lambda _: None, *, offers_tls: bool = True, begins_with_tls: bool = False
) -> Iterator[tuple[int, Received]]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    received = Received()
    handler = _smtp(context, received, answer, offers_tls=offers_tls, begins_with_tls=begins_with_tls)
    with _Quiet(("127.0.0.1", 0), handler) as server, _running(server):
        yield server.server_address[1], received


@contextmanager
def https_server(certificate: Path, status: int | None = 204, location: str = "") -> Iterator[tuple[int, Received]]:
    """One that answers a status; None: it reads and ends the connection."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.calls.append((self.path, dict(self.headers), body))
            if status is None:
                self.close_connection = True
                return
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    class Server(HTTPServer):
        def handle_error(self, *_: object) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        with _running(server):
            yield server.server_address[1], received


@contextmanager
def _running(server: Any) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def silent_server() -> Iterator[int]:
    """One that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]
