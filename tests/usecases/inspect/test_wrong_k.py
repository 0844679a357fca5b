"""Databases of the version whose k ran over 64 bits in long texts: what may be wrong in them is forgotten, all else stays."""

import logging
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.metrics import against_sets
from annotator.metrics.ragged import Integers
from annotator.store import Store, open_store
from annotator.store.events import list_events
from annotator.store.measurements import measurements_of
from annotator.usecases.inspect.measurement import is_out_of_date, measure
from annotator.usecases.lead.event_words import event_actor, event_words
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.upkeep import check

OF_K = {"sets.best_f1", "sets.best_iou", "sets.coverage", "benchmark.map", "benchmark.map_aligned"}
OF_ANSWERS = {"method.sufficiency", "method.comprehensiveness"}
FAITHFUL = AttributingOptions(has_faithfulness=True)


def n_of_share_in_64_bits(n_tokens: Integers, ratio: float) -> Integers:
    """As it was; kept word for word."""
    share = Fraction(repr(float(ratio)))
    return np.asarray(-(-n_tokens * share.numerator // share.denominator), dtype=np.int64)


def row(key: str, n: int, n_marked: int, **more: object) -> dict[str, object]:
    tokens = ["good" if key[0] == "p" else "bad", *(f"w{number}" for number in range(n - 1))]
    label = "positive" if key[0] == "p" else "negative"
    rationales = [[[0, n_marked]]]
    return {
        "id": key,
        "text": " ".join(tokens),
        "label": label,
        "annotator": "source",
        "rationales": rationales,
        **more,
    }


@pytest.fixture
def old(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> Project:
    """A project that the old version computed and measured, in a database that lacks what newer ones have."""
    made = make_project(name="Long", gold_policy="all")
    import_rows(made, [
        row("p-short", 19, 7), row("n-short", 17, 5), row("p-middle", 120, 31), row("n-middle", 91, 30), row("p-long", 700, 300),
        row("n-long", 900, 300), row("p-of-long", 40, 13, parent="p-long", perturbation_kind="synonym"),
        row("n-of-short", 16, 5, parent="n-short", perturbation_kind="synonym"),
    ])  # fmt: skip
    monkeypatch.setattr(against_sets, "n_of_share", n_of_share_in_64_bits)
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", FAITHFUL)
    attribute(store, LOCAL_OPERATOR, made, "built-in", "gold")
    measure(store, LOCAL_OPERATOR, made)
    monkeypatch.undo()
    with store.transaction():
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'm015_rules_forget_wrong_k'")
    return made


def numbers(store: Store) -> dict[tuple[str, str, str], float]:
    """By method, instance and name."""
    rows = store.rows(
        """SELECT method, key, metric_values.name AS name, value FROM metric_values JOIN runs ON runs.id = run_id
            JOIN instances ON instances.id = instance_id"""
    )
    return {(one["method"], one["key"], one["name"]): one["value"] for one in rows}


def answers(store: Store) -> dict[tuple[str, str, str, float], str]:
    """By method, instance, input and threshold."""
    rows = store.rows(
        """SELECT method, key, input, threshold, probabilities FROM predictions JOIN runs ON runs.id = run_id
            JOIN instances ON instances.id = instance_id"""
    )
    return {(one["method"], one["key"], one["input"], one["threshold"]): one["probabilities"] for one in rows}


def selected(store: Store) -> dict[tuple[str, str], int]:
    """How many tokens a method selects in an instance."""
    rows = store.rows(
        """SELECT method, key, tokens FROM machine_rationales JOIN runs ON runs.id = run_id
            JOIN instances ON instances.id = instance_id WHERE kind = 'hard'"""
    )
    counts = {(one["method"], one["key"]): np.frombuffer(one["tokens"], dtype="<u4") for one in rows}
    return {key: int((spans[1::2].astype(int) - spans[::2]).sum()) for key, spans in counts.items()}


def upgraded(path: Path) -> Store:
    """As another process would open it: this one has seen the database up to date."""
    with open_store(path) as known:
        known._place.migrated = None
    return open_store(path)


def test_the_old_version_selected_too_little_in_long_texts_alone(old: Project, store: Store) -> None:
    counts = selected(store)
    [measurement] = {one.parameters["ratios"][0] for one in measurements_of(store, old.id).values()}  # type: ignore[index]
    assert len(Fraction(repr(measurement)).limit_denominator(10**20).numerator.__str__()) >= 16
    assert counts["linear", "p-long"] < 93 < counts["gold", "p-long"]
    assert counts["linear", "n-middle"] == n_of_share_in_64_bits(np.array([91]), measurement)[0] > 20


def test_an_upgrade_forgets_the_numbers_of_long_texts_and_of_their_changed_versions_and_no_others(
    old: Project, store: Store, database: Path
) -> None:
    before = numbers(store)
    with upgraded(database) as new:
        after = numbers(new)
        assert check(new) == []
    assert after == {key: value for key, value in before.items() if key in after}
    forgotten = before.keys() - after.keys()
    assert {(method, name) for method, _, name in forgotten} <= {("linear", name) for name in OF_K | OF_ANSWERS}
    by_name = {name: {key for _, key, of in forgotten if of == name} for name in OF_K | OF_ANSWERS}
    assert by_name["sets.best_f1"] == by_name["sets.coverage"] == {"p-long", "n-long"}
    assert by_name["benchmark.map"] == by_name["benchmark.map_aligned"] == {"p-of-long"}
    # With which ratio a rationale was selected is not written down: from 93 tokens on it may be wrong.
    assert by_name["method.sufficiency"] == {"p-long", "n-long", "p-middle"}


def test_an_upgrade_forgets_what_was_selected_in_long_texts_and_the_answers_to_it_but_no_shares_and_not_the_gold(
    old: Project, store: Store, database: Path
) -> None:
    before, counts = answers(store), selected(store)
    with upgraded(database) as new:
        after, counts_after = answers(new), selected(new)
    long = ("p-long", "n-long", "p-middle")
    assert before.keys() - after.keys() == {("linear", key, on, -1.0) for key in long for on in ("rationale", "rest")}
    assert counts.keys() - counts_after.keys() == {("linear", key) for key in long}
    assert {key: counts[key] for key in counts_after} == counts_after


def test_what_was_forgotten_is_computed_and_measured_again_by_the_ways_that_are_named(
    old: Project, database: Path
) -> None:
    with upgraded(database) as new:
        assert is_out_of_date(new, old)
        report = attribute(new, LOCAL_OPERATOR, old, "built-in", "linear", FAITHFUL)
        assert (report.n_reduced, report.n_attributions) == (3, 0)
        measure(new, LOCAL_OPERATOR, old)
        assert not is_out_of_date(new, old)
        [ratio] = next(iter(measurements_of(new, old.id).values())).parameters["ratios"]  # type: ignore[misc,attr-defined]
        assert selected(new)["linear", "p-long"] == against_sets.n_of_share(np.array([700]), ratio)[0]
        assert ("linear", "p-long", "sets.best_f1") in numbers(new)


def test_the_upgrade_says_once_what_was_forgotten_and_what_to_do(
    old: Project, database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = (
        "forgot 14 measured numbers and 3 selected rationales with the answers to their tokens, because k may have been too small "
        "in these long texts; run “annotator attribute … --faithfulness” again, and then measure again"
    )
    with caplog.at_level(logging.WARNING), upgraded(database) as new:
        [event] = [one for one in list_events(new, old.id, limit=5) if one.action == "forget wrong k"]
        assert (event_actor(event), event_words(event)) == ("the upgrade", told)
    assert [record.getMessage() for record in caplog.records] == [f"Project “Long”: the upgrade of test.db {told}."]
    caplog.clear()
    with upgraded(database):
        assert caplog.records == []


def test_an_upgrade_without_long_texts_forgets_nothing_and_says_nothing(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = make_project(name="Short", gold_policy="all")
    import_rows(made, [row("p-short", 19, 7), row("n-short", 17, 5), row("p-middle", 91, 31)])
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", FAITHFUL)
    measure(store, LOCAL_OPERATOR, made)
    with store.transaction():
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'm015_rules_forget_wrong_k'")
    before = numbers(store), answers(store), selected(store)
    with upgraded(database) as new:
        assert (numbers(new), answers(new), selected(new)) == before
        assert not is_out_of_date(new, made)
    assert caplog.records == []


def test_the_sides_of_a_pair_are_looked_at_one_by_one(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = make_project("inference", name="Pairs", gold_policy="all")
    sides = {"both": (90, 90), "first": (1200, 5), "second": (5, 1400), "short": (11, 7), "other": (13, 14)}
    import_rows(made, [
        {"id": key, "premise": " ".join(["good", *["w"] * (n - 1)]), "hypothesis": " ".join(["bad", *["v"] * (m - 1)]),
         "label": "positive" if len(key) == 5 else "negative", "annotator": "source", "rationales": [[
             {"segment": "premise", "start_token": 0, "end_token": n // 4 + 1},
             {"segment": "hypothesis", "start_token": 0, "end_token": m // 6 + 1}]]}
        for key, (n, m) in sides.items()
    ])  # fmt: skip
    monkeypatch.setattr(against_sets, "n_of_share", n_of_share_in_64_bits)
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", FAITHFUL)
    measure(store, LOCAL_OPERATOR, made)
    with store.transaction():
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'm015_rules_forget_wrong_k'")
    before = numbers(store), selected(store)
    with upgraded(database) as new:
        forgotten = before[0].keys() - numbers(new).keys()
        assert {key for _, key, name in forgotten if name == "sets.best_f1"} == {"first", "second"}
        assert {key for _, key in before[1].keys() - selected(new).keys()} == {"first", "second"}
