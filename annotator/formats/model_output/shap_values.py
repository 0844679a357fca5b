"""The format `shap`: fields of SHAP Explanations as JSON, or one Explanation as .npz; a score for each piece and class.

    {"values": [[float a class] a piece], "data": [str], "output_names": ["neg", "pos"], "base_values": [float]}

`values` may be one number a piece; values and data of several texts may stand in one object, text by text. Pieces keep their
blanks, special ones are "". `base_values`, `clustering` and `hierarchical_values` are left out. Pickles are refused.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.domain.models import SourceAttribution, SourceOutput
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.npz import read_arrays
from annotator.formats.model_output.output_rows import (
    OutputFile,
    check_lengths,
    check_scores,
    pieces_part,
    read_each,
    read_json,
)
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_records import Record
from annotator.formats.rows.lines import convert
from annotator.language import _, unsaid

_REMEDY = unsaid(
    'Write the fields as JSON: [{"values": e.values.tolist(), "data": list(e.data), "output_names": e.output_names}, ...].'
)
_FIELDS = ("values", "data", "output_names", "id")


class _Text(msgspec.Struct):
    values: list[float | list[float]]
    data: list[str]
    output_names: list[str | int] | str | None = None


class _Texts(msgspec.Struct):
    values: list[list[float | list[float]]]
    data: list[list[str]]
    output_names: list[str | int] | str | None = None


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The values of a file of SHAP's, one attribution for each class; they are signed.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    if path.suffix.lower() == ".npz":
        return _read_arrays(path, options)
    return read_json(path, options, "shap", _take, _(_REMEDY))


def _read_arrays(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    file = OutputFile(path.name, options, "shap")
    values = read_arrays(path, _FIELDS, _(_REMEDY))
    file.require_model()
    yield from read_each([Record(path.name, 1, values)], file, _take)


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    data = record.values.get("data") if isinstance(record.values, dict) else None
    run = file.run(findings, method=file.options.method or "shap", is_signed=True)
    if isinstance(data, list) and data and isinstance(data[0], list):
        texts = convert(record.values, _Texts, findings)
        if texts is None or not check_lengths("values", len(texts.values), "data", len(texts.data), findings):
            return
        rows = [_Text(v, d, texts.output_names) for v, d in zip(texts.values, texts.data, strict=True)]
    else:
        row = convert(record.values, _Text, findings)
        rows = [] if row is None else [row]
    for row in rows:
        if run is not None:
            yield file.output(record, run, tuple(row.data), findings, _attributions(row, file, findings))


def _attributions(row: _Text, file: OutputFile, findings: Findings) -> list[SourceAttribution]:
    if not check_lengths("values", len(row.values), "data", len(row.data), findings):
        return []
    by_class = _by_class(row, findings)
    names = row.output_names
    if names is None or isinstance(names, str):
        labels: list[int | str | None] = [names] if len(by_class) == 1 else list(range(len(by_class)))
    else:
        labels = list(names)
        check_lengths("output_names", len(labels), "values[0]", len(by_class), findings)
    attributions = []
    for label, scores in zip(labels, by_class, strict=False):
        check_scores(scores, findings, "values")
        name = file.label(label, "output_names", findings)
        attributions.append(SourceAttribution((pieces_part(row.data, scores),), name))
    return attributions


def _by_class(row: _Text, findings: Findings) -> list[list[float]]:
    """The values of each class, from one list a piece."""
    lists = [value if isinstance(value, list) else [value] for value in row.values]
    n_classes = len(lists[0]) if lists else 0
    odd = next((number for number, values in enumerate(lists) if len(values) != n_classes), None)
    if odd is not None or not n_classes:
        reason = _(
            "Every piece needs a value for each class, as many as the first one: {n_classes}.", n_classes=n_classes
        )
        findings.refuse(f"values[{odd or 0}]", row.values[odd or 0] if row.values else [], reason)
        return []
    return [list(values) for values in zip(*lists, strict=True)]
