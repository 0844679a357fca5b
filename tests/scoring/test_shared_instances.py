"""Rows over the instances that all of them have: which these are, who does not compete, and what follows them."""

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotator.domain.models import Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.chance_verdicts import judged
from annotator.scoring.shared_instances import are_different, do_rows_differ, leaves_too_few, over_own, over_shared
from annotator.scoring.table import MetricTable
from annotator.store import Store
from annotator.usecases.inspect.metric_formats import table_csv
from annotator.usecases.inspect.metric_values import RowChoice, only, values_of_row
from annotator.usecases.models.attributions import AttributingOptions, attribute
from tests.usecases.transfer import comparing  # fmt: skip

F1, MRR = "sets.best_f1", "editing.mrr"
AREA = "eraser.average_precision"  # defined also for words that no model knows, whose scores are all 0


@pytest.fixture
def uneven(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Three models: over all forty texts, over the first 36, and over 25 of these, on which each has other numbers."""
    made = comparing.project_of(make_project, import_rows)
    for model, there in (("all", range(comparing.N)), ("most", range(36)), ("some", range(25))):
        comparing.take(
            store,
            made,
            (comparing.output(n, Run(model, "ig"), comparing.blind(n), [comparing.said(n, n < 30)]) for n in there),
        )
    return made


def n_of(table: MetricTable, name: str) -> dict[str, int | None]:
    return {row.model: row.numbers[name].n for row in table.rows}


def rows(table: MetricTable, *models: str) -> list[Any]:
    return [row for row in table.rows if row.model in models]


def test_it_is_known_whether_rows_are_over_different_instances(store, uneven) -> None:
    table = comparing.table_of(store, uneven)
    assert n_of(table, F1) == {"all": 40, "most": 36, "some": 25}
    column = table.column(F1)
    assert are_different(table, table.rows, column)
    assert not are_different(table, rows(table, "most"), column)
    assert do_rows_differ(table, table.rows, [column])
    assert not do_rows_differ(table, rows(table, "most"), list(table.columns))


def test_a_row_that_lacks_more_than_a_fifth_of_what_others_have_does_not_compete_and_takes_nothing_from_them(
    store, uneven
) -> None:
    table = comparing.table_of(store, uneven)
    shared = over_shared(table, table.rows)
    column = shared.shared[F1]
    # "some" lacks 15 of the 40 that one of the two others has; "most" 4 of 40
    assert dict(column.lacking) == {comparing.row_of(table, "some").key: pytest.approx(15 / 40)}
    assert column.n == 36
    assert n_of(shared, F1) == {"all": 36, "most": 36, "some": 25}
    alike = over_shared(table, rows(table, "all", "most"))
    assert (alike.shared[F1].n, dict(alike.shared[F1].lacking)) == (36, {})


def test_numbers_over_shared_instances_are_the_means_of_these(store, uneven) -> None:
    table = comparing.table_of(store, uneven)
    shared = over_shared(table, rows(table, "all", "most"))
    values = values_of_row(store, LOCAL_OPERATOR, uneven, RowChoice("all", "ig", "attribution"))
    first = only(values, {one.id for one in values.instances if one.key < comparing.key_of(36)})
    for name in (F1, MRR, "eraser.auprc", "er_test.order", "eraser.accuracy"):
        assert comparing.row_of(shared, "all").numbers[name].value == pytest.approx(first.values[name].mean()), name
        assert (
            comparing.row_of(shared, "all").numbers[name].value != comparing.row_of(table, "all").numbers[name].value
        ), name
    own = [table.behind.random[F1][:36].mean(), table.behind.random[F1].mean()]
    assert [shared.random.numbers[F1].value, table.random.numbers[F1].value] == pytest.approx(own)
    [verdict] = judged(shared, rows(shared, "all"), shared.column(F1))
    assert verdict.verdict.n == 36


def test_random_is_over_the_instances_of_the_rows_where_these_are_the_same_for_all_and_fewer_than_there_is_gold_for(
    store, uneven
) -> None:
    table = comparing.table_of(store, uneven)
    of_all = table.random.numbers[F1]
    assert table.behind is not None
    of_instances = table.behind.random[F1]
    columns = [table.column(F1)]
    beside = over_own(table, rows(table, "some"), columns).random.numbers[F1]
    assert (beside.value, beside.n) == (pytest.approx(of_instances[:25].mean()), 25)
    assert over_shared(table, rows(table, "some")).random.numbers[F1] == beside
    assert over_own(table, rows(table, "all"), columns).random.numbers[F1] == of_all  # with the deviation of its seeds
    assert over_own(table, table.rows, columns).random.numbers[F1] == of_all  # no instances that all rows are over


def test_rows_over_the_same_instances_keep_their_numbers(store, uneven) -> None:
    table = comparing.table_of(store, uneven, n_resamples=50)
    shared = over_shared(table, rows(table, "most"))
    assert shared.shared == {}
    assert shared.rows == tuple(rows(table, "most"))
    assert shared.random == over_own(table, rows(table, "most"), table.columns).random


def test_without_a_common_instance_each_row_keeps_its_own(store, make_project, import_rows) -> None:
    made = comparing.project_of(make_project, import_rows)
    for model, there in (("first", range(20)), ("second", range(20, 40))):
        comparing.take(store, made, (comparing.output(n, Run(model, "ig"), comparing.blind(n)) for n in there))
    table = comparing.table_of(store, made)
    shared = over_shared(table, table.rows)
    assert shared.shared == {}
    assert n_of(shared, F1) == {"first": 20, "second": 20}
    assert are_different(table, table.rows, table.column(F1))


def test_seeds_keep_their_spread_and_intervals_are_those_of_the_shared_instances(store, uneven) -> None:
    for seed, scores in ((1, comparing.knowing), (2, comparing.mistaken)):
        comparing.take(
            store, uneven, (comparing.output(n, Run("seeded", "ig", seed=seed), scores(n)) for n in range(comparing.N))
        )
    table = comparing.table_of(store, uneven, n_resamples=100)
    number = comparing.row_of(over_shared(table, rows(table, "seeded", "most"), 100), "seeded").numbers[MRR]
    # 1 with the first seed, 1/8 with the second: the mean of both, on any instances
    assert (number.value, number.n, number.n_seeds) == (pytest.approx((1 + 1 / 8) / 2), 36, 2)
    assert number.deviation == pytest.approx(np.std([1, 1 / 8], ddof=1))
    assert number.low == number.high == pytest.approx(number.value)
    blind_row = comparing.row_of(over_shared(table, rows(table, "all", "most"), 100), "all").numbers[MRR]
    assert blind_row.low < blind_row.value < blind_row.high


def test_what_a_model_learned_from_counts_as_lacking_for_no_row(store, make_project, import_rows) -> None:
    """The built-in model is scored on ten of forty texts; a model from elsewhere that has all forty is compared on these."""
    made = make_project(gold_policy="all")
    import_rows(made, comparing.rows_of(range(comparing.N), split=lambda n: "train" if n < 15 else "test"))
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", AttributingOptions())
    for model in ("one", "other"):
        comparing.take(
            store, made, (comparing.output(n, Run(model, "ig"), comparing.blind(n)) for n in range(comparing.N))
        )
    table = comparing.table_of(store, made)
    assert n_of(table, AREA) == {"built-in": 25, "one": 40, "other": 40}
    shared = over_shared(table, table.rows)
    assert dict(shared.shared[AREA].lacking) == {}
    assert n_of(shared, AREA) == {"built-in": 25, "one": 25, "other": 25}


@pytest.mark.parametrize(
    ("n_learned", "too_few"),
    [
        (15, False),  # 25 are shared
        (30, True),  # ten are, of which nothing can be said, and of forty something can
    ],
)
def test_it_is_known_whether_of_the_shared_instances_too_few_are_left(
    store, make_project, import_rows, n_learned: int, too_few: bool
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, comparing.rows_of(range(comparing.N), split=lambda n: "train" if n < n_learned else "test"))
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", AttributingOptions())
    comparing.take(store, made, (comparing.output(n, Run("one", "ig"), comparing.blind(n)) for n in range(comparing.N)))
    table = comparing.table_of(store, made)
    assert leaves_too_few(table, table.rows, [table.column(AREA)]) is too_few
    assert not leaves_too_few(table, rows(table, "built-in"), [table.column(AREA)])


def test_curves_are_over_the_same_instances_as_their_means(store, make_project, import_rows) -> None:
    made = comparing.project_of(make_project, import_rows)

    def falling(n: int, size: float) -> list[Prediction]:
        full = comparing.said(n, True, 0.9)
        other = ({"negative", "positive"} - {full.label}).pop()
        return [full, *(Prediction(None, {full.label: p, other: 1 - p}, "rest", t) for t, p in ((0.1, 0.9 - size), (0.5, 0.9 - 2 * size)))]  # fmt: skip

    comparing.take(
        store,
        made,
        (comparing.output(n, Run("all", "ig"), None, falling(n, 0.1 if n < 36 else 0.3)) for n in range(comparing.N)),
    )
    comparing.take(store, made, (comparing.output(n, Run("most", "ig"), None, falling(n, 0.2)) for n in range(36)))
    table = comparing.table_of(store, made)
    name = "eraser.comprehensiveness_aopc"
    assert comparing.row_of(table, "all").points.comprehensiveness == pytest.approx((0.12, 0.24))
    shared = over_shared(table, table.rows)
    assert comparing.row_of(shared, "all").points.comprehensiveness == pytest.approx((0.1, 0.2))
    assert comparing.row_of(shared, "all").numbers[name].value == pytest.approx(0.15)
    assert comparing.row_of(shared, "most").points.comprehensiveness == pytest.approx((0.2, 0.4))


@pytest.fixture
def changed(store: Store, uneven: Project, import_rows: Callable[..., object]) -> Project:
    """Changed versions of all forty texts, which two models rank like the original, or the other way round after twenty."""
    version = {
        "id": lambda n: f"{comparing.key_of(n)}c",
        "parent": comparing.key_of,
        "perturbation_kind": lambda n: ("syntax", "synonym")[n % 2],
    }
    import_rows(uneven, comparing.rows_of(range(comparing.N), **version))
    for model, there in (("all", range(comparing.N)), ("most", range(36))):
        rows = []
        for n in there:
            made = comparing.output(
                n,
                Run(model, "ig"),
                comparing.knowing(n) if n < 20 else comparing.mistaken(n),
                [comparing.said(n, n % 2 == 0 or n < 10)],
            )
            rows.append(type(made)(f"{comparing.key_of(n)}c", *[getattr(made, name) for name in made.__slots__[1:]]))
        comparing.take(store, uneven, rows)
    return uneven


def test_maps_of_pairs_by_kind_and_by_change_follow(store, changed) -> None:
    table = comparing.table_of(store, changed)
    two = rows(table, "all", "most")
    assert {row.numbers["benchmark.map"].n for row in two} == {40, 36}
    shared = over_shared(table, two)
    first, second = shared.rows
    assert first.numbers["benchmark.map"].n == second.numbers["benchmark.map"].n == 36
    assert first.numbers["benchmark.map"].value == pytest.approx(second.numbers["benchmark.map"].value)
    assert first.by_kind == second.by_kind
    assert first.by_change == second.by_change
    assert {kind: maps["benchmark.map"].n for kind, maps in first.by_kind.items()} == {"syntax": 18, "synonym": 18}
    assert sum(maps["benchmark.map"].n for maps in first.by_change.values()) == 36


def test_confidence_follows(store, uneven) -> None:
    comparing.take(store, uneven, (comparing.output(n, Run("sure", "ig"), comparing.knowing(n) if n % 4 else comparing.mistaken(n), [comparing.said(n, True, 0.9 if n % 4 else 0.6)]) for n in range(comparing.N)))  # fmt: skip
    table = comparing.table_of(store, uneven)
    sure, other = (
        comparing.row_of(table, "sure").numbers["confidence.perfect"],
        comparing.row_of(table, "sure").numbers["confidence.other"],
    )
    assert (sure.n, other.n) == (30, 10)
    shared = over_shared(table, rows(table, "sure", "most"))
    sure, other = (comparing.row_of(shared, "sure").numbers[f"confidence.{name}"] for name in ("perfect", "other"))
    assert (sure.n, other.n) == (27, 9)
    assert (sure.value, other.value) == (pytest.approx(0.9), pytest.approx(0.6))


def test_the_csv_says_over_which_instances_and_what_the_verdict_is(store, uneven) -> None:
    table = comparing.table_of(store, uneven)
    lines = {}
    for name, one in (("own", table), ("shared", over_shared(table, table.rows))):
        found = csv.DictReader(io.StringIO(table_csv(one)))
        lines[name] = {line["model"]: line for line in found if line["metric"] == F1}
    assert {model: line["n"] for model, line in lines["shared"].items()} == {
        "all": "36",
        "most": "36",
        "some": "25",
        "random": "36",
    }
    assert {line["instances"] for line in lines["shared"].values()} == {"shared"}
    assert {line["instances"] for line in lines["own"].values()} == {"own"}
    own = lines["own"]["all"]
    assert (own["verdict"], own["null"], own["n_compared"]) == ("not told", "random", "40")
    assert float(own["difference_low"]) < float(own["difference"]) < float(own["difference_high"])
    assert lines["own"]["random"]["verdict"] == ""


def test_gold_tokens_of_these_projects_are_spread() -> None:
    assert {comparing.gold_token(n) for n in range(comparing.N)} == set(range(8))
