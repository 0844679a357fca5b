"""The numbers of a project: of its models as tables, of its annotators, of its functional tests."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypedDict, cast, overload

from annotator.api.frames import frame
from annotator.api.project import OpenProject, speaks_python
from annotator.domain.measurements import grouping_in_words
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project as Rules
from annotator.domain.suites import StoredSuite
from annotator.errors import InvalidValue, NotFound
from annotator.scoring.reports import ProjectReport
from annotator.scoring.row_differences import AgainstTable, ComparedRow
from annotator.scoring.runs import ONE_PERSON, ScoringOptions
from annotator.scoring.table import MetricTable
from annotator.usecases.compare.differences import difference_lines
from annotator.usecases.compare.rows import DifferingInstance, TwoRows
from annotator.usecases.databases import Store
from annotator.usecases.inspect.groups import group_counts
from annotator.usecases.inspect.metric_formats import metric_lines
from annotator.usecases.inspect.metric_values import InstanceValues, RowChoice, groupings_of
from annotator.usecases.inspect.training_texts import words_of
from annotator.usecases.suites.results import SuiteResults

if TYPE_CHECKING:
    from pandas import DataFrame

    from annotator.usecases.inspect.metrics_table import MetricView

_EXPLAINED = ("predicted", "gold")
_N_RESAMPLES = 1000
_PAIR = ("about", "first", "second", "n_instances", "kappa", "kappa_per_instance")


@speaks_python
class ProjectNumbers(OpenProject):
    """The part of a Project that measures."""

    @overload
    def evaluate(
        self, model: str | None = None, method: str | None = None, *, by: None = None, group: None = None,
        gold_policy: str | None = None, split: str | None = None, criterion: str | None = None, gamma: float = 1.0,
        explained: str = "predicted", n_resamples: int = 0, includes_training: bool = False, ratio: float | None = None,
        ferret_k: int = 5,
    ) -> "ProjectReport": ...  # fmt: skip
    @overload
    def evaluate(
        self, model: str | None = None, method: str | None = None, *, by: str, group: str,
        gold_policy: str | None = None, split: str | None = None, criterion: str | None = None, gamma: float = 1.0,
        explained: str = "predicted", n_resamples: int = 0, includes_training: bool = False, ratio: float | None = None,
        ferret_k: int = 5,
    ) -> "ProjectReport": ...  # fmt: skip
    @overload
    def evaluate(
        self, model: str | None = None, method: str | None = None, *, by: str, group: None = None,
        gold_policy: str | None = None, split: str | None = None, criterion: str | None = None, gamma: float = 1.0,
        explained: str = "predicted", n_resamples: int = 0, includes_training: bool = False, ratio: float | None = None,
        ferret_k: int = 5,
    ) -> "GroupedReports": ...  # fmt: skip
    def evaluate(
        self,
        model: str | None = None,
        method: str | None = None,
        *,
        by: str | None = None,
        group: str | None = None,
        gold_policy: str | None = None,
        split: str | None = None,
        criterion: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        n_resamples: int = 0,
        includes_training: bool = False,
        ratio: float | None = None,
        ferret_k: int = 5,
    ) -> "ProjectReport | GroupedReports":
        """The object that `annotator evaluate project --json` prints (docs/scores.md).

        gold_policy: also "soft" (shares of people), or "annotator:NAME" (that person's sets and labels)
        by, group: see `metrics`; by alone gives what `--group-by` prints, the object of each group under `groups`
        criterion: of sentence editing, such as "spelling" or "deleted"; "" for sentences that tell none
        n_resamples: above 0, each mean over instances has a bootstrap interval, in `intervals` by its place
        includes_training: a model that was trained here is scored on the split that it learned from too
        ratio: of a project without gold, the share of a text's tokens that the top k are
        ferret_k: how many tokens ferret's token F1 and IoU select of every text
        """
        from annotator.scoring.reports import with_intervals  # noqa: PLC0415
        from annotator.usecases.inspect.project_scores import evaluate_project  # noqa: PLC0415

        if by is not None and criterion is not None:
            raise InvalidValue("Choose 'criterion' or 'by'; by='criterion' has the numbers of each.")
        of_all_criteria = _options(
            gold_policy, split, n_resamples, gamma, explained, includes_training=includes_training
        )
        of_groups = self._of_groups(
            replace(of_all_criteria, criterion=criterion, ratio=ratio, ferret_k=ferret_k), by, group
        )
        store, rules = self.database.store, self.rules
        reports = {
            name: cast(
                "ProjectReport",
                with_intervals(
                    evaluate_project(store, LOCAL_OPERATOR, rules, model=model, method=method, options=options),
                    n_resamples,
                ),
            )
            for name, options in of_groups.items()
        }
        return reports[group] if by is None or group is not None else {"group_by": by, "groups": reports}

    def metrics(
        self,
        model: str | None = None,
        method: str | None = None,
        *,
        metrics: str | Sequence[str] = (),
        wide: bool = False,
        intervals: bool = False,
        shared: bool | None = None,
        by: str | None = None,
        group: str | None = None,
        gold_policy: str | None = None,
        split: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        includes_training: bool = False,
        ratio: float | None = None,
    ) -> "DataFrame":
        """A row a number: of each model, method and layer (seeds together) and each metric; random as a method stands last.

        `attrs["gold_release"]` of the table says which release its gold is, or how far it has moved on; "" where none is made.
        metrics:   names of docs/metrics.md; () for all of them
        wide:      a row for each model, method and layer instead, with the values of the metrics as columns
        intervals: with bootstrap intervals (1,000 resamples)
        shared:    whether a metric is over the instances that all rows have; None: as the Metrics page does at first
        by:        the same for each group of the instances, which the column `of_group` names: by "label", "split", "kind" (of
                   changed version), "criterion", "annotator" (with that person's sets alone as gold) or "metadata:NAME"; ""
                   are those that tell none, and a group of which there is no such number has no row
        group:     of these the one alone
        ratio:     of a project without gold, the share of a text's tokens that the top k are
        Raises:    NotFound where there is no gold or no output yet, for a metric that no row has, and for a group that is not
                   there; InvalidValue for what nothing is grouped by
        """
        n_resamples = _N_RESAMPLES if intervals else 0
        options = _options(gold_policy, split, n_resamples, gamma, explained, includes_training=includes_training)
        options = replace(options, ratio=ratio)
        rows: list[dict[str, object]] = []
        names: list[str] = []
        release = ""
        for name, view in self._views(model, method, metrics, self._of_groups(options, by, group), shared):
            table, here = replace(view.table, rows=tuple(view.rows)), [column.name for column in view.columns]
            made = wide_rows_of(table, here) if wide else rows_of_metrics(table, here)
            rows += [{"of_group": name, **row} for row in made]
            names += [of for of in here if of not in names]
            release = view.table.release or ""
        heads = () if by is None else ("of_group",)
        columns = (*heads, *WIDE_COLUMNS, *names) if wide else (*heads, *METRIC_COLUMNS)
        made_table = frame(rows, columns, names if wide else ())
        made_table.attrs["gold_release"] = release
        return made_table

    def latex(
        self,
        model: str | None = None,
        method: str | None = None,
        *,
        metrics: str | Sequence[str] = (),
        intervals: bool = False,
        shared: bool | None = None,
        gold_policy: str | None = None,
        split: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        includes_training: bool = False,
    ) -> str:
        """The same as a table for a paper, as `annotator evaluate project --latex` prints it; metrics: () for the first ones."""
        from annotator.usecases.inspect.metric_formats import table_latex  # noqa: PLC0415

        n_resamples = _N_RESAMPLES if intervals else 0
        options = _options(gold_policy, split, n_resamples, gamma, explained, includes_training=includes_training)
        view = self._view(model, method, metrics, options, shared)
        return table_latex(view.table, view.rows, view.columns)

    def _of_groups(
        self, options: "ScoringOptions", by: str | None, group: str | None
    ) -> "dict[str | None, ScoringOptions]":

        return options_of_groups(self.database.store, self.rules, options, by, group)

    def _views(
        self, model: str | None, method: str | None, metrics: str | Sequence[str],
        of_groups: "Mapping[str | None, ScoringOptions]", shared: bool | None,
    ) -> "Iterator[tuple[str | None, MetricView]]":  # fmt: skip
        """The numbers of each group that has some; raises where none has."""
        refusal, n_views = None, 0
        for name, options in of_groups.items():
            try:
                view = self._view(model, method, metrics, options, shared, shows_all=True)
            except NotFound as error:
                refusal = error
            else:
                n_views += 1
                yield name, view
        if refusal is not None and not n_views:
            raise refusal

    def _view(
        self, model: str | None, method: str | None, metrics: str | Sequence[str], options: "ScoringOptions",
        shared: bool | None, *, shows_all: bool = False,
    ) -> "MetricView":  # fmt: skip
        from annotator.scoring.table import metric_table  # noqa: PLC0415
        from annotator.usecases.inspect.metrics_table import metric_view  # noqa: PLC0415
        from annotator.usecases.inspect.project_scores import evaluate_with_instances  # noqa: PLC0415

        made = evaluate_with_instances(
            self.database.store, LOCAL_OPERATOR, self.rules, model=model, method=method, options=options
        )
        whole, names = metric_table(*made), [metrics] if isinstance(metrics, str) else list(metrics)
        if shows_all:
            names = names or [column.name for column in whole.columns]
        return metric_view(whole, names, n_resamples=options.n_resamples, is_shared=shared)

    def instance_metrics(
        self,
        model: str | None = None,
        method: str | None = None,
        *,
        metrics: str | Sequence[str] = (),
        wide: bool = True,
        gold_policy: str | None = None,
        split: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        includes_training: bool = False,
    ) -> "DataFrame":
        """A row an instance with gold and run (each seed by itself) and layer, with a column a metric; what `metrics` averages.

        metrics: names of docs/metrics.md; () for all that some run has
        wide:    False for a row a number, with the columns `metric` and `value`; what is not defined is then left out
        """
        from annotator.usecases.inspect.metric_values import values_of_rows  # noqa: PLC0415
        from annotator.usecases.inspect.metrics_table import require_metrics  # noqa: PLC0415

        options = _options(gold_policy, split, 0, gamma, explained, includes_training=includes_training)
        rules = self.rules
        values = list(
            values_of_rows(self.database.store, LOCAL_OPERATOR, rules, model=model, method=method, options=options)
        )
        here = list(dict.fromkeys(name for _, of_row in values for name in of_row.values))
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        require_metrics(names, here, rules.name)
        names = names or here
        heads = INSTANCE_METRIC_COLUMNS
        rows = (row for choice, of_row in values for row in rows_of_values(choice, of_row, names))
        if wide:
            return frame(rows, (*heads, *names), names)
        return frame(long_rows_of(rows, names), (*heads, "metric", "value"))

    def differences(
        self,
        against: str,
        rows: str | Sequence[str] = (),
        *,
        metrics: str | Sequence[str] = (),
        by: str | None = None,
        group: str | None = None,
        gold_policy: str | None = None,
        split: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        includes_training: bool = False,
    ) -> "DataFrame":
        """A row a comparison: of each other row of the table with the one it is `against`, over the instances that both have.

        against, rows: as the table prints them, or what tells a row from the others: "bert/lime", "bert/lime/seed 2", "random"
        rows:    () for all others; what is compared is what p is corrected for (Holm)
        metrics: () for those that the Metrics page shows first
        by, group: as in `metrics`; p is corrected within each group, and a group that lacks a row has none
        Raises:  NotFound for a row or a metric that is not there, or a name that stands for several rows
        """
        options = _options(gold_policy, split, 0, gamma, explained, includes_training=includes_training)
        lines: list[Row] = []
        refusal = None
        for name, of_group in self._of_groups(options, by, group).items():
            try:
                made = self._against(against, rows, metrics, of_group)
            except NotFound as error:
                refusal = error
                continue
            lines += [{"of_group": name, **line} for line in rows_of_differences(made)]
        if refusal is not None and not lines:
            raise refusal
        return frame(lines, DIFFERENCE_COLUMNS if by is None else ("of_group", *DIFFERENCE_COLUMNS))

    def instance_differences(
        self,
        against: str,
        rows: str | Sequence[str] = (),
        *,
        metrics: str | Sequence[str] = (),
        gold_policy: str | None = None,
        split: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        includes_training: bool = False,
    ) -> "DataFrame":
        """A row an instance that both have: what `differences` averages, with the values of both."""
        from annotator.usecases.compare.rows import pairs_of, shared_instances  # noqa: PLC0415

        options = _options(gold_policy, split, 0, gamma, explained, includes_training=includes_training)
        store, rules = self.database.store, self.rules
        differing = (
            row
            for pair in pairs_of(self._against(against, rows, metrics, options))
            for row in rows_of_instance_differences(pair, shared_instances(store, LOCAL_OPERATOR, rules, pair))
        )
        return frame(differing, INSTANCE_DIFFERENCE_COLUMNS)

    def _against(
        self, against: str, rows: str | Sequence[str], metrics: str | Sequence[str], options: "ScoringOptions"
    ) -> "AgainstTable":
        from annotator.scoring.table import metric_table  # noqa: PLC0415
        from annotator.usecases.compare.rows import rows_against  # noqa: PLC0415
        from annotator.usecases.inspect.project_scores import evaluate_with_instances  # noqa: PLC0415

        table = metric_table(*evaluate_with_instances(self.database.store, LOCAL_OPERATOR, self.rules, options=options))
        names, chosen = ([of] if isinstance(of, str) else list(of) for of in (metrics, rows))
        return rows_against(table, against, names, chosen)

    def measure(self) -> int:
        """Store the numbers by which screens sort instances, for all runs against the gold of now; answers how many runs."""
        from annotator.usecases.inspect.measurement import measure  # noqa: PLC0415

        return measure(self.database.store, LOCAL_OPERATOR, self.rules)

    def compare(
        self,
        base: str | Sequence[str],
        other: str | Sequence[str],
        *,
        gold_policy: str | None = None,
        split: str | None = None,
        includes_training: bool = False,
    ) -> dict[str, object]:
        """What the other model wins and loses against the base: of this project the object of `annotator evaluate models --json`.

        base, other: a model; or several, the seeds of it, which are paired in their order
        """
        from annotator.usecases.compare.comparison_words import comparison_reports  # noqa: PLC0415
        from annotator.usecases.compare.model_comparison import ModelPair  # noqa: PLC0415
        from annotator.usecases.gold import checked_policy  # noqa: PLC0415

        rules = self.rules
        pair = ModelPair(*((names,) if isinstance(names, str) else tuple(names) for names in (base, other)))
        options = _options(checked_policy(gold_policy), split, includes_training=includes_training)
        reports = comparison_reports(self.database.store, LOCAL_OPERATOR, [rules], pair, options)
        return reports[rules.name].as_json()

    def agreement(self, *, pairs: bool = False, unhelped: bool = False) -> "DataFrame":
        """A row a coefficient of the annotators' agreement on labels, tokens and sets; pairs: a row a pair of annotators.

        unhelped: over annotations that were made without help alone
        """
        from annotator.domain.measurements import WITHOUT_HELP  # noqa: PLC0415
        from annotator.usecases.gold import agreement_of  # noqa: PLC0415
        from annotator.usecases.lead.quality import Coefficient, coefficients_of, pairs_of  # noqa: PLC0415

        made = agreement_of(self.database.store, LOCAL_OPERATOR, self.rules, WITHOUT_HELP if unhelped else None)
        if pairs:
            return frame(map(asdict, pairs_of(made)), _PAIR)
        return frame(map(asdict, coefficients_of(made)), Coefficient.__dataclass_fields__)

    def failure_rates(self, suite: str) -> "DataFrame":
        """A row a model and functional test of a suite; those of a capability together, and of all, have no `test`."""
        from annotator.usecases.suites.construction import suite_named  # noqa: PLC0415
        from annotator.usecases.suites.results import suite_results  # noqa: PLC0415

        store, rules = self.database.store, self.rules
        results = suite_results(store, LOCAL_OPERATOR, rules, suite_named(store, rules, suite))
        return frame(rows_of_failures(results), FAILURE_COLUMNS)


def _options(
    gold_policy: str | None,
    split: str | None,
    n_resamples: int = 0,
    gamma: float = 1.0,
    explained: str = "predicted",
    *,
    includes_training: bool,
) -> "ScoringOptions":
    from annotator.scoring.runs import ScoringOptions  # noqa: PLC0415
    from annotator.usecases.gold_table import scored_against  # noqa: PLC0415

    if explained not in _EXPLAINED:
        raise InvalidValue(f"'explained' must be one of {', '.join(_EXPLAINED)}; it is '{explained}'.")
    options = ScoringOptions(
        None, split, None, n_resamples, gamma, explained=explained, includes_training=includes_training
    )
    return scored_against(gold_policy, options)


# Numbers as rows of tables: metrics of runs and of single instances, failure rates (docs/api.md lists the columns).


Row = dict[str, object]

WIDE_COLUMNS = ("model", "method", "params", "seeds", "kind", "layer", "training")
METRIC_COLUMNS = (
    "model", "method", "params", "seeds", "kind", "layer", "group", "metric", "value", "n", "n_left_out", "low", "high",
    "deviation", "n_seeds", "instances", "null", "verdict", "difference", "difference_low", "difference_high", "n_compared",
    "direction", "training",
)  # fmt: skip


def rows_of_metrics(table: MetricTable, names: Sequence[str]) -> Iterator[Row]:
    """Each number of these metrics over all instances, as the table's CSV has it; parameters and seeds as Python has them."""
    for line in metric_lines(table):
        if line["metric"] in names and not line["part"]:
            params = json.loads(str(line.get("parameters") or "{}"))
            layer = line["layer"] if isinstance(line.get("layer"), int) else None
            head = {"method": line.get("method", ""), "kind": line.get("kind", ""), "layer": layer, "params": params}
            yield line | head | {"seeds": [int(seed) for seed in str(line["seeds"]).split()]}


def wide_rows_of(table: MetricTable, names: Sequence[str]) -> Iterator[Row]:
    """Each row of the table with its values of these metrics, and random."""
    for row in (*table.rows, table.random):
        yield {
            "model": row.model, "method": row.method, "params": json.loads(row.parameters),
            "seeds": [seed for seed in row.seeds if seed is not None], "kind": row.kind, "layer": row.layer,
            "training": words_of(row.training),
            **{name: row.numbers[name].value for name in names if name in row.numbers},
        }  # fmt: skip


DIFFERENCE_COLUMNS = (
    "model", "method", "params", "seeds", "kind", "layer", "against", "group", "metric", "difference", "low", "high", "p",
    "p_corrected", "n_comparisons", "verdict", "n", "n_left_out", "value", "value_of_reference", "n_higher", "n_lower", "told",
    "reason", "direction",
)  # fmt: skip


def rows_of_differences(made: AgainstTable) -> Iterator[Row]:
    """Each row and column that is compared, or the reason why not."""
    for of, line in difference_lines(made):
        yield line | _head_of(of)


def _head_of(of: ComparedRow) -> Row:
    row = of.row
    return {
        "model": row.model, "method": row.method, "params": json.loads(row.parameters), "kind": row.kind, "layer": row.layer,
        "seeds": [seed for seed in (row.seeds if of.seed is None else (of.seed,)) if seed is not None],
    }  # fmt: skip


INSTANCE_DIFFERENCE_COLUMNS = (
    "key", "split", "gold", "model", "method", "params", "seeds", "kind", "layer", "against", "metric", "difference", "value",
    "value_of_reference",
)  # fmt: skip


def rows_of_instance_differences(pair: TwoRows, instances: Iterable[DifferingInstance]) -> Iterator[Row]:
    """Each instance that both rows have."""
    head = _head_of(pair.row) | {"against": pair.names[1], "metric": pair.column.name}
    for of in instances:
        yield head | {
            "key": of.key, "split": of.split, "gold": of.result, "difference": of.difference, "value": of.value,
            "value_of_reference": of.of_reference,
        }  # fmt: skip


INSTANCE_METRIC_COLUMNS = (
    "key", "split", "model", "method", "params", "seed", "kind", "layer", "gold", "predicted", "p", "perturbation_kind",
)  # fmt: skip


def rows_of_values(choice: RowChoice, values: InstanceValues, names: Sequence[str]) -> Iterator[Row]:
    """Each instance of a run with its values of these metrics, NaN where one is not defined."""
    columns = {name: values.values[name].tolist() for name in names if name in values.values}
    for index, instance in enumerate(values.instances):
        yield {
            "key": instance.key, "split": instance.split, "model": choice.model, "method": choice.method,
            "params": json.loads(choice.parameters), "seed": choice.seed, "kind": choice.kind, "layer": choice.layer,
            "gold": instance.result, "predicted": instance.predicted, "p": instance.p, "perturbation_kind": instance.kind,
            **{name: of_metric[index] for name, of_metric in columns.items()},
        }  # fmt: skip


def long_rows_of(rows: Iterable[Row], names: Sequence[str]) -> Iterator[Row]:
    """The same with a row a number; what is not defined is left out."""
    for row in rows:
        for name in names:
            value = row.get(name)
            if isinstance(value, float) and not math.isnan(value):
                yield {**row, "metric": name, "value": value}


TEST_COLUMNS = ("suite", "test", "category", "type", "n_cases", "n_texts", "created_by", "created_at")


def rows_of_tests(suite: StoredSuite) -> Iterator[Row]:
    """Each test of a suite."""
    for test in suite.tests:
        yield {**{name: getattr(test, name, None) for name in TEST_COLUMNS}, "suite": suite.name, "test": test.name}


FAILURE_COLUMNS = ("category", "test", "type", "model", "rate", "deviation", "n_cases", "n_runs", "n_failed")


def rows_of_failures(results: SuiteResults) -> Iterator[Row]:
    """Each model's failure rate of each test, of a capability's tests together, and of all (which have no test)."""
    for row in results.rows:
        for model, rate in row.rates.items():
            yield {
                "category": row.category or None, "test": None if row.test is None else row.name,
                "type": None if row.test is None else row.test.type, "model": model, "rate": rate.rate,
                "deviation": rate.deviation, "n_cases": row.n_cases, "n_runs": rate.n_runs, "n_failed": list(rate.n_failed),
            }  # fmt: skip


# Numbers of groups of instances: by label, split, a name of the metadata, and so on.


class GroupedReports(TypedDict):
    """What `annotator evaluate project --group-by WHAT --json` prints: the report of each group."""

    group_by: str
    groups: dict[str | None, ProjectReport]


def options_of_groups(
    store: Store, rules: Rules, options: ScoringOptions, by: str | None, group: str | None
) -> dict[str | None, ScoringOptions]:
    """How each group that was asked for is scored, by its name; all instances, by None, where nothing is grouped.

    Raises: InvalidValue for what the project's instances cannot be grouped by; NotFound for a group that is not there
    """
    if by is None:
        if group is not None:
            raise InvalidValue(f"'group' is '{group}', but nothing says by what: name that in 'by', as by='label'.")
        return {None: options}
    if options.perspective == "personal":
        raise InvalidValue(ONE_PERSON)
    known = groupings_of(store, LOCAL_OPERATOR, rules)
    if by not in known:
        raise InvalidValue(f"'by' must be one of {', '.join(known)}; it is '{by}'.")
    options = replace(options, by=by)
    groups = list(group_counts(store, LOCAL_OPERATOR, rules, options))
    if not groups:
        raise NotFound(f"No instance with gold of '{rules.name}' is in a group by {grouping_in_words(by)}.")
    if group is not None and group not in groups:
        names = ", ".join(f"'{name}'" for name in groups)
        raise NotFound(f"'group' must be one of {names} (by {grouping_in_words(by)}); it is '{group}'.")
    return {name: replace(options, group=name) for name in (groups if group is None else [group])}
