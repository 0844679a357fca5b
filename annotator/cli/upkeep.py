"""`annotator backup`, `annotator restore` and `annotator check`."""

import glob
from pathlib import Path

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def backup(database: Path, path: Path, as_json: bool) -> None:
    """Copy the whole database to PATH while others work."""
    from annotator.usecases.upkeep import back_up

    with opened(database) as store:
        trouble = back_up(store, LOCAL_OPERATOR, path)
    size = path.stat().st_size
    if as_json:
        print_json({"backup": str(path), "bytes": size})
    else:
        click.echo(f"Copied {database} to {path} ({counted(size, 'byte')}).")
    if trouble:
        click.echo(trouble, err=True)


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--anyway", is_flag=True, help="Restore even a backup with defects.")
@json_option
@click.pass_obj
def restore(database: Path, path: Path, anyway: bool, as_json: bool) -> None:
    """Put the backup PATH in the place of the database; what was there is kept under another name.

    The backup is checked first. Nobody may have the database open: stop the server.
    """
    from annotator.usecases.restoration import restore as restore_backup

    if not as_json:
        click.echo("Copying and checking the backup ...", err=True)
    done = restore_backup(database, LOCAL_OPERATOR, path, anyway=anyway)
    if as_json:
        print_json(
            {
                "database": str(database),
                "backup": str(path),
                "bytes": done.n_bytes,
                "kept": None if done.kept is None else str(done.kept),
                "migrations": done.migrations,
                "problems": done.problems,
            }
        )
        return
    for problem in done.problems:
        click.echo(problem, err=True)
    click.echo(f"Restored {database} from {path} ({counted(done.n_bytes, 'byte')}).")
    if done.migrations:
        click.echo(
            f"The backup is of an older version; its copy was brought up to date ({', '.join(done.migrations)})."
        )
    if done.kept is not None:
        names = ", ".join(path.name for path in sorted(done.kept.parent.glob(f"{glob.escape(done.kept.name)}*")))
        click.echo(f"The old files are kept in {done.kept.parent}: {names}.")


@click.command()
@json_option
@click.pass_obj
def check(database: Path, as_json: bool) -> int:
    """Check the file and everything in it; exit 1 when something is wrong."""
    from annotator.usecases.upkeep import check as check_data
    from annotator.usecases.upkeep import leftovers

    with opened(database) as store:
        problems = store.problems()
        # A damaged file cannot be read further; what its own check says is the answer.
        problems += [] if problems else check_data(store)
    left = leftovers(database.absolute())
    if as_json:
        print_json({"database": str(database), "problems": problems, "leftovers": left})
    else:
        for problem in problems:
            click.echo(problem, err=True)
        if not problems:
            click.echo(f"{database} is in order.")
        for sentence in left:
            click.echo(sentence)
    return 1 if problems else 0
