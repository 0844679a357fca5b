"""Functional tests: made, run, and their results."""
