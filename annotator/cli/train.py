"""`annotator train`: a transformers model that learns from a project's gold."""

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy

if TYPE_CHECKING:
    from annotator.usecases.training.sweeps import Trial
    from annotator.usecases.training.transformers import TrainingReport

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
    """
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.training.sweeps import NO_ALIGNMENT, train_sweep, trials_of
    from annotator.usecases.training.transformers import NewModel, TrainingOptions

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
        reports = train_sweep(
            store, LOCAL_OPERATOR, find_project(store, project_name), trials, progress=StepLines().take
        )
        if len(trials) == 1:
            _show(next(reports), as_json=as_json)
        else:
            _show_sweep(trials, reports, as_json=as_json)
    return 0


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
    return FittingOptions(**{name: given[name] for name in names}, alignment=alignment)


class StepLines:
    """How many steps are done, on standard error, every few seconds."""

    def __init__(self) -> None:
        self.at = -math.inf

    def take(self, done: int, of: int) -> None:
        if time.monotonic() - self.at >= _SECONDS_BETWEEN_LINES:
            self.at = time.monotonic()
            click.echo(f"step {done:,} of at most {of:,}", err=True)


def _show(report: "TrainingReport", *, as_json: bool) -> None:
    from annotator.usecases.models.model_trust import held_out_summary
    from annotator.usecases.training.sweeps import alignment_slope

    data = report.data
    if as_json:
        print_json(_as_json(report))
        return
    click.echo("epoch      loss  alignment  validation loss  accuracy  seconds")
    for number, epoch in enumerate(report.fitted.epochs):
        mark = "*" if number == report.fitted.best else " "
        click.echo(
            f"{number + 1:5}{mark} {epoch.task_loss:8.4f}  {_number(epoch.alignment_loss):>9}  "
            f"{_number(epoch.validation_loss):>15}  {_number(epoch.validation_accuracy):>8}  {epoch.seconds:7.1f}"
        )
    of_them = f"{data.n_with_rationales:,} of them with rationales"
    if data.n_with_rationales < data.n_could:
        of_them += f" (chosen among {data.n_could:,})"
    click.echo(
        f"Learned from {counted(len(data.learn), 'text')}, {of_them}; stopped by {counted(len(data.stop), 'text')}."
    )
    if report.n_lost:
        click.echo(
            f"The model does not see {counted(report.n_lost, 'token')} of the rationales: the texts are too long."
        )
    click.echo(held_out_summary(report.held_out))
    slope = alignment_slope(report)
    if slope is not None:
        click.echo(f"Validation accuracy over the alignment loss, by epoch: slope {slope[0]:.4f}, R² {slope[1]:.2f}.")
    click.echo(f"{'Saved' if report.is_new else 'Was there already'}: transformers:{report.folder}")


def _as_json(report: "TrainingReport") -> dict[str, object]:
    from annotator.usecases.training.sweeps import alignment_slope

    data, slope = report.data, alignment_slope(report)
    return {
        "model": f"transformers:{report.folder}",
        "learned_from": len(data.learn),
        "with_rationales": data.n_with_rationales,
        "could_have_rationales": data.n_could,
        "validation": len(data.stop),
        "epochs": [dataclasses.asdict(epoch) for epoch in report.fitted.epochs],
        "best_epoch": report.fitted.best + 1,
        "alignment_slope": None if slope is None else {"slope": slope[0], "r_squared": slope[1]},
        "held_out": None if report.held_out is None else dataclasses.asdict(report.held_out),
        "is_new": report.is_new,
    }


def _show_sweep(trials: "Sequence[Trial]", reports: "Iterator[TrainingReport]", *, as_json: bool) -> None:
    """A row as soon as a trial is done."""
    if as_json:
        done = zip(trials, reports, strict=True)
        print_json({"trials": [{"name": t.name, "values": t.values, **_as_json(report)} for t, report in done]})
        return
    width = max(len(trial.name) for trial in trials)
    click.echo(f"{'model':<{width}}  epochs  validation loss  accuracy  held out  alignment")
    for trial, report in zip(trials, reports, strict=True):
        best = report.fitted.epochs[report.fitted.best]
        held_out = None if report.held_out is None else report.held_out.accuracy
        click.echo(
            f"{trial.name:<{width}}  {len(report.fitted.epochs):>6}  {_number(best.validation_loss):>15}  "
            f"{_number(best.validation_accuracy):>8}  {_number(held_out):>8}  {_number(best.alignment_loss):>9}"
            + ("" if report.is_new else "   was there already")
        )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
