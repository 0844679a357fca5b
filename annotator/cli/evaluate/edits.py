"""`annotator evaluate edits`: how high models rank the words that an edit changed."""

from typing import Any

import click

from annotator.cli.answers import json_option
from annotator.cli.scores import file_options, files_of, registered_value, rows_by_name, show_scores
from annotator.domain.tasks import get_task


@click.command("edits")
@file_options(gold_format="aesw")
@json_option
def edits(*, intervals: bool, as_json: bool, **options: Any) -> None:
    """How high models rank the words that an edit changed."""
    from annotator.evaluation.attributions import evaluate_edits

    files = files_of(get_task("editing"), options)
    n_resamples = 1000 if intervals else 0
    numbers = evaluate_edits(files, n_resamples=n_resamples)
    show_scores(numbers if as_json else rows_by_name(numbers), registered_value, as_json=as_json)
