"""Scoring a project's models: numbers by hand on four small texts, several seeds, layers, pairs, and what is left out."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotator.domain import models
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.chance_verdicts import Judged, judged
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.scored_blocks import OverInstances, random_numbers
from annotator.scoring.table import MetricRow, metric_table
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.gold_table import gold_table
from annotator.usecases.inspect.contrast_accuracy import contrast_rows
from annotator.usecases.inspect.fairness import fairness_rows
from annotator.usecases.inspect.measurement import NUMBER, RandomNull, measure
from annotator.usecases.inspect.metric_values import InstanceValues, RowChoice, values_of_row, values_of_rows
from annotator.usecases.inspect.metrics_table import gold_summary
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.inspect.training_texts import words_of
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.import_report import ImportReport
from tests.usecases.transfer.comparing import N, blind, gold_token, key_of, output, row_of, rows_of, table_of, take

Numbers = dict[str, Any]
RUN = models.Run("m", "ig")


@pytest.fixture
def scored_project(make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]) -> Project:
    """Two texts of four tokens with two sets and one set, and one without a rationale."""
    made = make_project(gold_policy="all", may_be_empty=True)
    import_rows(made, [
        {"id": "a", "text": "bad slow dull plot", "label": "negative", "rationales": [[[0, 1]], [[1, 3]]]},
        {"id": "b", "text": "good fun nice cast", "label": "positive", "rationales": [[[0, 2]]]},
        {"id": "c", "text": "it is a film", "label": "negative", "rationales": []},
    ])  # fmt: skip
    return made


@pytest.fixture
def bring(store: Store) -> Callable[..., None]:
    return lambda project, *rows: take(store, project, rows)


def attributed(key: str, scores: tuple[float, ...], run: models.Run = RUN, *answers: models.Prediction, layer: int | None = None) -> models.SourceOutput:  # fmt: skip
    return models.SourceOutput(
        key, run, "f", 1, None, answers, (models.SourceAttribution((models.ScoredPart(scores),), layer=layer),)
    )


def only(numbers: Numbers, part: str = "plausibility") -> Numbers:
    [model] = numbers["models"]
    [row] = model["methods"]
    return row[part]


def test_tokens_without_a_score_or_a_rank_are_neither_selected_nor_in_the_full_ranking_of_map(
    store, make_project, import_rows, bring
) -> None:
    made = make_project(gold_policy="all")
    text = {"text": "a slow plot , really", "label": "negative", "rationales": [[[0, 5]]]}  # k: all five
    import_rows(made, [text | {"id": "o"}, text | {"id": "p", "parent": "o", "perturbation_kind": "same"}])
    seen = models.ScoredPart((1.0, 3.0, 2.0), is_partial=True)
    ranked = models.ScoredPart((3.0, 2.0, 1.0), ranking=(2, 1), is_partial=True)
    for key, part in (("o", seen), ("p", ranked)):
        bring(made, models.SourceOutput(key, RUN, "f", 1, None, (), (models.SourceAttribution((part,)),)))
    found = only(evaluate_project(store, LOCAL_OPERATOR, made), "consistency")
    # slow, plot, a against plot, slow: (0 + 2 / 2) / 2
    assert found["map_full_ranking"]["value"] == found["map"]["value"] == 0.5


def test_the_top_k_is_compared_with_each_set_by_itself_and_the_best_is_told(store, scored_project, bring) -> None:
    # RLR: a 3/4, b 2/4 (c has no sets): mean 5/8; k = ceil(2.5) = 3
    bring(
        scored_project,
        attributed("a", (0.1, 0.9, 0.8, 0.2)),
        attributed("b", (0.5, 0.4, 0.1, 0.6)),
        attributed("c", (1.0, 0, 0, 0)),
    )
    numbers = evaluate_project(store, LOCAL_OPERATOR, scored_project)
    assert numbers["gold"] == {
        "instances": 3, "scored_without_gold": 0, "instances_without_sets": 1, "sets": 3, "ratios": {"": 0.625}, "exhaustive_instances": 0,
        "labelled_without_gold": 0, "annotations_with_other_results": 0,
    }  # fmt: skip
    found = only(numbers)
    # a: {1, 2, 3} against {0} 0 and {1, 2} 2*2/(3+2) = .8; b: {3, 0, 1} against {0, 1} .8
    assert found["sets.best_f1"] == {"value": pytest.approx(0.8), "n": 2, "n_left_out": 1}
    assert found["sets.whole_set"]["value"] == 1.0
    assert found["sets.recall"]["value"] == pytest.approx(0.75)  # one of a's two sets, b's only one
    assert found["editing.mrr"]["value"] == pytest.approx(
        (1 + 1 / 2) / 2
    )  # a: ranks 1, 2 of {1, 2}; b: ranks 2, 3 -> 2, 2
    assert only(numbers, "counts")["instances_without_gold_sets"] == 1
    assert numbers["random"]["sets.best_f1"]["n_seeds"] == 10


def test_ferrets_numbers_select_as_many_tokens_as_are_asked_for_and_so_does_random(
    store, scored_project, bring
) -> None:
    # ferret, token_f1_plau with top_k_rationale; gold is the union of sets: a {0, 1, 2}, b {0, 1}. k = 1 selects 1 of a and 3 of b
    bring(scored_project, attributed("a", (0.1, 0.9, 0.8, 0.2)), attributed("b", (0.5, 0.4, 0.1, 0.6)))
    usual = evaluate_project(store, LOCAL_OPERATOR, scored_project)
    asked = evaluate_project(store, LOCAL_OPERATOR, scored_project, options=ScoringOptions(ferret_k=1))
    assert (usual["ferret_k"], asked["ferret_k"]) == (5, 1)
    assert only(usual)["ferret.token_f1"]["value"] == pytest.approx(
        (6 / 7 + 4 / 6) / 2
    )  # all four tokens: 2·3/(3+4), 2·2/(2+4)
    assert only(asked)["ferret.token_f1"]["value"] == pytest.approx((2 / 4 + 0) / 2)
    assert only(asked)["ferret.token_iou"]["value"] == pytest.approx((1 / 3 + 0) / 2)
    assert only(asked)["ferret.auprc"] == only(usual)["ferret.auprc"]
    assert asked["random"]["ferret.token_f1"]["value"] < usual["random"]["ferret.token_f1"]["value"]


def test_answers_are_scored_and_the_predicted_labels_attribution_is_taken(store, scored_project, bring) -> None:
    both = (
        models.SourceAttribution((models.ScoredPart((9.0, 0, 0, 0)),), "negative"),
        models.SourceAttribution((models.ScoredPart((0.0, 0, 0, 9)),), "positive"),
    )
    right, wrong = (
        models.Prediction(None, {"negative": 0.9, "positive": 0.1}),
        models.Prediction(None, {"negative": 0.3, "positive": 0.7}),
    )
    bring(
        scored_project,
        models.SourceOutput("a", models.Run("m", "ig"), "f", 1, None, (right,), both),
        models.SourceOutput("c", models.Run("m"), "f", 2, None, (wrong,)),
    )
    numbers = evaluate_project(store, LOCAL_OPERATOR, scored_project)
    assert numbers["models"][0]["quality"]["eraser.accuracy"] == {"value": 0.5, "n": 2, "n_left_out": 0}
    assert numbers["models"][0]["counts"] == {"instances": 2, "instances_without_answer": 1}
    assert (
        only(numbers)["editing.mrr"]["value"] == 1.0
    )  # the attribution of "negative", which is predicted, puts {0} first
    confidence = only(numbers, "confidence")
    assert (confidence["perfect"], confidence["n_perfect"], confidence["other"]) == (0.9, 1, None)


def test_a_group_of_seeds_is_one_row_with_mean_and_deviation(store, scored_project, bring) -> None:
    for seed, scores in ((1, (1.0, 0, 0, 0)), (2, (0.0, 0, 0, 1))):
        bring(scored_project, attributed("a", scores, models.Run("m", "ig", seed=seed)))
    numbers = evaluate_project(store, LOCAL_OPERATOR, scored_project)
    [row] = numbers["models"][0]["methods"]
    assert row["seeds"] == [1, 2]
    # seed 1: {0} at rank 1; seed 2: the first of the ties, 0, at rank 2
    assert row["plausibility"]["editing.mrr"]["value"] == pytest.approx((1 + 0.5) / 2)
    assert row["plausibility"]["editing.mrr"]["deviation"] == pytest.approx(math.sqrt(0.125))


def test_each_layer_is_a_row(store, scored_project, bring) -> None:
    attributions = tuple(
        models.SourceAttribution((models.ScoredPart(s),), layer=n)
        for n, s in enumerate([(1.0, 0, 0, 0), (0.0, 0, 0, 1)])
    )
    bring(scored_project, models.SourceOutput("a", models.Run("m", "attention"), "f", 1, None, (), attributions))
    rows = evaluate_project(store, LOCAL_OPERATOR, scored_project)["models"][0]["methods"]
    assert [(row["layer"], row["plausibility"]["editing.mrr"]["value"]) for row in rows] == [(0, 1.0), (1, 0.5)]


def test_only_the_last_layer_has_the_faithfulness_of_its_top_k(store, scored_project, bring) -> None:
    answers = tuple(
        models.Prediction(None, {"negative": p, "positive": 1 - p}, on) for p, on in ((0.8, "full"), (0.3, "rest"))
    )
    layers = tuple(
        models.SourceAttribution((models.ScoredPart(s),), layer=n)
        for n, s in enumerate([(1.0, 0, 0, 0), (0.0, 0, 0, 1)])
    )
    bring(scored_project, models.SourceOutput("a", models.Run("m", "attention"), "f", 1, None, answers, layers))
    rows = evaluate_project(store, LOCAL_OPERATOR, scored_project)["models"][0]["methods"]
    assert [(row["layer"], "method.comprehensiveness" in row["faithfulness"]) for row in rows] == [
        (0, False),
        (1, True),
    ]
    alone = [
        values_of_row(store, LOCAL_OPERATOR, scored_project, RowChoice("m", "attention", "attribution", layer)).values
        for layer in (0, 1)
    ]
    assert ["method.comprehensiveness" in values for values in alone] == [False, True]


def test_hard_rationales_have_erasers_numbers_and_ours(store, scored_project, bring) -> None:
    rationale = (models.SourceRationale("hard", (models.MarkedPart(((1, 3),)),)),)
    bring(scored_project, models.SourceOutput("a", models.Run("m", "select"), "f", 1, None, (), (), rationale))
    found = only(evaluate_project(store, LOCAL_OPERATOR, scored_project))
    assert found["sets.whole_set"]["value"] == 1.0
    assert found["eraser.iou_recall_macro"]["value"] == 0.5  # one of two gold spans
    assert found["eraser.token_f1_macro"]["value"] == pytest.approx(2 * 2 / (3 + 2))


def test_faithfulness_comes_from_answers_to_the_rationale_and_the_rest(store, scored_project, bring) -> None:
    def said(p: float, on: str, threshold: float | None = None) -> models.Prediction:
        return models.Prediction(None, {"negative": p, "positive": 1 - p}, on, threshold)  # type: ignore[arg-type]

    answers = (
        said(0.8, "full"),
        said(0.9, "rationale"),
        said(0.3, "rest"),
        said(0.7, "rest", 0.1),
        said(0.4, "rest", 0.5),
    )
    bring(scored_project, models.SourceOutput("a", models.Run("m", "ig"), "f", 1, None, answers))
    found = only(evaluate_project(store, LOCAL_OPERATOR, scored_project), "faithfulness")
    values = {name: number["value"] for name, number in found.items()}
    assert values == {
        "method.sufficiency": pytest.approx(-0.1),
        "method.comprehensiveness": pytest.approx(0.5),
        "method.quality_full": 1.0,
        "method.quality_rationale": 1.0,
        "method.quality_rest": 0.0,
        "benchmark.new_p": 1.0,
        "eraser.comprehensiveness_aopc": pytest.approx((0.1 + 0.4) / 2),
        "eraser.comprehensiveness_aopc_paper": pytest.approx((0.1 + 0.4) / 3),
    }


def test_originals_and_perturbed_versions_are_compared_by_string_and_by_aligned_token(
    store, make_project, import_rows, bring
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, [
        {"id": "o", "text": "a slow plot", "label": "negative", "rationales": [[[1, 2]]]},
        {"id": "p", "text": "a dull plot", "label": "negative", "rationales": [[[1, 2]]], "parent": "o", "perturbation_kind": "synonym"},
    ])  # fmt: skip
    bring(made, attributed("o", (0.0, 2.0, 1.0)), attributed("p", (0.0, 2.0, 1.0)))
    found = only(evaluate_project(store, LOCAL_OPERATOR, made), "consistency")
    assert found["pairs"] == 1  # k = ceil(1/3 * 3) = 1: slow against dull
    assert (found["map"]["value"], found["map_aligned"]["value"]) == (0.0, 1.0)
    assert found["map_full_ranking"]["value"] == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)
    assert found["by_kind"]["synonym"]["map"]["value"] == 0.0
    assert found["by_change"]["map"]["changed"]["n"] == 0


def test_suf_and_com_are_those_of_the_evaluators_example_and_of_the_predicted_label(
    store, scored_project, bring
) -> None:
    """TrustAI's Evaluator.cal_suf_com: p(x) .8, p(rationale) .9, p(rest) .3 give suf −.1, com +.5 (Wang et al., Tables 4 and 7)."""

    def on(part: Any, p: float) -> models.Prediction:
        return models.Prediction(None, {"negative": p, "positive": 1 - p}, part)

    bring(
        scored_project,
        models.SourceOutput("a", RUN, "f", 1, None, (on("full", 0.8), on("rationale", 0.9), on("rest", 0.3))),
        models.SourceOutput(
            "b", RUN, "f", 2, None, (on("full", 0.7), on("rationale", 0.1), on("rest", 0.4))
        ),  # gold: positive
    )
    found = only(evaluate_project(store, LOCAL_OPERATOR, scored_project), "faithfulness")
    assert found["method.sufficiency"]["value"] == pytest.approx((-0.1 + 0.6) / 2)
    assert found["method.comprehensiveness"]["value"] == pytest.approx((0.5 + 0.3) / 2)
    qualities = [found[f"method.quality_{name}"]["value"] for name in ("full", "rationale", "rest")]
    assert qualities == [0.5, 1.0, 0.5]


PAIR = [
    {"id": "o", "text": "a slow plot", "label": "negative"},
    {"id": "p", "text": "a slow plot , really", "label": "negative", "parent": "o", "perturbation_kind": "dispensable"},
]


@pytest.fixture
def pair(make_project, import_rows, bring) -> Callable[..., Project]:
    """An original and a perturbed version, with or without gold, of which a model says the same."""

    def make(name: str, *sets: list[list[int]]) -> Project:
        made = make_project(name=name, gold_policy="all")
        import_rows(made, [row | ({"rationales": [sets[at]]} if sets else {}) for at, row in enumerate(PAIR)])
        answers = (
            models.Prediction(None, {"negative": 0.9, "positive": 0.1}), models.Prediction(None, {"negative": 0.7, "positive": 0.3}, "rationale"),
            models.Prediction(None, {"negative": 0.4, "positive": 0.6}, "rest"),
        )  # fmt: skip
        bring(
            made,
            attributed("o", (0.1, 2.0, 1.0), RUN, *answers),
            attributed("p", (0.5, 1.0, 0.0, 2.0, 0.1), RUN, *answers),
        )
        return made

    return make


def test_without_gold_sets_accuracy_faithfulness_and_consistency_are_as_with_them(store, pair) -> None:
    made, with_gold = pair("none"), pair("some", [[1, 2]], [[1, 2], [3, 4]])
    ratio = (1 / 3 + 2 / 5) / 2
    numbers = evaluate_project(store, LOCAL_OPERATOR, made, options=ScoringOptions(ratio=ratio))
    expected = evaluate_project(store, LOCAL_OPERATOR, with_gold)
    assert (numbers["gold"]["instances"], numbers["gold"]["scored_without_gold"]) == (0, 2)
    assert numbers["gold"]["ratios"] == {"": ratio}
    # k = 2 of each: slow, plot and ",", slow: (0 + 1 / 2) / 2 (Wang et al. 2022, Eq. 2)
    assert only(numbers, "consistency")["map"]["value"] == 0.25
    for part in ("consistency", "faithfulness"):
        assert only(numbers, part) == only(expected, part)
    quality = numbers["models"][0]["quality"]
    assert quality["eraser.accuracy"] == {"value": 1.0, "n": 2, "n_left_out": 0}
    assert quality == expected["models"][0]["quality"]
    assert only(numbers, "faithfulness")["method.sufficiency"]["value"] == pytest.approx(0.9 - 0.7)
    assert (only(numbers), numbers["random"]) == ({}, {})


def test_without_gold_sets_a_model_is_judged_on_the_texts_that_have_a_label(
    store, make_project, import_rows, bring
) -> None:
    made = make_project(name="labels alone")
    import_rows(made, [
        {"id": "a", "text": "bad plot", "label": "negative"}, {"id": "b", "text": "good cast", "label": "positive"},
        {"id": "c", "text": "it is a film"}, {"id": "d", "text": "a poor film", "label": "negative"},
    ])  # fmt: skip
    negative = models.Prediction(None, {"negative": 0.9, "positive": 0.1})
    bring(made, *(models.SourceOutput(key, models.Run("m"), "f", 1, None, (negative,)) for key in "abc"))
    [model] = evaluate_project(store, LOCAL_OPERATOR, made)["models"]
    assert model["quality"]["eraser.accuracy"] == {"value": 0.5, "n": 2, "n_left_out": 0}  # c has no label
    assert model["counts"] == {"instances": 2, "instances_without_answer": 1}  # d


def test_without_gold_and_a_stated_ratio_nothing_that_needs_a_top_k_is_scored(store, pair) -> None:
    made = pair("none")
    numbers = evaluate_project(store, LOCAL_OPERATOR, made)
    found = only(numbers, "consistency")
    assert "map" not in found
    assert found["map_full_ranking"]["n"] == 1
    assert "instances_with_ties_at_k" not in only(numbers, "counts")
    told = gold_summary(metric_table(numbers))
    assert told.startswith(
        "No gold sets here: accuracy, faithfulness and consistency of 2 texts · no top k without gold: "
    )
    values = values_of_row(store, LOCAL_OPERATOR, made, RowChoice("m", "ig", "attribution"))
    assert sorted(values.values) == sorted(
        ["eraser.accuracy", "method.quality_full", "method.quality_rationale", "method.quality_rest",
         "method.sufficiency", "method.comprehensiveness", "benchmark.new_p", "benchmark.map_full_ranking"]
    )  # fmt: skip


def test_a_ratio_is_refused_beside_gold_and_where_it_is_no_share(store, pair, scored_project) -> None:
    with pytest.raises(InvalidValue, match=r"Gold sets k\. Remove --ratio\."):
        evaluate_project(store, LOCAL_OPERATOR, scored_project, options=ScoringOptions(ratio=0.2))
    with pytest.raises(InvalidValue, match=r"use above 0, up to 1\."):
        evaluate_project(store, LOCAL_OPERATOR, pair("none"), options=ScoringOptions(ratio=1.5))


def test_intervals_come_when_they_are_asked_for(store, scored_project, bring) -> None:
    bring(scored_project, attributed("a", (1.0, 0, 0, 0)), attributed("b", (0.0, 0, 0, 1)))
    asked = evaluate_project(store, LOCAL_OPERATOR, scored_project, options=ScoringOptions(n_resamples=200))
    number = only(asked)["editing.mrr"]
    assert number["low"] <= number["value"] <= number["high"]


def test_models_methods_and_rights_that_are_not_there_are_named(store, scored_project, bring, add_person) -> None:
    with pytest.raises(
        NotFound, match=r"Project 'Project' has no model 'x' \(none yet; import predictions or attributions\)\."
    ):
        evaluate_project(store, LOCAL_OPERATOR, scored_project, model="x")
    bring(scored_project, attributed("a", (1.0, 0, 0, 0)))
    with pytest.raises(NotFound, match=r"Unknown method 'lime'\. Available: ig\."):
        evaluate_project(store, LOCAL_OPERATOR, scored_project, model="m", method="lime")
    with pytest.raises(NotAllowed):
        evaluate_project(store, add_person("a1", scored_project, "annotator"), scored_project)


def test_a_project_without_gold_has_answers_without_quality_and_no_plausibility(
    store, make_project, import_rows, bring
) -> None:
    made = make_project()
    import_rows(made, [{"id": "a", "text": "bad plot", "label": "negative"}])
    bring(made, attributed("a", (1.0, 0.0), models.Run("m", "ig"), models.Prediction("negative")))
    numbers = evaluate_project(store, LOCAL_OPERATOR, made)
    assert numbers["gold"]["instances"] == 0
    assert only(numbers) == {}


# How many tokens of a map are taken (k) follows from the project's whole gold: a text has the same numbers whatever else is asked for.

F1 = "sets.best_f1"
ROW = RowChoice("model", "ig", "attribution")


@pytest.fixture
def with_long_gold(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Of eight tokens one is gold in the split test, and five are in the split train; a criterion has others still."""
    made = make_project(gold_policy="all")
    rows = rows_of(range(N), split=lambda k: "train" if k < 15 else "test")
    for k, row in enumerate(rows):
        row["rationales"] = [[[0, 5]]] if k < 15 else [[[gold_token(k), gold_token(k) + 1]]]
        row["metadata"] = {"criterion": "spelling" if k < 10 else "deleted"}
    import_rows(made, rows)
    take(store, made, (output(k, models.Run("model", "ig"), blind(k)) for k in range(N)))
    return made


def by_key(values: InstanceValues) -> dict[str, float]:
    return dict(zip((one.key for one in values.instances), values.values[F1].tolist(), strict=True))


@pytest.mark.parametrize(
    "asked",
    [ScoringOptions(split="test"), ScoringOptions(split="train"), ScoringOptions(criterion="spelling"), ScoringOptions(split="test", criterion="deleted")],
)  # fmt: skip
def test_the_same_texts_have_the_same_value_whatever_else_is_asked_for(
    store: Store, with_long_gold: Project, asked: ScoringOptions
) -> None:
    whole = by_key(values_of_row(store, LOCAL_OPERATOR, with_long_gold, ROW))
    part = by_key(values_of_row(store, LOCAL_OPERATOR, with_long_gold, ROW, asked))
    assert 0 < len(part) < len(whole)
    assert part == {key: whole[key] for key in part}
    [of_run] = evaluate_project(store, LOCAL_OPERATOR, with_long_gold, options=asked)["models"]
    assert of_run["methods"][0]["plausibility"][F1]["value"] == pytest.approx(np.mean(list(part.values())))


def test_k_is_the_ratio_of_the_whole_gold_times_the_tokens(store: Store, with_long_gold: Project) -> None:
    report = evaluate_project(store, LOCAL_OPERATOR, with_long_gold, options=ScoringOptions(split="test"))
    ratio = (15 * 5 / 8 + 25 * 1 / 8) / 40
    assert report["gold"]["ratios"] == {"": pytest.approx(ratio)}
    assert report["gold"]["instances"] == 25
    # ceil(0.3125 × 8) = 3 of 8 tokens: the gold one is at rank 1 + k mod 8, and found where that is at most 3
    whole = by_key(values_of_row(store, LOCAL_OPERATOR, with_long_gold, ROW, ScoringOptions(split="test")))
    assert whole == {key_of(k): (2 * (1 / 3) / (1 + 1 / 3) if k % 8 < 3 else 0) for k in range(15, N)}


def test_single_instances_of_all_rows_are_those_of_the_table(store: Store, with_long_gold: Project) -> None:
    [(_, values)] = values_of_rows(store, LOCAL_OPERATOR, with_long_gold, options=ScoringOptions(split="test"))
    assert by_key(values) == by_key(
        values_of_row(store, LOCAL_OPERATOR, with_long_gold, ROW, ScoringOptions(split="test"))
    )


@pytest.mark.parametrize(("split", "of_what"), [("test", " of the whole project’s gold"), (None, "")])
def test_it_is_said_over_the_table_where_the_ratio_is_from(
    store: Store, with_long_gold: Project, split: str | None, of_what: str
) -> None:
    table = metric_table(
        *evaluate_with_instances(store, LOCAL_OPERATOR, with_long_gold, options=ScoringOptions(split=split))
    )
    assert f"RLR 0.312{of_what} · " in gold_summary(table)


# Models are not scored on what they learned from, unless it is asked for; the row says which it is.

AREA, ACCURACY = "eraser.average_precision", "eraser.accuracy"  # also of maps whose scores are all equal
N_TRAIN = 15


@pytest.fixture
def divided(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Fifteen texts to learn from, with two changed versions of the first, and 25 others; a model from elsewhere beside."""
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda n: "train" if n < N_TRAIN else "test"))
    take(store, made, (output(n, models.Run("elsewhere", "ig"), blind(n)) for n in range(N)))
    return made


def trained(store: Store, project: Project, **options: object) -> None:
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions(**options))  # type: ignore[arg-type]


def built_in(store: Store, project: Project, **options: object) -> MetricRow:
    return row_of(table_of(store, project, **options), "built-in", "linear")


def test_the_split_that_a_model_learned_from_is_left_out_and_its_row_says_so(store, divided) -> None:
    trained(store, divided)
    row = built_in(store, divided)
    assert (row.numbers[AREA].n, row.numbers[ACCURACY].n) == (25, 25)
    assert words_of(row.training) == "15 training texts (split train) excluded"
    other = row_of(table_of(store, divided), "elsewhere")
    assert (other.numbers[AREA].n, words_of(other.training)) == (N, "")


def test_a_row_says_that_texts_which_chose_the_epoch_are_scored(store, divided) -> None:
    ids = [find_instance_ids(store, divided.id, key_of(n))[0] for n in range(N_TRAIN)]
    record_training(
        store, LOCAL_OPERATOR, divided, "encoder", digest="0", seed=0, split="train", held_out=None,
        instance_ids=ids, kind="transformers",
    )  # fmt: skip
    take(store, divided, (output(n, models.Run("encoder", "ig"), blind(n)) for n in range(N)))
    row = row_of(table_of(store, divided), "encoder")
    assert words_of(row.training) == "15 training texts (split train) excluded; validation texts included"


def test_it_is_included_where_that_is_asked_for(store, divided) -> None:
    trained(store, divided)
    row = built_in(store, divided, includes_training=True)
    assert (row.numbers[AREA].n, row.numbers[ACCURACY].n) == (N, N)
    assert words_of(row.training) == "15 of these are training texts"
    by_split = built_in(store, divided, split="train")
    assert (by_split.numbers[AREA].n, words_of(by_split.training)) == (N_TRAIN, "15 of these are training texts")
    assert words_of(built_in(store, divided, split="test").training) == ""


def test_the_answer_of_the_command_tells_it_with_the_held_out_accuracy(store, divided) -> None:
    trained(store, divided)
    [model] = [one for one in evaluate_project(store, LOCAL_OPERATOR, divided)["models"] if one["model"] == "built-in"]
    told = model["training"]
    assert {name: told[name] for name in ("is_known", "split", "texts", "left_out", "changed_left_out", "seen")} == {
        "is_known": True, "split": "train", "texts": 15, "left_out": 15, "changed_left_out": 0, "seen": 0,
    }  # fmt: skip
    assert (told["held_out"]["way"], told["held_out"]["n"]) == ("splits", 25)


def test_changed_versions_of_what_it_learned_from_are_left_out_with_it(store, divided, import_rows) -> None:
    version = {"id": lambda n: f"{key_of(n)}c", "parent": key_of, "perturbation_kind": "syntax", "split": "train"}
    trained(store, divided)
    import_rows(divided, rows_of(range(2), **version))  # written after the training
    trained(store, divided)
    row = built_in(store, divided)
    assert row.numbers[AREA].n == 25
    assert words_of(row.training) == "15 training texts (split train) and 2 perturbed versions excluded"


def test_without_a_split_it_is_scored_on_what_it_learned_from_and_says_so(store, make_project, import_rows) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N)))
    trained(store, made)
    row = built_in(store, made)
    assert row.numbers[AREA].n == N
    assert words_of(row.training) == f"{N} of these are training texts"
    assert (row.training["held_out"]["way"], row.training["held_out"]["n"]) == ("folds", N)


def test_texts_that_were_moved_to_another_split_since_are_still_left_out(store, divided) -> None:
    trained(store, divided)
    with store.transaction():
        store.run("UPDATE instances SET split = 'test' WHERE key = ?", (key_of(0),))
        store.run("UPDATE instances SET split = 'train' WHERE key = ?", (key_of(30),))
    row = built_in(store, divided)
    assert row.numbers[AREA].n == 25  # without t00, and with t30, which it has not seen
    moved = values_of_row(store, LOCAL_OPERATOR, divided, RowChoice("built-in", "linear", "attribution"))
    keys = {one.key for one in moved.instances}
    assert key_of(0) not in keys
    assert key_of(30) in keys


def test_of_a_model_that_was_trained_before_it_was_kept_it_is_said_that_it_is_not_known(store, divided) -> None:
    trained(store, divided)
    with store.transaction():
        store.run("DELETE FROM training_members")
        store.run("DELETE FROM trainings")
    row = built_in(store, divided)
    assert row.numbers[AREA].n == N
    assert words_of(row.training) == "training texts unknown; train it again"


def test_the_instances_behind_a_row_are_those_that_it_is_scored_on(store, divided) -> None:
    trained(store, divided)
    choice = RowChoice("built-in", "linear", "attribution")
    assert len(values_of_row(store, LOCAL_OPERATOR, divided, choice).instances) == 25
    everything = ScoringOptions(includes_training=True)
    assert len(values_of_row(store, LOCAL_OPERATOR, divided, choice, everything).instances) == N


def test_contrast_and_fairness_leave_it_out_as_well(store, divided, import_rows) -> None:
    for split, numbers in (("train", range(3)), ("test", range(20, 25))):
        version = {"id": lambda n: f"{key_of(n)}c", "parent": key_of, "perturbation_kind": "syntax", "split": split}
        import_rows(divided, rows_of(numbers, **version))
    trained(store, divided)
    [left] = contrast_rows(store, LOCAL_OPERATOR, divided)
    [whole] = contrast_rows(store, LOCAL_OPERATOR, divided, ScoringOptions(includes_training=True))
    assert (left.n_originals, whole.n_originals) == (5, 8)
    assert (left.n_learned, whole.n_learned) == (N_TRAIN + 3, 0)
    save_word_list(store, LOCAL_OPERATOR, divided, "some", [f"w{n}x0" for n in range(N)])
    [row] = fairness_rows(store, LOCAL_OPERATOR, divided, ["some"], "positive")
    [of_all] = fairness_rows(
        store, LOCAL_OPERATOR, divided, ["some"], "positive", ScoringOptions(includes_training=True)
    )
    assert (row.n_texts, of_all.n_texts) == (25 + 5, N + 8)


def test_what_was_learned_from_is_found_by_its_number(store, divided) -> None:
    trained(store, divided)
    ids = {find_instance_ids(store, divided.id, key_of(n))[0] for n in range(N_TRAIN)}
    rows = store.rows("SELECT instance_id FROM training_members")
    assert {row["instance_id"] for row in rows} == ids


def test_accuracy_on_texts_that_a_model_learned_from_has_no_verdict_and_says_so(store, divided) -> None:
    trained(store, divided)

    def of_accuracy(**options: object) -> tuple[Judged, Judged]:
        table = table_of(store, divided, **options)
        own, elsewhere = row_of(table, "built-in", "linear"), row_of(table, "elsewhere")
        first, other = judged(table, [own, elsewhere], table.column(ACCURACY))
        return first, other

    held_out, _ = of_accuracy()
    assert (held_out.verdict is None, held_out.learned) == (False, "")
    for options, words in (({"split": "train"}, "on training texts"), ({"includes_training": True}, "partly on")):
        seen, elsewhere = of_accuracy(**options)
        assert (seen.verdict, elsewhere.learned) == (None, "")
        assert seen.lines == [seen.learned]
        assert seen.learned.startswith(words)


# Whether maps are better than random on texts that their model did not learn from is measured with the numbers, and said.

WORDS = {"positive": "good", "negative": "bad"}


def learned_rows(split: str, n_each: int, token: int) -> list[dict[str, object]]:
    """Texts of eight words, the third of which tells the label; `token` is the gold rationale."""
    return [
        {
            "id": f"{split}-{label}-{n}",
            "text": f"it was {word} and so on number {split}{n}",
            "label": label,
            "split": split,
            "rationales": [[[token, token + 1]]],
        }
        for label, word in WORDS.items()
        for n in range(n_each)
    ]


@pytest.fixture
def measured(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> Callable[..., str | None]:
    """What is said of the maps of a text when a model learned from 20 and was asked about others, with a gold token each."""

    def told(n_each: int, token: int, split: str = "train") -> str | None:
        made = make_project(name=f"Gold {n_each} {token} {split}")
        import_rows(made, learned_rows(split, 10, token))
        import_rows(made, learned_rows("test", n_each, token))
        attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", AttributingOptions())
        measure(store, LOCAL_OPERATOR, made)
        [number] = find_instance_ids(store, made.id, "test-positive-0")
        return show_instance(store, LOCAL_OPERATOR, number, None).panels[0].beside_random

    return told


def test_maps_that_find_the_gold_are_said_to_be_better_than_random_on_the_texts_that_were_not_learned(
    measured: Callable[..., str | None],
) -> None:
    words = measured(12, 2)
    assert words is not None
    assert words.startswith("token F1 better than random on this gold (+0.")
    assert "n 24" in words


def test_maps_that_miss_the_gold_are_said_to_be_no_better(measured: Callable[..., str | None]) -> None:
    words = measured(12, 0)
    assert words is not None
    assert words.startswith("token F1 worse than random on this gold (−0.")


def test_random_is_drawn_as_metrics_draws_it(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(name="Gold")
    import_rows(made, [*learned_rows("test", 12, 2), {"id": "without", "text": "no gold here", "label": "positive"}])
    import_rows(made, [{"id": "whole", "text": "good", "label": "positive", "rationales": [[[0, 1]]]}])
    gold = gold_table(store, made, made.settings.gold_policy)
    instances = OverInstances(len(gold))
    random_numbers(gold, instances)
    means = instances.means()[NUMBER]
    expected = {row.id: mean for row, mean in zip(gold.rows, means, strict=True) if row.key.startswith("test-")}
    assert RandomNull.of(gold).values == expected
    assert len(expected) == 24


def test_of_few_texts_and_of_a_model_that_learned_from_all_nothing_is_said(measured: Callable[..., str | None]) -> None:
    assert measured(5, 2) is None
    assert measured(12, 2, split="other") is None
