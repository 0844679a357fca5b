"""Numbers as rows of tables: metrics of runs and of single instances, failure rates (docs/api.md lists the columns)."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence

from annotator.domain.suites import StoredSuite
from annotator.scoring.row_differences import AgainstTable, ComparedRow
from annotator.scoring.table import MetricTable
from annotator.usecases.compare.difference_tables import difference_lines
from annotator.usecases.compare.row_comparison import DifferingInstance, TwoRows
from annotator.usecases.inspect.metric_values import InstanceValues, RowChoice
from annotator.usecases.inspect.score_files import metric_lines
from annotator.usecases.inspect.training_texts import words_of
from annotator.usecases.suites.results import SuiteResults

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
