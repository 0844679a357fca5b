"""What each subword of a written answer came from: gradients and occlusion of the score by which the model chose it.

The answer is fixed once it is written: each subword is explained by what was read and by the subwords before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import cast

import numpy as np

from annotator.attribution.base import Explained, Explainer, Input, no_number
from annotator.attribution.methods import METHODS as ANY_METHODS
from annotator.attribution.methods import resolved as resolved_of_any
from annotator.attribution.transformers_explainers import baseline_for, baseline_subword
from annotator.attribution.transformers_generators import Writer
from annotator.attribution.transformers_networks import NO_SCORES, answering, encoded_text
from annotator.attribution.transformers_parameters import METHODS, Value, resolved
from annotator.attribution.transformers_sources import needed
from annotator.attribution.transformers_subwords import Encoded, Tensor, merged, seen_tokens
from annotator.domain.models import Attribution, Unit, Written, facts_from
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats
from annotator.text.subword_scores import EARLIER_SHARE, PROMPT_SHARE, SPECIAL_SHARE, How, written_shares

WRITTEN_METHODS = ("gradient-x-input", "integrated-gradients", "occlusion")


@dataclass(frozen=True, slots=True)
class Maps:
    """The maps of what was written.

    Shapes: by_token float[n_written, n_selectable]; earlier float[n_written, n_written], below the diagonal; the others
            float[n_written]
    of_text:       the sum of |score| of the text's words, or of its subwords where the method has scores of these
    of_others:     by the name of their share that of the prompt, of special and of earlier subwords, as far as they have scores
    change, delta: what the maps explain, and how much of it they lack, where the method knows it
    """

    by_token: Floats
    earlier: Floats
    of_text: Floats
    of_others: Mapping[str, Floats]
    change: Floats | None = None
    delta: Floats | None = None


def explainer_of_written(writer: Writer, method: str, given: Mapping[str, object]) -> Explainer:
    """A method that explains what a model writes.

    Raises: InvalidValue for another method, or a parameter that it does not have
    """
    if method not in WRITTEN_METHODS:
        raise InvalidValue(
            _(
                "{method} can't explain generated text. Use {written_methods}, or transformers-zero-shot:FOLDER.",
                method=method,
                written_methods=", ".join(WRITTEN_METHODS),
            )
        )
    chosen: dict[str, Value]
    if method == "occlusion":
        chosen = resolved_of_any(method, given)
        has_cover = writer.loaded.tokenizer.mask_token is not None
        if chosen["removal"] == "cover" and not has_cover:
            raise ModelError(_("{name} has no mask token. Use removal=delete.", name=writer.name))
        chosen["removal"] = (
            ("cover" if has_cover else "delete") if chosen["removal"] == "default" else chosen["removal"]
        )
        chosen["output"] = "logit" if chosen["output"] == "default" else chosen["output"]
        is_signed, unit = True, ANY_METHODS[method].unit(chosen)
    else:
        chosen = resolved(method, {"too_long": writer.loaded.cutter.too_long, **given}, "classification")
        if "baseline" in chosen:
            chosen["baseline"] = baseline_for(writer.loaded, str(chosen["baseline"]))
        is_signed, unit = METHODS[method].is_signed(chosen), METHODS[method].unit(chosen)
    stored = {**chosen, "prompt": writer.template, "longest": writer.longest, "too_long": writer.loaded.cutter.too_long}
    return WrittenExplainer(method, stored, None, unit, is_signed, writer, chosen)


@dataclass(slots=True)
class WrittenExplainer:
    """A method for a model that writes (protocol Explainer)."""

    method: str
    parameters: Mapping[str, object]
    seed: int | None
    unit: Unit
    is_signed: bool
    writer: Writer
    chosen: Mapping[str, Value]

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        """An attribution of no label for each input: the mean over the written subwords, with the map of each beside it.

        Raises: ModelError when the model fails, or writes nothing
        """
        return [self._explained(model_input) for model_input, _other in zip(inputs, labels, strict=True)]

    def _explained(self, model_input: Input) -> Explained:
        encoded = encoded_text(self.writer.loaded, model_input)
        written = self.writer.write(encoded)
        maps = self._maps(model_input, encoded, written)
        if not (np.isfinite(maps.by_token) | np.isnan(maps.by_token)).all() or not np.isfinite(maps.earlier).all():
            raise no_number(self.writer.name, encoded.shown, NO_SCORES)
        n, shares = len(written), written_shares(maps.of_text, maps.of_others)
        answer = Written(
            self.writer.subwords_of(written),
            tuple(tuple(row) for row in maps.by_token.tolist()),
            tuple(tuple(maps.earlier[row, :row].tolist()) for row in range(n)),
            shares.of_subwords,
        )
        scores, facts = tuple(maps.by_token.mean(axis=0).tolist()), dict(shares.of_answer) | _facts(maps)
        convergence = None if maps.delta is None else float(maps.delta.mean())
        return Explained(
            (Attribution(scores, convergence=convergence, facts=facts_from(facts), written=answer),), facts
        )

    def _maps(self, model_input: Input, encoded: Encoded, written: Sequence[int]) -> Maps:
        if self.method == "occlusion":
            return _occlusion(self.writer, model_input, encoded, written, self.chosen)
        by_gradient = _gradient_x_input if self.method == "gradient-x-input" else _integrated_gradients
        return by_gradient(self.writer, encoded, written, self.chosen)


def _facts(maps: Maps) -> dict[str, float]:
    facts: dict[str, float] = {}
    if maps.change is not None and maps.delta is not None:
        change = float(maps.change.mean())
        facts |= {"output_change": change}
        facts |= {"convergence_share": abs(float(maps.delta.mean()) / change)} if change else {}
    unseen = int(np.isnan(maps.by_token).all(axis=0).sum())
    return facts | ({"unseen_tokens": float(unseen)} if unseen else {})


# Gradients -----------------------------------------------------------------------------------------------------------


def _explained_number(logits: Tensor, steps: Tensor, subwords: Tensor, parameters: Mapping[str, Value]) -> Tensor:
    """float[batch]: the logit or the probability of the subword that was chosen at each step."""
    of_step = logits[import_module("torch").arange(len(logits), device=logits.device), steps]
    numbers = of_step.softmax(dim=1) if parameters["output"] == "probability" else of_step
    return numbers.gather(1, subwords[:, None])[:, 0]


def _gradient_x_input(
    writer: Writer, encoded: Encoded, written: Sequence[int], parameters: Mapping[str, Value]
) -> Maps:
    torch, loaded = import_module("torch"), writer.loaded
    prompt, answer = writer.embedded(encoded.ids), writer.embedded(written)
    subwords = torch.tensor(list(written), device=loaded.device)
    by_subword: list[Floats] = []
    earlier: list[Floats] = []
    for first in range(0, len(written), loaded.batch_size):
        steps = torch.arange(first, min(first + loaded.batch_size, len(written)), device=loaded.device)
        read, wrote = (of.expand(len(steps), -1, -1).clone().requires_grad_() for of in (prompt, answer))
        value = _explained_number(writer.scores(read, wrote), steps, subwords[steps], parameters)
        with answering(loaded):
            gradients = torch.autograd.grad(value.sum(), (read, wrote))
        for of, gradient, of_steps in zip((prompt, answer), gradients, (by_subword, earlier), strict=True):
            of_steps.append((gradient * of).sum(dim=2).double().cpu().numpy())
    return _on_tokens(encoded, np.concatenate(by_subword), np.concatenate(earlier), parameters)


def _integrated_gradients(
    writer: Writer, encoded: Encoded, written: Sequence[int], parameters: Mapping[str, Value]
) -> Maps:
    torch, captum, loaded = import_module("torch"), needed("captum.attr"), writer.loaded
    given = (writer.embedded(encoded.ids), writer.embedded(written))
    baselines = _baselines(writer, encoded, written, str(parameters["baseline"]))
    by_subword, earlier, deltas = [], [], []
    for step, subword in enumerate(written):

        def forward(read: Tensor, wrote: Tensor, step: int = step, subword: int = subword) -> Tensor:
            steps = torch.full((len(read),), step, device=loaded.device)
            return _explained_number(writer.scores(read, wrote), steps, torch.full_like(steps, subword), parameters)

        with answering(loaded):
            scores, delta = captum.IntegratedGradients(forward).attribute(
                given, baselines=baselines, n_steps=parameters["steps"], internal_batch_size=loaded.batch_size,
                return_convergence_delta=True,
            )  # fmt: skip
        by_subword.append(scores[0].sum(dim=2)[0].double().cpu().numpy())
        earlier.append(scores[1].sum(dim=2)[0].double().cpu().numpy())
        deltas.append(float(delta[0]))
    sums = np.array([of.sum() + before.sum() for of, before in zip(by_subword, earlier, strict=True)])
    maps = _on_tokens(encoded, np.array(by_subword), np.array(earlier), parameters)
    return replace(maps, change=sums - np.array(deltas), delta=np.array(deltas))


def _baselines(writer: Writer, encoded: Encoded, written: Sequence[int], name: str) -> tuple[Tensor, Tensor]:
    """Zeros, or the embedding of one subword for each of the text and of the answer; the prompt's stay."""
    if name == "zero":
        torch = import_module("torch")
        return torch.zeros_like(writer.embedded(encoded.ids)), torch.zeros_like(writer.embedded(written))
    subword = baseline_subword(writer.loaded, name)
    read = [number if side is None else subword for number, side in zip(encoded.ids, encoded.sides, strict=True)]
    return writer.embedded(cast("list[int]", read)), writer.embedded([cast("int", subword)] * len(written))


def _on_tokens(encoded: Encoded, by_subword: Floats, earlier: Floats, parameters: Mapping[str, Value]) -> Maps:
    """Scores of subwords as those of tokens; a subword has no score of itself, nor of what came later."""
    how = cast("How", parameters["merge"])
    magnitude = parameters.get("magnitude", "none")
    sizes = np.abs(by_subword) if magnitude == "piece" else by_subword
    by_token = np.array([merged(encoded, row.tolist(), how).scores for row in sizes]).reshape(len(by_subword), -1)
    before = np.tril(earlier, -1)
    of_text, of_others = _sizes(encoded, np.abs(by_subword))
    of_others[EARLIER_SHARE] = np.abs(before).sum(axis=1)
    if magnitude == "none":
        return Maps(by_token, before, of_text, of_others)
    return Maps(np.abs(by_token), np.abs(before), of_text, of_others)


def _sizes(encoded: Encoded, sizes: Floats) -> tuple[Floats, dict[str, Floats]]:
    """Of |score| by subword the sum of what can be marked, and those of what stands around it and of special subwords, if any."""
    of_text = np.array(encoded.may_answer, dtype=np.bool_)
    of_special = ~of_text & np.array([start == end for start, end in encoded.offsets], dtype=np.bool_)
    kinds = ((PROMPT_SHARE, ~of_text & ~of_special), (SPECIAL_SHARE, of_special))
    others = {name: sizes[:, of_kind].sum(axis=1) for name, of_kind in kinds if of_kind.any()}
    return sizes[:, of_text].sum(axis=1), others


# Occlusion -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Variant:
    """What is read, and the subwords of the answer that are written after it, by their numbers."""

    ids: Sequence[int]
    steps: Sequence[int]


def _occlusion(
    writer: Writer, model_input: Input, encoded: Encoded, written: Sequence[int], parameters: Mapping[str, Value]
) -> Maps:
    """F − F without a token, and F − F without a subword that was written before."""
    n = len(written)
    seen = np.flatnonzero(seen_tokens(encoded)).tolist()
    without_token = [_Variant(_without(writer, model_input, encoded, token, parameters), range(n)) for token in seen]
    without_subword = [
        _Variant(encoded.ids, [step for step in range(n) if step != subword]) for subword in range(n - 1)
    ]
    variants = [_Variant(encoded.ids, range(n)), *without_token, *without_subword]
    whole, *rest = _numbers_of(writer, written, variants, parameters)
    by_token = np.full((n, model_input.n_selectable), np.nan)
    for token, numbers in zip(seen, rest, strict=False):
        by_token[:, token] = whole - numbers
    earlier = np.zeros((n, n))
    for subword, numbers in enumerate(rest[len(seen) :]):
        earlier[subword + 1 :, subword] = whole[subword + 1 :] - numbers[subword:]
    return Maps(by_token, earlier, np.nansum(np.abs(by_token), axis=1), {EARLIER_SHARE: np.abs(earlier).sum(axis=1)})


def _without(
    writer: Writer, model_input: Input, encoded: Encoded, token: int, parameters: Mapping[str, Value]
) -> Sequence[int]:
    """What is read where a token is covered or deleted."""
    mask = np.ones(model_input.n_selectable, dtype=np.bool_)
    mask[token] = False
    cover = str(writer.loaded.tokenizer.mask_token)
    changed = model_input.covered(mask, cover) if parameters["removal"] == "cover" else model_input.kept(mask)
    ids = writer.loaded.encoded(changed).ids
    if not ids:
        raise ModelError(
            _(
                "Without its only word, {shown} is empty for '{name}'. Extend the prompt.",
                name=writer.name,
                shown=encoded.shown,
            ),
            reason="of which no piece is left for the model",
        )
    return ids


def _numbers_of(
    writer: Writer, written: Sequence[int], variants: Sequence[_Variant], parameters: Mapping[str, Value]
) -> list[Floats]:
    """Of each the numbers of its subwords. Those of one length go through the model together, so that none is padded."""
    indices_by_size: dict[tuple[int, int], list[int]] = {}
    for variant_index, variant in enumerate(variants):
        indices_by_size.setdefault((len(variant.ids), len(variant.steps)), []).append(variant_index)
    numbers: dict[int, Floats] = {}
    for indices in indices_by_size.values():
        for first in range(0, len(indices), writer.loaded.batch_size):
            part = indices[first : first + writer.loaded.batch_size]
            rows = _numbers_together(writer, written, [variants[variant_index] for variant_index in part], parameters)
            numbers |= dict(zip(part, rows, strict=True))
    return [numbers[variant_index] for variant_index in range(len(variants))]


def _numbers_together(
    writer: Writer, written: Sequence[int], variants: Sequence[_Variant], parameters: Mapping[str, Value]
) -> Floats:
    """float[n_variants, n_steps], of one length all."""
    torch, loaded = import_module("torch"), writer.loaded
    read = torch.tensor([list(variant.ids) for variant in variants], device=loaded.device)
    subwords = torch.tensor([[written[step] for step in variant.steps] for variant in variants], device=loaded.device)
    with torch.no_grad():
        logits = writer.scores(loaded.embedding(read), loaded.embedding(subwords))
        of_steps = logits.softmax(dim=2) if parameters["output"] == "probability" else logits
        chosen = of_steps.gather(2, subwords[:, :, None])[:, :, 0]
    return np.asarray(chosen.double().cpu().numpy(), dtype=np.float64)
