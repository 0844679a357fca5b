"""`annotator token`: API tokens from the command line, where one acts as the local operator."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commands import examples, json_option, opened, print_json
from annotator.domain.people import LOCAL_OPERATOR, SCOPES, ApiToken

if TYPE_CHECKING:
    from annotator.domain.people import Scope
    from annotator.usecases.databases import Store

_DAYS = 90
_LONGEST_DAYS = 365


@click.group()
def token() -> None:
    """API tokens, with which scripts reach a server over the network. See docs/api.md#over-the-network."""


@token.command()
@click.argument("name")
@click.option("--project", "project_name", required=True, metavar="P", help="The one project it is for.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    required=True,
    help="read (gold and model output) or write model output; repeat it for both.",
)
@click.option(
    "--days",
    type=click.IntRange(1, _LONGEST_DAYS),
    default=_DAYS,
    show_default=True,
    help="How long it is valid.",
)
@click.option("--note", default="", help="A note on what it is for.")
@json_option
@click.pass_obj
@examples('annotator token make Ada --project Reviews --scope read --scope "write model output" --days 30')
def make(
    path: Path, name: str, project_name: str, scopes: "tuple[Scope, ...]", days: int, note: str, as_json: bool
) -> None:
    """Make a token with which a script acts as the person NAME, and print it. It cannot be shown again.

    The person needs the right for each scope, now and whenever the token is used: export for "read", use models for
    "write model output".
    """
    from annotator.usecases.access.credentials import make_token
    from annotator.usecases.project.projects import find_project

    with opened(path) as store:
        project = find_project(store, project_name)
        made = make_token(store, LOCAL_OPERATOR, project, name, scopes, days=days, note=note)
        row = _row(store, made.token)
    if as_json:
        print_json({**row, "token": made.text})
        return
    click.echo(f"Token {made.token.id} acts as '{made.token.user.name}' in '{made.token.project_name}' until")
    click.echo(f"{made.token.expires_at[:10]} and may {' and '.join(made.token.scopes)}. It is shown this once:")
    click.echo(made.text)


@token.command(name="list")
@json_option
@click.pass_obj
def list_(path: Path, as_json: bool) -> None:
    """Every token with its number, person, project, scopes, state and day of last use; never its secret."""
    from annotator.usecases.access.credentials import list_tokens

    with opened(path) as store:
        rows = [_row(store, token) for token in list_tokens(store, LOCAL_OPERATOR)]
    if as_json:
        print_json({"tokens": rows})
        return
    for row in rows:
        used = (row["last_used_at"] or "never")[:10]
        note = f" ({row['note']})" if row["note"] else ""
        click.echo(
            f"{row['id']}: {row['user']} in '{row['project']}', may {' and '.join(row['scopes'])}; {row['state']}, "
            f"until {row['expires_at'][:10]}, last used {used}{note}"
        )
    if not rows:
        click.echo("There are no tokens yet. Make one with 'annotator token make NAME --project P --scope read'.")


@token.command()
@click.argument("number", metavar="ID", type=int)
@json_option
@click.pass_obj
def revoke(path: Path, number: int, as_json: bool) -> None:
    """End the token with this number at once. Disabling or resetting a person ends all of theirs."""
    from annotator.usecases.access.credentials import revoke_token

    with opened(path) as store:
        revoked = revoke_token(store, LOCAL_OPERATOR, number)
        row = _row(store, revoked)
    if as_json:
        print_json(row)
    else:
        click.echo(f"Token {number} of '{revoked.user.name}' no longer works.")


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
