"""Groups of commands whose modules are imported when a command is used, so that none pays for what another needs."""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

import click

Commands = Mapping[str, tuple[str, str]]


class LazyGroup(click.Group):
    """A group that knows its commands by name: where each is written ("module:attribute"), and its line in the help."""

    def __init__(self, *arguments: object, commands: Commands, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]  # click's own
        self.places = commands

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in self.places:
            return None
        module, attribute = self.places[name][0].split(":")
        return cast("click.Command", getattr(import_module(module), attribute))

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in self.places.items()])
