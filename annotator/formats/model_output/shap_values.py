"""The format `shap`: fields of SHAP Explanations as JSON, or one Explanation as .npz; a score for each subword and class.

    {"values": [[float a class] a subword], "data": [str], "output_names": ["neg", "pos"], "base_values": [float]}

`values` may be one number a subword; values and data of several texts may stand in one object, text by text. Subwords keep their
blanks, special ones are "". `base_values`, `clustering` and `hierarchical_values` are left out. Pickles are refused.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import msgspec

from annotator.domain.models import SourceAttribution, SourceOutput
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output import output_rows
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_files import Record
from annotator.formats.rows.lines import check_file, convert
from annotator.language import _

# Arrays of an .npz file, read by hand: what a header claims is compared with what is there before anything is made.


_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    r"\{'descr': '(?P<type>[<>|=]?(?:f[248]|[iu][1248]|b1|U[0-9]{1,6}))', 'fortran_order': (?P<order>True|False), "
    r"'shape': \((?P<shape>(?:[0-9]{1,18},? ?){0,8})\),? *\}"
)
MAX_BYTES = 256 * 2**20  # as lists of Python's numbers they take several times as much


def read_arrays(path: Path, names: Sequence[str], remedy: str) -> dict[str, Any]:
    """The arrays of these names, of those that are there, as lists; objects are never unpickled.

    remedy: how else such values can be written, as a sentence
    Source: the format of NumPy's files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html)
    Raises: NotFound or InvalidValue when the file cannot be read, or holds more than 256 MB
    """
    check_file(path)
    try:
        with ZipFile(path) as archive:
            wanted = {name: f"{name}.npy" for name in names if f"{name}.npy" in archive.NameToInfo}
            if sum(archive.NameToInfo[entry].file_size for entry in wanted.values()) > MAX_BYTES:
                raise InvalidValue(_("'{path}' exceeds {size} MB. Split it.", path=path.name, size=MAX_BYTES // 2**20))
            return {name: _array(archive.read(entry)) for name, entry in wanted.items()}
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise InvalidValue(
            _(
                "'{name}' has no plain arrays ({problem}). {remedy}",
                name=path.name,
                problem=error or _("truncated"),
                remedy=remedy,
            )
        ) from None


def _array(content: bytes) -> Any:
    """The values of one array; raises ValueError when they are not plain, or not as many as its header claims."""
    import numpy as np  # noqa: PLC0415  (only where it is met)

    size = 2 if content[6:7] == b"\x01" else 4  # of the number that tells how long the header is
    begin = len(_MAGIC) + 2 + size
    end = begin + int.from_bytes(content[begin - size : begin], "little")
    header = _HEADER.fullmatch(content[begin:end].decode("latin-1").strip()) if content.startswith(_MAGIC) else None
    if header is None:
        raise ValueError(_("not a header for numbers or text"))
    dtype = np.dtype(header["type"])
    shape = tuple(int(n) for n in header["shape"].replace(",", " ").split())
    n_values, n_bytes = prod(shape), len(content) - end
    if n_values * max(1, dtype.itemsize) > n_bytes:
        raise ValueError(
            _(
                "the header claims {values} in only {bytes}",
                values=counted(n_values, "value"),
                bytes=counted(n_bytes, "byte"),
            )
        )
    if not n_values:
        return []  # whatever the other lengths are
    values = np.frombuffer(content, dtype=dtype, count=n_values, offset=end)
    return values.reshape(shape, order="F" if header["order"] == "True" else "C").tolist()


_EXAMPLE = '[{"values": e.values.tolist(), "data": list(e.data), "output_names": e.output_names}, ...]'
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
    return output_rows.read_json(path, options, "shap", _take, _("Write JSON like {example}.", example=_EXAMPLE))


def _read_arrays(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    file = output_rows.OutputFile(path.name, options, "shap")
    values = read_arrays(path, _FIELDS, _("Write JSON like {example}.", example=_EXAMPLE))
    file.require_model()
    yield from output_rows.read_each([Record(path.name, 1, values)], file, _take)


def _take(record: Record, file: output_rows.OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    data = record.values.get("data") if isinstance(record.values, dict) else None
    run = file.run(findings, method=file.options.method or "shap", is_signed=True)
    if isinstance(data, list) and data and isinstance(data[0], list):
        texts = convert(record.values, _Texts, findings)
        if texts is None or not output_rows.check_lengths(
            "values", len(texts.values), "data", len(texts.data), findings
        ):
            return
        rows = [_Text(v, d, texts.output_names) for v, d in zip(texts.values, texts.data, strict=True)]
    else:
        row = convert(record.values, _Text, findings)
        rows = [] if row is None else [row]
    for row in rows:
        if run is not None:
            yield file.output(record, run, tuple(row.data), findings, _attributions(row, file, findings))


def _attributions(row: _Text, file: output_rows.OutputFile, findings: Findings) -> list[SourceAttribution]:
    if not output_rows.check_lengths("values", len(row.values), "data", len(row.data), findings):
        return []
    by_class = _by_class(row, findings)
    names = row.output_names
    if names is None or isinstance(names, str):
        labels: list[int | str | None] = [names] if len(by_class) == 1 else list(range(len(by_class)))
    else:
        labels = list(names)
        output_rows.check_lengths("output_names", len(labels), "values[0]", len(by_class), findings)
    attributions = []
    for label, scores in zip(labels, by_class, strict=False):
        output_rows.check_scores(scores, findings, "values")
        name = file.class_label(label, "output_names", findings)
        attributions.append(SourceAttribution((output_rows.subwords_part(row.data, scores),), name))
    return attributions


def _by_class(row: _Text, findings: Findings) -> list[list[float]]:
    """The values of each class, from one list a subword."""
    lists = [value if isinstance(value, list) else [value] for value in row.values]
    n_classes = len(lists[0]) if lists else 0
    odd = next((number for number, values in enumerate(lists) if len(values) != n_classes), None)
    if odd is not None or not n_classes:
        reason = _("Every subword needs {n_classes} values, one per class.", n_classes=n_classes)
        findings.refuse(f"values[{odd or 0}]", row.values[odd or 0] if row.values else [], reason)
        return []
    return [list(values) for values in zip(*lists, strict=True)]
