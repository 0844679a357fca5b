"""People at work, as the messages that our pages send for them, at a human pace; and a ledger of what was acknowledged.

Everybody has a tab whose web socket to Streamlit stays open, comes back after a kill as Streamlit's own does, and runs its page
after each submission, as the panel asks. What is not answered is sent again as the panel does (panel/shared/saving.js).
"""

import asyncio
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

from annotator.web.routes.access import COOKIE

Kind = Literal["annotator", "reviewer", "author"]
Spans = list[list[list[int]]]

_RETRY_S = (0.5, 1, 2, 4, 8)
_GIVE_UP_S = 30
_LATER = {0, 401, 429, *range(500, 600)}
_PAGES: dict[Kind, str] = {"annotator": "annotate", "reviewer": "review", "author": "perturb"}


@dataclass(slots=True)
class Ledger:
    """What the server acknowledged, to be found again at the end; and what each message took.

    drafts:      by assignment, revision and sets of the last draft; gone once it is submitted
    submissions: sets by assignment; reviews: comprehensiveness by review
    versions:    texts of perturbed versions; comments: texts of comments
    times:       of each message the kind, when it was sent (perf_counter) and the seconds until it was answered
    refusals:    messages that came to a refusal, with their words; retried: how many messages were sent again
    """

    drafts: dict[int, tuple[int, Spans]] = field(default_factory=dict)
    submissions: dict[int, Spans] = field(default_factory=dict)
    reviews: dict[int, int] = field(default_factory=dict)
    versions: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    times: list[tuple[str, float, float]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    retried: int = 0

    @property
    def n_changes(self) -> int:
        """How many acknowledged changes are looked for at the end."""
        return len(self.drafts) + len(self.submissions) + len(self.reviews) + len(self.versions) + len(self.comments)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two acts of one person, in the mean, and how many marks a text gets."""

    between: float = 2.5
    marks: int = 5

    async def rest(self, draw: random.Random) -> None:
        if self.between:
            await asyncio.sleep(min(draw.expovariate(1 / self.between), 4 * self.between))


class Person:
    """Somebody who is signed in, with a tab and a connection of their own.

    http.client would need a thread for each; this speaks as much of HTTP as our own JSON needs.
    """

    def __init__(
        self, name: str, port: int, token: str, csrf: str, ledger: Ledger, pace: Pace, project: int = 1
    ) -> None:
        self.name, self.ledger, self.pace, self.project = name, ledger, pace, project
        self.host = f"127.0.0.1:{port}"
        self._port, self._cookie, self._csrf = port, f"{COOKIE}={token}", csrf
        self._draw = random.Random(name)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._page_is_due = asyncio.Event()

    async def work(self, kind: Kind, *, has_tab: bool = True) -> None:
        """Until cancelled."""
        act = {"annotator": self._annotate, "reviewer": self._review, "author": self._perturb}[kind]
        await asyncio.sleep(self._draw.random() * self.pace.between)
        tab = asyncio.create_task(self.keep_tab(_PAGES[kind])) if has_tab else None
        try:
            await act()
        finally:
            if tab is not None:
                tab.cancel()
                await asyncio.gather(tab, return_exceptions=True)
            await self.leave()

    async def leave(self) -> None:
        """The connection is closed."""
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()
        self._reader = self._writer = None

    # Messages

    async def ask(self, path: str, body: object = None) -> tuple[int, Any]:
        """Status and answer of one message; status 0: none came."""
        try:
            async with asyncio.timeout(_GIVE_UP_S):
                return await self._send(path, body)
        except (OSError, ValueError, IndexError, asyncio.IncompleteReadError, TimeoutError):
            await self.leave()
            return 0, {}

    async def deliver(self, what: str, path: str, body: object = None) -> tuple[int, Any]:
        """The same, sent again for as long as it may get through later; its time counts from the last try."""
        tries = 0
        while True:
            began = perf_counter()
            status, answer = await self.ask(path, body)
            if status not in _LATER:
                self.ledger.times.append((what, began, perf_counter() - began))
                if status not in {200, 409}:
                    self.ledger.refusals.append(f"{what}: {status} {answer.get('error', '')}")
                return status, answer
            self.ledger.retried += 1
            await asyncio.sleep(_RETRY_S[min(tries, len(_RETRY_S) - 1)])
            tries += 1

    async def _send(self, path: str, body: object) -> tuple[int, Any]:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        content = b"" if body is None else json.dumps(body).encode()
        head = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", f"Host: {self.host}", f"Cookie: {self._cookie}"]
        head += [f"X-CSRF-Token: {self._csrf}", "Sec-Fetch-Site: same-origin"]
        head += ["Content-Type: application/json", f"Content-Length: {len(content)}", "", ""]
        self._writer.write("\r\n".join(head).encode() + content)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        length = next(int(line[15:]) for line in lines if line.startswith("content-length:"))
        answer = json.loads(await self._reader.readexactly(length))
        return int(lines[0].split()[1]), answer

    # The tab

    async def keep_tab(self, page: str) -> None:
        """A web socket that stays open; after a loss one asks whether the server is well, ever more seldom, as Streamlit does."""
        tries = 0
        while True:
            with suppress(OSError, WebSocketException, TimeoutError):
                await self._run_page(page)
                tries = 0
            await asyncio.sleep(min(0.5 * 2**tries, 60) * (0.75 + self._draw.random() / 2))
            tries = 0 if (await self._health()) else tries + 1

    async def visit(self, page: str, seconds: float) -> None:
        """A page that is opened, run and closed again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._run_page(page)

    async def _health(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            return False
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return True

    async def _run_page(self, page: str) -> None:
        async with connect(
            f"ws://{self.host}/_stcore/stream", origin=Origin(f"http://{self.host}"), subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": self._cookie}, max_size=None, compression=None,
        ) as socket:  # fmt: skip
            while True:
                self._page_is_due.clear()
                began = perf_counter()
                await socket.send(self._asks_to_run(page))
                async for message in socket:
                    if ForwardMsg.FromString(message).WhichOneof("type") == "script_finished":
                        break
                self.ledger.times.append(("page", began, perf_counter() - began))
                while not self._page_is_due.is_set():  # a socket that is lost meanwhile is noticed by reading
                    with suppress(TimeoutError):
                        async with asyncio.timeout(1):
                            await socket.recv()

    def _asks_to_run(self, page: str) -> bytes:
        message = BackMsg()
        message.rerun_script.query_string = f"project={self.project}"
        message.rerun_script.page_name = page
        message.rerun_script.context_info.url = f"http://{self.host}/{page}?project={self.project}"
        return bytes(message.SerializeToString())

    # Annotating

    async def _annotate(self) -> None:
        work = ahead = None
        while True:
            if work is None:
                _, answer = await self.deliver("next", f"/api/panel/next?project={self.project}")
                work, ahead = answer.get("work"), answer.get("ahead")
            if work is None:
                await asyncio.sleep(5)
                continue
            work, ahead = await self._mark_and_submit(work, ahead), None
            self._page_is_due.set()

    async def _mark_and_submit(self, work: Any, ahead: Any) -> Any:
        """The work that follows; None where it is not known."""
        assignment, revision = work["assignment"], work["revision"]
        n_tokens = len(work["instance"]["segments"][0]["starts"])
        sets: Spans = []
        for start in self._draw.sample(range(n_tokens), self.pace.marks):
            await self.pace.rest(self._draw)
            sets = [[[start, start + 1]], *sets[:2]]
            status, answer = await self.deliver("draft", "/api/panel/draft", self._draft(assignment, revision, sets))
            if status == 409 and _is_same(answer, sets):
                answer = answer["work"]
            elif status != 200:
                return None
            revision = answer["revision"]
            self.ledger.drafts[assignment] = (revision, sets)
        await self._say_something(work["instance"]["id"])
        await self.pace.rest(self._draw)
        body = {**self._draft(assignment, revision, sets), "ahead": ahead and ahead["assignment"]}
        status, answer = await self.deliver("submit", "/api/panel/submit", body)
        if status == 409 and _is_same(answer, sets) and answer["work"]["state"] == "submitted":
            answer = {}
        elif status != 200:
            return None
        self.ledger.drafts.pop(assignment, None)
        self.ledger.submissions[assignment] = sets
        return ahead or answer.get("ahead")

    @staticmethod
    def _draft(assignment: int, revision: int, sets: Spans) -> dict[str, Any]:
        draft = {"result": "positive", "sets": sets, "note": "", "no_rationale": False}
        return {
            "assignment": assignment,
            "revision": revision,
            "draft": draft,
            "timing": {"edits": 1, "active_ms": 900},
        }

    async def _say_something(self, instance: int) -> None:
        if self._draw.random() > 0.1:
            return
        text = f"{self.name} wonders about {instance} {self._draw.random()}"
        body = {"project": self.project, "instance": instance, "text": text, "to_lead": False}
        status, _ = await self.deliver("comment", "/api/talk/begin", body)
        if status == 200:
            self.ledger.comments.append(text)

    # Reviewing

    async def _review(self) -> None:
        while True:
            _, answer = await self.deliver("next review", f"/api/review/next?project={self.project}")
            work = answer.get("work")
            if work is None:
                await asyncio.sleep(2)
            else:
                await self._score(work)
                self._page_is_due.set()

    async def _score(self, work: Any) -> None:
        review, revision = work["review"], work["revision"]
        scores = {
            "comprehensiveness": 3,
            "comment": "",
            "sets": [{"sufficiency": 3, "compactness": 4} for _ in work["sets"]],
        }
        await self.pace.rest(self._draw)
        for what in ("save", "submit"):
            body = {"review": review, "revision": revision, "scores": scores}
            status, answer = await self.deliver(f"review {what}", f"/api/review/{what}", body)
            if status == 409 and (answer.get("work") or {}).get("review") == review:
                revision = answer["work"]["revision"]
                if what == "submit" and answer["work"]["state"] == "open":
                    return
            elif status != 200:
                return
            self.ledger.reviews[review] = 3
            revision = answer.get("revision", revision)
            await self.pace.rest(self._draw)

    # Perturbing

    async def _perturb(self) -> None:
        after = 0
        while True:
            _, answer = await self.deliver("next original", f"/api/perturb/next?project={self.project}&after={after}")
            instance = answer.get("instance")
            if instance is None:
                after = 0
                await asyncio.sleep(5)
                continue
            after = instance
            await self._write(instance)

    async def _write(self, instance: int) -> None:
        status, original = await self.deliver("original", f"/api/perturb/original?instance={instance}")
        if status != 200:
            return
        [segment] = original["segments"]
        text = f"{segment['text']} indeed{self._draw.randrange(10**9)}"
        changed = {"kind": "dispensable", "texts": {segment["name"]: text}, "result": "positive", "note": ""}
        for turn in range(2):
            await self.pace.rest(self._draw)
            body = {"instance": instance, "changed": changed, "writer": text[-20:], "turn": turn}
            status, _ = await self.deliver("look", "/api/perturb/look", body)
            if status != 200:
                return
        status, _ = await self.deliver("hand in", "/api/perturb/hand-in", {"instance": instance, "changed": changed})
        if status == 200:
            self.ledger.versions.append(text)


def _is_same(answer: Any, sets: Spans) -> bool:
    """Whether a conflict is with ourselves: what is stored is what was sent, and only the answer was lost."""
    work = answer.get("work") or {}
    return bool(work) and work["draft"]["sets"] == sets


def missing_from(database: Path, ledger: Ledger) -> list[str]:
    """What was acknowledged and is not in the database, and what is there twice; a line each."""
    with _reading(database) as rows:
        stored = rows("SELECT assignment_id, revision, sets FROM drafts")
        drafts = {n: (revision, json.loads(sets)) for n, revision, sets in stored}
        submitted: dict[int, Spans] = {n: [] for (n,) in rows("SELECT assignment_id FROM annotations")}
        for n, spans in rows(
            "SELECT assignment_id, spans FROM rationale_sets JOIN annotations ON annotations.id = annotation_id "
            "ORDER BY assignment_id, position"
        ):
            submitted[n].append(json.loads(spans))
        reviews = dict(rows("SELECT id, comprehensiveness FROM reviews"))
        comments = [text for (text,) in rows("SELECT text FROM comments")]
        versions = [text for (text,) in rows("SELECT texts FROM perturbation_versions")]
        twice = rows(
            "SELECT instance_id, user_id, count(*) FROM assignments WHERE state IN ('leased', 'returned', 'submitted') "
            "GROUP BY instance_id, user_id HAVING count(*) > 1"
        )
    missing = [f"draft of {n}, revision {revision}" for n, (revision, sets) in ledger.drafts.items()
               if drafts.get(n, (-1, []))[0] < revision or (drafts[n][0] == revision and drafts[n][1] != sets)]  # fmt: skip
    missing += [f"submission of {n}" for n, sets in ledger.submissions.items() if submitted.get(n) != sets]
    missing += [f"review {n}" for n, score in ledger.reviews.items() if reviews.get(n) != score]
    missing += [f"comment {text!r}" for text in ledger.comments if text not in comments]
    missing += [f"version {text!r}" for text in ledger.versions if not any(text in stored for stored in versions)]
    missing += [f"text {instance} is with person {user} {n} times" for instance, user, n in twice]
    missing += [f"{n} times: {text!r}" for texts in (comments, versions) for text, n in _counts(texts).items() if n > 1]
    return missing


def _counts(texts: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return counts


@contextmanager
def _reading(database: Path) -> Iterator[Callable[[str], list[Any]]]:
    connection = sqlite3.connect(database)
    try:
        yield lambda sql: connection.execute(sql).fetchall()
    finally:
        connection.close()
