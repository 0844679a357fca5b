"""Whether a request comes from a page of this server: what browsers send, alone and behind a proxy."""

import pytest
from starlette.requests import HTTPConnection

from annotator.web.routes.access import is_from_elsewhere, is_from_own_page, is_own_origin


def request(scheme: str = "http", **headers: str) -> HTTPConnection:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "scheme": scheme, "path": "/", "headers": sent, "query_string": b""})


@pytest.mark.parametrize(
    ("host", "scheme", "origin", "is_own"),
    [
        ("127.0.0.1:8501", "http", "http://127.0.0.1:8501", True),
        ("127.0.0.1:8501", "http", "http://127.0.0.1:9000", False),  # another program on this machine
        ("127.0.0.1:8501", "http", "http://localhost:8501", False),
        ("127.0.0.1:8501", "http", "http://127.0.0.1", False),
        ("Annotate.example.org", "http", "https://annotate.example.org", True),  # a proxy ends TLS and does not say so
        ("annotate.example.org", "https", "https://annotate.example.org", True),
        ("annotate.example.org:443", "https", "https://annotate.example.org", True),
        ("annotate.example.org:8443", "https", "https://annotate.example.org:8443", True),
        ("annotate.example.org", "https", "https://annotate.example.org:8443", False),  # a proxy that cuts the port off
        ("annotate.example.org", "https", "http://annotate.example.org", False),  # a page that came without TLS
        ("annotate.example.org", "wss", "http://annotate.example.org", False),
        ("annotate.example.org", "wss", "https://annotate.example.org", True),
        ("annotate.example.org:80", "http", "http://annotate.example.org", True),
        ("127.0.0.1:8501", "https", "https://annotate.example.org", False),  # a proxy that does not hand the host on
        ("[::1]:8501", "ws", "http://[::1]:8501", True),
        ("127.0.0.1:8501", "http", "null", False),
        ("127.0.0.1:8501", "http", "", False),
        ("127.0.0.1:8501", "http", "127.0.0.1:8501", False),
        ("127.0.0.1:8501", "http", "ftp://127.0.0.1:8501", False),
        ("127.0.0.1:8501", "http", "http://127.0.0.1:x", False),
        ("127.0.0.1:8501", "http", "http://[::1", False),
        ("127.0.0.1:8501", "http", "http://127.0.0.1:8501@elsewhere.example", False),
        ("", "http", "http://", False),
    ],
)
def test_an_origin_is_own_when_its_host_and_port_are_those_that_were_asked_for(
    host: str, scheme: str, origin: str, is_own: bool
) -> None:
    assert is_own_origin(request(scheme, host=host), origin) is is_own


def test_without_a_host_no_origin_is_own() -> None:
    assert not is_own_origin(request(), "http://127.0.0.1:8501")


OWN = {"host": "a:1", "origin": "http://a:1"}


@pytest.mark.parametrize(
    ("sent", "own", "elsewhere"),
    [
        ({"host": "a:1"}, False, False),  # nothing is said
        ({"host": "a:1", "sec_fetch_site": "same-origin"}, True, False),
        ({"host": "a:1", "sec_fetch_site": "none"}, False, False),
        ({"host": "a:1", "sec_fetch_site": "same-site"}, False, True),
        ({"host": "a:1", "sec_fetch_site": "cross-site"}, False, True),
        (OWN, True, False),
        (OWN | {"sec_fetch_site": "cross-site"}, False, True),
        (OWN | {"sec_fetch_site": "none"}, False, False),
        (OWN | {"origin": "http://b:1", "sec_fetch_site": "same-origin"}, False, True),
        (OWN | {"referer": "http://b:1/page"}, True, False),  # the origin says more than the address of the page
        ({"host": "a:1", "referer": "http://a:1/annotate?project=1"}, True, False),
        ({"host": "a:1", "referer": "http://b:1/a:1"}, False, True),
        ({"host": "a:1", "origin": "null", "referer": "http://a:1/"}, False, True),
    ],
)
def test_a_request_is_of_an_own_page_when_a_browser_says_so_and_nothing_says_otherwise(
    sent: dict[str, str], own: bool, elsewhere: bool
) -> None:
    assert (is_from_own_page(request(**sent)), is_from_elsewhere(request(**sent))) == (own, elsewhere)
