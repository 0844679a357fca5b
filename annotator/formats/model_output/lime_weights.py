r"""The format `lime` (JSON): weights of words, as Explanation.as_map or as_list gives them, with the text.

    {"text": str, "bow": true, "as_map": {"1": [[word index, weight]]}, "as_list": {"1": [[word, weight]]}}

LIME's words are the runs of letters and digits in the text (it splits at \W+). With bow (its default) an index counts
different words by first appearance, and a weight is that of all occurrences: each gets it whole, as on LIME's own page.
Without bow an index counts words. as_list has no positions; as_map is taken where both are there. Words without a
weight have 0. `score` (local R2) becomes the fact `r2`; `intercept` is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.models import Facts, ScoredPart, SourceAttribution, SourceOutput, Subword, facts_from
from annotator.domain.numbers import by_key, counted
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.output_rows import OutputFile, check_scores, read_json
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.json_files import Record
from annotator.formats.rows.lines import convert
from annotator.language import _, unsaid

_EXAMPLE = '[{"text": ..., "bow": true, "as_map": {"1": [[word index, weight], ...]}}, ...]'
_PART = re.compile(r"(?P<word>\w+)|\W+")
_SPREAD = unsaid("Repeated words (bow): each occurrence gets LIME's weight.")
Weights = list[tuple[str, float]]


class _Explanation(msgspec.Struct):
    text: str
    as_map: dict[str, list[tuple[int, float]]] | None = None
    as_list: dict[str, Weights] | Weights | None = None
    bow: bool | None = None
    label: int | str | None = None
    score: Any = None


@dataclass(frozen=True, slots=True)
class _Words:
    """A text as LIME cuts it. parts: words and what stands between them; word_indices: of each word among the parts."""

    parts: tuple[str, ...]
    word_indices: tuple[int, ...]

    @staticmethod
    def of(text: str) -> "_Words":
        parts = [match for match in _PART.finditer(text) if match["word"] or not match.group().isspace()]
        return _Words(
            tuple(match.group() for match in parts), tuple(index for index, match in enumerate(parts) if match["word"])
        )

    def occurrences(self) -> dict[str, list[int]]:
        """Where each different word stands, in the order of first appearance."""
        return by_key((self.parts[index], index) for index in self.word_indices)


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The weights of a file of LIME's as scores of all its words; they are of probabilities, and signed.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    return read_json(path, options, "lime", _take, _("Write JSON like {example}.", example=_EXAMPLE))


def _take(record: Record, file: OutputFile, findings: Findings) -> Iterator[SourceOutput]:
    row = convert(record.values, _Explanation, findings)
    if row is None:
        return
    words = _Words.of(row.text)
    bow = _has_bow(row, words)
    if bow and any(len(indices) > 1 for indices in words.occurrences().values()):
        file.tell_once("as_map" if row.as_map is not None else "as_list", "", _(_SPREAD))
    attributions = []
    for name, weights in _by_class(row, words, bow, findings).items():
        label = file.class_label(name, "label", findings)
        scores = tuple(weights.get(index, 0.0) for index in range(len(words.parts)))
        check_scores(scores, findings, "weights")
        part = ScoredPart(scores, subwords=tuple(Subword(text) for text in words.parts))
        attributions.append(SourceAttribution((part,), label, facts=_r2(row, name)))
    parameters = {} if row.bow is None else {"bow": row.bow}
    method = file.options.method or "lime"
    run = file.run(findings, method=method, parameters=parameters, unit="probability", is_signed=True)
    if run is not None:
        yield file.output(record, run, row.text, findings, attributions)


def _r2(row: _Explanation, name: int | str | None) -> Facts:
    """The local R² of a class, where the record has it: one number, or one a class."""
    given = row.score.get(str(name)) if isinstance(row.score, dict) else row.score
    if not isinstance(given, int | float) or isinstance(given, bool):
        return ()
    return facts_from({"r2": float(given)})


def _has_bow(row: _Explanation, words: _Words) -> bool:
    """Whether a weight is one of all occurrences: as the record says, else unless an index or a repeated word denies it."""
    if row.bow is not None:
        return row.bow
    indices = [index for weights in (row.as_map or {}).values() for index, _ in weights]
    return max(indices, default=0) < len(words.occurrences())


def _by_class(
    row: _Explanation, words: _Words, bow: bool, findings: Findings
) -> dict[int | str | None, dict[int, float]]:
    """The weight of each part, by class."""
    if row.as_map is not None:
        occurrences = list(words.occurrences().values()) if bow else [[index] for index in words.word_indices]
        return {name: _of_map(name, weights, occurrences, findings) for name, weights in row.as_map.items()}
    if row.as_list is None:
        findings.refuse("as_map", "", _("Missing as_map (or as_list)."))
        return {}
    if isinstance(row.as_list, dict):
        return {name: _of_list(weights, words, findings) for name, weights in row.as_list.items()}
    return {row.label: _of_list(row.as_list, words, findings)}


def _of_map(
    name: str, weights: list[tuple[int, float]], occurrences: list[list[int]], findings: Findings
) -> dict[int, float]:
    weight_by_index: dict[int, float] = {}
    for number, (index, weight) in enumerate(weights):
        if not 0 <= index < len(occurrences):
            reason = _("LIME has {words} from 0. Check 'text' and 'bow'.", words=counted(len(occurrences), "word"))
            findings.refuse(f"as_map.{name}[{number}]", index, reason)
        elif occurrences[index][0] in weight_by_index:
            findings.refuse(f"as_map.{name}[{number}]", index, _("Duplicate. Keep one."))
        else:
            weight_by_index |= dict.fromkeys(occurrences[index], weight)
    return weight_by_index


def _of_list(weights: Weights, words: _Words, findings: Findings) -> dict[int, float]:
    occurrences = words.occurrences()
    missing = [word for word, _ in weights if word not in occurrences]
    repeated = sorted(word for word, n in Counter(word for word, _ in weights).items() if n > 1)
    if missing:
        findings.refuse("as_list", missing[0], _("Words not in LIME's text: {names}.", names=listed(missing)))
    if repeated:
        reason = _("Ambiguous weights of repeated {names}. Write as_map.", names=listed(repeated))
        findings.refuse("as_list", repeated[0], reason)
    return {index: weight for word, weight in weights for index in occurrences.get(word, ())}
