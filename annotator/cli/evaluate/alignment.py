"""`annotator evaluate alignment`: ER-TEST's alignment criteria, as defined and as released."""

from typing import Any

import click

from annotator.cli.answers import json_option
from annotator.cli.scores import file_options, files_of, registered_value, rows_by_name, show_scores
from annotator.domain.tasks import TASKS, get_task


@click.command("alignment")
@click.option("--task", "task_name", required=True, type=click.Choice([*TASKS]), help="The kind of input.")
@file_options(gold_format="jsonl")
@click.option(
    "--gamma", type=float, default=1.0, show_default=True, help="The factor that attributions are multiplied by."
)
@click.option("--delta", type=float, default=1.0, show_default=True, help="The threshold of the Huber loss.")
@click.option("--batch-size", type=int, help="Instances in a batch, for the released numbers; by default all in one.")
@json_option
def alignment(
    *,
    intervals: bool,
    as_json: bool,
    task_name: str,
    gamma: float,
    delta: float,
    batch_size: int | None,
    **options: Any,
) -> None:
    """Score ER-TEST's alignment criteria from files alone, as the paper defines them and as its code computes them
    (Joshi et al. 2022).
    """
    from annotator.evaluation.attributions import evaluate_alignment

    files = files_of(get_task(task_name), options)
    n_resamples = 1000 if intervals else 0
    numbers = evaluate_alignment(files, gamma=gamma, delta=delta, batch_size=batch_size, n_resamples=n_resamples)
    show_scores(numbers if as_json else rows_by_name(numbers), registered_value, as_json=as_json)
