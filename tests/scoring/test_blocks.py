"""Scoring in blocks gives what scoring at once gives; several seeds are means; measuring is of one state of the database."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotator.domain import models
from annotator.domain.measurements import Question
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.metrics import against_sets as against
from annotator.metrics.aggregate import mean_of, over_seeds
from annotator.metrics.gold_as_method import scores_drawn_for
from annotator.scoring import scored_blocks
from annotator.scoring import scored_blocks as scoring_random
from annotator.scoring.faithfulness import changed_answers, faithfulness_of
from annotator.scoring.gold import GoldRow, GoldTable
from annotator.scoring.runs import ScoringOptions, score_attributions, score_rationales, values_of_pairs
from annotator.scoring.scored_blocks import ScoredRun, score_run
from annotator.scoring.table import metric_table
from annotator.store import Store, open_store
from annotator.store.events import add_event
from annotator.store.instances import discard, find_instance_ids
from annotator.store.models import forget_model, list_runs
from annotator.usecases.inspect.measurement import MEASURED, is_out_of_date, measure
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.inspect.saliency import list_instances_by
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

Numbers = dict[str, Any]


def drawn(n: int = 60) -> tuple[GoldTable, list[models.Output], dict[int, models.Prediction]]:
    """Texts of many lengths, some perturbed versions of others, with everything that a run may say, drawn from a seed."""
    draw = np.random.default_rng(5)
    rows, outputs, answers = [], [], {}
    for number in range(n):
        n_tokens = int(draw.integers(2, 40))
        sets = tuple(
            tuple(sorted(draw.choice(n_tokens, size=draw.integers(1, min(4, n_tokens) + 1), replace=False).tolist()))
            for _ in range(draw.integers(0, 4))
        )
        spans = tuple((token, token + 1) for tokens in sets for token in tokens)
        parent = f"k{number - 1}" if number % 3 == 1 else None
        rows.append(
            GoldRow(number, f"k{number}", "", "en", str(draw.choice(["no", "yes"])), (("", n_tokens),), (n_tokens,), sets,
                    spans, tuple(f"w{word}" for word in draw.integers(0, 9, n_tokens)), parent, "synonym")
        )  # fmt: skip
        scores = np.where(draw.random(n_tokens) < 0.02, np.nan, draw.choice([-1.0, 0.0, 0.5, draw.random()], n_tokens))
        p = float(draw.random())
        answers[number] = models.Prediction(None, {"no": p, "yes": 1 - p})
        thresholds = (0.1, 0.5) if number % 5 else (0.1,)
        changed = [
            models.Prediction(None, {"no": float(draw.random()), "yes": 0.4}, "rest", t) for t in (None, *thresholds)
        ]
        first, last = sorted(draw.integers(0, n_tokens, 2).tolist())
        outputs.append(models.Output(
            number, tuple(changed), (models.Attribution(tuple(scores.tolist())), models.Attribution(tuple(scores[::-1].tolist()), "", 1)),
            (models.MachineRationale("hard", ((first, last + 1),)), models.MachineRationale("ranked", (), tuple(range(n_tokens))[::-1])),
        ))  # fmt: skip
    return GoldTable(rows), outputs, answers


def in_blocks(monkeypatch: pytest.MonkeyPatch, n_scores: int, **asked: Any) -> tuple[ScoredRun, int]:
    """A drawn run, and in how many blocks it was scored."""
    gold, outputs, answers = drawn()
    monkeypatch.setattr(scored_blocks, "SCORES_AT_ONCE", n_scores)
    n_blocks = len(list(scored_blocks.blocks_of(outputs)))
    return score_run(gold, iter(outputs), answers, ScoringOptions(), **asked), n_blocks


def test_a_run_in_many_blocks_has_the_numbers_of_a_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, outputs, answers = drawn()
    by_id = {output.instance_id: output for output in outputs}
    found, n_blocks = in_blocks(monkeypatch, 100)
    assert n_blocks > 10
    assert list(found.rows) == [("attribution", None), ("attribution", 1), ("hard", None), ("ranked", None)]
    for (kind, layer), joined in found.rows.items():
        whole = (
            score_attributions(gold, by_id, answers, layer, ScoringOptions())
            if kind == "attribution"
            else score_rationales(gold, by_id, kind)
        )
        assert [row.id for row in joined.gold.rows] == [row.id for row in whole.gold.rows]
        assert joined.counts == whole.counts
        for name, values in whole.values.items():
            np.testing.assert_array_equal(joined.values[name], values, err_msg=name)
        (pairs, maps), (other_pairs, other_maps) = values_of_pairs(joined), values_of_pairs(whole)
        assert len(pairs) == (19 if kind == "attribution" else 20)  # one text has two words with one score
        assert pairs == other_pairs
        assert {name: of.tolist() for name, of in maps.items()} == {
            name: of.tolist() for name, of in other_maps.items()
        }
    faithful = faithfulness_of(gold, [changed_answers(gold, by_id, answers)])
    assert found.faithfulness.values.keys() == faithful.values.keys()
    for name, values in faithful.values.items():
        np.testing.assert_array_equal(found.faithfulness.values[name], values, err_msg=name)
    assert found.faithfulness.drops == faithful.drops  # of 0.1 alone, which every instance has
    assert list(faithful.drops["comprehensiveness"]) == [0.1]


def test_erasers_span_numbers_do_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    many, at_once = (in_blocks(monkeypatch, n)[0].rows["hard", None].totals for n in (100, 10**9))
    assert many == at_once
    assert many["eraser.token_f1_macro"] is not None


def test_only_the_numbers_that_are_asked_for_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = in_blocks(monkeypatch, 200, names=MEASURED, only=("attribution", 1))
    assert list(found.rows) == [("attribution", 1)]
    assert found.rows["attribution", 1].values.keys() <= set(MEASURED)
    assert found.rows["attribution", 1].scores is None


def test_random_in_blocks_is_random_over_all_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, _, _ = drawn()
    monkeypatch.setattr(scoring_random, "SCORES_AT_ONCE", 150)
    found = scoring_random.random_numbers(gold)
    part = gold.take([place for place, row in enumerate(gold.rows) if row.sets])

    def values(seed: int) -> dict[str, Any]:
        scores = scores_drawn_for(part.identities, part.n_tokens, seed)
        selected = against.top_of_sides(against.order_of(scores), part.sides)
        of_order = against.of_ranking(scores, part.sets) | against.of_scores(scores, part.sets)
        return against.of_selection(selected, part.sets) | of_order

    of_seeds = [values(seed) for seed in range(10)]
    assert found.keys() == of_seeds[0].keys()
    for name, number in found.items():
        wanted = over_seeds(np.array([mean_of(of_seed[name]).value for of_seed in of_seeds], dtype=np.float64))
        assert number["value"] == pytest.approx(wanted.mean, abs=1e-12)
        assert number["deviation"] == pytest.approx(wanted.deviation, abs=1e-12)


@pytest.fixture
def seeded(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]) -> Project:
    """Two originals and a perturbed version; seed 1 has all three, seed 2 not the second original."""
    made: Project = make_project(gold_policy="all")
    import_rows(made, [
        {"id": "a", "text": "bad slow plot", "label": "negative", "rationales": [[[0, 1]]]},
        {"id": "b", "text": "good fun cast", "label": "positive", "rationales": [[[0, 1]]]},
        {"id": "c", "text": "bad dull plot", "label": "negative", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "synonym"},
    ])  # fmt: skip
    said = {
        1: {"a": (3.0, 2, 1), "b": (1.0, 2, 3), "c": (3.0, 2, 1)},
        2: {"a": (3.0, 2, 1), "c": (1.0, 2, 3)},
    }  # fmt: skip
    p = {1: 0.9, 2: 0.6}
    rows = [
        models.SourceOutput(key, models.Run("m", "ig", seed=seed), "f", 1, None, (models.Prediction(None, {"negative": p[seed], "positive": 1 - p[seed]}),),
                     (models.SourceAttribution((models.ScoredPart(scores),)),))
        for seed, of_seed in said.items() for key, scores in of_seed.items()
    ]  # fmt: skip
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, made, ImportOptions(), report, lambda _: None).run(rows)
    assert report.problems == []
    return made


def row_of(store: Store, project: Project, **options: Any) -> Numbers:
    numbers: Any = evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(**options))
    [row] = numbers["models"][0]["methods"]
    return dict(row)


def test_seeds_over_different_instances_say_over_how_many_instances_they_are(store, seeded) -> None:
    number = row_of(store, seeded, n_resamples=300)["plausibility"]["editing.mrr"]
    # seed 1: 1, 1/3, 1; seed 2: 1, -, 1/3. The mean of the seeds' means; of the instances 1, 1/3, 2/3 for the interval
    assert number["value"] == pytest.approx((7 / 9 + 2 / 3) / 2)
    assert (number["n"], number["n_left_out"], number["n_seeds"]) == (3, 0, 2)
    assert number["deviation"] == pytest.approx((7 / 9 - 2 / 3) / 2**0.5)
    assert 1 / 3 <= number["low"] < 2 / 3 < number["high"] <= 1


def test_consistency_confidence_and_counts_are_means_over_seeds(store, seeded) -> None:
    row = row_of(store, seeded)
    # k = ceil(1/3 x 3) = 1: seed 1 ranks "bad" first in both texts, seed 2 "bad" and "plot"
    consistency = row["consistency"]
    assert consistency["pairs"] == 1
    assert consistency["map"] == {
        "value": 0.5, "n": 1, "n_left_out": 0, "deviation": pytest.approx(0.5**0.5), "n_seeds": 2,
    }  # fmt: skip
    assert consistency["by_kind"]["synonym"]["map"]["value"] == 0.5
    assert consistency["by_change"]["map"]["same"]["value"] == 0.5
    # right answers: a and c. Seed 1 ranks both perfectly, seed 2 a alone
    confidence = row["confidence"]
    assert (confidence["perfect"], confidence["n_perfect"]) == (pytest.approx((0.9 + 0.6) / 2), 2)
    assert (confidence["other"], confidence["n_other"]) == (pytest.approx(0.6), 1)
    assert confidence["deviations"]["perfect"] == pytest.approx(0.3 / 2**0.5)
    assert (confidence["difference"], confidence["n_seeds"]) == (pytest.approx(0.0), 2)  # seed 2's alone
    assert row["counts"]["instances"] == 2.5
    assert row["count_deviations"]["instances"] == pytest.approx(0.5**0.5)
    assert row["counts"]["instances_without_gold_sets"] == 0


def test_the_table_shows_the_deviations_of_confidence_and_counts(store, seeded) -> None:
    table = metric_table(evaluate_project(store, LOCAL_OPERATOR, seeded))
    [row] = table.rows
    assert row.numbers["confidence.perfect"].deviation == pytest.approx(0.3 / 2**0.5)
    assert row.numbers["benchmark.map"].n_seeds == 2
    assert (row.counts["instances"], row.count_deviations["instances"]) == (2.5, pytest.approx(0.5**0.5))


def measured_keys(store: Store, project: Project, seed: int) -> list[str]:
    [run_id] = [one.id for one in list_runs(store, project.id, "m", "ig") if one.run.seed == seed]
    rows, _ = list_instances_by(store, LOCAL_OPERATOR, Question(project.id, run_id=run_id, name="editing.mrr"), 1)
    return sorted(row.key for row in rows if row.value is not None)


def test_one_measuring_is_of_one_state_of_the_database(store, make_project, seeded) -> None:
    def discard_c(done: int, _of: int) -> None:
        if done == 1:  # while the first run's numbers are written and the others are still to be made
            with open_store(store.path) as other, other.transaction():
                [c] = find_instance_ids(other, seeded.id, "c")
                discard(other, c)
                add_event(other, "ann", "decide: discard", "instance", c, project_id=seeded.id)

    assert measure(store, LOCAL_OPERATOR, seeded, progress=discard_c) == 4
    values = (
        "SELECT count(*) FROM metric_values JOIN instances ON instances.id = instance_id WHERE key = 'c' AND name = ?"
    )
    assert store.value(values, ("editing.mrr",)) == 2  # both seeds were measured with c
    assert is_out_of_date(store, seeded)
    measure(store, LOCAL_OPERATOR, seeded)
    assert store.value(values, ("editing.mrr",)) == 0
    assert measured_keys(store, seeded, 1) == ["a", "b"]
    assert not is_out_of_date(store, seeded)


def test_a_run_that_is_taken_out_while_it_is_measured_stays_out(store, seeded) -> None:
    def forget(done: int, _of: int) -> None:
        if done == 1:
            with open_store(store.path) as other, other.transaction():
                forget_model(other, seeded.id, "m")

    assert measure(store, LOCAL_OPERATOR, seeded, progress=forget) == 1
    assert store.value("SELECT count(*) FROM metric_values") == 0


def test_a_measuring_that_stops_leaves_each_run_with_whole_numbers_and_says_so(store, seeded) -> None:
    def stop(done: int, _of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(store, LOCAL_OPERATOR, seeded, progress=stop)
    assert measured_keys(store, seeded, 1) == ["a", "b", "c"]
    assert is_out_of_date(store, seeded)
    assert measure(store, LOCAL_OPERATOR, seeded) == 4
    assert measured_keys(store, seeded, 2) == ["a", "c"]
