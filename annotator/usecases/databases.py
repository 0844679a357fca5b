"""Opening the database for the command line, the server and the pages, which never reach below the use cases."""

from annotator.store.database import Store
from annotator.store.opening import open_store

__all__ = ["Store", "open_store"]
