"""Opening the database for the command line, the server and the pages, which never reach below the use cases."""

from annotator.store.connection.database import Store
from annotator.store.connection.file_access import address_of_server, served
from annotator.store.connection.opening import open_store

__all__ = ["Store", "address_of_server", "open_store", "served"]
