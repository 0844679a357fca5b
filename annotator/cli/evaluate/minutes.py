"""`annotator evaluate minutes`: how right models are by the minutes that people spent on labels, on rationales, or on both."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli import commands
from annotator.cli.train import StepLines
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES

if TYPE_CHECKING:
    from annotator.usecases.training.budgets import MinutesOptions
    from annotator.usecases.training.minutes import Outcome, Sweep

_RATE_FROM_SCRATCH, _RATE_OF_A_BASE = 1e-3, 2e-5


@click.command("minutes")
@commands.project_option
@commands.option(
    "--minutes", "budgets", required=True, multiple=True, type=float, help="A budget in minutes; repeat it for several."
)
@commands.option(
    "--folder", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="Where results stay; two processes cannot share one.",
)  # fmt: skip
@commands.option(
    "--condition", "conditions", multiple=True, type=click.Choice(["labels", "rationales", "both"]),
    default=["labels", "rationales", "both"], help="What is bought; repeat it for several.",
)  # fmt: skip
@commands.option(
    "--labels-only",
    metavar="NAME",
    help="A labels-only project with the same texts: its times and labels count for labels alone.",
)
@commands.option(
    "--match", type=click.Choice(["text", "key"]), default="text",
    help="What makes them the same texts: all their words, or their key.",
)  # fmt: skip
@commands.option("--seconds-per-label", type=float, metavar="S", help="Simulate: a label takes so long.")
@commands.option(
    "--seconds-per-rationale", type=float, metavar="S",
    help="Simulate: the rationales of a text take each annotator so long.",
)  # fmt: skip
@commands.option("--by-token", is_flag=True, help="The simulated seconds are for each token of the text.")
@commands.option("--with-reviews", is_flag=True, help="Also count the time of those who scored the sets.")
@commands.option(
    "--start", "n_start", type=int, metavar="N",
    help="So many texts have a label before any minute is spent.  [default: half of those that can be bought]",
)  # fmt: skip
@commands.option(
    "--unseen", multiple=True, metavar="NAME", help="A project to be tested on as well; repeat it for several."
)
@commands.option(
    "--rename", "renamed", multiple=True, metavar="LABEL=THEIRS",
    help="What unseen projects call a label that is learned, or nothing after the = for one that is never an "
    "answer; repeat it. It is remembered.",
)  # fmt: skip
@commands.option("--split", help="Learn from this split.  [default: train, where it is there]")
@commands.option("--validation", help="Stop by this split.  [default: as of train]")
@commands.option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which gold.  [default: the project's]")
@commands.option(
    "--base", metavar="FOLDER-OR-NAME", help="A pretrained model; without it a small one learns from scratch."
)
@commands.option(
    "--align", "criterion", type=click.Choice(["mse", "mae", "huber", "bce", "order"]), default="mae",
    help="The criterion by which rationales are learned from.",
)  # fmt: skip
@commands.option("--strength", type=float, default=1.0, help="The weight of the alignment (lambda).")
@commands.option("--scale", type=float, default=100.0, help="The factor of the attributions (gamma).")
@commands.option(
    "--align-over", "over", type=click.Choice(["sum", "mean"]), default="sum",
    help="The sum over tokens, or their mean.",
)  # fmt: skip
@commands.option(
    "--online", type=click.Choice(["none", "new", "all"]), default="none",
    help="Also train the model of the budget before further: on what was bought since (new), or on all.",
)  # fmt: skip
@commands.option("--epochs", type=click.IntRange(min=1), default=10, help="The most epochs.")
@commands.option(
    "--patience", type=click.IntRange(min=1), default=5,
    help="Stop after so many epochs without a lower validation loss.",
)  # fmt: skip
@commands.option("--learning-rate", type=float, help="The learning rate of AdamW.")
@commands.option("--batch-size", type=click.IntRange(min=1), default=16, help="Texts in a batch.")
@commands.option(
    "--seed", "seeds", multiple=True, type=click.IntRange(min=0), default=[0, 1, 2],
    help="The seed of the order of texts, weights, batches and validation texts; repeat it for several.",
)  # fmt: skip
@commands.device_option
@commands.threads_option
@commands.too_long_option("cut")
@commands.hub_option
@commands.option("--latex", "as_latex", is_flag=True, help="Print the table as LaTeX.")
@commands.option("--csv", "as_csv", is_flag=True, help="Print the table as CSV.")
@commands.answering
@commands.examples("annotator evaluate minutes --project Reviews --minutes 10 --minutes 30 --folder minutes")
def minutes(
    database: Path, /, project_name: str, folder: Path, as_latex: bool, as_csv: bool, as_json: bool, **given: Any
) -> None:
    """Train small models on what minutes of work buy (labels, rationales or both), and say how often each is right.

    It can be stopped at any moment and repeated with the same folder: models that are done are not trained again. The
    table (table.csv), its card (README.md) and a figure (accuracy.html) are written into the folder. See
    docs/training.md#by-the-minutes-that-people-spent.
    """
    from annotator.usecases.databases import find_project
    from annotator.usecases.papers.minutes import minutes_table, outcome_line, release_of_sweep, write_minutes
    from annotator.usecases.training.minutes import plan_sweep, remember_labels, run_sweep

    if as_json + as_csv + as_latex > 1:
        raise click.UsageError("Choose one of --json, --csv and --latex; several at once cannot be printed.")
    with commands.opened(database) as store:
        options = _options(given, lambda name: find_project(store, name))
        sweep = plan_sweep(store, LOCAL_OPERATOR, find_project(store, project_name), options)
        remember_labels(store, LOCAL_OPERATOR, sweep)
        release = release_of_sweep(store, sweep)
    outcomes = []
    for outcome in run_sweep(sweep, folder, progress=StepLines().take):
        click.echo(outcome_line(outcome), err=as_json or as_csv or as_latex)
        outcomes.append(outcome)
    table = minutes_table(sweep, outcomes, release)
    write_minutes(sweep, table, folder)
    if as_json:
        commands.print_json(_as_json(sweep, outcomes, release) | {"signature": table.provenance["signature"]})
    elif as_csv or as_latex:
        from annotator.figures.latex_tables import paper_latex
        from annotator.usecases.papers.scored_rows import paper_csv

        click.echo(paper_csv(table) if as_csv else paper_latex(table), nl=False)
    else:
        from annotator.figures.text_tables import paper_text

        click.echo("\n" + paper_text(table), nl=False)
        click.echo(f"\nThe table, its card and a figure are in {folder}.")


def _options(given: dict[str, Any], project_of: Callable[[str], Any]) -> "MinutesOptions":
    from annotator.usecases.training.budgets import CostOptions, MinutesOptions, Simulation
    from annotator.usecases.training.examples import DataOptions
    from annotator.usecases.training.transformers import AlignmentOptions, FittingOptions, NewModel

    simulation = Simulation(given["seconds_per_label"], given["seconds_per_rationale"], given["by_token"])
    other = None if given["labels_only"] is None else project_of(given["labels_only"])
    rate = given["learning_rate"] or (_RATE_FROM_SCRATCH if given["base"] is None else _RATE_OF_A_BASE)
    alignment = AlignmentOptions(
        given["criterion"], strength=given["strength"], scale=given["scale"], over=given["over"]
    )
    return MinutesOptions(
        budgets=tuple(sorted(set(given["budgets"]))),
        conditions=tuple(dict.fromkeys(given["conditions"])),
        seeds=tuple(dict.fromkeys(given["seeds"])),
        n_start=given["n_start"],
        costs=CostOptions(other, given["match"] == "key", given["with_reviews"], simulation),
        unseen=tuple(project_of(name) for name in dict.fromkeys(given["unseen"])),
        renamed=tuple(
            pair for text in given["renamed"] for pair in commands.pairs_of([text], "--rename", may_be_empty=True).items()
        ),
        model=NewModel(
            (), base=given["base"], device=given["device"], threads=given["threads"], too_long=given["too_long"],
            asks_hub=given["asks_hub"],
        ),
        data=DataOptions(given["split"], given["validation"], given["gold_policy"]),
        fitting=FittingOptions(
            epochs=given["epochs"], patience=given["patience"], learning_rate=rate, batch_size=given["batch_size"],
            alignment=alignment,
        ),
        online=given["online"],
    )  # fmt: skip


def _as_json(sweep: "Sweep", outcomes: "list[Outcome]", release: str | None) -> dict[str, object]:
    return {
        "project": sweep.project.name,
        "gold_release": release,
        "texts": sweep.n_pool,
        "start": sweep.n_start,
        "is_simulated": sweep.options.costs.simulation.is_any,
        "models": [
            {
                "condition": outcome.purchase.condition or "start",
                "online": outcome.purchase.is_online,
                "minutes": outcome.purchase.minutes,
                "seed": outcome.purchase.seed,
                "times": outcome.purchase.origin,
                "minutes_spent": outcome.purchase.spent_ms / 60_000,
                "bought": outcome.purchase.n_bought,
                "with_label": outcome.purchase.n_labels,
                "with_rationales": outcome.purchase.n_rationales,
                "right": {name: {"n_right": right, "n": n} for name, (right, n) in outcome.right.items()},
            }
            for outcome in outcomes
        ],
    }
