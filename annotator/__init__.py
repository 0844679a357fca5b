"""Rationale annotator: mark, review and inspect the tokens of a text that justify its label."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from annotator.api import Database

__all__ = ["__version__", "open"]
__version__ = "0.2.0"


def open(path: "Path | str", *, create: bool = False) -> "Database":  # noqa: A001  (read as annotator.open)
    """Open a database for a notebook or a script (docs/api.md); raises StoreError saying what is wrong with it.

    create: make it where it is not there
    """
    from annotator.api import Database  # noqa: PLC0415  (whoever wants the version alone pays for nothing else)

    return Database(path, create=create)
