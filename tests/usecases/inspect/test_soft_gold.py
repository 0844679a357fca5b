"""Scoring against soft gold and against one person, by hand: shares of tokens and labels, people who disagree, and nobody."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.usecases.gold_table import gold_table, scored_against
from annotator.usecases.inspect.metric_formats import table_text
from annotator.usecases.inspect.metrics_table import metric_view
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from annotator.usecases.inspect.result_cards import reproduce, result_card
from annotator.usecases.persons.erasure import erase
from tests.usecases.transfer.comparing import take

Numbers = dict[str, Any]
SOFT = scored_against("soft", ScoringOptions())


def row(key: str, who: str, label: str, *ranges: list[int]) -> dict[str, object]:
    rationales = [[span] for span in ranges]
    return {
        "id": key,
        "text": "bad slow dull plot",
        "annotator": who,
        "annotator_label": label,
        "rationales": rationales,
    }


def scored(key: str, scores: tuple[float, ...], p_negative: float) -> SourceOutput:
    answer = Prediction(None, {"negative": p_negative, "positive": 1 - p_negative})
    return SourceOutput(key, Run("m", "ig"), "f", 1, None, (answer,), (SourceAttribution((ScoredPart(scores),)),))


@pytest.fixture
def three(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Three people on one text; of a second one with another label; a third, of two, without a label that most gave."""
    made = make_project(gold_policy="all", may_be_empty=True)
    import_rows(made, [
        row("a", "ada", "negative", [0, 3]), row("a", "ben", "negative", [0, 2]), row("a", "cy", "negative", [0, 1]),
        row("b", "ada", "negative", [0, 2]), row("b", "ben", "negative", [0, 2]), row("b", "cy", "positive", [2, 4]),
        row("c", "ada", "negative", [0, 2]), row("c", "ben", "positive", [0, 2]),
    ])  # fmt: skip
    outputs = [scored("a", (9, 8, 1, 0), 0.9), scored("b", (9, 8, 1, 0), 0.9), scored("c", (9, 8, 1, 0), 0.5)]
    take(store, made, outputs)
    return made


def numbers_of(store: Store, project: Project, options: ScoringOptions) -> tuple[Numbers, Numbers]:
    """What a model's only method has, and the model's answers."""
    numbers = evaluate_project(store, LOCAL_OPERATOR, project, options=options)
    [model] = numbers["models"]
    return model["methods"][0]["plausibility"], model["quality"]


def test_selected_tokens_are_held_against_the_shares_of_people(store: Store, three: Project) -> None:
    # shares: a 1, 2/3, 1/3, 0 and b 1, 1, 0, 0 (without cy, who gave another label); c has no label that most gave, so none
    # RLR: both 2/4, so k = 2 and {0, 1} is selected
    plausibility, _ = numbers_of(store, three, SOFT)
    assert plausibility["soft.token_f1"] == {"value": pytest.approx((5 / 6 + 1) / 2), "n": 2, "n_left_out": 1}
    assert plausibility["soft.token_f1_ceiling"]["value"] == pytest.approx((5 / 6 + 1) / 2)
    assert plausibility["soft.token_manhattan"]["value"] == pytest.approx((1 / 6 + 0) / 2)
    # ada .8, 1, 1; ben 1, 1, 1; cy 2/3 and, with another label, 0
    assert plausibility["person.token_f1"] == {"value": pytest.approx((2.8 / 3 + 1 + 1 / 3) / 3)}
    assert plausibility["person.token_f1_lowest"]["value"] == pytest.approx(1 / 3)
    assert "sets.best_f1" not in plausibility


def test_predicted_labels_are_held_against_those_of_everybody(store: Store, three: Project) -> None:
    _, quality = numbers_of(store, three, SOFT)
    assert quality["soft.label_manhattan"] == {"value": pytest.approx((0.2 + 7 / 15 + 0) / 3), "n": 3, "n_left_out": 0}
    assert quality["eraser.accuracy"] == {"value": 1.0, "n": 2, "n_left_out": 1}  # c has no gold label
    assert quality["person.accuracy"]["value"] == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)
    assert quality["person.accuracy_lowest"]["value"] == 0.5
    assert quality["person.error_rate"]["value"] == pytest.approx(2 / 8)
    assert "soft.label_wasserstein" not in quality
    ordered = scored_against("soft", ScoringOptions(ordered_labels=three.labels))
    _, quality = numbers_of(store, three, ordered)
    assert quality["soft.label_wasserstein"]["value"] == pytest.approx((0.1 + 7 / 30 + 0) / 3)


def test_one_person_is_gold_with_their_own_sets_and_labels(store: Store, three: Project) -> None:
    # {0} of a and {2, 3} of b, "positive": RLR 3/8, so k = 2
    plausibility, quality = numbers_of(store, three, scored_against("annotator:cy", ScoringOptions()))
    assert plausibility["sets.best_f1"] == {"value": pytest.approx((2 / 3 + 0) / 2), "n": 2, "n_left_out": 0}
    assert quality["eraser.accuracy"]["value"] == 0.5
    with pytest.raises(NotFound, match="only 'ada', 'ben', 'cy'"):
        numbers_of(store, three, scored_against("annotator:dee", ScoringOptions()))


def test_where_all_agree_soft_gold_says_what_hard_gold_says(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(gold_policy="union")
    people = ("ada", "ben", "cy")
    rows = [row(key, who, "negative", [0, n]) for key, n in (("a", 1), ("b", 3)) for who in people]
    import_rows(made, rows)
    take(store, made, [scored("a", (9, 8, 1, 0), 0.9), scored("b", (1, 8, 9, 0), 0.2)])
    (hard, hard_answers), (soft, answers) = (numbers_of(store, made, of) for of in (ScoringOptions(), SOFT))
    for name in ("soft.token_f1", "person.token_f1"):
        assert soft[name]["value"] == pytest.approx(hard["sets.best_f1"]["value"], abs=1e-12)
    assert answers["person.accuracy"]["value"] == hard_answers["eraser.accuracy"]["value"]
    assert gold_table(store, made, "soft").ratios == gold_table(store, made, "union").ratios
    numbers = evaluate_project(store, LOCAL_OPERATOR, made, options=SOFT)
    assert numbers["random"]["soft.token_f1"]["n_seeds"] == 10


def test_the_table_names_the_people_and_leaves_a_dash_where_a_metric_needs_sets(store: Store, three: Project) -> None:
    table = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, three, options=SOFT))
    text = " ".join(table_text(metric_view(table)).split())
    assert "Soft token F1" in text
    assert "people per text: 2 to 3 (shares of people, so no metrics against sets)" in text
    view = metric_view(table, ["benchmark.iou_f1_paper", "soft.token_f1"])
    assert "–" in table_text(view)
    hard = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, three))
    with pytest.raises(NotFound, match="It needs --gold-policy soft"):
        metric_view(hard, ["soft.token_f1"])


def test_without_accepted_work_or_marks_there_is_nothing_soft(
    store: Store, project: Project, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    assert evaluate_project(store, LOCAL_OPERATOR, project, options=SOFT)["gold"]["instances"] == 0
    unmarked = make_project(name="Unmarked", may_be_empty=True)
    import_rows(
        unmarked, [row("a", "ada", "negative"), row("a", "ben", "negative"), row("b", "ada", "negative", [0, 1])]
    )
    take(store, unmarked, [scored("a", (9, 8, 1, 0), 0.9), scored("b", (9, 8, 1, 0), 0.9)])
    plausibility, _ = numbers_of(store, unmarked, SOFT)
    assert plausibility["soft.token_f1"] == {"value": 1.0, "n": 1, "n_left_out": 1}
    assert plausibility["soft.token_manhattan"]["n"] == 2
    assert evaluate_project(store, LOCAL_OPERATOR, unmarked, options=SOFT)["gold"]["people"]["fewest"] == 1


def test_an_erased_person_is_no_part_of_any_share_and_nobodys_gold(store: Store, three: Project) -> None:
    before = result_card(store, LOCAL_OPERATOR, three, SOFT)
    assert reproduce(store, LOCAL_OPERATOR, three, before).differences == ()
    erase(store, LOCAL_OPERATOR, "cy")
    plausibility, quality = numbers_of(store, three, SOFT)
    # of a 1, 1, 1/2, 0, so RLR (2.5/4 + 2/4) / 2 and k = 3
    assert plausibility["soft.token_f1"]["value"] == pytest.approx((5 / 5.5 + 4 / 5) / 2)
    assert quality["person.error_rate"]["value"] == pytest.approx(1 / 6)
    with pytest.raises(NotFound, match="No gold instance has annotator 'cy'"):
        numbers_of(store, three, scored_against("annotator:cy", ScoringOptions()))
    assert len(reproduce(store, LOCAL_OPERATOR, three, before).differences) == 2  # the sets of both texts


@pytest.mark.parametrize(
    ("policy", "options", "message"),
    [
        ("both", ScoringOptions(), r"Unknown gold policy 'both'\. Available: .*, soft, annotator:NAME"),
        ("annotator:ada", ScoringOptions(by="label"), "One person's gold can't be grouped"),
    ],
)
def test_a_policy_that_is_not_there_is_refused(policy: str, options: ScoringOptions, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        scored_against(policy, options)


def test_who_may_not_see_all_annotations_has_nobodys_own_gold(
    store: Store, three: Project, add_person: Callable[..., Any]
) -> None:
    researcher = add_person("rea", three, "researcher")
    with pytest.raises(NotAllowed):
        evaluate_project(store, researcher, three, options=scored_against("annotator:ada", ScoringOptions()))
    numbers = evaluate_project(store, researcher, three, options=SOFT)
    assert numbers["gold"]["instances"] == 3
