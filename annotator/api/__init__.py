"""The Python interface: `annotator.open(path)` gives a `Database`."""

from annotator.api.database import Database, Project

__all__ = ["Database", "Project"]
