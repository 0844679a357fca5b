"""The only place that knows SQL: opening, migrations, and one module an aggregate."""

from annotator.store.connection.database import Store
from annotator.store.connection.opening import open_store

__all__ = ["Store", "open_store"]
