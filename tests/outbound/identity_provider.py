"""A small OpenID provider on this machine, for tests: discovery, authorisation, tokens and keys, each of which can go wrong."""

import base64
import hashlib
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT_ID = "annotator"
SECRET = "a secret of both"


def new_key(kid: str, kind: str = "RSA") -> Any:
    from joserfc.jwk import ECKey, RSAKey

    parameters: Any = {"kid": kid, "use": "sig"}
    return RSAKey.generate_key(2048, parameters) if kind == "RSA" else ECKey.generate_key("P-256", parameters)


@dataclass
class Provider:
    """What it says, and what it was asked. person: claims of whoever signs in there; changed: claims of tokens that are wrong."""

    port: int
    key: Any
    algorithm: str = "RS256"
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "248289761001", "preferred_username": "ada"})
    changed: dict[str, Any] = field(default_factory=dict)
    clock: float = 0.0  # how far it is ahead
    metadata: dict[str, Any] = field(default_factory=dict)
    published: Any = None  # other keys than the one that signs
    status: int = 200
    body: bytes | None = None  # of every answer
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    bodies: list[dict[str, str]] = field(default_factory=list)

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}/realms/lab"

    def discovery(self) -> dict[str, Any]:
        address = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        return {
            "issuer": self.issuer, **{name: f"{self.issuer}/{end}" for name, end in address.items()},
            "id_token_signing_alg_values_supported": [self.algorithm], **self.metadata,
        }  # fmt: skip

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is sent after somebody signed in."""
        assert (query["response_type"], query["client_id"]) == ("code", CLIENT_ID)
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, body: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        from joserfc import jwt

        self.logins.append(authorization)
        self.bodies.append(body)
        query = self.codes.pop(body.get("code", ""), None)
        digest = hashlib.sha256(body.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if query is None or query["code_challenge"] != challenge or query["redirect_uri"] != body["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time() + self.clock)
        claims = {
            "iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": query["nonce"],
            **self.person, **self.changed,
        }  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.key.kid}
        return 200, {"id_token": jwt.encode(header, claims, self.key), "access_token": "x", "token_type": "Bearer"}


def sign_in_at(address: str) -> str:
    """What a browser does there: it follows the address, somebody signs in, and it is sent back; answers path and query."""
    import http.client

    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request("GET", f"{parts.path}?{parts.query}")
    back = urlsplit(connection.getresponse().headers["Location"])
    connection.close()
    return f"{back.path}?{back.query}"


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            end = urlsplit(self.path).path.removeprefix("/realms/lab/")
            provider.asked.append(end)
            if end == "authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(_single(urlsplit(self.path).query)))
                self.end_headers()
            elif end == "jwks":
                keys = provider.published or [provider.key]
                self._answer(200, {"keys": [key.as_dict(private=False) for key in keys]})
            else:
                self._answer(200, provider.discovery())

        def do_POST(self) -> None:
            provider.asked.append("token")
            body = _single(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer(*provider.token(body, self.headers.get("Authorization", "")))

        def _answer(self, status: int, content: dict[str, Any]) -> None:
            self.send_response(status if provider.status == 200 else provider.status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode() if provider.body is None else provider.body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Clients that went away are what is tested."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*_)


@contextmanager
def identity_provider(key: Any) -> Iterator[Provider]:
    provider = Provider(0, key)
    with _Server(("127.0.0.1", 0), _handler(provider)) as server:
        provider.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
