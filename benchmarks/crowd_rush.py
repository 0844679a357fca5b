"""20 annotators save drafts while 5,000 requests come to a recruitment link that takes 200: a save against one before the rush.

By turns, each time a new link: half of the requests look at the page, half want to begin, each from an address of its own and
with an id of its own. Strangers sit in a process of their own, which is there before. Target: at most 5 times as long at the
median. None of those who are told to come back does so here, so that places may stay empty.

Then a room: 50 people of one address look at a link of 40 places in one moment and press its button. Target: 40 come in, 10 read
that all places are taken, each answer within ten seconds.
"""

import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from threading import Event as ThreadEvent
from threading import Thread
from urllib.parse import urlencode

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.recruitment import LinkRules
from annotator.store import open_store
from annotator.usecases.crowd.recruitment_links import make_recruitment_link, set_link_state
from annotator.usecases.crowd.visits import AT_ONCE_VARIABLE
from annotator.usecases.databases import find_project
from annotator.usecases.demonstration.construction import build
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from benchmarks.measured import Measured, table
from benchmarks.saving import Annotator, add_people
from benchmarks.served import Server

_PEOPLE, _REQUESTS, _CONNECTIONS, _PLACES = 20, 5_000, 250, 200
_ROUNDS = 3
_IN_ROOM, _PLACES_OF_ROOM = 50, 40
_TEXTS = 3_000
_QUIET_S = 6.0
_BETWEEN_S = 0.4  # of one annotator: faster than anybody marks

Statuses = Counter[int]
Answers = Counter[str]


def main() -> list[Measured]:
    """Saves before and during the rush, by turns."""
    os.environ[AT_ONCE_VARIABLE] = str(_ROUNDS * (_PLACES + _PLACES_OF_ROOM))  # the server inherits it
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "annotator.db"
        build(database)
        _add_texts(database, Path(name))
        people = add_people(database, _PEOPLE)
        links = [_add_link(database, f"rush {number}") for number in range(_ROUNDS)]
        rooms = [_add_link(database, f"room {number}", most_workers=_PLACES_OF_ROOM) for number in range(_ROUNDS)]
        with _server(database) as server:
            address = server.address
            rushes = [_Rush(address, link) for link in links]  # before, since connections that rest are closed
            annotators = [Annotator(address, token, csrf) for token, csrf in people]
            quiet: list[float] = []
            rushed: list[float] = []
            statuses: Statuses = Counter()
            in_room: list[float] = []
            answers: Answers = Counter()
            seconds = calm_work = rush_work = 0.0
            for rush in rushes:
                before = _processor_seconds(server)
                quiet += _saves_while(annotators, lambda: time.sleep(_QUIET_S))
                calm_work += _processor_seconds(server) - before
                began, before = time.perf_counter(), _processor_seconds(server)
                rushed += _saves_while(annotators, rush.go)
                statuses.update(rush.statuses)
                seconds += time.perf_counter() - began
                rush_work += _processor_seconds(server) - before
            n_workers = _count_workers(database)
            slowest = 0.0
            for link in rooms:
                room = _Room(address, link)
                quiet += _saves_while(annotators, lambda: time.sleep(_QUIET_S))
                in_room += _saves_while(annotators, room.go)
                answers.update(room.answers)
                slowest = max(slowest, room.slowest)
    a_second = sum(statuses.values()) / seconds
    counts = ", ".join(f"{n} x {status}" for status, n in sorted(statuses.items()))
    what = f"a save of {_PEOPLE} people during {_REQUESTS:,} requests to a crowd door"
    return [
        Measured(
            f"{what} (median)", 1000 * statistics.median(rushed), "ms", 1000 * statistics.median(quiet), "before", 5
        ),
        Measured("the same, 95th percentile", _late(rushed), "ms", _late(quiet), "before"),
        Measured(f"answered a second ({counts})", a_second, "requests"),
        Measured(
            "of a core, for the rush alone", 100 * (rush_work - calm_work / len(quiet) * len(rushed)) / seconds, "%"
        ),
        Measured(f"places of {_ROUNDS * _PLACES} that stayed empty", _ROUNDS * _PLACES - n_workers, "places"),
        *_of_rooms(answers, slowest, in_room, quiet),
    ]


def _of_rooms(answers: Answers, slowest: float, saves: list[float], quiet: list[float]) -> list[Measured]:
    n_other = answers.total() - answers["in"] - answers["full"]
    counts = ", ".join(f"{n} x {answer}" for answer, n in sorted(answers.items()))
    what = f"a save while {_IN_ROOM} come to a link of {_PLACES_OF_ROOM} places"
    return [
        Measured(
            f"{what} (median)", 1000 * statistics.median(saves), "ms", 1000 * statistics.median(quiet), "before", 5
        ),
        Measured("the same, 95th percentile", _late(saves), "ms", _late(quiet), "before"),
        Measured(f"neither in nor full ({counts})", n_other, "people", at_most=0),
        Measured("the slowest answer to one of them", slowest, "s", at_most=10),
    ]


def _add_texts(database: Path, folder: Path) -> None:
    """Each worker holds two texts, so the demonstration's own would not do."""
    rows = folder / "rows.jsonl"
    rows.write_text(
        "".join(
            f'{{"id": "rush-{number}", "text": "Text {number} of the rush was good.", "label": "positive"}}\n'
            for number in range(_TEXTS)
        ),
        encoding="utf-8",
    )
    with open_store(database) as store:
        import_file(store, LOCAL_OPERATOR, find_project(store, "Sentiment"), "jsonl", rows, ImportOptions())


def _add_link(database: Path, name: str, most_workers: int = _REQUESTS) -> str:
    rules = LinkRules(name, most_workers=most_workers, quota=20, at_once=_PLACES, parameter="PROLIFIC_PID")
    with open_store(database) as store:
        link = make_recruitment_link(store, LOCAL_OPERATOR, find_project(store, "Sentiment").id, rules)
        set_link_state(store, LOCAL_OPERATOR, link.id, "open")
    return f"/crowd/{link.token}"


def _saves_while(annotators: list[Annotator], act: Callable[[], object]) -> list[float]:
    """How long each save took while something else was done; everybody saves at their own pace."""
    times: list[float] = []
    is_over = ThreadEvent()

    def work(annotator: Annotator, number: int) -> None:
        time.sleep(_BETWEEN_S * number / len(annotators))
        while not is_over.is_set():
            times.append(annotator.save())
            time.sleep(_BETWEEN_S)

    threads = [Thread(target=work, args=(annotator, number)) for number, annotator in enumerate(annotators)]
    for thread in threads:
        thread.start()
    act()
    is_over.set()
    for thread in threads:
        thread.join()
    return times


class _Rush:
    """All requests to a link, from a process of its own that waits until it is to begin."""

    def __init__(self, address: str, link: str) -> None:
        context = get_context("spawn")
        self._answers: Queue[Statuses | None] = context.Queue()
        self._begins = context.Event()
        self.statuses: Statuses = Counter()
        arguments = (address, link, self._begins, self._answers)
        self._process = context.Process(target=_come_together, args=arguments, daemon=True)
        self._process.start()
        self._answers.get(timeout=60)  # it is there

    def go(self) -> None:
        """Let them come; how often each status was answered is in `statuses` then."""
        self._begins.set()
        self.statuses = self._answers.get(timeout=300) or Counter()
        self._process.join()


def _come_together(address: str, link: str, begins: "Event", answers: "Queue[Statuses | None]") -> None:
    statuses: Statuses = Counter()
    each = _REQUESTS // _CONNECTIONS
    threads = [
        Thread(target=_come, args=(address, link, range(number * each, (number + 1) * each), statuses))
        for number in range(_CONNECTIONS)
    ]
    answers.put(None)
    begins.wait()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put(statuses)


def _come(address: str, link: str, numbers: range, statuses: Statuses) -> None:
    connection = HTTPConnection(address.removeprefix("http://"))
    for number in numbers:
        headers = {"X-Forwarded-For": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", "Origin": address}
        with suppress(HTTPException, OSError):
            if number % 2:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                connection.request("POST", link, urlencode({"platform_id": f"worker-{number}"}), headers)
            else:
                connection.request("GET", f"{link}?PROLIFIC_PID=worker-{number}", headers=headers)
            answer = connection.getresponse()
            answer.read()
            statuses[answer.status] += 1
            continue
        statuses[0] += 1
        connection.close()


class _Room:
    """People who come in one moment from one address: each looks at the link, presses the button, and reads the answer."""

    def __init__(self, address: str, link: str) -> None:
        self._address, self._link_of = address, link
        self.answers: Answers = Counter()
        self.slowest = 0.0

    def go(self) -> None:
        """Let them come; what they read is in `answers` then."""
        threads = [Thread(target=self._come, args=(number,)) for number in range(_IN_ROOM)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _come(self, number: int) -> None:
        connection = HTTPConnection(self._address.removeprefix("http://"), timeout=60)
        headers = {"Origin": self._address, "Accept-Language": "en"}
        status, page = self._ask(connection, "GET", f"{self._link_of}?PROLIFIC_PID=pupil-{number}", None, headers)
        if status == 200:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            form = urlencode({"platform_id": f"pupil-{number}"})
            status, page = self._ask(connection, "POST", self._link_of, form, headers)
        self.answers["in" if status == 303 else "full" if "All places are taken" in page else str(status)] += 1

    def _ask(
        self, connection: HTTPConnection, method: str, path: str, form: str | None, headers: dict[str, str]
    ) -> tuple[int, str]:
        began = time.perf_counter()
        connection.request(method, path, form, headers)
        answer = connection.getresponse()
        page = answer.read().decode()
        self.slowest = max(self.slowest, time.perf_counter() - began)
        return answer.status, page


@contextmanager
def _server(database: Path) -> Iterator[Server]:
    server = Server(database, command="serve")
    try:
        yield server
    finally:
        server.stop()


def _processor_seconds(server: Server) -> float:
    """What a server has worked so far (Linux), which other work on the machine changes less than how long a save takes."""
    numbers = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def _count_workers(database: Path) -> int:
    with open_store(database) as store:
        return int(store.value("SELECT count(*) FROM crowd_workers"))


def _late(seconds: list[float]) -> float:
    return 1000 * sorted(seconds)[int(0.95 * len(seconds))]


if __name__ == "__main__":
    print(table([("crowd_rush", row) for row in main()]))
