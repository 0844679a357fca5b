"""How a rationaliser learns (Lei et al. 2016; ERASER, 5.1 and C): sampled masks, a price on them, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np

from annotator.attribution.transformers_subwords import in_batches
from annotator.errors import InvalidValue
from annotator.training.examples import Row, TrainingBatch, training_batch
from annotator.training.trainable_models import Trainable

Tensor = Any  # torch is not imported here: whoever makes one has it
Estimator = Literal["score function", "released"]

_CONSTANT = 0.02  # where probabilities of all subwords differ by less, nothing is told apart
_EMPTY, _WHOLE = 0.005, 0.995  # mean shares of subwords that are as good as nothing, and as everything


@dataclass(frozen=True, slots=True)
class RationaliserOptions:
    """What a selector learns from.

    sparsity:    λ, the price of a selected subword in nats of the task's loss
    contiguity:  how many times λ a change between selected and not costs; 2 in the papers, where an empty and a full mask are
                 both hard to leave
    n_samples:   masks that are drawn for each text
    rising:      epochs in which λ rises from 0
    estimator:   "score function": the cost less that of the other samples, times the summed log p of the mask. "released": the
                 code of ERASER: one sample, shares for sums, the mean of log(1 + p) and no baseline
    supervision: weight of the cross-entropy with people's rationales beside it; 0: they are not looked at
    floor:       probabilities are drawn within [floor, 1 − floor], so that each mask keeps an alternative
    """

    sparsity: float = 0.02
    contiguity: float = 0.0
    n_samples: int = 4
    rising: int = 6
    estimator: Estimator = "score function"
    supervision: float = 0.0
    floor: float = 0.05

    def __post_init__(self) -> None:
        for name in ("sparsity", "contiguity", "supervision"):
            if not 0 <= getattr(self, name) < np.inf:
                raise InvalidValue(f"{name} is {getattr(self, name)}; give 0 or more.")
        if self.n_samples < 2 and self.estimator == "score function":
            raise InvalidValue(f"There is {self.n_samples} sample for each text; give 2 or more, to compare them.")


# What the papers print; the defaults above are what found planted words.
PRESETS: Mapping[str, RationaliserOptions] = {
    "found": RationaliserOptions(),
    "eraser": RationaliserOptions(sparsity=0.01, contiguity=2.0, rising=0),
    "eraser-released": RationaliserOptions(0.01, 2.0, 1, 0, "released", floor=0.0),
}


def rationaliser_loss(
    trainable: Trainable, batch: TrainingBatch, options: RationaliserOptions, share: float, weights: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The classifier's loss over the drawn masks, float[]; and what the selector learns from beside it, float[].

    share: of the price that counts by now. The first has a gradient for the classifier alone, the second for the selector.
    """
    torch = import_module("torch")
    model, ids, mask = trainable.model, batch.subwords.ids, batch.real
    selectable = batch.subwords.may_answer & mask
    selection = model.selection(ids, mask)
    embedded = model.classifier["embeddings"](ids)
    probabilities = options.floor + (1 - 2 * options.floor) * selection.sigmoid()  # a clamp would end what is learned
    losses, costs, chances = [], [], []
    for _sample in range(options.n_samples):
        drawn = torch.bernoulli(probabilities.detach()).bool() & selectable
        logits = model.classify(embedded, mask & (~selectable | drawn))
        loss = torch.nn.functional.cross_entropy(logits, batch.targets, weight=weights, reduction="none")
        losses.append(loss)
        costs.append(loss.detach() + share * _price(drawn, selectable, options))
        chances.append(_chance(probabilities, drawn, selectable, options))
    cost = torch.stack(costs)
    others = (cost.sum(dim=0) - cost) / (len(costs) - 1) if options.estimator == "score function" else 0.0
    learned = ((cost - others) * torch.stack(chances)).mean()
    return torch.stack(losses).mean(), learned + options.supervision * _supervision(selection, selectable, batch)


def _price(drawn: Tensor, selectable: Tensor, options: RationaliserOptions) -> Tensor:
    """float[batch]: λ Σ z_t + λ · contiguity · Σ |z_t − z_{t−1}|; of the released code both as shares of the text."""
    mask = drawn.float()
    changes = (mask[:, 1:] - mask[:, :-1]).abs() * selectable[:, 1:] * selectable[:, :-1]
    price = options.sparsity * (mask.sum(dim=1) + options.contiguity * changes.sum(dim=1))
    return price / selectable.sum(dim=1).clamp(min=1) if options.estimator == "released" else price


def _chance(probabilities: Tensor, drawn: Tensor, selectable: Tensor, options: RationaliserOptions) -> Tensor:
    """float[batch]: log p of a mask, as the estimator takes it."""
    torch = import_module("torch")
    of_each = torch.where(drawn, probabilities, 1 - probabilities)
    if options.estimator == "released":
        return (of_each.log1p() * selectable).sum(dim=1) / selectable.sum(dim=1).clamp(min=1)
    return (of_each.log() * selectable).sum(dim=1)


def _supervision(selection: Tensor, selectable: Tensor, batch: TrainingBatch) -> Tensor:
    """float[]: the mean cross-entropy with the union of people's sets, over the subwords of the texts that have some."""
    judged = selectable & batch.is_set.any(dim=1)[:, None]
    if not bool(judged.any()):
        return selection.sum() * 0
    gold = batch.gold.any(dim=1).float()
    return import_module("torch").nn.functional.binary_cross_entropy_with_logits(selection[judged], gold[judged])


@dataclass(frozen=True, slots=True)
class Selected:
    """What a rationaliser does with texts.

    loss: task's loss and the whole price of what it selects, mean over texts; share: of each text's subwords that it selects,
    float[n_texts]; spread: the standard deviation of all probabilities; is_right: bool[n_texts] with its own rationale, with
    nothing selected, and with everything
    """

    loss: float
    share: np.ndarray[Any, np.dtype[np.float64]]
    spread: float
    is_right: Mapping[str, np.ndarray[Any, np.dtype[np.bool_]]]

    @property
    def verdict(self) -> str:
        """How it fails where the selector tells no words apart: "empty", "whole" or "constant"; else ""."""
        if self.share.mean() <= _EMPTY:
            return "empty"
        if self.share.mean() >= _WHOLE:
            return "whole"
        return "constant" if self.spread < _CONSTANT else ""

    def facts(self) -> dict[str, object]:
        """For the card."""
        facts: dict[str, object] = {
            "texts whose masks were looked at": len(self.share),
            "share selected": f"{self.share.mean():.1%} ± {self.share.std():.1%}",
            **{f"accuracy with {name}": float(right.mean()) for name, right in self.is_right.items()},
        }
        return facts | ({"degenerate mask": self.verdict} if self.verdict else {})


def selected(trainable: Trainable, rows: Sequence[Row], options: RationaliserOptions, size: int = 32) -> Selected:
    """Have a rationaliser read texts: with its own rationales, with none and with everything."""
    torch = import_module("torch")
    trainable.model.eval()
    losses, shares, probabilities = [], [], []
    right: dict[str, list[bool]] = {"its rationale": [], "nothing selected": [], "everything selected": []}
    for numbers in in_batches([row.encoded for row in rows], size):
        batch = training_batch([rows[n] for n in numbers], trainable.cutter.tokenizer, trainable.device)
        with torch.inference_mode():
            selectable = batch.subwords.may_answer & batch.real
            selection = trainable.model.selection(batch.subwords.ids, batch.real)
            mask = (selection > 0) & selectable
            embedded = trainable.model.classifier["embeddings"](batch.subwords.ids)
            for name, of in zip(right, (mask, torch.zeros_like(mask), selectable), strict=True):
                logits = trainable.model.classify(embedded, batch.real & (~selectable | of))
                right[name] += (logits.argmax(dim=1) == batch.targets).tolist()
                if of is mask:
                    loss = torch.nn.functional.cross_entropy(logits, batch.targets, reduction="none")
                    losses += (loss + _price(mask, selectable, options)).tolist()
            supervised = options.supervision * _supervision(selection, selectable, batch)
            losses[-len(numbers) :] = [loss + float(supervised) for loss in losses[-len(numbers) :]]
        shares += (mask.sum(dim=1) / selectable.sum(dim=1).clamp(min=1)).tolist()
        probabilities += selection[selectable].sigmoid().tolist()
    return Selected(
        float(np.mean(losses)), np.array(shares), float(np.std(probabilities)),
        {name: np.array(of, dtype=np.bool_) for name, of in right.items()},
    )  # fmt: skip
