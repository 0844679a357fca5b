"""Gradients by piece: integrated gradients (by captum) of the embeddings or of a layer, and gradient × input."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.transformers_encoding import Batch, Encoded, Tensor, in_batches
from annotator.attribution.transformers_folders import needed
from annotator.attribution.transformers_layers import check_used_once, layers_for
from annotator.attribution.transformers_loaded import Loaded, answering
from annotator.attribution.transformers_parameters import BASELINE_PIECES, FOLLOWS_MODEL, Value
from annotator.attribution.transformers_predictors import Explainable, Target
from annotator.errors import InvalidValue, ModelError
from annotator.language import _

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PieceScores:
    """One score a piece, for one layer where the method has layers; facts as in base.Explained."""

    scores: Scores
    layer: int | None = None
    convergence: float | None = None
    facts: Mapping[str, float] = field(default_factory=dict)


def gradient_x_input(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[PieceScores]]:
    """The dot product of each piece's embedding and the gradient of what is explained with regard to it."""
    torch, loaded = import_module("torch"), model.loaded
    by_input: list[list[PieceScores]] = [[] for _other in encoded]
    for numbers in in_batches(encoded, loaded.size_of_batches):
        of_batch = [encoded[number] for number in numbers]
        batch = loaded.batch(of_batch)
        embedded = loaded.embedding(batch.ids).requires_grad_()
        target_positions = torch.tensor([targets[number].position for number in numbers], device=loaded.device)
        value = _explained(model, batch, embedded, target_positions, parameters)
        with answering(loaded):
            (gradient,) = torch.autograd.grad(value.sum(), embedded)
        products = (gradient * embedded.detach()).sum(dim=2).double().cpu().numpy()
        for number, product in zip(numbers, products, strict=True):
            scores = product[: len(encoded[number].ids)]
            by_input[number].append(PieceScores(np.abs(scores) if parameters["magnitude"] == "piece" else scores))
    return by_input


def integrated_gradients(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[PieceScores]]:
    """Integrated gradients of each piece's embedding; the batch is that of the steps, so that nothing is filled up."""
    method = needed("captum.attr").IntegratedGradients
    return [[_integrated(method, model, *pair, parameters)] for pair in zip(encoded, targets, strict=True)]


def layer_integrated_gradients(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[PieceScores]]:
    """Integrated gradients of what a layer gives for each piece; the line goes between its outputs for text and baseline."""
    captum = needed("captum.attr")
    layers = layers_for(model.loaded, parameters["layer"])
    by_input: list[list[PieceScores]] = [[] for _other in encoded]
    for scores, of_input, target in zip(by_input, encoded, targets, strict=True):
        for number, module in layers:
            check_used_once(model.loaded, module, of_input)
            method = partial(captum.LayerIntegratedGradients, layer=module)
            scores.append(_integrated(method, model, of_input, target, parameters, number))
    return by_input


def _integrated(
    method: Callable[..., Any],
    model: Explainable,
    encoded: Encoded,
    target: Target,
    parameters: Mapping[str, Value],
    layer: int | None = None,
) -> PieceScores:
    """method: of captum, made from a function of the embeddings."""
    loaded = model.loaded
    batch = loaded.batch([encoded])
    target_positions = import_module("torch").tensor([target.position], device=loaded.device)
    embedded, baseline = loaded.embedding(batch.ids), _baseline(loaded, encoded, batch, str(parameters["baseline"]))

    def forward(
        embeddings: Tensor, ids: Tensor, mask: Tensor, types: Tensor, may: Tensor, read_at: Tensor, positions: Tensor
    ) -> Tensor:
        return _explained(model, Batch(ids, mask, types, may, read_at), embeddings, positions, parameters)

    with answering(loaded):
        scores, delta = method(forward).attribute(
            embedded,
            baselines=baseline,
            additional_forward_args=(
                batch.ids,
                batch.mask,
                batch.types,
                batch.may_answer,
                batch.read_at,
                target_positions,
            ),
            n_steps=parameters["steps"],
            internal_batch_size=loaded.steps_at_once,
            return_convergence_delta=True,
        )
    scores = (
        scores[0] if isinstance(scores, tuple) else scores
    )  # layers may give more than one thing, the first is theirs
    if scores.ndim != 3 or scores.shape[1] != len(encoded.ids):
        raise ModelError(
            _(
                "A layer of the model '{name}' ({about}) does not give one vector for each piece, so its gradients cannot be "
                "laid on words; choose another method.",
                name=loaded.name,
                about=loaded.about["model"],
            )
        )
    by_piece = scores.sum(dim=2)[0].detach().double().cpu().numpy()
    facts = _convergence(float(by_piece.sum()), float(delta[0]))
    return PieceScores(by_piece, layer, float(delta[0]), facts)


def _convergence(total: float, delta: float) -> dict[str, float]:
    """How far the scores are from adding up to what they explain, F(x) − F(baseline)."""
    change = total - delta
    return {"output_change": change, **({"convergence_share": abs(delta / change)} if change else {})}


def baseline_for(loaded: Loaded, baseline: str) -> str:
    """The baseline of a model: the one that is asked for, or by default the first that it has.

    Raises: InvalidValue for a piece that its tokenizer does not have, naming those it has
    """
    pieces = [name for name in BASELINE_PIECES if baseline_piece(loaded, name) is not None]
    if baseline == FOLLOWS_MODEL:
        return pieces[0] if pieces else "zero"
    if baseline != "zero" and baseline not in pieces:
        others = "".join(_(", or --baseline {name}", name=name) for name in pieces[:1])
        raise InvalidValue(
            _(
                "The model '{name}' has no {upper} piece, which the baseline {baseline} puts in the place of each piece of the "
                "text. Choose --baseline zero{others}.",
                name=loaded.name,
                upper=baseline.upper(),
                baseline=baseline,
                others=others,
            )
        )
    return baseline


def baseline_piece(loaded: Loaded, name: str) -> int | None:
    number: int | None = getattr(loaded.tokenizer, f"{name}_token_id")
    return number


def _baseline(loaded: Loaded, encoded: Encoded, batch: Batch, name: str) -> Tensor:
    """float[1, length, dimensions]: zeros, or the embedding of one piece for each that is not special."""
    torch = import_module("torch")
    if name == "zero":
        return torch.zeros_like(loaded.embedding(batch.ids))
    piece = baseline_piece(loaded, name)
    ids = [number if side is None else piece for number, side in zip(encoded.ids, encoded.sides, strict=True)]
    return loaded.embedding(torch.tensor([ids], device=loaded.device))


def _explained(
    model: Explainable, batch: Batch, embeddings: Tensor, positions: Tensor, parameters: Mapping[str, Value]
) -> Tensor:
    """float[batch]: what is explained, as a function of the embeddings."""
    outputs = model.loaded.ask(batch, embeddings)
    return model.explained(outputs, batch, positions, as_probability=parameters["output"] == "probability")
