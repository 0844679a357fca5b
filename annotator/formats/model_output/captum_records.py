"""The formats `captum` and `transformers-interpret` (JSON): scores of subwords, for one class, with what was predicted.

captum:                 the slots of a VisualizationDataRecord; `raw_input_ids` holds the subwords
    {"word_attributions": [float], "raw_input_ids": [str], "attr_class": 0, "pred_class": 0, "pred_prob": 0.78,
     "convergence_score": -6.5e-8, "true_class": 1, "attr_score": -0.35}
transformers-interpret:
    {"word_attributions": [[subword, score], ...], "text": str, "predicted": "LABEL_0"}, or the list alone, or an object with
    such a list for each class. The predicted class is the one explained, unless "explained" names another.

Scores of captum's tutorials and of transformers-interpret are divided by their L2 norm over all subwords.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from annotator.domain.models import Prediction, SourceAttribution, SourceOutput
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output import output_rows
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_files import Record, as_one_record, read_records
from annotator.formats.rows.lines import convert
from annotator.language import _

_EXAMPLE = '[{"word_attributions": [...], "raw_input_ids": [...], ...}, ...]'
_PAIRS_EXAMPLE = '[{"text": ..., "word_attributions": [[subword, score], ...], "predicted": ...}, ...]'
Pairs = list[tuple[str, float]]


class _Slots(msgspec.Struct):
    word_attributions: list[float]
    raw_input_ids: list[str]
    attr_class: int | str | None = None
    pred_class: int | str | None = None
    pred_prob: float | None = None
    convergence_score: float | None = None


class _PairsRow(msgspec.Struct):
    word_attributions: Pairs | dict[str, Pairs]
    text: str | None = None
    predicted: int | str | None = None
    explained: int | str | None = None


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of captum's records.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    return output_rows.read_json(path, options, "captum", _take, _("Write JSON like {example}.", example=_EXAMPLE))


def _take(record: Record, file: output_rows.OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    row = convert(record.values, _Slots, findings)
    n_subwords = len(row.raw_input_ids) if row else 0
    if row is None or not output_rows.check_lengths(
        "word_attributions", len(row.word_attributions), "raw_input_ids", n_subwords, findings
    ):
        return
    output_rows.check_scores(row.word_attributions, findings, "word_attributions")
    label = file.class_label(row.attr_class, "attr_class", findings)
    part = output_rows.subwords_part(row.raw_input_ids, row.word_attributions)
    attribution = SourceAttribution((part,), label, convergence=row.convergence_score)
    predictions = []
    if row.pred_class is not None:
        predicted = file.class_label(row.pred_class, "pred_class", findings)
        predictions.append(Prediction(predicted, {} if row.pred_prob is None else {predicted: row.pred_prob}))
    run = file.run(findings)
    if run is not None:
        yield file.output(record, run, tuple(row.raw_input_ids), findings, [attribution], predictions)


def read_pairs(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of transformers-interpret, lists of (subword, score).

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    file = output_rows.OutputFile(path.name, options, "transformers-interpret")
    records = list(read_records(path, _("Write JSON like {example}.", example=_PAIRS_EXAMPLE)))
    file.require_model()
    yield from output_rows.read_each(as_one_record(records, _is_pair), file, _take_pairs)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _take_pairs(record: Record, file: output_rows.OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    if _has_lost_tokens(record.values):
        reason = _("Must be like {example}.", example="[subword, score]")
        findings.refuse("record", record.values, reason)
        return
    # A record's values, its attributions under their name also where nothing else is written
    values = record.values
    is_alone = isinstance(values, list) or (isinstance(values, dict) and "word_attributions" not in values)
    row = convert({"word_attributions": values} if is_alone else values, _PairsRow, findings)
    if row is None:
        return
    predicted = file.class_label(row.predicted, "predicted", findings)
    explained = predicted if row.explained is None else file.class_label(row.explained, "explained", findings)
    by_label = _pairs_by_label(row.word_attributions, explained, file, findings)
    attributions = [_attribution_of(pairs, label, findings) for label, pairs in by_label.items()]
    run = file.run(findings)
    if run is not None:
        text = row.text or tuple(subword for pairs in by_label.values() for subword, _ in pairs)
        predictions = [Prediction(predicted)] if predicted else []
        yield file.output(record, run, text, findings, attributions, predictions)


def _has_lost_tokens(values: object) -> bool:
    """Whether a record is a map of a label to its scores by token text."""
    if not isinstance(values, dict) or "word_attributions" in values:
        return False
    return any(isinstance(value, dict) and "attribution_scores" in value for value in values.values())


def _pairs_by_label(
    attributions: Pairs | Mapping[str, Pairs], explained: str, file: output_rows.OutputFile, findings: Findings
) -> Mapping[str, Pairs]:
    if isinstance(attributions, Mapping):
        return {file.class_label(name, "word_attributions", findings): pairs for name, pairs in attributions.items()}
    return {explained: attributions}


def _attribution_of(pairs: Pairs, label: str, findings: Findings) -> SourceAttribution:
    subwords, scores = [subword for subword, _ in pairs], [score for _, score in pairs]
    output_rows.check_scores(scores, findings, "word_attributions")
    return SourceAttribution((output_rows.subwords_part(subwords, scores),), label)
