"""`annotator train`: a transformers model that learns from a project's gold."""

import dataclasses
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from annotator.cli.answers import json_option, opened
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy

_SECONDS_BETWEEN_LINES = 5.0
_OF_THE_MODEL = {"base": "base", "architecture": "architecture", "output": "output", "special": "special",
                 "device": "device", "threads": "threads",
                 "too_long": "too_long", "query_first": "is_query_first", "allow_model_hub": "asks_hub"}  # fmt: skip
_MAY_DIFFER = (
    "criterion",
    "strength",
    "scale",
    "source",
    "share",
    "learning_rate",
    "seed",
)  # given several times: a sweep
_OF_THE_ALIGNMENT = {"align_form": "form", "strength": "strength", "scale": "scale", "of_several": "of_several",
                     "align_over": "over", "delta": "delta"}  # fmt: skip


@click.command("train")
@click.option("--project", "project_name", required=True, metavar="NAME", help="The project.")
@click.option("--name", required=True, help="What the model is called; also the name of its folder.")
@click.option(
    "--architecture",
    type=click.Choice(["transformer", "decoder", "tokens", "reading"]),
    default="transformer",
    show_default=True,
    help="From scratch, an encoder like BERT or a decoder like GPT-2; tokens: it answers for the target of a text; reading: it "
    "answers a question with a stretch of the text.",
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
    "source",
    multiple=True,
    type=click.Choice(["gold", "lexicon", "shuffled"]),
    default=["gold"],
    show_default=True,
    help="What is aligned with; shuffled: a control, as many tokens at random.",
)
@click.option("--word-list", "word_lists", multiple=True, metavar="NAME", help="Of --rationales lexicon; repeat it.")
@click.option(
    "--share",
    multiple=True,
    type=float,
    default=[100.0],
    show_default=True,
    help="Percent of the texts with rationales.",
)
@click.option(
    "--choose",
    type=click.Choice(["random", "least-confident", "most-confident"]),
    default="random",
    show_default=True,
    help="Which of them.",
)
@click.option(
    "--confidence-of", multiple=True, metavar="MODEL", help="The model that is asked how confident it is; repeat it."
)
@click.option(
    "--align",
    "criterion",
    multiple=True,
    type=click.Choice(["none", "mse", "mae", "huber", "bce", "order", "kl"]),
    default=["none"],
    show_default=True,
    help="Align input x gradient with the rationales by this criterion of ER-TEST.",
)
@click.option(
    "--control",
    "has_control",
    is_flag=True,
    help="With --align, also train the twin without alignment and the control on shuffled rationales.",
)
@click.option("--align-form", type=click.Choice(["paper", "released"]), default="paper", show_default=True)
@click.option("--align-over", type=click.Choice(["sum", "mean"]), default="sum", show_default=True)
@click.option("--no-graph", "has_no_graph", is_flag=True, help="Take the gradient in the attribution as a constant.")
@click.option(
    "--strength",
    multiple=True,
    type=float,
    default=[1.0],
    show_default=True,
    help="The weight of the alignment (lambda).",
)
@click.option(
    "--scale",
    multiple=True,
    type=float,
    default=[100.0],
    show_default=True,
    help="What attributions are multiplied by (gamma).",
)
@click.option("--delta", type=float, default=1.0, show_default=True, help="Of huber.")
@click.option("--of-several", type=click.Choice(["lowest", "union"]), default="lowest", show_default=True)
@click.option(
    "--one-in", type=click.IntRange(min=1), default=3, show_default=True, help="Share of a batch with rationales."
)
@click.option(
    "--task-loss-on",
    type=click.Choice(["all", "without-rationales"]),
    default="all",
    show_default=True,
    help="Which texts of a batch the task's loss is of, with --align.",
)
@click.option("--epochs", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--patience", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--learning-rate", multiple=True, type=float, default=[2e-5], show_default=True)
@click.option("--batch-size", type=click.IntRange(min=1), default=16, show_default=True)
@click.option("--weight-decay", type=float, default=0.01, show_default=True)
@click.option(
    "--warm-up", type=float, default=0.1, show_default=True, help="Share of the steps in which the rate rises."
)
@click.option("--balance", "balances_labels", is_flag=True, help="Let each label count alike.")
@click.option("--seed", multiple=True, type=click.IntRange(min=0), default=[0], show_default=True)
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

    It can be stopped at any moment and repeated: it goes on from the last whole epoch. --align, --strength, --scale,
    --rationales, --share, --learning-rate and --seed may be given several times: then a model is trained for each combination.
    What an alignment brought is told beside the twin without it and the control on shuffled rationales.
    """
    from annotator.cli.training_reports import Proofs, show_sweep, show_training
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.training.sweeps import NO_ALIGNMENT, train_sweep, trials_of
    from annotator.usecases.training.transformers import NewModel, TrainingOptions

    if given.pop("has_control"):
        given |= _with_twin_and_control(given)
    axes = {option: given[option] for option in _MAY_DIFFER}
    aligned = [criterion for criterion in given["criterion"] if criterion != NO_ALIGNMENT]
    given |= {option: values[0] for option, values in axes.items()} | {"criterion": next(iter(aligned), None)}
    options = TrainingOptions(
        NewModel((), **{to: _value(given[option]) for option, to in _OF_THE_MODEL.items()}),
        _data_options(given),
        _fitting_options(given),
        folder,
        is_anew,
    )
    trials = trials_of(name, options, axes)
    with opened(database) as store:
        project, progress = find_project(store, project_name), StepLines()
        reports = train_sweep(store, LOCAL_OPERATOR, project, trials, progress=progress.take)
        proofs = Proofs(store, project, folder, progress.asked)
        if len(trials) == 1:
            show_training(next(reports), proofs, as_json=as_json)
        else:
            show_sweep(trials, reports, proofs, as_json=as_json)
    return 0


def _with_twin_and_control(given: dict[str, Any]) -> dict[str, Any]:
    """The options of a sweep of the twin, what was asked for, and the control."""
    if not any(criterion != "none" for criterion in given["criterion"]):
        raise click.UsageError("--control stands beside an alignment; say which with --align.")
    return {
        "criterion": tuple(dict.fromkeys(("none", *given["criterion"]))),
        "source": tuple(dict.fromkeys((*given["source"], "shuffled"))),
    }


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _data_options(given: dict[str, Any]) -> Any:
    from annotator.usecases.training.transformers import DataOptions, RationaleOptions

    rationales = RationaleOptions(
        given["source"],
        given["word_lists"],
        given["share"],
        given["choose"].replace("-", " "),
        given["confidence_of"],
    )
    if given["criterion"] is None and rationales != RationaleOptions():
        raise click.UsageError("Without --align no rationales are used; leave out which ones, or add --align.")
    return DataOptions(given["split"], given["validation"], given["gold_policy"], rationales, given["seed"])


def _fitting_options(given: dict[str, Any]) -> Any:
    from annotator.usecases.training.transformers import AlignmentOptions, FittingOptions

    alignment = None
    if given["criterion"] is not None:
        others = {to: given[option] for option, to in _OF_THE_ALIGNMENT.items()}
        alignment = AlignmentOptions(given["criterion"], has_graph=not given["has_no_graph"], **others)
    names = {field.name for field in dataclasses.fields(FittingOptions)} & given.keys()
    fitting = {name: given[name] for name in names} | {"task_loss_on": given["task_loss_on"].replace("-", " ")}
    return FittingOptions(**fitting, alignment=alignment)


class StepLines:
    """How many steps are done, on standard error, every few seconds."""

    def __init__(self) -> None:
        self.at = -math.inf

    def take(self, done: int, of: int) -> None:
        if time.monotonic() - self.at >= _SECONDS_BETWEEN_LINES:
            self.at = time.monotonic()
            click.echo(f"step {done:,} of at most {of:,}", err=True)

    def asked(self, done: int, of: int) -> None:
        if time.monotonic() - self.at >= _SECONDS_BETWEEN_LINES:
            self.at = time.monotonic()
            click.echo(f"attributions of {done:,} of {counted(of, 'text')}", err=True)
