"""Two models beside each other: what is won and lost, on which texts, in which projects, and where the base was unsure."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.usecases.compare.comparison_words import not_listed
from annotator.usecases.compare.model_comparison import ModelComparison, ModelPair, compare_models
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.project.projects import create_project

Importer = Callable[..., Any]
PAIR = ModelPair(("none",), ("mae",))


@pytest.fixture
def project(store: Store, import_rows: Importer) -> Project:
    """Four originals, all "yes", two of them with a changed version that is "no"."""
    made = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    rows: list[dict[str, object]] = [
        {"id": f"t{n}", "text": f"text {n}", "label": "yes", "split": "test" if n else "dev"} for n in range(4)
    ]
    rows += [
        {
            "id": f"t{n}c",
            "text": f"other {n}",
            "label": "no",
            "split": "test",
            "parent": f"t{n}",
            "perturbation_kind": "importance",
        }
        for n in (1, 2)
    ]
    import_rows(made, rows)
    return made


def answer(store: Store, project: Project, model: str, p_yes: Mapping[str, float], seed: int | None = None) -> None:
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run(model, "linear", "{}", seed))
        ids = {key: number for key, [(_, _, number)] in ids_of_keys(store, project.id, list(p_yes)).items()}
        store_outputs(
            store, run, [Output(ids[key], (Prediction(None, {"yes": p, "no": 1 - p}),)) for key, p in p_yes.items()]
        )


# gold: yes yes yes yes, no no
NONE = {"t0": 0.9, "t1": 0.3, "t2": 0.8, "t3": 0.1, "t1c": 0.95, "t2c": 0.95}
MAE = {"t0": 0.7, "t1": 0.6, "t2": 0.4, "t3": 0.9, "t1c": 0.25, "t2c": 0.75}


def compared(store: Store, project: Project, pair: ModelPair = PAIR, **options: Any) -> ModelComparison:
    return compare_models(store, LOCAL_OPERATOR, [project], pair, ScoringOptions(**options))[project.name]


def test_won_lost_and_kept_are_counted_over_all_texts_over_originals_and_over_changed_versions(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", NONE)
    answer(store, project, "mae", MAE)
    parts = compared(store, project).parts
    assert list(parts) == ["all", "originals", "changed_versions"]
    counts = {name: (p.n, p.n_won, p.n_lost, p.n_both_right, p.n_both_wrong) for name, p in parts.items()}
    assert counts == {
        "all": (6, (3,), (1,), (1,), (1,)),
        "originals": (4, (2,), (1,), (1,), (0,)),
        "changed_versions": (2, (1,), (0,), (0,), (1,)),
    }
    part = parts["originals"]
    assert (part.base["value"], part.other["value"], part.difference, part.cost["value"]) == (0.5, 0.75, 0.25, -0.25)
    assert part.interval is not None
    assert part.interval.low < 0.25 < part.interval.high
    assert part.p_mcnemar == (1.0,)  # two against one
    assert parts["changed_versions"].p_mcnemar == (1.0,)


def test_the_change_of_confidence_stands_by_how_sure_the_base_was_of_the_gold_label(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", NONE)
    answer(store, project, "mae", MAE)
    bins = {round(b.low, 1): b for b in compared(store, project).confidence}
    assert len(bins) == 10
    assert (bins[0.0].n, bins[0.0].n_won, bins[0.0].change) == (2, 1, pytest.approx((0.7 + 0.2) / 2))  # t1c, t2c: p .05
    assert (bins[0.9].n, bins[0.9].n_lost, bins[0.9].change) == (1, 0, pytest.approx(-0.2))
    assert (bins[0.5].n, bins[0.5].change) == (0, None)


def test_seeds_are_paired_by_their_number_and_names_by_their_order(store: Store, project: Project) -> None:
    for seed in (0, 1):
        answer(store, project, "none", NONE, seed)
    for seed in (1, 0):
        answer(store, project, "mae", MAE, seed)
    assert compared(store, project).runs == (("none, seed 0", "mae, seed 0"), ("none, seed 1", "mae, seed 1"))
    answer(store, project, "none-2", NONE)
    answer(store, project, "mae-2", NONE)
    pair = ModelPair(("none", "none-2"), ("mae", "mae-2"))
    comparison = compared(store, project, pair)
    assert comparison.runs[2] == ("none-2", "mae-2")
    part = comparison.parts["originals"]
    assert part.n_won == (2, 2, 0)
    assert part.other == {
        "value": pytest.approx(2 / 3),
        "deviation": pytest.approx(0.1443, abs=1e-4),
        "runs": [0.75, 0.75, 0.5],
    }


def test_a_single_run_stands_against_each_of_the_other_model(store: Store, project: Project) -> None:
    answer(store, project, "none", NONE)
    for seed in (0, 1):
        answer(store, project, "mae", MAE, seed)
    comparison = compared(store, project)
    assert comparison.runs == (("none", "mae, seed 0"), ("none", "mae, seed 1"))
    assert comparison.parts["all"].n_won == (3, 3)
    assert comparison.parts["originals"].base == {"value": 0.5, "deviation": None, "runs": [0.5]}


def test_unequal_numbers_of_runs_cannot_be_paired(store: Store, project: Project) -> None:
    for seed in (0, 1, 2):
        answer(store, project, "none", NONE, seed)
    for seed in (0, 1):
        answer(store, project, "mae", MAE, seed)
    with pytest.raises(InvalidValue, match="Base has 3 runs, the other"):
        compared(store, project)


def test_texts_that_not_all_have_answered_are_left_out_and_counted_and_only_the_split_is_compared(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", NONE)
    answer(store, project, "mae", {key: p for key, p in MAE.items() if key != "t3"})
    comparison = compared(store, project, split="test")
    assert (comparison.n_unanswered, comparison.parts["all"].n) == (1, 4)  # t0 is of another split


def test_texts_that_one_of_the_models_learned_from_are_left_out(store: Store, project: Project) -> None:
    [(_, _, number)] = ids_of_keys(store, project.id, ["t1"])["t1"]
    record_training(
        store, LOCAL_OPERATOR, project, "mae", digest="d", seed=0, split="train", held_out=None, instance_ids=[number]
    )
    answer(store, project, "none", NONE)
    answer(store, project, "mae", MAE)
    comparison = compared(store, project)
    assert (comparison.n_learned, comparison.parts["all"].n) == (2, 4)  # with its changed version
    assert comparison.won_lost_of_learned == (2, 0)  # which the lists on Saliency leave out, too
    assert "more won, 0 more lost." in not_listed(comparison)
    assert compared(store, project, includes_training=True).parts["all"].n == 6


def test_a_model_without_answers_is_named_with_the_models_that_are_there(store: Store, project: Project) -> None:
    answer(store, project, "none", NONE)
    with pytest.raises(NotFound, match="No predictions by 'mae' in '"):
        compared(store, project)


def test_whoever_may_not_export_gold_compares_nothing(
    store: Store, project: Project, add_person: Callable[..., Any]
) -> None:
    with pytest.raises(NotAllowed):
        compare_models(store, add_person("Ann", project, "annotator"), [project], PAIR)
