"""`annotator backup` and `annotator check`."""

from pathlib import Path

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.people import LOCAL_OPERATOR


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def backup(database: Path, path: Path, as_json: bool) -> None:
    """Copy the whole database to PATH while others work."""
    from annotator.usecases.upkeep import back_up

    with opened(database) as store:
        back_up(store, LOCAL_OPERATOR, path)
    size = path.stat().st_size
    if as_json:
        print_json({"backup": str(path), "bytes": size})
    else:
        click.echo(f"Copied {database} to {path} ({size:,} bytes).")


@click.command()
@json_option
@click.pass_obj
def check(database: Path, as_json: bool) -> int:
    """Check the file and everything in it; exit 1 when something is wrong."""
    from annotator.usecases.upkeep import check as check_data

    with opened(database) as store:
        problems = store.problems()
        # A damaged file cannot be read further; what its own check says is the answer.
        problems += [] if problems else check_data(store)
    if as_json:
        print_json({"database": str(database), "problems": problems})
    else:
        for problem in problems:
            click.echo(problem, err=True)
        if not problems:
            click.echo(f"{database} is in order.")
    return 1 if problems else 0
