"""Scoring a project's models: numbers by hand on four small texts, several seeds, layers, pairs, and what is left out."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from annotator.domain.models import (
    MarkedPart,
    Prediction,
    Run,
    ScoredPart,
    SourceAttribution,
    SourceOutput,
    SourceRationale,
)
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.usecases.inspect.metric_values import RowChoice, values_of_row
from annotator.usecases.inspect.metrics_table import gold_summary
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.transfer.import_report import ImportReport
from tests.usecases.transfer.comparing import take

Numbers = dict[str, Any]
RUN = Run("m", "ig")


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


def attributed(key: str, scores: tuple[float, ...], run: Run = RUN, *answers: Prediction, layer: int | None = None) -> SourceOutput:  # fmt: skip
    return SourceOutput(key, run, "f", 1, None, answers, (SourceAttribution((ScoredPart(scores),), layer=layer),))


def only(numbers: Numbers, part: str = "plausibility") -> Numbers:
    [model] = numbers["models"]
    [row] = model["methods"]
    return row[part]


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


def test_answers_are_scored_and_the_predicted_labels_attribution_is_taken(store, scored_project, bring) -> None:
    both = (
        SourceAttribution((ScoredPart((9.0, 0, 0, 0)),), "negative"),
        SourceAttribution((ScoredPart((0.0, 0, 0, 9)),), "positive"),
    )
    right, wrong = (
        Prediction(None, {"negative": 0.9, "positive": 0.1}),
        Prediction(None, {"negative": 0.3, "positive": 0.7}),
    )
    bring(
        scored_project,
        SourceOutput("a", Run("m", "ig"), "f", 1, None, (right,), both),
        SourceOutput("c", Run("m"), "f", 2, None, (wrong,)),
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
        bring(scored_project, attributed("a", scores, Run("m", "ig", seed=seed)))
    numbers = evaluate_project(store, LOCAL_OPERATOR, scored_project)
    [row] = numbers["models"][0]["methods"]
    assert row["seeds"] == [1, 2]
    # seed 1: {0} at rank 1; seed 2: the first of the ties, 0, at rank 2
    assert row["plausibility"]["editing.mrr"]["value"] == pytest.approx((1 + 0.5) / 2)
    assert row["plausibility"]["editing.mrr"]["deviation"] == pytest.approx(math.sqrt(0.125))


def test_each_layer_is_a_row(store, scored_project, bring) -> None:
    attributions = tuple(
        SourceAttribution((ScoredPart(s),), layer=n) for n, s in enumerate([(1.0, 0, 0, 0), (0.0, 0, 0, 1)])
    )
    bring(scored_project, SourceOutput("a", Run("m", "attention"), "f", 1, None, (), attributions))
    rows = evaluate_project(store, LOCAL_OPERATOR, scored_project)["models"][0]["methods"]
    assert [(row["layer"], row["plausibility"]["editing.mrr"]["value"]) for row in rows] == [(0, 1.0), (1, 0.5)]


def test_only_the_last_layer_has_the_faithfulness_of_its_top_k(store, scored_project, bring) -> None:
    answers = tuple(
        Prediction(None, {"negative": p, "positive": 1 - p}, on) for p, on in ((0.8, "full"), (0.3, "rest"))
    )
    layers = tuple(SourceAttribution((ScoredPart(s),), layer=n) for n, s in enumerate([(1.0, 0, 0, 0), (0.0, 0, 0, 1)]))
    bring(scored_project, SourceOutput("a", Run("m", "attention"), "f", 1, None, answers, layers))
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
    rationale = (SourceRationale("hard", (MarkedPart(((1, 3),)),)),)
    bring(scored_project, SourceOutput("a", Run("m", "select"), "f", 1, None, (), (), rationale))
    found = only(evaluate_project(store, LOCAL_OPERATOR, scored_project))
    assert found["sets.whole_set"]["value"] == 1.0
    assert found["eraser.iou_recall_macro"]["value"] == 0.5  # one of two gold spans
    assert found["eraser.token_f1_macro"]["value"] == pytest.approx(2 * 2 / (3 + 2))


def test_faithfulness_comes_from_answers_to_the_rationale_and_the_rest(store, scored_project, bring) -> None:
    def said(p: float, on: str, threshold: float | None = None) -> Prediction:
        return Prediction(None, {"negative": p, "positive": 1 - p}, on, threshold)  # type: ignore[arg-type]

    answers = (
        said(0.8, "full"),
        said(0.9, "rationale"),
        said(0.3, "rest"),
        said(0.7, "rest", 0.1),
        said(0.4, "rest", 0.5),
    )
    bring(scored_project, SourceOutput("a", Run("m", "ig"), "f", 1, None, answers))
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

    def on(part: Any, p: float) -> Prediction:
        return Prediction(None, {"negative": p, "positive": 1 - p}, part)

    bring(
        scored_project,
        SourceOutput("a", RUN, "f", 1, None, (on("full", 0.8), on("rationale", 0.9), on("rest", 0.3))),
        SourceOutput(
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
            Prediction(None, {"negative": 0.9, "positive": 0.1}), Prediction(None, {"negative": 0.7, "positive": 0.3}, "rationale"),
            Prediction(None, {"negative": 0.4, "positive": 0.6}, "rest"),
        )  # fmt: skip
        bring(
            made,
            attributed("o", (0.1, 2.0, 1.0), RUN, *answers),
            attributed("p", (0.5, 1.0, 0.0, 2.0, 0.1), RUN, *answers),
        )
        return made

    return make


def test_without_gold_faithfulness_and_consistency_are_as_with_it(store, pair) -> None:
    made, with_gold = pair("none"), pair("some", [[1, 2]], [[1, 2], [3, 4]])
    ratio = (1 / 3 + 2 / 5) / 2
    numbers = evaluate_project(store, LOCAL_OPERATOR, made, options=ScoringOptions(ratio=ratio))
    expected = evaluate_project(store, LOCAL_OPERATOR, with_gold)
    assert (numbers["gold"]["instances"], numbers["gold"]["scored_without_gold"]) == (0, 2)
    assert numbers["gold"]["ratios"] == {"": ratio}
    # k = 2 of each: slow, plot and ",", slow: (0 + 1 / 2) / 2 (Wang et al. 2022, Eq. 2)
    assert only(numbers, "consistency")["map"]["value"] == 0.25
    for part in ("consistency", "faithfulness"):
        found, wanted = only(numbers, part), only(expected, part)
        needing_gold = {name for name in wanted if name.startswith("method.quality")}
        assert found == {name: value for name, value in wanted.items() if name not in needing_gold}
    assert only(numbers, "faithfulness")["method.sufficiency"]["value"] == pytest.approx(0.9 - 0.7)
    assert (only(numbers), numbers["models"][0]["quality"], numbers["random"]) == ({}, {}, {})


def test_without_gold_and_a_stated_ratio_nothing_that_needs_a_top_k_is_scored(store, pair) -> None:
    made = pair("none")
    numbers = evaluate_project(store, LOCAL_OPERATOR, made)
    found = only(numbers, "consistency")
    assert "map" not in found
    assert found["map_full_ranking"]["n"] == 1
    assert "instances_with_ties_at_k" not in only(numbers, "counts")
    told = gold_summary(metric_table(numbers))
    assert told.startswith("No text here has gold: faithfulness and consistency of 2 texts · no top k without gold: ")
    values = values_of_row(store, LOCAL_OPERATOR, made, RowChoice("m", "ig", "attribution"))
    assert sorted(values.values) == sorted(
        ["method.sufficiency", "method.comprehensiveness", "benchmark.new_p", "benchmark.map_full_ranking"]
    )


def test_a_ratio_is_refused_beside_gold_and_where_it_is_no_share(store, pair, scored_project) -> None:
    with pytest.raises(InvalidValue, match=r"has gold, which gives k. Leave the ratio \(--ratio\) out"):
        evaluate_project(store, LOCAL_OPERATOR, scored_project, options=ScoringOptions(ratio=0.2))
    with pytest.raises(InvalidValue, match="must be above 0 and at most 1; it is 1.5"):
        evaluate_project(store, LOCAL_OPERATOR, pair("none"), options=ScoringOptions(ratio=1.5))


def test_intervals_come_when_they_are_asked_for(store, scored_project, bring) -> None:
    bring(scored_project, attributed("a", (1.0, 0, 0, 0)), attributed("b", (0.0, 0, 0, 1)))
    asked = evaluate_project(store, LOCAL_OPERATOR, scored_project, options=ScoringOptions(n_resamples=200))
    number = only(asked)["editing.mrr"]
    assert number["low"] <= number["value"] <= number["high"]


def test_models_methods_and_rights_that_are_not_there_are_named(store, scored_project, bring, add_person) -> None:
    with pytest.raises(NotFound, match="has no model 'x' \\(it has none yet; import its predictions"):
        evaluate_project(store, LOCAL_OPERATOR, scored_project, model="x")
    bring(scored_project, attributed("a", (1.0, 0, 0, 0)))
    with pytest.raises(NotFound, match="no method 'lime' here \\(there is ig\\)"):
        evaluate_project(store, LOCAL_OPERATOR, scored_project, model="m", method="lime")
    with pytest.raises(NotAllowed):
        evaluate_project(store, add_person("a1", scored_project, "annotator"), scored_project)


def test_a_project_without_gold_has_answers_without_quality_and_no_plausibility(
    store, make_project, import_rows, bring
) -> None:
    made = make_project()
    import_rows(made, [{"id": "a", "text": "bad plot", "label": "negative"}])
    bring(made, attributed("a", (1.0, 0.0), Run("m", "ig"), Prediction("negative")))
    numbers = evaluate_project(store, LOCAL_OPERATOR, made)
    assert numbers["gold"]["instances"] == 0
    assert only(numbers) == {}
