"""What an OpenID provider says, checked: its description, its keys, how we sign in there, and how long we wait."""

import base64
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from annotator.errors import DeliveryError, InvalidValue, NotAllowed
from annotator.outbound import allowed_hosts, identity_provider
from annotator.outbound.allowed_hosts import Exceptions
from annotator.outbound.identity_provider import Client, IdentityProvider
from tests.outbound.identity_provider import CLIENT_ID, SECRET, Provider, new_key, sign_in_at
from tests.outbound.identity_provider import identity_provider as serving
from tests.outbound.servers import HOST, here, https_server, silent_server

pytest.importorskip("authlib", reason="the extra sso is not installed")

CALLBACK = "http://127.0.0.1:8501/sign-in/back"
VERIFIER = "v" * 43


@pytest.fixture(scope="module")
def key() -> Any:
    return new_key("first", "EC")


@pytest.fixture
def server(key: Any) -> Iterator[Provider]:
    with serving(key) as opened:
        opened.algorithm = "ES256"
        yield opened


@pytest.fixture
def provider(server: Provider) -> IdentityProvider:
    return IdentityProvider(Client(server.issuer, CLIENT_ID, SECRET))


def claims(provider: IdentityProvider, nonce: str = "n") -> dict[str, Any]:
    address = provider.authorization_address(CALLBACK, state="s", nonce=nonce, verifier=VERIFIER)
    code = parse_qs(urlsplit(sign_in_at(address)).query)["code"][0]
    return provider.claims(code, CALLBACK, nonce="n", verifier=VERIFIER, now=time.time())


def test_another_algorithm_than_the_usual_one_is_taken_where_the_provider_names_it(provider: IdentityProvider) -> None:
    assert claims(provider)["sub"] == "248289761001"


def test_keys_are_asked_for_again_once_when_they_have_changed(server: Provider, provider: IdentityProvider) -> None:
    claims(provider)
    server.key = new_key("second", "EC")
    assert claims(provider)["sub"] == "248289761001"
    assert server.asked.count("jwks") == 2
    server.key = new_key("second", "EC")  # under the old name
    assert claims(provider)["sub"] == "248289761001"
    assert server.asked.count("jwks") == 3


def test_a_key_that_the_provider_does_not_publish_is_refused(
    server: Provider, provider: IdentityProvider, key: Any
) -> None:
    claims(provider)
    server.published, server.key = [key], new_key("of somebody else", "EC")
    with pytest.raises(NotAllowed, match=r"can't be accepted \(invalid_key_id\)"):
        claims(provider)
    server.key = new_key("first", "EC")  # a wrong signature
    with pytest.raises(NotAllowed, match=r"can't be accepted \(bad_signature\)"):
        claims(provider)
    assert server.asked.count("jwks") == 3


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_that_anybody_could_sign_is_refused(
    server: Provider, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    from joserfc import jwt

    def sign(header: dict[str, Any], body: dict[str, Any], _: Any) -> str:
        written = [as_base64(json.dumps(part).encode()) for part in (header | {"alg": algorithm}, body)]
        signature = hmac.digest(SECRET.encode(), ".".join(written).encode(), "sha256") if algorithm != "none" else b""
        return ".".join([*written, as_base64(signature)])

    server.metadata = {"id_token_signing_alg_values_supported": ["none", "HS256", "ES256"]}
    monkeypatch.setattr(jwt, "encode", sign)
    with pytest.raises(NotAllowed, match=r"can't be accepted \(unsupported_algorithm\)"):
        claims(provider)


def as_base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def test_a_text_that_is_no_token_is_refused(
    server: Provider, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    from joserfc import jwt

    for text in ("", "x", "e30.e30.e30", "é.é.é"):
        monkeypatch.setattr(jwt, "encode", lambda *_, text=text: text)
        with pytest.raises(NotAllowed, match="can't be accepted"):
            claims(provider)


def test_how_we_say_who_we_are_is_as_the_provider_takes_it(server: Provider) -> None:
    server.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    claims(IdentityProvider(Client(server.issuer, CLIENT_ID, SECRET)))
    assert (server.logins[-1], server.bodies[-1]["client_secret"]) == ("", SECRET)
    claims(IdentityProvider(Client(server.issuer, CLIENT_ID)))  # a public client
    assert (server.bodies[-1]["client_id"], server.bodies[-1].get("client_secret")) == (CLIENT_ID, None)


def test_another_verifier_than_that_of_the_attempt_is_refused(server: Provider, provider: IdentityProvider) -> None:
    address = provider.authorization_address(CALLBACK, state="s", nonce="n", verifier="w" * 43)
    code = parse_qs(urlsplit(sign_in_at(address)).query)["code"][0]
    with pytest.raises(NotAllowed, match=r"can't be accepted \(invalid_grant\)"):
        provider.claims(code, CALLBACK, nonce="n", verifier=VERIFIER, now=time.time())


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"issuer": "https://other.example"}, "calls itself “https://other.example”. Use that as issuer."),
        ({"token_endpoint": None}, "doesn't answer as an OpenID provider"),
        ({"jwks_uri": 7}, "doesn't answer as an OpenID provider"),
    ],
)
def test_a_description_that_is_none_is_refused(
    server: Provider, provider: IdentityProvider, metadata: dict[str, Any], words: str
) -> None:
    server.metadata = metadata
    with pytest.raises(DeliveryError, match=words):
        provider.metadata()


@pytest.mark.parametrize(
    "address", ["http://10.0.0.1/token", "file:///etc/passwd", "https://a@b.example/", "https://b.example:99999/", "x"]
)
def test_an_endpoint_that_is_no_https_address_is_refused(
    server: Provider, provider: IdentityProvider, address: str
) -> None:
    server.metadata = {"token_endpoint": address}
    with pytest.raises(InvalidValue, match="isn't a provider's https address"):
        provider.metadata()


def test_another_host_of_the_provider_must_be_a_public_one(server: Provider, provider: IdentityProvider) -> None:
    server.metadata = {"jwks_uri": "https://10.1.2.3/jwks"}
    with pytest.raises(DeliveryError, match=r"resolves to 10\.1\.2\.3, which is a private or reserved network"):
        claims(provider)


def test_a_private_host_that_was_named_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowed_hosts, "CONNECT_SECONDS", 0.1)
    with silent_server() as port:
        client = Client(f"https://{HOST}:{port}", "x", exceptions=Exceptions.read("127.0.0.0/8"))
        with pytest.raises(DeliveryError, match=f"{HOST}:{port}"):
            IdentityProvider(client, here).metadata()


def test_over_https_the_certificate_must_be_trusted(certificate: Any) -> None:
    with (
        https_server(certificate) as (port, _),
        pytest.raises(DeliveryError, match=f"{HOST}:{port} has no trusted certificate"),
    ):
        IdentityProvider(Client(f"https://{HOST}:{port}", "x"), here).metadata()


def test_over_https_what_is_no_description_is_refused(trusted: Any) -> None:
    with https_server(trusted) as (port, _), pytest.raises(DeliveryError, match="replied 501. Try again later"):
        IdentityProvider(Client(f"https://{HOST}:{port}", "x"), here).metadata()


def test_a_provider_that_is_silent_is_waited_for_a_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowed_hosts, "CONNECT_SECONDS", 0.2)
    with silent_server() as port:
        began = time.monotonic()
        with pytest.raises(DeliveryError, match=r"127\.0\.0\.1:\d+ didn't reply within 0 s\."):
            IdentityProvider(Client(f"http://127.0.0.1:{port}", "x")).metadata()
        assert time.monotonic() - began < 5


def test_a_provider_that_is_slow_is_given_up(server: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity_provider, "TOTAL_SECONDS", 0.2)
    server.discovery = lambda: time.sleep(1) or {}  # type: ignore[method-assign,func-returns-value]
    with pytest.raises(DeliveryError, match="didn't reply within"):
        IdentityProvider(Client(server.issuer, "x")).metadata()


def test_a_provider_that_is_not_there_is_said() -> None:
    with pytest.raises(DeliveryError, match="Can't connect to '127.0.0.1'"):
        IdentityProvider(Client("http://127.0.0.1:9", "x")).metadata()
