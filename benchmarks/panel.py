"""Inside the real page: marking, saving, submit to next, opening a long text, and what a reload leaves.

Targets: submit → next 35 ms, marking 20 ms, a save in the page 33 ms (medians of 10); opening 5,000 tokens at most 1.15
times a bare page with the same component and the tokens as its data; eleven marks of eleven after an immediate reload.
"""

import json
import random
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import sign_in_as
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.panel_messages import show_next
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.web.routes.access import COOKIE
from benchmarks.chromium import browser_context, count, event_time, mark_time, open_until_shown
from benchmarks.measured import Measured, table
from benchmarks.served import bare_page, served

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_SIZES = (20, 5_000, 50_000)
_LONG = 5_000
_ROUNDS = 10
_MARKS = 11
_PARAGRAPH = 120  # tokens
_SETTLE_MS = 150  # between two actions: the message of the one before is then answered, the next text leased


@dataclass(frozen=True)
class Place:
    """A prepared database: its project for each number of tokens, an annotator's cookie, and a work object."""

    database: Path
    projects: dict[int, int]
    token: str
    work: Path


def main() -> list[Measured]:
    """All of it, in one browser and against one server."""
    with tempfile.TemporaryDirectory() as name:
        place = prepare(Path(name))
        with served(place.database) as address, browser_context() as context:
            context.add_cookies([{"name": COOKIE, "value": place.token, "url": address}])
            rows = []
            for size in _SIZES:
                rows += _within(context, f"{address}/annotate?project={place.projects[size]}", size)
            rows.append(_reload(context, f"{address}/annotate?project={place.projects[20]}"))
            rows.append(_opening(context, f"{address}/annotate?project={place.projects[_LONG]}", place.work))
    return rows


def prepare(folder: Path) -> Place:
    """A database with a project for each number of tokens, made through the importer."""
    database, projects = folder / "bench.db", {}
    with open_store(database, create=True) as store:
        with store.transaction():
            user = add_user(store, "annotator")
        for size in _SIZES:
            project = create_project(
                store, LOCAL_OPERATOR, f"{size} tokens", get_task("sentiment"), labels=["positive"]
            )
            import_file(store, LOCAL_OPERATOR, project, "jsonl", _texts(folder, size))
            with store.transaction():
                add_role(store, project.id, user, "annotator")
            projects[size] = project.id
        token = sign_in_as(store, user.name, is_demonstration=True)
        shown = show_next(annotate_work.next_work(store, user, projects[_LONG]))
    work = folder / "work.json"
    work.write_bytes(msgspec.json.encode({"work": shown.work, "project": shown.project}))
    return Place(database, projects, token, work)


def _texts(folder: Path, size: int) -> Path:
    """A file with texts of `size` tokens, in paragraphs, enough for all rounds."""
    draw = random.Random(size)
    words = ["".join(draw.choices("etaoinshrdlucmfwypvbgkjqxz", k=draw.randint(2, 9))) for _ in range(5_000)]
    path = folder / f"{size}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(_ROUNDS + 4):
            chosen = draw.choices(words, k=size - 1)
            lines = [" ".join(chosen[at : at + _PARAGRAPH]) for at in range(0, len(chosen), _PARAGRAPH)]
            row = {"id": f"{size}-{number}", "text": "\n".join(lines) + ".", "label": "positive"}
            file.write(json.dumps(row) + "\n")
    return path


def _within(context: "BrowserContext", address: str, size: int) -> list[Measured]:
    """Marking, saving and going on to the next, ten times each, in texts of one size."""
    page = context.new_page()
    page.set_default_timeout(30_000)
    open_until_shown(page, address)
    page.wait_for_timeout(4 * _SETTLE_MS)
    marks, saves, steps = [], [], []
    for _ in range(_ROUNDS):
        marked, saved = _mark(page, 1)
        marks.append(marked)
        saves.append(saved)
        page.wait_for_timeout(_SETTLE_MS)
        steps.append(_submit(page))
        page.wait_for_timeout(_SETTLE_MS)
    page.close()
    tokens = f"{size:,} tokens"
    return [
        Measured(f"marking, {tokens}", statistics.median(marks), "ms", at_most=20),
        Measured(f"a save in the page, {tokens}", statistics.median(saves), "ms", at_most=33),
        Measured(f"submit → next, {tokens}", statistics.median(steps), "ms", at_most=35),
    ]


# Where two words of the line that is in sight lie: the n-th pair of words from its start.
_WORDS = """n => {
  const node = bench.panel().querySelector(".segment-text .block").firstChild;
  const found = [...node.data.slice(0, 400).matchAll(/\\S+/g)].slice(n, n + 2);
  const box = (word) => {
    const range = document.createRange();
    range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
    const { left, right, top, bottom } = range.getClientRects()[0];
    return [(left + right) / 2, (top + bottom) / 2];
  };
  return found.map(box);
}"""


def _mark(page: "Page", place: int) -> tuple[float, float]:
    """Milliseconds from letting the mouse go to the frame with the mark, and to the acknowledgement."""
    n_marked, n_saved = count(page, "marked"), count(page, "saved")
    (x0, y0), (x1, y1) = page.evaluate(_WORDS, place)
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
    page.mouse.move(x1, y1)
    page.mouse.up()
    marked, saved = mark_time(page, "marked", n_marked + 1), mark_time(page, "saved", n_saved + 1)
    let_go = event_time(page, "pointerup")
    return marked - let_go, saved - let_go


def _submit(page: "Page") -> float:
    """Milliseconds from the key to the frame with the next text."""
    n_shown = count(page, "shown")
    before = page.evaluate("bench.key()")
    page.keyboard.press("Control+Enter")
    shown = mark_time(page, "shown", n_shown + 1)
    if page.evaluate("bench.key()") == before:
        raise RuntimeError("the text on the screen is still the same")
    return shown - event_time(page, "Enter")


def _reload(context: "BrowserContext", address: str) -> Measured:
    """Eleven marks, a reload right after the last one, and what is there then."""
    page = context.new_page()
    open_until_shown(page, address)
    page.keyboard.press("Control+Home")
    for _ in range(_MARKS):
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight") if _ < _MARKS // 2 else None
    page.reload()
    page.wait_for_function("bench.panel()?.querySelector('.numbers tbody .number')")
    page.wait_for_timeout(1000)
    kept = int(page.evaluate("bench.panel().querySelector('.numbers tbody .number').textContent"))
    page.close()
    return Measured("marks lost of 11 by an immediate reload", _MARKS - kept, "marks", at_most=0)


def _opening(context: "BrowserContext", ours: str, work: Path) -> Measured:
    """Ours and the bare page by turns, each in its tab; the first two rounds warm the files and do not count."""
    with bare_page("bare_page", work) as bare:
        pages = {ours: context.new_page(), bare: context.new_page()}
        times: dict[str, list[float]] = {address: [] for address in pages}
        for _ in range(_ROUNDS + 2):
            for address, page in pages.items():
                page.bring_to_front()
                times[address].append(open_until_shown(page, address).milliseconds)
                page.wait_for_timeout(_SETTLE_MS)
        for page in pages.values():
            page.close()
    us, them = (statistics.median(times[address][2:]) for address in (ours, bare))
    return Measured(f"opening {_LONG:,} tokens", us, "ms", them, "a bare page with the same component", 1.15)


if __name__ == "__main__":
    print(table([("panel", row) for row in main()]))
