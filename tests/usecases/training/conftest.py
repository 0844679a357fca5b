"""Tests of training need the extra `models`: skipped without it, loudly, unless they are required."""

from tests.models.conftest import folders, loaded, torch

__all__ = ["folders", "loaded", "torch"]
