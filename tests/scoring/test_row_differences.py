"""Rows against one of them: differences by hand, what is not compared, families, seeds, and the correction."""

from collections.abc import Callable
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

from annotator.domain.models import Prediction, Run
from annotator.domain.projects import Project
from annotator.metrics.aggregate import bootstrap
from annotator.metrics.significance import sign_flips
from annotator.scoring.row_differences import AgainstTable, ComparedRow, Difference, against, pair_of, with_seeds_apart
from annotator.scoring.table import MetricTable
from annotator.store import Store
from tests.usecases.transfer.comparing import (
    N,
    blind,
    gold_token,
    key_of,
    knowing,
    mistaken,
    output,
    project_of,
    row_of,
    rows_of,
    said,
    table_of,
    take,
)

F1, MRR, ACCURACY, COMPREHENSIVENESS = "sets.best_f1", "editing.mrr", "eraser.accuracy", "method.comprehensiveness"


def compared(
    table: MetricTable, reference: str, *names: str, method: str = "ig", seed: int | None = None
) -> AgainstTable:
    chosen = ComparedRow(row_of(table, reference, method), seed)
    return against(table, chosen, with_seeds_apart(table.rows, chosen), [table.column(name) for name in names])


def of(made: AgainstTable, model: str, name: str, method: str = "ig") -> Difference:
    at = next(at for at, row in enumerate(made.rows) if (row.row.model, row.row.method) == (model, method))
    cell = made.cell(at, made.table.column(name))
    assert isinstance(cell, Difference), cell
    return cell


@pytest.fixture
def of_project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Callable[..., Project]:
    return lambda n=N: project_of(make_project, import_rows, n)


def test_the_difference_is_over_the_instances_that_both_have_and_named_with_how_many_these_are(
    store: Store, of_project
) -> None:
    made = of_project()
    take(store, made, (output(k, Run("first", "ig"), knowing(k)) for k in range(30)))
    take(store, made, (output(k, Run("second", "ig"), mistaken(k)) for k in range(10, 40)))
    difference = of(compared(table_of(store, made), "second", MRR), "first", MRR)
    # the gold word has rank 1 of the first model and rank 8 of the second, in each of the 20 instances that both have
    assert (difference.n, difference.n_left_out) == (20, 20)
    assert (difference.value, difference.of_reference) == (1, pytest.approx(1 / 8))
    assert difference.difference == pytest.approx(7 / 8)
    assert (difference.n_higher, difference.n_lower) == (20, 0)


def test_of_few_instances_p_is_that_of_all_signs(store: Store, of_project) -> None:
    made = of_project(8)
    take(store, made, (output(k, Run("first", "ig"), knowing(k) if k < 6 else mistaken(k)) for k in range(8)))
    take(store, made, (output(k, Run("second", "ig"), blind(k)) for k in range(8)))
    table = table_of(store, made)
    difference = of(compared(table, "second", MRR), "first", MRR)
    # by blind scores the gold word of text k has rank 1 + k; by the first model's 1, of the last two texts 8
    d = [(1 if k < 6 else 1 / 8) - 1 / (1 + k) for k in range(8)]
    signs = list(product((-1, 1), repeat=8))
    far = sum(abs(np.dot(of_all, d)) >= abs(sum(d)) - 1e-12 for of_all in signs)
    assert difference.difference == pytest.approx(sum(d) / 8)
    assert difference.p == pytest.approx(far / 2**8)


def test_of_many_instances_p_is_that_of_drawn_signs_and_the_interval_that_of_paired_draws(
    store: Store, of_project
) -> None:
    made = of_project()
    for model, scores in (("knowing", knowing), ("blind", blind)):
        take(store, made, (output(k, Run(model, "ig"), scores(k)) for k in range(N)))
    table = table_of(store, made)
    difference = of(compared(table, "blind", MRR), "knowing", MRR)
    sides = [ComparedRow(row_of(table, model)) for model in ("knowing", "blind")]
    _, a, b = pair_of(table, table.column(MRR), *sides)
    interval = bootstrap(a - b)
    assert difference.p == sign_flips(a - b) == 1 / 10_000
    assert interval is not None
    assert (difference.low, difference.high) == pytest.approx((interval.low, interval.high))
    assert difference.word == "better"
    factor = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    assert difference.told == pytest.approx(factor * np.std(a - b, ddof=1) / np.sqrt(N))


def test_an_original_and_its_changed_versions_flip_together(store: Store, make_project, import_rows) -> None:
    """Ten originals with three changed versions each are ten independent differences, not forty."""
    made: Project = make_project(gold_policy="all")
    rows = rows_of(range(N))
    for k, row in enumerate(rows):
        if k >= 10:
            row |= {"parent": key_of(k % 10), "perturbation_kind": "(a)"}
    import_rows(made, rows)
    is_won = lambda k: k % 10 < 8  # noqa: E731
    take(store, made, (output(k, Run("first", "ig"), knowing(k) if is_won(k) else mistaken(k)) for k in range(N)))
    take(store, made, (output(k, Run("second", "ig"), mistaken(k) if is_won(k) else knowing(k)) for k in range(N)))
    difference = of(compared(table_of(store, made), "second", MRR), "first", MRR)
    assert (difference.n, difference.n_higher, difference.n_lower) == (40, 32, 8)
    assert difference.p == pytest.approx(2 * (1 + 10 + 45) / 2**10)  # eight of ten heads, or more, on either side


def test_the_correction_is_for_all_comparisons_of_the_table_and_what_is_of_a_whole_model_is_one(
    store: Store, of_project
) -> None:
    made = of_project()
    for model, n_right in (("base", 20), ("other", 34)):
        for method, scores in (("ig", knowing), ("lime", blind)):
            take(store, made, (output(k, Run(model, method), scores(k)) for k in range(N)))
        take(store, made, (output(k, Run(model, ""), None, [said(k, k < n_right)]) for k in range(N)))
    table = table_of(store, made)
    view = compared(table, "base", MRR, ACCURACY)
    # MRR of three rows; the other model's accuracy, which stands in two rows; the base's own lime has the same accuracy
    assert view.n_comparisons == 4
    both = [of(view, "other", ACCURACY, method) for method in ("ig", "lime")]
    assert both[0] == both[1]
    p = sign_flips(np.array([0.0] * 26 + [1.0] * 14))
    assert both[0].p == p < 0.001
    same = of(view, "other", MRR)
    assert (same.word, same.p, same.corrected) == ("equal", 1, 1)
    assert view.cell(0, table.column(ACCURACY)) == "same numbers"
    told = of(view, "base", MRR, "lime")
    assert told.corrected == pytest.approx(4 * told.p)
    assert told.word == "worse"
    # the difference that forty instances tell is larger the more comparisons there are
    alone = against(table, view.reference, [view.rows[0]], [table.column(MRR)])
    assert alone.n_comparisons == 1
    assert alone.cell(0, table.column(MRR)).told < told.told


def test_hidden_comparisons_count_in_holms_correction(store: Store, of_project) -> None:
    made = of_project(8)
    for model, scores, n_right in (("base", mistaken, 1), ("better", knowing, 6), ("other", knowing, 2)):
        take(store, made, (output(k, Run(model, "ig"), scores(k)) for k in range(8)))
        take(store, made, (output(k, Run(model, ""), None, [said(k, k < n_right)]) for k in range(8)))
    table = table_of(store, made)
    base = ComparedRow(row_of(table, "base"))
    rows = with_seeds_apart(table.rows, base)
    family = rows, [table.column(MRR), table.column(ACCURACY)]
    # by hand: eight differences of one sign have p 2/2^8, five 2/2^5, one 2/2^1; of four comparisons Holm makes
    # 4 (1/128), max(4/128, 3/128), max(2 (1/16), 4/128), max(1 (1), 2/16)
    corrected = {
        ("better", MRR): 4 / 128,
        ("other", MRR): 4 / 128,
        ("better", ACCURACY): 1 / 8,
        ("other", ACCURACY): 1.0,
    }
    for shown in (family, (rows[:1], family[1]), (rows[1:], family[1][:1]), (rows[:1], family[1][1:])):
        view = against(table, base, *shown, family)
        assert view.n_comparisons == 4
        for row, column in product(*shown):
            cell = of(view, row.row.model, column.name)
            assert cell.corrected == pytest.approx(corrected[row.row.model, column.name])


def test_drops_of_probability_of_different_models_are_not_compared_and_take_no_part_in_the_correction(
    store: Store, of_project
) -> None:
    made = of_project()
    for model in ("one", "two"):
        for method, p_rest in (("ig", 0.3), ("lime", 0.6)):
            for k in range(N):
                rest = [Prediction(None, {"negative": 1 - p_rest, "positive": p_rest}, on="rest")]
                take(store, made, [output(k, Run(model, method), knowing(k), rest)])
        take(
            store,
            made,
            (output(k, Run(model, ""), None, [Prediction(None, {"negative": 0.1, "positive": 0.9})]) for k in range(N)),
        )
    table = table_of(store, made)
    column = table.column(COMPREHENSIVENESS)
    view = compared(table, "one", COMPREHENSIVENESS)
    cells = {(row.row.model, row.row.method): view.cell(at, column) for at, row in enumerate(view.rows)}
    assert cells["two", "ig"] == cells["two", "lime"] == "other model"
    assert cells["one", "lime"].difference == pytest.approx(-0.3)
    assert cells["one", "lime"].word == "worse"
    assert view.n_comparisons == 1


def test_losses_of_another_method_and_numbers_that_are_no_means_are_not_compared(store: Store, of_project) -> None:
    made = of_project()
    for method in ("ig", "lime"):
        take(
            store,
            made,
            (output(k, Run("m", method), knowing(k), hard=[(gold_token(k), gold_token(k) + 1)]) for k in range(N)),
        )
    take(store, made, (output(k, Run("m", ""), None, [said(k, True)]) for k in range(N)))
    table = table_of(store, made)
    view = compared(table, "m", "er_test.mae", "eraser.macro_f1")
    at = next(at for at, row in enumerate(view.rows) if (row.row.method, row.row.kind) == ("lime", "attribution"))
    assert view.cell(at, table.column("er_test.mae")) == "other method"
    hard = next(at for at, row in enumerate(view.rows) if row.row.kind == "hard")
    assert view.cell(hard, table.column("er_test.mae")) == "no number"
    assert view.n_comparisons == 0


def test_random_can_be_what_rows_are_compared_with(store: Store, of_project) -> None:
    made = of_project()
    take(store, made, (output(k, Run("knowing", "ig"), knowing(k)) for k in range(N)))
    table = table_of(store, made)
    random = ComparedRow(table.random)
    view = against(table, random, with_seeds_apart(table.rows, random), [table.column(F1), table.column(MRR)])
    difference = of(view, "knowing", F1)
    assert difference.difference == pytest.approx(1 - table.random.numbers[F1].value)
    assert difference.of_reference == pytest.approx(table.random.numbers[F1].value)


def test_one_seed_stands_against_the_others_of_its_row_and_against_means_over_seeds_of_other_rows(
    store: Store, of_project
) -> None:
    made = of_project()
    for seed, scores in ((1, knowing), (2, mistaken), (3, mistaken)):
        take(store, made, (output(k, Run("seeded", "ig", seed=seed), scores(k)) for k in range(N)))
    for seed, scores in ((1, knowing), (2, mistaken)):
        take(store, made, (output(k, Run("other", "ig", seed=seed), scores(k)) for k in range(N)))
    table = table_of(store, made)
    view = compared(table, "seeded", MRR, seed=1)
    column = table.column(MRR)
    assert [(row.row.model, row.seed) for row in view.rows] == [("other", None), ("seeded", 2), ("seeded", 3)]
    assert [view.cell(at, column).difference for at in range(3)] == pytest.approx([(1 + 1 / 8) / 2 - 1, -7 / 8, -7 / 8])


def test_rows_without_a_common_instance_say_so(store: Store, of_project) -> None:
    made = of_project()
    for model, there in (("first", range(20)), ("second", range(20, 40))):
        take(store, made, (output(k, Run(model, "ig"), knowing(k)) for k in there))
    table = table_of(store, made)
    view = compared(table, "second", MRR)
    assert view.cell(0, table.column(MRR)) == "nothing in common"
