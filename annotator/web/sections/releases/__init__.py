"""Releases of gold on Project."""
