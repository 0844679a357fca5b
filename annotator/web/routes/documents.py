"""GET /, /annotate, /project ...: Streamlit's own document, with what a page shows until Streamlit has drawn it.

A page at /annotate first asks /annotate/_stcore/health, is refused, waits an eighth of a second, and asks again at the root.
And on the page with the panel the modules are found, and the first text is asked for, one after the other, when everything
else is there. The document names the server, reads the modules with Streamlit's own, and asks for the text at once; the panel
shows it where it stood the last time (panel/annotate/early.js), and Streamlit's component takes it over.
"""

import json
import re
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from annotator.errors import NotSignedIn
from annotator.language import Language, _, spoken_language
from annotator.usecases.access.accounts import Session
from annotator.web.addresses import at, path_prefix
from annotator.web.navigation import PAGES
from annotator.web.routes.access import is_from_elsewhere, session_of_request
from annotator.web.routes.first_text import ZONE, first_text, only_looks_in
from annotator.web.routes.static import panel_address, panel_modules, streamlit_files

# Below this width the sidebar is closed until somebody opens it: the text needs the room. As in panel/page/page.css.
NARROW = 1000
_STYLES = Path(__file__).parents[1] / "panel" / "page"
_STYLE = (_STYLES / "page.css").read_text(encoding="utf-8")
_FIRST_STYLE = (_STYLES / "first_text.css").read_text(encoding="utf-8")

# Streamlit remembers by itself whether its sidebar is open, in one place for windows of any width. Here each kind has its own.
SIDEBAR = f"""<script>
{{
  const place = "stSidebarCollapsed-", own = "annotator:sidebar";
  const choose = () => {{
    try {{
      const kind = innerWidth <= {NARROW} ? "narrow" : "wide";
      const kept = {{ kind: "wide", narrow: "true", ...JSON.parse(localStorage.getItem(own)) }};
      if (kept.kind === kind) return;
      kept[kept.kind] = localStorage.getItem(place);
      if (kept[kind]) localStorage.setItem(place, kept[kind]);
      else localStorage.removeItem(place);
      localStorage.setItem(own, JSON.stringify({{ ...kept, kind }}));
    }} catch {{}}
  }};
  choose();
  addEventListener("resize", choose);
}}
</script>
"""

_FRAME = """<div class="begin begin-main" aria-hidden="true"><div></div></div>
<div class="begin begin-side" aria-hidden="true"></div>
<script>
{
  const PATIENCE_MS = 15000;
  const gone = { side: "[data-testid=stSidebar]", main: "DRAWN" };
  const look = () => {
    for (const [part, sign] of Object.entries(gone)) {
      if (!document.querySelector(sign)) continue;
      for (const old of document.querySelectorAll(`.begin-${part}, .first-text.${part}`)) old.remove();
    }
    if (!document.querySelector(".begin")) watcher.disconnect();
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.getElementById("root"), { childList: true, subtree: true });
  setTimeout(() => { for (const part of document.querySelectorAll(".begin")) part.remove(); }, PATIENCE_MS);
}
</script>
"""
_MAIN = "[data-testid=stMain] [data-testid"
# An alert in the place of the screen, and not one that stands above or below it.
_SAID = f"{_MAIN}=stAlert]:not([data-testid=stExpander] *, .st-key-above_maps *), {_MAIN}=stException]"


def frame(*, has_panel: bool) -> str:
    """The page's frame. has_panel: its own screen says when there is something to see, unless a sentence stands there instead."""
    return _FRAME.replace("DRAWN", _SAID if has_panel else f"{_MAIN}=stElementContainer]")


_FONT = re.compile(r'href="(\./static/media/[^"]+\.woff2)"')
_ENTRIES = {"annotate": "annotate/main.js", "review": "review/main.js", "saliency": "saliency/main.js"}
_KEYS = "page/keys.js"  # on every page
_FIRST_ASKED = frozenset({"annotate"})

# The two settings are all that Streamlit's browser part has to know before it connects; with them it need not ask first.
_SERVER = """<script>
window.annotatorPrefix = "PREFIX";
document.cookie = `ZONE=${new Date().getTimezoneOffset()}; path=PREFIX/; max-age=31536000; SameSite=Lax`;
window.__streamlit = {
  BACKEND_BASE_URL: location.origin + "PREFIX/",
  HOST_CONFIG: { allowedOrigins: [location.origin], useExternalAuthToken: false },
};
</script>
"""
# A web socket of somebody who is not signed in is refused, and Streamlit would try again for ever. So the page is asked for anew:
# whom it would lead to the sign-in page is led there. While the server is away nothing is answered, and nothing happens. Where
# the page is answered and its web sockets are not, a proxy drops these, and without a sentence the page would stay empty. One may
# be refused while a server starts, two in a row are not.
_NO_SOCKET = """<script>
{
let refused = 0;
const notice = document.createElement("p");
Object.assign(notice, { className: "no-socket", role: "alert", textContent: BLOCKED });
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    let wasOpen = false;
    this.addEventListener("open", () => { wasOpen = true; refused = 0; notice.remove(); });
    const count = async () => {
      const asked = { method: "HEAD", headers: { Accept: "text/html" }, redirect: "manual" };
      const answer = await fetch(location.href, asked).catch(() => null);
      if (answer?.type === "opaqueredirect") location.href = window.annotatorPlace?.() ?? location.href;
      else if (answer?.ok && !wasOpen && ++refused >= 2) document.body.append(notice);
    };
    this.addEventListener("close", () => wasOpen || count());
    setTimeout(() => this.readyState || count(), 5000);  // a proxy may keep it waiting
  }
};
}
</script>
"""
# panel/annotate/early.js says what becomes of the text. What this browser could not send yet goes first: then nothing is asked
# early. And what the page before this one could still send while this document was on its way came after what stands in it.
_FIRST_TEXT = """<script>
try {
  const me = WHO_IS_SIGNED_IN;
  const writer = (key) => JSON.parse(localStorage[key]).user ?? me.user;
  const isMine = (key) => key.startsWith(PREFIX + "annotator:draft:") && writer(key) === me.user;
  const asked = new URLSearchParams(location.search), query = new URLSearchParams();
  for (const name of ["project", "instance"]) if (asked.get(name)) query.set(name, asked.get(name));
  query.set("day", new Date(new Date().setHours(0, 0, 0, 0)).toISOString());
  const read = async (response) => ({ status: response.status, body: await response.json() });
  const isKept = Object.keys(localStorage).some(isMine);
  const letGo = JSON.parse(localStorage[PREFIX + "annotator:let-go"] ?? null);
  const isOld = letGo !== null && Date.now() - letGo < performance.now() + 250;
  if (isKept || isOld) document.querySelector(".first-text")?.remove();
  if (asked.get("project") && !isKept) {
    const url = PREFIX + "/api/panel/next?" + query;
    const whole = (name) => asked.get(name) ? Number(asked.get(name)) : null;
    const first = FIRST_ANSWER;
    window.annotatorEarly = {
      url,
      answer: first && !isOld
        ? Promise.resolve({ status: 200, body: first })
        : fetch(url).then((response) => response.ok ? read(response) : null).catch(() => null),
      data: {
        mode: "mark", project: whole("project"), start: whole("instance"), routes: "/api/panel",
        work: null, ...me,
      },
    };
  }
} catch {}
</script>
"""
_WHO = "WHO_IS_SIGNED_IN"
_ANSWER = "FIRST_ANSWER"
# What Streamlit's document asks for: its modules and its style sheet, which keeps everything from being shown until it is there.
_FILES = re.compile(r'<(?:link rel="(?:modulepreload|stylesheet)"[^>]*>|script type="module"[^>]*></script>)\n?')
# All files come behind the frame that shows the first text, the words of the language before any that speaks. (In a tab behind
# others there are no frames.)
_AFTER_TEXT = """<template id="files">FILES</template>
<script>
{
  const go = () => {
    const files = document.getElementById("files");
    if (!files) return;
    files.remove();
    const words = files.content.querySelector("script[src]:not([type])");
    const others = () => document.head.append(files.content);
    if (!words) return others();
    words.onload = words.onerror = others;
    document.head.append(words);
  };
  requestAnimationFrame(() => setTimeout(go));
  setTimeout(go, 150);
}
</script>
"""


@cache
def _document(page: str, *, asks_first: bool = True, has_text: bool = False, language: Language = "en") -> str:
    """has_text: the first text stands in it, and its files come after that."""
    static = streamlit_files()
    index = (static / "index.html").read_text(encoding="utf-8")
    first = _FIRST_TEXT.replace("PREFIX", json.dumps(path_prefix())) if asks_first and page in _FIRST_ASKED else ""
    first += _SERVER.replace("PREFIX", path_prefix()).replace("ZONE", ZONE) + _no_socket() + SIDEBAR
    style = f"<style>\n{_STYLE}</style>\n<noscript><style>.begin {{ display: none }}</style></noscript>\n"
    files = "" if language == "en" else f'<script src="{panel_address(f"words/{language}.js")}"></script>\n'
    if page in _ENTRIES:
        modules = panel_modules(_ENTRIES[page])
        # What shows a component is Streamlit's own; that it is not found under this name costs only its early reading.
        shows = [at(f"/static/js/{path.name}") for path in static.glob("static/js/BidiComponent.*.js")]
        files += "".join(f'<link rel="modulepreload" href="{module}">\n' for module in [*modules, *shows])
        if page in _FIRST_ASKED and asks_first:
            files += f'<script type="module" src="{modules[0]}"></script>\n'
    files += f'<script type="module" src="{panel_modules(_KEYS)[0]}"></script>\n'
    title = next((_(entry.title) for entry in PAGES if entry.path == page), "Annotator")
    index = index.replace('<html lang="en">', f'<html lang="{language}">', 1)
    index = index.replace("<title>Streamlit</title>", f"<title>{title}</title>", 1)
    last = frame(has_panel=page in _ENTRIES)
    if has_text:
        font = _FONT.search(index)
        style += f"<style>\n{_FIRST_STYLE.replace('FONT', '' if font is None else font[1])}</style>\n"
        last += _AFTER_TEXT.replace("FILES", first + files + "".join(_FILES.findall(index)))
        index = _FILES.sub("", index)
        first = ""
    else:
        # Streamlit's come behind ours and the first text: six files are read at a time.
        index = index.replace('rel="modulepreload"', 'rel="modulepreload" fetchpriority="low"')
        style += files
    return index.replace("<head>", f"<head>{first}{style}", 1).replace("</body>", f"{last}</body>", 1)


def _no_socket() -> str:
    words = _("This page can't connect. Let the proxy pass web sockets (docs/deploy.md).")
    return _NO_SOCKET.replace("BLOCKED", json.dumps(words))


def document(request: Request) -> Response:
    """The document of a page; the page's script decides what it shows, and to whom.

    Asking for the first text takes it: to whom another site's page sent here it is given when the page itself is there.
    """
    name = request.url.path.strip("/")
    asks_first = name in _FIRST_ASKED and not is_from_elsewhere(request)
    session = session_of_request(request) if asks_first else _session(request)
    first = None
    if session is not None and only_looks_in(request, name, session):
        asks_first = False
    elif session is not None and not is_from_elsewhere(request):
        first = first_text(request, name, session)
    page = _document(name, asks_first=asks_first, has_text=first is not None, language=spoken_language())
    if session is not None and _WHO in page:
        page = page.replace(_WHO, json.dumps({"user": session.user.id, "csrf": session.csrf}), 1)
        page = page.replace(_ANSWER, "null" if first is None else first.answer, 1)
    if first is not None:  # last: a text may say what stands above
        page = page.replace("<body>", f"<body>{first.html}", 1)
    return HTMLResponse(page, headers={"Cache-Control": "private, no-cache"})


def _session(request: Request) -> Session | None:
    """Who asks, where that is known: whoever is not signed in was sent to the sign-in page, unless no page was asked for."""
    try:
        return session_of_request(request)
    except NotSignedIn:
        return None


routes = [Route(path, document) for path in ("/", *(f"/{page.path}" for page in PAGES))]
