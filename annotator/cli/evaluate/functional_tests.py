"""`annotator evaluate tests`: functional tests and contrast sets, as ER-TEST and CheckList score them."""

from collections.abc import Mapping
from pathlib import Path

import click

from annotator.cli.answers import examples, json_option
from annotator.cli.scores import show_scores

_PATH = click.Path(path_type=Path)


@click.command("tests")
@click.option("--suite", type=_PATH, help="Functional tests, one case on each line.")
@click.option("--contrast", type=_PATH, help="Contrast sets, an original and its changed versions on each line.")
@click.option(
    "--predictions",
    required=True,
    multiple=True,
    type=_PATH,
    help="What the model predicts for all texts; repeat it. Each seed, or each file without seeds, is a run.",
)
@click.option(
    "--base-predictions",
    "base",
    multiple=True,
    type=_PATH,
    help="Predictions of a model to compare with; repeat it for its seeds.",
)
@click.option("--groups", type=_PATH, help='Words by group, as JSON: {"women": ["she", ...]}.')
@click.option("--positive", metavar="LABEL", help="The label whose false positives count, with --groups.")
@click.option("--intervals", is_flag=True, help="Bootstrap intervals (1,000 resamples) of the means.")
@json_option
@examples("annotator evaluate tests --suite suite.jsonl --predictions seed0.jsonl --predictions seed1.jsonl")
def tests(
    suite: Path | None,
    contrast: Path | None,
    predictions: tuple[Path, ...],
    base: tuple[Path, ...],
    groups: Path | None,
    positive: str | None,
    intervals: bool,
    as_json: bool,
) -> None:
    """Score predictions for functional tests and contrast sets, from files alone, with the numbers of ER-TEST.

    Name --suite, --contrast or both. docs/tests.md#files-of-suites-and-predictions describes the files.
    """
    from annotator.evaluation.er_test.scores import ScoredFiles, evaluate_tests

    if suite is None and contrast is None:
        raise click.UsageError("Name what is to be scored: --suite, --contrast, or both.")
    if (groups is None) != (positive is None):
        raise click.UsageError("--groups and --positive need each other: give both.")
    files = ScoredFiles(predictions, suite, contrast, base, groups, positive)
    scores = evaluate_tests(files, n_resamples=1000 if intervals else 0)
    show_scores(scores, _registered(scores).get, as_json=as_json)


def _registered(scores: Mapping[str, object]) -> dict[str, str]:
    """The names in the register, by the places of the numbers that have one."""
    names = {f"contrast.{name}.value": f"contrast.{name}" for name in _CONTRAST}
    names |= {f"contrast.base.{name}.value": f"contrast.{name}" for name in _CONTRAST}
    for part in ("originals", "contrasts"):
        names[f"contrast.opportunity_cost.{part}.cost.value"] = "models.opportunity_cost"
    for part in ("functional", "contrast"):
        for model in ("", "base."):
            names[f"fairness.{part}.{model}difference.value"] = "fairness.fprd"
    match scores:
        case {"functional": {"tests": dict() as by_test}}:
            for test, rates in by_test.items():
                metric = f"functional.{rates['type'].lower()}"
                names |= {f"functional.tests.{test}.{model}rate.value": metric for model in ("", "base.")}
    return names


_CONTRAST = ("original", "contrast", "delta", "consistency", "consistency_of_sets")
