"""`annotator backup`, `annotator restore` and `annotator check`."""

import glob
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from annotator.store.persons.erasure import Removal
    from annotator.usecases.persons.erasure import RemovedSince

from annotator.cli.commands import answering, opened, option, print_json, respond
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@answering
def backup(database: Path, path: Path, as_json: bool) -> None:
    """Copy the whole database to PATH while others work. The copy is complete, or it does not appear.

    Only its owner can read it. Never copy a database in use with cp: it leaves out what is still in the log. This
    also works when the database's disk is full, onto another one. Trained models (DATABASE.models) are not copied.
    See docs/server.md.
    """
    from annotator.usecases.upkeep import back_up

    with opened(database) as store:
        trouble = back_up(store, LOCAL_OPERATOR, path)
    size = path.stat().st_size
    respond(as_json, {"backup": str(path), "bytes": size}, f"Copied {database} to {path} ({counted(size, 'byte')}).")
    if trouble:
        click.echo(trouble, err=True)


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@option("--anyway", is_flag=True, help="Restore even a backup with defects, and list them.")
@option("--bring-back", is_flag=True, help="Bring back people who were erased since, if that was a mistake.")
@answering
def restore(database: Path, path: Path, anyway: bool, bring_back: bool, as_json: bool) -> None:
    """Put the backup PATH in the place of the database. What was there is kept under another name, which is printed.

    Stop the server first: nobody may have the database open. The backup is checked before anything changes. People
    who were erased or anonymised since are removed again; mail and webhook are off afterwards. See
    docs/server.md#restore.
    """
    from annotator.usecases.restoration import restore as restore_backup

    if not as_json:
        click.echo("Copying and checking the backup ...", err=True)

    def tell(since: "RemovedSince") -> None:
        for line in () if as_json else _lines_of_removed(since, database, brings_back=bring_back):
            click.echo(line, err=True)

    done = restore_backup(database, LOCAL_OPERATOR, path, anyway=anyway, brings_back=bring_back, tell=tell)
    if as_json:
        print_json(
            {
                "database": str(database),
                "backup": str(path),
                "bytes": done.n_bytes,
                "kept": None if done.kept is None else str(done.kept),
                "migrations": done.migrations,
                "problems": done.problems,
                "removed_again": 0 if bring_back else len(done.since.again),
                "removed_by_earlier_versions": len(done.since.unknown),
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


def _lines_of_removed(since: "RemovedSince", database: Path, *, brings_back: bool) -> list[str]:
    """Who was taken out since the backup: by account number and day, since a name is what was taken out."""
    lines = []
    if since.again:
        what = "They come back with it" if brings_back else "This is done again in what is restored"
        lines.append(f"Since this backup: {', '.join(map(_removal_words, since.again))}. {what}.")
    if since.unknown:
        people = counted(len(since.unknown), "person", "people")
        days = ", ".join(sorted({removal.at[:10] for removal in since.unknown}))
        lines.append(
            f"Since this backup {people} may have been erased or anonymised by a version that did not note whom ({days}). "
            "Do it again: 'annotator user erase NAME' or 'annotator user anonymise NAME'."
        )
    if not since.is_known:
        lines.append(
            f"Nothing here says who was erased since this backup, so they come back. '{database.name}.removals' would: it "
            "stands beside the database that was backed up, if anybody was erased. Put it here, and restore again."
        )
    return lines


def _removal_words(removal: "Removal") -> str:
    who = "a person without an account" if removal.account is None else f"account {removal.account}"
    verb = "erased" if removal.kind == "erase" else "anonymised"
    return f"{who} was {verb} on {removal.at[:10]}"


@click.command()
@answering
def check(database: Path, as_json: bool) -> int:
    """Check the database and everything in it; exit 1 when something is wrong.

    It looks for damaged pages, rows that point nowhere, wrong offsets and counts, and texts held by people who saw
    others' marks. It also names files that killed processes left, and what to do with them; these are no error.
    """
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
