"""A server on this machine that answers as a language model does, or as badly as a test wants."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class ModelServer:
    """Where it is, what it was asked, and how it behaves; `behaviour` may be changed between requests."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                with contextlib.suppress(OSError):  # whoever asked went away
                    outer.behaviour(self, body)

            def do_GET(self) -> None:
                outer.requests.append((self.path, dict(self.headers), {}))

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        return [body["messages"][0]["content"] for _, _, body in self.requests]


@contextlib.contextmanager
def serving(behaviour: Behaviour) -> Iterator[ModelServer]:
    server = ModelServer(behaviour)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def saying(content: object) -> Behaviour:
    """A chat completion with this text, or with what a function makes of the prompt."""

    def behave(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        text = content(request["messages"][0]["content"]) if callable(content) else content
        body = {"model": request["model"], "choices": [{"message": {"role": "assistant", "content": text}}]}
        send(handler, 200, json.dumps(body).encode())

    return behave


def status(number: int, **headers: str) -> Behaviour:
    return lambda handler, _: send(
        handler, number, b'{"error": {"message": "bad key sk-secret-0123456789"}}', **headers
    )


def raw(body: bytes) -> Behaviour:
    return lambda handler, _: send(handler, 200, body)


def slow(handler: BaseHTTPRequestHandler, _: object) -> None:
    """A byte of its headers at a time: no single wait is long."""
    for byte in b"HTTP/1.1 200 OK\r\n" + b"X-Wait: 1\r\n" * 10_000:
        handler.wfile.write(bytes([byte]))
        time.sleep(0.02)


def trickling(handler: BaseHTTPRequestHandler, _: object) -> None:
    """A body without an end, a byte at a time."""
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        time.sleep(0.02)


def endless(handler: BaseHTTPRequestHandler, _: object) -> None:
    """A body without an end, as fast as it is taken."""
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 2**16)


def breaking_off(handler: BaseHTTPRequestHandler, _: object) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')


def no_http(handler: BaseHTTPRequestHandler, _: object) -> None:
    handler.wfile.write(b"hello, what is it?\r\n\r\n")
