"""Opening the database, and a project of it by name, for commands, server and pages, which never reach below the use cases."""

from annotator.domain.projects import Project
from annotator.store import projects
from annotator.store.connection.database import Store
from annotator.store.connection.file_access import address_of_server, served
from annotator.store.connection.opening import open_store

__all__ = ["Store", "address_of_server", "find_project", "open_store", "served"]


def find_project(store: Store, name: str) -> Project:
    """The project of that name; raises NotFound naming those there are."""
    return projects.get_project(store, name)
