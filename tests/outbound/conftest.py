"""A certificate that is trusted while the tests run."""

from pathlib import Path

import pytest

from tests.outbound.servers import make_certificate


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if an authority that the machine trusts had signed it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return certificate
