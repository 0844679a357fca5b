"""What a person does on the real screens, in words; and the browsers that they use."""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from annotator.store import open_store
from benchmarks.served import Server
from tests.browser.conftest import PATIENCE_MS

_PHRASE_BOXES = """
([phrase, nth]) => {
  const host = [...document.querySelectorAll('*')].find((element) => element.shadowRoot?.querySelector('.segment-text'));
  for (const segment of host.shadowRoot.querySelectorAll('.segment-text')) {
    const walker = document.createTreeWalker(segment, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let at = node.data.indexOf(phrase); at >= 0; at = node.data.indexOf(phrase, at + 1)) {
        if (nth-- > 0) continue;
        const range = document.createRange();
        const middle = (start) => {
          range.setStart(node, start); range.setEnd(node, start + 1);
          const box = range.getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2];
        };
        const y = middle(at)[1];
        const scroller = host.closest('.annotator-early, [data-testid=stMain]');
        if (y < 260 || y > innerHeight - 80) scroller.scrollTop += y - innerHeight / 2;
        return [...middle(at), ...middle(at + phrase.length - 1)];
      }
    }
  }
  return null;
}
"""


# Where each part of the Project page stands, and what it is called there.
_SOON_MS = 10_000  # until then a part of the page comes even beside other work
_PLACES = {
    "Progress": ("Overview", "Progress"),
    "Decisions": ("Overview", "Decisions"),
    "Import": ("Data", "Import"),
    "Instances": ("Data", "Texts"),
    "Export": ("Data", "Export"),
    "Releases": ("Data", "Releases"),
    "Rules": ("Task", "Rules"),
    "Guidelines": ("Task", "Guidelines"),
    "Quality": ("Quality", "Agreement"),
    "Rounds": ("Quality", "Rounds"),
    "Training": ("Quality", "Training"),
    "Previews": ("Models", None),
    "Order": ("Task", "Order"),
}


class Person:
    """Somebody at a browser, in the demonstration."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.address = server.address
        self.database = server.database
        self.foreign: list[str] = []
        self.is_changed = False
        self._heard: list[tuple[Any, Callable[[Any], None]]] = []
        page.set_default_timeout(PATIENCE_MS)
        self.hear("request", self._note_request)

    def hear(self, event: Any, handle: Callable[[Any], None]) -> None:
        """Note events of the tab, until the story ends."""
        self.page.on(event, handle)
        self._heard.append((event, handle))

    def hear_no_more(self) -> None:
        for event, handle in self._heard:
            self.page.remove_listener(event, handle)
        self._heard.clear()

    def change_browser(self, script: str) -> "Person":
        """What runs in each page before its own scripts. A browser that was changed so is closed after the story."""
        self.page.add_init_script(script)
        self.is_changed = True
        return self

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, self.address.replace("http", "ws"), "data:", "blob:", "about:")):
            self.foreign.append(request.url)

    def sign_in(self, name: str) -> "Person":
        self.page.goto(f"{self.address}/sign-in")
        self.page.get_by_role("button", name=name).click()
        return self

    def come_in(self, name: str) -> "Person":
        """Signed in as the form does it, without a page that nobody looks at."""
        form = {"name": name}
        answer = self.page.context.request.post(
            f"{self.address}/sign-in", form=form, headers={"Origin": self.address}, max_redirects=0
        )
        assert answer.status == 303, answer.text()
        return self

    def open(self, path: str) -> "Person":
        self.page.goto(f"{self.address}{path}")
        return self

    def annotate(self, project: int, key: str | None = None) -> "Person":
        """Open Annotate, at an instance if one is named."""
        instance = "" if key is None else f"&instance={self.instance_id(key)}"
        self.open(f"/annotate?project={project}{instance}")
        self.wait_for_text()
        return self

    def instance_id(self, key: str) -> int:
        """The number of an instance, as a deep link names it."""
        with open_store(self.database) as store:
            return int(store.value("SELECT id FROM instances WHERE key = ?", (key,)))

    def wait_for_text(self) -> None:
        self.page.locator(".segment-text").first.wait_for()

    @property
    def key(self) -> str:
        """The key of the instance on screen."""
        return self.page.locator(".instance-key").first.inner_text().split(" · ")[0].strip()

    def mark(self, phrase: str, nth: int = 0) -> None:
        """Drag over a phrase of the text."""
        boxes = self.page.evaluate(_PHRASE_BOXES, [phrase, nth])
        assert boxes is not None, f"'{phrase}' is not on the screen"
        x, y, to_x, to_y = boxes
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=3)
        self.page.mouse.move(to_x, to_y, steps=3)
        self.page.mouse.up()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def saved(self) -> None:
        """Wait until the server has acknowledged everything."""
        self.page.wait_for_function("!Object.keys(localStorage).some((key) => key.includes('annotator:draft:'))")

    def submit(self) -> None:
        """Ctrl+Enter, and wait for another instance (or none)."""
        before = self.key
        self.press("Control+Enter")
        self.page.wait_for_function(
            """(before) => { const host = [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.instance-key'));
            return host && host.shadowRoot.querySelector('.instance-key').textContent.split(' · ')[0] !== before; }""",
            arg=before,
        )
        self.saved()

    def submit_review(self) -> None:
        "Ctrl+Enter on the review screen, and wait until the server has it and differs (or none) is shown."
        with self.page.expect_response(lambda response: response.url.endswith("/api/review/submit")) as answer:
            self.press("Control+Enter")
        assert answer.value.status == 200, answer.value.text()
        # The button is disabled from the key press until the next review is on the screen.
        self.page.wait_for_function(
            """() => { const host = [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.instance-key'));
            const submit = host?.shadowRoot.querySelector('.bar .ways .primary');
            return !submit?.checkVisibility() || !submit.disabled; }"""
        )

    def section(self, name: str) -> "Person":
        """A part of the Project page, in the section that holds it; or a section of another page."""
        section, part = _PLACES.get(name, (name, None))
        for _try in range(PATIENCE_MS // _SOON_MS):
            self._press(0, section)
            if part is None:
                return self
            try:
                self._press(1, part, _SOON_MS)
            except PlaywrightTimeout:  # the page that a link left was still there, and the section was pressed on it
                continue
            return self
        raise AssertionError(f"{section} has no part {part}")

    def unfold(self, name: str) -> None:
        """What stands under such a head."""
        unfold(self.page, name)

    def settles(self) -> None:
        """Until no script of the page runs any more."""
        settles(self.page)

    def _press(self, row: int, name: str, timeout: float | None = None) -> None:
        buttons = self.page.get_by_test_id("stButtonGroup").nth(row)
        buttons.get_by_role("radio", name=name).or_(buttons.get_by_role("button", name=name)).first.click(
            timeout=timeout
        )

    def sees(self, text: str) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()


def settles(page: Page) -> None:
    """Until no script of the page runs any more."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def choose(box: Locator, option: str) -> None:
    """Take an option by typing it, again while the menu closes: it does so when a page that is still drawn scrolls."""
    for _ in range(40):
        box.fill(option)
        box.press("ArrowDown")
        if box.get_attribute("aria-activedescendant"):
            box.press("Enter")
        box.blur()  # what is only typed goes when the box is left
        box.page.wait_for_timeout(250)
        if box.input_value() == option:
            return
    raise AssertionError(f"The menu gave no option '{option}' in ten seconds.")


def take(box: Locator, *options: str, exact: bool = False) -> None:
    """Take options of a menu by pressing them, opened again where it closed: it does so while the page under it moves."""
    for name in options:
        option = box.page.get_by_role("option", name=name, exact=exact).first
        for _ in range(20):
            if not option.is_visible():
                box.click()
            try:
                option.click(timeout=1_500)
                break
            except PlaywrightTimeout:
                continue
        else:
            raise AssertionError(f"The menu gave no option '{name}' in twenty tries.")


def unfold(page: Page, name: str | re.Pattern[str]) -> None:
    """What stands under such a head; pressed again where a page that is still drawn folds it once more."""
    fold = page.locator("details").filter(has=page.locator("summary").get_by_text(name, exact=True)).last
    for _ in range(20):
        if fold.get_attribute("open") is None:
            fold.locator("summary").first.click()
        settles(page)
        if fold.get_attribute("open") is not None:
            return
    raise AssertionError(f"'{name}' did not stay open.")


# The browsers. A story leaves its own empty behind: a tab that knows the program shows it for half the processor's time.

_N_FREE = 4  # of a language: what more a story needs is closed after it

_EMPTY = "() => { localStorage.clear(); sessionStorage.clear(); }"


class Browsers:
    """Those that no story uses now, by language; each with a single tab, without cookies and without anything stored."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.free: dict[str, list[BrowserContext]] = defaultdict(list)

    def take(self, *, width: int, height: int, dark: bool, locale: str) -> Page:
        """A tab of such a browser."""
        free = self.free[locale]
        context = free.pop() if free else self.browser.new_context(locale=locale, accept_downloads=True)
        page = context.pages[0] if context.pages else context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        page.mouse.move(-1, -1)
        return page

    def give_back(self, people: list[Person], locale: str) -> None:
        """Empty the browsers of these people, or close them; who came first has the first of the next story."""
        for somebody in reversed(people):
            context = somebody.page.context
            if len(self.free[locale]) < _N_FREE and _is_emptied(somebody):
                self.free[locale].append(context)
            else:
                context.close()


def _is_emptied(somebody: Person) -> bool:
    """Whether the browser is as new now: not if its tab or its server is gone, or if a story changed what all pages do."""
    page, context = somebody.page, somebody.page.context
    if somebody.is_changed or page.is_closed():
        return False
    try:
        for other in context.pages:
            if other is not page:
                other.close()
        somebody.hear_no_more()
        page.unroute_all()
        page.goto(f"{somebody.address}/health")  # what a page that one leaves stores last is stored now
        page.evaluate(_EMPTY)
        page.goto("about:blank")
        context.clear_cookies()
        context.clear_permissions()
    except Error:
        return False
    return True
