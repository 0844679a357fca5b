"""`annotator evaluate eraser`: the ERASER scorer's numbers."""

from pathlib import Path

import click

from annotator.cli.answers import examples, json_option
from annotator.cli.scores import show_scores


@click.command("eraser")
@click.option(
    "--data-dir",
    required=True,
    type=click.Path(path_type=Path),
    help="The ERASER data set: split files, and documents as docs.jsonl or docs/.",
)
@click.option("--split", required=True, help="The split to score; only DATA-DIR/SPLIT.jsonl is read.")
@click.option(
    "--predictions",
    required=True,
    type=click.Path(path_type=Path),
    help="The predictions as JSONL, a row for each instance in the scorer's form.",
)
@click.option(
    "--iou-threshold",
    "iou",
    multiple=True,
    type=float,
    help="The best IOU from which a predicted span counts as found; repeat it for several. By default 0.5.",
)
@click.option(
    "--aopc-threshold",
    "aopc",
    multiple=True,
    type=float,
    help=(
        "A share of tokens for AOPC, which every row must have, as it is written there; repeat it. By default "
        "0.01 0.05 0.1 0.2 0.5."
    ),
)
@click.option(
    "--intervals",
    is_flag=True,
    help="Bootstrap intervals (1,000 resamples, seed 0, 95 %) of means over instances or documents.",
)
@json_option
@examples("annotator evaluate eraser --data-dir movies --split test --predictions predictions.jsonl")
def eraser(
    data_dir: Path,
    split: str,
    predictions: Path,
    iou: tuple[float, ...],
    aopc: tuple[float, ...],
    intervals: bool,
    as_json: bool,
) -> None:
    """Score a predictions file with the numbers of ERASER's metrics.py (DeYoung et al. 2020), without a database."""
    from annotator.evaluation.eraser import AOPC_THRESHOLDS, IOU_THRESHOLDS, evaluate_eraser

    scores = evaluate_eraser(
        data_dir,
        split,
        predictions,
        iou_thresholds=iou or IOU_THRESHOLDS,
        aopc_thresholds=aopc or AOPC_THRESHOLDS,
        n_resamples=1000 if intervals else 0,
    )
    show_scores(scores, _registered, as_json=as_json)


def _registered(score_name: str) -> str | None:
    """The name in the register of a number in the scorer's object; None for counts and single rows of a report."""
    parts = {"p": "precision", "r": "recall", "f1": "f1"}
    family, _, rest = score_name.partition(".")
    kind = {"iou_scores": "iou", "rationale_prf": "exact", "token_prf": "token"}.get(family.partition("[")[0])
    mean, _, part = rest.rpartition(".")
    if kind and part in parts:
        return f"eraser.{kind}_{parts[part]}_{mean.removeprefix('instance_')}"
    if family in {"token_soft_metrics", "sentence_soft_metrics"}:
        return f"eraser.{rest}"
    if family == "group_aware":
        return f"sets.{rest.removesuffix('.value')}" if rest.endswith(".value") else None
    if family == "paper":
        return f"eraser.{rest}_paper"
    if family != "classification_scores" or rest.startswith(("prf", "aopc")):
        return "eraser.macro_f1" if score_name == "classification_scores.prf.macro avg.f1-score" else None
    return f"eraser.{rest.partition('_points')[0]}"
