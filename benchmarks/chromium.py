"""A headless Chromium for what is measured inside a page, and what is asked of the page there.

Nothing is timed from Python: the page notes the event's own time stamp and the moment at which the frame that shows the
change has been made, both on the page's clock.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

# `shown()` is asked in every frame; once it holds, the frame after it (its drawing is then done) is when it was seen.
_PROBE = """
window.bench = {
  events: {},
  panel() {
    for (const host of document.querySelectorAll("[data-testid='stBidiComponentRegular'], [class*='st-key-'], .stBidiComponent *"))
      if (host.shadowRoot?.querySelector(".panel")) return host.shadowRoot.querySelector(".panel");
    return null;
  },
  seenAt: null,
  watch(shown) {
    bench.seenAt = null;
    const look = () => {
      if (!shown()) return requestAnimationFrame(look);
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { bench.seenAt = performance.now(); };
      requestAnimationFrame(() => channel.port2.postMessage(null));
    };
    requestAnimationFrame(look);
  },
};
for (const kind of ["keydown", "pointerup", "mouseup"])
  addEventListener(kind, (event) => { bench.events[kind] = event.timeStamp; }, true);
"""


def executable() -> str | None:
    """The browser named by CHROMIUM, else Debian's; None leaves the choice to Playwright."""
    named = os.environ.get("CHROMIUM")
    places = [named] if named else ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    return next((place for place in places if Path(place).exists()), None)


@contextmanager
def browser_context() -> Iterator["BrowserContext"]:
    """A person's browser: one profile, which keeps cookies and files between the pages of the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=_ARGUMENTS)
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        context.set_default_timeout(30_000)
        context.add_init_script(_PROBE)
        yield context
        browser.close()


def count(page: "Page", mark: str) -> int:
    """How often the panel has set a performance mark."""
    return int(page.evaluate("name => performance.getEntriesByName(name).length", f"annotator:{mark}"))


def wait_for_mark(page: "Page", mark: str, n: int) -> float:
    """The time of the n-th mark of a name, on the page's clock, in milliseconds; waits until it is there."""
    given: Any = [f"annotator:{mark}", n]
    page.wait_for_function("([name, n]) => performance.getEntriesByName(name).length >= n", arg=given)
    return float(page.evaluate("([name, n]) => performance.getEntriesByName(name)[n - 1].startTime", given))


def event_time(page: "Page", kind: str) -> float:
    """The time stamp of the last event of a kind, on the page's clock, in milliseconds."""
    return float(page.evaluate("kind => bench.events[kind]", kind))
