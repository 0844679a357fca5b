"""Writes the documents that are made from the program: python -m tools.documents writes docs/commands.md and docs/settings.md."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path

import click

from annotator.cli.main import annotator as program
from annotator.domain.projects import SETTINGS, ProjectSettings

DOCS = Path(__file__).resolve().parents[1] / "docs"
AGAIN = "Write it again: python -m tools.documents"

# The chapters of docs/commands.md with their commands; a command that is in none fails the test.
CHAPTERS = {
    "Starting": ("demo", "serve", "desktop"),
    "Accounts": ("user",),
    "Crowd workers": ("crowd",),
    "Tokens": ("token",),
    "Projects": ("project", "label"),
    "Notices": ("notices",),
    "Data": ("import", "export", "split"),
    "Releases": ("release",),
    "Second passes": ("evidence",),
    "Audits": ("audit",),
    "Texts": ("instances", "order"),
    "People's work": ("training", "progress", "stats"),
    "Models": ("train", "attribute", "sufficient", "prompts", "explain-self", "shadow-review"),
    "Functional tests": ("suite", "words"),
    "Scores": ("evaluate",),
    "The papers' tables": ("table",),
    "Reports": ("report", "reproduce"),
    "Care": ("backup", "restore", "check"),
}
_COMMANDS = """\
# Commands

What `annotator COMMAND --help` says. Made from the program by `python -m tools.documents`; a test fails when it is out of date.

* **Database.** `annotator --db PATH COMMAND ...`, else the variable `ANNOTATOR_DB`, else `annotator.db` in the working folder.
  Only `demo`, `serve`, `project create` and `user add` (without `--project`) make one that is missing.
  `demo` ignores `ANNOTATOR_DB`.
* **Who.** Commands act as the *local operator*, an administrator; the record of events says so.
* **Exit codes.** 0: done. 1: an input or a value was refused; standard error says which, where and why. 2: wrong usage.
* **`--json`** prints one JSON object to standard output and nothing else.
* **`--split S`** names a split that is there; another name is refused with those that there are.
"""
_SETTINGS = """\
# Settings

Made from the program by `python -m tools.documents`; a test fails when it is out of date.

## Of a project

The lead sets them on the page *Project*; they are stored with the project, and annotator JSONL carries them. A value that is not
possible is refused with what is allowed. What the rules mean is in [rules](rules.md).

| setting | default | what it decides |
|---|---|---|
"""
_VARIABLES = """
## Of the program

| variable | what it decides |
|---|---|
"""
# The variables of the environment, which several rooms, the Makefile and the tests read.
VARIABLES = {
    "ANNOTATOR_DB": "The database of commands without `--db`; by default `annotator.db` in the working folder.",
    "ANNOTATOR_URL": (
        "Where people reach the server, for printed links; by default where it listens. Without a server `user add` "
        "and `user reset` print http://127.0.0.1:8501."
    ),
    "ANNOTATOR_ALLOWED_HOSTS": (
        "Further names under which `serve` answers, with spaces between them, as `--allowed-host` "
        "(docs/server.md#names)."
    ),
    "ANNOTATOR_LOG_FORMAT": "How `serve` writes its log: `text` or `json` ([deploy](deploy.md#log-and-numbers)).",
    "ANNOTATOR_METRICS_TOKEN": (
        "The token with which `/health/metrics` answers; without it nothing is there ([deploy](deploy.md#log-and-numbers))."
    ),
    "ANNOTATOR_ALLOW_MODEL_HUB": (
        "`1`: models that pages name may be fetched from the Hugging Face hub; else no other host is asked."
    ),
    "ANNOTATOR_CROWD_AT_ONCE": (
        "How many crowd workers may work at once, by all links of the server; by default 200 (docs/crowd.md)."
    ),
    "ANNOTATOR_MODELS": (
        "Folders (separated as in `PATH`) in which models that pages name must lie; by default any that the server "
        "can read. The project's trained models are always allowed, and commands are not bound by it."
    ),
    "ANNOTATOR_MODEL_ADDRESS": (
        "Where a language model of this machine is asked for its reasons, such as http://127.0.0.1:11434/v1; by "
        "default none is (docs/self_explanations.md)."
    ),
    "ANNOTATOR_MODEL_KEY": "The key for that server; it is never stored, shown or logged.",
    "ANNOTATOR_MODEL_KEY_FILE": "A file with the key, which nobody else may read, instead of the variable.",
    "ANNOTATOR_MODEL_SECONDS": "How long a request to it may take, by default 120.",
    "ANNOTATOR_MODEL_HOURS": "How long one piece of work with it may take, by default 12.",
    "ANNOTATOR_SMTP_PASSWORD": (
        "The password of the mail server, instead of the one that was entered (docs/notices.md#secrets)."
    ),
    "ANNOTATOR_WEBHOOK_SECRET": "The key that signs the webhook's calls, instead of the one that was made.",
    "ANNOTATOR_SSO": "The settings file of single sign-on, as `--sso` (docs/single_sign_on.md).",
    "ANNOTATOR_SSO_SECRET": "The client secret of single sign-on, instead of the one in that file.",
    "ANNOTATOR_SSO_ONLY": "Set by `serve` itself: the provider's name while local accounts are off.",
    "FORWARDED_ALLOW_IPS": (
        "Proxies that are trusted about addresses and TLS; by default 127.0.0.1 (docs/deploy.md#proxy)."
    ),
    "ANNOTATOR_REQUIRE_BROWSER": (
        "For `make test`: `1` makes a missing browser a failure; else browser tests are skipped."
    ),
    "ANNOTATOR_REQUIRE_MODELS": (
        "For `make test`: `1` makes a missing extra `models` a failure; else its tests are skipped."
    ),
    "ANNOTATOR_REQUIRE_NODE": (
        "For `make test`: `1` makes a missing Node a failure; else the panel's JavaScript is not checked."
    ),
}
_CODE = re.compile(r"(`[^`]+`)")  # what a text quotes already
_WORDS = re.compile(r"(?<![\w/-])(--?[a-z][a-z0-9-]*|ANNOTATOR_[A-Z_]+)")  # options and variables
_LINK = re.compile(r"docs/(\w+)\.md(#[\w-]*\w)?")
_EXTRA = re.compile(r"\s*\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]$")  # what click adds: default, range, required


def commands_document() -> str:
    """Every command: how it is called, what it does, its options with their defaults."""
    return "\n".join([_COMMANDS, *(line for title in CHAPTERS for line in _chapter(title))])


def _chapter(title: str) -> Iterator[str]:
    context = click.Context(program, info_name="annotator")
    yield f"## {title}\n"
    for name in CHAPTERS[title]:
        command = program.get_command(context, name)
        if command is not None:
            yield from _command(command, f"annotator {name}", context)


def _command(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    if isinstance(command, click.Group):
        yield from _paragraphs(command)
        for inner in command.list_commands(context):
            inner_command = command.get_command(context, inner)
            if inner_command is not None:
                yield from _command(inner_command, f"{name} {inner}", context)
        return
    arguments = [piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    yield f"### `{' '.join([name, *arguments])}`\n"
    yield from _paragraphs(command)
    options = [*_options(command, context)]
    if options:
        yield "\n".join(options) + "\n"


def _paragraphs(command: click.Command) -> Iterator[str]:
    """The help's paragraphs; what click leaves as it is laid out becomes a block of its own."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```text\n{inspect.cleandoc(paragraph[1:])}\n```\n"
        else:
            yield as_markdown(" ".join(paragraph.split())) + "\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            names, words = record
            extra = _EXTRA.search(words)
            parts = [as_markdown(_EXTRA.sub("", words)), f"*[{_escaped(extra[1])}]*" if extra else ""]
            yield f"* `{names.replace(' RANGE', '')}`: {' '.join(filter(None, parts))}"


def settings_document() -> str:
    """Every setting of a project with its default, and every variable of the program."""
    settings = (
        f"| `{field.name}` | `{_default_of(field)}` | {_cell(SETTINGS[field.name])} |\n"
        for field in fields(ProjectSettings)
    )
    variables = (f"| `{name}` | {_cell(words)} |\n" for name, words in VARIABLES.items())
    return "".join([_SETTINGS, *settings, _VARIABLES, *variables])


def _default_of(field: "Field[object]") -> str:
    """As JSON has it, without the marks around a text."""
    default = {} if field.default is MISSING else field.default
    return json.dumps(default, ensure_ascii=False, default=str).strip('"')


def _cell(text: str) -> str:
    return as_markdown(text).replace("|", "\\|")


def as_markdown(text: str) -> str:
    r"""A text of the program in Markdown: options and variables as code, documents as links, no other markup.

    >>> as_markdown("Only with --align; docs/training.md#sweeps says more of `a_b` and c_d.")
    'Only with `--align`; [training](training.md#sweeps) says more of `a_b` and c\\_d.'
    """
    return "".join(part if index % 2 else _marked(part) for index, part in enumerate(_CODE.split(text)))


def _marked(text: str) -> str:
    parts = _WORDS.split(text)
    return "".join(f"`{part}`" if index % 2 else _linked(part) for index, part in enumerate(parts))


def _linked(text: str) -> str:
    parts, end = [], 0
    for match in _LINK.finditer(text):
        parts += [_escaped(text[end : match.start()]), f"[{match[1].replace('_', ' ')}]({match[1]}.md{match[2] or ''})"]
        end = match.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"([*_<])", r"\\\1", text)


# What is written, by its name in docs/.
DOCUMENTS: dict[str, Callable[[], str]] = {"commands.md": commands_document, "settings.md": settings_document}


if __name__ == "__main__":
    for document, written in DOCUMENTS.items():
        (DOCS / document).write_text(written(), encoding="utf-8")
