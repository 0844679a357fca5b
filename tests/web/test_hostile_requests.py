"""Every route of ours meets what strangers send: a new route is tried without a new line here.

Foreign hosts, JSON nested a thousand deep, bytes that are no message, and strings in every place where a route takes one.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.store import Store
from annotator.store.people import add_role
from annotator.usecases.access import accounts
from annotator.usecases.access.credentials import make_token
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes, crowd
from annotator.web.routes.access import COOKIE, ServerOptions, error_response
from tests.conftest import REPOSITORY

HOST = "http://127.0.0.1:8501"
ROUTES = [(route.path, method) for route in all_routes() for method in sorted(route.methods or ())]
STRINGS = (
    "", "x" * 20_000, "<script>alert(1)</script>", "'; DROP TABLE users; --", "../../etc/passwd", "%00", "\0", "\u202e\ufeff",
    "{n}", "%s%n", "\ud800", "👩\u200d🚀", "-1", "1e999", "9" * 30, "NaN", "null", "a\r\nSet-Cookie: x=y",
)  # fmt: skip
BYTES = (
    b"", b"\xff\xfe", b"{", b'"', b"[]", b"null", b"1e999", b"NaN", b'{"a":' + b"9" * 5000 + b"}", b'"\\ud800"', b"\0" * 100,
    b'{"' + b"k" * 100_000 + b'":1}',
)  # fmt: skip
DEEP = tuple(
    opened * n + closed * n for n in (1_000, 100_000) for opened, closed in ((b"[", b"]"), (b'{"a":', b"}"))
)  # fmt: skip
SOURCES = [path.read_text(encoding="utf-8") for path in (REPOSITORY / "annotator/web/routes").glob("*.py")]


def names_after(pattern: str) -> list[str]:
    """What routes look for: read from their sources, so that a new name is among them."""
    return sorted(
        {name for source in SOURCES for name in re.findall(pattern + r"""(?:\.get\(|\[|, )["'](\w+)""", source)}
    )


NAMES, FIELDS = names_after("query(?:_params)?"), names_after("form")
FORM_ROUTES = [path for path, method in ROUTES if method == "POST" and not path.startswith("/api/")]


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(crowd, "_A_SECOND", dict.fromkeys(crowd._A_SECOND, 1e6))
    monkeypatch.setattr(crowd, "LIMITS", crowd.Limits())


@pytest.fixture
def administrator(store: Store, project: Project) -> User:
    """Somebody who may do everything, so that nothing is refused before it is read."""
    user = accounts.add_user(store, LOCAL_OPERATOR, "Ada", "administrator").user
    with store.transaction():
        for role in ("annotator", "reviewer", "researcher", "lead"):
            add_role(store, project.id, user, role)  # type: ignore[arg-type]
    return user


@pytest.fixture
def client(store: Store, project: Project, administrator: User) -> Iterator[TestClient]:
    """Their browser, which has the token of their session, and their script's token."""

    async def refuse(_: object, error: Exception) -> Any:
        return error_response(error)  # type: ignore[arg-type]

    app = Starlette(
        routes=all_routes(),
        middleware=web_middleware(ServerOptions(store.path)),
        exception_handlers={AnnotatorError: refuse},
    )
    cookie = accounts.sign_in_as(store, administrator.name, is_demonstration=True)
    headers = {"Origin": HOST, "X-CSRF-Token": accounts.session_of(store, cookie).csrf}
    with TestClient(app, base_url=HOST, follow_redirects=False, raise_server_exceptions=False) as opened:
        opened.cookies.set(COOKIE, cookie)
        opened.headers.update(headers)
        yield opened


@pytest.fixture
def token(store: Store, project: Project, administrator: User) -> str:
    return make_token(store, administrator, project, administrator.name, ("read", "write model output")).text


def filled(path: str, project: Project, value: str) -> str:
    """An address of a route: the project's own name, another value in the other places."""
    named = re.sub(r"\{project\w*(:\w+)?\}", quoted(project.name), path)
    return re.sub(r"\{\w+(:\w+)?\}", lambda _: quoted(value) or "-", named)


def quoted(value: str) -> str:
    return "".join(f"%{byte:02x}" for byte in value.encode("utf-8", "surrogatepass"))


def bodies_of(route: Route, text: str) -> Iterator[Any]:
    """Messages of the kind that a route decodes, with a string in every place for one."""
    for cell in getattr(route.endpoint, "__closure__", None) or ():
        if isinstance(cell.cell_contents, msgspec.json.Decoder):
            yield example(msgspec.inspect.type_info(cell.cell_contents.type), text)


def example(kind: Any, text: str) -> Any:
    """A value of a type of msgspec."""
    inspect, build = msgspec.inspect, partial(example, text=text)
    if isinstance(kind, inspect.StructType):
        value: Any = {field.encode_name: build(field.type) for field in kind.fields}
    elif isinstance(kind, inspect.DictType):
        value = {text: build(kind.value_type)}
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        value = [build(kind.item_type)]
    elif isinstance(kind, inspect.TupleType):
        value = [build(item) for item in kind.item_types]
    elif isinstance(kind, inspect.UnionType):
        value = build(next(item for item in kind.types if not isinstance(item, inspect.NoneType)))
    elif isinstance(kind, inspect.LiteralType):
        value = kind.values[0]
    else:
        value = {
            inspect.StrType: text, inspect.IntType: 1, inspect.FloatType: 0.5, inspect.BoolType: True,
            inspect.AnyType: {text: [text]}, inspect.RawType: [text], inspect.DateTimeType: "2026-11-01T00:00:00Z",
        }[type(kind)]  # fmt: skip
    return value


def posted_as_json() -> list[Route]:
    return [route for route in all_routes() if "POST" in (route.methods or ()) and route.path.startswith("/api/")]


JSON_ROUTES = [route.path for route in posted_as_json()]


def test_no_route_answers_under_a_host_that_is_not_the_servers(client: TestClient, project: Project) -> None:
    for path, method in ROUTES:
        answer = client.request(method, filled(path, project, "x"), headers={"Host": "rebound.example:8501"})
        assert (answer.status_code, "set-cookie" in answer.headers) == (421, False), (method, path)
        assert method == "HEAD" or "Start the server with --allowed-host or --url (docs/server.md)." in answer.text


@pytest.mark.parametrize("body", DEEP)
def test_json_that_is_nested_a_thousand_deep_is_refused_in_a_sentence(
    client: TestClient, project: Project, token: str, body: bytes
) -> None:
    for path in JSON_ROUTES:
        headers = {"Authorization": f"Bearer {token}"} if "{project" in path else {}
        answer = client.post(filled(path, project, "x"), content=body, headers=headers)
        is_read_so_far = body.startswith(b"{") and "{project" not in path
        assert answer.status_code in ({400} if is_read_so_far else {400, 422}), (path, answer.text[:300])
        assert "nested" in answer.text or body.startswith(b"["), (
            path,
            answer.text[:300],
        )  # a list is refused as a list


@pytest.mark.parametrize("body", BYTES)
def test_bytes_that_are_no_message_are_refused(client: TestClient, project: Project, token: str, body: bytes) -> None:
    for path in JSON_ROUTES:
        headers = {"Authorization": f"Bearer {token}"} if "{project" in path else {}
        answer = client.post(filled(path, project, "x"), content=body, headers=headers)
        assert answer.status_code < 500, (path, answer.text[:300])


@pytest.mark.parametrize("text", STRINGS)
def test_strings_in_every_field_of_a_message_never_break_a_route(
    client: TestClient, project: Project, text: str
) -> None:
    n_sent = 0
    for route in posted_as_json():
        for body in bodies_of(route, text):
            content = msgspec.json.encode(body) if text != "\ud800" else repr_of(body)
            answer = client.post(filled(route.path, project, "x"), content=content)
            assert answer.status_code < 500, (route.path, answer.text[:300])
            n_sent += 1
    assert n_sent > 30


def repr_of(body: Any) -> bytes:
    """As a program writes it that lets half of a character pass."""
    import json

    return json.dumps(body).encode()


@pytest.mark.parametrize("text", STRINGS)
def test_strings_in_an_address_never_break_a_route(client: TestClient, project: Project, token: str, text: str) -> None:
    query = "&".join(f"{name}={quoted(text)}" for name in NAMES)[:60_000]
    for path, method in ROUTES:
        headers = {"Authorization": f"Bearer {token}"} if "{project" in path else {}
        for address in (filled(path, project, text[:200]), f"{filled(path, project, 'x')}?{query}"):
            if method == "GET":
                answer = client.request(method, address, headers=headers)
                assert answer.status_code < 500 or answer.status_code == 503, (address[:200], answer.text[:300])


@pytest.mark.parametrize("text", STRINGS)
def test_strings_in_every_field_of_a_form_never_break_a_route(
    client: TestClient, project: Project, quick_hashes: None, text: str
) -> None:
    form = "&".join(f"{name}={quoted(text)}" for name in FIELDS)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in FORM_ROUTES:
        for address in (filled(path, project, "x"), f"{filled(path, project, text[:200])}?next={quoted(text[:500])}"):
            answer = client.post(address, content=form, headers=headers)
            assert answer.status_code < 500 or answer.status_code == 503, (address[:200], answer.text[:300])
            assert "x=y" not in answer.headers.get("set-cookie", "")


def test_the_names_that_are_tried_are_those_that_routes_look_for() -> None:
    assert {"project", "instance", "next"} <= set(NAMES)
    assert {"name", "password", "platform_id"} <= set(FIELDS)
