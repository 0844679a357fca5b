"""Rows of model output come in batches, whose size and order of writing change nothing of what is stored."""

import random
from collections.abc import Callable
from itertools import product

import pytest

from annotator.domain.models import Output, Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.transfer import intake
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.instance_plan import Upcoming
from annotator.usecases.transfer.intake import Intake
from tests.usecases.transfer.comparing import LENGTH, key_of, rows_of

RUNS = [Run(model, method, seed=seed) for model, method, seed in product("mn", ("ig", "lime"), (0, 1))]


def drawn_rows(rng: random.Random, *, is_sorted: bool) -> list[SourceOutput]:
    """Of each run the labels of ten texts one by one, some twice and otherwise, beside the model's answer or without it."""
    rows = []
    for number, run, label in product(range(10), RUNS, ("negative", "positive")):
        for _ in range(rng.choice((1, 1, 2))):
            p = (number + 1) / 20  # the same from every method
            answer = (Prediction(None, {"negative": p, "positive": 1 - p}),) if rng.random() < 0.5 else ()
            scores = ScoredPart(tuple(float(rng.randrange(3)) for _ in range(LENGTH)))
            attribution = SourceAttribution((scores,), label)
            rows.append(SourceOutput(key_of(number), run, "f", len(rows) + 1, None, answer, (attribution,)))
    if not is_sorted:
        rng.shuffle(rows)
    return rows


def stored(store: Store, project: Project, rows: list[SourceOutput], *, update: bool) -> dict[Run, dict[str, Output]]:
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, project, ImportOptions(update=update, skip_invalid=True), report, lambda _: None).run(rows)
    keys = {row["id"]: row["key"] for row in store.rows("SELECT id, key FROM instances")}
    return {
        of.run: {keys[output.instance_id]: Output(0, output.predictions, output.attributions) for output in iterate_outputs(store, of.id)}
        for of in list_runs(store, project.id)
    }  # fmt: skip


@pytest.mark.parametrize(("is_sorted", "update"), [(True, False), (True, True), (False, False), (False, True)])
def test_what_is_stored_is_the_same_whether_rows_come_one_by_one_or_in_batches(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch, is_sorted: bool, update: bool,
) -> None:  # fmt: skip
    def made(name: str) -> Project:
        project: Project = make_project(name=name, gold_policy="all")
        import_rows(project, rows_of(range(10)))
        return project

    rows = drawn_rows(random.Random(5), is_sorted=is_sorted)
    in_batches = stored(store, made("in batches"), rows, update=update)
    monkeypatch.setattr(intake, "_OUTPUT_BATCH", 1)
    monkeypatch.setattr(intake, "_OUTPUT_REPEATS", 1)
    one_by_one = stored(store, made("one by one"), rows, update=update)
    assert in_batches == one_by_one
    assert sum(len(outputs) for outputs in in_batches.values()) > 100


def test_a_batch_holds_so_many_names_however_often_each_comes() -> None:
    upcoming = Upcoming(["a", "a", "b", "b", "c", "c", "c", "c", "c"])
    assert upcoming.batch(str, 2, str, 3) == ["a", "a", "b", "b"]
    assert upcoming.batch(str, 2, str, 2) == ["c"] * 4  # two names would have four
    assert upcoming.batch(str, 2, str, 2) == ["c"]
