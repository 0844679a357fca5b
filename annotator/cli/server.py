"""`annotator serve`, `annotator demo` and `annotator desktop`."""

import gc
import os
from pathlib import Path

import click

from annotator.cli.commands import examples, option
from annotator.errors import InvalidValue

DEMONSTRATION_DATABASE = Path("annotator-demo.db")
_PORT = click.IntRange(0, 65535)


@click.command()
@option("--host", default="127.0.0.1", help="The address to listen on.")
@option("--port", default=8501, type=_PORT, help="The port; 0 takes any free one.")
@option(
    "--url", envvar="ANNOTATOR_URL",
    help="The address at which people reach it, behind a proxy or a tunnel (also ANNOTATOR_URL), with a path if "
    "there is one. Printed links begin with it.",
)  # fmt: skip
@option(
    "--allowed-host", "allowed", metavar="NAME", multiple=True, envvar="ANNOTATOR_ALLOWED_HOSTS",
    help="A further name under which people reach it; repeat it for several. See docs/server.md#names.",
)  # fmt: skip
@option(
    "--allow-model-hub", is_flag=True, envvar="ANNOTATOR_ALLOW_MODEL_HUB",
    help="Allow models that pages name to be fetched from the Hugging Face hub. Else no other host is asked.",
)  # fmt: skip
@option(
    "--log-format", type=click.Choice(["text", "json"]), default="text", envvar="ANNOTATOR_LOG_FORMAT",
    help="How warnings and errors are written to standard error: json is an object on each line.",
)  # fmt: skip
@option(
    "--sso", type=click.Path(path_type=Path), envvar="ANNOTATOR_SSO", metavar="FILE",
    help="Single sign-on: the settings of an OpenID provider (also ANNOTATOR_SSO). See docs/single_sign_on.md.",
)  # fmt: skip
@click.pass_obj
@examples("annotator --db reviews.db serve --url https://annotate.example.org")
def serve(
    path: Path,
    host: str,
    port: int,
    url: str | None,
    allowed: tuple[str, ...],
    allow_model_hub: bool,
    log_format: str,
    sso: Path | None,
) -> None:
    """Serve a database; for a fresh one, print the link that makes the first account, an administrator.

    0.0.0.0 or :: as --host listens at every address of the machine. The server speaks no TLS: see docs/deploy.md for
    a proxy. A second server on the same database says where the first one is, and serves too.
    """
    gc.disable()  # until the server is at work: what it imports is no garbage, and to look through it takes an eighth of a start
    from annotator.usecases.models.model_places import HUB_VARIABLE
    from annotator.web.server import serve as serve_database

    os.environ[HUB_VARIABLE] = "1" if allow_model_hub else "0"  # the process that does long work reads it
    serve_database(path, host, port, url=url, allowed=allowed, sso=sso, log_as_json=log_format == "json")


@click.command()
@option("--port", default=8501, type=_PORT, help="The port; 0 takes any free one.")
@option("--no-browser", is_flag=True, help="Print the address only.")
@click.pass_context
def demo(context: click.Context, port: int, no_browser: bool) -> None:
    """Serve the demonstration on 127.0.0.1: three projects, signed in by choosing a person.

    Its database is annotator-demo.db in this folder, or the one given with --db, and is built when it is missing.
    ANNOTATOR_DB is ignored, and a database with passwords is refused: nobody's own data becomes a demonstration.
    """
    from annotator.web.server import serve as serve_database

    root = context.find_root()
    is_given = root.get_parameter_source("db") is click.core.ParameterSource.COMMANDLINE
    path = Path(root.obj) if is_given else DEMONSTRATION_DATABASE
    if path.exists():
        _refuse_with_passwords(path)
    else:
        _build(path)
    serve_database(path, "127.0.0.1", port, is_demonstration=True, open_browser=not no_browser)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@option("--register", is_flag=True, help="Write a menu entry and the file type for this user's Linux desktop, and end.")
@examples("annotator desktop films.rationales")
def desktop(file: Path | None, register: bool) -> None:
    """Open FILE, or the last one, in a window of its own: for one person, without accounts or a browser.

    Needs the extra [desktop]. A file that was never opened here is checked first. See docs/desktop.md.
    """
    from annotator.web.desktop import open_desktop
    from annotator.web.desktop import register as write_entry

    if register:
        for path in write_entry():
            click.echo(str(path))
        return
    open_desktop(file)


def _refuse_with_passwords(path: Path) -> None:
    from annotator.usecases.access.accounts import has_passwords
    from annotator.usecases.databases import open_store

    with open_store(path) as store:
        if has_passwords(store):
            raise InvalidValue(
                f"'{path}' holds accounts with passwords; the demonstration would let anybody in without. "
                "Use 'annotator serve' for it."
            )


def _build(path: Path) -> None:
    from annotator.usecases.demonstration.construction import build

    click.echo(f"Building the demonstration in {path} ...")
    build(path)
