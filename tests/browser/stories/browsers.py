"""The browsers of the stories. A story leaves its own empty behind: a tab that knows the program shows it in half the time."""

from collections import defaultdict

from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.browser.stories.story import Person

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
        page.emulate_media(color_scheme="dark" if dark else "light")
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
