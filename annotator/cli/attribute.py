"""`annotator attribute`: what a model answers for a project's instances, and how much each token counts for it."""

import dataclasses
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from annotator.cli import commands
from annotator.domain.numbers import counted, duration
from annotator.domain.people import LOCAL_OPERATOR
from annotator.language import listed

if TYPE_CHECKING:
    from annotator.usecases.models.attributions import AttributingReport

_SECONDS_BETWEEN_LINES = 5.0
_OF_THE_METHOD = ("steps", "baseline", "samples", "features", "kernel_width", "output", "layer", "preset")
_OF_THE_MODEL = {"device": "device", "threads": "threads", "inputs_at_once": "inputs_at_once", "too_long": "too_long",
                 "query_first": "is_query_first", "asks_hub": "asks_hub", "prompt": "prompt",
                 "longest_answer": "longest_answer"}  # fmt: skip


@click.command("attribute")
@commands.project_option
@commands.option(
    "--model", required=True,
    help="built-in, built-in:NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME, "
    "transformers-zero-shot:FOLDER-OR-NAME, transformers-writing:FOLDER-OR-NAME (it writes its answers), "
    "served:NAME (see explain-self), or the name of a model trained in the project.",
)  # fmt: skip
@commands.option(
    "--method",
    required=True,
    help="occlusion, lime, shap-partition, linear, random, gold; for transformers models also integrated-gradients, "
    "layer-integrated-gradients, gradient-x-input, attnlrp, attention, attention-rollout, selection.",
)
@commands.option(
    "--label", default="predicted",
    help="The label to explain: predicted, gold, all, or one of the project's labels. Reading models explain "
    "their own answer.",
)  # fmt: skip
@commands.option(
    "--seed", "seeds", type=click.IntRange(min=0), multiple=True,
    help="The seed of lime (by default 0) or random (by default ten seeds); repeat it for several.",
)  # fmt: skip
@commands.option(
    "--preset",
    help="A paper's settings: wang-2022, wang-2022-released, stevens-su-2021, stevens-su-2021-magnitude or ali-2022. Options "
    "beside it win.",
)  # fmt: skip
@commands.option("--steps", type=click.IntRange(min=1), help="For integrated gradients.")
@commands.option("--baseline", help="For integrated gradients: mask, pad, eos, bos, unk or zero.")
@commands.option(
    "--layer", help="For attention and layer integrated gradients: a layer's number, last, all, or embeddings."
)
@commands.option("--samples", type=click.IntRange(min=2), help="For LIME: how many samples.")
@commands.option("--features", help="For LIME: how many tokens get a score, or all.")
@commands.option("--kernel-width", type=click.IntRange(min=1), help="For LIME: the width of its kernel.")
@commands.option(
    "--output",
    type=click.Choice(["logit", "probability"]),
    help="Which number is explained: the logit or the probability.",
)
@commands.option(
    "--set", "others", multiple=True, metavar="NAME=VALUE",
    help="Any other parameter of the method; repeat it for several.",
)  # fmt: skip
@commands.option("--split", help="Only this split.")
@commands.option(
    "--faithfulness", "has_faithfulness", is_flag=True,
    help=("Also ask the model about the rationale alone and about the rest. See docs/faithfulness.md."),
)  # fmt: skip
@commands.option(
    "--ratio",
    type=click.FloatRange(0, 1, min_open=True),
    help="With --faithfulness, of a project without gold: the share of a text's tokens that the rationale is.",
)
@commands.option(
    "--normalised", "is_normalised", is_flag=True,
    help="With --faithfulness and normalised AOPC, which may be compared between models; asks the model about many reduced "
    "texts. See docs/faithfulness.md#normalised-aopc.",
)  # fmt: skip
@commands.option(
    "--most-tokens", type=click.IntRange(min=1), default=50,
    help="With --normalised: longer texts are left out. A text of n tokens costs up to 5·n·(n + 1) reduced texts.",
)  # fmt: skip
@commands.option(
    "--beam-width", type=click.IntRange(min=1, max=100), default=5,
    help="With --normalised: of the beam that finds the bounds of texts above 12 tokens.",
)  # fmt: skip
@commands.rename_option
@commands.option("--train", "trains", is_flag=True, help="Train the built-in model again.")
@commands.option(
    "--train-seed", type=click.IntRange(min=0), default=0,
    help="The seed of that training, by which its folds are drawn.",
)  # fmt: skip
@commands.option(
    "--again", "is_anew", is_flag=True, help="First delete everything stored of the model, by all methods."
)
@commands.option(
    "--batch-size", type=click.IntRange(min=1), default=8,
    help="How many texts are stored at a time; fewer if they are long.",
)  # fmt: skip
@commands.device_option
@commands.threads_option
@commands.inputs_option
@commands.engine_options
@commands.too_long_option("refuse")
@commands.option(
    "--prompt", default=r"{text}\nLabel: {label}",
    help=r"For a zero-shot or writing model: what the text stands in, up to the label or to what is written; \n "
    "is a line break.",
)  # fmt: skip
@commands.option(
    "--longest-answer", type=click.IntRange(min=1, max=500), default=20,
    help="For a writing model: how many subwords it writes at most.",
)  # fmt: skip
@commands.option(
    "--label-words", multiple=True, metavar="LABEL=WORDS",
    help="For a zero-shot or writing model: what a label is called in the prompt or the answer; repeat it for several.",
)  # fmt: skip
@commands.option("--query-first", is_flag=True, help="Give a transformers model the query before the text.")
@commands.hub_option
@commands.answering
@commands.examples(
    "annotator attribute --project Reviews --model built-in --method occlusion",
    "annotator attribute --project Reviews --model transformers:bert --method integrated-gradients --steps 100 --faithfulness",
)
def attribute(
    database: Path, /, project_name: str, model: str, method: str, as_json: bool, others: Sequence[str], **options: Any
) -> int:
    """Compute a model's answers and attributions, as if they had been imported. `annotator evaluate project` scores
    them.

    What is stored is not computed again, so the command can be stopped at any moment and repeated, also for new
    texts. A text for which the model fails (too long, no memory) is left out and named, and the exit code is 1. After
    twenty failures in a row the work stops.

    If the model's labels are not the project's, the command proposes a table and prints the --rename options that
    confirm it. docs/attribution.md explains models, methods, their parameters, and labels of other projects.
    """
    from annotator.usecases.models.attributions import AttributingOptions, LoadOptions
    from annotator.usecases.models.attributions import attribute as compute

    engine = commands.engine_of(options)
    given = {name: options.pop(name) for name in _OF_THE_METHOD}
    parameters = {name: value for name, value in given.items() if value is not None} | commands.pairs_of(
        others, "--set"
    )
    options["prompt"] = options["prompt"].replace(r"\n", "\n")
    label_words = commands.pairs_of(options.pop("label_words"), "--label-words")
    load = LoadOptions(label_words=label_words, **{to: options.pop(name) for name, to in _OF_THE_MODEL.items()})
    renamed = commands.pairs_of(options.pop("renamed"), "--rename", may_be_empty=True)
    attributing_options = AttributingOptions(**options, parameters=parameters, renamed=renamed, load=load)
    with commands.opened_project(database, project_name) as (store, project), InstanceProgress() as progress:
        report = compute(
            store, LOCAL_OPERATOR, project, model, method, attributing_options, progress=progress.take,
            announce=lambda sentence: click.echo(sentence, err=True), engine=engine,
        )  # fmt: skip
    _show(report, as_json=as_json)
    return 1 if report.n_left_out else 0


class InstanceProgress:
    """How many instances (or what else) are done, on standard error: first after the first batch, then every few seconds."""

    def __init__(self, what: str = "instance") -> None:
        self.what = what
        self.done = self.of = 0
        self.shown = -1
        self.at = -math.inf
        self.first = 0, time.monotonic()  # from how many on time is taken, and since when

    def __enter__(self) -> Self:
        return self

    def take(self, done: int, of: int) -> None:
        self.done, self.of = done, of
        if time.monotonic() - self.at >= _SECONDS_BETWEEN_LINES:
            self._show()

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        if self.done > self.shown >= 0 or (self.done and sys.stderr.isatty()):
            self._show()

    def _show(self) -> None:
        if self.done != self.shown:
            is_first, self.shown, self.at = self.shown < 0, self.done, time.monotonic()
            click.echo(f"{self.done:,} of {counted(self.of, self.what)}{self._left()}", err=True)
            self.first = (
                (self.done, self.at) if is_first else self.first
            )  # loading a model is no measure of what follows

    def _left(self) -> str:
        done, since = self.first
        if not done < self.done < self.of:
            return ""
        seconds = (self.at - since) / (self.done - done) * (self.of - self.done)
        return f", about {duration(seconds)} left" if seconds >= 1 else ""


def _show(report: "AttributingReport", *, as_json: bool) -> None:
    from annotator.scoring.chance_verdicts import fact_summary
    from annotator.usecases.models.attributions import left_out_summary, normalising_lines

    for note in report.notes:
        click.echo(note, err=True)
    commands.show_left_out(report.left_out, report.n_left_out, left_out_summary(report))
    if as_json:
        commands.print_json(dataclasses.asdict(report))
        return
    parameters = json.dumps(dict(report.parameters), ensure_ascii=False) if report.parameters else ""
    click.echo(f"{report.model}, {report.method} {parameters}".rstrip())
    parts = (
        counted(report.n_answers, "prediction"), counted(report.n_attributions, "attribution"),
        counted(report.n_rationales, "rationale"), f"{counted(report.n_reduced, 'prediction')} on rationales or the rest",
    )  # fmt: skip
    computed = listed([part for part in parts if not part.startswith("0 ")], "and") or "nothing"
    click.echo(
        f"Computed {computed}; {report.n_known:,} of {counted(report.n_instances, 'instance')} had nothing to compute, "
        f"{report.n_left_out:,} were left out."
    )
    if report.n_unscored:
        click.echo(
            f"{counted(report.n_unscored, 'written answer begins', 'written answers begin')} with the words of no label, and so "
            "cannot be counted as right or wrong (--label-words LABEL=WORDS)."
        )
    if report.n_without_label:
        click.echo(
            f"{counted(report.n_without_label, 'instance has', 'instances have')} no gold label that the model "
            "knows, and so no attribution."
        )
    if report.n_seen_in_part:
        click.echo(
            f"{counted(report.n_seen_in_part, 'attribution lacks', 'attributions lack')} scores of tokens that the "
            "model did not see."
        )
    for line in normalising_lines(report):
        click.echo(line)
    for name, value in report.facts.items():
        click.echo(fact_summary(name, value))
