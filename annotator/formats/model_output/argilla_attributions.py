"""The format `argilla-attributions` (JSON): scores by label name, as records of Argilla 1 hold them.

    {"id": ..., "explanation": {"text": [{"token": "good", "attributions": {"positive": 0.7}}]},
     "prediction": [["positive", 0.9]]}

or the list of tokens alone. Fields of `explanation` are segments, where the task has one of that name. A token without a score
for a label that others have gets 0.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.models import Prediction, ScoredPart, SourceAttribution, SourceOutput, Subword
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_scores, read_each
from annotator.formats.rows.columns import segment_of
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.json_files import Record, as_one_record, read_records
from annotator.formats.rows.lines import convert
from annotator.language import _

_EXAMPLE = '[{"id": ..., "explanation": {"text": [{"token": ..., "attributions": {"label": 0.5}}]}}, ...]'


class _Token(msgspec.Struct):
    token: str
    attributions: dict[str, float]


class _Answer(msgspec.Struct):
    label: str
    score: float


class _Row(msgspec.Struct):
    explanation: dict[str, list[_Token]]
    prediction: list[tuple[str, float] | _Answer] | None = None


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of records of Argilla 1, one for each label.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    file = OutputFile(path.name, options, "argilla")
    records = list(read_records(path, _("Write JSON like {example}.", example=_EXAMPLE)))
    file.require_model()
    yield from read_each(as_one_record(records, _is_token), file, _take)


def _is_token(value: object) -> bool:
    return isinstance(value, dict) and "token" in value


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    values: Any = record.values
    row = convert({"explanation": {"": values}} if isinstance(values, list) else values, _Row, findings)
    if row is None:
        return
    segments = _segments_of_names(list(row.explanation), file, findings)
    tokens = [token for of_field in row.explanation.values() for token in of_field]
    labels = list(dict.fromkeys(label for token in tokens for label in token.attributions))
    if not labels:
        findings.refuse("explanation", "", _("No token has a score."))
    attributions = []
    for label in labels:
        parts = [_part(of_field, label, segments.get(name)) for name, of_field in row.explanation.items()]
        check_scores([score for part in parts for score in part.scores], findings, f"attributions.{label}")
        attributions.append(SourceAttribution(tuple(parts), file.label(label, "attributions", findings)))
    run = file.run(findings)
    if run is not None:
        text = tuple(token.token for token in tokens)
        yield file.output(record, run, text, findings, attributions, _predictions(row, file, findings))


def _part(tokens: Sequence[_Token], label: str, segment: str | None) -> ScoredPart:
    scores = tuple(token.attributions.get(label, 0.0) for token in tokens)
    return ScoredPart(scores, segment, tuple(Subword(token.token) for token in tokens))


def _segments_of_names(names: Sequence[str], file: OutputFile, findings: Findings) -> dict[str, str | None]:
    """The segment of each field; a single field may be called as it likes."""
    task = file.options.task
    segments = {name: segment_of(task, name) for name in names}
    known, counts = listed([spec.name for spec in task.segments]), Counter(segments.values())
    for name, segment in segments.items() if len(names) > 1 else ():
        if segment is None:
            findings.refuse("explanation", name, _("No such segment, only {known}.", known=known))
        elif counts[segment] > 1:
            findings.refuse("explanation", name, _("Segment '{segment}' has two fields. Remove one.", segment=segment))
    return segments


def _predictions(row: _Row, file: OutputFile, findings: Findings) -> list[Prediction]:
    if not row.prediction:
        return []
    answers = [answer if isinstance(answer, _Answer) else _Answer(*answer) for answer in row.prediction]
    probabilities = {file.label(answer.label, "prediction", findings): answer.score for answer in answers}
    return [Prediction(max(probabilities, key=lambda label: probabilities[label]), probabilities)]
