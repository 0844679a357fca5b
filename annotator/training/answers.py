"""What a reading model learns: in each window where the answer begins and ends, or at [CLS] that it is not there (SQuAD 2.0)."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.transformers_answer_spans import LONGEST_ANSWER, Finding, Stretches, answer_text, findings_in
from annotator.attribution.transformers_subwords import in_batches
from annotator.errors import ModelError
from annotator.metrics import benchmark_faithfulness as answers_of_reading
from annotator.metrics.significance import FEWEST
from annotator.training.examples import Row, training_batch
from annotator.training.trainable_models import Trainable

Tensor = Any  # torch is not imported here: whoever makes one has it
Numbers = npt.NDArray[np.float64]


def answer_loss(stretches: Stretches, answers: Sequence[tuple[int, int] | None]) -> Tensor:
    """The mean over windows of the cross-entropy of where the answer begins, and of where it ends.

    A window that does not hold the whole answer, or of a text that has none (None), has to say so at [CLS].

    answers: of each text, the first and last subword
    """
    torch = import_module("torch")
    if stretches.none_at is None:
        raise ModelError("A reading model learns at [CLS] that there is no answer, and this one has no such piece.")
    rows, windows = stretches.panes.rows, torch.arange(len(stretches.panes.rows), device=stretches.starts.device)
    subwords = torch.tensor([answer or (-1, -1) for answer in answers], device=rows.device)[rows]
    (first, has_first), (last, has_last) = (stretches.at(windows, subwords[:, column]) for column in (0, 1))
    is_there = has_first & has_last
    forbidden = ~stretches.choosable()
    losses = [
        torch.nn.functional.cross_entropy(
            logits.masked_fill(forbidden, -torch.inf), at.where(is_there, stretches.none_at)
        )
        for logits, at in ((stretches.starts, first), (stretches.ends, last))
    ]
    return (losses[0] + losses[1]) / 2


def validated_answers(trainable: Trainable, rows: Sequence[Row]) -> tuple[float, float]:
    """The mean loss over batches, each counting by its texts, and the share of exact matches at the threshold 0."""
    losses, findings = asked_for_answers(trainable, rows)
    exact = Judged.of(rows, texts_of(rows, findings, 0.0)).exact
    return float(np.mean(losses)), float(exact.mean())


def asked_for_answers(trainable: Trainable, rows: Sequence[Row], size: int = 32) -> tuple[Numbers, list[Finding]]:
    """float[n_rows]: the loss of each text's batch, without dropout; and what was found in each text."""
    torch = import_module("torch")
    trainable.model.eval()
    losses, of_rows = np.zeros(len(rows)), [Finding(None, None)] * len(rows)
    for numbers in in_batches([row.encoded for row in rows], size):
        batch = training_batch([rows[n] for n in numbers], trainable.cutter.tokenizer, trainable.device)
        with torch.inference_mode():
            stretches = trainable.ask(batch.subwords)
            losses[numbers] = float(answer_loss(stretches, batch.answers))
        for number, finding in zip(numbers, findings_in(stretches, len(numbers)), strict=True):
            of_rows[number] = finding
    return losses, of_rows


def texts_of(rows: Sequence[Row], findings: Sequence[Finding], threshold: float | None) -> list[str]:
    """What is answered to each text; "" for no answer."""
    texts = []
    for row, of_row in zip(rows, findings, strict=True):
        chosen = of_row.chosen(threshold)
        is_none = chosen is None or chosen.is_none
        texts.append("" if chosen is None or is_none else answer_text(row.encoded, chosen.first, chosen.last))
    return texts


@dataclass(frozen=True, slots=True)
class Judged:
    """Answers beside the gold ones, by the benchmark's definitions: of Chinese by characters, else by words.

    exact, f1: float[n_texts]; is_none: bool[n_texts]: the gold is that there is no answer; says_none: the model says so
    """

    exact: Numbers
    f1: Numbers
    is_none: npt.NDArray[np.bool_]
    says_none: npt.NDArray[np.bool_]

    @staticmethod
    def of(rows: Sequence[Row], given: Sequence[str]) -> "Judged":
        """Each answer beside its gold one."""
        gold = [row.answer.text for row in rows if row.answer is not None]
        is_chinese = np.array([row.answer is not None and row.answer.is_chinese for row in rows], dtype=np.bool_)
        exact, f1 = (
            np.where(is_chinese, chinese(gold, given), english(gold, given))
            for chinese, english in (
                (answers_of_reading.answer_em_chinese, answers_of_reading.answer_em_english),
                (answers_of_reading.answer_f1_chinese, answers_of_reading.answer_f1_english),
            )
        )
        is_none, says_none = (np.array([not text for text in texts], dtype=np.bool_) for texts in (gold, given))
        return Judged(exact, f1, is_none, says_none)


def threshold_by(rows: Sequence[Row], findings: Sequence[Finding]) -> float | None:
    """The threshold with the highest mean F1 on texts, of equals the nearest to 0; as SQuAD 2.0's script chooses it.

    None where it cannot be chosen: of fewer than 20 texts, or where not both are among them, with and without an answer
    """
    margins = np.array([of_row.margin for of_row in findings])
    usable = np.isfinite(margins)
    of_stretches = Judged.of(rows, texts_of(rows, findings, None)).f1
    is_none = Judged.of(rows, [""] * len(rows)).is_none
    if usable.sum() < FEWEST or is_none[usable].all() or not is_none[usable].any():
        return None
    order = np.argsort(margins[usable], kind="stable")
    ascending, as_none, as_stretch = margins[usable][order], is_none[usable][order] * 1.0, of_stretches[usable][order]
    between = (ascending[1:] + ascending[:-1]) / 2
    candidates = np.unique([ascending[0] - 1, *between, ascending[-1] + 1, 0.0])
    n_answered = np.searchsorted(ascending, candidates, side="right")  # those whose margin is not above the threshold
    sums = np.append(0.0, np.cumsum(as_stretch))[n_answered] + (
        as_none.sum() - np.append(0.0, np.cumsum(as_none))[n_answered]
    )
    best = candidates[sums > sums.max() - 1e-9]
    return float(best[np.argmin(np.abs(best))])


def n_too_long(rows: Sequence[Row]) -> int:
    """How many gold answers have more subwords than a model answers with."""
    places = [row.answer.subwords for row in rows if row.answer is not None and row.answer.subwords is not None]
    return sum(last - first + 1 > LONGEST_ANSWER for first, last in places)
