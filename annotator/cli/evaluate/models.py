"""`annotator evaluate models`: two models beside each other, in one or several projects."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.answers import examples, json_option, opened, print_json
from annotator.cli.gain_lines import measure_lines
from annotator.domain.numbers import counted, written_in_report
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES

if TYPE_CHECKING:
    from annotator.scoring.reports import RunsReport
    from annotator.usecases.compare.model_comparison import ConfidenceBin, ModelComparison, PartComparison
    from annotator.usecases.compare.model_gains import ModelGains

_TITLES = {"all": "all texts", "originals": "originals", "changed_versions": "changed versions"}


@click.command("models")
@click.option(
    "--project",
    "project_names",
    required=True,
    multiple=True,
    metavar="NAME",
    help="A project; repeat it for projects whose texts neither model was trained on.",
)
@click.option("--base", required=True, multiple=True, metavar="MODEL", help="The base model; repeat it for its seeds.")
@click.option(
    "--other",
    required=True,
    multiple=True,
    metavar="MODEL",
    help="The other model; repeat it for its seeds. Equal numbers of seeds are paired by seed, else in order.",
)
@click.option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which gold, instead of the project's policy.")
@click.option("--split", help="Only this split.")
@click.option(
    "--include-training", "includes_training", is_flag=True, help="Also compare on texts that a model learned from."
)
@json_option
@click.pass_obj
@examples(
    "annotator evaluate models --project Reviews --base small-seed0 --base small-seed1 --other mae-seed0 --other mae-seed1"
)
def models(
    database: Path, /, project_names: tuple[str, ...], base: tuple[str, ...], other: tuple[str, ...], as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Show what a model wins and loses against a base model, in one or several projects (ER-TEST: opportunity cost).

    Below stand accuracy and plausibility by each method, and what the control of an aligned model gains. Texts that
    one of the models learned from are left out. The page Metrics has it under “Two models”; `annotator table er-test`
    compares several models.
    """
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.compare.comparison_words import comparison_reports
    from annotator.usecases.compare.model_comparison import ModelPair
    from annotator.usecases.project.projects import find_project

    with opened(database) as store:
        projects = [find_project(store, name) for name in dict.fromkeys(project_names)]
        pair, scoring_options = ModelPair(base, other), ScoringOptions(**options)
        reports = comparison_reports(store, LOCAL_OPERATOR, projects, pair, scoring_options)
    if as_json:
        print_json({name: report.as_json() for name, report in reports.items()})
        return
    for name, report in reports.items():
        for line in (*_lines(name, report.comparison), *_gain_lines(report.gains)):
            click.echo(line)


def _gain_lines(gains: "ModelGains") -> Iterator[str]:
    """What is gained by an attribution that was not trained, and by a control."""
    yield "  over texts that none of them learned from"
    yield from measure_lines(gains.measures)
    for sentence in (gains.relation.sentence, *gains.sentences, *map(str, gains.lacking)):
        if sentence:
            yield f"  {sentence}"


def _lines(project: str, comparison: "ModelComparison") -> Iterator[str]:
    yield f"{project}: {'; '.join(f'{other} against {base}' for base, other in comparison.runs)}"
    left_out = [
        f"{counted(n, 'text')} {why}"
        for n, why in (
            (comparison.n_learned, "that a model learned from"),
            (comparison.n_unanswered, "that not all runs have answered"),
        )
        if n
    ]
    if left_out:
        yield f"  Left out: {' and '.join(left_out)}."
    for sentence in comparison.labels:
        yield f"  {sentence}"
    yield "  texts                      n   base            other           difference                won  lost  p"
    for name, part in comparison.parts.items():
        yield f"  {_TITLES[name]:<20} {_part_cells(part)}"
    yield "  p(gold) of base            n   won  lost  change of p"
    for of_bin in comparison.confidence:
        if of_bin.n:
            yield f"  {of_bin.low:.1f} to {of_bin.high:.1f} {_bin_cells(of_bin)}"


def _part_cells(part: "PartComparison") -> str:
    difference = "–" if part.difference is None else f"{part.difference:+.3f}"
    if part.interval is not None:
        difference += f" [{part.interval.low:+.3f}, {part.interval.high:+.3f}]"
    won, lost = (", ".join(f"{n:,}" for n in counts) for counts in (part.n_won, part.n_lost))
    p_values = ", ".join("–" if p is None else f"{p:.3f}" for p in part.p_mcnemar)
    return (
        f"{part.n:>7,}   {_over_runs(part.base):<15} {_over_runs(part.other):<15} {difference:<25} "
        f"{won:<4} {lost:<5} {p_values}"
    )


def _bin_cells(of_bin: "ConfidenceBin") -> str:
    change = "–" if of_bin.change is None else f"{of_bin.change:+.3f}"
    return f"{of_bin.n:>17,} {of_bin.n_won:>5,} {of_bin.n_lost:>5,}  {change}"


def _over_runs(number: "RunsReport") -> str:
    value = written_in_report(number["value"])
    return value if number["deviation"] is None else f"{value} ± {written_in_report(number['deviation'])}"
