"""Drawing a sample: which ones are in it follows from their names and a seed alone, on any machine."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def drawn(candidates: Iterable[T], n: int, seed: int, name: Callable[[T], str]) -> list[T]:
    """A sample of n, or all where there are fewer, in the order in which they were given.

    A larger sample of the same seed holds the smaller one, so that a sample can be made larger.

    >>> drawn(["a", "b", "c", "d"], 2, 0, str), drawn(["a", "b", "c", "d"], 3, 0, str), drawn(["a"], 5, 0, str)
    (['a', 'd'], ['a', 'b', 'd'], ['a'])
    """
    numbered = list(enumerate(candidates))
    numbered.sort(key=lambda pair: _place(seed, name(pair[1])))
    return [candidate for _, candidate in sorted(numbered[:n], key=lambda pair: pair[0])]


def _place(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()
