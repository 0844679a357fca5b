"""How two metrics go together: over the instances of each row, and over the numbers of the rows."""

from collections.abc import Callable

import numpy as np
import pytest

from annotator.domain.models import Run
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.metrics.aggregate import rank_correlation
from annotator.store import Store
from annotator.usecases.compare.differences import relations, relations_csv, relations_text
from tests.usecases.transfer.comparing import N, blind, knowing, output, project_of, said, table_of, take


def test_ranks_of_equal_values_are_their_mean_and_undefined_pairs_are_left_out() -> None:
    # Ranks 1 2.5 2.5 4 and 1 2 3 4: ρ = 4.5 / √(4.5 · 5), by hand.
    x, y = np.array([0.0, 5.0, 5.0, 9.0, np.nan, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])
    found = rank_correlation(x, y)
    assert (found.rho, found.n, found.interval) == (pytest.approx(4.5 / np.sqrt(4.5 * 5)), 4, None)


def test_an_interval_holds_the_correlation_of_what_the_pairs_are_drawn_from() -> None:
    draw = np.random.default_rng(0)
    x = draw.normal(size=200)
    found = rank_correlation(x, x + draw.normal(size=200))
    assert found.interval is not None
    assert found.interval.low < 0.69 < found.interval.high, "6/π · arcsin(√.5 / 2), of the normal distribution"
    assert rank_correlation(x, np.ones(200)).rho is None


@pytest.fixture
def project(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """The model is right where its attribution knows the gold token, and wrong where it is blind."""
    made = project_of(make_project, import_rows)
    is_right = [n % 4 > 0 for n in range(N)]
    take(store, made, [output(n, Run("m"), answers=[said(n, is_right[n])]) for n in range(N)])
    take(store, made, [output(n, Run("m", "ig"), knowing(n) if is_right[n] else blind(n)) for n in range(N)])
    return made


def test_where_a_model_is_right_its_reason_is_too(store: Store, project: Project) -> None:
    made = relations(table_of(store, project), ["sets.best_f1", "eraser.accuracy"])
    [(name, correlation)] = made.of_rows
    assert (name, correlation.n) == ("m · ig", N)
    assert correlation.rho is not None
    assert correlation.rho > 0.6
    assert correlation.interval is not None
    assert correlation.interval.low > 0.3
    assert (made.over_rows.rho, made.over_rows.n) == (None, 1), "one row has no correlation with itself"
    assert "m · ig" in relations_text(made)
    assert relations_csv(made).splitlines()[1].startswith("instances,m · ig,sets.best_f1,eraser.accuracy,0.")


def test_other_than_two_metrics_that_are_there_are_refused(store: Store, project: Project) -> None:
    table = table_of(store, project)
    with pytest.raises(InvalidValue, match="Give two different metrics"):
        relations(table, ["sets.best_f1", "sets.best_f1"])
    with pytest.raises(NotFound):
        relations(table, ["sets.best_f1", "nothing"])
