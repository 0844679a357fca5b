"""Which web sockets reach Streamlit: those of our own pages, of somebody who is signed in."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.usecases.access import accounts
from annotator.web import middleware
from annotator.web.addresses import AllowedHosts, allowed_hosts
from annotator.web.middleware import _SocketOfPage, _Turns, web_middleware
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store

HOST = "127.0.0.1:8501"
OWN = f"http://{HOST}"
STREAM = "/_stcore/stream"
RUN = BackMsg(rerun_script={"query_string": "a=1"}).SerializeToString()
RUN_ENDED = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()


@pytest.fixture(autouse=True)
def _nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks() -> str:
        raise AssertionError("another host was asked for this machine's address")

    monkeypatch.setattr(net_util, "get_external_ip", asks)
    monkeypatch.setattr(net_util, "get_internal_ip", asks)


@pytest.fixture
def cookie(tmp_path: Path, empty_database: Path) -> str:
    with open_store(shutil.copy(empty_database, tmp_path / "annotator.db")) as store:
        accounts.add_user(store, LOCAL_OPERATOR, "ann", "administrator")
        return accounts.sign_in_as(store, "ann", is_demonstration=True)


@pytest.fixture
def connects(tmp_path: Path, cookie: str) -> Iterator[Callable[..., bool]]:
    """Whether a web socket with these headers reaches Streamlit, which then takes it without asking anybody."""

    async def stream(socket: WebSocket) -> None:
        assert _is_origin_allowed(socket.headers.get("Origin"), socket.headers.get("Host"))
        await socket.accept()
        await socket.close()

    def tried(*, is_demonstration: bool = False, scheme: str = "ws", **headers: str) -> bool:
        hosts = (
            AllowedHosts()
            if is_demonstration
            else allowed_hosts("127.0.0.1", "127.0.0.1", None, ["annotate.example.org"])
        )
        options = ServerOptions(tmp_path / "annotator.db", is_demonstration, hosts)
        app = Starlette(routes=[WebSocketRoute(STREAM, stream)], middleware=web_middleware(options))
        with TestClient(app) as client:
            try:
                with client.websocket_connect(f"{scheme}://testserver{STREAM}", headers={"host": HOST} | headers):
                    return True
            except WebSocketDisconnect as refused:
                return refused.code != 1008

    yield tried
    close_kept_store()


def test_a_page_of_ours_with_a_session_connects(connects: Callable[..., bool], cookie: str) -> None:
    assert connects(origin=OWN, cookie=f"{COOKIE}={cookie}")


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:9999",  # another program on this machine: the browser gives it the session's cookie
        "http://localhost:8501",
        "https://elsewhere.example",
        "http://elsewhere.example:8501",
        "null",
        "",
        "127.0.0.1:8501",
        "http://127.0.0.1:8501:9999",
        None,  # no browser leaves it out
    ],
)
def test_whatever_is_no_page_of_ours_does_not_connect_with_anybodys_session(
    connects: Callable[..., bool], cookie: str, origin: str | None
) -> None:
    headers = {} if origin is None else {"origin": origin}
    assert not connects(cookie=f"{COOKIE}={cookie}", **headers)


@pytest.mark.parametrize("sent", ["", f"{COOKIE}=", f"{COOKIE}=wrong", "other=1"])
def test_nobody_connects_without_a_session(connects: Callable[..., bool], sent: str) -> None:
    assert not connects(origin=OWN, cookie=sent)


def test_an_ended_session_connects_no_more(connects: Callable[..., bool], cookie: str, tmp_path: Path) -> None:
    with open_store(tmp_path / "annotator.db") as store:
        accounts.sign_out(store, cookie)
    assert not connects(origin=OWN, cookie=f"{COOKIE}={cookie}")


def test_without_the_database_nobody_connects(connects: Callable[..., bool], cookie: str, tmp_path: Path) -> None:
    (tmp_path / "annotator.db").rename(tmp_path / "away.db")
    assert not connects(origin=OWN, cookie=f"{COOKIE}={cookie}")


@pytest.mark.parametrize(
    ("scheme", "host", "origin"),
    [
        ("ws", "annotate.example.org", "https://annotate.example.org"),  # a proxy that ends TLS and does not say so
        ("wss", "annotate.example.org:443", "https://annotate.example.org"),
        ("wss", "Annotate.Example.org", "https://annotate.example.org"),
        ("wss", "annotate.example.org:8443", "https://annotate.example.org:8443"),
    ],
)
def test_behind_a_proxy_the_page_connects_however_host_and_origin_are_written(
    connects: Callable[..., bool], cookie: str, scheme: str, host: str, origin: str
) -> None:
    assert connects(scheme=scheme, host=host, origin=origin, cookie=f"{COOKIE}={cookie}")


def test_behind_a_proxy_with_tls_a_page_without_tls_does_not_connect(
    connects: Callable[..., bool], cookie: str
) -> None:
    headers = {"host": "annotate.example.org", "origin": "http://annotate.example.org"}
    assert not connects(scheme="wss", cookie=f"{COOKIE}={cookie}", **headers)


def test_the_demonstration_connects_under_its_own_name_only(connects: Callable[..., bool], cookie: str) -> None:
    rebound = {"host": "rebound.example:8501", "origin": "http://rebound.example:8501"}
    assert connects(is_demonstration=True, origin=OWN, cookie=f"{COOKIE}={cookie}")
    assert not connects(is_demonstration=True, cookie=f"{COOKIE}={cookie}", **rebound)


@pytest.mark.parametrize(
    ("content", "is_taken"),
    [
        (RUN, True),
        (b"\xff\xfe garbage", False),
        (b"", False),  # a message of no kind
        (b"\x00" * 5000, False),
        ("text", False),
        ("", False),
        (b"{}", False),
    ],
)
def test_a_socket_ends_with_the_first_message_that_no_page_sends_and_one_line_says_so(
    tmp_path: Path, cookie: str, caplog: pytest.LogCaptureFixture, content: bytes | str, is_taken: bool
) -> None:
    received: list[object] = []

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        while (message := await socket.receive())["type"] == "websocket.receive":
            received.append(message["bytes"])
            await socket.send_bytes(RUN_ENDED)
        await socket.send_bytes(RUN_ENDED)  # Streamlit may, and nothing comes of it

    app = Starlette(
        routes=[WebSocketRoute(STREAM, stream)], middleware=web_middleware(ServerOptions(tmp_path / "annotator.db"))
    )
    headers = {"host": HOST, "origin": OWN, "cookie": f"{COOKIE}={cookie}"}
    with TestClient(app) as client, client.websocket_connect(f"ws://testserver{STREAM}", headers=headers) as socket:
        (socket.send_text if isinstance(content, str) else socket.send_bytes)(content)  # type: ignore[operator]
        answer = socket.receive()
        if is_taken:
            socket.close()
    assert (answer["type"], received) == (("websocket.send", [content]) if is_taken else ("websocket.close", []))
    lines = [record for record in caplog.records if record.name == "annotator.web.middleware"]
    assert [record.getMessage() for record in lines] == (
        [] if is_taken else ["A web socket was closed, since it sent what no page sends."]
    )
    assert not any(record.exc_info for record in lines)
    close_kept_store()


class Tab:
    """A web socket of a page that runs until it is told to end, and what of it has come to Streamlit."""

    def __init__(self, turns: _Turns) -> None:
        self.given: asyncio.Queue[Message] = asyncio.Queue()
        self.runs, self.end = 0, asyncio.Event()
        self.open = asyncio.create_task(_SocketOfPage(self.given.get, self._send, turns).serve(self._stream, {}))

    async def _send(self, message: Message) -> None:
        pass

    async def _stream(self, _: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "websocket.receive":
            self.runs += 1
            await self.end.wait()
            self.end.clear()
            await send({"type": "websocket.send", "bytes": RUN_ENDED})

    def run(self) -> None:
        self.given.put_nowait({"type": "websocket.receive", "bytes": RUN})

    def leave(self) -> None:
        self.given.put_nowait({"type": "websocket.disconnect"})


async def _runs_after_each(tabs: Sequence[Tab], *steps: Callable[[], object]) -> list[list[int]]:
    """How often each tab's page was run, after each of these steps."""
    seen = []
    for step in steps:
        step()
        await asyncio.sleep(0.02)
        seen.append([tab.runs for tab in tabs])
    for tab in tabs:
        tab.open.cancel()
    return seen


def test_tabs_that_come_at_once_are_run_one_after_the_other_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    async def come() -> list[list[int]]:
        turns = _Turns()
        first, second, third = tabs = [Tab(turns) for _ in range(3)]
        for tab in tabs:
            tab.run()
        # the first one runs again, behind those who wait
        return await _runs_after_each(tabs, first.end.set, first.run, second.end.set, third.end.set)

    monkeypatch.setattr(middleware, "_LONGEST_TURN_S", 60)
    assert asyncio.run(come()) == [[1, 1, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1]]


@pytest.mark.parametrize(
    ("longest", "runs"),
    [({}, [0, 0, 1]), ({"_LONGEST_CALM_S": 0.01}, [1, 1, 1]), ({"_LONGEST_MESSAGE_S": 0.01}, [1, 1, 1])],
    ids=["until then", "not for long", "not for one that takes long"],
)
def test_a_page_runs_when_no_message_waits_for_its_answer(
    longest: dict[str, float], runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def come() -> list[list[int]]:
        turns = _Turns()
        with ExitStack() as one, ExitStack() as other:
            for message in (one, other):
                message.enter_context(turns.message())
            tab = Tab(turns)
            return await _runs_after_each([tab], tab.run, one.close, other.close)

    for name, seconds in {"_LONGEST_CALM_S": 60, "_LONGEST_MESSAGE_S": 60, **longest}.items():
        monkeypatch.setattr(middleware, name, seconds)
    assert asyncio.run(come()) == [[n] for n in runs]


def test_a_run_that_takes_long_and_a_tab_that_leaves_keep_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def come() -> list[int]:
        turns = _Turns()
        slow, leaves, last = tabs = [Tab(turns) for _ in range(3)]
        leaves.leave()
        for tab in (slow, last):
            tab.run()
        async with asyncio.timeout(20):
            while not last.runs:
                await asyncio.sleep(0.01)
        for tab in tabs:
            tab.open.cancel()
        return [tab.runs for tab in tabs]

    monkeypatch.setattr(middleware, "_LONGEST_TURN_S", 0.02)
    assert asyncio.run(come()) == [1, 0, 1]
