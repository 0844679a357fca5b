"""SHAP over a partition: its scores are Owen values, found with no more questions than are allowed."""

from collections.abc import Iterator

import numpy as np
import pytest

from annotator.attribution.methods import make_explainer, seeds_of
from annotator.attribution.removal_methods import ShapPartition, owen_values
from annotator.errors import InvalidValue, ModelError
from tests.attribution_inputs import OnlyProbabilities, Scripted, negating, pair, weighing, words

WEIGHTS = {"good": 2.0, "bad": -1.5, "very": 0.25}


def scores(explained):
    return list(explained[0].attributions[0].scores)


def with_interactions(x: np.ndarray) -> np.ndarray:
    """A number for each row of zeros and ones, to which pairs and a triple of places count beside the places themselves."""
    x = x.astype(float)
    by_place = x @ np.arange(1.0, x.shape[1] + 1)
    return by_place + 3 * x[:, 0] * x[:, 2] - 2 * x[:, 1] * x[:, -1] + 5 * x[:, 1] * x[:, 2] * x[:, 3]


def owen(n: int, borders: list[int], most: int):
    def value(masks: Iterator[np.ndarray]) -> np.ndarray:
        return with_interactions(np.array(list(masks)).reshape(-1, n))

    return owen_values(n, borders, value, most)


def test_of_a_linear_model_the_scores_are_weight_times_what_the_token_is_more_than_the_background() -> None:
    found = ShapPartition(weighing(WEIGHTS, bias=0.5)).explain([words("very good but bad and very late")], ["yes"])
    assert scores(found) == [0.25, 2.0, 0.0, -1.5, 0.0, 0.25, 0.0]
    assert (found[0].facts["base"], found[0].facts["full"]) == (0.5, 1.5)

    class Masking(Scripted):
        mask_token = "[MASK]"

    covered = ShapPartition(Masking(weighing(WEIGHTS | {"[MASK]": 0.5}).logit))
    assert scores(covered.explain([words("good day")], ["yes"])) == [1.5, -0.5]  # (w − w of the mask token) · 1
    assert covered.explain([words("good day")], ["yes"])[0].facts["base"] == 1.0


def test_two_tokens_share_what_they_bring_together_as_shapley_says() -> None:
    """v({}) = 0, v(not) = 0, v(good) = 0, v(not good) = 2."""
    found = ShapPartition(negating()).explain([words("not good")], ["yes"])
    assert scores(found) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("n", "borders", "expected"),
    [
        (5, [], [2.5, 2.25, 5.75, 6.5, 4.0]),
        (7, [0, 2], [2.5, 3.5, 5.75, 5.25, 5.0, 6.0, 6.0]),
        (6, [0, 3], [2.5, 2.25, 5.75, 6.5, 5.0, 5.0]),
    ],
)
def test_the_scores_are_those_of_the_program_shap(n: int, borders: list[int], expected: list[float]) -> None:
    """shap 0.51.0: PartitionExplainer(f, maskers.Partition(zeros, clustering=the same halves))(ones, max_evals=10**6)."""
    assert owen(n, borders, 10**6).scores.tolist() == expected


def test_the_program_shap_says_the_same_where_it_is_there() -> None:
    shap = pytest.importorskip("shap", reason="the program shap is not installed; its numbers stand above as well")
    halves = np.array([[0, 1, 2, 2], [3, 4, 2, 2], [5, 2, 3, 3], [7, 6, 5, 5]], dtype=float)
    masker = shap.maskers.Partition(np.zeros((1, 5)), clustering=halves)
    explanation = shap.PartitionExplainer(with_interactions, masker)(np.ones((1, 5)), max_evals=1000, silent=True)
    assert owen(5, [], 1000).scores == pytest.approx(explanation.values[0], abs=1e-12)


@pytest.mark.parametrize("most", [2, 3, 50, 500, 10_000])
def test_the_scores_add_up_however_few_questions_are_asked_and_no_more_are_asked(most: int) -> None:
    model = negating()
    text = words("it was not good , and that was not good at all , said they who were not good")
    found = ShapPartition(model, evaluations=most).explain([text], ["yes"])
    assert sum(scores(found)) == pytest.approx(2.0, abs=1e-12)
    assert found[0].attributions[0].convergence == pytest.approx(0.0, abs=1e-12)
    assert model.n_asked <= most


def test_what_is_not_halved_in_time_is_shared_equally_and_counted() -> None:
    few = ShapPartition(weighing(WEIGHTS), evaluations=4).explain([words("good bad very late")], ["yes"])
    assert scores(few) == [0.25, 0.25, 0.125, 0.125]
    assert few[0].facts["shared_tokens"] == 4
    assert (
        ShapPartition(weighing(WEIGHTS)).explain([words("good bad very late")], ["yes"])[0].facts["shared_tokens"] == 0
    )


def test_the_texts_of_a_pair_are_the_first_halves() -> None:
    asked = []

    def logit(one) -> float:
        asked.append(tuple(len(segment.tokens) for segment in one.segments))
        return 0.0

    ShapPartition(Scripted(logit), evaluations=4).explain([pair("a", "b c d e f")], ["yes"])
    assert asked == [(0, 0), (1, 5), (1, 0), (0, 5)]


def test_it_is_a_method_like_the_others_that_draws_nothing() -> None:
    model, one = OnlyProbabilities(weighing({"good": 1.0})), words("good day")
    explainer = make_explainer(model, "shap-partition", {"evaluations": "20"})
    assert explainer.parameters == {"evaluations": 20, "output": "probability", "removal": "delete"}
    assert scores(explainer.explain([one], ["yes"])) == pytest.approx([0.7310585786 - 0.5, 0.0])
    assert explainer.explain([one], ["yes"]) == explainer.explain([one], ["yes"])
    assert seeds_of("shap-partition", ()) == (None,)
    with pytest.raises(InvalidValue, match="evaluations cannot be 1. It is a whole number from 2"):
        make_explainer(model, "shap-partition", {"evaluations": 1})
    with pytest.raises(ModelError, match="probabilities alone"):
        make_explainer(model, "shap-partition", {"output": "logit"})
