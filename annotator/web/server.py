"""The server: Streamlit's application with our routes and middleware, on uvicorn.

Streamlit is imported only after everything that can be refused was checked.
"""

import asyncio
import gc
import getpass
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.errors import InvalidValue, StoreError
from annotator.files import scratch_folder
from annotator.jobs.supervisor import Messenger, Supervisor
from annotator.usecases.access.accounts import make_account_of_window, make_first_account_link
from annotator.usecases.access.single_sign_on import SingleSignOn, read_settings, require_way_in
from annotator.usecases.databases import open_store, served
from annotator.usecases.persons.removal import finish_removals
from annotator.usecases.upkeep import empty_log, keep_to_owner, tidy
from annotator.web.addresses import (
    IN_WINDOW,
    PUBLIC_VARIABLE,
    SSO_ONLY_VARIABLE,
    Addresses,
    AllowedHosts,
    addresses_of,
    allowed_hosts,
    begin_log,
    is_loopback,
    listen,
    take_over_log,
)
from annotator.web.middleware import web_middleware
from annotator.web.navigation import missing_pages
from annotator.web.routes.access import DATABASE_VARIABLE, ServerOptions, WindowKey
from annotator.web.routes.single_sign_on import callback_address

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_SCRIPT = Path(__file__).resolve().parent / "app.py"
_MANY_FILES = 65_536
_NOT_ENCRYPTED = (
    "Take care: other machines reach this server without encryption, so passwords and texts can be read on the way. Put a proxy "
    "that speaks TLS in front of it and name its address with --url, or leave --host at 127.0.0.1 and use an SSH tunnel "
    "(docs/deploy.md)."
)
_TWO_SERVERS = (
    "Another server already serves this database, at {address}. Nothing is lost with two, but they make each other wait when "
    "they store something, and new sign-in links lead to the other one: stop one of them (Ctrl+C), unless you want both."
)
# Streamlit's own.
_PING_SECONDS = 30
_LONGEST_SOCKET_MESSAGE = 200_000_000
_LONGEST_HEAD = 65_536  # bytes of a request's lines before its body
# How long a thread may go on while another one waits: a script run must not hold up the routes (Python's own: 0.005).
_SWITCH_SECONDS = 0.001
# What the first script run needs beyond what the server itself does (PIL and numpy: Streamlit, for the tab's icon).
_FIRST_RUN = ("numpy", "PIL.PngImagePlugin", "streamlit.material_icon_names", "annotator.web.components")


def serve(
    path: Path, host: str, port: int, *, url: str | None = None, allowed: Sequence[str] = (), sso: Path | None = None,
    is_demonstration: bool = False, open_browser: bool = False, log_as_json: bool = False, window: WindowKey | None = None,
) -> None:  # fmt: skip
    """Serve a database until the process is stopped.

    port:    0 lets the system choose
    url:     where people reach the server, when that is not where it listens
    allowed: further hosts under which it answers
    window:  the one that alone is served
    sso:     the settings of single sign-on
    Raises: InvalidValue when a page file is missing, the port is taken, a host is none, or the demonstration is to leave
            this machine, or single sign-on is not set up as it must be; StoreError when the database cannot be opened
    """
    _refuse_missing_pages()
    if is_demonstration and not is_loopback(host):
        raise InvalidValue(f"The demonstration has no passwords: it is served on 127.0.0.1 only, not on '{host}'.")
    settings = None if sso is None else read_settings(sso)
    path = path.absolute()
    signal.signal(signal.SIGTERM, _as_ctrl_c)
    with listen(host, port) as listener:
        bound, port = listener.getsockname()[:2]
        addresses = addresses_of(bound, port, url)
        sign_on = None if settings is None else SingleSignOn(settings, callback_address(addresses.for_links))
        hosts = AllowedHosts() if is_demonstration else allowed_hosts(bound, host, url, allowed)
        # Open until the server ends, so that no other process replaces the file, whether anybody asks for anything or not.
        with (
            open_store(path, create=not is_demonstration) as store,
            served(store.path, addresses.for_links) as other,
            _own_temporary_files(),
        ):
            if settings is not None:
                require_way_in(store, settings)
            if window is not None:
                make_account_of_window(store, _name_of_user())
            first_link = None if is_demonstration or window else make_first_account_link(store)
            tidy(store)
            finish_removals(store)
            # The socket listens already: a browser that comes now waits for the second that Streamlit's import takes.
            _greet(path, addresses, first_link, keep_to_owner(store))
            if other is not None:
                sys.stderr.write(f"{_TWO_SERVERS.format(address=other)}\n")
            if open_browser:
                _open_browser(f"{addresses.here}/link/{first_link}" if first_link else addresses.here)
            provider = settings.shown_name if settings is not None and not settings.local_accounts else None
            _tell_pages({
                DATABASE_VARIABLE: str(path), SSO_ONLY_VARIABLE: provider, IN_WINDOW: "1" if window else None,
                PUBLIC_VARIABLE: addresses.for_links if url is not None else None,
            })  # fmt: skip
            options = ServerOptions(path, is_demonstration, hosts, sign_on, window)
            _run(options, listener, log_as_json=log_as_json)


def _tell_pages(values: Mapping[str, str | None]) -> None:
    """Pages run in this process, and get nothing from the server but its environment; None: what nobody may have said before."""
    for name, value in values.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def _with_middleware(app: "ASGIApp", options: ServerOptions) -> "ASGIApp":
    for layer in reversed(web_middleware(options)):
        app = layer.cls(app, *layer.args, **layer.kwargs)
    return app


def _build_app(*, log_as_json: bool) -> "ASGIApp":
    """Streamlit's ASGI application; only one a process."""
    # Streamlit dresses plotly's charts when it is imported, if they are there; here the first page with a chart does it.
    is_loaded = sys.modules.setdefault("plotly", None) is not None  # type: ignore[arg-type]
    from streamlit.starlette import App  # noqa: PLC0415  (a third of a second)

    from annotator.web.frame import report_defect  # noqa: PLC0415

    if not is_loaded:
        del sys.modules["plotly"]
    spare_streamlit()

    @asynccontextmanager
    async def lifespan(_: App) -> AsyncIterator[dict[str, Any]]:
        take_over_log(as_json=log_as_json)
        threading.Thread(target=_import_ahead, daemon=True).start()
        yield {}

    return App(_SCRIPT, lifespan=lifespan, on_script_error=report_defect)


def spare_streamlit() -> None:
    """What Streamlit does at a start, or for each tab, that no page needs.

    It reads of each installed package whether it brings components (0.4 s), looks in the first run for the interpreter's prompt
    (0.2 s), and in the loop that answers every message whether to offer the developer instructions for a coding agent.
    """
    from streamlit import delta_generator  # noqa: PLC0415
    from streamlit.components.v2 import manifest_scanner  # noqa: PLC0415
    from streamlit.runtime.app_session import AppSession  # noqa: PLC0415

    manifest_scanner.scan_component_manifests = lambda max_workers=None: []  # noqa: ARG005
    delta_generator._use_warning_has_been_displayed = True  # noqa: SLF001
    AppSession._compute_skills_nudge_state = lambda self: (False, "")  # type: ignore[method-assign]  # noqa: ARG005, SLF001


@contextmanager
def _at_work(options: ServerOptions) -> Iterator[None]:
    """Long work and messages are seen to; at the end the database's log is empty."""
    supervisor = Supervisor(options.path)
    supervisor.start()
    messenger = Messenger(options.path)
    if not options.is_by_choice:  # the demonstration's people are nobody, and a window is nobody's server
        messenger.start()
    try:
        yield
    finally:
        messenger.stop()
        supervisor.stop()
        _empty_log(options.path)


@contextmanager
def _own_temporary_files() -> Iterator[None]:
    """Exports on their way out and the like lie in one folder, which the next server finds and removes if this one is killed."""
    with ExitStack() as stack:
        with suppress(OSError):  # on a full disk the server still shows what there is
            tempfile.tempdir = str(stack.enter_context(scratch_folder()))
        try:
            yield
        finally:
            tempfile.tempdir = None


def _refuse_missing_pages() -> None:
    missing = missing_pages()
    if missing:
        files = ", ".join(f"pages/{name}" for name in missing)
        raise InvalidValue(f"The server cannot start: {files} is missing. Install the program again.")


def _greet(path: Path, addresses: Addresses, first_link: str | None, notice: str | None) -> None:
    lines = [f"Annotator serves {path}", f"at {addresses.here} (stop it with Ctrl+C)"]
    if addresses.elsewhere not in {None, addresses.here}:
        lines.append(f"People reach it at {addresses.elsewhere}")
    if first_link is not None:
        link = f"{addresses.for_links}/link/{first_link}"
        lines += ["There is no account yet. Make the first one within 24 hours:", link]
    lines += [notice] if notice else []
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    if addresses.is_readable_on_the_way:
        sys.stderr.write(f"{_NOT_ENCRYPTED}\n")


def _name_of_user() -> str:
    """Of whoever is at the machine."""
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "me"


def _open_browser(address: str) -> None:
    """Only where there is a screen: a browser in the terminal would take the terminal from the server."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _run(options: ServerOptions, listener: socket.socket, *, log_as_json: bool) -> None:
    import uvicorn  # noqa: PLC0415

    begin_log(as_json=log_as_json)
    _allow_many_files()
    config = uvicorn.Config(
        _with_middleware(_build_app(log_as_json=log_as_json), options),
        log_config=None,
        log_level="warning",
        access_log=False,  # a one-time link is an address; it must not stay in a log
        use_colors=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        http=_http_protocol(),
        # Streamlit's own settings, which it gives only when it starts uvicorn itself:
        ws="websockets-sansio",
        ws_ping_interval=_PING_SECONDS,
        ws_ping_timeout=_PING_SECONDS,
        ws_max_size=_LONGEST_SOCKET_MESSAGE,
        ws_per_message_deflate=False,
    )
    sys.setswitchinterval(_SWITCH_SECONDS)
    with _at_work(options), suppress(KeyboardInterrupt):  # uvicorn hands the signal on when it has stopped, or keeps it
        uvicorn.Server(config).run(sockets=[listener])
    sys.stdout.write("Stopped.\n")
    sys.stdout.flush()  # the thread that still imports may end the process before Python writes it out


def _http_protocol() -> type[asyncio.Protocol]:
    """Uvicorn's HTTP by a parser in C, which needs a tenth less of the processor, with the other one's end to endless lines."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol  # noqa: PLC0415

    class BoundedHttp(HttpToolsProtocol):
        n_pending = 0  # bytes that came since the lines, or a part of a body, were whole

        def data_received(self, data: bytes) -> None:
            self.n_pending += len(data)
            super().data_received(data)
            if self.n_pending > _LONGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The request's lines are too long.")

        def on_headers_complete(self) -> None:
            self.n_pending = 0
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self.n_pending = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self.n_pending = 0
            super().on_message_complete()

    return BoundedHttp


def _as_ctrl_c(*_: object) -> None:
    """Uvicorn hands the signal on when it has stopped, which would end the process before anything is put away."""
    raise KeyboardInterrupt


def _allow_many_files() -> None:
    """Each connection is an open file, and the usual limit of 1,024 is that of a small class; more is allowed on request."""
    try:
        import resource  # noqa: PLC0415  (not on Windows, which has no such limit)
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MANY_FILES if hard == resource.RLIM_INFINITY else min(hard, _MANY_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _import_ahead() -> None:
    """While the first browser still reads Streamlit's scripts; what fails here, fails there with its own message."""
    with suppress(Exception):  # whatever it is, the collector has to begin
        for name in _FIRST_RUN:
            import_module(name)
    gc.freeze()  # what was imported is no garbage, and need not be looked through for it
    gc.enable()


def _empty_log(path: Path) -> None:
    try:
        with open_store(path) as store:
            empty_log(store)
    except StoreError as error:
        logging.getLogger(__name__).warning("%s", error)
