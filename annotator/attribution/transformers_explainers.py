"""What gradients and attention say of each subword: integrated gradients (captum), gradient × input, AttnLRP, attention, rollout.

Attention has no sign and belongs to no label. The weights of special subwords are there; they are left out where subwords become
words, before anything else is done with the scores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.architectures.lstm import is_match_lstm, is_recurrent
from annotator.attribution.architectures.rationaliser import has_extractor, selection_of, selects
from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.transformers_networks import Loaded, answering, check_used_once, layer_number, layers_for
from annotator.attribution.transformers_parameters import BASELINE_SUBWORDS, CONSTANT, FOLLOWS_MODEL, Value
from annotator.attribution.transformers_predictors import Explainable, Target
from annotator.attribution.transformers_relevance import check_graph, relevance_rules
from annotator.attribution.transformers_sources import needed
from annotator.attribution.transformers_subwords import Batch, Encoded, Tensor, in_batches
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, unsaid
from annotator.metrics.ragged import Flags

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SubwordScores:
    """One score a subword, for one layer where the method has layers; facts as in base.Explained.

    selected: bool[n_subwords], of a model that selects its own rationale
    """

    scores: Scores
    layer: int | None = None
    convergence: float | None = None
    facts: Mapping[str, float] = field(default_factory=dict)
    selected: Flags | None = None


def gradient_x_input(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """The dot product of each subword's embedding and the gradient of what is explained with regard to it."""
    by_input: list[list[SubwordScores]] = [[] for _other in encoded]
    for number, scores, _value in _products(model, encoded, targets, parameters):
        by_input[number].append(SubwordScores(np.abs(scores) if parameters["magnitude"] == "piece" else scores))
    return by_input


def attnlrp(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """The same with AttnLRP's rules for the gradient; convergence: how far all scores together are from what is explained."""
    by_input: list[list[SubwordScores]] = [[] for _other in encoded]
    with relevance_rules(model.loaded, is_attention_constant=parameters["attention"] == CONSTANT):
        for number, scores, full in _products(model, encoded, targets, parameters, partial(check_graph, model.loaded)):
            missing = float(scores.sum()) - full
            facts = {"full": full, **({"absorbed_share": -missing / full} if full else {})}
            by_input[number].append(SubwordScores(scores, None, missing, facts))
    return by_input


def check_rules(model: Explainable, parameters: Mapping[str, Value]) -> None:
    """Raise ModelError where AttnLRP has no rule for something in a model, which is asked about one word."""
    segments = [SegmentTokens("text", ("a",), ("",))]
    if model.loaded.kind == "reading":
        segments.append(SegmentTokens("question", ("a",), ("",), is_selectable=False))
    encoded = model.loaded.encoded(Input(tuple(segments), target=(0, 1)))
    if encoded.ids:
        attnlrp(model, [encoded], model.targets([encoded], (*model.loaded.labels[:1], "")[:1]), parameters)


def _products(
    model: Explainable,
    encoded: Sequence[Encoded],
    targets: Sequence[Target],
    parameters: Mapping[str, Value],
    check: Callable[[Tensor], None] = lambda _value: None,
) -> Iterator[tuple[int, Scores, float]]:
    """Of each input its number, ⟨gradient, embedding⟩ of each subword, and what is explained; in batches of like lengths."""
    torch, loaded = import_module("torch"), model.loaded
    for numbers in in_batches(encoded, loaded.size_of_batches):
        batch = loaded.batch([encoded[number] for number in numbers])
        embedded = loaded.embedding(batch.ids).requires_grad_()
        target_positions = torch.tensor([targets[number].position for number in numbers], device=loaded.device)
        value = _explained(model, batch, embedded, target_positions, parameters)
        check(value)
        with answering(loaded):
            (gradient,) = torch.autograd.grad(value.sum(), embedded)
        products = (gradient * embedded.detach()).sum(dim=2).double().cpu().numpy()
        for number, product, full in zip(numbers, products, value.tolist(), strict=True):
            yield number, product[: len(encoded[number].ids)], full


def integrated_gradients(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """Integrated gradients of each subword's embedding; the batch is that of the steps, so that nothing is filled up."""
    method = needed("captum.attr").IntegratedGradients
    return [[_integrated(method, model, *pair, parameters)] for pair in zip(encoded, targets, strict=True)]


def layer_integrated_gradients(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """Integrated gradients of what a layer gives for each subword; the line goes between its outputs for text and baseline."""
    captum = needed("captum.attr")
    layers = layers_for(model.loaded, parameters["layer"])
    by_input: list[list[SubwordScores]] = [[] for _other in encoded]
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
) -> SubwordScores:
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
            _("'{name}' lacks one vector per subword in a layer. Choose another method.", name=loaded.name)
        )
    by_subword = scores.sum(dim=2)[0].detach().double().cpu().numpy()
    # How far the scores are from adding up to what they explain, F(x) − F(baseline).
    missed = float(delta[0])
    change = float(by_subword.sum()) - missed
    facts = {"output_change": change, **({"convergence_share": abs(missed / change)} if change else {})}
    return SubwordScores(by_subword, layer, missed, facts)


def baseline_for(loaded: Loaded, baseline: str) -> str:
    """The baseline of a model: the one that is asked for, or by default the first that it has.

    Raises: InvalidValue for a subword that its tokenizer does not have, naming those it has
    """
    subwords = [name for name in BASELINE_SUBWORDS if baseline_subword(loaded, name) is not None]
    if baseline == FOLLOWS_MODEL:
        return subwords[0] if subwords else "zero"
    if baseline != "zero" and baseline not in subwords:
        others = "".join(_(", or --baseline {name}", name=name) for name in subwords[:1])
        raise InvalidValue(
            _(
                "'{name}' has no {upper} subword ({baseline}). Use --baseline zero{others}.",
                name=loaded.name,
                upper=baseline.upper(),
                baseline=baseline,
                others=others,
            )
        )
    return baseline


def baseline_subword(loaded: Loaded, name: str) -> int | None:
    number: int | None = getattr(loaded.tokenizer, f"{name}_token_id")
    return number


def _baseline(loaded: Loaded, encoded: Encoded, batch: Batch, name: str) -> Tensor:
    """float[1, length, dimensions]: zeros, or the embedding of one subword for each that is not special."""
    torch = import_module("torch")
    if name == "zero":
        return torch.zeros_like(loaded.embedding(batch.ids))
    subword = baseline_subword(loaded, name)
    ids = [number if side is None else subword for number, side in zip(encoded.ids, encoded.sides, strict=True)]
    return loaded.embedding(torch.tensor([ids], device=loaded.device))


def _explained(
    model: Explainable, batch: Batch, embeddings: Tensor, positions: Tensor, parameters: Mapping[str, Value]
) -> Tensor:
    """float[batch]: what is explained, as a function of the embeddings."""
    outputs = model.loaded.ask(batch, embeddings)
    return model.explained(outputs, batch, positions, as_probability=parameters["output"] == "probability")


# What a model's attention says of each subword: one layer's weights, or rolled out over the layers.


# (attention of each layer float[batch, heads, length, length], for each row the subwords that attention is read from,
# parameters) -> by layer float[batch, length]
Reading = Callable[[Sequence[Tensor], Sequence[Sequence[int]], Mapping[str, Value]], Iterator[Tensor]]


_NO_CLS = unsaid("'{name}' adds no [CLS]. Use --set from=last (decoders) or another method.")
_NOT_THE_LAST = unsaid("'{name}' isn't a decoder. Use --set from=cls or another method.")


def attention(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """The weights of one layer, or of each, from [CLS], the last subword, or in the mean from the subwords of the question.

    Of an LSTM classifier those of its attention layer, whose query is learned: there is one, and it has one head.
    """
    del targets
    if is_recurrent(model.loaded.model):
        _layers(parameters["layer"], 1, model.loaded)
        return _by_output(model.loaded, encoded, _attention_layer)
    return _by_layer(model.loaded, encoded, parameters, _layer_by_layer)


def rollout(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """Attention rolled out from the first layer to the one asked for (Abnar and Zuidema 2020)."""
    del targets
    return _by_layer(model.loaded, encoded, parameters, _rolled_out)


def _by_layer(
    loaded: Loaded, encoded: Sequence[Encoded], parameters: Mapping[str, Value], reading: Reading
) -> list[list[SubwordScores]]:
    torch = import_module("torch")
    _check_length(loaded, encoded)
    by_input: list[list[SubwordScores]] = [[] for _other in encoded]
    sources = [_sources(of_input, str(parameters["from"]), loaded) for of_input in encoded]
    for numbers in in_batches(encoded, loaded.size_of_batches):
        of_batch = [encoded[number] for number in numbers]
        batch = loaded.batch(of_batch)
        read_from = [sources[number] for number in numbers]
        with torch.inference_mode():
            weights = check_attention(
                getattr(loaded.attend(batch), "attentions", None), batch.ids.shape[1], loaded.name
            )
            if parameters["from"] == "last" and bool((weights[0][:, :, 0, 1:] > 0).any()):
                raise ModelError(_(_NOT_THE_LAST, name=loaded.name))
            layers = _layers(parameters["layer"], len(weights), loaded)
            for layer, of_layer in enumerate(reading(weights[: max(layers) + 1], read_from, parameters)):
                if layer in layers:
                    scores = of_layer.double().cpu().numpy()
                    for row, number in enumerate(numbers):
                        by_input[number].append(SubwordScores(scores[row, : len(encoded[number].ids)], layer))
    return by_input


def _layer_by_layer(
    weights: Sequence[Tensor], sources: Sequence[Sequence[int]], parameters: Mapping[str, Value]
) -> Iterator[Tensor]:
    """The mean over the sources, then heads put together."""
    torch = import_module("torch")
    how = parameters["heads"]
    for of_layer in weights:
        by_head = torch.stack([of[:, subwords].mean(dim=1) for of, subwords in zip(of_layer, sources, strict=True)])
        yield by_head.amax(dim=1) if how == "max" else by_head.sum(dim=1) if how == "sum" else by_head.mean(dim=1)


def _rolled_out(
    weights: Sequence[Tensor], sources: Sequence[Sequence[int]], parameters: Mapping[str, Value]
) -> Iterator[Tensor]:
    """The sources' rows of A_l · ... · A_0, where A = 0.5 · mean over heads + 0.5 · identity; rows add up to 1."""
    del parameters
    torch = import_module("torch")
    identity = torch.eye(weights[0].shape[-1], dtype=torch.float64, device=weights[0].device)
    steps = (0.5 * of_layer.double().mean(dim=1) + 0.5 * identity for of_layer in weights)
    for product in accumulate(steps, lambda before, step: step @ before):
        yield torch.stack([of[subwords].mean(dim=0) for of, subwords in zip(product, sources, strict=True)])


def _sources(encoded: Encoded, which: str, loaded: Loaded) -> list[int]:
    """The subwords that attention is read from."""
    if which == "question":
        subwords = [
            number for number, side in enumerate(encoded.sides) if side is not None and side == encoded.question
        ]
        if not subwords:
            raise ModelError(_("{shown} has no question. Use from=cls.", shown=encoded.shown))
        return subwords
    if which == "target":
        if encoded.read_at is None:
            raise ModelError(_("{shown} has no target.", shown=encoded.shown))
        return [encoded.read_at]
    if which == "last":
        return [len(encoded.ids) - 1]
    cls = check_cls(loaded)
    special = [
        number for number, (subword, side) in enumerate(zip(encoded.ids, encoded.sides, strict=True)) if side is None
    ]
    subwords = [number for number in special if encoded.ids[number] == cls]
    if not subwords:
        raise InvalidValue(_(_NO_CLS, name=loaded.name))
    return subwords[:1]


def source_for(loaded: Loaded, source: str) -> str:
    """Whose attention is read: the one that is asked for, or by default [CLS] where the model has it, else the last subword.

    Raises: InvalidValue for a model whose attention from one subword says nothing of its answer, or that has no such subword
    """
    if is_recurrent(loaded.model):
        if source != FOLLOWS_MODEL:
            raise InvalidValue(
                _("'{name}' attends from a learned query. Remove from={source}.", name=loaded.name, source=source)
            )
        return source
    if loaded.reads == "words":
        raise InvalidValue(_("'{name}' has no attention to read. Choose another method.", name=loaded.name))
    if loaded.reads == "target" and source in {"cls", "last"}:
        raise InvalidValue(_("'{name}' predicts from the target's first subword. Use from=target.", name=loaded.name))
    if source == FOLLOWS_MODEL and loaded.reads == "target":
        return "target"
    if source == FOLLOWS_MODEL:
        return "last" if loaded.tokenizer.cls_token_id is None else "cls"
    if source == "cls":
        check_cls(loaded)
    return source


def _check_length(loaded: Loaded, encoded: Sequence[Encoded]) -> None:
    limit = loaded.cutter.limit
    for of_input in encoded:
        if limit is not None and len(of_input.ids) > limit:
            raise ModelError(
                _(
                    "'{name}' reads {shown} in windows. Choose another method, or truncate.",
                    name=loaded.name,
                    shown=of_input.shown,
                ),
                reason="read in windows, over which no attention reaches",
            )


def check_cls(loaded: Loaded) -> int:
    """The number of the [CLS] subword; raises InvalidValue for a model without one."""
    number: int | None = loaded.tokenizer.cls_token_id
    if number is None:
        raise InvalidValue(_(_NO_CLS, name=loaded.name))
    return number


def _layers(layer: Value, n_layers: int, loaded: Loaded) -> Sequence[int]:
    return range(n_layers) if layer == "all" else (layer_number(layer, n_layers, loaded),)


def check_attention(given: Sequence[Tensor] | None, length: int, name: str) -> Sequence[Tensor]:
    """The attention of each layer; raises ModelError where there is none, or none from each subword to each."""
    weights = tuple(given or ())
    if not weights or any(
        of_layer is None or of_layer.ndim != 4 or tuple(of_layer.shape[2:]) != (length, length) for of_layer in weights
    ):
        raise ModelError(_("'{name}' has no attention to read. Choose another method.", name=name))
    return weights


def selection_scores(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """The probability that each subword, or its sentence, is part of the model's own rationale; or whether it is."""
    del targets
    torch, loaded = import_module("torch"), model.loaded
    if has_extractor(loaded.model):
        _check_length(loaded, encoded)
    elif not selects(loaded.model):
        raise ModelError(
            _(
                "'{name}' selects no rationale. Use a rationaliser or pipeline, or align by an extractor.",
                name=loaded.name,
            )
        )
    by_input: list[list[SubwordScores]] = [[] for _other in encoded]
    for numbers in in_batches(encoded, loaded.size_of_batches):
        batch = loaded.batch([encoded[number] for number in numbers])
        with torch.inference_mode(), answering(loaded):
            selection, chosen = selection_of(loaded.model, batch)
        chosen = chosen.cpu().numpy()
        scores = (selection.sigmoid() * batch.may_answer).double().cpu().numpy()
        for number, probabilities, flags in zip(numbers, scores, chosen, strict=True):
            n = len(encoded[number].ids)
            given = flags[:n].astype(np.float64) if parameters["rationale"] == "hard" else probabilities[:n]
            by_input[number].append(SubwordScores(given, selected=flags[:n]))
    return by_input


# What an LSTM classifier says of each subword: the weights of its attention layer, and products of its states.


def state_products(
    model: Explainable, encoded: Sequence[Encoded], targets: Sequence[Target], parameters: Mapping[str, Value]
) -> list[list[SubwordScores]]:
    """(h_fc · h_i) / Σ_j (h_fc · h_j), by text of a pair (Wang et al. 2022, appendix B.2): h_fc is what the fully connected
    layer gives, h_i the state at subword i, j the subwords of the same text that can be marked.

    Nothing keeps a product or their sum above 0: a weight is negative where its product and the sum have other signs, and a
    negative sum puts the subword with the lowest product first. The fact `negative_sums` counts the texts of which that is so.
    weights=softmax: the softmax of the products in place of their share; vectors=embeddings: e_i for h_i. The released code
    takes both.

    Of a match-LSTM the mean over question subwords i of (h_i · h_j) / Σ_k (h_i · h_k), j and k of the passage (Equation 5).

    Raises: ModelError for another model, for one with another size of h_fc, and where products add up to 0
    """
    del targets
    return _by_output(model.loaded, encoded, partial(_products_of, parameters=parameters))


def _by_output(
    loaded: Loaded,
    encoded: Sequence[Encoded],
    score: Callable[[Loaded, Batch, Any, Sequence[Encoded]], list[SubwordScores]],
) -> list[list[SubwordScores]]:
    if not is_recurrent(loaded.model) and not is_match_lstm(loaded.model):
        raise ModelError(_("'{name}' isn't an LSTM. Choose another method.", name=loaded.name))
    by_input: list[list[SubwordScores]] = [[] for _other in encoded]
    for numbers in in_batches(encoded, loaded.size_of_batches):
        batch = loaded.batch([encoded[number] for number in numbers])
        with import_module("torch").inference_mode():
            with answering(loaded):
                outputs = loaded.model(**batch.arguments(), return_dict=True)
            scores = score(loaded, batch, outputs, [encoded[number] for number in numbers])
        for number, of_input in zip(numbers, scores, strict=True):
            by_input[number].append(of_input)
    return by_input


def _attention_layer(loaded: Loaded, _batch: Batch, outputs: Any, encoded: Sequence[Encoded]) -> list[SubwordScores]:
    if outputs.weights is None:
        raise ModelError(_("'{name}' has no attention layer. Use state-products.", name=loaded.name))
    weights = outputs.weights.double().cpu().numpy()
    return [SubwordScores(of[: len(of_input.ids)], 0) for of, of_input in zip(weights, encoded, strict=True)]


def _products_of(
    loaded: Loaded, batch: Batch, outputs: Any, encoded: Sequence[Encoded], parameters: Mapping[str, Value]
) -> list[SubwordScores]:
    vectors = outputs.states if parameters["vectors"] == "states" else loaded.embedding(batch.ids)
    if is_match_lstm(loaded.model):
        by_question = vectors.double().cpu().numpy()
        return [_of_questions(of, of_input, parameters) for of, of_input in zip(by_question, encoded, strict=True)]
    if vectors.shape[2] != outputs.hidden.shape[1]:
        sizes = {"n_fc": outputs.hidden.shape[1], "n_vectors": vectors.shape[2], "vectors": parameters["vectors"]}
        raise ModelError(
            _(
                "'{name}': {vectors} have {n_vectors} dimensions, h_fc {n_fc}. Choose another method.",
                name=loaded.name,
                **sizes,
            )
        )
    products = (vectors * outputs.hidden[:, None]).sum(dim=2).double().cpu().numpy()
    return [_normalised(of, of_input, parameters) for of, of_input in zip(products, encoded, strict=True)]


def _normalised(products: Scores, encoded: Encoded, parameters: Mapping[str, Value]) -> SubwordScores:
    scores, n_negative = np.zeros(len(encoded.ids)), 0
    sides = np.array([-1 if side is None or side == encoded.question else side for side in encoded.sides])
    for side in sorted(set(sides.tolist()) - {-1}):
        scores[sides == side], is_negative = _weights(products[: len(sides)][sides == side], encoded, parameters)
        n_negative += is_negative
    return SubwordScores(scores, None, None, {"negative_sums": float(n_negative)} if n_negative else {})


def _of_questions(vectors: Scores, encoded: Encoded, parameters: Mapping[str, Value]) -> SubwordScores:
    """vectors: float[length, dimensions] of the whole input."""
    passage = np.flatnonzero(encoded.may_answer)
    question = [number for number, side in enumerate(encoded.sides) if side is not None and side == encoded.question]
    weights = [_weights(vectors[passage] @ vectors[number], encoded, parameters) for number in question]
    scores, n_negative = np.zeros(len(encoded.ids)), sum(is_negative for _of_subword, is_negative in weights)
    if weights and len(passage):
        scores[passage] = np.mean([of_subword for of_subword, _is_negative in weights], axis=0)
    return SubwordScores(scores, None, None, {"negative_sums": float(n_negative)} if n_negative else {})


def _weights(products: Scores, encoded: Encoded, parameters: Mapping[str, Value]) -> tuple[Scores, bool]:
    """Products as shares of their sum, and whether that is negative; or their softmax."""
    if parameters["weights"] == "softmax":
        raised = np.exp(products - products.max(initial=-np.inf))
        return raised / raised.sum(), False
    total = float(products.sum())
    if total == 0:
        raise ModelError(_("The state products of {shown} add up to 0. Use weights=softmax.", shown=encoded.shown))
    return products / total, total < 0
