"""Gradients with regard to a model's embeddings: integrated gradients (by captum) and gradient × input, by piece."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.transformers_encoding import Batch, Encoded, Tensor, in_batches
from annotator.attribution.transformers_folders import needed
from annotator.attribution.transformers_loaded import Loaded, answering
from annotator.attribution.transformers_parameters import BASELINE_PIECES, FOLLOWS_MODEL, Value
from annotator.attribution.transformers_predictors import Explainable, Target
from annotator.errors import InvalidValue

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
    by_input: list[list[PieceScores]] = [[] for _ in encoded]
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
    captum = needed("captum.attr")
    return [[_integrated(captum, model, *pair, parameters)] for pair in zip(encoded, targets, strict=True)]


def _integrated(
    captum: Any, model: Explainable, encoded: Encoded, target: Target, parameters: Mapping[str, Value]
) -> PieceScores:
    loaded = model.loaded
    batch = loaded.batch([encoded])
    target_positions = import_module("torch").tensor([target.position], device=loaded.device)
    embedded, baseline = loaded.embedding(batch.ids), _baseline(loaded, encoded, batch, str(parameters["baseline"]))

    def forward(
        embeddings: Tensor, ids: Tensor, mask: Tensor, types: Tensor, may: Tensor, read_at: Tensor, positions: Tensor
    ) -> Tensor:
        return _explained(model, Batch(ids, mask, types, may, read_at), embeddings, positions, parameters)

    with answering(loaded):
        scores, delta = captum.IntegratedGradients(forward).attribute(
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
    by_piece = scores.sum(dim=2)[0].double().cpu().numpy()
    return PieceScores(
        by_piece, convergence=float(delta[0]), facts=_convergence(float(by_piece.sum()), float(delta[0]))
    )


def _convergence(total: float, delta: float) -> dict[str, float]:
    """How far the scores are from adding up to what they explain, F(x) − F(baseline)."""
    change = total - delta
    return {"output_change": change, **({"convergence_share": abs(delta / change)} if change else {})}


def baseline_for(loaded: Loaded, baseline: str) -> str:
    """The baseline of a model: the one that is asked for, or by default the first that it has.

    Raises: InvalidValue for a piece that its tokenizer does not have, naming those it has
    """
    pieces = [name for name in BASELINE_PIECES if _piece(loaded, name) is not None]
    if baseline == FOLLOWS_MODEL:
        return pieces[0] if pieces else "zero"
    if baseline != "zero" and baseline not in pieces:
        others = "".join(f", or --baseline {name}" for name in pieces[:1])
        raise InvalidValue(
            f"The model '{loaded.name}' has no {baseline.upper()} piece, which the baseline {baseline} puts in the place "
            f"of each piece of the text. Choose --baseline zero{others}."
        )
    return baseline


def _piece(loaded: Loaded, name: str) -> int | None:
    number: int | None = getattr(loaded.tokenizer, f"{name}_token_id")
    return number


def _baseline(loaded: Loaded, encoded: Encoded, batch: Batch, name: str) -> Tensor:
    """float[1, length, dimensions]: zeros, or the embedding of one piece for each that is not special."""
    torch = import_module("torch")
    if name == "zero":
        return torch.zeros_like(loaded.embedding(batch.ids))
    piece = _piece(loaded, name)
    ids = [number if side is None else piece for number, side in zip(encoded.ids, encoded.sides, strict=True)]
    return loaded.embedding(torch.tensor([ids], device=loaded.device))


def _explained(
    model: Explainable, batch: Batch, embeddings: Tensor, positions: Tensor, parameters: Mapping[str, Value]
) -> Tensor:
    """float[batch]: what is explained, as a function of the embeddings."""
    outputs = model.loaded.ask(batch, embeddings)
    return model.explained(outputs, batch, positions, as_probability=parameters["output"] == "probability")
