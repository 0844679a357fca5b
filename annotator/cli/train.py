"""`annotator train`: a transformers model that learns from a project's gold, and what is told of its epochs and gains."""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from annotator.cli.commands import (
    answering,
    device_option,
    engine_of,
    engine_options,
    examples,
    hub_option,
    opened_project,
    option,
    print_json,
    project_option,
    threads_option,
    too_long_option,
)
from annotator.cli.scores import gain_lines, proof_as_json
from annotator.domain.numbers import counted, percent
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import AnnotatorError
from annotator.usecases.models.alignment_gains import INDEPENDENT, TRAINED
from annotator.usecases.models.alignment_proofs import (
    AlignmentProof,
    alignment_proof,
    ask_for_proof,
    plausibility_alone,
)
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.related_models import aligned_with, cards_in, trained_method

if TYPE_CHECKING:
    from annotator.usecases.databases import Store
    from annotator.usecases.training.sweeps import Trial
    from annotator.usecases.training.transformers import TrainingReport

_SECONDS_BETWEEN_LINES = 5.0
_ARCHITECTURES = ("transformer", "decoder", "tokens", "reading", "lei", "lehman", "bert-to-bert", "bert-to-bert-tokens",
                  "encoder-lstm", "lstm", "match-lstm")  # fmt: skip
_OF_THE_MODEL = {"base": "base", "keeps_head": "keeps_head", "vectors": "vectors", "architecture": "architecture",
                 "output": "output", "special": "special", "device": "device", "threads": "threads",
                 "too_long": "too_long", "query_first": "is_query_first", "asks_hub": "asks_hub"}  # fmt: skip
_MAY_DIFFER = (
    "criterion",
    "by",
    "strength",
    "scale",
    "source",
    "share",
    "learning_rate",
    "seed",
)  # given several times: a sweep
_OF_THE_ALIGNMENT = {"align_form": "form", "strength": "strength", "scale": "scale", "of_several": "of_several",
                     "align_over": "over", "delta": "delta", "by": "by", "align_steps": "steps"}  # fmt: skip


@click.command("train")
@project_option
@option("--name", required=True, help="What the model is called; also the name of its folder.")
@option(
    "--architecture", type=click.Choice(_ARCHITECTURES), default="transformer",
    help="The model without --base: transformer (like BERT), decoder (like GPT-2), tokens (answers for a text's target), "
    "reading (answers a question with a stretch of the text, or says that there is none), lei (selects a rationale and "
    "answers from it alone), lehman, bert-to-bert and bert-to-bert-tokens (select a sentence, or tokens, as people did "
    "and answer from that: GRUs, or two encoders), encoder-lstm (a BiLSTM with attention, for texts of any length; also "
    "over --base), lstm (its last state answers; of a pair both), match-lstm (reading, with a pointer).",
)  # fmt: skip
@option(
    "--preset", type=click.Choice(["found", "eraser", "eraser-released", "wang-2022-released"]), default="found",
    help="With lei: what found planted words, ERASER's paper, or its released estimator. With lstm: the benchmark's released "
    "sentiment model (a BiLSTM with attention).",
)  # fmt: skip
@option("--sparsity", type=float, help="With lei: the price of a selected subword (lambda).  [default: the preset's]")
@option(
    "--contiguity",
    type=float,
    help="With lei: how many times that a change in the mask costs.  [default: the preset's]",
)
@option("--supervision", type=float, default=0.0, help="With lei: the weight of people's rationales.")
@option(
    "--base",
    metavar="FOLDER-OR-NAME",
    help=("A pretrained model with safetensors weights, which gets a new head; else a small one learns from scratch."),
)
@option(
    "--vectors",
    type=click.Path(exists=True, dir_okay=False),
    help="With encoder-lstm or lstm: begin with these word vectors (text format of GloVe or word2vec).",
)
@option(
    "--keep-head", "keeps_head", is_flag=True,
    help="Train the base's outputs further; its labels must be the project's.",
)  # fmt: skip
@option(
    "--since",
    metavar="FOLDER",
    help="Learn only from texts that the model in FOLDER did not learn from, or not with their present gold.",
)
@option(
    "--output", type=click.Choice(["softmax", "sigmoid"]), default="softmax",
    help="An output for each label, or one sigmoid that tells two labels apart.",
)  # fmt: skip
@option(
    "--special-token", "special", multiple=True, metavar="TOKEN",
    help="A token that stays whole, such as _MATH_; repeat it for several.",
)  # fmt: skip
@option("--split", help="Learn from this split.  [default: train if there is one, else all]")
@option(
    "--validation",
    help=("Stop by this split.  [default: validation, val or dev; else a tenth of the training texts, by document]"),
)
@option(
    "--gold-policy",
    type=click.Choice(get_args(GoldPolicy)),
    help="Which gold, see docs/rules.md#gold-policies.  [default: the project's]",
)
@option(
    "--rationales", "source", multiple=True, type=click.Choice(["gold", "lexicon", "shuffled"]), default=["gold"],
    help=("What is aligned with: people's sets, the words of word lists, or (as a control) as many tokens at random."),
)  # fmt: skip
@option(
    "--word-list", "word_lists", multiple=True, metavar="NAME",
    help="A word list for --rationales lexicon; repeat it for several.",
)  # fmt: skip
@option(
    "--share", multiple=True, type=float, default=[100.0],
    help="The percentage of texts with rationales that keep theirs, rounded up.",
)  # fmt: skip
@option(
    "--choose", type=click.Choice(["random", "least-confident", "most-confident"]), default="random",
    help="Which texts keep their rationales.",
)  # fmt: skip
@option(
    "--confidence-of", multiple=True, metavar="MODEL",
    help="A model whose stored answers say how confident it is, the mean of its seeds; repeat it for several.",
)  # fmt: skip
@option(
    "--align", "criterion", multiple=True, type=click.Choice(["none", "mse", "mae", "huber", "bce", "order", "kl"]),
    default=["none"], help="Align attributions with the rationales by this criterion of ER-TEST.",
)  # fmt: skip
@option(
    "--align-by", "by", multiple=True,
    type=click.Choice(["gradient-x-input", "attention", "integrated-gradients", "extractor"]),
    default=["gradient-x-input"],
    help="With --align: whose attributions. Methods of `annotator attribute`, or a head that learns to score each "
    "subword (`--method selection` gives its scores).",
)  # fmt: skip
@option(
    "--align-steps", type=click.IntRange(min=1), default=4,
    help="With --align-by integrated-gradients: points on the path. Each costs as much as a gradient.",
)  # fmt: skip
@option(
    "--control", "has_control", is_flag=True,
    help="With --align: also train the model without alignment and the control on shuffled rationales.",
)  # fmt: skip
@option(
    "--align-form", type=click.Choice(["paper", "released"]), default="paper",
    help=("The criterion for each instance as the paper defines it, or for a batch as the released code computes it."),
)  # fmt: skip
@option(
    "--align-over", type=click.Choice(["sum", "mean"]), default="sum",
    help="The paper's sum over tokens, or their mean.",
)  # fmt: skip
@option("--no-graph", "has_no_graph", is_flag=True, help="Take the gradient in the attribution as a constant.")
@option(
    "--strength", multiple=True, type=float, default=[1.0],
    help="The weight of the alignment beside the task's loss (lambda).",
)  # fmt: skip
@option("--scale", multiple=True, type=float, default=[100.0], help="The factor of the attributions (gamma).")
@option("--delta", type=float, default=1.0, help="The threshold of the Huber loss.")
@option(
    "--of-several", type=click.Choice(["lowest", "union"]), default="lowest",
    help="For an instance with several sets: the one with the lowest loss, or their union.",
)  # fmt: skip
@option(
    "--one-in", type=click.IntRange(min=1), default=3,
    help="If fewer texts have rationales: one in so many of each batch has them.",
)  # fmt: skip
@option(
    "--task-loss-on", type=click.Choice(["all", "without-rationales"]), default="all",
    help="With --align: the texts of a batch in the task's loss. All (ER-TEST's code), or only those without "
    "rationales (its appendix A.5).",
)  # fmt: skip
@option("--epochs", type=click.IntRange(min=1), default=10, help="The most epochs.")
@option(
    "--patience", type=click.IntRange(min=1), default=5,
    help="Stop after so many epochs without a lower validation loss.",
)  # fmt: skip
@option("--learning-rate", multiple=True, type=float, default=[2e-5], help="The learning rate of AdamW.")
@option("--batch-size", type=click.IntRange(min=1), default=16, help="Texts in a batch.")
@option("--weight-decay", type=float, default=0.01, help="The weight decay of AdamW.")
@option(
    "--warm-up", type=float, default=0.1,
    help="The share of the steps in which the rate rises; then it falls to 0 in a line.",
)  # fmt: skip
@option("--balance", "balances_labels", is_flag=True, help="Let each label count alike.")
@option(
    "--seed", multiple=True, type=click.IntRange(min=0), default=[0],
    help="The seed of weights, batches, dropout and drawn texts.",
)  # fmt: skip
@option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Save below this folder.  [default: beside the database]",
)
@option("--again", "is_anew", is_flag=True, help="Replace the model of this name.")
@device_option
@threads_option
@engine_options
@too_long_option("refuse")
@option("--query-first", is_flag=True, help="Give the model the query before the text.")
@hub_option
@answering
@examples(
    "annotator train --project Reviews --name small",
    "annotator train --project Reviews --name bert-mae --base bert-base-uncased --align mae --control --seed 0 --seed 1",
)
def train(
    database: Path, /, project_name: str, name: str, as_json: bool, folder: Path | None, is_anew: bool,
    **given: Any,
) -> int:  # fmt: skip
    """Train a transformer on a project's gold (extra `models`), and on request align it with the rationales.

    The last line says how the model is named wherever a model is asked for (transformers:FOLDER). It can be stopped
    at any moment and repeated with the same options: it goes on from the last whole epoch. The page Saliency does the
    same in the background.

    --align, --align-by, --strength, --scale, --rationales, --share, --learning-rate and --seed may be repeated: a
    model is trained for each combination and named after what differs, such as m-mae-strength0.5-seed1. Without
    alignment there is one for each rate and seed.

    After an alignment, the gain is measured against the same training without alignment and a control on shuffled
    rationales. See docs/training.md.
    """
    from annotator.usecases.training.sweeps import NO_ALIGNMENT, train_sweep, trials_of
    from annotator.usecases.training.transformers import LSTM_PRESETS, NewModel, TrainingOptions

    engine = engine_of(given)
    if given.pop("has_control"):
        given |= _with_twin_and_control(given)
    axes = {name: given[name] for name in _MAY_DIFFER}
    aligned = [criterion for criterion in given["criterion"] if criterion != NO_ALIGNMENT]
    given |= {name: values[0] for name, values in axes.items()} | {"criterion": next(iter(aligned), None)}
    options = TrainingOptions(
        NewModel(
            (),
            shape=LSTM_PRESETS.get(given["preset"]),
            **{to: _value(given[option]) for option, to in _OF_THE_MODEL.items()},
        ),
        _data_options(given),
        _fitting_options(given),
        folder,
        is_anew,
    )
    trials = trials_of(name, options, axes)
    with opened_project(database, project_name) as (store, project):
        progress = StepLines()
        reports = train_sweep(store, LOCAL_OPERATOR, project, trials, progress=progress.take, engine=engine)
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
        given["source"], given["word_lists"], given["share"], given["choose"].replace("-", " "), given["confidence_of"]
    )
    if given["criterion"] is None and rationales != RationaleOptions():
        raise click.UsageError("Without --align no rationales are used; leave out which ones, or add --align.")
    return DataOptions(
        given["split"], given["validation"], given["gold_policy"], rationales, given["seed"], given["since"]
    )


def _fitting_options(given: dict[str, Any]) -> Any:
    from annotator.usecases.training.transformers import AlignmentOptions, FittingOptions

    alignment = None
    if given["criterion"] is not None:
        others = {to: given[option] for option, to in _OF_THE_ALIGNMENT.items()}
        alignment = AlignmentOptions(given["criterion"], has_graph=not given["has_no_graph"], **others)
    names = {field.name for field in dataclasses.fields(FittingOptions)} & given.keys()
    fitting = {name: given[name] for name in names} | {"task_loss_on": given["task_loss_on"].replace("-", " ")}
    return FittingOptions(**fitting, alignment=alignment, rationaliser=_rationaliser_options(given))


def _rationaliser_options(given: dict[str, Any]) -> Any:
    from annotator.usecases.training.transformers import LSTM_PRESETS, RATIONALISER_PRESETS

    prices = {name: given[name] for name in ("sparsity", "contiguity") if given[name] is not None}
    prices |= {"supervision": given["supervision"]} if given["supervision"] else {}
    if given["preset"] in LSTM_PRESETS:
        if given["architecture"] != "lstm" or prices:
            raise click.UsageError(f"--preset {given['preset']} goes with --architecture lstm.")
        return None
    if given["architecture"] != "lei":
        if prices or given["preset"] != "found":
            raise click.UsageError("--preset, --sparsity, --contiguity and --supervision go with --architecture lei.")
        return None
    return dataclasses.replace(RATIONALISER_PRESETS[given["preset"]], **prices)


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


# What `annotator train` answers: the epochs of a training, the rows of a sweep, and what alignment brought.


_OF_ANSWERS = ("answer F1", "answer F1 of those with an answer", "of those without an answer told right")
_HEADS = {TRAINED: "gradient × input", INDEPENDENT: "occlusion"}


@dataclasses.dataclass(frozen=True, slots=True)
class Proofs:
    """What models are asked for after their trainings. folder: where they lie; None: among the project's."""

    store: "Store"
    project: Project
    folder: Path | None
    progress: Callable[[int, int], None]

    def plausibility(self, name: str) -> dict[str, float | None]:
        """Of one model, which is asked now: by the method that it was aligned by, and by occlusion."""
        self._ask(name)
        by_method = plausibility_alone(self.store, LOCAL_OPERATOR, self.project, name, self.folder)
        trained = trained_method([name], cards_in(self.folder or models_folder(self.store, self.project)))
        return {TRAINED: by_method.get(trained), INDEPENDENT: by_method.get(INDEPENDENT)}

    def lines(self, groups: Sequence[Sequence[str]]) -> Iterator[str]:
        """Of each group of seeds what its alignment brought."""
        for proof in self._of(groups):
            yield from gain_lines(proof)

    def as_json(self, groups: Sequence[Sequence[str]]) -> list[dict[str, object]]:
        return [proof_as_json(proof) for proof in self._of(groups)]

    def around(self, name: str) -> list[tuple[str]]:
        """The aligned models that a model says something about, each by itself."""
        return [(of,) for of in aligned_with(name, cards_in(self.folder or models_folder(self.store, self.project)))]

    def _of(self, groups: Sequence[Sequence[str]]) -> Iterator[AlignmentProof]:
        for names in groups:
            for name in names:
                self._ask(name)
            proof = alignment_proof(self.store, LOCAL_OPERATOR, self.project, names, self.folder)
            if proof is not None:
                yield proof

    def _ask(self, name: str) -> None:
        """A model that cannot be asked is trained all the same, so that this ends nothing."""
        try:
            ask_for_proof(self.store, LOCAL_OPERATOR, self.project, name, self.folder, progress=self.progress)
        except AnnotatorError as error:
            click.echo(f"What the alignment of '{name}' brought could not be computed. {error}", err=True)


def show_training(report: "TrainingReport", proofs: Proofs, *, as_json: bool) -> None:
    """The epochs, what was learned from, and what the alignment brought."""
    from annotator.usecases.models.model_trust import held_out_summary
    from annotator.usecases.papers.alignment_losses import alignment_slope
    from annotator.usecases.training.forecast import model_sentences

    data = report.data
    if as_json:
        print_json(_as_json(report) | {"proofs": proofs.as_json(proofs.around(report.name))})
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
    if data.n_absent:
        left_out = counted(data.n_absent, "text")
        click.echo(f"Left out as the gold answer does not stand in the text: {left_out}.")
    if "answer F1" in report.scores:
        rest = [(name, report.scores[name]) for name in _OF_ANSWERS if name in report.scores]
        click.echo("; ".join(f"{name} {percent(value)}" for name, value in rest) + ".")
    for line in model_sentences(report):
        click.echo(line)
    slope = alignment_slope(report.fitted.epochs)
    if slope is not None:
        click.echo(f"Validation accuracy over the alignment loss, by epoch: slope {slope[0]:.4f}, R² {slope[1]:.2f}.")
    for line in proofs.lines(proofs.around(report.name)):
        click.echo(line)
    click.echo(f"{'Saved' if report.is_new else 'Was there already'}: transformers:{report.folder}")


def _as_json(report: "TrainingReport") -> dict[str, object]:
    from annotator.usecases.papers.alignment_losses import alignment_slope

    data, slope = report.data, alignment_slope(report.fitted.epochs)
    is_reading = "answer F1" in report.scores
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
        **({"scores": dict(report.scores), "left_out": data.n_absent} if is_reading else {}),
        "is_new": report.is_new,
    }


def show_sweep(
    trials: "Sequence[Trial]", reports: "Iterator[TrainingReport]", proofs: Proofs, *, as_json: bool
) -> None:
    """A row as soon as a trial is done; below the rows what each alignment brought, over its seeds."""
    alignments = [alignment for trial in trials if (alignment := trial.options.fitting.alignment) is not None]
    is_aligned = bool(alignments)
    trained = _HEADS[TRAINED] if all(of.by == TRAINED for of in alignments) else "trained method"
    if as_json:
        done = list(zip(trials, reports, strict=True))
        rows = [{"name": trial.name, "values": trial.values, **_as_json(report)} for trial, report in done]
        print_json({"trials": rows, "proofs": proofs.as_json(_by_alignment(done))})
        return
    width = max(len(trial.name) for trial in trials)
    more = f"  {trained:>16}  {_HEADS[INDEPENDENT]:>9}" if is_aligned else ""
    click.echo(f"{'model':<{width}}  epochs  validation loss  accuracy  held out (n)  alignment{more}")
    shown = []
    for trial, report in zip(trials, reports, strict=True):
        best = report.fitted.epochs[report.fitted.best]
        held_out = _number(None) if (of := report.held_out) is None else f"{_number(of.accuracy)} ({of.n:,})"
        plausibility = proofs.plausibility(report.name) if is_aligned else {}
        click.echo(
            f"{trial.name:<{width}}  {len(report.fitted.epochs):>6}  {_number(best.validation_loss):>15}  "
            f"{_number(best.validation_accuracy):>8}  {held_out:>12}  {_number(best.alignment_loss):>9}"
            + "".join(f"  {_number(plausibility.get(of)):>{max(9, len(_HEADS[of]))}}" for of in _HEADS if is_aligned)
            + ("" if report.is_new else "   was there already")
        )
        shown.append((trial, report))
    for line in proofs.lines(_by_alignment(shown)):
        click.echo(line)


def _by_alignment(done: "Sequence[tuple[Trial, TrainingReport]]") -> list[list[str]]:
    """The aligned models but for controls, those together that differ in the seed alone."""
    groups: dict[str, list[str]] = {}
    for trial, report in done:
        values = {name: value for name, value in trial.values.items() if name != "seed"}
        if trial.options.fitting.alignment is not None and trial.options.data.rationales.source != "shuffled":
            groups.setdefault(repr(values), []).append(report.name)
    return list(groups.values())


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
