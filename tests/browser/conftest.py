"""One Chromium for all browser tests of a worker; where none can be had the tests are skipped, loudly."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

from tests.browser.panel.harness import Fake, PanelPage, PanelServer

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
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
    return next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None)


def _launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=_executable(), args=ARGUMENTS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            launched = _launch(playwright)
        except Error as error:
            _give_up(f"{error.message.splitlines()[0]} (set CHROMIUM, install Debian's chromium, or run "
                     "`playwright install chromium`)")
        yield launched
        launched.close()


@pytest.fixture
def panel(browser: Browser) -> Iterator[Callable[..., PanelPage]]:
    """Opens the token panel alone on a fake server; an error or a warning of the page fails the test."""
    closing: list[Callable[[], object]] = []
    troubles: list[str] = []

    def open_panel(fake: Fake, *, width: int = 1280, height: int = 720, server: PanelServer | None = None) -> PanelPage:
        running = server or PanelServer(fake)
        context = browser.new_context(viewport={"width": width, "height": height})
        closing.extend([context.close] if server else [context.close, running.close])
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        opened = PanelPage(page, fake)
        opened.server = running
        return opened.open(running)

    yield open_panel
    for close in closing:
        close()
    assert not troubles
