"""sqlite-utils, imported without pandas and NumPy.

It imports both wherever they are installed, only to know the column types of their values, which we never store. That
would cost every command a third of a second. Both can be imported by whoever needs them afterwards.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import cast

__all__ = ["Database"]

_NOT_NEEDED = ("pandas", "numpy")


@contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Modules that are not loaded yet cannot be imported in the block: None is Python's own way to say "not there"."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden, cast("ModuleType", None)))
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with _hidden(_NOT_NEEDED):
    from sqlite_utils import Database
