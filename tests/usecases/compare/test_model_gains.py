"""Two models as kin, and what the one gains over the other: from the database, and from the numbers behind a table."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import NotAllowed
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.scored_blocks import score_run
from annotator.store import Store
from annotator.store.events import add_event
from annotator.usecases.compare.model_comparison import ModelPair, compare_models, labelled_texts
from annotator.usecases.compare.model_gains import answers_runs, first_pair, gains_behind, model_gains, relation_of
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.inspect.project_scores import evaluate_with_instances
from annotator.usecases.models import alignment_gains
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.project.projects import create_project
from tests.usecases.models.test_related_models import ALIGNED, FIRST, LAST, SHUFFLED, TWIN, N, answer, cards, project
from tests.usecases.transfer.comparing import take

__all__ = ["project"]  # a fixture
DRAWN = replace(ALIGNED, data=SHUFFLED)
PAIR = ModelPair(("none",), ("mae",))


def save_cards(store: Store, of: Project, **models: Any) -> None:
    folder = models_folder(store, of)
    folder.mkdir(parents=True)
    cards(folder, **models)


def test_the_twin_and_the_control_of_a_model_are_known_whichever_stands_beside_it(
    store: Store, project: Project
) -> None:
    save_cards(store, project, mae=ALIGNED, none=TWIN, drawn=DRAWN)
    bonds = {
        (base, other): relation_of(store, [project], project, ModelPair((base,), (other,))).bond
        for base, other in (("none", "mae"), ("drawn", "mae"), ("none", "drawn"), ("mae", "none"), ("none", "built-in"))
    }
    assert list(bonds.values()) == ["alignment", "control of the other", "control", "strangers", "strangers"]
    assert "has no predictions in" in relation_of(store, [project], project, PAIR).sentence


def test_several_trainings_are_spoken_of_as_several(store: Store, project: Project) -> None:
    again = {
        f"{name}-again": replace(options, fitting=replace(options.fitting, seed=1))
        for name, options in {"mae": ALIGNED, "none": TWIN, "drawn": DRAWN}.items()
    }
    save_cards(store, project, mae=ALIGNED, none=TWIN, drawn=DRAWN, **again)

    def sentence(base: str, other: str) -> str:
        pair = ModelPair((base, f"{base}-again"), (other, f"{other}-again"))
        return relation_of(store, [project], project, pair).sentence

    assert sentence("none", "mae") == (
        "none, none-again are the twins of mae, mae-again: trained in the same way, but not aligned. Not compared: "
        "controls drawn, drawn-again have no predictions in P."
    )
    assert sentence("drawn", "mae").startswith("drawn, drawn-again are the controls of mae, mae-again: ")
    assert sentence("none", "drawn").startswith(
        "drawn, drawn-again are controls: trained in the same way as none, none-again, their twins, and aligned"
    )


def test_an_aligned_model_without_a_control_names_the_command_that_trains_one(store: Store, project: Project) -> None:
    save_cards(store, project, mae=ALIGNED, none=TWIN)
    for name in PAIR.base + PAIR.other:
        answer(store, project, name, 12, {"occlusion": FIRST})
    gains = model_gains(store, LOCAL_OPERATOR, [project], project, PAIR)
    assert [lack.kind for lack in gains.lacking] == ["control"]
    assert str(gains.lacking[0]).endswith(
        "--name mae-shuffled --too-long cut --align mae --rationales shuffled --learning-rate 0.001"
    )


def test_a_control_without_attributions_or_answers_leaves_the_gain_and_the_other_controls_stand(
    store: Store, project: Project
) -> None:
    again = {
        f"{name}-again": replace(options, fitting=replace(options.fitting, seed=1))
        for name, options in {"mae": ALIGNED, "none": TWIN, "drawn": DRAWN}.items()
    }
    save_cards(store, project, mae=ALIGNED, none=TWIN, drawn=DRAWN, **again)
    for name in ("none", "none-again"):
        answer(store, project, name, 6, {"occlusion": LAST})
    for name in ("mae", "mae-again"):
        answer(store, project, name, 18, {"occlusion": FIRST})
    answer(store, project, "drawn", 6, {"gradient-x-input": LAST})  # the other control has answered nothing
    pair = ModelPair(("none", "none-again"), ("mae", "mae-again"))
    gains = model_gains(store, LOCAL_OPERATOR, [project], project, pair)
    assert gains.relation.controls == ("drawn",)
    assert "Not compared: control drawn-again has no predictions in P." in gains.relation.sentence
    accuracy, occlusion = (
        next(of for of in gains.measures if of.measure == name) for name in ("accuracy", "occlusion")
    )
    assert accuracy.gain.word == "none"
    assert (occlusion.gain.word, occlusion.gain.control) == ("no control", None)
    assert [lack.sentence for lack in gains.lacking] == [
        "No independent check of plausibility: no occlusion attributions of “drawn”."
    ]
    assert any("cause unknown without a shuffled-rationale control." in sentence for sentence in gains.sentences)


def test_numbers_that_were_measured_since_the_last_change_are_taken_and_not_scored_again(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_cards(store, project, mae=ALIGNED, none=TWIN, drawn=DRAWN)
    answer(store, project, "none", 6, {"gradient-x-input": LAST, "occlusion": LAST})
    answer(store, project, "mae", 18, {"gradient-x-input": FIRST, "occlusion": FIRST})
    answer(store, project, "drawn", 18, {"gradient-x-input": LAST})
    scored = model_gains(store, LOCAL_OPERATOR, [project], project, PAIR)
    measure(store, LOCAL_OPERATOR, project)
    n_scored = 0

    def counted_score_run(*given: Any, **named: Any) -> Any:
        nonlocal n_scored
        n_scored += 1
        return score_run(*given, **named)

    monkeypatch.setattr(alignment_gains, "score_run", counted_score_run)
    assert (model_gains(store, LOCAL_OPERATOR, [project], project, PAIR), n_scored) == (scored, 0)
    other_policy = ScoringOptions(gold_policy="union")
    model_gains(store, LOCAL_OPERATOR, [project], project, PAIR, other_policy)
    assert n_scored == 5
    with store.transaction():  # what says that something was changed since
        add_event(store, "Lead", "choose gold", "project", project.id, project_id=project.id)
    assert (model_gains(store, LOCAL_OPERATOR, [project], project, PAIR), n_scored) == (scored, 10)


def test_a_gain_that_the_control_has_too_is_called_so_and_the_table_behind_says_the_same(
    store: Store, project: Project
) -> None:
    save_cards(store, project, mae=ALIGNED, none=TWIN, drawn=DRAWN)
    answer(store, project, "none", 6, {"gradient-x-input": LAST, "occlusion": LAST})
    answer(store, project, "mae", 18, {"gradient-x-input": FIRST, "occlusion": FIRST})
    answer(store, project, "drawn", 18, {"gradient-x-input": LAST, "occlusion": LAST})
    gains = model_gains(store, LOCAL_OPERATOR, [project], project, PAIR)
    assert [of.gain.word for of in gains.measures] == ["as much", "none", "none"]
    assert (gains.relation.controls, gains.lacking) == (("drawn",), ())
    assert "gains as much (+0.500 against +0.500)" in gains.sentences[0]
    _, behind = evaluate_with_instances(store, LOCAL_OPERATOR, project)
    texts = labelled_texts(store, LOCAL_OPERATOR, project)
    assert gains_behind(store, LOCAL_OPERATOR, project, PAIR, behind, texts) == gains
    strangers = gains_behind(store, LOCAL_OPERATOR, project, ModelPair(("mae",), ("none",)), behind, texts)
    assert strangers.sentences == ()


def test_accuracy_beside_plausibility_is_over_the_texts_that_are_counted_as_won_and_lost(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    """Also over those that have a gold label and no gold sets."""
    for name in ("none", "mae"):
        answer(store, project, name, 6, {"occlusion": FIRST})
    import_rows(project, [{"id": f"bare{n}", "text": "a b c d", "label": "yes"} for n in range(5)])
    said = Prediction(None, {"yes": 1.0, "no": 0.0})
    take(
        store,
        project,
        [SourceOutput(f"bare{n}", Run(name), "f", n + 1, None, (said,)) for name in ("none", "mae") for n in range(5)],
    )
    counted = compare_models(store, LOCAL_OPERATOR, [project], PAIR)[project.name].parts["all"]
    _, behind = evaluate_with_instances(store, LOCAL_OPERATOR, project)
    gains = gains_behind(store, LOCAL_OPERATOR, project, PAIR, behind, labelled_texts(store, LOCAL_OPERATOR, project))
    accuracy, plausibility = (of.gain for of in gains.measures)
    assert (accuracy.n, accuracy.base, accuracy.other) == (counted.n, counted.base["value"], counted.other["value"])
    assert (accuracy.n, plausibility.n) == (N + 5, N)


def test_in_another_project_the_card_of_the_project_that_was_trained_in_counts(store: Store, project: Project) -> None:
    save_cards(store, project, mae=ALIGNED, none=TWIN)
    other = create_project(store, LOCAL_OPERATOR, "Q", get_task("sentiment"), labels=["no", "yes"])
    assert relation_of(store, [project, other], other, PAIR).bond == "alignment"
    assert relation_of(store, [other], other, PAIR).bond == "strangers"


def test_one_begins_with_an_aligned_model_beside_its_twin_and_else_with_the_first_two(
    store: Store, project: Project
) -> None:
    save_cards(store, project, mae=ALIGNED, none=TWIN, drawn=DRAWN)
    assert first_pair(store, LOCAL_OPERATOR, project, ["built-in", "drawn", "mae", "none"]) == PAIR
    assert first_pair(store, LOCAL_OPERATOR, project, ["built-in", "drawn", "mae"]) == ModelPair(
        ("built-in",), ("drawn",)
    )


def test_a_model_is_known_to_saliency_by_the_run_of_its_answers(store: Store, project: Project) -> None:
    answer(store, project, "mae", 18, {"occlusion": FIRST})
    run, missing = answers_runs(store, LOCAL_OPERATOR, project, ["mae", "none"])
    assert run is not None
    assert missing is None


def test_whoever_may_not_use_models_compares_nothing(
    store: Store, project: Project, add_person: Callable[..., Any]
) -> None:
    with pytest.raises(NotAllowed):
        model_gains(store, add_person("Ann", project, "annotator"), [project], project, PAIR)
