"""Signing in through an OpenID provider: its addresses and keys, the code that a browser brings back, and who that is.

Authlib and joserfc, which check tokens, are an extra and are imported when they are used; requests go as the webhook's do.
"""

import http.client
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from annotator.domain.numbers import counted
from annotator.errors import DeliveryError, InvalidValue, NotAllowed
from annotator.language import _
from annotator.outbound.allowed_hosts import TOTAL_SECONDS, Deadline, Exceptions, Resolver, connect, resolve
from annotator.outbound.webhook import Session, problem_of

SKEW_SECONDS = 120
_METADATA_LASTS = 3600.0
_LONGEST = 2**20
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
# Signed with a key that only the provider has; never "none", nor with the secret that both know.
_ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519", "Ed448"
)  # fmt: skip

T = TypeVar("T")


def require_packages() -> None:
    """Raise InvalidValue saying what to install where the extra is missing."""
    if find_spec("authlib") is None or find_spec("joserfc") is None:
        raise InvalidValue("Single sign-on needs Authlib. Install it: pip install 'rationale-annotator[sso]'")


@dataclass(frozen=True, slots=True)
class Client:
    """What the provider knows us as. exceptions: hosts besides the provider's own that may be private."""

    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    scopes: tuple[str, ...] = ("openid", "profile")
    exceptions: Exceptions = field(default_factory=Exceptions)

    def __post_init__(self) -> None:
        _require_address(self.issuer, self.issuer)
        if not self.client_id.isascii() or not self.client_id.isprintable() or not self.client_id:
            raise InvalidValue(_("Client ID and secret are one line of ASCII characters."))
        if not (self.secret.isascii() and self.secret.isprintable()):
            raise InvalidValue(_("Client ID and secret are one line of ASCII characters."))

    @property
    def host(self) -> str:
        return urlsplit(self.issuer).hostname or ""


class Metadata(msgspec.Struct, frozen=True):
    """What a provider says of itself, as far as it is needed."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)


class _Tokens(msgspec.Struct, frozen=True):
    id_token: str = ""
    access_token: str = ""
    error: str = ""


class _Keys(msgspec.Struct, frozen=True):
    keys: tuple[dict[str, Any], ...]


class IdentityProvider:
    """One provider. What it says of itself is asked for once an hour, its keys when a token names one that is not known."""

    def __init__(self, client: Client, resolver: Resolver = resolve) -> None:
        self.client = client
        self._resolver = resolver
        self._lock = threading.Lock()
        self._metadata: Metadata | None = None
        self._until = 0.0
        self._keys: _Keys | None = None

    def authorization_address(self, callback: str, *, state: str, nonce: str, verifier: str) -> str:
        """Where a browser goes to sign in; raises DeliveryError where the provider does not answer."""
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri  # noqa: PLC0415
        from authlib.oauth2.rfc7636 import create_s256_code_challenge  # noqa: PLC0415

        address: str = prepare_grant_uri(
            self.metadata().authorization_endpoint, self.client.client_id, "code", callback, list(self.client.scopes), state,
            nonce=nonce, code_challenge=create_s256_code_challenge(verifier), code_challenge_method="S256",
        )  # fmt: skip
        return address

    def claims(self, code: str, callback: str, *, nonce: str, verifier: str, now: float) -> dict[str, Any]:
        """Who signed in, for a code that the browser brought back.

        now:    by the server's clock, in seconds since 1970
        Raises: DeliveryError where the provider does not answer; NotAllowed for a code or a token that is not right
        """
        tokens = self._exchanged(code, callback, verifier)
        header, claims = self._verified(tokens.id_token)
        self._require_clocks_agree(claims, now)
        self._check(claims, header, {"nonce": nonce, "access_token": tokens.access_token}, now)
        return claims

    def metadata(self) -> Metadata:
        """What the provider says of itself; raises DeliveryError."""
        with self._lock:
            if self._metadata is not None and time.monotonic() < self._until:
                return self._metadata
        address = f"{self.client.issuer.rstrip('/')}/.well-known/openid-configuration"
        metadata = self._decoded(self._answer(address), Metadata)
        if metadata.issuer != self.client.issuer:
            raise DeliveryError(
                _(
                    "{host} calls itself “{issuer}”. Use that as issuer.",
                    host=self.client.host,
                    issuer=metadata.issuer[:200],
                )
            )
        for endpoint in (metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri):
            _require_address(endpoint, self.client.issuer)
        with self._lock:
            self._metadata, self._until = metadata, time.monotonic() + _METADATA_LASTS
        return metadata

    def _exchanged(self, code: str, callback: str, verifier: str) -> _Tokens:
        from authlib.oauth2.auth import ClientAuth  # noqa: PLC0415
        from authlib.oauth2.rfc6749.parameters import prepare_token_request  # noqa: PLC0415

        metadata = self.metadata()
        methods = metadata.token_endpoint_auth_methods_supported
        usual = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
        auth = ClientAuth(self.client.client_id, self.client.secret, usual if self.client.secret else "none")
        body = prepare_token_request("authorization_code", "", callback, code=code, code_verifier=verifier)
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        address, headers, body = auth.prepare("POST", metadata.token_endpoint, headers, body)
        tokens = self._decoded(self._answer(address, body, headers), _Tokens)
        if tokens.error or not tokens.id_token:
            raise self._refusal(_printable(tokens.error) or "no id_token")
        return tokens

    def _verified(self, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Header and claims of a token that the provider signed; its keys are asked for again where they have changed."""
        from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError  # noqa: PLC0415

        try:
            try:
                return self._decoded_token(text, self._keys or self._fetch_keys())
            except (InvalidKeyIdError, BadSignatureError):
                return self._decoded_token(text, self._fetch_keys())
        except (JoseError, ValueError, TypeError, RecursionError) as error:
            raise self._refusal(_printable(getattr(error, "error", "")) or "no token") from None

    def _decoded_token(self, text: str, keys: _Keys) -> tuple[dict[str, Any], dict[str, Any]]:
        from joserfc import jwt  # noqa: PLC0415
        from joserfc.jwk import KeySet  # noqa: PLC0415
        from joserfc.jws import JWSRegistry  # noqa: PLC0415

        named = self.metadata().id_token_signing_alg_values_supported
        allowed = [name for name in _ALGORITHMS if name in named] or ["RS256"]
        registry = JWSRegistry(algorithms=allowed, strict_check_header=False)
        token = jwt.decode(text, KeySet.import_key_set({"keys": [dict(key) for key in keys.keys]}), registry=registry)
        return dict(token.header), dict(token.claims)

    def _fetch_keys(self) -> _Keys:
        self._keys = self._decoded(self._answer(self.metadata().jwks_uri), _Keys)
        return self._keys

    def _require_clocks_agree(self, claims: Mapping[str, Any], now: float) -> None:
        """A token comes straight from the provider: one of the past, or of the future, is one of another clock."""
        issued, expires = claims.get("iat"), claims.get("exp")
        if isinstance(issued, int | float) and issued > now + SKEW_SECONDS:
            ahead = _spoken(issued - now)
            raise NotAllowed(
                _(
                    "The clock of {host} is {time} ahead of this server's. Correct one.",
                    host=self.client.host,
                    time=ahead,
                )
            )
        if isinstance(expires, int | float) and expires <= now - SKEW_SECONDS:
            behind = _spoken(now - expires)
            raise NotAllowed(
                _("The token of {host} expired {time} ago. Compare both clocks.", host=self.client.host, time=behind)
            )

    def _check(self, claims: dict[str, Any], header: dict[str, Any], expected: dict[str, str], now: float) -> None:
        from authlib.oidc.core import CodeIDToken  # noqa: PLC0415
        from joserfc.errors import JoseError  # noqa: PLC0415

        options = {"iss": {"value": self.client.issuer}, "aud": {"value": self.client.client_id}}
        token = CodeIDToken(claims, header, options, {**expected, "client_id": self.client.client_id})
        try:
            token.validate(now=int(now), leeway=SKEW_SECONDS)
        except (JoseError, ValueError, TypeError) as error:
            raise self._refusal(_printable(getattr(error, "claim", "")) or "claims") from None

    def _refusal(self, reason: str) -> NotAllowed:
        return NotAllowed(
            _("The sign-in at {host} can't be accepted ({reason}). Try again.", host=self.client.host, reason=reason)
        )

    def _decoded(self, content: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            raise DeliveryError(_("{host} doesn't answer as an OpenID provider.", host=self.client.host)) from None

    def _answer(self, address: str, body: str | None = None, headers: Mapping[str, str] | None = None) -> bytes:
        """The body of an answer; of a refusal too, which names its reason."""
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        exceptions = Exceptions(self.client.exceptions.hosts | {self.client.host}, self.client.exceptions.networks)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = connect(host, port, exceptions, self._resolver)
        with Deadline(connection, TOTAL_SECONDS) as deadline:
            try:
                if parts.scheme == "https":
                    connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
                with closing(Session(host, port, connection)) as session:
                    session.request("GET" if body is None else "POST", path, body, dict(headers or {}))
                    response = session.getresponse()
                    status, content = response.status, response.read(_LONGEST)
            except (OSError, http.client.HTTPException) as error:
                raise DeliveryError(problem_of(host, port, error, is_late=deadline.is_over)) from None
            finally:
                connection.close()
        if status not in {200, 400, 401}:
            raise DeliveryError(_("{host} replied {status}. Try again later.", host=host, status=status))
        return content


def _require_address(address: str, issuer: str) -> None:
    """An address that a provider may have: https, or for trying it out http on this machine."""
    try:
        parts = urlsplit(address)
        is_plain = address.isascii() and address.isprintable() and " " not in address and "@" not in parts.netloc
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        is_plain = has_port = False
        parts = urlsplit("")
    is_here = parts.scheme == "http" and parts.hostname in _LOOPBACK and issuer.startswith("http:")
    if not (is_plain and has_port and parts.hostname and (parts.scheme == "https" or is_here)) or parts.fragment:
        raise InvalidValue(_("{address} isn't a provider's https address.", address=repr(address[:200])))


def _printable(word: object) -> str:
    """A provider's word for an error, which may hold anything."""
    return "".join(letter for letter in str(word or "") if letter.isascii() and letter.isprintable())[:60]


def _spoken(seconds: float) -> str:
    return counted(round(seconds), "second") if seconds < 100 else counted(round(seconds / 60), "minute")
