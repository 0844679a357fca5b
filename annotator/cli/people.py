"""`annotator user`: accounts from the command line, where one acts as the local operator."""

from pathlib import Path
from typing import TextIO

import click

from annotator.cli.answers import examples, json_option, opened, print_json, project_option
from annotator.cli.persons import anonymise, erase, export, wipe
from annotator.domain.people import LOCAL_OPERATOR, PROJECT_ROLES, ROLES

_LINK_HOURS = 24
_USUAL = "http://127.0.0.1:8501"  # of a server that is started without --port
_GUESSED = (
    "No server runs on this database now, so the link has the usual address. If you serve it elsewhere, put that address "
    "in its place, or say it with --url."
)
_url_option = click.option(
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
@click.option(
    "--role",
    type=click.Choice(ROLES),
    required=True,
    help="The person's role; each but administrator holds in one project.",
)
@click.option("--project", help="The project; not needed while there is only one.")
@_url_option
@json_option
@click.pass_obj
@examples("annotator user add Ada --role reviewer --project Reviews")
def add(path: Path, name: str, role: str, project: str | None, url: str | None, as_json: bool) -> None:
    """Make an account and print its one-time sign-in link; a person who has an account gets a further role.

    Opening the link, the person chooses a password.
    """
    from annotator.usecases.access.accounts import add_user
    from annotator.usecases.databases import address_of_server

    with opened(path, create=True) as store:
        added = add_user(store, LOCAL_OPERATOR, name, role, project)  # type: ignore[arg-type]  # click.Choice checked it
        address = url or address_of_server(store.path)
    link = None if added.link_token is None else _link(address, added.link_token)
    if as_json:
        print_json({"name": added.user.name, "role": role, "project": added.project_name, "link": link})
        return
    in_project = f" in the project '{added.project_name}'" if added.project_name else ""
    click.echo(
        f"'{added.user.name}' is {role}{in_project} now."
        if in_project or role == "administrator"
        else _no_project(name)
    )
    if link is not None:
        _print_link(added.user.name, link, is_guessed=address is None)


def _no_project(name: str) -> str:
    return f"'{name}' has an account, but no role yet, since there is no project. Repeat this with --project once there is one."


@user.command()
@click.argument("file", type=click.File(encoding="utf-8-sig"))
@click.option(
    "--role",
    type=click.Choice(PROJECT_ROLES),
    default="annotator",
    show_default=True,
    help="The role of everybody whose line names none.",
)
@project_option
@_url_option
@json_option
@click.pass_obj
def invite(path: Path, file: TextIO, role: str, project_name: str, url: str | None, as_json: bool) -> None:
    """Invite everybody in FILE and print their links; all of them, or nobody.

    FILE has a name on each line, and after a comma a role if it differs from --role: "Ada" or "Ada, reviewer". "-"
    reads standard input. Whoever has an account only gets the role. A link works once, within 7 days.
    """
    from annotator.usecases.access.invitations import INVITATION_LASTS, invite, read_invitees
    from annotator.usecases.databases import address_of_server
    from annotator.usecases.project.projects import find_project

    with opened(path) as store:
        project_id = find_project(store, project_name).id
        given = invite(store, LOCAL_OPERATOR, project_id, read_invitees(file.read(), role))  # type: ignore[arg-type]  # click.Choice
        address = url or address_of_server(store.path)
    links = [
        (invitation, None if invitation.link_token is None else _link(address, invitation.link_token))
        for invitation in given
    ]
    if as_json:
        print_json(
            {
                "invitations": [
                    {"name": invitation.name, "role": invitation.role, "link": link} for invitation, link in links
                ]
            }
        )
        return
    for invitation, link in links:
        click.echo(f"{invitation.name}\t{invitation.role}\t{link or 'has an account already'}")
    click.echo(f"Each link works once, within {INVITATION_LASTS.days} days.", err=True)
    if address is None:
        click.echo(_GUESSED, err=True)


@user.command(name="list")
@json_option
@click.pass_obj
def list_(path: Path, as_json: bool) -> None:
    """Everybody with an account, and their roles."""
    from annotator.usecases.access.accounts import list_users

    with opened(path) as store:
        listed = list_users(store, LOCAL_OPERATOR)
    if as_json:
        users = [
            {
                "name": account.user.name,
                "is_administrator": account.user.is_administrator,
                "is_disabled": account.user.is_disabled,
                "roles": [{"project": project, "role": role} for project, role in account.roles],
            }
            for account in listed
        ]
        print_json({"users": users})
        return
    for account in listed:
        roles = [f"{role} in '{project}'" for project, role in account.roles]
        roles += ["administrator"] * account.user.is_administrator + ["disabled"] * account.user.is_disabled
        click.echo(f"{account.user.name}: {', '.join(roles) or 'no role'}")
    if not listed:
        click.echo("There are no accounts yet. Make one with 'annotator user add NAME --role ROLE'.")


@user.command()
@click.argument("name")
@json_option
@click.pass_obj
def disable(path: Path, name: str, as_json: bool) -> None:
    """End a person's sessions at once and refuse further sign-ins; what they made stays."""
    from annotator.usecases.access.accounts import disable_user

    with opened(path) as store:
        disabled = disable_user(store, LOCAL_OPERATOR, name)
    if as_json:
        print_json({"name": disabled.name, "is_disabled": True})
    else:
        click.echo(f"'{disabled.name}' can no longer sign in. 'annotator user reset' gives them access again.")


@user.command()
@click.argument("name")
@_url_option
@json_option
@click.pass_obj
def reset(path: Path, name: str, url: str | None, as_json: bool) -> None:
    """Print a new one-time link; the old password, open sessions and older links end. This lets a disabled person in
    again.
    """
    from annotator.usecases.access.accounts import reset_user
    from annotator.usecases.databases import address_of_server

    with opened(path) as store:
        address = url or address_of_server(store.path)
        link = _link(address, reset_user(store, LOCAL_OPERATOR, name))
    if as_json:
        print_json({"name": name, "link": link})
    else:
        _print_link(name, link, is_guessed=address is None)


def _link(address: str | None, token: str) -> str:
    return f"{(address or _USUAL).rstrip('/')}/link/{token}"


def _print_link(name: str, link: str, *, is_guessed: bool) -> None:
    click.echo(f"With this link '{name}' sets a password; it works once, within {_LINK_HOURS} hours:\n{link}")
    if is_guessed:
        click.echo(_GUESSED, err=True)
