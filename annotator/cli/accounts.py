"""`annotator user` and `annotator token`: accounts, a person's name and data, and API tokens, as the local operator."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from annotator.cli import commands
from annotator.domain.people import LOCAL_OPERATOR, PROJECT_ROLES, ROLES, SCOPES, ApiToken
from annotator.errors import InvalidValue
from annotator.files import part_folder, put_in_place

if TYPE_CHECKING:
    from annotator.domain.people import Scope
    from annotator.usecases.databases import Store

# `annotator user anonymise`, `erase`, `export` and `wipe`: a person and their data, as the local operator.


_confirm_option = commands.option(
    "--confirm",
    metavar="NAME",
    help="The name once more, for scripts; --json needs it. Without it you are asked to type it.",
)


@click.command()
@click.argument("name")
@_confirm_option
@commands.answering
def anonymise(path: Path, name: str, confirm: str | None, as_json: bool) -> None:
    """Remove the account, name and words of NAME; what they marked and scored stays under a drawn name.

    What goes and what stays is printed first, and the name has to be typed. Numbers do not change. Afterwards the
    file is rewritten, so that no byte is left. See docs/personal_data.md.
    """
    from annotator.usecases.persons.erasure import anonymise as anonymise_person
    from annotator.usecases.persons.erasure import anonymising_lines, plan_anonymising

    with commands.opened(path) as store:
        plan = plan_anonymising(store, LOCAL_OPERATOR, name)
        _confirm(plan.name, anonymising_lines(plan), confirm, "anonymise", as_json=as_json)
        removed = anonymise_person(store, LOCAL_OPERATOR, plan.name)
    _say(
        {"called": removed.called, "is_wiped": removed.is_wiped},
        f"Done. What they marked and scored stands under the name '{removed.called}' now.",
        is_wiped=removed.is_wiped,
        as_json=as_json,
    )


@click.command()
@click.argument("name")
@_confirm_option
@commands.answering
def erase(path: Path, name: str, confirm: str | None, as_json: bool) -> None:
    """Remove NAME with all that they marked, scored and wrote; gold is computed again.

    Releases say how many sets are gone, not whose. What goes and what stays is printed first, and the name has to be
    typed. See docs/personal_data.md.
    """
    from annotator.usecases.persons.erasure import erase as erase_person
    from annotator.usecases.persons.erasure import erasing_lines, plan_erasing

    with commands.opened(path) as store:
        plan = plan_erasing(store, LOCAL_OPERATOR, name)
        _confirm(plan.name, erasing_lines(plan), confirm, "erase", as_json=as_json)
        removed = erase_person(store, LOCAL_OPERATOR, plan.name)
    _say(
        {"annotations": plan.held.annotations, "reviews": plan.held.reviews, "is_wiped": removed.is_wiped},
        "Done. The record calls them 'someone who was erased'.",
        is_wiped=removed.is_wiped,
        as_json=as_json,
    )


@click.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def export(path: Path, name: str, file: Path) -> None:
    """Write everything about NAME to FILE, a ZIP of JSON and CSV; it holds nothing of others. See
    docs/personal_data.md.
    """
    from annotator.usecases.persons.my_account import data_of_person

    if file.exists():
        raise InvalidValue(f"'{file}' is there already. Choose another name for the file.")
    with commands.opened(path) as store:
        content = data_of_person(store, LOCAL_OPERATOR, name)
    with part_folder(file) as folder:
        made = folder / file.name
        made.touch(mode=0o600)  # it is one person's, and whoever wrote it hands it on
        made.write_bytes(content)
        put_in_place(made, file)
    click.echo(f"Wrote everything about '{name}' to {file}.")


@click.command()
@commands.answering
def wipe(path: Path, as_json: bool) -> int:
    """Rewrite the database file where bytes are left of somebody who was anonymised or erased.

    `annotator check` says when that is needed: a process was killed, or somebody was reading. A server that starts
    does the same. The exit code is 1 if it was not possible.
    """
    from annotator.usecases.persons.removal import NOT_WIPED, finish_removals

    with commands.opened(path) as store:
        is_wiped = finish_removals(store)
    words = f"No byte is left in {path} of whoever was taken out." if is_wiped else NOT_WIPED
    commands.respond(as_json, {"is_wiped": is_wiped}, words)
    return 0 if is_wiped else 1


def _confirm(name: str, lines: tuple[str, ...], confirm: str | None, verb: str, *, as_json: bool) -> None:
    """Show what will happen, and have the name typed; a script says it with the command."""
    for line in () if as_json else lines:
        click.echo(line, err=True)
    if confirm is None and not as_json:
        confirm = click.prompt(f"Type the name to {verb} them ({name})", default="", show_default=False, err=True)
    if confirm != name:
        raise InvalidValue(
            f"Nothing was done: the name is '{name}', and '{confirm or ''}' was typed. Type it as it is."
        )


def _say(answer: dict[str, object], sentence: str, *, is_wiped: bool, as_json: bool) -> None:
    from annotator.usecases.persons.removal import BACKUPS_HOLD, NOT_WIPED

    if as_json:
        commands.print_json(answer)
        return
    click.echo(sentence)
    click.echo(BACKUPS_HOLD)
    if not is_wiped:
        click.echo(NOT_WIPED, err=True)


_LINK_DAYS = 7
_USUAL = "http://127.0.0.1:8501"  # of a server that is started without --port
_GUESSED = (
    "No server runs on this database now, so the link has the usual address. If you serve it elsewhere, put that address "
    "in its place, or say it with --url."
)
_url_option = commands.option(
    "--url",
    envvar="ANNOTATOR_URL",
    help=(
        "Where people reach the server, for the link (also ANNOTATOR_URL). By default the running server's "
        "address, else http://127.0.0.1:8501."
    ),
)


@click.group()
def user() -> None:
    """Accounts: add, invite, list, disable, reset; a person's data: export, anonymise, erase."""


for _command in (export, anonymise, erase, wipe):
    user.add_command(_command)


@user.command()
@click.argument("name")
@commands.option(
    "--role", type=click.Choice(ROLES), required=True,
    help="The person's role; each but administrator holds in one project.",
)  # fmt: skip
@commands.option("--project", help="The project; not needed while there is only one.")
@_url_option
@commands.answering
@commands.examples("annotator user add Ada --role reviewer --project Reviews")
def add(path: Path, name: str, role: str, project: str | None, url: str | None, as_json: bool) -> None:
    """Make an account and print its one-time sign-in link; a person who has an account gets a further role.

    Opening the link, the person chooses a password.
    """
    from annotator.usecases.access.accounts import add_user
    from annotator.usecases.databases import address_of_server

    with commands.opened(path, create=project is None) as store:
        added = add_user(store, LOCAL_OPERATOR, name, role, project)  # type: ignore[arg-type]  # click.Choice checked it
        address = url or address_of_server(store.path)
    link = None if added.link_token is None else _link(address, added.link_token)
    if as_json:
        commands.print_json({"name": added.user.name, "role": role, "project": added.project_name, "link": link})
        return
    in_project = f" in the project '{added.project_name}'" if added.project_name else ""
    click.echo(
        f"'{added.user.name}' is {role}{in_project} now."
        if in_project or role == "administrator"
        else f"'{name}' has an account, but no role yet, since there is no project. Repeat this with --project once there is one."
    )
    if link is not None:
        _print_link(added.user.name, link, is_guessed=address is None)


@user.command()
@click.argument("file", type=click.File(encoding="utf-8-sig"))
@commands.option(
    "--role", type=click.Choice(PROJECT_ROLES), default="annotator", help="The role of everybody whose line names none."
)
@commands.project_option
@_url_option
@commands.answering
def invite(path: Path, file: TextIO, role: str, project_name: str, url: str | None, as_json: bool) -> None:
    """Invite everybody in FILE and print their links; all of them, or nobody.

    FILE has a name on each line, and after a comma a role if it differs from --role: "Ada" or "Ada, reviewer". "-"
    reads standard input. Whoever has an account only gets the role. A link works once, within 7 days.
    """
    from annotator.usecases.access.invitations import invite, read_invitees
    from annotator.usecases.databases import address_of_server

    with commands.opened_project(path, project_name) as (store, project):
        given = invite(store, LOCAL_OPERATOR, project.id, read_invitees(file.read(), role))  # type: ignore[arg-type]  # click.Choice
        address = url or address_of_server(store.path)
    links = [(made, None if made.link_token is None else _link(address, made.link_token)) for made in given]
    if as_json:
        commands.print_json(
            {"invitations": [{"name": made.name, "role": made.role, "link": link} for made, link in links]}
        )
        return
    for made, link in links:
        click.echo(f"{made.name}\t{made.role}\t{link or 'has an account already'}")
    click.echo(f"Each link works once, within {_LINK_DAYS} days.", err=True)
    if address is None:
        click.echo(_GUESSED, err=True)


@user.command(name="list")
@commands.answering
def list_(path: Path, as_json: bool) -> None:
    """Everybody with an account, and their roles."""
    from annotator.usecases.access.accounts import list_users

    with commands.opened(path) as store:
        listed = list_users(store, LOCAL_OPERATOR)
    users, lines = [], []
    for account in listed:
        user, in_projects = account.user, [{"project": project, "role": role} for project, role in account.roles]
        users.append(
            {"name": user.name, "is_administrator": user.is_administrator, "is_disabled": user.is_disabled,
             "roles": in_projects}
        )  # fmt: skip
        roles = [f"{role} in '{project}'" for project, role in account.roles]
        roles += ["administrator"] * user.is_administrator + ["disabled"] * user.is_disabled
        lines.append(f"{user.name}: {', '.join(roles) or 'no role'}")
    none = "There are no accounts yet. Make one with 'annotator user add NAME --role ROLE'."
    commands.respond(as_json, {"users": users}, *(lines or [none]))


@user.command()
@click.argument("name")
@commands.answering
def disable(path: Path, name: str, as_json: bool) -> None:
    """End a person's sessions at once and refuse further sign-ins; what they made stays."""
    from annotator.usecases.access.accounts import disable_user

    with commands.opened(path) as store:
        disabled = disable_user(store, LOCAL_OPERATOR, name)
    words = f"'{disabled.name}' can no longer sign in. 'annotator user reset' gives them access again."
    commands.respond(as_json, {"name": disabled.name, "is_disabled": True}, words)


@user.command()
@click.argument("name")
@_url_option
@commands.answering
def reset(path: Path, name: str, url: str | None, as_json: bool) -> None:
    """Print a new one-time link; the old password, open sessions and older links end. This lets a disabled person in
    again.
    """
    from annotator.usecases.access.accounts import reset_user
    from annotator.usecases.databases import address_of_server

    with commands.opened(path) as store:
        address = url or address_of_server(store.path)
        link = _link(address, reset_user(store, LOCAL_OPERATOR, name))
    if as_json:
        commands.print_json({"name": name, "link": link})
    else:
        _print_link(name, link, is_guessed=address is None)


@user.command()
@click.argument("name")
@click.argument("other")
@click.pass_obj
def join(path: Path, name: str, other: str) -> None:
    """Let whoever signs in by single sign-on as OTHER be NAME from now on; the account OTHER is disabled.

    For a person who had an account before single sign-on came. See docs/single_sign_on.md.
    """
    from annotator.usecases.access.single_sign_on import join_accounts

    with commands.opened(path) as store:
        joined = join_accounts(store, LOCAL_OPERATOR, name, other)
    click.echo(f"Whoever signed in as '{other}' is '{joined.name}' from now on. '{other}' is disabled.")


def _link(address: str | None, token: str) -> str:
    return f"{(address or _USUAL).rstrip('/')}/link/{token}"


def _print_link(name: str, link: str, *, is_guessed: bool) -> None:
    click.echo(f"With this link '{name}' sets a password; it works once, within {_LINK_DAYS} days:\n{link}")
    if is_guessed:
        click.echo(_GUESSED, err=True)


# `annotator token`: API tokens from the command line, where one acts as the local operator.


_DAYS = 90
_LONGEST_DAYS = 365


@click.group()
def token() -> None:
    """API tokens, with which scripts reach a server over the network. See docs/api.md#over-the-network."""


@token.command()
@click.argument("name")
@commands.option("--project", "project_name", required=True, metavar="P", help="The one project it is for.")
@commands.option(
    "--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True,
    help="read (gold and model output) or write model output; repeat it for both.",
)  # fmt: skip
@commands.option("--days", type=click.IntRange(1, _LONGEST_DAYS), default=_DAYS, help="How long it is valid.")
@commands.option("--note", default="", help="A note on what it is for.")
@commands.answering
@commands.examples('annotator token make Ada --project Reviews --scope read --scope "write model output" --days 30')
def make(
    path: Path, name: str, project_name: str, scopes: "tuple[Scope, ...]", days: int, note: str, as_json: bool
) -> None:
    """Make a token with which a script acts as the person NAME, and print it. It cannot be shown again.

    The person needs the right for each scope, now and whenever the token is used: export for "read", use models for
    "write model output".
    """
    from annotator.usecases.access.credentials import make_token

    with commands.opened_project(path, project_name) as (store, project):
        made = make_token(store, LOCAL_OPERATOR, project, name, scopes, days=days, note=note)
        row = _row(store, made.token)
    commands.respond(
        as_json,
        {**row, "token": made.text},
        f"Token {made.token.id} acts as '{made.token.user.name}' in '{made.token.project_name}' until",
        f"{made.token.expires_at[:10]} and may {' and '.join(made.token.scopes)}. It is shown this once:",
        made.text,
    )


@token.command(name="list")
@commands.answering
def list_tokens(path: Path, as_json: bool) -> None:
    """Every token with its number, person, project, scopes, state and day of last use; never its secret."""
    from annotator.usecases.access.credentials import list_tokens

    with commands.opened(path) as store:
        rows = [_row(store, token) for token in list_tokens(store, LOCAL_OPERATOR)]
    lines = [
        f"{row['id']}: {row['user']} in '{row['project']}', may {' and '.join(row['scopes'])}; {row['state']}, "
        f"until {row['expires_at'][:10]}, last used {(row['last_used_at'] or 'never')[:10]}"
        + (f" ({row['note']})" if row["note"] else "")
        for row in rows
    ]
    none = "There are no tokens yet. Make one with 'annotator token make NAME --project P --scope read'."
    commands.respond(as_json, {"tokens": rows}, *(lines or [none]))


@token.command()
@click.argument("number", metavar="ID", type=int)
@commands.answering
def revoke(path: Path, number: int, as_json: bool) -> None:
    """End the token with this number at once. Disabling or resetting a person ends all of theirs."""
    from annotator.usecases.access.credentials import revoke_token

    with commands.opened(path) as store:
        revoked = revoke_token(store, LOCAL_OPERATOR, number)
        row = _row(store, revoked)
    commands.respond(as_json, row, f"Token {number} of '{revoked.user.name}' no longer works.")


def _row(store: "Store", token: ApiToken) -> dict[str, Any]:
    from annotator.usecases.access.credentials import state_of

    return {
        "id": token.id,
        "user": token.user.name,
        "project": token.project_name,
        "scopes": list(token.scopes),
        "note": token.note,
        "state": state_of(store, token),
        "created_by": token.created_by,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
    }
