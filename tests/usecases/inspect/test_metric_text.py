"""A project's numbers in a terminal: the columns that the page shows first or that were named, with what one has to know of them."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Run
from annotator.domain.numbers import written
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.store import Store
from annotator.usecases.inspect.metric_formats import table_text
from annotator.usecases.inspect.metrics_table import first_columns, gold_summary, metric_view
from tests.usecases.transfer.comparing import (
    N,
    blind,
    knowing,
    mistaken,
    output,
    project_of,
    row_of,
    said,
    table_of,
    take,
)

F1 = "sets.best_f1"


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold, one is mistaken, one has no idea."""
    made = project_of(make_project, import_rows)
    for model, scores in (("knowing", knowing), ("mistaken", mistaken), ("blind", blind)):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, k < 30)]) for k in range(N)))
    return made


def sentences(text: str) -> str:
    """Without the breaks of lines."""
    return " ".join(text.split())


def line_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(name))


def test_each_row_has_its_numbers_and_verdicts_and_the_best_is_marked(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    text = table_text(metric_view(table, [F1]))
    assert line_of(text, "knowing · ig").split()[-2:] == [written(row_of(table, "knowing").numbers[F1].value), "▲★"]
    assert line_of(text, "mistaken · ig").split()[-1] == "▼"
    assert line_of(text, "blind · ig").split()[-1] == "≈"
    assert "▼ not better than random: it is worse" in sentences(text)
    assert f"n {N}" in text
    assert line_of(text, "random, mean of ten seeds").split()[-1] == written(table.random.numbers[F1].value)


def test_what_is_shown_first_is_what_the_page_shows_first(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    assert [column.name for column in metric_view(table).columns] == first_columns(table)


def test_seeds_are_one_row_with_their_deviation(store: Store, compared: Project) -> None:
    for seed, scores in enumerate((knowing, mistaken)):
        take(store, compared, (output(k, Run("seeded", "ig", seed=seed), scores(k)) for k in range(N)))
    text = table_text(metric_view(table_of(store, compared), [F1]))
    assert "±" in line_of(text, "seeded · ig")
    assert "± the standard deviation over seeds" in sentences(text)


def test_intervals_stand_below_their_numbers(store: Store, compared: Project) -> None:
    table = table_of(store, compared, n_resamples=50)
    number = row_of(table, "blind").numbers[F1]
    text = table_text(metric_view(table, [F1], n_resamples=50))
    assert f"[{written(number.low)}, {written(number.high)}]" in text
    assert "the 95 % bootstrap interval" in sentences(text)


def test_rows_over_different_instances_are_brought_together_unless_one_asks_for_their_own(
    store: Store, compared: Project
) -> None:
    take(store, compared, (output(k, Run("most", "ig"), knowing(k)) for k in range(N - 5)))
    table = table_of(store, compared)
    shared = metric_view(table, [F1])
    assert {row.numbers[F1].n for row in shared.rows} == {N - 5}
    assert "Each column is over the instances that all of its rows have" in sentences(table_text(shared))
    own = table_text(metric_view(table, [F1], is_shared=False))
    assert line_of(own, "most · ig").split()[3] == str(N - 5)
    assert line_of(own, "blind · ig").split()[3] == str(N)
    assert "★" not in own
    assert "The rows are over different instances, so that none is marked as the best." in sentences(own)


def test_where_too_few_instances_are_shared_each_row_keeps_its_own(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    """As the switch on the page stands before anybody touched it."""
    made = project_of(make_project, import_rows)
    for model, numbers in (("early", range(25)), ("late", range(15, N))):
        take(store, made, (output(k, Run(model, "ig"), knowing(k)) for k in numbers))
    table = table_of(store, made)
    assert [row.numbers[F1].n for row in metric_view(table, [F1]).rows] == [25, 25]
    assert not metric_view(table, [F1]).table.shared


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("best_f1", r"There is no metric 'best_f1'. Did you mean sets.best_f1\?"),  # the family is missing
        ("eraser.acuracy", "Did you mean eraser.accuracy"),
        ("qqq", r"There is no metric 'qqq'. docs/metrics.md lists"),
        ("fairness.fprd", "No run of 'Project' that was asked for has the number 'fairness.fprd'"),
        ("benchmark.map", "No run of 'Project' .* has the number 'benchmark.map'"),  # the register has it, no run does
    ],
)
def test_a_name_that_stands_for_no_number_is_refused_with_near_ones(
    store: Store, compared: Project, name: str, sentence: str
) -> None:
    with pytest.raises(NotFound, match=sentence):
        metric_view(table_of(store, compared), [name])


def test_a_project_without_gold_is_refused_with_what_helps(store: Store, make_project: Callable[..., Project]) -> None:
    with pytest.raises(NotFound, match="No instance of 'Project' .* has gold under the policy “chosen”"):
        metric_view(table_of(store, make_project()))


def test_labelled_texts_without_gold_are_counted_where_the_gold_is_told(
    store: Store, compared: Project, import_rows: Callable[..., object]
) -> None:
    assert "labelled text" not in gold_summary(table_of(store, compared))
    import_rows(compared, [{"id": "bare", "text": "a b c", "label": compared.labels[0]}])
    assert "1 labelled text has no gold and does not count" in gold_summary(table_of(store, compared))
