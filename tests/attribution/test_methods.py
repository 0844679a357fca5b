"""Occlusion, LIME at positions, random: that their scores are what their definitions say, token by token."""

from collections.abc import Sequence

import numpy as np
import pytest

from annotator.attribution.base import Explained, Input
from annotator.attribution.lime import Lime, fitted, kernel, spread_over_seeds
from annotator.attribution.methods import METHODS, make_explainer, resolved, seeds_of
from annotator.attribution.removal_methods import Linear, Occlusion, RandomScores, ShapPartition, owen_values
from annotator.attribution.transformers_parameters import METHODS as TRANSFORMERS_METHODS
from annotator.attribution.transformers_parameters import Method
from annotator.domain.models import Prediction
from annotator.errors import InvalidValue, ModelError
from tests.attribution_inputs import Floats, OnlyProbabilities, Scripted, negating, pair, weighing, words

WEIGHTS = {"good": 2.0, "bad": -1.5, "very": 0.25}


def scores(explained: list[Explained]) -> list[float]:
    return list(explained[0].attributions[0].scores)


def test_an_input_keeps_its_unmarkable_segments_and_its_spaces() -> None:
    one = words("a good day", question="is it ?")
    kept = one.kept(np.array([True, False, True]))
    assert [segment.tokens for segment in kept.segments] == [("a", "day"), ("is", "it", "?")]
    assert kept.segments[0].text == "a day"


def test_covered_tokens_stay_as_one_word_each() -> None:
    covered = words("a good day").covered(np.array([True, False, True]), "[MASK]")
    assert covered.segments[0].text == "a [MASK] day"


# Occlusion -----------------------------------------------------------------------------------------------------------


def test_occlusion_is_the_fall_of_the_logit_when_the_token_is_taken_out() -> None:
    model, one = negating(), words("good , not good")
    by_hand = [model.logit(one) - model.logit(words(rest)) for rest in
               (", not good", "good not good", "good , good", "good , not")]  # fmt: skip
    explainer = Occlusion(model)
    assert scores(explainer.explain([one], ["yes"])) == by_hand == [0.0, 0.0, 2.0, 2.0]
    assert (explainer.unit, explainer.is_signed) == ("logit", True)


def test_occlusion_of_a_linear_model_is_its_weights() -> None:
    found = scores(Occlusion(weighing(WEIGHTS)).explain([words("very good but bad")], ["yes"]))
    assert found == pytest.approx([0.25, 2.0, 0.0, -1.5])


def test_occlusion_of_a_probability_says_its_unit() -> None:
    model, one = weighing({"good": 1.0}), words("good")
    explainer = Occlusion(model, output="probability")
    assert explainer.unit == "probability"
    assert explainer.parameters["output"] == "probability"
    # 1 / (1 + e^-1) − 1/2
    assert scores(explainer.explain([one], ["yes"])) == pytest.approx([0.7310585786 - 0.5])
    assert scores(explainer.explain([one], ["no"])) == pytest.approx([0.5 - 0.7310585786])


def test_a_model_without_logits_is_asked_for_probabilities_and_refuses_logits() -> None:
    closed = OnlyProbabilities(weighing(WEIGHTS))
    assert Occlusion(closed).unit == "probability"
    with pytest.raises(ModelError, match=r"gives only probabilities, no logits\. Use output=probability\."):
        Occlusion(closed, output="logit")


def test_a_label_that_the_model_does_not_know_is_named() -> None:
    with pytest.raises(ModelError, match=r"has no label 'maybe'\. Available:"):
        Occlusion(weighing(WEIGHTS)).explain([words("good")], ["maybe"])


class _Short(Scripted):
    """Sees the first two tokens alone."""

    def seen(self, one: Input) -> np.ndarray:  # type: ignore[type-arg]
        return np.arange(one.n_selectable) < 2


@pytest.mark.parametrize("method", ["occlusion", "lime", "shap-partition"])
def test_tokens_that_the_model_does_not_see_have_no_score_and_are_counted(method: str) -> None:
    model = _Short(weighing(WEIGHTS).logit)
    found = make_explainer(model, method, {}).explain([words("good very bad")], ["yes"])
    assert np.isnan(found[0].attributions[0].scores).tolist() == [False, False, True]
    assert found[0].facts["unseen_tokens"] == 1


class _Masking(Scripted):
    mask_token = "[MASK]"


def test_a_model_with_a_mask_token_has_tokens_covered_unless_deletion_is_asked_for() -> None:
    model = _Masking(weighing({"good": 1.0, "[MASK]": 0.25}).logit)
    assert scores(Occlusion(model).explain([words("good day")], ["yes"])) == [0.75, -0.25]
    assert scores(Occlusion(model, removal="delete").explain([words("good day")], ["yes"])) == [1.0, 0.0]
    with pytest.raises(ModelError, match=r"has no mask token\. Use removal=delete\."):
        Occlusion(weighing(WEIGHTS), removal="cover")


# LIME ----------------------------------------------------------------------------------------------------------------


def test_lime_comes_to_a_linear_models_weights_as_samples_grow() -> None:
    one, truth = words("very good but bad and very late"), np.array([0.25, 2.0, 0, -1.5, 0, 0.25, 0])
    errors = [
        float(np.abs(np.array(scores(Lime(weighing(WEIGHTS), samples=n).explain([one], ["yes"]))) - truth).max())
        for n in (20, 200, 4000)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.005


def test_lime_tells_how_well_the_linear_model_fits() -> None:
    linear = Lime(weighing(WEIGHTS), samples=1000).explain([words("very good but bad")], ["yes"])[0]
    ordered = Lime(negating(), samples=1000).explain([words("good , not good")], ["yes"])[0]
    assert linear.facts["r2"] > 0.999
    assert 0.3 < ordered.facts["r2"] < 0.95


def test_lime_scores_each_place_of_a_repeated_word_by_itself() -> None:
    found = scores(Lime(negating(), samples=2000).explain([words("good , not good")], ["yes"]))
    assert found[3] > 0.8
    assert abs(found[0]) < 0.2


def test_lime_scores_the_sides_of_a_pair_by_themselves() -> None:
    """The same word on both sides; only the second side counts."""
    model = Scripted(lambda one: 3.0 * ("good" in one.segments[1].tokens))
    for perturbed in ("all", "side"):
        explainer = make_explainer(model, "lime", {"samples": 3000, "perturbed": perturbed})
        found = scores(explainer.explain([pair("good food", "good day")], ["yes"]))
        assert found == pytest.approx([0.0, 0.0, 3.0, 0.0], abs=0.05)


def test_lime_of_a_side_at_a_time_leaves_the_other_side_as_it_is() -> None:
    seen: list[tuple[int, int]] = []

    def logit(one: Input) -> float:
        seen.append((len(one.segments[0].tokens), len(one.segments[1].tokens)))
        return 0.0

    make_explainer(Scripted(logit), "lime", {"samples": 50, "perturbed": "side"}).explain(
        [pair("a b c", "d e f")], ["yes"]
    )
    assert len(seen) == 1 + 7 + 7  # the whole, and each way to take words out of one side
    assert all(3 in sizes for sizes in seen)
    assert {min(sizes) for sizes in seen} == {0, 1, 2, 3}


def test_lime_never_touches_what_cannot_be_marked() -> None:
    questions = set()

    def logit(one: Input) -> float:
        questions.add(one.segments[-1].tokens)
        return float(len(one.segments[0].tokens))

    found = Lime(Scripted(logit), samples=500).explain([words("a b", question="why ?")], ["yes"])
    assert questions == {("why", "?")}
    assert scores(found) == pytest.approx([1.0, 1.0], abs=0.05)


def test_lime_with_few_features_scores_those_alone() -> None:
    explainer = Lime(weighing(WEIGHTS), samples=500, features=2)
    found = scores(explainer.explain([words("very good but bad")], ["yes"]))
    assert [score != 0 for score in found] == [False, True, False, True]
    assert explainer.parameters["features"] == 2


def test_lime_is_equal_for_equal_seeds_and_other_for_others_whatever_is_asked_beside() -> None:
    one, other = words("very good but bad"), words("something else")
    alone = Lime(weighing(WEIGHTS), seed=3, samples=50).explain([one], ["yes"])
    beside = Lime(weighing(WEIGHTS), seed=3, samples=50).explain([other, one], ["no", "yes"])[1:]
    assert scores(alone) == scores(beside)
    assert scores(alone) != scores(Lime(weighing(WEIGHTS), seed=4, samples=50).explain([one], ["yes"]))


def test_lime_asks_about_equal_samples_once_and_scores_as_if_each_were_asked_about() -> None:
    texts = [words("very good but bad"), words(""), words("good , not good but late and very bad")]
    model = weighing(WEIGHTS)
    lime = Lime(model, samples=300, seed=2)
    found = lime.explain(texts, ["yes", "no", "no"])
    assert model.n_asked < 16 + 300  # there are sixteen samples of four words
    for at, (one, column) in enumerate(zip(texts, (1, 0, 0), strict=True)):
        if at == 1:
            assert scores(found[at : at + 1]) == []
            continue
        masks = lime._masks(one, np.arange(one.n_selectable))
        answers = model.logits([one.kept(mask) for mask in masks])[:, column]
        expected = fitted(masks, answers, kernel(masks, 25), None, 0.001)
        assert scores(found[at : at + 1]) == pytest.approx(expected.coefficients.tolist(), abs=1e-12)


def test_lime_of_a_text_longer_than_its_samples_still_finds_the_word() -> None:
    text = " ".join(["word"] * 400 + ["good"] + ["word"] * 199)
    found = np.array(scores(Lime(weighing({"good": 5.0}), samples=300).explain([words(text)], ["yes"])))
    assert found.argmax() == 400


def test_a_models_constant_answer_gives_zeros_and_no_r2() -> None:
    found = Lime(Scripted(lambda _: 1.7), samples=50).explain([words("a b c")], ["yes"])
    assert scores(found) == pytest.approx([0.0, 0.0, 0.0])
    assert np.isnan(found[0].facts["r2"])


def test_the_kernel_is_limes() -> None:
    """√exp(−d² / 25²) with d = 100 (1 − √(kept / n)); worked out for half of four tokens and for none."""
    masks = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]], dtype=np.bool_)
    d = 100 * (1 - 0.5**0.5)
    assert kernel(masks, 25) == pytest.approx([1.0, np.exp(-(d**2) / 625) ** 0.5, np.exp(-16) ** 0.5])


def test_the_fit_is_scikit_learns_weighted_ridge() -> None:
    from sklearn.linear_model import Ridge

    chance = np.random.default_rng(5)
    masks = chance.random((60, 8)) < 0.5
    answers, weights = chance.random(60), chance.random(60)
    expected = Ridge(alpha=1).fit(masks, answers, sample_weight=weights)
    fit = fitted(masks, answers, weights, None, 1.0)
    assert fit.coefficients == pytest.approx(expected.coef_)
    assert fit.r2 == pytest.approx(expected.score(masks, answers, sample_weight=weights))
    few = fitted(masks[:5], answers[:5], weights[:5], None, 1.0)  # more features than samples
    assert few.coefficients == pytest.approx(Ridge(alpha=1).fit(masks[:5], answers[:5], weights[:5]).coef_)


def test_seeds_lie_apart_by_their_deviation() -> None:
    assert spread_over_seeds([[1.0, np.nan, 0.0], [3.0, np.nan, 0.0]]) == pytest.approx(2**0.5 / 2)
    assert np.isnan(spread_over_seeds([[1.0]]))


# Every method --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["good", "very good"])
def test_lime_keeps_the_scores_of_very_short_texts(text: str) -> None:
    found = scores(Lime(weighing(WEIGHTS)).explain([words(text)], ["yes"]))
    assert found == pytest.approx([WEIGHTS[word] for word in text.split()], abs=0.05)


@pytest.mark.parametrize("method", ["occlusion", "lime", "shap-partition", "random"])
@pytest.mark.parametrize("text", ["", "good"])
def test_empty_and_one_token_texts_have_as_many_scores(method: str, text: str) -> None:
    found = make_explainer(weighing(WEIGHTS), method, {}).explain([words(text)], ["yes"])
    assert len(scores(found)) == len(text.split())
    assert np.isfinite(scores(found)).all()


def test_random_is_equal_for_equal_seeds_and_favours_no_place() -> None:
    texts = [words(f"a{number} b c") for number in range(300)]
    found = RandomScores(seed=1).explain(texts, ["yes"] * 300)
    again = RandomScores(seed=1).explain(texts[7:8], ["no"])
    assert found[7] == again[0]  # whatever label is asked for: the scores belong to none
    assert found[7].attributions[0].label == ""
    assert found[7] != RandomScores(seed=2).explain(texts[7:8], ["yes"])[0]
    best = np.bincount([int(np.argmax(one.attributions[0].scores)) for one in found], minlength=3)
    assert best.min() > 70  # of 100 expected; the deviation is 8


def test_linear_refuses_a_model_that_has_no_weights() -> None:
    with pytest.raises(ModelError, match=r"isn't linear\. Choose another method, e\.g\. occlusion\."):
        Linear(weighing(WEIGHTS))


class _Counting(Scripted):
    """Notes how many inputs it gets at a time."""

    def __init__(self) -> None:
        super().__init__(negating().logit)
        self.sizes: list[int] = []

    def logits(self, inputs: Sequence[Input]) -> Floats:
        self.sizes.append(len(inputs))
        return super().logits(inputs)


TEXTS = [words(text) for text in ("good , not good", "", "bad", "it was not good , and not at all good", "not good")]


@pytest.mark.parametrize(
    ("method", "parameters"), [("occlusion", {}), ("lime", {"samples": 60}), ("shap-partition", {"evaluations": 9})]
)
def test_texts_that_ask_together_have_the_scores_that_they_have_alone(
    method: str, parameters: dict[str, object]
) -> None:
    together, alone = _Counting(), _Counting()
    labels = ["yes", "no", "no", "yes", "yes"]
    explained = make_explainer(together, method, parameters).explain(TEXTS, labels)
    explainer = make_explainer(alone, method, parameters)
    for of_text, text, label in zip(explained, TEXTS, labels, strict=True):
        single = explainer.explain([text], [label])[0]
        assert repr(of_text) == repr(single)  # an undefined fact is NaN, which equals nothing
    assert sum(together.sizes) == sum(alone.sizes)
    assert len(together.sizes) == (3 if method == "shap-partition" else 1) < len(alone.sizes)


@pytest.mark.parametrize(("method", "parameters"), [("occlusion", {}), ("lime", {"samples": 400})])
def test_however_many_texts_ask_together_few_inputs_are_in_memory(
    method: str, parameters: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    n_made, kept = [0], Input.kept

    def counted(self: Input, mask: np.ndarray) -> Input:  # type: ignore[type-arg]
        n_made[0] += 1
        assert n_made[0] - model.n_asked <= 256
        return kept(self, mask)

    monkeypatch.setattr(Input, "kept", counted)
    model = _Counting()
    make_explainer(model, method, parameters).explain([words("a not good day " * 5)] * 40, ["yes"] * 40)
    assert set(model.sizes[:-1]) == {256}


# Reading models ------------------------------------------------------------------------------------------------------


class _Tracked(_Masking):
    labels = ("good day",)  # type: ignore[assignment]

    def logits(self, inputs: Sequence[Input]) -> Floats:
        return super().logits(inputs)[:, 1:]


class _Reading(_Masking):
    """A reading model that answers "good day" from each text; the logit of that is a function of the text."""

    def answers(self, inputs: Sequence[Input]) -> list[Prediction]:
        return [Prediction("good day", {"good day": 0.5}) for _ in inputs]

    def tracked(self, one: Input, label: str) -> _Tracked:
        assert label in {"", "good day"}
        return _Tracked(self.logit)


@pytest.mark.parametrize(
    ("method", "parameters"), [("occlusion", {}), ("shap-partition", {}), ("lime", {"samples": 4000})]
)
def test_a_reading_models_scores_are_the_weights_of_its_answers_logit_less_the_mask_tokens(
    method: str, parameters: dict[str, object]
) -> None:
    model, one = _Reading(weighing(WEIGHTS | {"[MASK]": 0.25}).logit), words("a good day but bad", question="good ?")
    found = make_explainer(model, method, parameters).explain([one], [""])
    assert found[0].attributions[0].label == "good day"
    assert scores(found) == pytest.approx([-0.25, 1.75, -0.25, -0.25, -1.75], abs=0.005 if method == "lime" else 1e-12)


def test_lime_of_a_reading_model_is_the_fit_to_what_it_says_of_each_sample() -> None:
    one, lime = words("a good day but not good"), Lime(_Reading(negating().logit), samples=40, seed=3)
    masks = lime._masks(one, np.arange(6))
    answers = np.array([negating().logit(one.covered(mask, "[MASK]")) for mask in masks])
    expected = fitted(masks, answers, kernel(masks, 25), None, 0.001)
    assert scores(lime.explain([one], ["good day"])) == pytest.approx(expected.coefficients.tolist(), abs=1e-12)


# Parameters ----------------------------------------------------------------------------------------------------------


def test_the_preset_of_wang_2022_is_what_its_appendix_says() -> None:
    found = resolved("lime", {"preset": "wang-2022"})
    assert (found["samples"], found["features"], found["perturbed"]) == (5000, 10, "side")
    assert resolved("lime", {"preset": "wang-2022", "samples": 100})["samples"] == 100


def test_unknown_methods_parameters_presets_and_values_are_refused_with_what_there_is() -> None:
    model = weighing(WEIGHTS)
    with pytest.raises(InvalidValue, match=r"Unknown method 'limes'\."):
        make_explainer(model, "limes", {})
    with pytest.raises(InvalidValue, match=r"occlusion has no parameter steps\. Available: output, removal\."):
        make_explainer(model, "occlusion", {"steps": 3})
    with pytest.raises(InvalidValue, match=r"has no preset 'wang-2022'\. Available:"):
        make_explainer(model, "occlusion", {"preset": "wang-2022"})
    with pytest.raises(InvalidValue, match=r"samples can't be 'many'\. Allowed: an integer ≥ 2\."):
        make_explainer(model, "lime", {"samples": "many"})
    with pytest.raises(ModelError, match="needs a transformers model; '"):
        make_explainer(model, "integrated-gradients", {})


def test_seeds_are_those_asked_for_or_the_methods_own() -> None:
    assert seeds_of("random", ()) == tuple(range(10))
    assert seeds_of("lime", ()) == (0,)
    assert seeds_of("lime", (3, 4, 3)) == (3, 4)
    assert seeds_of("occlusion", ()) == (None,)
    with pytest.raises(InvalidValue, match=r"isn't random\. Remove --seed\."):
        seeds_of("occlusion", (1,))


@pytest.mark.parametrize(("name", "method"), [*METHODS.items(), *TRANSFORMERS_METHODS.items()])
def test_a_method_is_offered_by_a_title_that_says_the_name_its_maps_carry(name: str, method: Method) -> None:
    title = method.title.lower().replace("×", "x")
    assert name.replace("-", " ") in title


# SHAP over a partition: its scores are Owen values, found with no more questions than are allowed.


def owen_scores(explained):
    return list(explained[0].attributions[0].scores)


def with_interactions(x: np.ndarray) -> np.ndarray:
    """A number for each row of zeros and ones, to which pairs and a triple of places count beside the places themselves."""
    x = x.astype(float)
    by_place = x @ np.arange(1.0, x.shape[1] + 1)
    return by_place + 3 * x[:, 0] * x[:, 2] - 2 * x[:, 1] * x[:, -1] + 5 * x[:, 1] * x[:, 2] * x[:, 3]


def owen(n: int, borders: list[int], most: int):
    steps = owen_values(n, borders, most)
    masks = next(steps)
    while True:
        try:
            masks = steps.send(with_interactions(np.array(list(masks)).reshape(-1, n)))
        except StopIteration as stopped:
            return stopped.value


def test_of_a_linear_model_the_scores_are_weight_times_what_the_token_is_more_than_the_background() -> None:
    found = ShapPartition(weighing(WEIGHTS, bias=0.5)).explain([words("very good but bad and very late")], ["yes"])
    assert owen_scores(found) == [0.25, 2.0, 0.0, -1.5, 0.0, 0.25, 0.0]
    assert (found[0].facts["base"], found[0].facts["full"]) == (0.5, 1.5)

    class Masking(Scripted):
        mask_token = "[MASK]"

    covered = ShapPartition(Masking(weighing(WEIGHTS | {"[MASK]": 0.5}).logit))
    assert owen_scores(covered.explain([words("good day")], ["yes"])) == [1.5, -0.5]  # (w − w of the mask token) · 1
    assert covered.explain([words("good day")], ["yes"])[0].facts["base"] == 1.0


def test_two_tokens_share_what_they_bring_together_as_shapley_says() -> None:
    """v({}) = 0, v(not) = 0, v(good) = 0, v(not good) = 2."""
    found = ShapPartition(negating()).explain([words("not good")], ["yes"])
    assert owen_scores(found) == [1.0, 1.0]


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
    assert sum(owen_scores(found)) == pytest.approx(2.0, abs=1e-12)
    assert found[0].attributions[0].convergence == pytest.approx(0.0, abs=1e-12)
    assert model.n_asked <= most


def test_what_is_not_halved_in_time_is_shared_equally_and_counted() -> None:
    few = ShapPartition(weighing(WEIGHTS), evaluations=4).explain([words("good bad very late")], ["yes"])
    assert owen_scores(few) == [0.25, 0.25, 0.125, 0.125]
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
    assert owen_scores(explainer.explain([one], ["yes"])) == pytest.approx([0.7310585786 - 0.5, 0.0])
    assert explainer.explain([one], ["yes"]) == explainer.explain([one], ["yes"])
    assert seeds_of("shap-partition", ()) == (None,)
    with pytest.raises(InvalidValue, match=r"evaluations can't be 1\. Allowed: an integer ≥ 2\."):
        make_explainer(model, "shap-partition", {"evaluations": 1})
    with pytest.raises(ModelError, match=r"gives only probabilities, no logits\. Use output=probability\."):
        make_explainer(model, "shap-partition", {"output": "logit"})
