"""`annotator report`: a comparison of models as one HTML page; `annotator reproduce`: the numbers of a results card, again."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commands import answering, examples, opened_project, option, print_json, project_option, respond
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES

if TYPE_CHECKING:
    from annotator.usecases.compare.report_request import TextChoice


@click.command("report")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@project_option
@option("--title", default="", help="The title of the page.")
@option(
    "--base", default="", metavar="MODEL",
    help=("A model to compare with, as in `annotator evaluate models`. Without --model the table has only these two."),
)  # fmt: skip
@option("--other", default="", metavar="MODEL", help="The other model: what it wins and loses.")
@option("--model", "models", multiple=True, metavar="M", help="Only this model; repeat it for several.")
@option("--method", "methods", multiple=True, metavar="X", help="Only this method; repeat it for several.")
@option(
    "--column", "columns", multiple=True, metavar="NAME",
    help="A metric by its name in docs/metrics.md, instead of the first ones; repeat it for several.",
)  # fmt: skip
@option(
    "--against", default="", metavar="ROW",
    help="Also compare the rows with this one, named as in the table, such as MODEL/METHOD, or random.",
)  # fmt: skip
@option(
    "--instances", "row", default="", metavar="ROW",
    help="With --against: list the texts in which this row differs most from it; by default the first row.",
)  # fmt: skip
@option(
    "--instances-in", "metric", default="", metavar="NAME", help="With --against: in this metric; by default the first."
)
@option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which gold, instead of the project's policy.")
@option("--split", help="Only this split.")
@option(
    "--group-by", "by", default="", metavar="WHAT",
    help="Say how many texts each group has: by label, split, kind (of changed version), criterion, annotator, "
    "annotators:NAME (what a file tells of its annotators), or metadata:NAME.",
)  # fmt: skip
@option(
    "--group",
    metavar="NAME",
    help="Only this group of --group-by. An annotator's group has that person's sets alone as gold.",
)
@option(
    "--explained", type=click.Choice(["predicted", "gold"]), default="predicted",
    help="The label whose attribution is scored and drawn, where a run explains several.",
)  # fmt: skip
@option(
    "--include-training", "includes_training", is_flag=True, help="Also score a model on texts that it learned from."
)
@option(
    "--draw", type=click.IntRange(min=0), metavar="N",
    help="N texts drawn at random, none that a model learned from. By default 10.",
)  # fmt: skip
@option("--seed", type=int, default=0, help="The seed of that draw.")
@option(
    "--differences", type=click.IntRange(min=1), metavar="N",
    help="The N texts in which the two rows of --against differ most, else the two models.",
)  # fmt: skip
@option("--list", "list_name", metavar="NAME", help="The texts of a saved list.")
@option("--key", "keys", multiple=True, metavar="KEY", help="This text; repeat it for several.")
@option("--names", "has_names", is_flag=True, help="Name who made each gold set, and the annotator of --group.")
@answering
@examples("annotator report ours.html --project Reviews --base built-in --other minilm --differences 20")
def report(
    database: Path, /, *, path: Path, project_name: str, draw: int | None, seed: int, differences: int | None,
    list_name: str | None, keys: tuple[str, ...], gold_policy: Any, split: str | None, explained: str,
    by: str, group: str | None, includes_training: bool, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Write a comparison of models as one HTML page: table, charts, texts with heatmaps and gold.

    The page holds no script and fetches nothing. The texts are chosen in one way: --draw, --differences, --list or
    --key, at most 500; texts outside of --group are left out. docs/metrics_page.md#the-report says what is on the
    page.
    """
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.compare.comparison_report import write_report
    from annotator.usecases.compare.report_request import ReportRequest

    texts = _texts(draw, seed, differences, list_name, keys)
    scoring_options = ScoringOptions(
        gold_policy=gold_policy,
        split=split,
        explained=explained,
        includes_training=includes_training,
        by=by,
        group=group,
    )
    request = ReportRequest(texts=texts, options=scoring_options, **options)
    with opened_project(database, project_name) as (store, project):
        written = write_report(store, LOCAL_OPERATOR, project, request, path)
    size = len(written.html.encode("utf-8", "replace")) / 1024
    words = f"Wrote {path} ({counted(written.n_texts, 'text')}, {size:,.0f} KB)."
    respond(as_json, {"path": str(path), "texts": written.n_texts}, words)


def _texts(
    draw: int | None, seed: int, differences: int | None, list_name: str | None, keys: tuple[str, ...]
) -> "TextChoice":
    from annotator.usecases.compare.report_request import N_TEXTS, TextChoice

    ways = {
        "--draw": draw is not None,
        "--differences": differences is not None,
        "--list": list_name is not None,
        "--key": bool(keys),
    }
    if sum(ways.values()) > 1:
        named = " and ".join(way for way, is_asked in ways.items() if is_asked)
        raise click.UsageError(f"The texts of a report are chosen in one way; {named} are two. Name one of them.")
    if differences is not None:
        return TextChoice("differences", differences)
    if list_name is not None:
        return TextChoice("list", list_name=list_name)
    if keys:
        return TextChoice("keys", keys=keys)
    return TextChoice("drawn", N_TEXTS if draw is None else draw, seed)


@click.command("reproduce")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="CARD")
@option("--project", "project_name", metavar="NAME", help="The project.  [default: the card's]")
@answering
@examples("annotator evaluate project --project Reviews --card results.json", "annotator reproduce results.json")
def reproduce(database: Path, /, *, path: Path, project_name: str | None, as_json: bool) -> int:
    """Reproduce the numbers of a results card here, from the same texts, gold and predictions.

    It stops at the first that differs, and names it (at most 20): texts, gold, predictions, definitions, numbers. The
    exit code is then 1. Machine, path, language and the order of rows make no difference. docs/scores.md#results-cards
    says what a card holds.
    """
    from annotator.usecases.inspect.result_cards import read_card
    from annotator.usecases.inspect.result_cards import reproduce as reproduced

    card = read_card(path.read_bytes())
    with opened_project(database, project_name or card.project) as (store, project):
        made = reproduced(store, LOCAL_OPERATOR, project, card)
    if as_json:
        print_json(dataclasses.asdict(made))
        return int(bool(made.differences))
    for line in (*made.differences, *([f"… and {made.n_more:,} more"] if made.n_more else []), *made.notes):
        click.echo(line)
    if made.differences:
        click.echo("Not reproduced.")
        return 1
    click.echo(
        f"Reproduced: {counted(made.n_numbers, 'number')} over {counted(made.n_texts, 'text')}; the largest difference is "
        f"{made.largest:.1g}."
    )
    return 0
