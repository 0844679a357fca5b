"""Formats by name; a format's module is imported when it is asked for."""

from importlib import import_module
from typing import cast

from annotator.errors import InvalidValue
from annotator.formats.base import OutputReader, Reader, Writer

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
# What models answer and give as their reasons.
OUTPUT_READERS: dict[str, str] = {
    "predictions": "annotator.formats.model_output:read",
    "attributions": "annotator.formats.model_output:read",
    "attributions-csv": "annotator.formats.attribution_rows:read",
    "eraser-predictions": "annotator.formats.eraser_output:read",
    "benchmark-predictions": "annotator.formats.benchmark_output:read",
    "benchmark-saliency": "annotator.formats.benchmark_output:read_saliency_output",
    "thermostat": "annotator.formats.thermostat:read",
    "xai-benchmark": "annotator.formats.xai_benchmark:read",
    "inseq": "annotator.formats.inseq:read",
    "shap": "annotator.formats.shap_values:read",
    "lime": "annotator.formats.lime_weights:read",
    "captum": "annotator.formats.captum_records:read",
    "transformers-interpret": "annotator.formats.captum_records:read_pairs",
    "ferret": "annotator.formats.ferret:read",
    "interpreto": "annotator.formats.interpreto:read",
    "argilla-attributions": "annotator.formats.argilla_attributions:read",
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


def get_output_reader(name: str) -> OutputReader:
    """The reader of a format of model output; raises InvalidValue naming those there are."""
    return cast(OutputReader, _load(name, OUTPUT_READERS, "read as model output"))


def get_writer(name: str) -> Writer:
    """The writer of a format from gold; raises InvalidValue naming those there are."""
    return cast(Writer, _load(name, WRITERS, "written"))


def _load(name: str, places: dict[str, str], verb: str) -> object:
    if name not in places:
        raise InvalidValue(f"There is no format '{name}' that can be {verb}. Choose one of {', '.join(places)}.")
    module, _, function = places[name].partition(":")
    return getattr(import_module(module), function)
