"""Formats by name; a format's module is imported when it is asked for. How its files are recognised: `guess.py`."""

from importlib import import_module
from typing import cast

from annotator.errors import InvalidValue
from annotator.formats.base import OutputReader, Reader, Writer
from annotator.language import _, listed, unsaid

READERS: dict[str, str] = {
    "csv": "annotator.formats.rows.csv_rows:read",
    "jsonl": "annotator.formats.own.jsonl:read",
    "eraser": "annotator.formats.eraser.reader:read",
    "benchmark": "annotator.formats.benchmark.reader:read",
    "aesw": "annotator.formats.datasets.aesw:read",
    "hatexplain": "annotator.formats.datasets.hatexplain:read",
    "esnli": "annotator.formats.datasets.esnli:read",
    "fair-rationales": "annotator.formats.datasets.fair_rationales:read",
    "cose": "annotator.formats.datasets.cose:read",
    "contrast": "annotator.formats.contrast.reader:read",
    "label-studio": "annotator.formats.tools.label_studio:read",
    "doccano": "annotator.formats.tools.doccano:read",
    "argilla": "annotator.formats.tools.argilla:read",
    "prodigy": "annotator.formats.tools.prodigy:read",
    "conll": "annotator.formats.tools.conll:read",
}
# What models answer and give as their reasons.
OUTPUT_READERS: dict[str, str] = {
    "predictions": "annotator.formats.model_output.own_lines:read",
    "attributions": "annotator.formats.model_output.own_lines:read",
    "attributions-csv": "annotator.formats.model_output.attribution_rows:read",
    "eraser-predictions": "annotator.formats.eraser.output:read",
    "benchmark-predictions": "annotator.formats.benchmark.output:read",
    "benchmark-saliency": "annotator.formats.benchmark.output:read_saliency_output",
    "thermostat": "annotator.formats.model_output.thermostat:read",
    "xai-benchmark": "annotator.formats.model_output.xai_benchmark:read",
    "inseq": "annotator.formats.model_output.inseq:read",
    "shap": "annotator.formats.model_output.shap_values:read",
    "lime": "annotator.formats.model_output.lime_weights:read",
    "captum": "annotator.formats.model_output.captum_records:read",
    "transformers-interpret": "annotator.formats.model_output.captum_records:read_pairs",
    "ferret": "annotator.formats.model_output.ferret:read",
    "interpreto": "annotator.formats.model_output.interpreto:read",
    "argilla-attributions": "annotator.formats.model_output.argilla_attributions:read",
    "self-explanations": "annotator.formats.model_output.self_explanations:read",
}
# The format jsonl is written with annotator.formats.own.jsonl.write_own, since it holds more than gold.
WRITERS: dict[str, str] = {
    "eraser": "annotator.formats.eraser.writer:write",
    "benchmark": "annotator.formats.benchmark.writer:write",
    "benchmark-trustai": "annotator.formats.benchmark.writer:write_trustai",
    "contrast": "annotator.formats.contrast.reader:write",
    "label-studio": "annotator.formats.tools.label_studio:write",
    "doccano": "annotator.formats.tools.doccano:write",
    "argilla": "annotator.formats.tools.argilla:write",
    "prodigy": "annotator.formats.tools.prodigy:write",
    "csv": "annotator.formats.rows.set_table:write",
    "conll": "annotator.formats.tools.conll:write",
    "parquet": "annotator.formats.parquet.writer:write",
    "datasets": "annotator.formats.parquet.dataset_folder:write_datasets",
}


def get_reader(name: str) -> Reader:
    """The reader of a format; raises InvalidValue naming those there are."""
    refusal = unsaid("There is no format '{name}' that can be read. Choose one of {formats}.")
    return cast(Reader, _load(name, READERS, refusal))


def get_output_reader(name: str) -> OutputReader:
    """The reader of a format of model output; raises InvalidValue naming those there are."""
    refusal = unsaid("There is no format '{name}' that can be read as model output. Choose one of {formats}.")
    return cast(OutputReader, _load(name, OUTPUT_READERS, refusal))


def get_writer(name: str) -> Writer:
    """The writer of a format from gold; raises InvalidValue naming those there are."""
    refusal = unsaid("There is no format '{name}' that can be written. Choose one of {formats}.")
    return cast(Writer, _load(name, WRITERS, refusal))


def _load(name: str, modules: dict[str, str], refusal: str) -> object:
    if name not in modules:
        raise InvalidValue(_(refusal, name=name, formats=listed(list(modules))))
    module, _colon, function = modules[name].partition(":")
    return getattr(import_module(module), function)
