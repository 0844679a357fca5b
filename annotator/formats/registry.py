"""Formats by name; a format's module is imported when it is asked for."""

from importlib import import_module
from typing import cast

from annotator.errors import InvalidValue
from annotator.formats.base import Reader, Writer

READERS: dict[str, str] = {
    "csv": "annotator.formats.csv_rows:read",
    "jsonl": "annotator.formats.jsonl:read",
    "eraser": "annotator.formats.eraser:read",
    "benchmark": "annotator.formats.benchmark:read",
    "aesw": "annotator.formats.aesw:read",
    "hatexplain": "annotator.formats.hatexplain:read",
    "esnli": "annotator.formats.esnli:read",
    "cose": "annotator.formats.cose:read",
    "contrast": "annotator.formats.contrast:read",
    "label-studio": "annotator.formats.label_studio:read",
    "doccano": "annotator.formats.doccano:read",
    "argilla": "annotator.formats.argilla:read",
}
# The format jsonl is written with annotator.formats.jsonl.write_own, since it holds more than gold.
WRITERS: dict[str, str] = {
    "eraser": "annotator.formats.eraser_writing:write",
    "benchmark": "annotator.formats.benchmark_writing:write",
    "benchmark-trustai": "annotator.formats.benchmark_writing:write_trustai",
    "contrast": "annotator.formats.contrast:write",
    "label-studio": "annotator.formats.label_studio:write",
    "doccano": "annotator.formats.doccano:write",
    "argilla": "annotator.formats.argilla:write",
    "parquet": "annotator.formats.parquet:write",
    "datasets": "annotator.formats.parquet:write_datasets",
}


def get_reader(name: str) -> Reader:
    """The reader of a format; raises InvalidValue naming those there are."""
    return cast(Reader, _load(name, READERS, "read"))


def get_writer(name: str) -> Writer:
    """The writer of a format from gold; raises InvalidValue naming those there are."""
    return cast(Writer, _load(name, WRITERS, "written"))


def _load(name: str, places: dict[str, str], verb: str) -> object:
    if name not in places:
        raise InvalidValue(f"There is no format '{name}' that can be {verb}. Choose one of {', '.join(places)}.")
    module, _, function = places[name].partition(":")
    return getattr(import_module(module), function)
