"""`annotator evaluate project` and `evaluate models`: a project's models against its gold, or two beside each other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.attribute import InstanceProgress
from annotator.cli.commands import answering, examples, opened, opened_project, option, print_json, project_option
from annotator.cli.scores import measure_lines, registered_value, run_title, show_scores
from annotator.domain.numbers import counted, written_in_report
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES, Project
from annotator.errors import NotFound
from annotator.files import part_folder

if TYPE_CHECKING:
    from annotator.scoring.instance_numbers import Behind
    from annotator.scoring.reports import ModelReport, ProjectReport, Report, RunsReport
    from annotator.scoring.runs import ScoringOptions
    from annotator.scoring.table import MetricTable
    from annotator.usecases.compare.model_comparison import ConfidenceBin, ModelComparison, PartComparison
    from annotator.usecases.compare.model_gains import ModelGains
    from annotator.usecases.databases import Store


@click.command("project")
@project_option
@option("--model", help="Only this model.")
@option("--method", help="Only this method.")
@option(
    "--gold-policy", metavar="POLICY",
    help="Which sets count, instead of the project's policy: chosen, all, majority or union; soft (shares of people), or "
    "annotator:NAME (that person's sets and labels).",
)  # fmt: skip
@option(
    "--ordered-labels", "has_ordered_labels", is_flag=True,
    help="With soft gold: the project's labels are ordered as listed, so the Wasserstein distance is defined.",
)  # fmt: skip
@option("--split", help="Only this split.")
@option("--criterion", help="Only sentences of this criterion, such as spelling or deleted (sentence editing).")
@option(
    "--group-by", "by", default="", metavar="WHAT",
    help="A table for each group: by label, split, kind (of perturbed version), criterion, exhaustive, "
    "annotator (with that person's sets alone as gold), annotators:NAME (what a file tells of its "
    "annotators), or metadata:NAME.",
)  # fmt: skip
@option("--gamma", type=float, default=1.0, help="The factor of attributions in ER-TEST's losses.")
@option(
    "--ferret-k", type=click.IntRange(min=1), default=5,
    help="How many tokens ferret's token F1 and IoU select of every text; ferret takes 7 on HateXplain, 78 on Movies, 10 on SST.",
)  # fmt: skip
@option(
    "--explained", type=click.Choice(["predicted", "gold"]), default="predicted",
    help=("If there are several: the attribution of the predicted label (else the gold one), or of the gold label."),
)  # fmt: skip
@option(
    "--include-training", "includes_training", is_flag=True, help="Also score a model on texts that it learned from."
)
@option(
    "--ratio",
    type=click.FloatRange(0, 1, min_open=True),
    help=("For a project without gold: the share of a text's tokens that are the top k. With gold it is the mean RLR."),
)
@option(
    "--intervals", is_flag=True, help="Bootstrap intervals (1,000 resamples, seed 0, 95 %) of means over instances."
)
@option(
    "--metric", "metrics", multiple=True, metavar="NAME",
    help="A column of the table, by its name in docs/metrics.md; repeat it for several.",
)  # fmt: skip
@option(
    "--own-instances", "has_own", is_flag=True,
    help="Keep each row over its own instances (the default where few are shared), not those that all rows share.",
)  # fmt: skip
@option(
    "--against", metavar="ROW",
    help="Compare all other rows with this one, named as in the table or by a unique part: lime, bert/lime, "
    "bert/lime/seed 2, random.",
)  # fmt: skip
@option(
    "--instances", "row", metavar="ROW",
    help="With --against and one --metric: the ten instances either way in which this row differs most; with --csv all.",
)  # fmt: skip
@option(
    "--relate", nargs=2, metavar="METRIC METRIC",
    help="Instead of the table: how two metrics go together, over instances and over rows (rank correlation).",
)  # fmt: skip
@option("--all", "form", flag_value="all", help="Print every number, a line each, with its definition.")
@option(
    "--csv", "form", flag_value="csv",
    help="Print every number as CSV, a line each, in the columns of docs/metrics_page.md#the-columns-of-the-csv.",
)  # fmt: skip
@option(
    "--latex", "form", flag_value="latex",
    help="Print the table as LaTeX, with the packages booktabs and tabularx; a wide one becomes a table*.",
)  # fmt: skip
@option(
    "--card", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Also write a results card, which annotator reproduce checks elsewhere.",
)  # fmt: skip
@answering
@examples(
    "annotator evaluate project --project Reviews",
    "annotator evaluate project --project Reviews --metric sets.best_f1 --against bert/lime",
    "annotator evaluate project --project Reviews --gold-policy soft",
)
def project(
    database: Path, /, *, project_name: str, intervals: bool, metrics: tuple[str, ...], has_own: bool, against: str | None,
    row: str | None, form: str | None, card: Path | None, relate: tuple[str, str] | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Score the predictions, plausibility, faithfulness and consistency of a project's models against its gold.

    It prints the table that the page Metrics shows first, with a verdict against random (▲ better, ≈ no clear
    difference, ▼ worse, ? fewer than twenty instances) and the best of a column (★). Below stands what was left
    out and what is missing.

    --against compares all other rows with one, over the instances that both have: paired bootstrap intervals, p by
    sign flips, corrected (Holm). docs/metrics_page.md and docs/scores.md explain each number.
    """
    _require_one_form(form, as_json, metrics, has_own)
    _require_comparison(against, row, metrics, has_own, "json" if as_json else form)
    if relate is not None and (against is not None or metrics or options["by"] or as_json or form not in (None, "csv")):
        raise click.UsageError("--relate stands alone, or with --csv.")
    from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances

    names = {name: options.pop(name) for name in ("model", "method")}
    if options["by"] and options["criterion"] is not None:
        raise click.UsageError("Choose --criterion or --group-by; --group-by criterion has a table for each.")
    if options["by"] and row is not None:
        raise click.UsageError("Choose --instances or --group-by.")
    with opened_project(database, project_name) as (store, stored_project):
        scoring_options = _scoring_options(stored_project, **options, n_resamples=1000 if intervals else 0)
        if card is not None:
            _write_card(card, store, stored_project, names, scoring_options)
        if relate is not None:
            click.echo(_related(store, stored_project, names, scoring_options, relate, form), nl=False)
            return
        if scoring_options.by and scoring_options.group is None:
            _show_groups(
                store, stored_project, names, scoring_options, metrics, form, has_own, against, as_json=as_json
            )
            return
        if against is not None:
            compared = (against, row)
            click.echo(_compared(store, stored_project, names, scoring_options, metrics, form, compared), nl=False)
            return
        if not as_json and form != "all":
            made = evaluate_with_instances(store, LOCAL_OPERATOR, stored_project, **names, options=scoring_options)
            click.echo(_printed(*made, scoring_options, metrics, form, has_own), nl=False)
            return
        numbers = evaluate_project(store, LOCAL_OPERATOR, stored_project, **names, options=scoring_options)
    show_scores(_as_json(numbers, scoring_options) if as_json else _flat(numbers), registered_value, as_json=as_json)


def _as_json(numbers: "ProjectReport", scoring_options: "ScoringOptions") -> Mapping[str, object]:
    from annotator.scoring.reports import with_intervals

    return with_intervals(numbers, scoring_options.n_resamples)


def _related(
    store: "Store", stored_project: Project, names: Mapping[str, str | None], scoring_options: "ScoringOptions",
    metrics: Sequence[str], form: str | None,
) -> str:  # fmt: skip
    from annotator.scoring.table import metric_table
    from annotator.usecases.compare.differences import relations, relations_csv, relations_text
    from annotator.usecases.inspect.project_scores import evaluate_with_instances

    table = metric_table(
        *evaluate_with_instances(
            store, LOCAL_OPERATOR, stored_project, model=names["model"], method=names["method"], options=scoring_options
        )
    )
    made = relations(table, metrics)
    return relations_csv(made) if form == "csv" else relations_text(made)


def _scoring_options(
    stored_project: Project, *, gold_policy: str | None, has_ordered_labels: bool, **options: Any
) -> "ScoringOptions":
    from annotator.scoring.runs import ScoringOptions
    from annotator.usecases.gold_table import scored_against

    labels = stored_project.labels if has_ordered_labels else ()
    return scored_against(gold_policy, ScoringOptions(**options, ordered_labels=tuple(labels)))


def _write_card(
    path: Path,
    store: "Store",
    stored_project: Project,
    names: Mapping[str, str | None],
    scoring_options: "ScoringOptions",
) -> None:
    from annotator.usecases.inspect.result_cards import result_card, written_card

    card = result_card(store, LOCAL_OPERATOR, stored_project, scoring_options, **names)
    with part_folder(path) as folder:
        made = folder / path.name
        made.write_bytes(written_card(card))
        made.replace(path)
    click.echo(f"{path}: {counted(len(card.numbers), 'number')} over {counted(len(card.texts), 'text')}.", err=True)


def _require_one_form(form: str | None, as_json: bool, metrics: Sequence[str], has_own: bool) -> None:
    if as_json and form:
        raise click.UsageError(f"Choose --json or --{form}; both at once cannot be printed.")
    whole = "--json" if as_json else f"--{form}" if form == "all" else ""
    if whole and (metrics or has_own):
        name = "--metric" if metrics else "--own-instances"
        raise click.UsageError(f"{name} is for the table, --csv and --latex; {whole} holds every number of each row.")


def _require_comparison(
    against: str | None, row: str | None, metrics: Sequence[str], has_own: bool, form: str | None
) -> None:
    if row is not None and (against is None or len(metrics) != 1):
        raise click.UsageError(
            "--instances lists where two rows differ: name the other with --against, and one --metric."
        )
    if against is None:
        return
    if form in ("json", "all"):
        raise click.UsageError(
            f"--against is for the table, --csv and --latex; --{form} holds the numbers of each row."
        )
    if has_own:
        raise click.UsageError(
            "With --against rows are compared over the instances that both have; leave --own-instances out."
        )
    if row is not None and form == "latex":
        raise click.UsageError("--instances is a list, or --csv; it is not printed as LaTeX.")


def _compared(
    store: "Store", stored_project: Project, names: Mapping[str, str | None], scoring_options: "ScoringOptions",
    metrics: Sequence[str], form: str | None, compared: tuple[str, str | None],
) -> str:  # fmt: skip
    """The rows that were asked for against one of all rows; or the instances in which one differs from it."""
    from annotator.scoring.table import metric_table
    from annotator.usecases.compare import rows
    from annotator.usecases.inspect.project_scores import evaluate_with_instances

    against, row = compared
    table = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, stored_project, options=scoring_options))
    if row is not None:
        pair = rows.two_rows(table, row, against, metrics[0])
        listed = rows.differing_instances(
            store, LOCAL_OPERATOR, stored_project, pair, most=None if form == "csv" else 10
        )
        return rows.differing_csv(pair, listed) if form == "csv" else rows.differing_text(pair, listed)
    return _printed_against(table, against, names, metrics, form, scoring_options)


def _printed_against(
    table: "MetricTable", against: str, names: Mapping[str, str | None], metrics: Sequence[str], form: str | None,
    scoring_options: "ScoringOptions",
) -> str:  # fmt: skip
    from annotator.usecases.compare.differences import against_csv, against_latex, against_text
    from annotator.usecases.compare.rows import rows_against

    made = rows_against(table, against, metrics, model=names["model"], method=names["method"])
    if form == "latex":
        return against_latex(made)
    return against_csv(made, explained=scoring_options.explained) if form == "csv" else against_text(made)


def _show_groups(
    store: "Store", stored_project: Project, names: Mapping[str, str | None], scoring_options: "ScoringOptions",
    metrics: Sequence[str], form: str | None, has_own: bool, against: str | None, *, as_json: bool,
) -> None:  # fmt: skip
    """The same for each group, one after the other; a group without numbers says so. Of CSV the head stands once."""
    from annotator.domain.measurements import group_in_words, grouping_in_words
    from annotator.usecases.inspect.groups import evaluate_groups

    by, is_whole = scoring_options.by, as_json or form == "all"
    reports: dict[str, Mapping[str, object]] = {}
    n_groups = 0
    with InstanceProgress("group") as progress, closing(
        evaluate_groups(
            store, LOCAL_OPERATOR, stored_project, **({} if against else names), options=scoring_options,
            keeps_instances=not is_whole, progress=progress.take,
        )
    ) as groups:  # fmt: skip
        for n_groups, made in enumerate(groups, start=1):
            if is_whole:
                reports[made.group] = _as_json(made.numbers, scoring_options) if as_json else _flat(made.numbers)
                continue
            title = f"{grouping_in_words(by)}: {group_in_words(by, made.group)} ({counted(made.n, 'instance')})"
            try:
                text = _printed(made.numbers, made.behind, scoring_options, metrics, form, has_own, against, names)
            except NotFound as error:
                click.echo(f"{title}: {error}", err=form is not None)
                continue
            if form is None:
                click.echo(f"{chr(10) if n_groups > 1 else ''}{title}\n")
            click.echo(text if form != "csv" or n_groups == 1 else text.split("\n", 1)[1], nl=False)
    if not n_groups:
        raise NotFound(f"No instance with gold of '{stored_project.name}' is in a group by {grouping_in_words(by)}.")
    if reports:
        show_scores({"group_by": by, "groups": reports}, registered_value, as_json=as_json)


def _printed(
    numbers: "ProjectReport", behind: "Behind | None", scoring_options: "ScoringOptions",
    metrics: Sequence[str], form: str | None, has_own: bool, against: str | None = None,
    names: Mapping[str, str | None] = {},
) -> str:  # fmt: skip
    """The table for people, as LaTeX, or as CSV with all that is not shown of it; or the differences from a row."""
    from annotator.scoring.table import metric_table
    from annotator.usecases.inspect.metric_formats import table_csv, table_latex, table_text
    from annotator.usecases.inspect.metrics_table import metric_view

    if against is not None:
        return _printed_against(metric_table(numbers, behind), against, names, metrics, form, scoring_options)

    is_shared = False if has_own else None
    view = metric_view(
        metric_table(numbers, behind), metrics, n_resamples=scoring_options.n_resamples, is_shared=is_shared
    )
    if form == "latex":
        return table_latex(view.table, view.rows, view.columns)
    if form == "csv":
        return table_csv(view.table, metrics or None, explained=scoring_options.explained)
    return table_text(view)


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


# `annotator evaluate models`: two models beside each other, in one or several projects.


_TITLES = {"all": "all texts", "originals": "originals", "changed_versions": "changed versions"}


@click.command("models")
@option(
    "--project", "project_names", required=True, multiple=True, metavar="NAME",
    help="A project; repeat it for projects whose texts neither model was trained on.",
)  # fmt: skip
@option("--base", required=True, multiple=True, metavar="MODEL", help="The base model; repeat it for its seeds.")
@option(
    "--other", required=True, multiple=True, metavar="MODEL",
    help="The other model; repeat it for its seeds. Equal numbers of seeds are paired by seed, else in order.",
)  # fmt: skip
@option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which gold, instead of the project's policy.")
@option("--split", help="Only this split.")
@option(
    "--include-training", "includes_training", is_flag=True, help="Also compare on texts that a model learned from."
)
@answering
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
    from annotator.usecases.databases import find_project

    with opened(database) as store:
        projects = [find_project(store, name) for name in dict.fromkeys(project_names)]
        pair, scoring_options = ModelPair(base, other), ScoringOptions(**options)
        reports = comparison_reports(store, LOCAL_OPERATOR, projects, pair, scoring_options)
        signed = {project.name: _signature(store, project, scoring_options) for project in projects}
    if as_json:
        print_json({name: {**report.as_json(), "signature": signed[name]} for name, report in reports.items()})
        return
    for name, report in reports.items():
        for line in (*_lines(name, report.comparison), *_gain_lines(report.gains), f"  Signature: {signed[name]}"):
            click.echo(line)


def _signature(store: "Store", project: "Project", options: "ScoringOptions") -> str:
    from annotator.scoring.signatures import signature_of_gold
    from annotator.usecases.inspect.gold_release import gold_release

    policy = options.gold_policy or project.settings.gold_policy
    release = gold_release(store, project, policy)
    learned = "included" if options.includes_training else None
    return signature_of_gold(policy, release, split=options.split, learned=learned)


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
    p_values = ", ".join("–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}" for p in part.p_mcnemar)
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
