"""`annotator words`: the word lists of a project."""

from pathlib import Path

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.suites import WORD_LIST_ROLES, WordListRole
from annotator.errors import InvalidValue

_SHOWN = 8
_project = click.option("--project", "project_name", required=True, metavar="P", help="The project.")


@click.group()
def words() -> None:
    """Word lists: what fills the slots of templates, and what is to be marked or left alone."""


@words.command(name="list")
@_project
@json_option
@click.pass_obj
def list_(path: Path, project_name: str, as_json: bool) -> None:
    """List the word lists of a project."""
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.project.word_lists import word_lists

    with opened(path) as store:
        stored_lists = word_lists(store, LOCAL_OPERATOR, find_project(store, project_name))
    if as_json:
        lists = [{"name": w.name, "role": w.role, "language": w.language, "words": list(w.words)} for w in stored_lists]
        print_json({"word_lists": lists})
        return
    for word_list in stored_lists:
        rest = f" and {len(word_list.words) - _SHOWN:,} more" if len(word_list.words) > _SHOWN else ""
        click.echo(
            f"{word_list.name} ({word_list.role}, {word_list.language}): {', '.join(word_list.words[:_SHOWN])}{rest}"
        )
    if not stored_lists:
        click.echo("There are no word lists yet. Save one with 'annotator words save NAME FILE --project P'.")


@words.command()
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_project
@click.option(
    "--role",
    type=click.Choice(WORD_LIST_ROLES),
    default="slot",
    show_default=True,
    help="slot: it fills templates; keep: its words are proposed as rationale; ignore: they are shown as none.",
)
@click.option("--language", help="The language; by default the project's.")
@click.pass_obj
def save(path: Path, name: str, file: Path, project_name: str, role: WordListRole, language: str | None) -> None:
    """Save a word list from a text file, one word on each line; "big | small" are two forms of one word. It replaces
    the list of its name.
    """
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.project.word_lists import save_word_list

    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidValue(f"'{file}' is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    with opened(path) as store:
        project = find_project(store, project_name)
        made = save_word_list(store, LOCAL_OPERATOR, project, name, lines, role=role, language=language)
    click.echo(f"The list '{made.name}' has {counted(len(made.words), 'word')}.")


@words.command()
@click.argument("name")
@_project
@click.pass_obj
def remove(path: Path, name: str, project_name: str) -> None:
    """Remove a word list; tests that were made with it keep their cases."""
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.project.word_lists import remove_word_list

    with opened(path) as store:
        remove_word_list(store, LOCAL_OPERATOR, find_project(store, project_name), name)
    click.echo(f"The list '{name}' has been removed.")
