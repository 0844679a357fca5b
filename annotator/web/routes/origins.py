"""Whether a request was sent by a page of this server: asked of forms, messages, web sockets, and GETs that give work out.

Browsers say so in `Sec-Fetch-Site` (over TLS, and on the machine itself), in `Origin`, or in `Referer`. Host and port are
compared with the `Host` that the browser asked for, so a proxy has to hand that on as it is (docs/server.md, "Behind a proxy").
"""

from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

_OWN = "same-origin"
_NOBODY = "none"  # typed into the address bar, or a bookmark
_PORTS = {"http": 80, "https": 443}


def is_from_elsewhere(request: HTTPConnection) -> bool:
    """Whether a browser says that another page than one of this server sent the request."""
    sender = _sender(request)
    return _site(request) not in {None, _OWN, _NOBODY} or (sender is not None and not is_own_origin(request, sender))


def is_from_own_page(request: HTTPConnection) -> bool:
    """Whether a browser says that a page of this server sent the request, and nothing says otherwise."""
    sender, site = _sender(request), _site(request)
    says_so = site == _OWN or (site is None and sender is not None)
    return says_so and not is_from_elsewhere(request)


def is_changed_on_the_way(request: HTTPConnection) -> bool:
    """Whether a browser says that an own page sent the request, to another host than the one that arrived here."""
    return _site(request) == _OWN and is_from_elsewhere(request)


def is_own_origin(request: HTTPConnection, origin: str) -> bool:
    """Whether an origin is this server's, as the browser sees it: the same host and port, and TLS where we know of TLS.

    A scheme's own port may be left out on either side. Whether there is TLS is known from a proxy that says so.
    """
    has_tls = request.scope.get("scheme") in {"https", "wss"}
    try:
        sent, host = urlsplit(origin), urlsplit(f"//{request.headers.get('host', '')}")
        usual = _PORTS.get(sent.scheme)
        is_same = (sent.hostname, sent.port or usual) == (host.hostname, host.port or usual)
    except ValueError:  # a port that is no number, or half of an IPv6 address
        return False
    return is_same and bool(sent.hostname) and usual is not None and (sent.scheme == "https" or not has_tls)


def _site(request: HTTPConnection) -> str | None:
    return request.headers.get("sec-fetch-site")


def _sender(request: HTTPConnection) -> str | None:
    """The origin that the browser names, else the address of the page; our own pages let their address be told to us."""
    return request.headers.get("origin") or request.headers.get("referer")
