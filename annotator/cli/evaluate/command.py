"""`annotator evaluate`: scoring, in place of the papers' own programs."""

import click

from annotator.cli.commands import Commands, LazyGroup

COMMANDS: Commands = {
    "eraser": ("annotator.cli.evaluate.files:eraser", "Predictions in ERASER's form, from files alone."),
    "benchmark": ("annotator.cli.evaluate.files:benchmark", "Predictions for the benchmark, from files alone."),
    "edits": ("annotator.cli.evaluate.files:edits", "Attributions against edited words, from files alone."),
    "alignment": ("annotator.cli.evaluate.files:alignment", "ER-TEST's criteria, from files alone."),
    "tests": ("annotator.cli.evaluate.files:tests", "Functional tests and contrast sets, from files alone."),
    "models": ("annotator.cli.evaluate.project:models", "Two models beside each other: won and lost."),
    "minutes": (
        "annotator.cli.evaluate.minutes:minutes",
        "What minutes of labels and of rationales bring: trains models.",
    ),
    "project": ("annotator.cli.evaluate.project:project", "A project's models against its gold."),
}


@click.group(cls=LazyGroup, commands=COMMANDS)
def evaluate() -> None:
    """Scores of models, by the papers' numbers. docs/scores.md describes what --json holds, what is counted, and what
    is refused.
    """
