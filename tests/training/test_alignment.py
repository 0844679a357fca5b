"""The criteria of ER-TEST: hand-computed cases, the degenerate ones, and gradients held against finite differences."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.attribution.transformers_explainers import gradient_x_input
from annotator.attribution.transformers_models import load
from annotator.attribution.transformers_networks import Network
from annotator.errors import InvalidValue, ModelError
from annotator.training.alignment import AlignmentBatch, AlignmentOptions, Criterion, Form, align
from annotator.training.loop import embeddings_of, input_x_gradient
from tests.models.conftest import one_text

CRITERIA: tuple[Criterion, ...] = ("mse", "mae", "huber", "bce", "order")
# Six words with y = 0 1 1 0 0 0; p at γ = 100 is .50 .98 .27 .73 .50 .50
ATTRIBUTIONS = [[0.0, 0.04, -0.01, 0.01, 0.0, 0.0]]
GOLD = [[[0, 1, 1, 0, 0, 0]]]


def batch(
    torch: Any,
    attributions: list[list[float]],
    gold: list[list[list[int]]],
    *,
    is_set: list[list[int]] | None = None,
    words: list[list[int]] | None = None,
    real: list[list[int]] | None = None,
) -> AlignmentBatch:
    """A batch in float64; by default every subword is a word, and every set that has any subword is there."""
    flags = [[[bool(flag) for flag in one] for one in sets] for sets in gold]
    everything = [[1] * len(row) for row in attributions]
    return AlignmentBatch(
        torch.tensor(attributions, dtype=torch.float64),
        torch.tensor(flags),
        torch.tensor(is_set if is_set is not None else [[any(one) for one in sets] for sets in flags]).bool(),
        torch.tensor(words or everything).bool(),
        torch.tensor(real or everything).bool(),
    )


@pytest.mark.parametrize(
    ("scale", "criterion", "over", "expected"),
    [  # computed by hand, as means over the six tokens for MSE and MAE and as a sum for Order
        (1, "mse", "mean", 0.249),
        (1, "mae", "mean", 0.499),
        (1, "order", "sum", 0.0001),
        (100, "mse", "mean", 0.303),
        (100, "mae", "mean", 0.497),
        (100, "order", "sum", 0.400),
    ],
)
def test_the_worked_case_gives_the_numbers_computed_by_hand(
    torch: Any, scale: float, criterion: Criterion, over: Any, expected: float
) -> None:
    found = align(batch(torch, ATTRIBUTIONS, GOLD), AlignmentOptions(criterion, scale=scale, over=over))
    assert float(found.loss) == pytest.approx(expected, abs=6e-4)
    assert (found.n_judged, found.n_undefined) == (1, 0)


def test_bce_of_the_paper_has_no_term_for_other_tokens_so_that_marking_all_is_best(torch: Any) -> None:
    losses = [
        float(align(batch(torch, [[a] * 4], [[[0, 1, 0, 0]]]), AlignmentOptions("bce", scale=1)).loss)
        for a in (-5.0, 0.0, 5.0)
    ]
    assert losses[1] == pytest.approx(0.6931, abs=1e-4)  # −log ½
    assert losses == sorted(losses, reverse=True)


def test_huber_of_the_paper_is_half_the_squares_until_the_summed_error_reaches_delta(torch: Any) -> None:
    within = align(batch(torch, [[2.0, -2.0]], [[[1, 0]]]), AlignmentOptions("huber", scale=1))
    error = 1 / (1 + 2.718281828459045**2)  # 1 − sigmoid(2), twice
    assert float(within.loss) == pytest.approx(error**2)
    beyond = align(batch(torch, [[0.0] * 4], [[[1, 0, 0, 0]]]), AlignmentOptions("huber", scale=1, delta=0.5))
    assert float(beyond.loss) == pytest.approx(0.5 * (2.0 - 0.25))


def test_the_released_huber_is_exactly_half_of_its_mse(torch: Any) -> None:
    one = batch(torch, ATTRIBUTIONS, GOLD)
    huber = align(one, AlignmentOptions("huber", form="released")).loss
    assert float(huber) == pytest.approx(float(align(one, AlignmentOptions("mse", form="released")).loss) / 2)


def test_a_perfectly_ordered_instance_is_punished_by_the_released_order_where_it_is_filled_up(torch: Any) -> None:
    attributions = [[-0.02, -0.04, 0.0]]  # the rationale stands first, and all scores are below zero; then filling
    filled = batch(torch, attributions, [[[1, 0, 0]]], words=[[1, 1, 0]], real=[[1, 1, 0]])
    p = 1 / (1 + 2.718281828459045**2)
    assert float(align(filled, AlignmentOptions("order")).loss) == 0
    released = float(align(filled, AlignmentOptions("order", form="released")).loss)
    assert released == pytest.approx((p / 0.5 - 1) ** 2)  # filling has p = .5
    assert released > 0.5


def test_the_released_order_is_a_mean_over_all_instances_also_those_without_a_rationale(torch: Any) -> None:
    with_and_without = batch(torch, [*ATTRIBUTIONS, [0.0] * 6], [*GOLD, [[0] * 6]])
    alone = align(batch(torch, ATTRIBUTIONS, GOLD), AlignmentOptions("order", form="released"))
    both = align(with_and_without, AlignmentOptions("order", form="released"))
    assert float(both.loss) == pytest.approx(float(alone.loss) / 2)
    assert both.n_judged == 1


def test_the_released_bce_weighs_the_rationale_by_the_share_of_the_other_tokens(torch: Any) -> None:
    one = align(batch(torch, [[0.0] * 4], [[[1, 0, 0, 0]]]), AlignmentOptions("bce", form="released"))
    assert float(one.loss) == pytest.approx((3 * 0.693147 + 3 * 0.693147) / 4, abs=1e-5)
    every_token = align(batch(torch, [[1.0, 2.0]], [[[1, 1]]]), AlignmentOptions("bce", form="released"))
    assert float(every_token.loss) == 0


def test_kl_is_zero_where_the_scores_are_equal_on_the_rationale_and_nothing_elsewhere(torch: Any) -> None:
    options = AlignmentOptions("kl", form="released")
    right = align(batch(torch, [[1.0, 1.0, 0.0, 0.0]], [[[1, 1, 0, 0]]]), options)
    even = align(batch(torch, [[0.0, 0.0, 0.0, 0.0]], [[[1, 1, 0, 0]]]), options)
    assert float(right.loss) == pytest.approx(0, abs=1e-9)
    assert float(even.loss) == pytest.approx(0.693147, abs=1e-5)  # log 2: half of each share is elsewhere


@pytest.mark.parametrize(
    ("criterion", "said"),
    [
        ("bce", r"No token of this batch is in a rationale: released BCE is undefined\."),
        ("kl", r"An empty rationale in this batch: KL is undefined\."),
    ],
)
def test_the_released_forms_that_know_no_empty_rationale_say_so(torch: Any, criterion: Criterion, said: str) -> None:
    empty = batch(torch, [[0.0, 1.0]], [[[0, 0]]], is_set=[[1]])
    with pytest.raises(InvalidValue, match=said):
        align(empty, AlignmentOptions(criterion, form="released"))


@pytest.mark.parametrize(
    ("criterion", "gold"), [("bce", [[[0, 0, 0]]]), ("order", [[[1, 1, 1]]])], ids=["nothing marked", "all marked"]
)
def test_an_instance_for_which_a_criterion_is_undefined_is_left_out_and_counted(
    torch: Any, criterion: Criterion, gold: list[list[list[int]]]
) -> None:
    found = align(batch(torch, [[0.1, 0.2, 0.3]], gold, is_set=[[1]]), AlignmentOptions(criterion))
    assert (float(found.loss), found.n_judged, found.n_undefined) == (0, 0, 1)


def test_an_instance_without_any_rationale_is_not_judged_and_not_counted(torch: Any) -> None:
    found = align(batch(torch, [*ATTRIBUTIONS, [0.5] * 6], [*GOLD, [[0] * 6]]), AlignmentOptions("mae"))
    alone = align(batch(torch, ATTRIBUTIONS, GOLD), AlignmentOptions("mae"))
    assert float(found.loss) == float(alone.loss)
    assert (found.n_judged, found.n_undefined) == (1, 0)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_special_subwords_and_filling_do_not_count_in_the_papers_form(torch: Any, criterion: Criterion) -> None:
    alone = align(batch(torch, ATTRIBUTIONS, GOLD), AlignmentOptions(criterion))
    around = [[9.0, *ATTRIBUTIONS[0], -9.0, 3.0]]
    words = [[0, 1, 1, 1, 1, 1, 1, 0, 0]]
    filled = batch(torch, around, [[[0, *GOLD[0][0], 0, 0]]], words=words, real=[[1, *words[0][1:7], 1, 0]])
    assert float(align(filled, AlignmentOptions(criterion)).loss) == pytest.approx(float(alone.loss))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_of_several_sets_the_one_with_the_lowest_loss_counts(torch: Any, criterion: Criterion) -> None:
    sets = [[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]]
    several = align(batch(torch, ATTRIBUTIONS, [sets]), AlignmentOptions(criterion))
    each = [float(align(batch(torch, ATTRIBUTIONS, [[one]]), AlignmentOptions(criterion)).loss) for one in sets]
    assert float(several.loss) == pytest.approx(min(each))
    assert min(each) < max(each)


def test_or_their_union(torch: Any) -> None:
    options = AlignmentOptions("mse", of_several="union")
    union = align(batch(torch, ATTRIBUTIONS, [[[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]]), options)
    assert float(union.loss) == pytest.approx(float(align(batch(torch, ATTRIBUTIONS, GOLD), options).loss))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_attributions_that_saturate_give_finite_losses_and_gradients(torch: Any, criterion: Criterion) -> None:
    saturated = batch(torch, [[-40.0, 40.0, -1e3, 1e3]], [[[1, 0, 1, 0]]])
    saturated.attributions.requires_grad_()
    loss = align(saturated, AlignmentOptions(criterion)).loss
    loss.backward()
    assert bool(torch.isfinite(loss))
    assert bool(torch.isfinite(saturated.attributions.grad).all())


@pytest.mark.parametrize(
    ("criterion", "form"), [*((one, "paper") for one in CRITERIA), *((one, "released") for one in (*CRITERIA, "kl"))]
)
def test_gradients_agree_with_finite_differences(torch: Any, criterion: Criterion, form: Form) -> None:
    drawn = torch.rand((3, 7), generator=torch.Generator().manual_seed(3), dtype=torch.float64) - 0.5
    gold = [[[0, 1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0, 0]], [[0, 0, 1, 0, 0, 0, 0], [0] * 7], [[0] * 7, [0] * 7]]
    one = batch(torch, drawn.tolist(), gold, words=[[0, 1, 1, 1, 1, 1, 0]] * 3)
    options = AlignmentOptions(criterion, form=form, scale=3.0)

    def loss(attributions: Any) -> Any:
        return align(AlignmentBatch(attributions, one.gold, one.is_set, one.words, one.real), options).loss

    assert torch.autograd.gradcheck(loss, (drawn.requires_grad_(),), eps=1e-6, atol=1e-7)


def test_kl_is_the_released_codes_alone() -> None:
    with pytest.raises(InvalidValue, match="Choose the form 'released'"):
        AlignmentOptions("kl")


@pytest.mark.parametrize("name", ["strength", "scale", "delta"])
def test_a_strength_scale_or_delta_must_be_above_zero(name: str) -> None:
    with pytest.raises(InvalidValue, match=f"Alignment {name} is 0"):
        AlignmentOptions("mse", **{name: 0})


# Input × gradient with a graph: it equals the stored method's scores, and a loss of it reaches the weights rightly.

TEXT = "the film was great and the plot was not dull"


def ask(model: Any, batch: Any, *, has_graph: bool = True) -> tuple[Any, Any]:
    """The logits of a batch, and the attribution of the second class."""
    embeddings = embeddings_of(model, batch.ids)
    logits = Network(model, None).answer(batch, embeddings).logits
    return logits, input_x_gradient(logits[:, 1], embeddings, has_graph=has_graph)


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama"])
def test_it_gives_the_scores_that_the_method_gradient_x_input_stores(name: str, loaded: Callable[..., Any]) -> None:
    predictor = loaded(name)
    encoded = predictor.loaded.encoded(one_text(TEXT))
    targets = predictor.targets([encoded], [predictor.labels[1]])
    stored = gradient_x_input(predictor, [encoded], targets, {"output": "logit", "magnitude": "no"})
    _, scores = ask(predictor.loaded.model, predictor.loaded.batch([encoded]))
    assert stored[0][0].scores.tolist() == pytest.approx(scores[0].tolist(), abs=1e-5)


def test_it_gives_the_stored_scores_also_of_a_text_that_is_read_in_windows(loaded: Callable[..., Any]) -> None:
    predictor = loaded("bert", too_long="windows")
    encoded = predictor.loaded.encoded(one_text(" ".join([TEXT] * 9)))
    targets = predictor.targets([encoded], [predictor.labels[1]])
    stored = gradient_x_input(predictor, [encoded], targets, {"output": "logit", "magnitude": "no"})
    batch, model = predictor.loaded.batch([encoded]), predictor.loaded.model
    embeddings = embeddings_of(model, batch.ids)
    logits = Network(model, predictor.loaded.cutter.limit).answer(batch, embeddings).logits
    scores = input_x_gradient(logits[:, 1], embeddings, has_graph=True)
    assert len(encoded.ids) > 80
    assert stored[0][0].scores.tolist() == pytest.approx(scores[0].tolist(), abs=1e-5)


@pytest.mark.parametrize("criterion", ["mse", "mae", "huber", "bce", "order"])
@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2"])
def test_the_gradient_of_a_loss_with_regard_to_the_weights_agrees_with_finite_differences(
    torch: Any, folders: Any, name: str, criterion: Criterion
) -> None:
    predictor: Any = load(str(folders[name]), device="cpu")  # of our own: its weights are changed
    model = predictor.loaded.model.double()
    batch = predictor.loaded.batch([predictor.loaded.encoded(one_text(TEXT))])
    words = batch.may_answer
    gold = torch.zeros_like(words)[:, None, :]
    gold[0, 0, 3:5] = True
    options = AlignmentOptions(criterion, scale=10.0)
    weights = next(p for n, p in model.named_parameters() if n.endswith(("query.weight", "c_attn.weight")))
    weights.requires_grad_()

    def loss() -> Any:
        _, scores = ask(model, batch)
        return align(AlignmentBatch(scores, gold, torch.ones(1, 1).bool(), words, words), options).loss

    (gradient,) = torch.autograd.grad(loss(), weights)
    direction = torch.randn(weights.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    step = 1e-5
    with torch.no_grad():
        weights += step * direction
    above = float(loss().detach())
    with torch.no_grad():
        weights -= 2 * step * direction
    below = float(loss().detach())
    assert float((gradient * direction).sum()) == pytest.approx((above - below) / (2 * step), rel=1e-3, abs=1e-7)


def test_without_the_inner_graph_the_loss_reaches_the_weights_through_the_embeddings_alone(
    torch: Any, folders: Any
) -> None:
    predictor: Any = load(str(folders["bert"]), device="cpu")
    model = predictor.loaded.model
    model.requires_grad_(True)
    batch = predictor.loaded.batch([predictor.loaded.encoded(one_text(TEXT))])
    _, scores = ask(model, batch, has_graph=False)
    scores.sum().backward()
    with_gradient = [name for name, p in model.named_parameters() if p.grad is not None and bool(p.grad.any())]
    assert with_gradient == ["bert.embeddings.word_embeddings.weight"]


def test_a_model_that_uses_its_embeddings_twice_is_refused(folders: Any) -> None:
    predictor: Any = load(str(folders["bart"]), device="cpu")
    with pytest.raises(ModelError, match=r"gradients need one use\."):
        ask(predictor.loaded.model, predictor.loaded.batch([predictor.loaded.encoded(one_text(TEXT))]))
