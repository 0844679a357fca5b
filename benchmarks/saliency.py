"""The Saliency page on a project with 50,000 texts and 6 attributions of each: another text from the click, and k by a key.

Everything is on the page's own clock: from the event's time stamp to the frame that shows the change. Texts of 300 tokens are
shown with 8 panels (8 runs have one there), of 5,000 tokens with 4; the page's answer for 200 words with 8 panels is weighed.
"""

import random
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from annotator.domain.models import Attribution, Output, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids, get_instances, queue_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import sign_in_as
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.web.routes.access import COOKIE
from benchmarks.chromium import browser_context
from benchmarks.measured import Measured, table
from benchmarks.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Page

_N, _N_TOKENS, _N_RUNS = 50_000, 30, 6
_LONGER = ((200, 8), (300, 8), (5_000, 4))  # tokens and panels; four texts of each
_ROUNDS = 10
_GIVE_UP_MS = 30_000

# From a key (or another event) to the frame in which the text's key, or the number of boxed tokens, is another one.
_WATCH = """
([what, act]) => new Promise((done) => {
  const root = document.querySelector("[data-testid='stBidiComponentIsolated']").shadowRoot;
  const boxed = () => String(root.querySelectorAll(".t.top").length);
  const seen = () => what === "key" ? root.querySelector(".heat-where h2")?.textContent : boxed();
  const before = seen();
  let begin = null;
  addEventListener("keydown", (event) => { begin ??= event.timeStamp; }, { capture: true, once: true });
  (function look() {
    if (seen() === before) return requestAnimationFrame(look);
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now() - begin);
    channel.port2.postMessage(null);
  })();
})
"""


def main() -> list[Measured]:
    """All of it, in one browser and against one server."""
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "bench.db"
        token, weight = _prepare(database)
        with served(database) as address, browser_context() as context:
            context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
            page = context.new_page()
            page.set_default_timeout(_GIVE_UP_MS)
            shown = {n: _steps(page, address, n) for n, _ in _LONGER[1:]}
            changed = _changes(page)
    return [
        Measured("another text of 300 tokens, 8 panels", shown[300], "ms", at_most=400),
        Measured("another text of 5,000 tokens, 4 panels", shown[5_000], "ms", at_most=1_500),
        Measured("one token more in the top k, 5,000 tokens, 4 panels", changed, "ms", at_most=100),
        Measured("the answer for 200 words, 8 panels", weight / 1024, "KB", at_most=300),
    ]


def _prepare(database: Path) -> tuple[str, int]:
    """The database, a researcher's cookie, and the bytes of an answer of 200 words with 8 panels."""
    draw = random.Random(5)
    with open_store(database, create=True) as store:
        with store.transaction():
            user = add_user(store, "researcher")
        project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
        import_file(store, LOCAL_OPERATOR, project, "jsonl", _texts(database.parent, draw))
        with store.transaction():
            add_role(store, project.id, user, "researcher")
        _attribute(store, project.id, draw)
        token = sign_in_as(store, user.name, is_demonstration=True)
        weight = _weight(store, find_instance_ids(store, project.id, "long-200-0")[0])
    return token, weight


def _texts(folder: Path, draw: random.Random) -> Path:
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 8))) for _ in range(5_000)]
    path = folder / "texts.jsonl"
    with path.open("wb") as file:
        for size, _ in _LONGER:
            for number in range(4):
                tokens = draw.choices(words, k=size)
                row = {
                    "id": f"long-{size}-{number}",
                    "text": " ".join(tokens),
                    "tokens": tokens,
                    "label": "yes",
                    "rationales": [[[3, 9]], [[20, 22]]],
                }
                file.write(msgspec.json.encode(row) + b"\n")
        for number in range(_N):
            tokens = draw.choices(words, k=_N_TOKENS)
            file.write(
                msgspec.json.encode({"id": f"i{number}", "text": " ".join(tokens), "tokens": tokens, "label": "no"})
                + b"\n"
            )
    return path


def _attribute(store: Store, project_id: int, draw: random.Random) -> None:
    """Six runs for every text, eight for the longer ones; written by the store, since importing is measured elsewhere."""
    runs = [Run(f"model {number // 2}", ("ig", "lime")[number % 2], is_signed=True) for number in range(8)]
    finder = RunFinder(store, project_id)
    some = [tuple(round(draw.gauss(0, 1), 6) for _ in range(_N_TOKENS)) for _ in range(64)]
    ids = [(number, key) for number, key, _ in queue_keys(store, project_id)]
    longer = {number: key for number, key in ids if key.startswith("long")}
    sizes = {number: instance.layout.n_selectable for number, instance in get_instances(store, list(longer)).items()}
    with store.transaction():
        for place, run in enumerate(runs):
            run_id = finder.id_of(run)
            outputs = [
                Output(number, (), (Attribution(tuple(draw.gauss(0, 1) for _ in range(n)), "yes"),))
                for number, n in sizes.items()
                if place < dict(_LONGER)[n]
            ]
            if place < _N_RUNS:
                outputs += [
                    Output(number, (), (Attribution(some[number % 64], "yes"),))
                    for number, _ in ids
                    if number not in longer
                ]
            for at in range(0, len(outputs), 500):
                store_outputs(store, run_id, outputs[at : at + 500])


def _weight(store: Store, instance_id: int) -> int:
    from annotator.store.models import list_runs
    from annotator.usecases.inspect.saliency import show_instance
    from annotator.usecases.inspect.saliency_panels import PanelChoice

    runs = [PanelChoice(stored.id) for stored in list_runs(store, 1)]
    return len(msgspec.json.encode(show_instance(store, LOCAL_OPERATOR, instance_id, runs)))


def _steps(page: "Page", address: str, size: int) -> float:
    """The median of going on to the next text and back among texts of one size."""
    page.goto(f"{address}/saliency?project=1")
    page.locator(".list-row").first.wait_for()
    page.get_by_role("searchbox", name="ID or words").fill(f"long-{size}-")
    page.locator(".list-count", has_text="of 4").wait_for()
    page.locator(".list-row").first.click()
    page.locator(".heat-where h2", has_text=f"long-{size}-0").wait_for()
    for _ in range(20):  # as many panels as there are runs for it
        options = page.locator(".add-panel option")
        n = dict(_LONGER)[size]
        if page.locator(".heat-panel").count() >= n:
            break
        page.locator(".add-panel").select_option(index=1 + page.locator(".heat-panel").count() % (options.count() - 1))
        page.wait_for_timeout(300)
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    return statistics.median(_timed(page, "key", key) for _ in range(_ROUNDS // 2) for key in ("j", "k"))


def _changes(page: "Page") -> float:
    """The median of one token more or fewer, in the text on screen."""
    return statistics.median(_timed(page, "top", key) for _ in range(_ROUNDS // 2) for key in ("]", "["))


def _timed(page: "Page", what: str, key: str) -> float:
    page.wait_for_timeout(250)
    watched: Any = page.evaluate_handle(f"(asked) => {{ window.watched = ({_WATCH})(asked); }}", [what, key])
    watched.dispose()
    page.keyboard.press(key)
    return float(page.evaluate("() => window.watched"))


if __name__ == "__main__":
    print(table([("saliency", row) for row in main()]))
