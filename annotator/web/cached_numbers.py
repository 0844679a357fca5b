"""Numbers that took long to make, kept for all visits of a server until newer ones need the room."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar

T = TypeVar("T")


class ValueCache:
    """Values by what made them. Whoever gets one leaves it as it is, since others get the same one.

    most: the sum of the weights that are kept; the longest unused go first, the newest is always kept
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()

    def get(self, key: Hashable, kind: type[T]) -> T | None:
        """What is kept under a key, or None."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            value = self._values[key][0]
        return value if isinstance(value, kind) else None

    def put(self, key: Hashable, value: object, weight: int = 1) -> None:
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = (value, weight)
            while len(self._values) > 1 and sum(heavy for _, heavy in self._values.values()) > self._most:
                self._values.popitem(last=False)

    def get_or_make(self, key: Hashable, kind: type[T], make: Callable[[], T], weight_of: Callable[[T], int]) -> T:
        """What is kept, else what is made now; two that ask at the same moment may both make it."""
        value = self.get(key, kind)
        if value is None:
            value = make()
            self.put(key, value, weight_of(value))
        return value
