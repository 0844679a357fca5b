"""The format `xai-benchmark` (JSON lines): a score for each subword of an input and each class.

    {"tokens": [{"token": "[CLS]", "0": 0.14, "1": 0.22}, ...]}

Source: Atanasova et al. 2020, A Diagnostic Study of Explainability Techniques for Text Classification; its files
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.models import SourceAttribution, SourceOutput
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_scores, read_json, subwords_part
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.json_files import Record
from annotator.formats.rows.lines import convert
from annotator.language import _

_EXAMPLE = '{"tokens": [{"token": "good", "0": 0.1, "1": -0.1}, ...]}'


class _Row(msgspec.Struct):
    tokens: list[dict[str, Any]]


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of such a file, one for each class.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    return read_json(path, options, "xai-benchmark", _take, _("Write JSON lines like {example}.", example=_EXAMPLE))


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    row = convert(record.values, _Row, findings)
    if row is None:
        return
    classes = [name for name in row.tokens[0] if name != "token"] if row.tokens else []
    for number, token in enumerate(row.tokens):
        if set(token) != {"token", *classes}:
            reason = _("Each token needs text and a score per class ({names}).", names=listed(classes))
            findings.refuse(f"tokens[{number}]", token, reason)
            return
    if not classes:
        findings.refuse("tokens", row.tokens, _("No token has a score."))
        return
    tokens = convert([token["token"] for token in row.tokens], list[str], findings)
    attributions = []
    for name in classes:
        scores = convert([token[name] for token in row.tokens], list[float], findings)
        if tokens is not None and scores is not None:
            check_scores(scores, findings, f"tokens.{name}")
            label = file.class_label(name, "tokens", findings)
            attributions.append(SourceAttribution((subwords_part(tokens, scores),), label))
    run = file.run(findings)
    if run is not None:
        yield file.output(record, run, tuple(tokens or ()), findings, attributions)
