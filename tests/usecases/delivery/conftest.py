"""A certificate that is trusted while the tests run, as the tests of the way out have it."""

from tests.outbound.conftest import certificate, trusted

__all__ = ["certificate", "trusted"]
