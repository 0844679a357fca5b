"""Measuring runs, lists by a number, and what the Saliency page shows of an instance."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotator.domain.measurements import InstanceNumber, Question
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
from annotator.store import Store
from annotator.store.instances import find_instance_ids, ids_of_keys
from annotator.store.models import list_runs
from annotator.store.trained_models import save_training
from annotator.usecases.inspect.measurement import is_out_of_date, measure
from annotator.usecases.inspect.saliency import (
    count_learned_from,
    list_instances_by,
    show_instance,
    show_partner,
    show_points,
)
from annotator.usecases.inspect.saliency_messages import ShownAnswer
from annotator.usecases.inspect.saliency_panels import PanelChoice
from annotator.usecases.inspect.scatter import LENGTH
from annotator.usecases.inspect.text_lists import save_listed
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake

NEGATIVE = Prediction(None, {"negative": 0.9, "positive": 0.1})
POSITIVE = Prediction(None, {"negative": 0.2, "positive": 0.8})


@pytest.fixture
def scored(make_project: Callable[..., Project], import_rows: Callable[..., ImportReport], store: Store) -> Project:
    """Two originals and a perturbed version, two models that disagree about one of them."""
    made = make_project(gold_policy="all")
    import_rows(made, [
        {"id": "a", "text": "bad slow plot", "label": "negative", "rationales": [[[0, 1]]]},
        {"id": "b", "text": "good fun cast", "label": "positive", "rationales": [[[0, 1]], [[1, 2]]]},
        {"id": "c", "text": "bad dull plot", "label": "negative", "rationales": [[[1, 2]]], "parent": "a", "perturbation_kind": "synonym"},
    ])  # fmt: skip
    rows = [
        SourceOutput(key, Run(model, "ig", is_signed=True), "f", 1, None, (answer,), (SourceAttribution((ScoredPart(scores),), "negative"),))
        for key, model, answer, scores in (
            ("a", "m", NEGATIVE, (0.9, 0.5, 0.1)),
            ("b", "m", NEGATIVE, (0.1, 0.2, 0.9)),
            ("c", "m", NEGATIVE, (0.9, 0.5, 0.1)),
            ("a", "n", POSITIVE, (-0.5, 0.0, 0.25)),
            ("b", "n", POSITIVE, (0.9, 0.2, 0.1)),
        )
    ]  # fmt: skip
    report = ImportReport()
    with store.transaction():
        Intake(store, made, ImportOptions(), report, lambda _: None).run(rows)
    assert report.problems == []
    return made


def run_of(store: Store, project: Project, model: str, method: str = "ig") -> int:
    [stored] = list_runs(store, project.id, model, method)
    return stored.id


def keys(store: Store, project: Project, **asked: Any) -> list[str]:
    rows, n = list_instances_by(store, LOCAL_OPERATOR, Question(project.id, **asked), 1)
    assert n == len(rows)
    return [row.key for row in rows]


def test_a_project_is_measured_once_and_again_when_something_happened(store, scored, import_rows) -> None:
    assert is_out_of_date(store, scored)
    assert measure(store, LOCAL_OPERATOR, scored) == 4
    assert not is_out_of_date(store, scored)
    import_rows(scored, [{"id": "d", "text": "new", "label": "positive"}])
    assert is_out_of_date(store, scored)


def test_what_was_measured_when_maps_of_equal_scores_still_had_numbers_is_measured_again(store, scored) -> None:
    measure(store, LOCAL_OPERATOR, scored)
    with store.transaction():
        store.run("UPDATE measurements SET parameters = json_remove(parameters, '$.rules')")
    assert is_out_of_date(store, scored)
    measure(store, LOCAL_OPERATOR, scored)
    assert not is_out_of_date(store, scored)


def test_lists_are_in_the_order_of_a_number_and_filtered_by_answers(store, scored) -> None:
    measure(store, LOCAL_OPERATOR, scored)
    m, own_m, own_n = run_of(store, scored, "m"), run_of(store, scored, "m", ""), run_of(store, scored, "n", "")
    assert keys(store, scored, run_id=m, name="editing.mrr") == [
        "b",
        "c",
        "a",
    ]  # best of b's sets at rank 2, c's at 2, a's at 1
    assert keys(store, scored, run_id=m, name="editing.mrr", lowest_first=False)[0] == "a"
    assert keys(store, scored, which="wrong", answers_run_id=own_m) == ["b"]
    assert keys(store, scored, which="right", answers_run_id=own_m) == ["a", "c"]
    assert keys(store, scored, which="won", answers_run_id=own_n, other_run_id=own_m) == ["b"]
    assert keys(store, scored, which="lost", answers_run_id=own_n, other_run_id=own_m) == ["a"]
    assert keys(store, scored, which="disagree") == ["a", "b"]
    assert keys(store, scored, which="perturbed") == ["c"]
    assert keys(store, scored, words="FUN") == ["b"]
    assert keys(store, scored, words="100%") == []


def test_what_is_won_or_lost_is_without_what_a_model_learned_from_until_that_is_asked_for(store, scored) -> None:
    [(_, _, learned)] = ids_of_keys(store, scored.id, ["b"])["b"]
    with store.transaction():
        save_training(store, scored.id, "n", digest="d", seed=0, split="train", held_out=None, instance_ids=[learned])
    own = {"answers_run_id": run_of(store, scored, "n", ""), "other_run_id": run_of(store, scored, "m", "")}
    won, lost = Question(scored.id, which="won", **own), Question(scored.id, which="lost", **own)
    assert [list_instances_by(store, LOCAL_OPERATOR, asked, 1)[1] for asked in (won, lost)] == [0, 1]
    assert [count_learned_from(store, LOCAL_OPERATOR, asked) for asked in (won, lost)] == [1, 0]
    assert keys(store, scored, which="won", has_learned=True, **own) == ["b"]
    assert count_learned_from(store, LOCAL_OPERATOR, replace(won, has_learned=True)) == 0
    assert keys(store, scored, which="right", answers_run_id=own["answers_run_id"]) == ["b"]
    # and neither are these among the points of its scatter, or saved as a list
    length = InstanceNumber(None, None, LENGTH)
    assert show_points(store, LOCAL_OPERATOR, won, length, length).n == 0
    with pytest.raises(InvalidValue, match="nothing"):
        save_listed(store, LOCAL_OPERATOR, won, "Won", "")


def test_the_map_of_a_pair_stands_at_its_perturbed_version(store, scored) -> None:
    measure(store, LOCAL_OPERATOR, scored)
    m = run_of(store, scored, "m")
    [row], _ = list_instances_by(store, LOCAL_OPERATOR, Question(scored.id, run_id=m, name="benchmark.map_aligned"), 1)
    assert (row.key, row.value) == ("c", 1.0)


def test_an_instance_is_shown_with_gold_panels_and_what_can_be_chosen(store, scored) -> None:
    measure(store, LOCAL_OPERATOR, scored)
    [a] = find_instance_ids(store, scored.id, "a")
    view = show_instance(store, LOCAL_OPERATOR, a, None)
    assert view.gold == ((0,),)
    assert view.segments[0].tokens == ("bad", "slow", "plot")
    assert (
        "".join(b + t for b, t in zip(view.segments[0].before, view.segments[0].tokens, strict=True)) == "bad slow plot"
    )
    first, second = view.panels
    assert (first.model, first.scores, first.is_signed) == ("m", (0.9, 0.5, 0.1), True)
    assert first.answer == ShownAnswer("negative", {"negative": 0.9, "positive": 0.1})
    assert first.numbers["editing.mrr"] == 1.0
    assert second.scores == (-0.5, 0.0, 0.25)
    assert [choice.model for choice in view.choices] == ["m", "n"]
    assert view.ratios == (pytest.approx((1 / 3 + 2 / 3 + 1 / 3) / 3),)
    assert [partner.key for partner in view.partners] == ["c"]


def test_a_partner_comes_with_the_places_that_belong_together(store, scored) -> None:
    [a], [c] = (find_instance_ids(store, scored.id, key) for key in ("a", "c"))
    view = show_partner(store, LOCAL_OPERATOR, a, c, [PanelChoice(run_of(store, scored, "m"))])
    assert view.aligned == (0, 1, 2)
    assert view.instance.kind == "synonym"
    [b] = find_instance_ids(store, scored.id, "b")
    with pytest.raises(NotFound, match="neither the original"):
        show_partner(store, LOCAL_OPERATOR, a, b, [])


def test_a_run_without_anything_for_a_text_is_an_empty_panel_and_rationales_without_scores_are_shown(
    store, scored
) -> None:
    rationale = (SourceRationale("hard", (MarkedPart(((0, 2),)),)),)
    with store.transaction():
        Intake(store, scored, ImportOptions(), ImportReport(), lambda _: None).run(
            [SourceOutput("a", Run("m", "select"), "f", 1, None, (), (), rationale)]
        )
    [a], [c] = (find_instance_ids(store, scored.id, key) for key in ("a", "c"))
    hard = PanelChoice(run_of(store, scored, "m", "select"))
    [panel] = show_instance(store, LOCAL_OPERATOR, a, [hard]).panels
    assert (panel.scores, panel.spans) == (None, ((0, 2),))
    [panel] = show_instance(store, LOCAL_OPERATOR, c, [hard]).panels
    assert (panel.scores, panel.spans, panel.ranking) == (None, None, None)


def test_a_panel_tells_what_its_method_says_of_the_scores_and_how_far_seeds_lie_apart(store, scored) -> None:
    def of(seed: int, *scores: float) -> SourceOutput:
        attribution = SourceAttribution((ScoredPart(scores),), "negative", convergence=0.1, facts=(("r2", 0.75),))
        return SourceOutput("a", Run("m", "lime", seed=seed), "f", 1, None, (), (attribution,))

    with store.transaction():
        Intake(store, scored, ImportOptions(), ImportReport(), lambda _: None).run(
            [of(0, 1.0, 0.0, 0.0), of(1, 3.0, 0.0, 0.0)]
        )
    [a] = find_instance_ids(store, scored.id, "a")
    first, second = (PanelChoice(one.id) for one in list_runs(store, scored.id, "m", "lime"))
    shown, other, alone = show_instance(
        store, LOCAL_OPERATOR, a, [first, second, PanelChoice(run_of(store, scored, "m"))]
    ).panels
    assert (shown.facts, shown.convergence) == ({"r2": 0.75}, 0.1)
    # deviations over seeds (n - 1) of the three tokens: sqrt(2), 0, 0; the mean |score| is 4 / 6
    assert shown.spread.value == pytest.approx(2**0.5 / 3)
    assert shown.spread.share == pytest.approx(2**0.5 / 2)
    assert shown.spread.n_seeds == 2
    assert other.spread == shown.spread
    assert (alone.facts, alone.spread) == ({}, None)


def test_what_cannot_be_shown_is_said(store, scored, add_person) -> None:
    [a] = find_instance_ids(store, scored.id, "a")
    with pytest.raises(NotFound, match="no run number 999"):
        show_instance(store, LOCAL_OPERATOR, a, [PanelChoice(999)])
    with pytest.raises(InvalidValue, match="At most 8 maps"):
        show_instance(store, LOCAL_OPERATOR, a, [PanelChoice(1)] * 9)
    with pytest.raises(InvalidValue, match="RUN:LAYER:LABEL"):
        PanelChoice.read("x:1")
    with pytest.raises(InvalidValue, match="Say whose answers are wrong"):
        Question(scored.id, which="wrong")
    with pytest.raises(NotAllowed):
        show_instance(store, add_person("somebody", scored, "annotator"), a, None)
    assert show_instance(store, add_person("researcher", scored, "researcher"), a, None).gold == ((0,),)


def test_a_text_opens_with_maps_of_the_models_in_turn(store, scored) -> None:
    def of(model: str, method: str) -> SourceOutput:
        scores = (SourceAttribution((ScoredPart((1.0, 0.5, 0.0)),)),)
        return SourceOutput("a", Run(model, method), "f", 1, None, (), scores)

    rows = [of("m", "occlusion"), of("m", "lime"), of("n", "occlusion")]
    with store.transaction():
        Intake(store, scored, ImportOptions(), ImportReport(), lambda _: None).run(rows)
    [a] = find_instance_ids(store, scored.id, "a")
    view = show_instance(store, LOCAL_OPERATOR, a, None)
    assert [(panel.model, panel.method) for panel in view.panels] == [
        ("m", "ig"), ("n", "ig"), ("m", "occlusion"), ("n", "occlusion"),
    ]  # fmt: skip


def test_a_text_opens_with_one_map_of_each_method_and_random_scores_come_last(store, scored) -> None:
    def of(method: str, seed: int) -> SourceOutput:
        attribution = SourceAttribution((ScoredPart((1.0, 0.5, float(seed))),), "negative")
        return SourceOutput("a", Run("k", method, seed=seed), "f", 1, None, (), (attribution,))

    rows = [of(method, seed) for method in ("random", "lime") for seed in range(3)]
    with store.transaction():
        Intake(store, scored, ImportOptions(), ImportReport(), lambda _: None).run(rows)
    [a] = find_instance_ids(store, scored.id, "a")
    view = show_instance(store, LOCAL_OPERATOR, a, None)
    assert [(panel.model, panel.method, panel.seed) for panel in view.panels] == [
        ("m", "ig", None), ("n", "ig", None), ("k", "lime", 0), ("k", "random", 0),
    ]  # fmt: skip
    seeds = [(choice.method, choice.seed) for choice in view.choices if choice.model == "k"]
    assert seeds == [(method, seed) for method in ("random", "lime") for seed in range(3)]  # all can be chosen
    assert len({choice.group for choice in view.choices}) == 4
