"""`annotator evaluate benchmark`: the numbers of Wang et al. 2022, as its two programs and as its paper compute them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from annotator.cli.answers import examples, json_option
from annotator.cli.scores import Sizes, show_scores

if TYPE_CHECKING:
    from annotator.evaluation.benchmark.paper import Reading

_PATH = click.Path(path_type=Path)
_OF_PROGRAMS = {
    "token_f1": "token_f1_scripts",
    "iou_f1": "iou_f1_evaluator",
    "map": "map_scripts",
    "new_p": "new_p_scripts",
    "answer_f1": "answer_f1_chinese_scripts",
    "answer_em": "answer_em_chinese_scripts",
}
_EQUATIONS = frozenset({"token_f1", "iou_f1", "map", "sufficiency", "comprehensiveness"})
_OF_PAPER = {
    "new_p": "new_p_scripts",
    "token_f1": "token_f1_paper",
    "iou_f1": "iou_f1_paper",
    "counting": "map_counting",
    "aligned": "map_aligned",
    "full": "map",
    "full_counting": "map_counting",
    "full_aligned": "map_aligned",
}


@click.command("benchmark")
@click.option("--task", required=True, type=click.Choice(["sentiment", "similarity", "reading"]), help="The task.")
@click.option(
    "--gold",
    required=True,
    type=_PATH,
    help="Gold of either dialect: a file, or a folder whose input records join their gold by id.",
)
@click.option(
    "--predictions",
    required=True,
    type=_PATH,
    help="Predictions of either dialect, a competition upload (TSV), or a saliency file.",
)
@click.option(
    "--reading", type=click.Choice(["scripts", "evaluator", "paper"]), help="Only this reading, with its counts."
)
@click.option("--input", "inputs", type=_PATH, help="Input records, if the gold does not hold the tokens.")
@click.option(
    "--ratio",
    "ratios",
    multiple=True,
    type=float,
    help=(
        "For a saliency file: the share of a side's tokens that are its rationale; give it twice for a pair. "
        "By default the mean RLR of the gold."
    ),
)
@click.option(
    "--language",
    help=(
        "For reading: the language of records without one. By default Chinese if an answer has Chinese "
        "characters, else English."
    ),
)
@json_option
@examples("annotator evaluate benchmark --task sentiment --gold senti_en.tsv --predictions upload.tsv")
def benchmark(
    task: str,
    gold: Path,
    predictions: Path,
    reading: str | None,
    inputs: Path | None,
    ratios: tuple[float, ...],
    language: str | None,
    as_json: bool,
) -> None:
    """Score predictions for the fine-grained interpretability benchmark (Wang et al. 2022), without a database.

    It prints the numbers of PaddleNLP's scripts, of TrustAI's evaluator, of the paper's equations, and set by set.
    """
    from annotator.evaluation.benchmark.paper import evaluate_benchmark

    scores = evaluate_benchmark(
        task,
        gold,
        predictions,
        reading=cast("Reading | None", reading),
        inputs=inputs,
        ratios=ratios,
        language=language,
    )
    counts = dict(cast("Mapping[str, Mapping[str, Sizes]]", scores["counts"]))
    sizes = counts["n"] if as_json else counts.pop("n")  # in the table they stand beside their numbers
    show_scores({**scores, "counts": counts}, _registered, as_json=as_json, sizes=sizes)


def _registered(score_name: str) -> str | None:
    """The name in the register of a number; None for counts."""
    reading, _, rest = score_name.partition(".")
    parts = rest.removesuffix(".value").split(".")
    name = parts[-1]
    if reading in ("scripts", "evaluator"):
        return f"benchmark.{_OF_PROGRAMS.get(name, name)}"
    if reading == "sets":
        return f"sets.{name}" if score_name.endswith(".value") else None
    if reading != "paper" or not (score_name.endswith(".value") or name in _EQUATIONS):
        return None
    if parts[0] == "answers":
        is_chinese = parts[1].partition("-")[0] == "zh"
        return f"benchmark.answer_{name}_{'chinese' if is_chinese else 'english'}"
    if name in ("all", "same", "changed"):
        name = parts[-2]
    return f"benchmark.{_OF_PAPER.get(name, name)}"
