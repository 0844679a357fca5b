"""docs/commands.md and docs/settings.md are what the program says, and the examples of the commands' help can be typed."""

import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest

from annotator.cli.main import COMMANDS
from annotator.cli.main import annotator as program
from annotator.domain.projects import SETTINGS, ProjectSettings
from tests.house.test_documents import click_commands
from tools.documents import AGAIN, CHAPTERS, DOCS, DOCUMENTS, as_markdown


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == DOCUMENTS[name](), AGAIN


def test_a_process_of_its_own_says_the_same_of_the_commands(tmp_path: Path) -> None:
    code = "import sys; from tools.documents import commands_document; sys.stdout.write(commands_document())"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    assert done.stdout == (DOCS / "commands.md").read_text(encoding="utf-8")


def test_every_command_is_in_one_chapter() -> None:
    assert sorted(name for names in CHAPTERS.values() for name in names) == sorted(COMMANDS)


def test_every_setting_says_what_it_decides() -> None:
    assert [*SETTINGS] == [field.name for field in fields(ProjectSettings)]


def test_every_option_has_a_help_text() -> None:
    silent = [
        f"annotator {name} {option.opts[0]}"
        for name, command in click_commands().items()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert not silent


def examples() -> list[str]:
    helps = (command.help or "" for command in click_commands().values())
    lines = (line.strip() for text in helps for line in text.splitlines())
    return [line for line in lines if line.startswith("annotator ")]


def test_the_examples_of_the_help_name_commands_and_options_that_are_there() -> None:
    assert len(examples()) > 20
    for example in examples():
        context = click.Context(program, info_name="annotator")
        _, words, _ = program.make_parser(context).parse_args(args=shlex.split(example)[1:])
        command: click.Command = program
        while isinstance(command, click.Group):
            found = command.get_command(context, words[0])
            assert found is not None, example
            command, words = found, words[1:]
        parsed, _, _ = command.make_parser(click.Context(command)).parse_args(args=list(words))
        missing = [of.opts[0] for of in command.params if of.required and of.name not in parsed]
        assert not missing, example


def test_markup_of_a_help_text_stays_text() -> None:
    assert as_markdown("a < b, *c* and d_e") == r"a \< b, \*c\* and d\_e"
    assert as_markdown("ANNOTATOR_DB or `--db`, see docs/rules.md") == "`ANNOTATOR_DB` or `--db`, see [rules](rules.md)"
