"""A headless Chromium for what is measured inside a page, and what is asked of the page there.

Nothing is timed from Python: the page notes the event's own time stamp, the panel sets performance marks after the frame
that shows a change (docs/panel.md), and both are on the page's clock.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

# `bench.shownAt`: when the frame had been made in which the panel's text (or a heading, or the Project page's numbers) was there;
# `bench.readAt`: the same of a text that can be read, also before there is a panel, and of a file without one.
_PROBE = """
window.bench = {
  events: {},
  shownAt: null,
  readAt: null,
  panel: () => [...document.querySelectorAll(".annotator-early > *, [data-testid='stBidiComponentIsolated']")]
    .map((host) => host.shadowRoot?.querySelector(".panel")).find(Boolean),
  key: () => bench.panel().querySelector(".instance-key").textContent,
  isShown: () => bench.panel()?.querySelector(".segment-text") || document.querySelector("h1, [data-testid=stMetricValue]"),
};
addEventListener("pointerup", (event) => { bench.events.pointerup = event.timeStamp; }, true);
addEventListener("keydown", (event) => { bench.events[event.key] = event.timeStamp; }, true);
const once = (is, name) => requestAnimationFrame(function look() {
  if (!is()) return requestAnimationFrame(look);
  const channel = new MessageChannel();
  channel.port1.onmessage = () => { bench[name] = performance.now(); };
  channel.port2.postMessage(null);
});
once(() => bench.isShown(), "shownAt");
once(() => document.querySelector(".first-text p, .file-text") ?? bench.panel()?.querySelector(".segment-text"), "readAt");
"""


def executable() -> str | None:
    """The browser named by CHROMIUM, else Debian's; None leaves the choice to Playwright."""
    named = os.environ.get("CHROMIUM")
    debian = ("chromium", "chromium-browser", "chromium-headless-shell")
    places = [named] if named else [f"/usr/bin/{name}" for name in debian]
    return next((place for place in places if Path(place).exists()), None)


@contextmanager
def browser_context() -> Iterator["BrowserContext"]:
    """A person's browser: one profile, which keeps cookies and files between the pages of the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=_ARGUMENTS)
        yield _empty_profile(browser)
        browser.close()


def unvisited(context: "BrowserContext") -> "BrowserContext":
    """A browser of the same person that has never seen any page: it has their cookies and no file."""
    other = _empty_profile(context.browser)
    other.add_cookies(context.cookies())  # type: ignore[arg-type]
    return other


def _empty_profile(browser: Any) -> "BrowserContext":
    context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(30_000)
    context.add_init_script(_PROBE)
    return context


@dataclass(frozen=True)
class Opened:
    """When the first frame with the text had been made: milliseconds after the address was asked for, and by the clock."""

    milliseconds: float
    clock: float


def open_until_shown(page: "Page", address: str) -> Opened:
    """Open an address and wait for its text (or its heading, where there is no panel)."""
    page.goto(address, wait_until="commit")
    page.wait_for_function("bench.shownAt")
    shown, origin = page.evaluate("[bench.shownAt, performance.timeOrigin]")
    return Opened(shown, (origin + shown) / 1000)


def count(page: "Page", mark: str) -> int:
    """How often the panel has set a performance mark."""
    return int(page.evaluate("name => performance.getEntriesByName(name).length", f"annotator:{mark}"))


def mark_time(page: "Page", mark: str, n: int) -> float:
    """The time of the n-th mark of a name, in milliseconds on the page's clock; waits until it is there."""
    given: Any = [f"annotator:{mark}", n]
    page.wait_for_function("([name, n]) => performance.getEntriesByName(name).length >= n", arg=given)
    return float(page.evaluate("([name, n]) => performance.getEntriesByName(name)[n - 1].startTime", given))


def event_time(page: "Page", what: str) -> float:
    """The time stamp of the last event: "pointerup", or the name of a key."""
    return float(page.evaluate("what => bench.events[what]", what))
