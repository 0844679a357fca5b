"""`annotator evaluate models`: two models beside each other, in one or several projects."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.answers import json_option, opened, print_json
from annotator.domain.numbers import counted, written_in_report
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES

if TYPE_CHECKING:
    from annotator.scoring.reports import RunsReport
    from annotator.usecases.inspect.model_comparison import ConfidenceBin, ModelComparison, PartComparison

_TITLES = {"all": "all texts", "originals": "originals", "changed_versions": "changed versions"}


@click.command("models")
@click.option(
    "--project", "project_names", required=True, multiple=True, metavar="NAME", help="A project; repeat it for several."
)
@click.option("--base", required=True, multiple=True, metavar="MODEL", help="The base model; repeat it for its seeds.")
@click.option(
    "--other", required=True, multiple=True, metavar="MODEL", help="What it is compared with; repeat it for its seeds."
)
@click.option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which gold, instead of the project's policy.")
@click.option("--split", help="Only this split.")
@click.option(
    "--include-training", "includes_training", is_flag=True, help="Also compare on texts that a model learned from."
)
@json_option
@click.pass_obj
def models(
    database: Path, /, project_names: tuple[str, ...], base: tuple[str, ...], other: tuple[str, ...], as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Tell what a model wins and loses against another, and where the other was unsure."""
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.inspect.model_comparison import ModelPair, compare_models
    from annotator.usecases.project.projects import find_project

    with opened(database) as store:
        projects = [find_project(store, name) for name in dict.fromkeys(project_names)]
        comparisons = compare_models(store, LOCAL_OPERATOR, projects, ModelPair(base, other), ScoringOptions(**options))
    if as_json:
        print_json({name: asdict(comparison) for name, comparison in comparisons.items()})
        return
    for name, comparison in comparisons.items():
        for line in _lines(name, comparison):
            click.echo(line)


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
