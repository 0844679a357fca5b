"""The only place that knows SQL: opening, migrations, and one module an aggregate."""

from annotator.store.database import Store
from annotator.store.opening import open_store

__all__ = ["Store", "open_store"]
