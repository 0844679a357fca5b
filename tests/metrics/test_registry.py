"""The common ground of all metrics: ragged rows, means and intervals, and the register."""

import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotator.errors import InvalidValue, NotFound
from annotator.metrics import aggregate
from annotator.metrics.__main__ import FAMILIES, _range_of, _row, document
from annotator.metrics.aggregate import Aggregate, bootstrap, mean_of, over_seeds, paired_bootstrap
from annotator.metrics.definitions import Definition
from annotator.metrics.ragged import Floats, Ragged
from annotator.metrics.registry import IDEAS, all_definitions, by_name, definition_of, one_of_each
from annotator.scoring.table import all_table_definitions
from tests.conftest import REPOSITORY

ROWS = st.lists(st.lists(st.integers(-9, 9), max_size=6), max_size=8)


@settings(max_examples=30)
@given(ROWS)
def test_rows_come_out_as_they_went_in(rows: list[list[int]]) -> None:
    ragged = Ragged.of(rows, np.int64)
    assert [ragged.row(number).tolist() for number in range(len(ragged))] == rows
    assert ragged.lengths.tolist() == [len(row) for row in rows]
    assert ragged.rows_of_values.tolist() == [number for number, row in enumerate(rows) for _ in row]
    assert ragged.places.tolist() == [place for row in rows for place in range(len(row))]


@given(ROWS)
def test_sums_means_and_maxima_are_those_of_each_row(rows: list[list[int]]) -> None:
    ragged = Ragged.of(rows, np.int64)
    assert ragged.sums().tolist() == [sum(row) for row in rows]
    np.testing.assert_array_equal(ragged.means(), [sum(row) / len(row) if row else np.nan for row in rows])
    np.testing.assert_array_equal(ragged.maxima(np.nan), [max(row, default=np.nan) for row in rows])


@settings(max_examples=30)
@given(st.lists(st.lists(st.floats(-2, 2) | st.sampled_from([0.0, -0.0, 1.0]), max_size=6), max_size=8))
def test_rows_are_ranked_from_the_highest_and_equal_values_by_position(rows: list[list[float]]) -> None:
    ranking = Ragged.of(rows, np.float64).ranked()
    flat = [(row, place) for row, values in enumerate(rows) for place in range(len(values))]
    wanted = sorted(range(len(flat)), key=lambda i: (flat[i][0], -rows[flat[i][0]][flat[i][1]], flat[i][1]))
    assert ranking.tolist() == wanted


@pytest.mark.parametrize(
    "offsets",
    [
        [],  # no border at all
        [1, 3],  # does not begin at 0
        [0, 2],  # a value is left over
        [0, 4],  # points past the end
        [0, 2, 1, 3],  # runs back
    ],
)
def test_borders_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    with pytest.raises(InvalidValue, match="borders do not fit: 3 values"):
        Ragged(np.arange(3), np.array(offsets, dtype=np.int64))


def test_rows_that_differ_are_named() -> None:
    rows = Ragged.of([[1, 2], [3]], np.int64)
    rows.check_same_rows(Ragged.of([[9, 9], [9]], np.int64), "gold")
    with pytest.raises(InvalidValue, match="Got 2 rows, but 1 row of gold"):
        rows.check_same_rows(Ragged.of([[1, 2]], np.int64), "gold")
    with pytest.raises(InvalidValue, match="Row 1 has 1 value, but 2 of gold"):
        rows.check_same_rows(Ragged.of([[1, 2], [3, 4]], np.int64), "gold")


def test_what_is_not_defined_is_left_out_and_counted() -> None:
    assert mean_of(np.array([np.nan, 0.25, 0.75])) == Aggregate(0.5, 2, 1)
    assert mean_of(np.array([np.nan])) == Aggregate(None, 0, 1)
    assert mean_of(np.array([])) == Aggregate(None, 0, 0)


def test_the_deviation_over_seeds_needs_two_seeds() -> None:
    assert over_seeds(np.array([0.5])).deviation is None
    assert over_seeds(np.array([np.nan])).mean is None
    # scripts/metrics.py of ER-TEST: np.std([...], ddof=1)
    assert over_seeds(np.array([0.1, 0.4, 0.7])).deviation == pytest.approx(np.std([0.1, 0.4, 0.7], ddof=1))


@pytest.mark.parametrize("values", [[], [0.5], [0.5, np.nan]])
def test_fewer_than_two_instances_have_no_interval(values: list[float]) -> None:
    assert bootstrap(np.array(values)) is None


@pytest.mark.parametrize("n", [50, 20_000])  # every draw, and by steps
def test_an_interval_depends_on_nothing_but_the_values_and_the_seed(n: int) -> None:
    values = np.random.default_rng(3).random(n)
    with_gaps = np.concatenate((values, [np.nan, np.nan]))
    assert bootstrap(values, seed=1) == bootstrap(with_gaps, seed=1)
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)


@pytest.mark.parametrize("n", [50, 20_000])
def test_equal_values_have_an_interval_without_width(n: int) -> None:
    interval = bootstrap(np.full(n, 0.3))
    assert interval is not None
    assert interval.low == pytest.approx(0.3)
    assert interval.high == pytest.approx(0.3)


def test_a_small_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(0).gamma(1.0, size=60)
    ours = bootstrap(values, n_resamples=20_000)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(5))
    assert ours is not None
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)


SHAPES = {
    "normal": lambda draw, n: draw.normal(size=n),
    "yes and no": lambda draw, n: (draw.random(n) < 0.01).astype(float),
    "skewed": lambda draw, n: draw.lognormal(0, 2, n),
    "one far away": lambda draw, n: np.append(draw.random(n - 1), 1e6),  # nearly all fall into one step
    "fractions": lambda draw, n: draw.integers(0, 30, n) / 30,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_drawing_by_steps_gives_the_distribution_of_drawing_each(shape: str) -> None:
    values: Floats = SHAPES[shape](np.random.default_rng(7), 5_000)
    each = aggregate._means_of_draws(values, 4_000, np.random.default_rng(1))
    steps = aggregate._means_by_steps(values, 4_000, np.random.default_rng(2))
    error = values.std() / np.sqrt(len(values))
    assert steps.mean() == pytest.approx(values.mean(), abs=5 * error / np.sqrt(4_000))
    assert steps.std() == pytest.approx(error, rel=0.06)
    assert stats.ks_2samp(each, steps).pvalue > 1e-4


def test_a_paired_interval_is_that_of_the_differences() -> None:
    first, second = np.random.default_rng(0).random((2, 40))
    second[3] = np.nan
    assert paired_bootstrap(first, second, seed=4) == bootstrap(np.delete(first - second, 3), seed=4)
    with pytest.raises(InvalidValue, match="there are 40 and 39"):
        paired_bootstrap(first, second[1:])


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1.0, np.inf], {}, "infinite value has no interval"),
        ([1.0, 2.0], {"level": 95}, "lies between 0 and 1, such as 0.95; not 95"),
        ([1.0, 2.0], {"n_resamples": 0}, "at least one resample; not 0"),
    ],
)
def test_an_interval_that_cannot_be_is_refused(values: list[float], options: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        bootstrap(np.array(values), **options)


def test_a_name_stands_for_one_definition() -> None:
    known = all_definitions()[0]
    assert by_name([known, known]) == {known.name: known}  # twice the same is no harm
    other = Definition(known.name, "another", "", known.direction, None, None, "", "")
    with pytest.raises(ValueError, match=f"two definitions of {known.name}"):
        by_name([known, other])


def test_an_unknown_metric_is_told_where_the_known_ones_are() -> None:
    with pytest.raises(NotFound, match=r"no metric 'sets.nothing'. docs/metrics.md"):
        definition_of("sets.nothing")


def test_every_definition_says_everything() -> None:
    for definition in all_definitions():
        family, _, measure = definition.name.partition(".")
        assert family, definition
        assert measure, definition
        assert all((definition.title, definition.definition, definition.undefined, definition.source)), definition
        if definition.lowest is not None and definition.highest is not None:
            assert definition.lowest < definition.highest, definition


def test_definitions_come_by_family_and_name() -> None:
    names = [definition.name for definition in all_definitions()]
    assert names == sorted(names)
    assert len(set(names)) == len(names)


# docs/metrics.md is what the register says.

DOCUMENT = REPOSITORY / "docs" / "metrics.md"
AGAIN = "write it again: python -m annotator.metrics > docs/metrics.md"


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), AGAIN


def test_the_command_prints_the_document() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "annotator.metrics"],
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert done.stdout == document()


def test_every_metric_has_one_row_of_six_cells() -> None:
    rows = [line for line in document().splitlines() if line.startswith("| ") and "<br>`" in line]
    assert len(rows) == len(all_definitions())
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == 7, row  # a bar in a formula is escaped


def test_each_idea_has_known_metrics_that_are_of_no_other_and_tables_show_one_of_them() -> None:
    known = {definition.name: definition for definition in all_table_definitions()}
    names = [name for idea in IDEAS for name in idea]
    assert sorted(set(names)) == sorted(names)
    assert set(names) <= known.keys()
    areas = ["editing.auprc", "ferret.auprc", "eraser.roc_auc_score"]
    assert one_of_each(areas) == ["editing.auprc", "eraser.roc_auc_score"]
    assert one_of_each(["eraser.average_precision", *areas]) == ["eraser.average_precision", "eraser.roc_auc_score"]


def test_every_family_has_a_title_and_every_title_a_family() -> None:
    families = {definition.name.partition(".")[0] for definition in all_definitions()}
    assert families == FAMILIES.keys(), "name the family in annotator/metrics/__main__.py"


def test_a_range_without_bounds_is_said_in_words() -> None:
    known = definition_of("er_test.mse")
    assert _range_of(replace(known, lowest=None, highest=None)) == "any"
    assert _range_of(replace(known, lowest=None, highest=0.5)) == "up to 0.5"


def test_a_row_stays_one_row() -> None:
    row = _row(replace(definition_of("er_test.mse"), definition="|p −\n y|"))
    assert row.count("\n") == 1
    assert r"\|p − y\|" in row
