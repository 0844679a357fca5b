"""The format `interpreto` (JSON): AttributionOutputs of interpreto, a score for each class and element.

    {"method": str, "text": str, "elements": [str], "attributions": [[float]], "targets": [int], "granularity": "WORD"}

Elements are tokens, words or sentences; none is special. `attributions` may be one list where there is one class.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.domain.models import SourceAttribution, SourceOutput
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_lengths, check_scores, read_json, subwords_part
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_files import Record
from annotator.formats.rows.lines import convert
from annotator.language import _

_EXAMPLE = '[{"elements": [...], "attributions": [[...]], "targets": [...], "method": ...}, ...]'


class _Output(msgspec.Struct):
    elements: list[str]
    attributions: list[list[float] | float]
    targets: list[int | str] | int | str | None = None
    method: str = ""
    granularity: str | None = None
    text: str | None = None


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of a file of interpreto's, one for each class that is explained.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    return read_json(path, options, "interpreto", _take, _("Write JSON like {example}.", example=_EXAMPLE))


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    row = convert(record.values, _Output, findings)
    if row is None:
        return
    by_class = _by_class(row, findings)
    labels = _labels(row, len(by_class), file, findings)
    attributions = []
    for number, (scores, label) in enumerate(zip(by_class, labels, strict=False)):
        if check_lengths(f"attributions[{number}]", len(scores), "elements", len(row.elements), findings):
            check_scores(scores, findings, f"attributions[{number}]")
            attributions.append(SourceAttribution((subwords_part(row.elements, scores),), label))
    parameters = {} if row.granularity is None else {"granularity": row.granularity}
    run = file.run(findings, method=row.method, parameters=parameters)
    if run is not None:
        yield file.output(record, run, row.text or tuple(row.elements), findings, attributions)


def _by_class(row: _Output, findings: Findings) -> list[list[float]]:
    lists = [scores for scores in row.attributions if isinstance(scores, list)]
    if not lists:
        return [[scores for scores in row.attributions if not isinstance(scores, list)]]
    if len(lists) < len(row.attributions):
        findings.refuse("attributions", row.attributions, _("Must be one list, or one per class."))
    return lists


def _labels(row: _Output, n_classes: int, file: OutputFile, findings: Findings) -> list[str]:
    """The explained classes; without targets, several are numbered and a single one has no name."""
    if row.targets is None:
        targets: list[int | str] = list(range(n_classes))
        return [file.class_label(target, "targets", findings) for target in targets] if n_classes > 1 else [""]
    targets = row.targets if isinstance(row.targets, list) else [row.targets]
    check_lengths("targets", len(targets), "attributions", n_classes, findings)
    return [file.class_label(target, "targets", findings) for target in targets]
