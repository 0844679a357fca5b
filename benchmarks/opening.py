"""Opening a text: from the address to the frame with its first words, in a fresh tab and in one that is warm.

Compared with a bare Streamlit page whose component shows the same text (bare_text.py), by turns; at most 1.15 of it. The
browser's profile has seen both before, but in the rows of a new browser, which has to ask for every file. Told besides: the
first text in a browser that remembers no place yet, so that it waits for Streamlit; and how long it takes until Streamlit has
taken the panel over. And until the text can be read, in a fresh tab, against an HTML file with the same text; at most 1.5 of it.
"""

import json
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.web.routes.access import COOKIE
from benchmarks.chromium import browser_context, open_until_shown, unvisited
from benchmarks.measured import Measured, table
from benchmarks.panel import prepare
from benchmarks.served import bare_page, html_file, served

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_SIZES = (20, 5_000)
_ROUNDS = 10
_SETTLE_MS = 400  # after a page is shown: what it still asks for is not to slow the next one
_BARE = "a bare Streamlit page with the same text"
_AT_MOST = 1.15


def main() -> list[Measured]:
    """All of it, in one browser, against one server of ours and one of the bare page for each text."""
    with tempfile.TemporaryDirectory() as name:
        place = prepare(Path(name))
        with served(place.database) as address, browser_context() as context:
            context.add_cookies([{"name": COOKIE, "value": place.token, "url": address}])
            rows: list[Measured] = []
            for size in _SIZES:
                ours = f"{address}/annotate?project={place.projects[size]}"
                text = Path(name) / f"{size}.txt"
                text.write_text(_text(context, ours), encoding="utf-8")
                with html_file(text) as file:
                    rows.append(_read(context, ours, file, f"{size:,} tokens"))
                with bare_page("bare_text", text) as bare:
                    rows += _opened(context, ours, bare, f"{size:,} tokens")
                    rows.append(_first_visit(context, ours, bare, f"{size:,} tokens"))
            rows.append(_first_ever(context, f"{address}/annotate?project={place.projects[20]}"))
            rows.append(_taken_over(context, f"{address}/annotate?project={place.projects[20]}"))
    return rows


def _text(context: "BrowserContext", address: str) -> str:
    """The text that is shown at an address; opening it also lets the browser remember the panel's place."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("localStorage.getItem('annotator:place')")
    asked = address.replace("/annotate?", "/api/panel/next?")
    work = json.loads(page.evaluate("(asked) => fetch(asked).then((answer) => answer.text())", asked))["work"]
    page.close()
    return "\n".join(segment["text"] for segment in work["instance"]["segments"])


def _opened(context: "BrowserContext", ours: str, bare: str, what: str) -> list[Measured]:
    """Ours and the bare page by turns: each time in a fresh tab, then each in its own; the first rounds do not count."""
    fresh: dict[str, list[float]] = {ours: [], bare: []}
    warm: dict[str, list[float]] = {ours: [], bare: []}
    tabs = {address: context.new_page() for address in warm}
    for _ in range(_ROUNDS + 2):
        for address, times in fresh.items():
            page = _fresh_tab(context)
            times.append(_shown(page, address))
            page.close()
        for address, times in warm.items():
            tabs[address].bring_to_front()
            times.append(_shown(tabs[address], address))
    for page in tabs.values():
        page.close()
    return [
        Measured(f"opening {what}, {tab}", _median(times[ours]), "ms", _median(times[bare]), _BARE, _AT_MOST)
        for tab, times in (("fresh tab", fresh), ("warm tab", warm))
    ]


def _read(context: "BrowserContext", ours: str, file: str, what: str) -> Measured:
    """Until the text can be read, by turns with the file."""
    times: dict[str, list[float]] = {ours: [], file: []}
    for _ in range(_ROUNDS + 2):
        for address, taken in times.items():
            page = _fresh_tab(context)
            page.goto(address, wait_until="commit")
            page.wait_for_function("bench.readAt")
            taken.append(float(page.evaluate("bench.readAt")))
            page.wait_for_timeout(2 * _SETTLE_MS)
            page.close()
    return Measured(
        f"reading {what}, fresh tab",
        _median(times[ours]),
        "ms",
        _median(times[file]),
        "an HTML file with the same text",
        1.5,
    )


def _first_visit(context: "BrowserContext", ours: str, bare: str, what: str) -> Measured:
    times: dict[str, list[float]] = {ours: [], bare: []}
    for _ in range(_ROUNDS + 2):
        for address, taken in times.items():
            browser = unvisited(context)
            taken.append(_shown(browser.new_page(), address))
            browser.close()
    return Measured(f"opening {what}, new browser", _median(times[ours]), "ms", _median(times[bare]), _BARE, _AT_MOST)


def _first_ever(context: "BrowserContext", address: str) -> Measured:
    times = []
    for _ in range(_ROUNDS + 2):
        page = _fresh_tab(context)
        page.add_init_script("localStorage.removeItem('annotator:place')")
        times.append(_shown(page, address))
        page.close()
    return Measured("opening 20 tokens, fresh tab, no place remembered", _median(times), "ms")


def _taken_over(context: "BrowserContext", address: str) -> Measured:
    times = []
    for _ in range(_ROUNDS + 2):
        page = _fresh_tab(context)
        page.goto(address, wait_until="commit")
        taken = "performance.getEntriesByName('annotator:taken-over')[0]?.startTime"
        page.wait_for_function(taken)
        times.append(float(page.evaluate(taken)))
        page.wait_for_timeout(_SETTLE_MS)
        page.close()
    return Measured("until Streamlit has taken the panel over, fresh tab", _median(times), "ms")


def _fresh_tab(context: "BrowserContext") -> "Page":
    page = context.new_page()
    page.goto("about:blank")
    return page


def _shown(page: "Page", address: str) -> float:
    milliseconds = open_until_shown(page, address).milliseconds
    page.wait_for_timeout(_SETTLE_MS)
    return milliseconds


def _median(times: list[float]) -> float:
    return statistics.median(times[2:])


if __name__ == "__main__":
    print(table([("opening", row) for row in main()]))
