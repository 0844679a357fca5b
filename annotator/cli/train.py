"""`annotator train`: a transformers model that learns from a project's gold."""

import dataclasses
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy

if TYPE_CHECKING:
    from annotator.usecases.training.transformers import TrainingReport

_SECONDS_BETWEEN_LINES = 5.0
_OF_THE_MODEL = {"base": "base", "architecture": "architecture", "output": "output", "special": "special",
                 "device": "device", "threads": "threads",
                 "too_long": "too_long", "query_first": "is_query_first", "allow_model_hub": "asks_hub"}  # fmt: skip
_OF_THE_ALIGNMENT = {"align_form": "form", "strength": "strength", "scale": "scale", "of_several": "of_several",
                     "align_over": "over", "delta": "delta"}  # fmt: skip


@click.command("train")
@click.option("--project", "project_name", required=True, metavar="NAME", help="The project.")
@click.option("--name", required=True, help="What the model is called; also the name of its folder.")
@click.option(
    "--architecture",
    type=click.Choice(["transformer", "decoder", "tokens"]),
    default="transformer",
    show_default=True,
    help="From scratch, an encoder like BERT or a decoder like GPT-2; tokens: it answers for the target of a text.",
)
@click.option(
    "--base", metavar="FOLDER-OR-NAME", help="A pretrained model; without it a small one learns from scratch."
)
@click.option(
    "--output",
    type=click.Choice(["softmax", "sigmoid"]),
    default="softmax",
    show_default=True,
    help="An output for each label, or one sigmoid for two labels.",
)
@click.option(
    "--special-token",
    "special",
    multiple=True,
    metavar="TOKEN",
    help="A token that stays whole, such as _MATH_; may be given several times.",
)
@click.option("--split", help="Learn from this split.  [default: train, where it is there]")
@click.option(
    "--validation", help="Stop by this split.  [default: validation, val or dev; else a tenth of the training texts]"
)
@click.option("--gold-policy", type=click.Choice(get_args(GoldPolicy)), help="Which gold.  [default: the project's]")
@click.option(
    "--rationales",
    type=click.Choice(["gold", "shuffled"]),
    default="gold",
    show_default=True,
    help="What is aligned with; shuffled: a control, as many tokens at random.",
)
@click.option(
    "--align",
    "criterion",
    type=click.Choice(["mse", "mae", "huber", "bce", "order", "kl"]),
    help="Align input x gradient with the rationales by this criterion of ER-TEST.",
)
@click.option("--align-form", type=click.Choice(["paper", "released"]), default="paper", show_default=True)
@click.option("--align-over", type=click.Choice(["sum", "mean"]), default="sum", show_default=True)
@click.option("--no-graph", "has_no_graph", is_flag=True, help="Take the gradient in the attribution as a constant.")
@click.option("--strength", type=float, default=1.0, show_default=True, help="The weight of the alignment (lambda).")
@click.option(
    "--scale", type=float, default=100.0, show_default=True, help="What attributions are multiplied by (gamma)."
)
@click.option("--delta", type=float, default=1.0, show_default=True, help="Of huber.")
@click.option("--of-several", type=click.Choice(["lowest", "union"]), default="lowest", show_default=True)
@click.option(
    "--one-in", type=click.IntRange(min=1), default=3, show_default=True, help="Share of a batch with rationales."
)
@click.option("--epochs", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--patience", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--learning-rate", type=float, default=2e-5, show_default=True)
@click.option("--batch-size", type=click.IntRange(min=1), default=16, show_default=True)
@click.option("--weight-decay", type=float, default=0.01, show_default=True)
@click.option(
    "--warm-up", type=float, default=0.1, show_default=True, help="Share of the steps in which the rate rises."
)
@click.option("--balance", "balances_labels", is_flag=True, help="Let each label count alike.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="Save below this folder.")
@click.option("--again", "is_anew", is_flag=True, help="Replace the model of this name.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu or cuda.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="On a CPU.")
@click.option("--too-long", type=click.Choice(["refuse", "cut", "windows"]), default="refuse", show_default=True)
@click.option("--query-first", is_flag=True, help="Give the model the query before the text.")
@click.option("--allow-model-hub", is_flag=True, help="Allow the model to be fetched from the Hugging Face hub.")
@json_option
@click.pass_obj
def train(
    database: Path, /, project_name: str, name: str, as_json: bool, folder: Path | None, is_anew: bool,
    **given: Any,
) -> int:  # fmt: skip
    """Train a model on a project's gold; then name its folder wherever a model is asked for (transformers:FOLDER).

    It can be stopped at any moment and repeated: it goes on from the last whole epoch.
    """
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.training.transformers import NewModel, TrainingOptions, train_transformer

    options = TrainingOptions(
        NewModel((), **{to: _value(given[option]) for option, to in _OF_THE_MODEL.items()}),
        _data_options(given),
        _fitting_options(given),
        folder,
        is_anew,
    )
    with opened(database) as store:
        progress = _Progress()
        report = train_transformer(
            store, LOCAL_OPERATOR, find_project(store, project_name), name, options, progress=progress.take
        )
    _show(report, as_json=as_json)
    return 0


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _data_options(given: dict[str, Any]) -> Any:
    from annotator.usecases.training.transformers import DataOptions

    return DataOptions(given["split"], given["validation"], given["gold_policy"], given["rationales"], given["seed"])


def _fitting_options(given: dict[str, Any]) -> Any:
    from annotator.usecases.training.transformers import AlignmentOptions, FittingOptions

    alignment = None
    if given["criterion"] is not None:
        others = {to: given[option] for option, to in _OF_THE_ALIGNMENT.items()}
        alignment = AlignmentOptions(given["criterion"], has_graph=not given["has_no_graph"], **others)
    names = {field.name for field in dataclasses.fields(FittingOptions)} & given.keys()
    return FittingOptions(**{name: given[name] for name in names}, alignment=alignment)


class _Progress:
    """How many steps are done, on standard error, every few seconds."""

    def __init__(self) -> None:
        self.at = -math.inf

    def take(self, done: int, of: int) -> None:
        if time.monotonic() - self.at >= _SECONDS_BETWEEN_LINES:
            self.at = time.monotonic()
            click.echo(f"step {done:,} of at most {of:,}", err=True)


def _show(report: "TrainingReport", *, as_json: bool) -> None:
    from annotator.usecases.models.model_trust import held_out_summary

    data = report.data
    if as_json:
        print_json(
            {
                "model": f"transformers:{report.folder}",
                "learned_from": len(data.learn),
                "with_rationales": data.n_with_rationales,
                "validation": len(data.stop),
                "epochs": [dataclasses.asdict(epoch) for epoch in report.fitted.epochs],
                "best_epoch": report.fitted.best + 1,
                "held_out": None if report.held_out is None else dataclasses.asdict(report.held_out),
            }
        )
        return
    click.echo("epoch      loss  alignment  validation loss  accuracy  seconds")
    for number, epoch in enumerate(report.fitted.epochs):
        mark = "*" if number == report.fitted.best else " "
        click.echo(
            f"{number + 1:5}{mark} {epoch.task_loss:8.4f}  {_number(epoch.alignment_loss):>9}  "
            f"{_number(epoch.validation_loss):>15}  {_number(epoch.validation_accuracy):>8}  {epoch.seconds:7.1f}"
        )
    click.echo(
        f"Learned from {counted(len(data.learn), 'text')}, {data.n_with_rationales:,} of them with rationales; stopped by "
        f"{counted(len(data.stop), 'text')}."
    )
    if report.n_lost:
        click.echo(
            f"The model does not see {counted(report.n_lost, 'token')} of the rationales: the texts are too long."
        )
    click.echo(held_out_summary(report.held_out))
    click.echo(f"Saved: transformers:{report.folder}")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
