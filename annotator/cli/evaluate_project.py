"""`annotator evaluate project`: a project's models against its gold."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.answers import json_option, opened
from annotator.cli.scores import registered_value, run_title, show_scores
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES, Project

if TYPE_CHECKING:
    from annotator.scoring.reports import ModelReport, ProjectReport, Report
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.databases import Store


@click.command("project")
@click.option("--project", "project_name", required=True, metavar="NAME", help="The project.")
@click.option("--model", help="Only this model.")
@click.option("--method", help="Only this method.")
@click.option(
    "--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which sets count, instead of the project's policy."
)
@click.option("--split", help="Only this split.")
@click.option("--criterion", help="Only sentences of this criterion, such as spelling or deleted (sentence editing).")
@click.option(
    "--gamma",
    type=float,
    default=1.0,
    show_default=True,
    help="The factor of attributions in ER-TEST's losses.",
)
@click.option(
    "--explained",
    type=click.Choice(["predicted", "gold"]),
    default="predicted",
    show_default=True,
    help="The label whose attribution is scored, where a run explains several.",
)
@click.option(
    "--include-training",
    "includes_training",
    is_flag=True,
    help="Also score a model on the split that it was trained on.",
)
@click.option("--intervals", is_flag=True, help="Bootstrap intervals (1,000 resamples) of means over instances.")
@click.option("--latex", "as_latex", is_flag=True, help="Print the table that the Metrics page shows first, as LaTeX.")
@json_option
@click.pass_obj
def project(
    database: Path, /, project_name: str, intervals: bool, as_json: bool, as_latex: bool, **options: Any
) -> None:
    """Score the answers, plausibility, faithfulness and consistency of a project's models."""
    if as_json and as_latex:
        raise click.UsageError("Choose --json or --latex; both at once cannot be printed.")
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.inspect.project_scores import evaluate_project
    from annotator.usecases.project.projects import find_project

    names = {name: options.pop(name) for name in ("model", "method")}
    with opened(database) as store:
        stored_project = find_project(store, project_name)
        scoring_options = ScoringOptions(**options, n_resamples=1000 if intervals else 0)
        if as_latex:
            _print_latex(store, stored_project, names, scoring_options)
            return
        numbers = evaluate_project(store, LOCAL_OPERATOR, stored_project, **names, options=scoring_options)
    show_scores(numbers if as_json else _flat(numbers), registered_value, as_json=as_json)


def _print_latex(
    store: "Store", stored_project: Project, names: Mapping[str, str | None], scoring_options: "ScoringOptions"
) -> None:
    from annotator.scoring.table import metric_table
    from annotator.usecases.inspect.metric_latex import first_latex
    from annotator.usecases.inspect.project_scores import evaluate_with_instances

    model, method = names["model"], names["method"]
    made = evaluate_with_instances(
        store, LOCAL_OPERATOR, stored_project, model=model, method=method, options=scoring_options
    )
    table = metric_table(*made)
    click.echo(first_latex(table, scoring_options.n_resamples), nl=False)


def _training(of_model: "ModelReport") -> dict[str, object]:
    from annotator.usecases.inspect.training_texts import words_of

    training = of_model["training"]
    return {} if training is None else {"training": words_of(training) or "none of these texts was in its training"}


def _flat(numbers: "ProjectReport") -> Mapping[str, object]:
    """For people: rows are named by model, method and layer instead of by their place in a list."""
    flat: Report = {name: value for name, value in numbers.items() if name != "models"}
    for of_model in numbers["models"]:
        name = of_model["model"]
        flat[name] = {"quality": of_model["quality"], "counts": of_model["counts"], **_training(of_model)}
        for row in of_model["methods"]:
            parts = ("plausibility", "faithfulness", "consistency", "confidence", "counts", "count_deviations")
            flat[f"{run_title({'model': name, **row})} ({row['kind']})"] = {
                part: value for part in parts if (value := row.get(part)) is not None
            }
    return flat
