"""Jobs that train need the extra `models`: skipped without it, loudly, unless they are required."""

from tests.models.conftest import torch

__all__ = ["torch"]
