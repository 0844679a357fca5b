"""The items of a file in batches: neighbours of one kind, so many that they are worth a query and so few that they fit."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Kind = TypeVar("Kind")


class Upcoming(Generic[Item]):
    """The items that are still to come; one is read ahead, to see of which kind it is."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = iter(items)
        self._first = next(self._items, None)

    @property
    def first(self) -> Item | None:
        """The next item; None after the last one."""
        return self._first

    def batch(self, kind: type[Kind], size: int, name: Callable[[Kind], Hashable] = id, repeats: int = 1) -> list[Kind]:
        """Takes the next items as long as they are of a kind: of at most so many names, at most `repeats` a name on average."""
        taken: list[Kind] = []
        names: set[Hashable] = set()
        item, items = self._first, self._items
        while isinstance(item, kind) and len(taken) < size * repeats:
            names.add(name(item))
            if len(names) > size:
                break
            taken.append(item)
            item = next(items, None)
        self._first = item
        return taken


def apart(rows: Sequence[Kind], name: Callable[[Kind], Hashable]) -> Iterator[list[Kind]]:
    """The rows in order, in lists in which no name comes twice.

    >>> list(apart(["a", "b", "a", "c"], str))
    [['a', 'b'], ['a', 'c']]
    """
    part: list[Kind] = []
    names: set[Hashable] = set()
    for row in rows:
        if (row_name := name(row)) in names:
            yield part
            part, names = [], set()
        part.append(row)
        names.add(row_name)
    if part:
        yield part
