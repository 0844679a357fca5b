"""`annotator table`: a project's numbers as the papers print them."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commands import examples, opened, opened_project, option, options_of, project_option
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES

if TYPE_CHECKING:
    from annotator.scoring.paper_table import PaperTable


@click.group()
def table() -> None:
    """The papers' tables of a project: rows, columns, order and scales of the paper.

    ×100 in a head says that numbers are multiplied; ± is the deviation over seeds; a dash has its reason below. Texts
    that a model learned from are left out, and means are over the texts that all competing rows have.
    docs/scores.md#the-papers-tables says more.
    """


# Which gold, and as what it is printed.
_asked = options_of(
    option(
        "--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which sets count, instead of the project's policy."
    ),
    option("--split", help="Only this split."),
    option("--include-training", "includes_training", is_flag=True, help="Also score a model on what it learned from."),
    option("--csv", "as_csv", is_flag=True, help="Print CSV, with all digits and nothing multiplied."),
    option("--latex", "as_latex", is_flag=True, help="Print LaTeX, with the rules of booktabs."),
)
# Which rows of which project.
_of_project = options_of(
    project_option,
    option("--model", "models", multiple=True, help="Only this model; repeat it for several."),
    option("--method", "methods", multiple=True, help="Only this method; repeat it for several."),
)


@table.command("eraser-hard")
@_of_project
@_asked
@click.pass_obj
def eraser_hard(database: Path, /, *, as_csv: bool, as_latex: bool, **choice: Any) -> None:
    """ERASER's table of models that select words (DeYoung et al. 2020, Table 3): a row for each, random last."""
    from annotator.usecases.papers.eraser import eraser_hard_table

    _print(_table(eraser_hard_table, database, as_csv, as_latex, **choice), as_csv, as_latex)


@table.command("eraser-soft")
@_of_project
@_asked
@click.pass_obj
def eraser_soft(database: Path, /, *, as_csv: bool, as_latex: bool, **choice: Any) -> None:
    """ERASER's table of soft scores (DeYoung et al. 2020, Table 4): a row for each model and method, random last."""
    from annotator.usecases.papers.eraser import eraser_soft_table

    _print(_table(eraser_soft_table, database, as_csv, as_latex, **choice), as_csv, as_latex)


@table.command("benchmark")
@_of_project
@option(
    "--ratio",
    type=click.FloatRange(0, 1, min_open=True),
    help="For a project without gold: the share of a text's tokens that are the top k, for MAP.",
)
@_asked
@click.pass_obj
def benchmark(database: Path, /, *, as_csv: bool, as_latex: bool, **choice: Any) -> None:
    """The benchmark's table of methods (Wang et al. 2022, Tables 6 and 8): a row for each model and method, then gold
    as a method, and random.
    """
    from annotator.usecases.papers.benchmark import benchmark_table

    _print(_table(benchmark_table, database, as_csv, as_latex, **choice), as_csv, as_latex)


@table.command("edits")
@_of_project
@_asked
@click.pass_obj
def edits(database: Path, /, *, as_csv: bool, as_latex: bool, **choice: Any) -> None:
    """Sentence editing's tables (Stevens and Su 2021), by criterion: all sentences, those answered correctly, those
    answered wrongly, and random.
    """
    from annotator.usecases.papers.edits import edits_table

    _print(_table(edits_table, database, as_csv, as_latex, **choice), as_csv, as_latex)


@table.command("er-test")
@option(
    "--project", "project_names", required=True, multiple=True, metavar="NAME",
    help="A project; first the one in distribution, then those out of it.",
)  # fmt: skip
@option(
    "--base", "base", multiple=True, metavar="[TITLE=]MODEL",
    help="The base model, the paper's None; repeat it for its seeds.",
)  # fmt: skip
@option(
    "--model", "models", multiple=True, metavar="[TITLE=]MODEL",
    help="Another row; models of the same TITLE are its seeds. Without any, all models of the first project.",
)  # fmt: skip
@option(
    "--group", "groups", multiple=True, metavar="LIST",
    help="A word list whose texts are a group; repeat it for several.",
)  # fmt: skip
@option("--positive", default="", metavar="LABEL", help="The label whose false positives count, with --group.")
@option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Also write validation accuracy over alignment loss as SVG, for models trained in the first project.",
)  # fmt: skip
@_asked
@click.pass_obj
@examples("annotator table er-test --project SST --project Amazon --base None=none-0 --model MAE=mae-0")
def er_test(
    database: Path, /, *, as_csv: bool, as_latex: bool, project_names: tuple[str, ...], base: tuple[str, ...],
    models: tuple[str, ...], groups: tuple[str, ...], positive: str, plot: Path | None, **options: Any,
) -> None:  # fmt: skip
    """ER-TEST's tables (Joshi et al. 2022): a row for each kind of training, the majority label last.

    Accuracy in and out of distribution, contrast sets, functional tests, groups of word lists, and the drop of the
    alignment loss. A star marks a difference from the base: p < .05 of paired sign flips, corrected by Holm.
    """
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.databases import find_project
    from annotator.usecases.papers.er_test import Groups, Trained, er_test_table, write_er_test_plot

    _refuse_both(as_csv, as_latex)
    with opened(database) as store:
        projects = [find_project(store, name) for name in dict.fromkeys(project_names)]
        trained = Trained.of(base, models)
        made = er_test_table(
            store, LOCAL_OPERATOR, projects, trained, ScoringOptions(**options), Groups(groups, positive)
        )
        if plot is not None:
            write_er_test_plot(store, LOCAL_OPERATOR, projects, trained, plot)
    _print(made, as_csv, as_latex)


def _table(
    make: Callable[..., "PaperTable"], database: Path, as_csv: bool, as_latex: bool, *,
    project_name: str, models: tuple[str, ...], methods: tuple[str, ...], **options: Any,
) -> "PaperTable":  # fmt: skip
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.papers.scored_rows import Choice

    _refuse_both(as_csv, as_latex)
    choice: Choice = Choice(models, methods, ScoringOptions(**options))
    with opened_project(database, project_name) as (store, project):
        return make(store, LOCAL_OPERATOR, project, choice)


def _refuse_both(as_csv: bool, as_latex: bool) -> None:
    if as_csv and as_latex:
        raise click.UsageError("Choose --csv or --latex; both at once cannot be printed.")


def _print(made: "PaperTable", as_csv: bool, as_latex: bool) -> None:
    from annotator.figures.latex_tables import paper_latex
    from annotator.figures.text_tables import paper_text
    from annotator.usecases.papers.scored_rows import paper_csv

    written = paper_csv(made) if as_csv else paper_latex(made) if as_latex else paper_text(made)
    click.echo(written, nl=False)
