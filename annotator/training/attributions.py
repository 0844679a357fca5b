"""A model's attributions with a graph through them, so that a loss of them reaches its weights (ER-TEST, 3.2)."""

from importlib import import_module
from typing import Any

from annotator.attribution.architectures.rationaliser import extracted
from annotator.attribution.transformers_explainers import check_attention
from annotator.attribution.transformers_parameters import BASELINE_SUBWORDS
from annotator.attribution.transformers_predictors import two_logits
from annotator.training.alignment import AlignmentOptions
from annotator.training.examples import TrainingBatch
from annotator.training.trainable_models import Trainable

Tensor = Any  # torch is not imported here: whoever makes one has it


def attributed(trainable: Trainable, batch: TrainingBatch, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """float[batch, n_labels] and float[batch, length]: a model's logits, and what is held against rationales.

    Raises: ModelError for attention of a model that gives none
    """
    if options.by == "attention":
        logits, weights = _asked_for(trainable, batch, "attentions")
        check_attention(weights, batch.subwords.ids.shape[1], trainable.name)
        return logits, attention_to_words(weights[-1], batch, trainable.cutter.tokenizer.cls_token_id)
    if options.by == "extractor":
        logits, states = _asked_for(trainable, batch, "hidden_states")
        return logits, extracted(trainable.model, states) / options.scale  # the scale of its scores is learned
    embeddings = embeddings_of(trainable.model, batch.subwords.ids)
    logits = trainable.ask(batch.subwords, embeddings)
    if options.by == "integrated-gradients":
        return logits, integrated_gradients(trainable, batch, embeddings, options)
    explained = trainable.explained(logits, batch.targets)
    return logits, input_x_gradient(explained, embeddings, has_graph=options.has_graph)


def _asked_for(trainable: Trainable, batch: TrainingBatch, what: str) -> tuple[Tensor, Any]:
    """The logits, and what of each layer the model gives beside them."""
    outputs = trainable.model(**batch.subwords.arguments(), return_dict=True, **{f"output_{what}": True})
    logits = outputs.logits if trainable.output == "softmax" else two_logits(outputs.logits)
    return logits, getattr(outputs, what, None)


def embeddings_of(model: Any, ids: Tensor) -> Tensor:
    """float[batch, length, dimensions]: the word embeddings of subwords, with a gradient also where they are frozen.

    They are taken before position and LayerNorm, which would make the attribution 0.
    """
    embedded = model.get_input_embeddings()(ids)
    return embedded if embedded.requires_grad else embedded.detach().requires_grad_()


def input_x_gradient(explained: Tensor, embeddings: Tensor, *, has_graph: bool) -> Tensor:
    """float[batch, length]: Σ over dimensions of the embedding times the gradient of what is explained.

    explained: float[batch], such as the logit of each instance's label
    has_graph: whether the gradient itself has one (double backward; attention must be "eager"); without it a loss reaches the
               weights through the embedding alone
    """
    torch = import_module("torch")
    (gradient,) = torch.autograd.grad(explained.sum(), embeddings, create_graph=has_graph, retain_graph=True)
    return (gradient * embeddings).sum(dim=2)


def integrated_gradients(
    trainable: Trainable, batch: TrainingBatch, embeddings: Tensor, options: AlignmentOptions
) -> Tensor:
    """float[batch, length]: like the method of that name with its defaults, in few steps (Gauss–Legendre, as in captum)."""
    torch = import_module("torch")
    nodes, weights = import_module("numpy").polynomial.legendre.leggauss(options.steps)
    baseline = baseline_embeddings(trainable, batch)
    total = torch.zeros_like(embeddings)
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        point = baseline + (1 + node) / 2 * (embeddings - baseline)
        explained = trainable.explained(trainable.ask(batch.subwords, point), batch.targets)
        (gradient,) = torch.autograd.grad(explained.sum(), point, create_graph=options.has_graph, retain_graph=True)
        total = total + weight / 2 * gradient
    return (total * (embeddings - baseline)).sum(dim=2)


def baseline_embeddings(trainable: Trainable, batch: TrainingBatch) -> Tensor:
    """float[batch, length, dimensions]: where paths begin, [MASK], else [PAD] … for each subword of a text."""
    torch, tokenizer, ids = import_module("torch"), trainable.cutter.tokenizer, batch.subwords.ids
    subwords = (getattr(tokenizer, f"{name}_token_id") for name in BASELINE_SUBWORDS)
    subword = next((number for number in subwords if number is not None), None)
    if subword is None:
        return torch.zeros_like(trainable.model.get_input_embeddings()(ids))
    return trainable.model.get_input_embeddings()(torch.where(batch.of_text, subword, ids))


def attention_to_words(weights: Tensor, batch: TrainingBatch, cls: int | None) -> Tensor:
    """float[batch, length]: the mean over heads of a layer's attention from [CLS], of decoders from the last subword; centred.

    Weights are never below 0. Less their mean over the words of a text, half of the sigmoid is an even share.
    weights: float[batch, heads, length, length]; cls: None of a tokenizer without [CLS]
    """
    torch, ids, words = import_module("torch"), batch.subwords.ids, batch.subwords.may_answer & batch.real
    sources = batch.real.sum(dim=1) - 1 if cls is None else (ids == cls).long().argmax(dim=1)
    shares = weights.mean(dim=1)[torch.arange(len(ids), device=ids.device), sources]
    even = (shares * words).sum(dim=1, keepdim=True) / words.sum(dim=1, keepdim=True).clamp(min=1)
    return shares - even
