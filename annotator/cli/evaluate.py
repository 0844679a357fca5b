"""`annotator evaluate`: scoring from files alone, in place of the papers' own programs."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from annotator.cli.answers import json_option, print_json


@click.group()
def evaluate() -> None:
    """Score files: the papers' numbers, and what was counted for them."""


@evaluate.command("eraser")
@click.option("--data-dir", required=True, type=click.Path(path_type=Path), help="The ERASER data set.")
@click.option("--split", required=True, help="The split to score: train, val, test ...")
@click.option("--predictions", required=True, type=click.Path(path_type=Path), help="The predictions, as jsonl.")
@click.option(
    "--iou-threshold", "iou", multiple=True, type=float, help="A span is found from this IOU on; default 0.5."
)
@click.option(
    "--aopc-threshold", "aopc", multiple=True, type=float, help="Shares of tokens; default 0.01 0.05 0.1 0.2 0.5."
)
@json_option
def eraser(
    data_dir: Path, split: str, predictions: Path, iou: tuple[float, ...], aopc: tuple[float, ...], as_json: bool
) -> None:
    """The ERASER scorer's numbers for a predictions file."""
    from annotator.usecases.evaluating import AOPC_THRESHOLDS, IOU_THRESHOLDS, evaluate_eraser

    scores = evaluate_eraser(
        data_dir,
        split,
        predictions,
        iou_thresholds=iou or IOU_THRESHOLDS,
        aopc_thresholds=aopc or AOPC_THRESHOLDS,
    )
    if as_json:
        print_json({name: _plain(value) for name, value in scores.items()})
        return
    for line in _table(scores):
        click.echo(line)


def _plain(value: object) -> object:
    """A value as JSON can hold it: NaN is null, infinity the word."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _table(scores: Mapping[str, object]) -> Iterator[str]:
    """For people: a line a number, with its direction and its definition."""
    from annotator.metrics.registry import definition_of

    for place, value in _leaves(scores):
        name = _registered(place)
        text = value if isinstance(value, str) else "–" if value is None else f"{value:,.4f}".rstrip("0").rstrip(".")
        definition = definition_of(name) if name else None
        told = f"   {definition.direction}: {definition.definition}" if definition else ""
        yield f"{place:<58} {text:>10}{told}"


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, float | str | None]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{place}[{number}]")
    elif value is None or isinstance(value, (int, float, str)):
        yield place, value if value is None or isinstance(value, str) or math.isfinite(value) else str(value)


def _registered(place: str) -> str | None:
    """The name in the register of a number in the scorer's object; None for counts and single rows of a report."""
    parts = {"p": "precision", "r": "recall", "f1": "f1"}
    family, _, rest = place.partition(".")
    kind = {"iou_scores": "iou", "rationale_prf": "exact", "token_prf": "token"}.get(family.partition("[")[0])
    mean, _, part = rest.rpartition(".")
    if kind and part in parts:
        return f"eraser.{kind}_{parts[part]}_{mean.removeprefix('instance_')}"
    if family in {"token_soft_metrics", "sentence_soft_metrics"}:
        return f"eraser.{rest}"
    if family == "paper":
        return f"eraser.{rest}_paper"
    if family != "classification_scores" or rest.startswith(("prf", "aopc")):
        return "eraser.macro_f1" if place == "classification_scores.prf.macro avg.f1-score" else None
    return f"eraser.{rest.partition('_points')[0]}"
