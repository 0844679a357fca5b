"""Numbers that took long to make, kept for all visits of a server until newer ones need the room."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar

T = TypeVar("T")


class Kept:
    """Values by what made them. Whoever gets one leaves it as it is, since others get the same one.

    most: the sum of the weights that are kept; the longest unused go first, the newest is always kept
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._found: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()

    def get(self, key: Hashable, kind: type[T]) -> T | None:
        """What is kept under a key, or None."""
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            value = self._found[key][0]
        return value if isinstance(value, kind) else None

    def put(self, key: Hashable, value: object, weight: int = 1) -> None:
        with self._lock:
            self._found.pop(key, None)
            self._found[key] = (value, weight)
            while len(self._found) > 1 and sum(heavy for _, heavy in self._found.values()) > self._most:
                self._found.popitem(last=False)

    def get_or_make(self, key: Hashable, kind: type[T], make: Callable[[], T], weight_of: Callable[[T], int]) -> T:
        """What is kept, else what is made now; two that ask at the same moment may both make it."""
        found = self.get(key, kind)
        if found is None:
            found = make()
            self.put(key, found, weight_of(found))
        return found
