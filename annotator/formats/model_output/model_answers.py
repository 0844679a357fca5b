"""Answers of models as our own JSON lines write them: a list of probabilities, {label: p}, a text, or fields of their own."""

import math
from collections.abc import Mapping

from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.formats.model_output.output_rows import OutputFile
from annotator.formats.model_output.own_line_fields import AnswerRow, OutputRow
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import convert
from annotator.language import _, listed

_MOST_OVER = 0.01  # of a sum of rounded probabilities
_ROUNDING = 1e-6


def read_answers(row: OutputRow, file: OutputFile, findings: Findings) -> tuple[Prediction, ...]:
    """What a row answers: in `prediction`, or in `label` (or `answer`) and `probabilities`; nothing is fine."""
    of_row = AnswerRow(row.label, row.answer, row.probabilities, row.on, row.threshold)
    has_own = of_row.label is not None or of_row.answer is not None or of_row.probabilities is not None
    if row.prediction is None:
        if not has_own and (of_row.on != "full" or of_row.threshold is not None):
            findings.refuse("on", of_row.on, _("There is 'on' or 'threshold', but no label and no probabilities."))
        return (_answer(of_row, "", file, findings),) if has_own else ()
    if has_own:
        findings.refuse(
            "prediction", row.prediction, _("The answer stands in 'prediction' or in 'label', not in both.")
        )
        return ()
    answer = _from_any(row.prediction, findings)
    if answer is None:
        return ()
    if row.on != "full" or row.threshold is not None:
        answer.on, answer.threshold = row.on, row.threshold
    return (_answer(answer, "prediction.", file, findings),)


def _from_any(value: object, findings: Findings) -> AnswerRow | None:
    """The forms of `prediction`; numbers under names are probabilities."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return AnswerRow(label=value)
    if isinstance(value, list):
        return convert({"probabilities": value}, AnswerRow, findings, {"probabilities": "prediction"})
    if isinstance(value, dict) and any(
        name in value for name in AnswerRow.__struct_fields__ if not _is_number(value.get(name))
    ):
        return convert(value, AnswerRow, findings)
    if isinstance(value, dict) and value:
        return convert({"probabilities": value}, AnswerRow, findings, {"probabilities": "prediction"})
    reason = _(
        "It must be a label or answer, a list of probabilities, {by_label}, or {both}.",
        by_label="{label: p}",
        both="{label, probabilities}",
    )
    findings.refuse("prediction", value, reason)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _answer(answer: AnswerRow, field_prefix: str, file: OutputFile, findings: Findings) -> Prediction:
    if answer.label is not None and answer.answer is not None and str(answer.label) != answer.answer:
        reason = _("The row has a label too, '{label}'; keep one of the two.", label=answer.label)
        findings.refuse(f"{field_prefix}answer", answer.answer, reason)
    given = answer.answer if answer.label is None else answer.label
    result = None if given is None else file.label(given, f"{field_prefix}label", findings)
    threshold = answer.threshold
    if threshold is not None and not 0 <= threshold <= 1:
        findings.refuse(f"{field_prefix}threshold", threshold, _("A threshold is a share of tokens, from 0 to 1."))
    probabilities = _probabilities(answer, f"{field_prefix}probabilities", file, findings)
    _warn_of_odd(
        result, probabilities, isinstance(answer.probabilities, list), f"{field_prefix}probabilities", findings
    )
    return Prediction(result, probabilities, answer.on, threshold)


def _warn_of_odd(
    result: str | None, probabilities: Mapping[str, float], is_list: bool, field_name: str, findings: Findings
) -> None:
    """Probabilities that belong to other labels than their numbers suggest, or that are none."""
    if sum(probabilities.values()) > 1 + _MOST_OVER:
        findings.warn(
            field_name,
            f"{sum(probabilities.values()):.3g}",
            _("They sum to more than 1; see whether they are probabilities."),
        )
    highest = max(probabilities, key=lambda label: probabilities[label], default=None)
    if highest is None or result is None or result not in probabilities:
        return
    if probabilities[highest] > probabilities[result] + _ROUNDING:
        reason = _("It has the highest probability, but the answer is another label.")
        if is_list:
            order = _(
                "They are taken in the order of the project's labels ({labels}).", labels=listed([*probabilities])
            )
            reason = f"{reason} {order}"
        findings.warn(field_name, highest, reason)


def _probabilities(answer: AnswerRow, field_name: str, file: OutputFile, findings: Findings) -> Mapping[str, float]:
    """Probabilities by label; a list is in the order of the project's labels."""
    given = answer.probabilities
    if given is None:
        return {}
    labels = file.options.labels
    if isinstance(given, list):
        if labels and len(labels) != len(given):
            findings.refuse(
                field_name,
                given,
                _(
                    "It has {probabilities}, but the project has {labels}.",
                    probabilities=counted(len(given), "probability", "probabilities"),
                    labels=counted(len(labels), "label"),
                ),
            )
            return {}
        given = {str(number): p for number, p in enumerate(given)}
    probabilities: dict[str, float] = {}
    for name, p in given.items():
        label = file.label(name, field_name, findings)
        if label in probabilities:
            reason = _("The label '{label}' has two probabilities; keep one of the two.", label=label)
            findings.refuse(field_name, name, reason)
        if not (math.isfinite(p) and -_ROUNDING <= p <= 1 + _ROUNDING):
            reason = _("A probability lies between 0 and 1; of logits take the softmax first.")
            findings.refuse(f"{field_name}.{name}", p, reason)
        probabilities[label] = p
    return probabilities
