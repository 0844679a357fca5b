"""The format `thermostat` (JSON lines): a score for each token id of an input, for the class that the model predicts.

    {"idx": 0, "attributions": [float], "input_ids": [int], "label": int, "predictions": [float a class]}

Ids become subwords by a vocabulary (options.vocabulary). `label` is the data set's and is left alone.
Source: Feldhus et al. 2021, Thermostat; records as of its version 1.1.0
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from annotator.domain.models import Prediction, ScoredPart, SourceAttribution, SourceOutput, Subword
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import VOCABULARY_NAMES, OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_lengths, check_scores, read_json
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.json_files import Record, read_content
from annotator.formats.rows.lines import convert
from annotator.language import _
from annotator.text.subword_forms import PAD_TEXTS

# The texts of token ids, for files that hold ids alone: vocab.txt, vocab.json or tokenizer.json of a tokeniser.


def read_vocabulary(path: Path) -> Mapping[int, str]:
    """The text of each id: a token a line (the first is id 0), or JSON, {token: id}, {id: token} or a tokenizer.json.

    Raises: NotFound or InvalidValue when the file cannot be read as one of these
    """
    content = read_content(path)
    if path.suffix.lower() == ".json" or content.lstrip().startswith(b"{"):
        return _from_json(path, content)
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidValue(
            _("'{path}' isn't UTF-8 (byte {start}). Save it as UTF-8.", path=path, start=error.start + 1)
        ) from None
    return {number: line.removesuffix("\r") for number, line in enumerate(lines)}


def _from_json(path: Path, content: bytes) -> Mapping[int, str]:
    try:
        values = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if "model" in values:
            return _from_tokenizer(values)
        first = next(iter(values.values()), None)
        if first is not None and bytes(first).startswith(b'"'):
            return {int(number): text for number, text in msgspec.json.decode(content, type=dict[str, str]).items()}
        return {number: text for text, number in msgspec.json.decode(content, type=dict[str, int]).items()}
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
        reason = _("Must be a token per line or {example}: {error}.", example="{token: id}", error=error)
        raise InvalidValue(_("'{path}' is not a vocabulary. {reason}", path=path, reason=reason)) from None


class _Added(msgspec.Struct):
    id: int
    content: str


class _Model(msgspec.Struct):
    vocab: dict[str, int] | list[tuple[str, float]]  # of WordPiece and BPE, of Unigram


def _from_tokenizer(values: Mapping[str, msgspec.Raw]) -> Mapping[int, str]:
    vocab = msgspec.json.decode(values["model"], type=_Model).vocab
    if isinstance(vocab, dict):
        text_by_number = {number: text for text, number in vocab.items()}
    else:
        text_by_number = {number: text for number, (text, _) in enumerate(vocab)}
    added = msgspec.json.decode(values["added_tokens"], type=list[_Added]) if "added_tokens" in values else []
    return text_by_number | {added_token.id: added_token.content for added_token in added}


_EXAMPLE = '{"idx": 0, "attributions": [...], "input_ids": [...], "predictions": [...]}'


class _Row(msgspec.Struct):
    attributions: list[float]
    input_ids: list[int]
    predictions: list[float] = []


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The attributions of a Thermostat file, or of a folder of it and its vocabulary.

    A record without padding may have been cut by the model. `idx` may be the number of a row in the data set alone.

    Raises: NotFound or InvalidValue when the file cannot be read, or model or vocabulary are not named
    """
    files = sorted(path.iterdir()) if path.is_dir() else []
    if len(files) == 2 and len(vocabularies := [file for file in files if file.name in VOCABULARY_NAMES]) == 1:
        [path] = set(files) - set(vocabularies)
        options = replace(options, vocabulary=options.vocabulary or vocabularies[0])
    if options.vocabulary is None:
        raise InvalidValue(
            _(
                "'{name}' has only token ids. Add vocab.txt, vocab.json or tokenizer.json (--vocabulary).",
                name=path.name,
            )
        )
    vocabulary = read_vocabulary(options.vocabulary)
    return read_json(
        path, options, "thermostat", partial(_take, vocabulary), _("Write JSON lines like {example}.", example=_EXAMPLE)
    )


def _take(
    vocabulary: Mapping[int, str], record: Record, file: OutputFile, findings: Findings
) -> Iterator[SourceOutput]:
    row = convert(record.values, _Row, findings)
    if row is None or not check_lengths(
        "attributions", len(row.attributions), "input_ids", len(row.input_ids), findings
    ):
        return
    check_scores(row.attributions, findings, "attributions")
    of_words = [
        (number, vocabulary.get(number), score) for number, score in zip(row.input_ids, row.attributions, strict=True)
    ]
    unknown = next((number for number, text, _ in of_words if text is None), None)
    if unknown is not None:
        findings.refuse("input_ids", unknown, _("Unknown token id. Use the model's own tokeniser."))
        return
    seen = [(text, score) for _, text, score in of_words if text is not None and text not in PAD_TEXTS]
    label = file.class_label(_largest(row.predictions), "predictions", findings)
    run = file.run(findings)
    if run is None:
        return
    part = ScoredPart(
        tuple(score for _, score in seen),
        subwords=tuple(Subword(text) for text, _ in seen),
        is_partial=len(seen) == len(of_words),
    )
    predictions = _predictions(row.predictions, label, file, findings)
    yield file.output(
        record, run, tuple(row.input_ids), findings, [SourceAttribution((part,), label)], predictions, is_numbered=True
    )


def _largest(scores: Sequence[float]) -> int | None:
    return max(range(len(scores)), key=lambda number: scores[number]) if len(scores) > 1 else None


def _predictions(scores: Sequence[float], label: str, file: OutputFile, findings: Findings) -> tuple[Prediction, ...]:
    """The answer; its scores are logits, whose softmax are the probabilities, unless they are probabilities themselves."""
    if len(scores) < 2:
        return ()
    labels = [file.class_label(number, "predictions", findings) for number in range(len(scores))]
    if min(scores) >= 0 and abs(math.fsum(scores) - 1) < 1e-3:
        shares = list(scores)
    else:
        powers = [math.exp(score - max(scores)) for score in scores]
        shares = [power / math.fsum(powers) for power in powers]
    return (Prediction(label, dict(zip(labels, shares, strict=True))),)
