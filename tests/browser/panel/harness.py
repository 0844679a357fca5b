"""A page that mounts the token panel alone, and a server that answers it as docs/panel.md says.

The server is a stand-in with switches: it can be slow, refuse with any status, or break connections.
Run it by hand to look at the panel: `python -m tests.browser.panel.harness` prints an address for each sample.
"""

import json
import socket
import threading
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import Locator, Page

PANEL = Path(__file__).parents[3] / "annotator" / "web" / "panel"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}

LIGHT = {
    "--st-text-color": "#1f2430",
    "--st-background-color": "#ffffff",
    "--st-secondary-background-color": "#f3f5f8",
    "--st-primary-color": "#1a5fe0",
    "--st-base-radius": "0.5rem",
    "--st-font": '"Source Sans", sans-serif',
}
DARK = {
    **LIGHT,
    "--st-text-color": "#e8eaf0",
    "--st-background-color": "#0e1117",
    "--st-secondary-background-color": "#1a1d27",
}

PAGE = """<!doctype html><meta charset="utf-8"><title>token panel</title>
<style>
  html, body { margin: 0; height: 100%; overflow: hidden; background: var(--st-background-color); }
  #page { display: flex; height: 100vh; }
  #side { width: 240px; flex: none; background: var(--st-secondary-background-color); }
  #scroller { flex: 1; overflow: auto; min-width: 0; }
  #block { padding: 24px 40px 80px; }
</style>
<div id="page"><div id="side"></div><div id="scroller"><div id="block"><div id="host"></div></div></div></div>
<script type="module">
  const query = new URLSearchParams(location.search);
  const themes = __THEMES__;
  for (const [name, value] of Object.entries(themes[query.get("theme") || "light"])) {
    document.documentElement.style.setProperty(name, value);
  }
  window.panelAt = "__PANEL__";
  const [module, css, data] = await Promise.all([
    import(`${panelAt}/__ENTRY__`), Promise.all(__SHEETS__.map((name) => fetch(`${panelAt}/${name}`).then((r) => r.text()))),
    fetch("/mount").then((r) => r.json())]);
  const host = document.getElementById("host");
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css.join("");
  root.append(style);
  window.triggers = [];
  window.mounted = [];
  window.mountData = data;
  window.mount = (changes = {}) => {
    const cleanup = module.default({
      data: { ...data, ...changes }, parentElement: root,
      setTriggerValue: (name, value) => window.triggers.push([name, value]),
    });
    window.mounted.push(cleanup);
  };
  document.addEventListener("keydown", (event) => (window.leaked ??= []).push(event.key));
  window.mount();
  window.shadow = root;
</script>"""


def work(assignment: int, instance: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A work object as the server would give it, open and without marks."""
    return {
        "assignment": assignment,
        "revision": 1,
        "round": 1,
        "state": "open",
        "lease_until": "2030-01-01T00:00:00Z",
        "instance": {"id": assignment + 100, "split": "train", "target": None, **instance},
        "result": {"kind": "label", "given": "positive"},
        "draft": {"result": None, "sets": [], "note": "", "no_rationale": False},
        "locked_sets": [],
        "feedback": None,
        **changes,
    }


def project(**changes: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "name": "Sentiment",
        "question": "Which tokens support “{result}”? Each set must suffice alone, without unneeded words.",
        "labels": ["negative", "positive"],
        "result_kind": "label",
        "result_mode": "confirm",
        "may_be_empty": True,
        "sets_may_cross_segments": True,
        "required_segments": {},
        "forbidden_segments": {},
        "discard_reasons": {
            reason: reason for reason in ("offensive", "names a person", "broken text", "wrong language", "other")
        },
        "idle_after_s": 60,
        "asks_model": False,
        **changes,
    }


@dataclass
class Fake:
    """The server's memory and its switches."""

    entry: ClassVar[str] = "annotate/main.js"
    sheets: ClassVar[tuple[str, ...]] = ("shared/panel.css",)

    works: list[dict[str, Any]]
    project: dict[str, Any] = field(default_factory=project)
    start: int | None = None
    user: int = 1
    guidelines: dict[str, Any] | None = None
    read: dict[str, Any] | None = None
    held: dict[str, threading.Event] = field(default_factory=dict)
    refuse: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    broken: bool = False
    lose_answers: bool = False
    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)
    arrived: threading.Condition = field(init=False)
    threads: list[dict[str, Any]] = field(default_factory=list)
    page_size: int = 20
    elsewhere: list[tuple[int, str]] = field(default_factory=list)
    proposed: dict[int, dict[str, Any]] = field(default_factory=dict)
    original: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrived = threading.Condition(self.lock)

    def hold(self, route: str) -> threading.Event:
        """Answer a route only once the event that this gives is set."""
        self.held[route] = threading.Event()
        return self.held[route]

    def wait_for_revision(self, assignment: int, revision: int) -> None:
        """Until a draft has made this revision; one that is sent ahead of another may arrive first and is refused."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.find(assignment)["revision"] >= revision, 90), "no draft was kept"

    def wait_for_messages(self, route: str, n: int) -> None:
        """Until so many have arrived, refused ones too."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: [name for name, _ in self.messages].count(route) >= n, 90), (
                "too few came"
            )

    def wait_for_state(self, assignment: int, state: str) -> None:
        """Until it is in this state: the panel goes on to the next text before a leaving one has arrived."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.find(assignment)["state"] == state, 90), f"never {state}"

    def find(self, assignment: int) -> dict[str, Any]:
        return next(work for work in self.works if work["assignment"] == assignment)

    def named(self, route: str) -> list[dict[str, Any]]:
        with self.lock:
            return [body for name, body in self.messages if name == route]

    def _open(self, *without: int | None) -> dict[str, Any] | None:
        free = (w for w in self.works if w["state"] in ("open", "returned") and w["assignment"] not in without)
        return next(free, None)

    @property
    def counts(self) -> dict[str, int]:
        states = [work["state"] for work in self.works]
        return {
            "today": states.count("submitted"),
            "returned": states.count("returned"),
            "open": states.count("open"),
            "waiting": 0,
            "submitted": states.count("submitted"),
            "skipped": states.count("skipped"),
        }

    def next(self, instance: int | None) -> dict[str, Any]:
        asked = next((w for w in self.works if w["instance"]["id"] == instance), None)
        shown = asked or self._open()
        ahead = self._open(shown["assignment"]) if shown else None
        empty = None if shown else "Nothing is left to annotate here. Look at your finished work, or ask the lead."
        counts = {"counts": self.counts, "empty": empty, "elsewhere": self.elsewhere}
        return {"work": shown, "ahead": ahead, "project": self.project, **counts}

    def mine(self, asked: dict[str, Any]) -> dict[str, Any]:
        rows = [
            {
                "assignment": w["assignment"],
                "instance": w["instance"]["id"],
                "key": w["instance"]["key"],
                "excerpt": w["instance"]["segments"][0]["text"][:90],
                "state": w["state"],
                "result": w["draft"]["result"] or w["result"]["given"],
                "sets": len(w["draft"]["sets"]),
                "at": "2026-01-31T10:20:00Z",
                "may_reopen": w["state"] == "submitted" and not w.get("outcome"),
                "lines": w.get("outcome", {}).get("lines", []),
            }
            for w in self.works
            if w["state"] in {"submitted", "discarded", "skipped"}
        ]
        words, state = asked.get("words", "").lower(), asked.get("state", "")
        rows = [r for r in rows if words in r["excerpt"].lower() and state in {"", r["state"]}]
        page, size = int(asked["page"]), self.page_size
        return {"rows": rows[size * (page - 1) : size * page], "total": len(rows), "page": page, "page_size": size}

    def mount(self) -> dict[str, Any]:
        """What the page's script gives the panel."""
        mode = "read" if self.read else "mark"
        return {
            "mode": mode,
            "project": 1,
            "user": self.user,
            "start": self.start,
            "csrf": "token",
            "routes": "/api/panel",
            "work": self.read,
            "guidelines": self.guidelines,
        }

    def instances(self) -> dict[str, dict[str, Any]]:
        works = [*self.works, *([self.read] if self.read else [])]
        return {work["instance"]["key"]: work["instance"] for work in works}

    def answer(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if route == "next":
            refused = self.refuse.get("next")
            return (
                refused.pop(0) if refused else (200, self.next(int(body["instance"]) if "instance" in body else None))
            )
        if route == "original":
            return 200, self.original
        if route in {"of", "begin", "answer"}:
            return self.talk(route, body)
        return (200, self.mine(body)) if route == "mine" else self.post(route, body)

    def post(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.messages.append((route, body))
        self.arrived.notify_all()
        if self.refuse.get(route):
            return self.refuse[route].pop(0)
        last = [w for w in self.works if w["state"] == "submitted"][-1:]
        found = last[0] if route == "back" else self.find(body["assignment"])
        if route in {"seen", "proposed"}:
            bare = {"proposals": [], "ignored": None, "notes": []}
            return 200, self.proposed.get(body["assignment"], bare) if route == "proposed" else {}
        if route in {"withdraw", "back"}:
            found["state"] = "open"
            return 200, {"work": found, "counts": self.counts}
        if found["state"] == "submitted" or body.get("revision", found["revision"]) != found["revision"]:
            return 409, {"error": "Another tab has saved this text.", "work": found}
        if "revision" in body:
            found["revision"] += 1
            self.arrived.notify_all()
            found["draft"] = body["draft"]
        if route == "draft":
            return 200, {"revision": found["revision"]}
        return self._leave(route, found, body)

    def _leave(self, route: str, found: dict[str, Any], body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        found["state"] = {"submit": "submitted", "skip": "skipped", "discard": "discarded"}[route]
        self.arrived.notify_all()
        return 200, {"counts": self.counts, "ahead": self._open(body["ahead"])}

    def talk(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The answer of the talk routes; what is begun or answered is kept."""
        if route != "of":
            self.messages.append((route, body))
        if self.refuse.get(route):
            return self.refuse[route].pop(0)
        comment = {"id": 90, "author": "Ann", "voice": "annotator", "mine": True, "at": "2026-01-31T10:20:00Z"}
        if route == "begin":
            new = {**comment, "text": body["text"]}
            self.threads.append({"id": 9, "about": "this text", "waits_for_lead": body["to_lead"], "comments": [new]})
        elif route == "answer":
            thread = next(thread for thread in self.threads if thread["id"] == body["thread"])
            thread["comments"].append({**comment, "text": body["text"]})
        subjects = [{"about": "instance", "annotation": None, "position": None, "words": "this text"}]
        return 200, {"threads": self.threads, "subjects": subjects}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    fake: Fake

    def log_message(self, *_: object) -> None:
        """Say nothing: pytest shows what matters."""

    def do_GET(self) -> None:
        url = urlparse(self.path)
        if url.path == "/":
            page = PAGE.replace("__THEMES__", json.dumps({"light": LIGHT, "dark": DARK}))
            page = (
                page.replace("__PANEL__", _panel_address())
                .replace("__ENTRY__", self.fake.entry)
                .replace("__SHEETS__", json.dumps(self.fake.sheets))
            )
            self._send(200, page.encode(), "text/html")
        elif url.path == "/favicon.ico":
            self._send(204, b"", "image/x-icon")
        elif url.path == "/mount":
            self._json(200, self.fake.mount())
        elif url.path == "/instances":
            self._json(200, self.fake.instances())
        elif url.path.startswith("/api/"):
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            self._answer(url.path.rsplit("/", 1)[1], query)
        else:
            self._send(404, b"", "text/plain")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(urlparse(self.path).path.rsplit("/", 1)[1], body)

    def _answer(self, route: str, body: dict[str, Any]) -> None:
        fake = self.fake
        if route in fake.held:
            fake.held[route].wait(10)
        if fake.broken:
            self._hang_up()
            return
        with fake.lock:
            status, answer = fake.answer(route, body)
            text = json.dumps(answer)
        if fake.lose_answers:
            self._hang_up()
        else:
            self._send(status, text.encode(), "application/json")

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for header in headers or [("Cache-Control", "no-cache")]:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)


class _PanelHandler(_Handler):
    """The panel's own files, which are the same for every page: a tab fetches them once."""

    def do_GET(self) -> None:
        path = PANEL / urlparse(self.path).path.removeprefix("/")
        kept = ("Cache-Control", "max-age=86400, immutable")
        self._send(200, path.read_bytes(), TYPES[path.suffix], kept, ("Access-Control-Allow-Origin", "*"))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that closes in the middle of an answer is no event."""


def _serve(handler: type[_Handler]) -> tuple[_Server, threading.Thread]:
    http = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    return http, thread


@cache
def _panel_address() -> str:
    """Of a server that lasts as long as the process; the pages that take the panel from it keep an origin of their own."""
    return f"http://127.0.0.1:{_serve(_PanelHandler)[0].server_address[1]}"


class PanelServer:
    """Serves one Fake on a port that the system chooses."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake
        handler = type("Handler", (_Handler,), {"fake": fake})
        self.http, self.thread = _serve(handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/"

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


TOKEN_BOX = """([segment, token]) => {
  const body = shadow.querySelector(`.segment-text[data-segment="${segment}"]`);
  const source = window.instances[window.shownKey()].segments[segment];
  let start = source.starts[token], end = source.ends[token];
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (start < node.length) {
      const range = document.createRange();
      range.setStart(node, start); range.setEnd(node, Math.min(end, node.length));
      let box = range.getClientRects()[0];
      if (box.top < shadow.querySelector('.bar').getBoundingClientRect().bottom || box.bottom > innerHeight) {
        document.getElementById('scroller').scrollTop += box.top - innerHeight / 2;
        box = range.getClientRects()[0];
      }
      return [box.left, box.top, box.width, box.height];
    }
    start -= node.length; end -= node.length;
  }
}"""


class PanelPage:
    """What a person does on the page, in words."""

    def __init__(self, page: Page, fake: Fake, server: PanelServer) -> None:
        self.page = page
        self.fake = fake
        self.server = server

    def open(self, theme: str = "light") -> "PanelPage":
        self.page.goto(f"{self.server.url}?theme={theme}")
        self.page.wait_for_function("window.shadow")
        self.page.evaluate(
            """async () => { window.instances = await fetch('/instances').then((answer) => answer.json());
            window.shownKey = () => shadow.querySelector('.instance-key').textContent.split(' · ')[0]; }"""
        )
        self.page.wait_for_function("window.shadow?.querySelector('.segment-text, .empty:not([hidden])')")
        return self

    def box(self, token: int, segment: int = 0) -> tuple[float, float, float, float]:
        left, top, width, height = self.page.evaluate(TOKEN_BOX, [segment, token])
        return left, top, width, height

    def at(self, token: int, segment: int = 0, side: float = 0.5) -> tuple[float, float]:
        left, top, width, height = self.box(token, segment)
        return left + width * side, top + height / 2

    def drag(
        self, first: int, last: int, segment: int = 0, to_segment: int | None = None, release: bool = True
    ) -> None:
        mouse = self.page.mouse
        x, y = self.at(first, segment)
        to_x, to_y = self.at(last, segment if to_segment is None else to_segment)
        mouse.move(x, y)
        mouse.down()
        mouse.move((x + to_x) / 2 + 1, (y + to_y) / 2)
        mouse.move(to_x, to_y)
        if release:
            mouse.up()

    def click(self, token: int, segment: int = 0) -> None:
        self.page.mouse.click(*self.at(token, segment))

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def key(self) -> str:
        return str(self.page.evaluate("shownKey()"))

    def shown(self, key: str) -> None:
        self.page.wait_for_function("(key) => shownKey() === key && !shadow.querySelector('.panel.busy')", arg=key)

    def settle(self) -> None:
        """Until what the page has begun is sent, and what it would draw of the answers is drawn: a way there and two frames."""
        self.page.evaluate(
            """async () => { await fetch('/instances').then((answer) => answer.text());
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))); }"""
        )

    def saved(self) -> dict[str, Any]:
        """The draft that the server holds, once everything has been acknowledged."""
        self.page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('annotator:draft:'))")
        with self.fake.lock:
            found = next(w for w in self.fake.works if w["instance"]["key"] == self.key)
            return dict(found["draft"])

    def sets(self) -> list[list[list[int]]]:
        return list(self.saved()["sets"])

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def counts(self) -> list[str]:
        return self.page.locator(".chip .count").all_inner_texts()

    def marks(self) -> dict[str, list[str]]:
        """The registered highlights by name (without the panel's prefix) with the words under each."""
        return dict(
            self.page.evaluate(
                """() => Object.fromEntries([...CSS.highlights].map(([name, marks]) => [name.replace(/^annotator-\\d+-/, ''),
              [...marks].map((mark) => { const range = document.createRange();
                range.setStart(mark.startContainer, mark.startOffset); range.setEnd(mark.endContainer, mark.endOffset);
                return range.toString(); })]))"""
            )
        )


def main() -> None:
    """Serve every sample until interrupted, for looking at the panel by hand."""
    from tests.browser.panel import samples

    for name, fake in samples.scenes().items():
        print(f"{PanelServer(fake).url}   {name}")  # noqa: T201
    threading.Event().wait()


if __name__ == "__main__":
    main()


# How well words can be read on a page, computed as WCAG 2.2 says (1.4.3): the contrast of text with what lies behind it.

ENOUGH = 4.5

_LOWEST = """(target) => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    paint.clearRect(0, 0, 1, 1); paint.fillStyle = color; paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
  const up = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const behind = (node) => {
    if (!node) return [1, 1, 1];
    const { backgroundColor, opacity } = getComputedStyle(node);
    const under = behind(up(node));
    return over([...over(rgba(backgroundColor), under), Number(opacity)], under);
  };
  const faded = (node) => (node ? Number(getComputedStyle(node).opacity) * faded(up(node)) : 1);
  const light = (parts) => {
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (node) => {
    const ground = behind(node);
    const [r, g, b, a] = rgba(getComputedStyle(node).color);
    const [one, other] = [light(over([r, g, b, a * faded(node)], ground)), light(ground)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const hasWords = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true });
  return Math.min(...[target, ...target.querySelectorAll("*")].filter((node) => hasWords(node) && isShown(node)).map(contrast));
}"""


def lowest_contrast(target: Locator) -> float:
    """The least contrast of any words within an element, with its own colours as they are now."""
    return float(target.evaluate(_LOWEST))
