"""What all parts of a Project of the Python interface stand on: its database, and its rules as they are now."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar

from annotator.api.refusals import python_words, speaks_python
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project as Rules
from annotator.errors import InvalidValue, NotFound
from annotator.usecases.databases import Store, open_store
from annotator.usecases.project.projects import projects_of

_T = TypeVar("_T")


@speaks_python
class OpenDatabase:
    """An open database. It belongs to the thread that opened it; use it as a context manager, or close it."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path).absolute()
        self._store: Store | None = open_store(self.path, create=create)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<annotator database '{self.path}'{'' if self._store else ', closed'}>"

    def close(self) -> None:
        """Close the connection; closing again is fine."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def store(self) -> Store:
        """The connection, as use cases take it."""
        if self._store is None:
            raise InvalidValue("The database is closed. Open it again with annotator.open.")
        return self._store

    @contextmanager
    def moment(self) -> Iterator[Store]:
        """A connection of its own that sees the database as it is now."""
        with open_store(self.store.path) as store, store.snapshot():
            yield store


class OpenProject:
    """A project of an open database."""

    def __init__(self, database: OpenDatabase, project_id: int, name: str) -> None:
        self.database = database
        self.id = project_id
        self.name = name

    def __repr__(self) -> str:
        return f"<annotator project '{self.name}'>"

    @property
    def rules(self) -> Rules:
        """The project as it is now: task, labels, language, settings."""
        for rules in projects_of(self.database.store, LOCAL_OPERATOR):
            if rules.id == self.id:
                return rules
        raise NotFound(f"The project '{self.name}' is not in the database any more.")

    def _read(self, read: Callable[[Store, Rules], Iterator[_T]]) -> Iterator[_T]:
        rules = self.rules
        with python_words(), self.database.moment() as store:
            yield from read(store, rules)
