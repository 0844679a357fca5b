"""Somebody saves drafts while 80 strangers guess passwords as fast as they are answered: a save against one without them.

By turns: with and without the strangers, who sit in a process of their own. Target: at most 5 times as long at the median.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode

from annotator.usecases.demonstration.construction import build
from benchmarks.measured import Measured, table
from benchmarks.saving import Annotator, add_people
from benchmarks.served import served

_STRANGERS, _ROUNDS, _SAVES = 80, 10, 20
_BETWEEN_S = 0.05
_UNTIL_THEY_ARE_THERE_S = 2.0


def main() -> list[Measured]:
    """Saves with and without strangers, by turns."""
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "annotator.db"
        build(database)
        [(token, csrf)] = add_people(database, 1)
        with served(database, command="serve") as address, _strangers(address) as are_there:
            annotator = Annotator(address, token, csrf)
            alone, flooded = _by_turns(annotator, are_there)
    return [
        Measured(
            f"a save while {_STRANGERS} strangers guess passwords (median)", 1000 * statistics.median(flooded), "ms",
            1000 * statistics.median(alone), "without them", at_most=5,
        ),
        Measured("the same, 95th percentile", _late(flooded), "ms", _late(alone), "without them"),
    ]  # fmt: skip


def _by_turns(annotator: Annotator, are_there: Event) -> tuple[list[float], list[float]]:
    alone: list[float] = []
    flooded: list[float] = []
    for _ in range(_ROUNDS):
        alone += _saves(annotator)
        are_there.set()
        time.sleep(_UNTIL_THEY_ARE_THERE_S)
        flooded += _saves(annotator)
        are_there.clear()
        time.sleep(_UNTIL_THEY_ARE_THERE_S)
    return alone, flooded


def _saves(annotator: Annotator) -> list[float]:
    found = []
    for _ in range(_SAVES):
        found.append(annotator.save())
        time.sleep(_BETWEEN_S)
    return found


def _late(seconds: list[float]) -> float:
    return 1000 * sorted(seconds)[int(0.95 * len(seconds))]


@contextmanager
def _strangers(address: str) -> Iterator[Event]:
    """A process that guesses while the event is set."""
    context = get_context("spawn")
    are_there = context.Event()
    process = context.Process(target=_guess_together, args=(address, are_there), daemon=True)
    process.start()
    try:
        yield are_there
    finally:
        process.kill()
        process.join()


def _guess_together(address: str, are_there: Event) -> None:
    threads = [Thread(target=_guess, args=(address, are_there, number)) for number in range(_STRANGERS)]
    for thread in threads:
        thread.start()


def _guess(address: str, are_there: Event, number: int) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": address}
    connection = HTTPConnection(address.removeprefix("http://"))
    n = 0
    while True:
        are_there.wait()
        n += 1
        form = urlencode({"name": f"stranger {number} {n}", "password": "a guess"})
        with suppress(HTTPException, OSError):
            connection.request("POST", "/sign-in", form, headers)
            connection.getresponse().read()
            continue
        connection.close()


if __name__ == "__main__":
    print(table([("flood", row) for row in main()]))
