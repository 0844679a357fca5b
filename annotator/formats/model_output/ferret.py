"""The format `ferret` (JSON): Explanations of ferret-xai as objects, a score for each subword.

    {"text": str, "tokens": [str], "scores": [float], "explainer": "LIME", "target": 1}

ferret divides scores by the sum of their sizes over all subwords, special ones too, unless it is asked not to. `rationale`
is left alone: it is a gold rationale.
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

_EXAMPLE = '[{"text": ..., "tokens": [...], "scores": [...], "explainer": ..., "target": ...}, ...]'


class _Explanation(msgspec.Struct):
    tokens: list[str]
    scores: list[float]
    explainer: str = ""
    target: int | str | None = None
    text: str | list[str] | None = None


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of a file of ferret's; the explainer is the method.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    return read_json(path, options, "ferret", _take, _("Write JSON like {example}.", example=_EXAMPLE))


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    row = convert(record.values, _Explanation, findings)
    if row is None or not check_lengths("tokens", len(row.tokens), "scores", len(row.scores), findings):
        return
    check_scores(row.scores, findings)
    label = file.class_label(row.target, "target", findings)
    run = file.run(findings, method=row.explainer)
    if run is not None:
        text = tuple(row.text) if isinstance(row.text, list) else row.text or tuple(row.tokens)
        attribution = SourceAttribution((subwords_part(row.tokens, row.scores),), label)
        yield file.output(record, run, text, findings, [attribution])
