"""How often a model is right."""

from collections.abc import Callable, Sequence

import numpy as np

from annotator.metrics import benchmark_faithfulness as answers_of_reading
from annotator.metrics import eraser_faithfulness
from annotator.metrics.ragged import Flags, Floats
from annotator.metrics.sentence_editing import need_edit_f1
from annotator.scoring.gold import GoldTable
from annotator.scoring.runs import Answers, Scored, Values


def score_answers(gold: GoldTable, answers: Answers, *, is_label: bool) -> Scored:
    """How often a model is right: accuracy and macro F1 of labels, EM and F1 of answers, over the instances it answered.

    Of edited sentences F1 of “need edit” as well.
    """
    part = gold.take([index for index, row in enumerate(gold.rows) if row.id in answers and row.result is not None])
    scored = Scored(part, counts={"instances": len(part), "instances_without_answer": len(gold) - len(part)})
    given = [answers[row.id].label or "" for row in part.rows]
    truth = [row.result or "" for row in part.rows]
    if not is_label:
        scored.values |= _answer_values(truth, given, [row.language for row in part.rows])
    elif part.rows:
        labels = sorted({*truth, *given})
        numbers = {label: number for number, label in enumerate(labels)}
        first, second = (np.array([numbers[label] for label in of_all], dtype=np.int64) for of_all in (truth, given))
        report = eraser_faithfulness.label_report(first, second, labels)
        scored.values["eraser.accuracy"] = np.array(
            [a == b for a, b in zip(truth, given, strict=True)], dtype=np.float64
        )
        scored.totals["eraser.macro_f1"] = report.macro.f1
        if gold.edited_label is not None:
            is_predicted, is_gold = (_are(gold.edited_label, of_all) for of_all in (given, truth))
            scored.totals["editing.need_edit_f1"] = need_edit_f1(is_predicted, is_gold)
    return scored


def _are(label: str, given: Sequence[str]) -> Flags:
    return np.array([label == other for other in given], dtype=np.bool_)


def _answer_values(truth: Sequence[str], given: Sequence[str], languages: Sequence[str]) -> Values:
    is_chinese = np.array([language.lower().startswith("zh") for language in languages], dtype=np.bool_)
    pairs: tuple[tuple[str, Callable[..., Floats], Callable[..., Floats]], ...] = (
        ("em", answers_of_reading.answer_em_chinese, answers_of_reading.answer_em_english),
        ("f1", answers_of_reading.answer_f1_chinese, answers_of_reading.answer_f1_english),
    )
    values: Values = {}
    for name, chinese, english in pairs:
        if is_chinese.any():
            values[f"benchmark.answer_{name}_chinese"] = np.where(is_chinese, chinese(truth, given), np.nan)
        if not is_chinese.all():
            values[f"benchmark.answer_{name}_english"] = np.where(is_chinese, np.nan, english(truth, given))
    return values
