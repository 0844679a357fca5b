"""`annotator user anonymise`, `erase`, `export` and `wipe`: a person and their data, as the local operator."""

from pathlib import Path

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import InvalidValue
from annotator.files import part_folder, put_in_place

_confirm_option = click.option(
    "--confirm",
    metavar="NAME",
    help="The name once more, for scripts; --json needs it. Without it you are asked to type it.",
)


@click.command()
@click.argument("name")
@_confirm_option
@json_option
@click.pass_obj
def anonymise(path: Path, name: str, confirm: str | None, as_json: bool) -> None:
    """Remove the account, name and words of NAME; what they marked and scored stays under a drawn name.

    What goes and what stays is printed first, and the name has to be typed. Numbers do not change. Afterwards the
    file is rewritten, so that no byte is left. See docs/personal_data.md.
    """
    from annotator.usecases.persons.erasure import anonymise as anonymise_person
    from annotator.usecases.persons.erasure import anonymising_lines, plan_anonymising

    with opened(path) as store:
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
@json_option
@click.pass_obj
def erase(path: Path, name: str, confirm: str | None, as_json: bool) -> None:
    """Remove NAME with all that they marked, scored and wrote; gold is computed again.

    Releases say how many sets are gone, not whose. What goes and what stays is printed first, and the name has to be
    typed. See docs/personal_data.md.
    """
    from annotator.usecases.persons.erasure import erase as erase_person
    from annotator.usecases.persons.erasure import erasing_lines, plan_erasing

    with opened(path) as store:
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
    with opened(path) as store:
        content = data_of_person(store, LOCAL_OPERATOR, name)
    with part_folder(file) as folder:
        made = folder / file.name
        made.touch(mode=0o600)  # it is one person's, and whoever wrote it hands it on
        made.write_bytes(content)
        put_in_place(made, file)
    click.echo(f"Wrote everything about '{name}' to {file}.")


@click.command()
@json_option
@click.pass_obj
def wipe(path: Path, as_json: bool) -> int:
    """Rewrite the database file where bytes are left of somebody who was anonymised or erased.

    `annotator check` says when that is needed: a process was killed, or somebody was reading. A server that starts
    does the same. The exit code is 1 if it was not possible.
    """
    from annotator.usecases.persons.removal import NOT_WIPED, finish_removals

    with opened(path) as store:
        is_wiped = finish_removals(store)
    if as_json:
        print_json({"is_wiped": is_wiped})
    else:
        click.echo(f"No byte is left in {path} of whoever was taken out." if is_wiped else NOT_WIPED)
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
        print_json(answer)
        return
    click.echo(sentence)
    click.echo(BACKUPS_HOLD)
    if not is_wiped:
        click.echo(NOT_WIPED, err=True)
