"""200 people work for ten minutes while everything goes wrong; at the end every acknowledged change has to be there.

160 annotators, 25 reviewers and 15 authors at a human pace (people_at_work.py). Every 30 s the server is killed (kill -9) and
started again; once the disk is full, once slow; once the clock jumps an hour ahead and back; a second server is tried; a backup
and an export are made meanwhile. Targets: nothing lost, nothing twice, `annotator check` clean; a submission's median 10 ms and
95th percentile 100 ms outside restarts; from the start after a kill to the first answer 1.1 of bare Streamlit's.
Then 8 people at full speed: 150 submissions a second, with three drafts each. Then as long as the bad day people who come, have a
page run and leave, 20 at a time: memory and open files at the end at most 1.1 of those after a fifth of the time.

ANNOTATOR_LOAD_S and ANNOTATOR_LOAD_PEOPLE make it shorter and smaller.
"""

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter

import msgspec

from annotator.domain.people import LOCAL_OPERATOR, Role
from annotator.domain.projects import ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import session_of, sign_in_as
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.measured import Measured, table
from benchmarks.people_at_work import Kind, Ledger, Pace, Person, missing_from
from benchmarks.served import Server, free_port
from benchmarks.troubled import VARIABLE, trouble

_SECONDS = int(os.environ.get("ANNOTATOR_LOAD_S", "600"))
_PEOPLE = int(os.environ.get("ANNOTATOR_LOAD_PEOPLE", "200"))
_KILL_EVERY_S = 30.0
_SLOW_COMMIT_S = 0.005
_TEXTS = 10_000
_GUESTS, _AT_ONCE = 5, 20
_AT_FULL_SPEED, _FULL_SPEED_S = 8, 20.0
_ROLES: dict[Kind, Role] = {"annotator": "annotator", "reviewer": "reviewer", "author": "annotator"}


@dataclass(slots=True)
class Day:
    """What happened: from when to when (perf_counter) what was wrong, and how long starts took."""

    troubles: list[tuple[str, float, float]] = field(default_factory=list)
    back_after: list[float] = field(default_factory=list)
    bare_starts: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def is_calm(self, moment: float, *but: str) -> bool:
        return not any(began <= moment <= ended for what, began, ended in self.troubles if what not in but)


def main() -> list[Measured]:
    """The bad day, then the full speed."""
    with tempfile.TemporaryDirectory() as name:
        bad = BadDay(Path(name), _PEOPLE)
        asyncio.run(bad.pass_by(_SECONDS))
        rows = bad.figures()
    for more in (_at_full_speed, _coming_and_going):
        with tempfile.TemporaryDirectory() as name:
            rows += asyncio.run(more(Path(name)))
    return rows


class BadDay:
    """A database with people, a server of it that has troubles, and what becomes of both."""

    def __init__(self, folder: Path, n: int, pace: Pace | None = None, n_texts: int = _TEXTS) -> None:
        self.database = folder / "load.db"
        self.folder = folder
        self.ledger, self.day = Ledger(), Day()
        self.trouble = folder / "trouble.json"
        trouble(self.trouble)
        os.environ[VARIABLE] = str(self.trouble)  # the server inherits it
        self.port = free_port()
        self.running = asyncio.Lock()  # held where the server must not be killed, and while it is
        self.kinds = kinds_of(n)
        pace = pace or Pace()
        signed_in = prepare(self.database, kinds_of(n, n_more=1 + _GUESTS), n_texts)
        self.people = [
            Person(f"{kind} {number}", self.port, token, csrf, self.ledger, pace)
            for number, (kind, (token, csrf)) in enumerate(zip(self.kinds, signed_in, strict=False))
        ]
        self.probe = Person("probe", self.port, *signed_in[n], Ledger(), pace)
        self.guests, self.pace = signed_in[n + 1 :], pace
        self.server = self._start()

    def _start(self) -> Server:
        return Server(self.database, command="serve", port=self.port, program="benchmarks.troubled")

    async def pass_by(self, seconds: float, kill_every: float = _KILL_EVERY_S, *, is_compared: bool = True) -> None:
        """People at work for so long, with everything that goes wrong meanwhile; the server is stopped at the end.

        is_compared: bare Streamlit is started as well, before every fourth start
        """
        at_work = [asyncio.create_task(p.work(kind)) for p, kind in zip(self.people, self.kinds, strict=True)]
        try:
            await asyncio.gather(
                self._kill_often(seconds, kill_every, is_compared=is_compared), self._go_wrong(seconds)
            )
            await asyncio.sleep(min(5, seconds / 10))  # what waits for an answer gets it
        finally:
            self.day.problems += await _end(at_work)
            await self.probe.leave()
            try:
                self.server.stop()
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.day.problems.append("the server was still there 20 s after it was told to stop")
        self.day.problems += missing_from(self.database, self.ledger)
        self.day.problems += await _said_wrong(self.database)

    async def _kill_often(self, seconds: float, every: float, *, is_compared: bool) -> None:
        end = perf_counter() + seconds
        n = 0
        while perf_counter() + every < end:
            await asyncio.sleep(every)
            n += 1
            async with self.running, self._noted("restart"):
                self.server.kill()
                if is_compared and n % 4 == 1:
                    self.day.bare_starts.append(await asyncio.to_thread(_bare_start, self.folder))
                self.day.back_after.append(await self._back())

    async def _back(self) -> float:
        """Seconds from the start to the first save that is answered."""
        began = perf_counter()
        starting = asyncio.create_task(asyncio.to_thread(self._start))
        while (await self.probe.ask("/api/panel/next?project=1"))[0] != 200:
            await asyncio.sleep(0.01)
        seconds = perf_counter() - began
        self.server = await starting
        return seconds

    async def _go_wrong(self, seconds: float) -> None:
        """One trouble after the other, in tenths of the time."""
        tenth = seconds / 10
        for act in (self._copies, self._full_disk, self._slow_disk, self._clock, self._second_server, self._copies):
            await asyncio.sleep(tenth / 2)
            await act(tenth / 2)

    async def _full_disk(self, seconds: float) -> None:
        """The server can write to no file: for whoever writes that is a full disk."""
        async with self._noted("full disk"):
            async with self.running:
                pid = self.server.process.pid
            before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            await asyncio.sleep(min(seconds, 10))
            if self.server.process.pid == pid and self.server.process.poll() is None:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)

    async def _slow_disk(self, seconds: float) -> None:
        async with self._noted("slow disk"):
            trouble(self.trouble, commit_s=_SLOW_COMMIT_S)
            await asyncio.sleep(seconds)
            trouble(self.trouble)

    async def _clock(self, seconds: float) -> None:
        for hours in (1, -1):
            trouble(self.trouble, clock_s=hours * 3600)
            await asyncio.sleep(seconds / 2)
        trouble(self.trouble)

    async def _second_server(self, seconds: float) -> None:
        """Another server of the same database, at which others work meanwhile."""
        second = await asyncio.to_thread(Server, self.database, command="serve")
        people = [
            Person(f"guest {n}", second.port, *signed_in, self.ledger, self.pace)
            for n, signed_in in enumerate(self.guests)
        ]
        at_work = [asyncio.create_task(person.work("annotator")) for person in people]
        await asyncio.sleep(seconds)
        self.day.problems += await _end(at_work)
        second.stop()

    async def _copies(self, _: float) -> None:
        """A backup, which is checked, and an export."""
        copy = self.folder / f"copy-{perf_counter():.0f}.db"
        for words in (("backup", str(copy)), ("export", "--project", "Load", "jsonl", str(copy.with_suffix(".jsonl")))):
            code, words_of = await _command(self.database, *words)
            if code:
                self.day.problems.append(f"{words[0]} ended with {code}: {words_of}")
        self.day.problems += [f"of the backup: {problem}" for problem in await _said_wrong(copy)]

    @asynccontextmanager
    async def _noted(self, what: str) -> AsyncIterator[None]:
        began = perf_counter()
        try:
            yield
        finally:
            self.day.troubles.append((what, began, perf_counter()))

    def figures(self) -> list[Measured]:
        """What the day came to."""
        times, day = self.ledger.times, self.day
        submits = sorted(s for what, at, s in times if what == "submit" and day.is_calm(at))
        slow = sorted(
            s for what, at, s in times if what == "submit" and not day.is_calm(at) and day.is_calm(at, "slow disk")
        )
        drafts = sorted(s for what, at, s in times if what == "draft" and day.is_calm(at))
        pages = sorted(s for what, at, s in times if what == "page" and day.is_calm(at))
        for problem in [*day.problems[:20], *sorted(set(self.ledger.refusals))[:20]]:
            print(problem, file=sys.stderr)
        counts = f"{len(self.people)} people, {_KILL_EVERY_S:g} s between kills"
        return [
            Measured(f"acknowledged changes looked for ({counts})", self.ledger.n_changes, "changes"),
            Measured("of them lost, held twice, or said wrong by a check", len(day.problems), "problems", at_most=0),
            Measured("messages sent again; refused", self.ledger.retried, f"and {len(self.ledger.refusals)}"),
            _percentile("a submission outside restarts (median)", submits, 0.5, 10),
            _percentile("the same, 95th percentile", submits, 0.95, 100),
            _percentile("a draft outside restarts (median)", drafts, 0.5),
            _percentile("the same, 95th percentile", drafts, 0.95),
            _percentile("a page's run outside restarts (median)", pages, 0.5),
            _percentile(f"a submission with {1000 * _SLOW_COMMIT_S:g} ms more a commit (median)", slow, 0.5),
            Measured("from a start after kill -9 to the first answer (median)", statistics.median(day.back_after), "s",
                     statistics.median(day.bare_starts), "bare Streamlit's start", 1.1),
        ]  # fmt: skip


def _percentile(what: str, seconds: list[float], share: float, at_most: float | None = None) -> Measured:
    value = seconds[int(share * len(seconds))] if seconds else float("nan")
    return Measured(f"{what}, of {len(seconds):,}", 1000 * value, "ms", at_most=at_most)


def kinds_of(n: int, n_more: int = 0) -> list[Kind]:
    """So many people: of 40 five review and three write versions; and so many more who annotate."""
    kinds: list[Kind] = ["annotator"] * 40
    kinds[::8] = ["reviewer"] * 5
    kinds[1::16] = ["author"] * 3
    return [*(kinds[number % 40] for number in range(n)), *kinds[-1:] * n_more]


def prepare(database: Path, kinds: list[Kind], n_texts: int) -> list[tuple[str, str]]:
    """A project with texts, of which some have gold sets already, and of each person cookie and CSRF token."""
    texts = database.with_suffix(".jsonl")
    with texts.open("wb") as file:
        for number in range(n_texts):
            tokens = [f"word{(number * 7 + n) % 97}" for n in range(25)]
            row = {"id": f"t{number}", "text": " ".join(tokens), "tokens": tokens, "label": "positive"}
            file.write(msgspec.json.encode(row if number % 20 else {**row, "rationales": [[[3, 6]]]}) + b"\n")
    with open_store(database, create=True) as store:
        project = create_project(
            store, LOCAL_OPERATOR, "Load", get_task("sentiment"), settings=ProjectSettings(reviewers_per_annotation=1)
        )
        import_file(store, LOCAL_OPERATOR, project, "jsonl", texts)
        return [_come(store, project.id, f"{kind} {n}", _ROLES[kind]) for n, kind in enumerate(kinds)]


def _come(store: Store, project_id: int, name: str, role: Role) -> tuple[str, str]:
    with store.transaction():
        user = add_user(store, name)
        add_role(store, project_id, user, role)
    token = sign_in_as(store, user.name, is_demonstration=True)
    return token, session_of(store, token).csrf


async def _end(at_work: Sequence[asyncio.Task[None]]) -> list[str]:
    """People go home; answers what ended one's work before."""
    for task in at_work:
        task.cancel()
    ends = await asyncio.gather(*at_work, return_exceptions=True)
    return [repr(end) for end in ends if not isinstance(end, asyncio.CancelledError)]


async def _command(database: Path, *words: str) -> tuple[int, str]:
    """Exit code and words of one of our commands."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "annotator.cli.main", "--db", str(database), *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode()


async def _said_wrong(database: Path) -> list[str]:
    code, words = await _command(database, "check")
    return [] if code == 0 else [f"check ended with {code}: {words}"]


def _bare_start(folder: Path) -> float:
    """Seconds until Streamlit with a page of one line answers."""
    script, port = folder / "hello.py", free_port()
    script.write_text('import streamlit as st\nst.title("Hello")\n', encoding="utf-8")
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    command += ["--server.headless", "true", "--browser.gatherUsageStats", "false"]
    began = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return _answers(port) - began
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> float:
    """The moment at which a server's first page is answered."""
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/")
            connection.getresponse().read()
        except OSError:
            continue
        else:
            return perf_counter()
        finally:
            connection.close()


async def _at_full_speed(folder: Path) -> list[Measured]:
    """8 people who send three drafts and a submission as fast as they are answered; where the processors' time goes."""
    database = folder / "fast.db"
    kinds: list[Kind] = ["annotator"] * _AT_FULL_SPEED
    signed_in = prepare(database, kinds, _TEXTS)
    server = await asyncio.to_thread(Server, database, command="serve")
    ledger, pace = Ledger(), Pace(0, 3)
    people = [Person(f"fast {n}", server.port, *signed, ledger, pace) for n, signed in enumerate(signed_in)]
    before, own = _processor(server.process.pid), _processor(os.getpid())
    began = perf_counter()
    at_work = [asyncio.create_task(person.work("annotator", has_tab=False)) for person in people]
    await asyncio.sleep(_FULL_SPEED_S)
    seconds = perf_counter() - began
    n = len(ledger.submissions)
    servers, clients = _processor(server.process.pid) - before, _processor(os.getpid()) - own
    problems = await _end(at_work)
    server.stop()
    if problems:
        raise RuntimeError(problems[0])
    return [
        Measured("time a submission with three drafts at full speed (150 a second are 6.67 ms)", 1000 * seconds / n, "ms",
                 at_most=6.67),
        Measured("of it the server's processor", 1000 * servers / n, "ms"),
        Measured("of it the people's own processor", 1000 * clients / n, "ms"),
    ]  # fmt: skip


async def _coming_and_going(folder: Path) -> list[Measured]:
    """Memory and open files of a server whose visitors come and go, early and at the end."""
    database = folder / "visits.db"
    kinds: list[Kind] = ["annotator"] * _AT_ONCE
    signed_in = prepare(database, kinds, 200)
    server = await asyncio.to_thread(Server, database, command="serve")
    n_visits = 0

    async def visit(person: Person) -> None:
        nonlocal n_visits
        while True:
            await person.ask("/api/panel/next?project=1")
            await person.visit("annotate", 2)
            await person.leave()
            n_visits += 1

    people = [Person(f"guest {n}", server.port, *signed, Ledger(), Pace()) for n, signed in enumerate(signed_in)]
    at_work = [asyncio.create_task(visit(person)) for person in people]
    await asyncio.sleep(_SECONDS / 5)
    early, n_early = _held(server.process.pid), n_visits
    await asyncio.sleep(_SECONDS * 4 / 5)
    late = _held(server.process.pid)
    problems = await _end(at_work)
    server.stop()
    if problems:
        raise RuntimeError(problems[0])
    beside = f"after {n_early:,} visits"
    return [
        Measured(f"memory after {n_visits:,} visits", late[0], "MB", early[0], beside, 1.1),
        Measured("open files", late[1], "files", early[1], beside, 1.1),
    ]


def _held(process: int) -> tuple[float, int]:
    """Megabytes in memory, and how many files are open."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024, len(list(Path(f"/proc/{process}/fd").iterdir()))


def _processor(process: int) -> float:
    """Seconds that all threads of a process have taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(table([("load", row) for row in main()]))
