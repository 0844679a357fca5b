"""A store's clock, moved: as if time had passed."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.store import Store


def pass_time(store: Store, **time: float) -> None:
    """From now on it is so much later, by days, minutes ...; it is earlier where the number is negative."""
    before, passed = store.clock, dt.timedelta(**time)
    store.clock = lambda: before() + passed


def let_no_moment_be_twice(store: Store) -> None:
    """From now on whatever asks for the time gets a later one than before, as acts of people are apart on any machine."""
    before, last = store.clock, store.clock()

    def later() -> dt.datetime:
        nonlocal last
        last = max(before(), last + dt.timedelta(milliseconds=1))
        return last

    store.clock = later


@contextmanager
def ahead(store: Store, **time: float) -> Iterator[None]:
    """The clock is ahead while the block lasts."""
    right = store.clock
    pass_time(store, **time)
    yield
    store.clock = right
