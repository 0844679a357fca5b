"""The table of minutes: a row for each budget and condition over seeds, simulated times named wherever it is read."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.figures.text_tables import paper_text
from annotator.store import Store
from annotator.training.budgets import Condition, Origin, Simulation
from annotator.training.examples import Example
from annotator.usecases.papers.minutes import minutes_table, outcome_line, release_of_sweep, write_minutes
from annotator.usecases.papers.scored_rows import paper_csv
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.training.budgets import CostOptions, MinutesOptions, Purchase
from annotator.usecases.training.minutes import Outcome, Sweep
from tests.models.conftest import one_text

LABELS = ("negative", "positive")


def asked(*labels: str) -> tuple[Example, ...]:
    return tuple(Example(n, f"t{n}", one_text(f"text {n}"), label) for n, label in enumerate(labels))


@pytest.fixture
def sweep(make_project: Callable[..., Project]) -> Sweep:
    judge = {"P": asked("positive", "positive", "negative"), "Q": asked("negative", "positive", "negative", "negative")}
    options = MinutesOptions((10.0,), seeds=(0, 1), costs=CostOptions(simulation=Simulation(5, 20)))
    return Sweep(make_project(name="P"), options, LABELS, judge, (), 12, 6, 0, 0, 0, {"Q": (0, 0)}, {})


def outcome(
    condition: Condition | None, seed: int, right: int, *, bought: int = 4, minutes: float = 10, origin: Origin = "simulated",
    first_ms: int | None = 60_000, has_all: bool = False,
) -> Outcome:  # fmt: skip
    if condition is None:
        return Outcome(Purchase(None, 0, seed, 0, 6, 0), {"P": (right, 3), "Q": (1, 4)})
    purchase = Purchase(
        condition, minutes, seed, bought, 6 + bought, bought, 60_000 * bought, first_ms, has_all, origin
    )
    return Outcome(purchase, {"P": (right, 3), "Q": (2, 4)})


def test_the_table_cites_the_release_of_the_gold_that_models_learn_from(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], sweep: Sweep
) -> None:
    project = make_project(name="Gold")
    row = {"id": "t", "text": "so good", "label": "positive", "rationales": [[[1, 2]]], "annotator": "a"}
    import_rows(project, [row])
    of_project = replace(sweep, project=project)
    assert release_of_sweep(store, of_project) is None
    release = freeze_gold(store, LOCAL_OPERATOR, project, "ready", licence="CC0")
    cited = release_of_sweep(store, of_project)
    assert cited == release.words
    table = minutes_table(of_project, [outcome("both", 0, 1)], cited)
    assert f"Gold: {release.words}. " in table.caption
    assert release.name in paper_csv(table)
    unfrozen = minutes_table(sweep, [outcome("both", 0, 1)])
    assert "Gold:" not in unfrozen.caption, "where nothing is frozen the caption is as it was"


def test_a_row_is_a_mean_over_seeds_of_what_was_bought_and_of_how_often_models_are_right(sweep: Sweep) -> None:
    outcomes = [outcome(of, seed, 1 + seed) for seed in (0, 1) for of in (None, "both")]
    table = minutes_table(sweep, outcomes)
    assert [(row.group, row.title) for row in table.rows] == [
        ("No minutes", "labels of the start"), ("10 minutes", "both (simulated)"), ("For comparison", "majority label"),
    ]  # fmt: skip
    start, both, majority = table.rows
    values = [cell.value for cell in both.cells]
    assert values[:4] == [4, 4, 10, 4]
    assert values[4:] == [pytest.approx((1 / 3 + 2 / 3) / 2), 0.5]
    assert [cell.n for cell in both.cells[4:]] == [3, 4]
    assert start.cells[0].value == 0
    assert [cell.value for cell in majority.cells[4:]] == [pytest.approx(2 / 3), 0.75]


def test_simulated_times_are_named_in_each_row_in_the_caption_on_the_card_in_the_file_and_as_each_model_is_done(
    sweep: Sweep, tmp_path: Path
) -> None:
    outcomes = [outcome("labels", 0, 1), outcome("both", 0, 2)]
    table = minutes_table(sweep, outcomes)
    assert all("simulated" in row.title for row in table.rows[:-1])
    assert "SIMULATED (5 s for a label and 20 s for rationales, for each text and annotator)" in table.caption
    assert [line.split(",")[2] for line in paper_csv(table).splitlines()[1:3]] == ["simulated", "simulated"]
    write_minutes(sweep, table, tmp_path)
    assert "Times are SIMULATED." in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "(simulated times)" in (tmp_path / "accuracy.html").read_text(encoding="utf-8")
    assert (tmp_path / "table.csv").read_text(encoding="utf-8") == paper_csv(table)
    assert "simulated: P 0.333, Q 0.500" in outcome_line(outcomes[0])


def test_a_project_s_name_cannot_leave_its_place_on_the_card(sweep: Sweep, tmp_path: Path) -> None:
    sweep = replace(sweep, judge={"P": sweep.judge["P"], "``` # Q": sweep.judge["Q"]})
    write_minutes(sweep, minutes_table(sweep, [outcome("both", 0, 1)]), tmp_path)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert card.count("```") == 2


def test_measured_times_are_not_called_simulated_and_the_limit_of_pauses_is_said(sweep: Sweep) -> None:
    measured = replace(sweep, options=replace(sweep.options, costs=CostOptions()), idle_ms=600_000)
    text = paper_text(minutes_table(measured, [outcome("both", 0, 1, origin="measured")]))
    assert "imulated" not in text
    assert "SIMULATED" not in text
    assert "Pauses of more than 60 s are not counted (10.0 min on all these texts)." in " ".join(text.split())


def test_budgets_that_buy_nothing_and_those_that_buy_everything_are_told(sweep: Sweep) -> None:
    nothing = outcome("both", 0, 1, bought=0, minutes=0.5, first_ms=90_000)
    whole = outcome("labels", 0, 1, bought=6, minutes=100, has_all=True)
    none_left = outcome("rationales", 0, 1, bought=0, first_ms=None, has_all=True)
    notes = " ".join(minutes_table(sweep, [nothing, whole, none_left]).notes)
    assert "Both: 0.5 min buy no text with 1 seed, since the first one alone takes up to 90 s." in notes
    assert "Labels: 100 min buy all there is (6.0 min); more minutes buy nothing more." in notes
    assert "Rationales: there is nothing to buy, since every text has a label before." in notes


def test_a_model_that_nothing_was_bought_for_has_a_reason_in_the_place_of_a_number(sweep: Sweep) -> None:
    bare = replace(outcome("both", 0, 1, bought=0), right={})
    cell = minutes_table(sweep, [bare]).rows[0].cells[4]
    assert (cell.value, cell.reason) == (None, "nothing was bought, and no text had a label before")
    assert "not trained" in outcome_line(bare)


def test_what_is_left_out_is_counted(sweep: Sweep) -> None:
    left_out = replace(sweep, n_unpriced=3, n_incomplete=1, n_left_out={"Q": (2, 5)})
    notes = " ".join(minutes_table(left_out, [outcome("both", 0, 1)]).notes)
    assert "3 more texts could be learned from and cannot be bought" in notes
    assert "Of 1 text some of the work has no time" in notes
    assert "Of “Q” 2 texts that the models learn from and 5 with a label that they do not learn are left out." in notes
