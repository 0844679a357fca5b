"""What commands share: groups whose modules are imported when used, opening the database, and how they answer."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue

if TYPE_CHECKING:
    from annotator.attribution.base import TooLong
    from annotator.domain.projects import Project
    from annotator.usecases.databases import Store
    from annotator.usecases.models.engines import Engine

Command = TypeVar("Command", bound=Callable[..., object])


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """click's, whose help says its default, unless that is nothing."""
    return click.option(*names, show_default=settings.get("default") != "", **settings)


def options_of(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Several options of a command at once, in the order of its help."""
    return lambda command: reduce(lambda made, decorate: decorate(made), reversed(decorators), command)


device_option = option("--device", default="auto", help="Where a transformers model runs: auto, cpu or cuda.")
threads_option = option(
    "--threads", type=click.IntRange(min=1), default=1, help="Threads of a transformers model on a CPU."
)
inputs_option = option(
    "--inputs-at-once", type=click.IntRange(min=1), help="How many texts a transformers model takes at once."
)
hub_option = option(
    "--allow-model-hub", "asks_hub", is_flag=True,
    help="Allow a transformers model to be fetched from the Hugging Face hub. Else a name means one that was fetched before.",
)  # fmt: skip


def too_long_option(default: "TooLong") -> Callable[[Command], Command]:
    """What happens to texts that a model cannot take whole."""
    return option(
        "--too-long",
        type=click.Choice(["refuse", "cut", "windows"]),
        default=default,
        help="What happens to texts beyond the model's limit. A model trained in windows always reads so.",
    )


engine_options = options_of(
    option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        help="Where the models work: in this process, or by workers of Ray (extra `ray`), see docs/machines.md.",
    ),
    option(
        "--workers", type=click.IntRange(min=1),
        help="With --engine ray: how many workers, each with its own model.  [default: as many as there is room for]",
    ),
    option("--gpus-per-worker", type=click.FloatRange(min=0), help="With --engine ray: such as 1 or 0.5.  [default: 0]"),
    option(
        "--ray-address", metavar="ADDRESS",
        help="With --engine ray: of a cluster.  [default: RAY_ADDRESS; without it, this machine alone]",
    ),
)  # fmt: skip


def engine_of(options: dict[str, Any]) -> "Engine":
    """The engine of these options, which are taken out of the others."""
    from annotator.jobs.ray_engine import engine_named

    return engine_named(*(options.pop(name) for name in ("engine", "workers", "gpus_per_worker", "ray_address")))


rename_option = option(
    "--rename", "renamed", multiple=True, metavar="MODEL_LABEL=LABEL",
    help="The project's name for a label of the model, or nothing after the = for a label that is never an "
    "answer; repeat it for several. It is remembered.",
)  # fmt: skip
json_option = option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
project_option = option("--project", "project_name", required=True, metavar="NAME", help="The project.")
answering = options_of(json_option, click.pass_obj)  # for a command that gets the database, and may answer as JSON
on_project = options_of(project_option, answering)


def examples(*lines: str) -> Callable[[Command], Command]:
    """Ends the help of a command with lines to copy, which click leaves as they are."""

    def with_examples(command: Command) -> Command:
        copied = "\n".join(f"    {line}" for line in lines)
        command.__doc__ = f"{inspect.cleandoc(command.__doc__ or '')}\n\n\b\n{copied}"
        return command

    return with_examples


@contextmanager
def opened(path: Path, *, create: bool = False) -> Iterator["Store"]:
    """create: a database that is not there is made, and is gone again where the command is refused."""
    from annotator.usecases.databases import open_store

    with ExitStack() as on_refusal:
        if create and not path.exists():
            on_refusal.callback(path.unlink, missing_ok=True)
        with open_store(path, create=create) as store:
            yield store
        on_refusal.pop_all()


@contextmanager
def opened_project(path: Path, name: str) -> Iterator[tuple["Store", "Project"]]:
    """The database of the command, with one of its projects."""
    from annotator.usecases.databases import find_project

    with opened(path) as store:
        yield store, find_project(store, name)


def print_json(answer: Mapping[str, object]) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2))


def respond(as_json: bool, values: Mapping[str, object], *lines: str) -> None:
    """What a command found or did: one JSON object, or lines for people."""
    if as_json:
        print_json(values)
    else:
        for line in lines:
            click.echo(line)


def show_rest(n: int, n_shown: int, what: str) -> None:
    """On standard error, how many there are beside those that were shown."""
    hidden = n - n_shown
    if hidden > 0:
        click.echo(f"... and {counted(hidden, f'more {what}')}", err=True)


def pairs_of(written: Sequence[str], option: str, *, may_be_empty: bool = False) -> dict[str, str]:
    """NAME=VALUE as a mapping; the first = divides. may_be_empty: a value may be nothing."""
    pairs = {}
    for text in written:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not (value.strip() or may_be_empty):
            raise InvalidValue(f"{option} {text}: write a name, =, and a value.")
        pairs[name.strip()] = value.strip()
    return pairs


# Groups of commands whose modules are imported when a command is used, so that none pays for what another needs.


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


def show_left_out(left_out: Sequence[tuple[str, str]], n: int, summary: str) -> None:
    """The first instances for which a model failed, each with its reason, how many more there are, and why."""
    for key, reason in left_out:
        click.echo(f"left out: instance '{key}': {reason}", err=True)
    show_rest(n, len(left_out), "instance")
    if n:
        click.echo(summary, err=True)
