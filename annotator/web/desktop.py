"""A window of its own for one person with one file: a server in a process of its own, which only the window can reach.

The window (pywebview, an extra that is imported when it is used) opens, makes and remembers files. The server's first line of
input is a secret that is in no address, list of processes or file; it ends with the window, however that ends.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from click import get_app_dir

from annotator.errors import AnnotatorError, InvalidValue, StoreError
from annotator.language import _, several
from annotator.usecases.databases import address_of_server, open_store
from annotator.usecases.upkeep import check

_TITLE = "Rationale annotator"
_ENDING = ".rationales"
_SHOWN_FAULTS = 5
_STARTS_WITHIN = 60.0
_ENDS_WITHIN = 20.0
_SENDS_WITHIN = 3.0
_LOOKS_EVERY = 0.05
_MEMORY = "desktop.json"
_MOST_KNOWN = 50
# A link to another tab opens in this window, which alone is let in; Ctrl+K and the like are the page's own.
_ONE_WINDOW = """
document.addEventListener("click", (event) => {
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement && node.target === "_blank");
  if (!link || link.origin !== location.origin) return;
  event.preventDefault();
  location.assign(link.href);
}, { capture: true });
"""
# What the panels keep until the server has acknowledged it.
_IS_UNSENT = "Object.keys(localStorage).some((key) => /^annotator:(draft|review|perturb)/.test(key))"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>TITLE</title><style>
:root { color-scheme: light dark; font: 15px/1.5 "Source Sans", system-ui, sans-serif }
body { margin: 18vh auto 0; max-width: 34rem; padding: 0 2rem }
h1 { font-size: 1.5rem; font-weight: 600 }
.error { white-space: pre-line; border-left: 3px solid #c0392b; padding-left: 1rem }
button { font: inherit; padding: .5rem 1.2rem; margin-right: .6rem; border-radius: 8px; border: 1px solid #8888; cursor: pointer }
button:first-of-type { background: #2f5fd0; border-color: #2f5fd0; color: #fff }
</style><h1>TITLE</h1>BODY</html>"""


def open_desktop(path: Path | None) -> None:
    """Show the window until it is closed; path: the file to open, else the last one.

    Raises: InvalidValue where pywebview is missing
    """
    _require_pywebview()
    import webview  # noqa: PLC0415
    from webview.menu import Menu, MenuAction  # noqa: PLC0415

    webview.settings["ALLOW_DOWNLOADS"] = True
    desktop = Desktop()
    buttons = _Buttons(desktop)
    window = webview.create_window(
        _TITLE, html=_page(_("Opening …")), js_api=buttons, width=1280, height=840, min_size=(640, 480)
    )
    desktop.window = window
    window.events.loaded += desktop.prepare_page
    window.events.closing += desktop.may_close
    actions = (_("Open a file …"), buttons.open_file), (_("New file …"), buttons.new_file)
    menu = [Menu(_("File"), [MenuAction(words, act) for words, act in actions])]
    try:
        webview.start(desktop.begin, (path or last_file(),), menu=menu, gui="qt" if sys.platform == "linux" else None)
    finally:
        desktop.close()


def _require_pywebview() -> None:
    if find_spec("webview") is None:
        raise InvalidValue(
            "The window needs pywebview. Install it: pip install 'rationale-annotator[desktop]'. Without it, 'annotator serve' "
            "and a browser do the same."
        )


class Desktop:
    """The window's file and its server; `window` is pywebview's."""

    def __init__(self) -> None:
        self.window: Any = None
        self._server: WindowServer | None = None
        self._is_sent = False

    def begin(self, path: Path | None) -> None:
        """With the file that was named or opened last; otherwise there are two buttons."""
        if path is None:
            self._show(_("Open a file, or make a new one."))
        else:
            self.open(path)

    def open(self, path: Path, *, create: bool = False) -> None:
        """Check a file that was never opened here, serve it, and show it; what is wrong is told in the window."""
        if self._server is not None and self._server.path == path.resolve():
            return
        try:
            if not create:
                require_sound(path)
            server = WindowServer(path, create=create)
        except (AnnotatorError, OSError) as error:
            self._show(str(error), is_error=True)
            return
        self.close()
        self._server = server
        remember(path)
        self.window.set_title(f"{path.name} · {_TITLE}")
        self.window.load_url(server.first_address)

    def choose(self, *, create: bool) -> None:
        """Ask for a file, and open or make it."""
        from webview import FileDialog  # noqa: PLC0415

        if create:
            chosen = self.window.create_file_dialog(FileDialog.SAVE, save_filename=f"annotations{_ENDING}")
        else:
            chosen = self.window.create_file_dialog(FileDialog.OPEN, file_types=(f"Annotator (*{_ENDING};*.db)",))
        if chosen:
            path = Path(chosen if isinstance(chosen, str) else chosen[0])
            self.open(path, create=create and not path.exists())

    def prepare_page(self) -> None:
        """After each document that the window loads."""
        if self._server is not None:
            self.window.run_js(_ONE_WINDOW)

    def may_close(self) -> bool:
        """Whether the window may close now; otherwise it closes by itself when the page has sent what was marked last."""
        if self._server is None or self._is_sent:
            return True
        threading.Thread(target=self._close_when_sent, daemon=True).start()
        return False

    def _close_when_sent(self) -> None:
        end = time.monotonic() + _SENDS_WITHIN
        with suppress(Exception):  # pages without scripts have nothing to send; pywebview names no error of its own
            while time.monotonic() < end and self.window.evaluate_js(_IS_UNSENT):
                time.sleep(_LOOKS_EVERY)
        self._is_sent = True
        self.window.destroy()

    def close(self) -> None:
        """End the server, which stores what has arrived."""
        if self._server is not None:
            self._server.close()
        self._server = None

    def _show(self, sentence: str, *, is_error: bool = False) -> None:
        self.window.load_html(_page(sentence, is_error=is_error, has_buttons=True))


class _Buttons:
    """What the window's own page and its menu may ask for; pages of the server get no more than this either."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    def open_file(self) -> None:
        """Choose one."""
        self._desktop.choose(create=False)

    def new_file(self) -> None:
        """Name one."""
        self._desktop.choose(create=True)


def _page(sentence: str, *, is_error: bool = False, has_buttons: bool = False) -> str:
    body = f'<p class="{"error" if is_error else "said"}" role="{"alert" if is_error else "status"}">{escape(sentence)}</p>'
    if has_buttons:
        buttons = ("open_file", _("Open a file …")), ("new_file", _("New file …"))
        body += "".join(f'<button onclick="pywebview.api.{name}()">{escape(words)}</button>' for name, words in buttons)
    return _PAGE.replace("TITLE", _TITLE).replace("BODY", body)


# The server of a window --------------------------------------------------------------------------------------------------


class WindowServer:
    """A running server for one file; the address with the secret works once.

    Raises: StoreError where another program has the file open, or it cannot be served
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if (address := address_of_server(path)) is not None:
            raise StoreError(_("“{file}” is open already, at {address}.", file=path.name, address=address))
        self.path = path.resolve()
        self._copies: list[threading.Thread] = []
        secret = token_urlsafe()
        command = [sys.executable, "-m", "annotator.web.desktop", str(path), *(["--create"] if create else [])]
        self._process = subprocess.Popen(  # noqa: S603  (ours)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        if self._process.stdin is not None:
            self._process.stdin.write(f"{secret}\n")
            self._process.stdin.flush()
        self.address = self._listening_at()
        self.first_address = f"{self.address}/window/{secret}"
        for stream in (self._process.stdout, self._process.stderr):
            thread = threading.Thread(target=shutil.copyfileobj, args=(stream, sys.stderr), daemon=True)
            thread.start()
            self._copies.append(thread)

    def _listening_at(self) -> str:
        timer = threading.Timer(_STARTS_WITHIN, self._process.kill)
        timer.start()
        try:
            for line in self._process.stdout or ():
                if match := re.match(r"at (http://\S+)", line):
                    return match[1]
        finally:
            timer.cancel()
        fault = self._process.stderr.read() if self._process.stderr is not None else ""
        self.close()
        raise StoreError(fault.strip() or _("The server did not start."))

    def close(self) -> None:
        """Let it end as Ctrl+C does; its input ends with it."""
        self._process.terminate()
        try:
            self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._copies:
            thread.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _serve_window(path: Path, *, create: bool) -> None:
    """In the server's process: the secret is the first line of input, and the end of the input is the window's."""
    from annotator.web.routes.access import WindowKey  # noqa: PLC0415
    from annotator.web.server import serve  # noqa: PLC0415

    key = WindowKey(sys.stdin.readline().strip())
    if not key.secret:
        raise InvalidValue("This is started by 'annotator desktop'.")
    threading.Thread(target=_end_with_window, daemon=True).start()
    if not create and not path.exists():
        raise StoreError(f"There is no file '{path}'.")
    serve(path, "127.0.0.1", 0, window=key)


def _end_with_window() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


# Files that were opened here ---------------------------------------------------------------------------------------------


def require_sound(path: Path) -> None:
    """Check a file that was never opened here, which may be a stranger's; raises StoreError saying what is wrong."""
    if not path.exists():
        raise StoreError(_("“{file}” isn't there: {path}", file=path.name, path=path))
    if str(path.resolve()) in _known():
        return
    with open_store(path) as store:
        faults = [*store.problems(), *check(store)]
    if faults:
        more = len(faults) - _SHOWN_FAULTS
        lines = [*faults[:_SHOWN_FAULTS], *([several("and {n} more", "and {n} more", more)] if more > 0 else [])]
        raise StoreError("\n".join([_("“{file}” is damaged and was not opened:", file=path.name), *lines]))


def last_file() -> Path | None:
    """The file that was opened last, if it is still there."""
    files = [Path(name) for name in _known()]
    return files[-1] if files and files[-1].exists() else None


def remember(path: Path) -> None:
    """As the file that was opened last; where nothing can be written, it is asked for the next time."""
    resolved = str(path.resolve())
    files = [name for name in _known() if name != resolved][-_MOST_KNOWN + 1 :]
    with suppress(OSError):
        memory = _memory()
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text(json.dumps({"files": [*files, resolved]}), encoding="utf-8")


def _known() -> list[str]:
    try:
        memory = json.loads(_memory().read_text(encoding="utf-8"))
        files = memory["files"] if isinstance(memory, Mapping) else []
        return [name for name in files if isinstance(name, str)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _memory() -> Path:
    return Path(get_app_dir("rationale-annotator")) / _MEMORY


# The desktop's menu and file type, as Linux knows them -------------------------------------------------------------------

_ENTRY = """[Desktop Entry]
Type=Application
Name=Rationale annotator
Comment=Mark the words that justify a label
Exec={program} desktop %f
Icon={icon}
Terminal=false
Categories=Science;
MimeType=application/x-rationale-annotator;
"""
_FILE_TYPE = f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-rationale-annotator">
    <comment>Rationale annotations</comment>
    <glob pattern="*{_ENDING}"/>
    <glob pattern="annotator.db"/>
  </mime-type>
</mime-info>
"""
_UPDATES = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))


def register(data_folder: Path | None = None) -> list[Path]:
    """Write menu entry and file type for this user of a Linux desktop; answers what was written.

    Raises: InvalidValue on another system
    """
    if not sys.platform.startswith("linux"):
        raise InvalidValue("The menu entry is for Linux desktops. Elsewhere make a shortcut to 'annotator desktop'.")
    folder = data_folder or Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    script = Path(sys.argv[0]).resolve()
    program = f'"{sys.executable}" -m annotator.cli.main' if script.suffix == ".py" else f'"{script}"'
    icon = Path(__file__).with_name("icon.png")
    files = {
        folder / "applications" / "rationale-annotator.desktop": _ENTRY.format(program=program, icon=icon),
        folder / "mime" / "packages" / "rationale-annotator.xml": _FILE_TYPE,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, part in _UPDATES:
        if (tool := shutil.which(name)) is not None:
            subprocess.run([tool, str(folder / part)], check=False, capture_output=True)  # noqa: S603  (the desktop's own)
    return list(files)


if __name__ == "__main__":
    try:
        _serve_window(Path(sys.argv[1]), create="--create" in sys.argv[2:])
    except AnnotatorError as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:  # the window was closed before the server stood
        sys.exit(0)
