"""The program `annotator`: its options, its list of commands, and errors as sentences with an exit code.

Each command's module is imported when the command is used, so that none pays for what another needs.
"""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from annotator import __version__
from annotator.cli.commands import Commands, LazyGroup, option, show_rest
from annotator.domain.file_problems import group_problems
from annotator.errors import AnnotatorError, ImportRefused

DEFAULT_DATABASE = Path("annotator.db")

# Name, where it is written ("module:attribute"), and its line in the help, which therefore imports nothing.
COMMANDS: Commands = {
    "demo": ("annotator.cli.server:demo", "Serve the demonstration on this machine."),
    "desktop": ("annotator.cli.server:desktop", "Open a file in a window of its own."),
    "serve": ("annotator.cli.server:serve", "Serve a database."),
    "user": ("annotator.cli.accounts:user", "Manage accounts: add, list, disable, reset."),
    "crowd": ("annotator.cli.crowd:crowd", "Manage links for crowd workers: make, list, set, codes, code."),
    "token": ("annotator.cli.accounts:token", "Manage API tokens for scripts: make, list, revoke."),
    "project": ("annotator.cli.projects:project", "Manage projects: create, list, show, archive, delete."),
    "label": ("annotator.cli.labels:label", "Manage a project's labels: list, add, rename, map."),
    "import": ("annotator.cli.transfer:import_", "Read a file into a project."),
    "export": ("annotator.cli.transfer:export", "Write a project to a file."),
    "release": ("annotator.cli.release:release", "Freeze a project's gold, compare and export what was frozen."),
    "evidence": ("annotator.cli.evidence:evidence", "Manage second passes that mark all the evidence."),
    "audit": ("annotator.cli.audit:audit", "Manage audits of changed versions: draw, show, remedy."),
    "split": ("annotator.cli.projects:split", "Divide a project's instances into splits, by document."),
    "instances": ("annotator.cli.instances:instances", "Search a project's texts, change many at once, and undo it."),
    "order": ("annotator.cli.projects:order", "Show or set in which order texts are given out."),
    "training": ("annotator.cli.qualification:training", "Show or set who needs training before they get work."),
    "notices": ("annotator.cli.notices:notices", "Set notices by mail and webhook, and try them."),
    "stats": ("annotator.cli.projects:stats", "Show size, tokens, rationales and progress of a project."),
    "progress": ("annotator.cli.progress:progress", "Show a project's days, people, end, time and cost."),
    "train": ("annotator.cli.train:train", "Train a model on a project's gold."),
    "attribute": ("annotator.cli.attribute:attribute", "Compute a model's answers and attributions."),
    "sufficient": ("annotator.cli.sufficient:sufficient", "Find sets of tokens that are enough for a model's answers."),
    "prompts": ("annotator.cli.self_explanations:prompts", "Write prompts that ask a model for its own reasons."),
    "explain-self": (
        "annotator.cli.self_explanations:explain_self",
        "Ask a model of this machine for its own reasons.",
    ),
    "shadow-review": (
        "annotator.cli.self_explanations:shadow_review",
        "Ask a model of this machine for a reviewer's scores.",
    ),
    "suite": ("annotator.cli.suites:suite", "Manage functional tests: make, run, score, exchange."),
    "words": ("annotator.cli.suites:words", "Manage word lists: list, save, remove."),
    "evaluate": (
        "annotator.cli.evaluate.command:evaluate",
        "Score files or a project's models with the papers' metrics.",
    ),
    "table": ("annotator.cli.table:table", "Print a project's numbers as the papers' tables."),
    "report": ("annotator.cli.report:report", "Write a comparison of models as one HTML page."),
    "reproduce": ("annotator.cli.report:reproduce", "Reproduce the numbers of a results card."),
    "backup": ("annotator.cli.upkeep:backup", "Copy the database while people work."),
    "restore": ("annotator.cli.upkeep:restore", "Replace the database by a backup."),
    "check": ("annotator.cli.upkeep:check", "Check the database and everything in it."),
}


@click.group(cls=LazyGroup, commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@option(
    "--db", type=click.Path(path_type=Path, dir_okay=False), envvar="ANNOTATOR_DB", default=DEFAULT_DATABASE,
    help="The database (also ANNOTATOR_DB).",
)  # fmt: skip
@click.version_option(__version__, package_name="rationale-annotator", prog_name="annotator")
@click.pass_context
def annotator(context: click.Context, db: Path) -> None:
    """Mark, review and inspect rationale sets: the tokens of a text that justify its label."""
    context.obj = db


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave: 0 done, 1 the input or a value was refused, 2 wrong usage."""
    # What a command imports stays; looking for garbage in it took a tenth of a short one's time.
    gc.set_threshold(10_000, 10, 10)
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; answers the exit code."""
    try:
        result = annotator.main(arguments, prog_name="annotator", standalone_mode=False)
    except click.Abort:
        click.echo("Stopped.", err=True)
        return 1
    except click.ClickException as error:
        error.show()
        return _code_of(error)
    except AnnotatorError as error:
        _show(error)
        return 1
    return result if isinstance(result, int) else 0


def _code_of(error: click.ClickException) -> int:
    """A value that was refused is no wrong usage; a missing one is."""
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        return 1
    return error.exit_code


def _show(error: AnnotatorError) -> None:
    click.echo(str(error), err=True)
    if isinstance(error, ImportRefused):
        for problem in group_problems(error.problems):
            click.echo(f"  {problem}", err=True)
        show_rest(error.n_problems, sum(problem.n for problem in error.problems), "problem")
        for note in error.notes:
            click.echo(f"note: {note}", err=True)


if __name__ == "__main__":
    main()
