"""8 annotators save 25 drafts each at once, over the server's own route, each save durable before it is acknowledged.

Target: all 200 kept, at least 400 a second, 95th percentile under 40 ms, maximum under 100; a save alone at most 10 ms.
Compared with the same 200 writes by SQLite alone (write-ahead log, synchronous=FULL), one commit each, in one thread.
"""

import json
import sqlite3
import statistics
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from annotator.store import open_store
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import session_of, sign_in_as
from annotator.usecases.databases import find_project
from annotator.usecases.demonstration.construction import build
from annotator.web.routes.access import COOKIE
from benchmarks.measured import Measured, table
from benchmarks.served import served

_PEOPLE, _SAVES = 8, 25


def main() -> list[Measured]:
    """One save alone, then all at once."""
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "demo.db"
        build(database)
        people = add_people(database, _PEOPLE)
        before = _stored_revisions(database)
        with served(database) as address:
            annotators = [Annotator(address, token, csrf) for token, csrf in people]
            alone = [annotators[0].save() for _ in range(_SAVES)]
            together, seconds = _all_at_once(annotators)
        kept = sum(annotator.revision for annotator in annotators)
        stored = _stored_revisions(database) - before
        plain = _plain_commits(Path(name) / "plain.db")
    n = _PEOPLE * _SAVES
    together.sort()
    return [
        Measured("a save alone (median)", 1000 * statistics.median(alone), "ms", at_most=10),
        Measured(f"{_PEOPLE} x {_SAVES} saves at once, lost", kept - stored, "saves", at_most=0),
        Measured("time a save at once (400 a second are 2.5 ms)", 1000 * seconds / n, "ms", at_most=2.5),
        Measured("the same against plain commits", 1000 * seconds / n, "ms", 1000 * plain, "SQLite alone, one thread"),
        Measured("95th percentile at once", 1000 * together[int(0.95 * n)], "ms", at_most=40),
        Measured("maximum at once", 1000 * together[-1], "ms", at_most=100),
    ]


def add_people(database: Path, n: int) -> list[tuple[str, str]]:
    """Cookie and CSRF token of new annotators of the first project."""
    signed_in = []
    with open_store(database) as store:
        project = find_project(store, "Sentiment")
        for number in range(n):
            with store.transaction():
                user = add_user(store, f"Bench {number}")
                add_role(store, project.id, user, "annotator")
            token = sign_in_as(store, user.name, is_demonstration=True)
            signed_in.append((token, session_of(store, token).csrf))
    return signed_in


class Annotator:
    """Somebody who is signed in, holds a piece of work and saves drafts of it over a connection of their own.

    http.client, since a heavier one would take the server's processor time on a machine with two cores.
    """

    def __init__(self, address: str, token: str, csrf: str) -> None:
        self._connection = HTTPConnection(address.removeprefix("http://"))
        self._headers = {"Cookie": f"{COOKIE}={token}", "X-CSRF-Token": csrf, "Content-Type": "application/json"}
        self._assignment = self._ask("GET", "/api/panel/next?project=1")["work"]["assignment"]
        self.revision = 0
        self.save()

    def save(self) -> float:
        """Seconds until a draft was acknowledged."""
        draft = {"result": None, "sets": [[[0, self.revision % 5 + 1]], [[6, 8]]], "note": "", "no_rationale": False}
        body = {"assignment": self._assignment, "revision": self.revision, "draft": draft, "timing": {"edits": 1}}
        began = time.perf_counter()
        answer = self._ask("POST", "/api/panel/draft", json.dumps(body))
        seconds = time.perf_counter() - began
        self.revision = answer["revision"]
        return seconds

    def _ask(self, method: str, path: str, body: str | None = None) -> Any:
        self._connection.request(method, path, body, self._headers)
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {said[:200]!r}")
        return json.loads(said)


def _all_at_once(annotators: list[Annotator]) -> tuple[list[float], float]:
    times: list[float] = []
    barrier = threading.Barrier(len(annotators) + 1)

    def work(annotator: Annotator) -> None:
        barrier.wait()
        times.extend([annotator.save() for _ in range(_SAVES)])

    threads = [threading.Thread(target=work, args=(annotator,)) for annotator in annotators]
    for thread in threads:
        thread.start()
    barrier.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return times, time.perf_counter() - began


def _stored_revisions(database: Path) -> int:
    """How many saves the database holds: each raised the revision of a draft by one."""
    with sqlite3.connect(database) as connection:
        n = connection.execute("SELECT coalesce(sum(revision), 0) FROM drafts").fetchone()[0]
    connection.close()
    return int(n)


def _plain_commits(path: Path) -> float:
    """Seconds a commit takes by itself."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE drafts (id INTEGER PRIMARY KEY, sets TEXT)")
    began = time.perf_counter()
    for number in range(_PEOPLE * _SAVES):
        connection.execute("INSERT INTO drafts (sets) VALUES (?)", (f"[[0, {number}]]",))
    seconds = time.perf_counter() - began
    connection.close()
    return seconds / (_PEOPLE * _SAVES)


if __name__ == "__main__":
    print(table([("saving", row) for row in main()]))
