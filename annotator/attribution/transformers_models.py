"""Predictors and explainers for transformers models (extra `models`): the door to the modules transformers_*.

torch, transformers and captum are imported when a model is loaded or explained, not before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

import numpy as np

from annotator.attribution.base import Explained, Explainer, Input, Predictor, TooLong, no_number
from annotator.attribution.removal_methods import QUERY_FIRST
from annotator.attribution.transformers_explainers import (
    SubwordScores,
    attention,
    attnlrp,
    baseline_for,
    check_rules,
    gradient_x_input,
    integrated_gradients,
    layer_integrated_gradients,
    rollout,
    selection_scores,
    source_for,
    state_products,
)
from annotator.attribution.transformers_extractive_qa import Reader, reader_of
from annotator.attribution.transformers_networks import NO_SCORES, Loaded, encoded_text
from annotator.attribution.transformers_parameters import METHODS, PRESETS, Value, method_named, resolved
from annotator.attribution.transformers_predictors import Classifier, Explainable, MaskingClassifier, Target
from annotator.attribution.transformers_prompts import Prompt
from annotator.attribution.transformers_sources import load_model
from annotator.attribution.transformers_subwords import Encoded, merged
from annotator.domain.models import Attribution, Unit, facts_from
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.ragged import Flags
from annotator.text.subword_scores import How, Merged

__all__ = ["METHODS", "PRESETS", "explainer", "load"]

_Scoring = Callable[[Explainable, Sequence[Encoded], Sequence[Target], Mapping[str, Value]], list[list[SubwordScores]]]
_SCORING: dict[str, _Scoring] = {
    "integrated-gradients": integrated_gradients,
    "layer-integrated-gradients": layer_integrated_gradients,
    "gradient-x-input": gradient_x_input,
    "attnlrp": attnlrp,
    "attention": attention,
    "attention-rollout": rollout,
    "selection": selection_scores,
    "state-products": state_products,
}
_OF_NO_LABEL = frozenset({"attention", "attention-rollout", "selection", "state-products"})


def load(
    spec: str,
    *,
    device: str = "auto",
    threads: int = 1,
    batch_size: int | None = None,
    too_long: TooLong = "refuse",
    query_first: bool = False,
    asks_hub: bool = False,
    prompt: Prompt | None = None,
) -> Predictor:
    """A sequence classifier or a question answering model, from a folder or by its name at the Hugging Face hub.

    device:      auto (CUDA where it is there), cpu or cuda
    threads:     of torch, in this whole process; two on a busy machine can be many times slower than one
    batch_size:  inputs at once, or steps of integrated gradients; else 8 on a CPU, 32 on a GPU
    too_long:    whether a text that is longer than the model sees is refused, cut at its end, or read in windows; a model that
                 was trained in windows always reads so
    query_first: whether the query stands before what can be marked; for reading models the question always does
    prompt:      a causal model is asked which label's words come after the text in it
    asks_hub:    whether the hub is asked for a model that was not fetched before; else no other host is asked for anything
    Raises: ModelError when it cannot be loaded or is no such model, InvalidValue for an argument
    """
    loaded = load_model(
        spec, device=device, threads=threads, batch_size=batch_size, too_long=too_long, query_first=query_first,
        asks_hub=asks_hub, prompt=prompt,
    )  # fmt: skip
    if loaded.kind == "reading":
        return reader_of(loaded)
    if prompt is not None:
        name = " ".join([loaded.name, "zero-shot", *filter(None, [prompt.digest])])
        return Classifier(name, loaded.labels, replace(loaded, name=name))
    kind = Classifier if loaded.tokenizer.mask_token is None else MaskingClassifier
    return kind(loaded.name, loaded.labels, loaded)


def explainer(
    predictor: Predictor, method: str, parameters: Mapping[str, object], seed: int | None = None
) -> Explainer:
    """A method for a predictor that `load` gave.

    parameters: see METHODS; "preset" names one of PRESETS, whose settings the others override
    seed:       nothing here is drawn, so that the explainer has none
    Raises: InvalidValue naming what there is; ModelError for another predictor
    """
    del seed
    if not isinstance(predictor, Classifier | Reader):
        raise ModelError(
            _("{method} needs a transformers model; '{name}' isn't one.", method=method, name=predictor.name)
        )
    definition = method_named(method)
    chosen = resolved(method, {"too_long": predictor.loaded.cutter.too_long, **parameters}, predictor.loaded.kind)
    chosen |= _of_model(predictor.loaded, chosen)
    if method == "attnlrp":
        check_rules(predictor, chosen)
    cutter = replace(predictor.loaded.cutter, too_long=cast("TooLong", chosen["too_long"]))
    stored = {
        **chosen,
        **({QUERY_FIRST: True} if isinstance(predictor, Classifier) and predictor.query_first else {}),
        **_asked_with(predictor.loaded),
    }
    return TransformersExplainer(
        method,
        stored,
        None,
        definition.unit(chosen),
        definition.is_signed(chosen),
        replace(predictor, loaded=replace(predictor.loaded, cutter=cutter)),
    )


def _of_model(loaded: Loaded, chosen: Mapping[str, Value]) -> dict[str, Value]:
    """What follows the model; raises InvalidValue for what it cannot have, before the first text is asked about."""
    follow = {"baseline": baseline_for, "from": source_for}
    return {name: of_model(loaded, str(chosen[name])) for name, of_model in follow.items() if name in chosen}


def _asked_with(loaded: Loaded) -> dict[str, object]:
    """The prompt and the words of a zero-shot classifier, which its scores follow from."""
    prompt = loaded.prompt
    return {} if prompt is None else {"prompt": prompt.template, "label_words": [word.strip() for word in prompt.words]}


@dataclass(slots=True)
class TransformersExplainer:
    """A method with its parameters, for one model (protocol Explainer)."""

    method: str
    parameters: Mapping[str, object]
    seed: int | None
    unit: Unit
    is_signed: bool
    predictor: Classifier | Reader

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        """Scores of the selectable tokens. For a reading model a label is "" or its own answer.

        An attribution's label is what is explained; "" for attention, which is the same for all labels. Facts:
        unseen_tokens, how many have no score because the model does not see them; special_share, the share of |score| that
        lies on special subwords; of integrated gradients output_change, F(x) − F(baseline), and convergence_share, how far
        all scores together are from it, as a share of it; of AttnLRP full, F(x), and absorbed_share, the share of it that no
        subword gets.

        Raises: ModelError when the model cannot answer, or gives scores that are no numbers
        """
        encoded = [encoded_text(self.predictor.loaded, model_input) for model_input in inputs]
        parameters = cast("Mapping[str, Value]", self.parameters)
        targets = (
            [Target("", ()) for _other in encoded]
            if self.method in _OF_NO_LABEL
            else self.predictor.targets(encoded, labels)
        )
        scores = _SCORING[self.method](self.predictor, encoded, targets, parameters)
        return [
            self._explained(of_input, t.label, of) for of_input, t, of in zip(encoded, targets, scores, strict=True)
        ]

    def _explained(self, encoded: Encoded, label: str, by_layer: Sequence[SubwordScores]) -> Explained:
        attributions, facts = [], {}
        for of_layer in by_layer:
            by_token = self._by_token(encoded, of_layer)
            is_by_word = self.parameters.get("magnitude") == "word"
            scores = tuple(map(abs, by_token.scores)) if is_by_word else by_token.scores
            facts = {**_facts(by_token), **of_layer.facts}
            attributions.append(
                Attribution(
                    scores, label, of_layer.layer, None, by_token.subwords, of_layer.convergence, facts_from(facts)
                )
            )
        selected = None if by_layer[-1].selected is None else _runs(encoded, by_layer[-1].selected)
        return Explained(tuple(attributions), facts, selected)

    def _by_token(self, encoded: Encoded, scores: SubwordScores) -> Merged:
        if not np.isfinite(scores.scores).all():
            raise no_number(self.predictor.name, encoded.shown, NO_SCORES)
        return merged(encoded, scores.scores.tolist(), cast("How", self.parameters["merge"]))


def _runs(encoded: Encoded, selected: Flags) -> tuple[tuple[int, int], ...]:
    """The maximal runs of tokens of which a subword is selected."""
    by_token = merged(encoded, selected.astype(float).tolist(), "signed max").scores
    runs = [
        [token for token, _score in run] for is_in, run in groupby(enumerate(by_token), lambda of: of[1] > 0) if is_in
    ]
    return tuple((run[0], run[-1] + 1) for run in runs)


def _facts(on_tokens: Merged) -> dict[str, float]:
    share, unseen = on_tokens.special_share, sum(score != score for score in on_tokens.scores)  # noqa: PLR0124  (NaN)
    return {
        **({"unseen_tokens": float(unseen)} if unseen else {}),
        **({} if share is None else {"special_share": share}),
    }
