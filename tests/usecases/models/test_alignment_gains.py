"""Accuracy and plausibility of two models and a control: by hand, over what each did not learn from."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from annotator.domain.models import Attribution, Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.usecases.models.alignment_gains import Measured, compared_gold, measured
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.project.projects import create_project

Importer = Callable[..., Any]
N = 24
FIRST, LAST = (3.0, 1.0, 0.0, 0.0), (0.0, 1.0, 2.0, 3.0)  # the rationale is the first of four words: AUPRC 1, and not


@pytest.fixture
def project(store: Store, import_rows: Importer) -> Project:
    """Texts of four words, of which the first is the rationale."""
    made = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    import_rows(
        made,
        [
            {
                "id": f"t{n}",
                "text": f"good film number {n}",
                "label": "yes",
                "annotator": "source",
                "rationales": [[[0, 1]]],
            }
            for n in range(N)
        ],
    )
    return made


def ids(store: Store, project: Project) -> list[int]:
    found = ids_of_keys(store, project.id, [f"t{n}" for n in range(N)])
    return [found[f"t{n}"][0][2] for n in range(N)]


def answer(
    store: Store, project: Project, model: str, n_right: int, scores: Mapping[str, tuple[float, ...]],
    parameters: str = "{}", n_texts: int = N,
) -> None:  # fmt: skip
    """The first n right; of each method the same scores for all texts."""
    with store.transaction():
        numbers = ids(store, project)[:n_texts]
        answers = [
            Output(number, (Prediction(None, {"yes": float(n < n_right), "no": float(n >= n_right)}),))
            for n, number in enumerate(numbers)
        ]
        store_outputs(store, RunFinder(store, project.id).id_of(Run(model, "", "{}", None)), answers)
        for method, of_method in scores.items():
            run = RunFinder(store, project.id).id_of(Run(model, method, parameters, None))
            attributions = [
                Output(number, (), (Attribution(of_method, "yes" if n < n_right else "no"),))
                for n, number in enumerate(numbers)
            ]
            store_outputs(store, run, attributions)


def gains(store: Store, project: Project, base: str, other: str, control: tuple[str, ...] = ()) -> dict[str, Measured]:
    gold = compared_gold(store, project, [base, other, *control], project.settings.gold_policy)
    return {of.measure: of for of in measured(store, project, gold, [base], [other], control)}


def test_each_method_has_its_own_plausibility_beside_the_accuracy_and_the_control(
    store: Store, project: Project
) -> None:
    both = {"gradient-x-input": FIRST, "occlusion": LAST}
    answer(store, project, "none", 6, {"gradient-x-input": LAST, "occlusion": LAST})
    answer(store, project, "mae", 18, both)
    answer(store, project, "drawn", 18, {"gradient-x-input": LAST, "occlusion": LAST})
    found = gains(store, project, "none", "mae", ("drawn",))
    assert list(found) == ["accuracy", "gradient-x-input", "occlusion"]
    accuracy, trained, independent = (of.gain for of in found.values())
    assert (accuracy.n, accuracy.base, accuracy.other, accuracy.control) == (N, 0.25, 0.75, 0.75)
    assert accuracy.word == "as much"
    assert trained.other == 1.0
    assert trained.base is not None
    assert trained.base < 0.5
    assert (trained.word, independent.word) == ("none", "no gain")
    said = [of.sentence(is_control=False) for of in found.values()]
    assert said[0].startswith(
        "Accuracy: the control trained on shuffled rationales gains as much (+0.500 against +0.500)"
    )
    assert said[1] == "Plausibility by gradient × input was trained, so that its gain proves nothing."
    assert said[2] == "Plausibility by occlusion: no clear gain (0)."


def test_occlusion_stands_there_without_a_number_too_and_exact_weights_where_a_model_has_them(
    store: Store, project: Project
) -> None:
    answer(store, project, "built-in", 6, {"linear": FIRST})
    answer(store, project, "mae", 18, {"gradient-x-input": FIRST})
    found = gains(store, project, "built-in", "mae")
    assert list(found) == ["accuracy", "gradient-x-input", "occlusion", "linear"]
    assert (found["occlusion"].gain.n, found["occlusion"].gain.word) == (0, "nothing")
    assert found["occlusion"].gain.other is None
    linear = found["linear"].gain  # of the built-in model alone
    assert (linear.n, linear.base, linear.other, linear.word) == (N, 1.0, None, "nothing")


def test_what_a_model_learned_from_is_left_out_and_so_are_texts_that_one_has_not_answered(
    store: Store, project: Project
) -> None:
    record_training(
        store, LOCAL_OPERATOR, project, "mae", digest="d", seed=0, split=None, held_out=None,
        instance_ids=ids(store, project)[:4],
    )  # fmt: skip
    answer(store, project, "none", 24, {"occlusion": FIRST})
    answer(store, project, "mae", 24, {"occlusion": FIRST}, n_texts=22)
    found = gains(store, project, "none", "mae")
    assert (found["accuracy"].gain.n, found["occlusion"].gain.n) == (18, 18)
    assert found["accuracy"].gain.word == "too few"


def test_a_method_with_other_parameters_of_each_model_is_said_to_be_so_and_shared_ones_come_first(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", 24, {"occlusion": FIRST}, parameters='{"removal": "delete"}')
    answer(store, project, "mae", 24, {"occlusion": FIRST}, parameters='{"removal": "cover"}')
    apart = gains(store, project, "none", "mae")["occlusion"]
    assert (apart.gain.n, apart.gain.base, apart.is_alike) == (N, 1.0, False)
    assert apart.title == "Plausibility by occlusion, each with its own parameters"
    answer(store, project, "none", 24, {"occlusion": LAST}, parameters='{"removal": "cover"}')
    shared = gains(store, project, "none", "mae")["occlusion"]
    assert (shared.gain.n, shared.gain.other, shared.is_alike) == (N, 1.0, True)
    assert shared.gain.base is not None
    assert shared.gain.base < 0.5


def test_several_trainings_of_one_kind_are_one_mean_of_each_text(store: Store, project: Project) -> None:
    answer(store, project, "none", 0, {"occlusion": FIRST})
    for model, n_right in (("mae-0", 12), ("mae-1", 24)):
        answer(store, project, model, n_right, {"occlusion": FIRST})
    gold = compared_gold(store, project, ["none"], project.settings.gold_policy)
    [accuracy, *_] = measured(store, project, gold, ["none"], ["mae-0", "mae-1"])
    assert (accuracy.gain.base, accuracy.gain.other) == (0.0, 0.75)
