"""How a pipeline learns (Lehman et al. 2019; BERT-to-BERT): its parts apart, each from people's evidence; and how each errs."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.architectures.pipeline import Texts, Unit, evidence, evidence_of_tokens, read, texts_of
from annotator.attribution.transformers_subwords import in_batches
from annotator.training.examples import Row, TrainingBatch, training_batch
from annotator.training.trainable_models import Trainable

Tensor = Any  # torch is not imported here: whoever makes one has it
Flags = npt.NDArray[np.bool_]

_HALF = 0.5  # of tokens: the F1 from which a selection counts as right


def pipeline_loss(trainable: Trainable, batch: TrainingBatch, weights: Tensor | None) -> Tensor:
    """float[]: the selector's cross-entropy and the classifier's. They share no weights, so that neither learns from the other's.

    The selector learns from each sentence with evidence, and from as many others of the same text, drawn with replacement; of
    tokens, from all. The classifier reads evidence as people marked it: sentence by sentence, or all tokens joined.
    """
    torch, model = import_module("torch"), trainable.model
    texts, gold = _taken_apart(trainable, batch)
    if not bool(gold.any()):
        return sum(weights.sum() for weights in model.parameters()) * 0
    if model.config.unit == "token":
        selector = _token_loss(evidence_of_tokens(model, texts), gold, texts)
        rows = gold.any(dim=1).nonzero()[:, 0]
        return selector + _classifier_loss(trainable, batch, texts, rows, gold[rows], weights)
    rows, numbers, is_gold = _sentences(texts, gold)
    drawn = torch.cat([is_gold.nonzero()[:, 0], _negatives(rows, is_gold)])
    logits = evidence(model, texts, rows[drawn], _tokens_of(texts, rows[drawn], numbers[drawn]))
    selector = torch.nn.functional.binary_cross_entropy_with_logits(logits, is_gold[drawn].float())
    rows, numbers = rows[is_gold], numbers[is_gold]
    return selector + _classifier_loss(trainable, batch, texts, rows, _tokens_of(texts, rows, numbers), weights)


def _taken_apart(trainable: Trainable, batch: TrainingBatch) -> tuple[Texts, Tensor]:
    """The texts of a batch; and bool[batch, length], the subwords of people's evidence."""
    given = batch.subwords
    texts = texts_of(trainable.model, given.ids, batch.real, given.may_answer, given.sentences, given.types)
    return texts, batch.gold.any(dim=1) & texts.text


def _sentences(texts: Texts, gold: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows int64[n], numbers int64[n], and bool[n]: whether people marked anything of a sentence."""
    rows, numbers, number_of = texts.of_sentences()
    n_marked = rows.new_zeros(len(rows)).index_add(0, number_of, gold[texts.text].to(rows.dtype))
    return rows, numbers, n_marked > 0


def _tokens_of(texts: Texts, rows: Tensor, numbers: Tensor) -> Tensor:
    """bool[n, length]: the subwords of some sentences."""
    return texts.text[rows] & (texts.sentences[rows] == numbers[:, None])


def _negatives(rows: Tensor, is_gold: Tensor) -> Tensor:
    """The numbers of sentences without evidence: of each text as many as have some, where it has others."""
    torch = import_module("torch")
    drawn = [is_gold.new_zeros(0, dtype=torch.long)]
    for row in rows[is_gold].unique():
        others = ((rows == row) & ~is_gold).nonzero()[:, 0]
        if len(others):
            n = min(int((is_gold & (rows == row)).sum()), len(others))
            drawn.append(others[torch.randint(len(others), (n,)).to(others.device)])
    return torch.cat(drawn)


def _token_loss(selection: Tensor, gold: Tensor, texts: Texts) -> Tensor:
    judged = texts.text & gold.any(dim=1)[:, None]
    return import_module("torch").nn.functional.binary_cross_entropy_with_logits(
        selection[judged], gold[judged].float()
    )


def _classifier_loss(
    trainable: Trainable, batch: TrainingBatch, texts: Texts, rows: Tensor, is_read: Tensor, weights: Tensor | None
) -> Tensor:
    logits = read(trainable.model, "classifier", texts, rows, is_read)
    return import_module("torch").nn.functional.cross_entropy(logits, batch.targets[rows], weight=weights)


@dataclass(frozen=True, slots=True)
class PipelineOutcome:
    """What a pipeline does with texts whose evidence is known.

    loss: of both parts, with every sentence, mean over batches; n_empty: texts of which nothing is selected
    agreement: float[n_texts]: of sentences 1 where the selected one has evidence, else 0; of tokens the F1
    right_on_evidence, right: bool[n_texts]: the label from people's evidence, all of it joined; and from what is selected
    """

    loss: float
    n_empty: int
    agreement: npt.NDArray[np.float64]
    right_on_evidence: Flags
    right: Flags

    def facts(self) -> dict[str, object]:
        """For the card; the last two tell the errors of the parts apart."""
        is_found = self.agreement >= _HALF
        return {
            "texts whose selection was judged": len(self.right),
            "evidence selected": float(self.agreement.mean()),
            "accuracy on people's evidence": float(self.right_on_evidence.mean()),
            "accuracy on its selection": float(self.right.mean()),
            "wrong, having selected evidence": float((is_found & ~self.right).mean()),
            "wrong, having selected something else": float((~is_found & ~self.right).mean()),
            **({"nothing selected": self.n_empty} if self.n_empty else {}),
        }


def pipeline_outcome(trainable: Trainable, rows: Sequence[Row], size: int = 32) -> PipelineOutcome:
    """Have a pipeline read texts that have evidence: all of what it selects, and what people marked. rows: one or more."""
    torch, model = import_module("torch"), trainable.model
    model.eval()
    losses, by_text = [], []
    for numbers in in_batches([row.encoded for row in rows], size):
        batch = training_batch([rows[n] for n in numbers], trainable.cutter.tokenizer, trainable.device)
        texts, gold = _taken_apart(trainable, batch)
        with torch.inference_mode():
            selection = model.selection(texts.ids, texts.real, texts.text, texts.sentences, texts.types)
            chosen = model.chosen(selection, texts.text, texts.sentences)
            every = torch.arange(len(gold), device=gold.device)
            answers = [read(model, "classifier", texts, every, of) for of in (gold, chosen)]
            of_classifier = torch.nn.functional.cross_entropy(answers[0], batch.targets)
            losses.append(float(_loss_of_all(model.config.unit, selection, gold, texts) + of_classifier))
        is_right = [answer.argmax(dim=1) == batch.targets for answer in answers]
        agreement = _agreement(chosen, gold, by_sentence=model.config.unit == "sentence")
        by_text += list(zip(*(of.tolist() for of in (~chosen.any(dim=1), agreement, *is_right)), strict=True))
    is_empty, agreements, on_evidence, right = zip(*by_text, strict=True)
    flags = (np.array(of, dtype=np.bool_) for of in (on_evidence, right))
    return PipelineOutcome(float(np.mean(losses)), sum(is_empty), np.array(agreements, dtype=np.float64), *flags)


def _loss_of_all(unit: Unit, selection: Tensor, gold: Tensor, texts: Texts) -> Tensor:
    """float[]: the selector's, without drawing: over all sentences, or all tokens."""
    if unit == "token":
        return _token_loss(selection, gold, texts)
    rows, _numbers, is_gold = _sentences(texts, gold)
    *_other, number_of = texts.of_sentences()
    logits = selection.new_zeros(len(rows)).scatter(0, number_of, selection[texts.text])
    return import_module("torch").nn.functional.binary_cross_entropy_with_logits(logits, is_gold.float())


def _agreement(chosen: Tensor, gold: Tensor, *, by_sentence: bool) -> Tensor:
    """float[batch]: whether the selected sentence has evidence; of tokens F1, 0 where nothing is selected."""
    both = (chosen & gold).sum(dim=1)
    if by_sentence:
        return (both > 0).float()
    return 2 * both / (chosen.sum(dim=1) + gold.sum(dim=1)).clamp(min=1)
