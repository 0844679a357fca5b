"""What the Saliency page shows: runs that are measured, lists by a number, gold and sets below the words, and a text that is typed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotator.domain import models
from annotator.domain.measurements import InstanceNumber, Question
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.store import Store
from annotator.store.annotate.visibility import standing
from annotator.store.instances import find_instance_ids, ids_of_keys
from annotator.store.models import list_runs
from annotator.store.trained_models import save_training
from annotator.usecases.inspect.measurement import is_out_of_date, measure
from annotator.usecases.inspect.saliency import (
    count_learned_from,
    list_instances_by,
    read_asked_gold,
    show_instance,
    show_partner,
    show_points,
)
from annotator.usecases.inspect.saliency_messages import ShownAnswer
from annotator.usecases.inspect.saliency_panels import PanelChoice
from annotator.usecases.inspect.scatter import LENGTH
from annotator.usecases.inspect.text_lists import save_listed
from annotator.usecases.inspect.typed_text import MOST_TOKENS, show_typed
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.models.attributions import attribute
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.project.projects import change_project
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from tests.usecases.review.test_reviews import annotate

NEGATIVE = models.Prediction(None, {"negative": 0.9, "positive": 0.1})
POSITIVE = models.Prediction(None, {"negative": 0.2, "positive": 0.8})


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
        models.SourceOutput(key, models.Run(model, "ig", is_signed=True), "f", 1, None, (answer,), (models.SourceAttribution((models.ScoredPart(scores),), "negative"),))
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
    with pytest.raises(InvalidValue, match=r"No texts are listed\. Choose others before saving\."):
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


def test_numbers_of_another_gold_are_not_shown_beside_the_gold_of_now(store, scored) -> None:
    measure(store, LOCAL_OPERATOR, scored)
    [a], [b] = (find_instance_ids(store, scored.id, key) for key in "ab")

    def has_numbers(instance_id: int) -> bool:
        return bool(show_instance(store, LOCAL_OPERATOR, instance_id, None).panels[0].numbers)

    assert (has_numbers(a), has_numbers(b)) == (True, True)
    adjudicate(store, LOCAL_OPERATOR, scored, b, "positive", (RationaleSet.of((2, 3)),), "the cast is it")
    assert (has_numbers(a), has_numbers(b)) == (True, False)
    measure(store, LOCAL_OPERATOR, scored)
    assert has_numbers(b)
    change_project(store, LOCAL_OPERATOR, replace(scored, settings=replace(scored.settings, gold_policy="majority")))
    assert (has_numbers(a), has_numbers(b)) == (False, False)
    assert not show_instance(store, LOCAL_OPERATOR, a, None).are_ratios_measured  # k is of the gold, too


def test_a_partner_comes_with_the_places_that_belong_together(store, scored) -> None:
    [a], [c] = (find_instance_ids(store, scored.id, key) for key in ("a", "c"))
    view = show_partner(store, LOCAL_OPERATOR, a, c, [PanelChoice(run_of(store, scored, "m"))])
    assert view.aligned == (0, 1, 2)
    assert view.instance.kind == "synonym"
    [b] = find_instance_ids(store, scored.id, "b")
    with pytest.raises(NotFound, match=r"That text isn't this one's original or perturbed version\."):
        show_partner(store, LOCAL_OPERATOR, a, b, [])


def test_a_run_without_anything_for_a_text_is_an_empty_panel_and_rationales_without_scores_are_shown(
    store, scored
) -> None:
    rationale = (models.SourceRationale("hard", (models.MarkedPart(((0, 2),)),)),)
    with store.transaction():
        Intake(store, scored, ImportOptions(), ImportReport(), lambda _: None).run(
            [models.SourceOutput("a", models.Run("m", "select"), "f", 1, None, (), (), rationale)]
        )
    [a], [c] = (find_instance_ids(store, scored.id, key) for key in ("a", "c"))
    hard = PanelChoice(run_of(store, scored, "m", "select"))
    [panel] = show_instance(store, LOCAL_OPERATOR, a, [hard]).panels
    assert (panel.scores, panel.spans) == (None, ((0, 2),))
    [panel] = show_instance(store, LOCAL_OPERATOR, c, [hard]).panels
    assert (panel.scores, panel.spans, panel.ranking) == (None, None, None)


def test_a_panel_tells_what_its_method_says_of_the_scores_and_how_far_seeds_lie_apart(store, scored) -> None:
    def of(seed: int, *scores: float) -> models.SourceOutput:
        attribution = models.SourceAttribution(
            (models.ScoredPart(scores),), "negative", convergence=0.1, facts=(("r2", 0.75),)
        )
        return models.SourceOutput("a", models.Run("m", "lime", seed=seed), "f", 1, None, (), (attribution,))

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
    with pytest.raises(NotFound, match="No run number"):
        show_instance(store, LOCAL_OPERATOR, a, [PanelChoice(999)])
    with pytest.raises(InvalidValue, match=r"At most 8 heatmaps side by side\. Remove some\."):
        show_instance(store, LOCAL_OPERATOR, a, [PanelChoice(1)] * 9)
    with pytest.raises(InvalidValue, match="RUN:LAYER:LABEL"):
        PanelChoice.read("x:1")
    with pytest.raises(InvalidValue, match="Choose the model whose predictions are"):
        Question(scored.id, which="wrong")
    with pytest.raises(NotAllowed):
        show_instance(store, add_person("somebody", scored, "annotator"), a, None)
    assert show_instance(store, add_person("researcher", scored, "researcher"), a, None).gold == ((0,),)


def test_a_text_opens_with_maps_of_the_models_in_turn(store, scored) -> None:
    def of(model: str, method: str) -> models.SourceOutput:
        scores = (models.SourceAttribution((models.ScoredPart((1.0, 0.5, 0.0)),)),)
        return models.SourceOutput("a", models.Run(model, method), "f", 1, None, (), scores)

    rows = [of("m", "occlusion"), of("m", "lime"), of("n", "occlusion")]
    with store.transaction():
        Intake(store, scored, ImportOptions(), ImportReport(), lambda _: None).run(rows)
    [a] = find_instance_ids(store, scored.id, "a")
    view = show_instance(store, LOCAL_OPERATOR, a, None)
    assert [(panel.model, panel.method) for panel in view.panels] == [
        ("m", "ig"), ("n", "ig"), ("m", "occlusion"), ("n", "occlusion"),
    ]  # fmt: skip


def test_a_text_opens_with_one_map_of_each_method_and_random_scores_come_last(store, scored) -> None:
    def of(method: str, seed: int) -> models.SourceOutput:
        attribution = models.SourceAttribution((models.ScoredPart((1.0, 0.5, float(seed))),), "negative")
        return models.SourceOutput("a", models.Run("k", method, seed=seed), "f", 1, None, (), (attribution,))

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


# What stands below the words on the Saliency page: gold under any policy, or everybody's own sets, to whom they are open.

TEXT = "The staff never smiled and the soup was cold."
CROWD = {
    "id": "crowd",
    "fields": {"text": {"text": TEXT, "tokens": TEXT.split()}},
    "label": "negative",
    "annotations": [
        {"annotator": "w-1", "rationales": [{"text": [0, 1]}], "label": "negative", "group": "G1", "age": 30},
        {"annotator": "w-2", "rationales": [{"text": [1]}, {"text": [6]}], "label": "positive", "group": "G2"},
        {"annotator": "w-3", "rationales": [], "label": "negative", "group": "G1"},
    ],
}


@pytest.fixture
def crowd(
    make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store
) -> tuple[Project, int]:
    """A text that three people of a file annotated; the third marked nothing."""
    project = make_project(gold_policy="union", may_be_empty=True)
    import_rows(project, [CROWD])
    return project, find_instance_ids(store, project.id, "crowd")[0]


def test_everybody_has_their_own_sets_with_their_label_and_what_the_file_says_of_them(store: Store, crowd) -> None:
    shown = show_instance(store, LOCAL_OPERATOR, crowd[1], [], "people")
    assert shown.people is not None
    assert [(p.name, p.label, p.facts, p.sets) for p in shown.people] == [
        ("w-1", "negative", ("G1", "30"), ((0, 1),)),
        ("w-2", "positive", ("G2",), ((1,), (6,))),
        ("w-3", "negative", ("G1",), ()),
    ]
    assert shown.gold == ()
    assert show_instance(store, LOCAL_OPERATOR, crowd[1], []).people is None


def test_gold_under_another_policy_is_shown_without_changing_the_projects(store: Store, crowd) -> None:
    _, number = crowd
    assert show_instance(store, LOCAL_OPERATOR, number, []).gold == ((0, 1),)  # the union of who agrees on the label
    assert show_instance(store, LOCAL_OPERATOR, number, [], "majority").gold == ()
    shown = show_instance(store, LOCAL_OPERATOR, number, [], "all")
    assert (shown.gold, shown.policy) == (((0, 1),), "union")


def test_whoever_does_not_see_all_annotations_is_told_numbers_and_their_own_name(
    store: Store, crowd, add_person: Callable[..., User]
) -> None:
    project, number = crowd
    ria = add_person("ria", project, "researcher")
    shown = show_instance(store, ria, number, [], "people")
    assert shown.people is not None
    assert [(p.name, p.is_numbered) for p in shown.people] == [
        ("annotator 1", True),
        ("annotator 2", True),
        ("annotator 3", True),
    ]
    assert [p.facts for p in shown.people] == [("G1", "30"), ("G2",), ("G1",)]


def test_names_that_a_file_counts_anew_in_each_text_are_told_from_names(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    annotations = [
        {**person, "annotator": name} for person, name in zip(CROWD["annotations"], ("mask 1", "w-2"), strict=False)
    ]
    project = make_project(may_be_empty=True)
    import_rows(project, [CROWD | {"annotations": annotations}])
    shown = show_instance(store, LOCAL_OPERATOR, find_instance_ids(store, project.id, "crowd")[0], [], "people")
    assert shown.people is not None
    assert [(p.name, p.is_numbered) for p in shown.people] == [("mask 1", True), ("w-2", False)]


@pytest.fixture
def reviewed(make_project, import_rows, store: Store, add_person) -> tuple[Project, int, dict[str, User]]:
    """A text that ann has submitted and nobody reviewed yet; room for one more annotator."""
    project = make_project(annotators_per_instance=2, reviewers_per_annotation=1)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative"}])
    people = {
        name: add_person(name, project, *roles)
        for name, *roles in (
            ("ann", "annotator", "researcher"),
            ("ben", "annotator", "researcher"),
            ("ria", "researcher"),
            ("lea", "lead"),
        )
    }
    annotate(store, people["ann"], project, RationaleSet.of((0, 2)))
    return project, find_instance_ids(store, project.id, "t1")[0], people


def test_submitted_sets_are_shown_to_leads_and_to_researchers_where_the_rules_say_so(store: Store, reviewed) -> None:
    _, number, people = reviewed
    shown = show_instance(store, people["lea"], number, [], "people")
    assert shown.people is not None
    assert [(p.name, p.is_accepted, p.is_own) for p in shown.people] == [("ann", False, False)]
    assert show_instance(store, people["ria"], number, [], "people").people == ()


def test_peoples_sets_are_closed_to_whoever_may_still_be_given_the_text(
    store: Store, make_project, import_rows, add_person
) -> None:
    project = make_project(annotators_per_instance=2)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative"}])
    ann, ben = (add_person(name, project, "annotator", "researcher") for name in ("ann", "ben"))
    annotate(store, ann, project, RationaleSet.of((0, 2)))
    [number] = find_instance_ids(store, project.id, "t1")
    shown = show_instance(store, ben, number, [], "people")
    assert shown.people == ()
    assert shown.withheld.startswith("Others' marks are hidden while you can still annotate this text.")
    assert not standing(store, number, ben.id or 0).was_shown
    own = show_instance(store, ann, number, [], "people")
    assert own.people is not None
    assert [(p.name, p.is_own) for p in own.people] == [("ann", True)]


def test_whoever_saw_peoples_sets_is_noted(store: Store, reviewed) -> None:
    _, number, people = reviewed
    show_instance(store, people["lea"], number, [], "people")
    assert standing(store, number, people["lea"].id or 0).was_shown


def test_a_changed_version_beside_the_text_has_its_own_people(store: Store, crowd, import_rows) -> None:
    project, number = crowd
    row = {"id": "less", "text": "cold soup", "label": "negative", "rationales": [[[0, 1]]], "parent": "crowd"}
    import_rows(project, [row | {"perturbation_kind": "synonym"}])
    [less] = find_instance_ids(store, project.id, "less")
    shown = show_partner(store, LOCAL_OPERATOR, number, less, [], "people")
    assert shown.people is not None
    assert [(p.name, p.sets) for p in shown.people] == [("gold", ((0,),))]


@pytest.mark.parametrize("asked", ["", "chosen", "all", "majority", "union", "people"])
def test_an_address_names_a_policy_or_people(asked: str) -> None:
    assert read_asked_gold(asked) == asked


def test_an_address_that_names_neither_is_refused_with_what_there_is() -> None:
    with pytest.raises(
        InvalidValue, match=r"'gold' in the URL must be one of chosen, all, majority, union, people, not 'somebody'\."
    ):
        read_asked_gold("somebody")


# A text that is typed on the Saliency page: answered and explained by the models that can be asked, and stored nowhere.

TYPED = "bad slow soup"


@pytest.fixture
def trained(make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store) -> Project:
    """A project with a built-in model, its occlusion and exact weights, and a model whose output was imported."""
    project = make_project()
    rows = [
        {"id": f"{label}{n}", "text": f"{word} {adverb} soup", "label": label, "rationales": [[[0, 1]]]}
        for label, word in (("negative", "bad"), ("positive", "good"))
        for n, adverb in enumerate(("slow", "fast", "warm", "cold"))
    ]
    import_rows(project, rows)
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    for method in ("linear", "occlusion"):
        attribute(store, LOCAL_OPERATOR, project, "built-in", method)
    imported = models.SourceOutput(
        "negative0",
        models.Run("far away", "ig"),
        "f",
        1,
        None,
        (),
        (models.SourceAttribution((models.ScoredPart((0.5, 0.25, 0.1)),)),),
    )
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run([imported])
    return project


def opened(store: Store, project: Project) -> tuple[int, dict[tuple[str, str], PanelChoice]]:
    [number] = find_instance_ids(store, project.id, "negative0")
    runs = {(one.run.model, one.run.method): PanelChoice(one.id, "negative") for one in list_runs(store, project.id)}
    return number, runs


def test_the_stored_text_typed_again_has_the_stored_answer_and_scores(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    panels = [runs["built-in", "linear"], runs["built-in", "occlusion"]]
    stored = show_instance(store, LOCAL_OPERATOR, number, panels)
    typed = show_typed(store, LOCAL_OPERATOR, number, {"text": TYPED}, panels)
    for before, after in zip(stored.panels, typed.panels, strict=True):
        assert (after.answer, after.label, after.scores) == (before.answer, before.label, pytest.approx(before.scores))
        assert after.numbers == {}
    assert (typed.aligned, typed.trouble, typed.gold) == ((0, 1, 2), "", ())


def test_a_changed_text_has_another_answer_and_the_same_label_is_explained(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    [panel] = show_typed(
        store, LOCAL_OPERATOR, number, {"text": "good slow soup!"}, [runs["built-in", "linear"]]
    ).panels
    assert panel.answer is not None
    assert panel.answer.label == "positive"
    assert panel.label == "negative"
    assert panel.scores is not None
    assert panel.scores[0] is not None
    assert panel.scores[0] < 0
    assert len(panel.scores) == 4
    assert panel.seen is None  # whether the model learned from a text that nobody stored, is no question


def test_what_is_typed_is_stored_nowhere(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    before = list(store.connection.iterdump())
    show_typed(store, LOCAL_OPERATOR, number, {"text": "something else"}, list(runs.values()))
    assert list(store.connection.iterdump()) == before


def test_a_model_that_cannot_be_asked_is_named_and_the_others_answer(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    typed = show_typed(
        store, LOCAL_OPERATOR, number, {"text": "good"}, [runs["far away", "ig"], runs["built-in", "linear"]]
    )
    far, near = typed.panels
    assert (far.answer, far.scores) == (None, None)
    assert near.scores is not None
    assert typed.trouble == "Model “far away” can't run: imported output only, or folder missing."


@pytest.mark.parametrize("text", ["", " ", "\u202eسيئ جدا", "🙂👩‍👩‍👧", "<img src=x onerror=alert(1)>"])
def test_any_text_is_answered(store: Store, trained: Project, text: str) -> None:
    number, runs = opened(store, trained)
    panels = [runs["built-in", "linear"], runs["built-in", "occlusion"]]
    typed = show_typed(store, LOCAL_OPERATOR, number, {"text": text}, panels)
    assert all(panel.answer is not None for panel in typed.panels)
    n = len(typed.segments[0].tokens)
    assert [len(panel.scores or ()) for panel in typed.panels] == [n, n]


def test_a_long_text_is_explained_by_what_asks_once_alone(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    panels = [runs["built-in", "linear"], runs["built-in", "occlusion"]]
    typed = show_typed(store, LOCAL_OPERATOR, number, {"text": "soup " * (MOST_TOKENS + 1)}, panels)
    exact, by_removal = typed.panels
    assert exact.scores is not None
    assert by_removal.scores is None
    assert by_removal.answer == exact.answer
    assert isinstance(typed.trouble, str)
    assert "Occlusion is limited to 500 tokens." in typed.trouble


def test_other_segments_and_too_many_maps_are_refused(
    store: Store, trained: Project, add_person: Callable[..., User]
) -> None:
    number, runs = opened(store, trained)
    with pytest.raises(InvalidValue, match=r"Unknown name 'title'\. Available: text\."):
        show_typed(store, LOCAL_OPERATOR, number, {"title": "x"}, [])
    with pytest.raises(InvalidValue, match=r"At most 8 heatmaps side by side\. Remove some\."):
        show_typed(store, LOCAL_OPERATOR, number, {}, [runs["built-in", "linear"]] * 9)
    with pytest.raises(NotAllowed):
        show_typed(store, add_person("ann", trained, "annotator"), number, {}, [])
