"""The first visit of the Metrics page: 160 texts with 21 runs, and 20,000 texts with the answers and two methods of one model.

From the address to the first frame with the head and the controls, and to the first one with the table, on the page's clock;
beside them the processor time of the server until the table stands. The texts have 25 tokens and two gold sets each. Saliency
is opened before, so that what Streamlit itself loads once is not counted.
"""

import os
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.models import Attribution, Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.instances import queue_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import sign_in_as
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.web.routes.access import COOKIE
from benchmarks.chromium import browser_context
from benchmarks.measured import Measured, table
from benchmarks.served import Server

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_N_TOKENS, _AT_ONCE, _GIVE_UP_MS = 25, 500, 120_000
_SIZES = ((160, 3, 6, 2), (20_000, 1, 2, 4))  # texts, models, methods of each, seconds that a visit may take
_PROBE = """
window.firstVisit = {};
const places = { head: "[data-testid=stHeading]", table: "[aria-label='Metrics by model and method'] table" };
requestAnimationFrame(function look() {
  for (const [name, place] of Object.entries(places))
    if (!(name in firstVisit) && document.querySelector(place)) firstVisit[name] = performance.now();
  if (!("table" in firstVisit)) requestAnimationFrame(look);
});
"""


def main() -> list[Measured]:
    """Each size once, against a server and in a browser of its own: a first visit is not repeated."""
    rows = []
    for n, n_models, n_methods, at_most in _SIZES:
        with tempfile.TemporaryDirectory() as name:
            database = Path(name) / "bench.db"
            token = _prepare(database, n, n_models, n_methods)
            head, shown, processor = _visit(database, token)
        what = f"first visit of Metrics, {n:,} texts, {n_models * (1 + n_methods)} runs"
        rows += [
            Measured(f"{what}: head and controls", head, "s"),
            Measured(f"{what}: the table", shown, "s", at_most=at_most),
            Measured(f"{what}: processor of the server", processor, "s"),
        ]
    return rows


def _visit(database: Path, token: str) -> tuple[float, float, float]:
    """Seconds to the head and to the table on the page's clock, and of the server's processor."""
    server = Server(database)
    try:
        with browser_context() as context:
            context.add_cookies([{"name": COOKIE, "value": token, "url": server.address}])
            _warm(context, server.address)
            page = context.new_page()
            page.add_init_script(_PROBE)
            before = _processor_of(server.process.pid)
            page.goto(f"{server.address}/metrics?project=1", wait_until="commit")
            page.wait_for_function("'table' in (window.firstVisit ?? {})", timeout=_GIVE_UP_MS)
            processor = _processor_of(server.process.pid) - before
            head, shown = page.evaluate("[firstVisit.head, firstVisit.table]")
    finally:
        server.stop()
    return head / 1000, shown / 1000, processor


def _warm(context: "BrowserContext", address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}/saliency?project=1")
    page.locator(".list-row").first.wait_for()
    page.close()


def _processor_of(process: int) -> float:
    """Seconds that all threads of a process have taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _prepare(database: Path, n: int, n_models: int, n_methods: int) -> str:
    """The database, and a researcher's cookie."""
    draw = random.Random(23)
    with open_store(database, create=True) as store:
        with store.transaction():
            user = add_user(store, "researcher")
        project = create_project(
            store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"],
            settings=ProjectSettings(gold_policy="all"),
        )  # fmt: skip
        import_file(store, LOCAL_OPERATOR, project, "jsonl", _texts(database.parent, n, draw))
        with store.transaction():
            add_role(store, project.id, user, "researcher")
            _say(store, project.id, n_models, n_methods, draw)
        return sign_in_as(store, user.name, is_demonstration=True)


def _texts(folder: Path, n: int, draw: random.Random) -> Path:
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 8))) for _ in range(5_000)]
    path = folder / "texts.jsonl"
    with path.open("wb") as file:
        for number in range(n):
            tokens = draw.choices(words, k=_N_TOKENS)
            first = draw.randrange(_N_TOKENS - 9)
            row = {"id": f"i{number}", "text": " ".join(tokens), "tokens": tokens, "label": draw.choice(["no", "yes"]),
                   "rationales": [[[first, first + 5]], [[first + 3, first + 8]]]}  # fmt: skip
            file.write(msgspec.json.encode(row) + b"\n")
    return path


def _say(store: Store, project_id: int, n_models: int, n_methods: int, draw: random.Random) -> None:
    """Answers and attributions of every text, written by the store, since importing is measured elsewhere."""
    finder = RunFinder(store, project_id)
    numbers = [number for number, _, _ in queue_keys(store, project_id)]
    for model in range(n_models):
        for method in range(-1, n_methods):
            name = f"method {method}" if method >= 0 else ""
            run_id = finder.id_of(Run(f"model {model}", name, is_signed=True if name else None))
            outputs = [_output(number, draw, has_scores=bool(name)) for number in numbers]
            for at in range(0, len(outputs), _AT_ONCE):
                store_outputs(store, run_id, outputs[at : at + _AT_ONCE])


def _output(number: int, draw: random.Random, *, has_scores: bool) -> Output:
    if has_scores:
        return Output(number, (), (Attribution(tuple(draw.gauss(0, 1) for _ in range(_N_TOKENS)), "yes"),))
    p = draw.random()
    return Output(number, (Prediction(None, {"no": 1 - p, "yes": p}),))


if __name__ == "__main__":
    print(table([("first_visit", row) for row in main()]))
