"""One Chromium for all browser tests of a worker; where none can be had the tests are skipped, loudly."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect, sync_playwright

from tests.browser.panel.harness import Fake, PanelPage, PanelServer
from tests.browser.panel.review_harness import ReviewPage
from tests.browser.panel.saliency_harness import SaliencyPage

P = TypeVar("P", bound=PanelPage)

# How long something that must come may take. It costs time only where a test fails: a busy machine is not a defect.
PATIENCE_MS = 90_000
expect.set_options(timeout=PATIENCE_MS)

# Debian's, by preference the one without a window around its pages, which needs about half the processor's time.
INSTALLED = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser")

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page lives for seconds: what is compiled once more to run faster, and collected early, costs more than it gains.
    "--js-flags=--no-opt --no-maglev --min-semi-space-size=32",
]


def _give_up(reason: str) -> None:
    """Skip, or fail where browser tests are required (`.ci/run` requires them)."""
    sentence = f"NO BROWSER, so nothing of the screens was tested: {reason}"
    if os.environ.get("ANNOTATOR_REQUIRE_BROWSER") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


def _executable() -> str | None:
    """The browser named by CHROMIUM, else Debian's; None leaves the choice to Playwright's own download."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    return next((path for path in INSTALLED if Path(path).exists()), None)


def _launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=_executable(), args=ARGUMENTS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            launched = _launch(playwright)
        except Error as error:
            _give_up(
                f"{error.message.splitlines()[0]} (set CHROMIUM, install Debian's chromium, or run "
                "`playwright install chromium`)"
            )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def panel_tab(browser: Browser) -> Iterator[Page]:
    """One tab for the tests of the panel alone: each has a server on a port, so an origin and a storage, of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    yield context.new_page()
    context.close()


@contextmanager
def opening(tab: Page, kind: type[P]) -> Iterator[Callable[..., P]]:
    """What opens a component alone on a fake server, in a tab of its own if a server is given; errors fail the test."""
    closing: list[Callable[[], object]] = []
    troubles: list[str] = []

    def note(error: Error) -> None:
        troubles.append(str(error))

    def open_page(fake: Fake, *, server: PanelServer | None = None) -> P:
        page = tab.context.new_page() if server else tab
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", note)
        opened = kind(page, fake, server or PanelServer(fake))
        closing.append(page.close if server else opened.server.close)
        opened.open()
        return opened

    yield open_page
    tab.goto("about:blank")
    tab.remove_listener("pageerror", note)
    for close in closing:
        close()
    assert not troubles


@pytest.fixture
def panel(panel_tab: Page) -> Iterator[Callable[..., PanelPage]]:
    """Opens the token panel alone."""
    with opening(panel_tab, PanelPage) as open_page:
        yield open_page


@pytest.fixture
def review(panel_tab: Page) -> Iterator[Callable[..., ReviewPage]]:
    """Opens the review screen alone."""
    with opening(panel_tab, ReviewPage) as open_page:
        yield open_page


@pytest.fixture
def saliency(panel_tab: Page) -> Iterator[Callable[..., SaliencyPage]]:
    """Opens the Saliency screen alone."""
    with opening(panel_tab, SaliencyPage) as open_page:
        yield open_page


@pytest.fixture
def panel_in(browser: Browser) -> Iterator[Callable[..., PanelPage]]:
    """Opens the token panel alone in a browser of another kind: `panel_in(fake, has_touch=True, viewport=...)`."""
    with ExitStack() as open_now:

        def open_page(fake: Fake, **kind: Any) -> PanelPage:
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **kind})
            open_now.callback(context.close)
            return open_now.enter_context(opening(context.new_page(), PanelPage))(fake)

        yield open_page
