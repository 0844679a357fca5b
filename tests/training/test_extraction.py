"""Input × gradient with a graph: it equals the stored method's scores, and a loss of it reaches the weights rightly."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.attribution.transformers_explainers import gradient_x_input
from annotator.attribution.transformers_models import load
from annotator.attribution.transformers_networks import Network
from annotator.errors import ModelError
from annotator.training.alignment import (
    AlignmentBatch,
    AlignmentOptions,
    Criterion,
    align,
    embeddings_of,
    input_x_gradient,
)
from tests.models.conftest import one_text

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
    with pytest.raises(ModelError, match="times; gradients are computed only"):
        ask(predictor.loaded.model, predictor.loaded.batch([predictor.loaded.encoded(one_text(TEXT))]))
