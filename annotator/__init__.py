"""Rationale annotator: mark, review and inspect the tokens of a text that justify its label."""

__version__ = "0.1.0"
