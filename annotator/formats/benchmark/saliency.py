"""The format `benchmark-saliency`: a score for each token, in an object whose order of keys is the ranking.

Sentiment and reading: {"id", "pred_label", "probs", "char_attri": {"9": ["token", 0.26], "12": [...], ...}}
A pair of sentences:   {"id", "pred_label", "probs", "query_char_attri": {...}, "title_char_attri": {...}}

Keys are token indices. LSTM runs number a title's tokens on from the query's; here they begin at 0 again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from annotator.errors import Problem
from annotator.formats.benchmark.predictions import ModelOutput, Numbers, RankedSide
from annotator.formats.benchmark.records import N_DIGITS, Index, Shape
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.language import _

_ONE = ("char_attri",)
_PAIR = ("query_char_attri", "title_char_attri")


class _Answer(msgspec.Struct):
    id: Index
    pred_label: Index | UnsetType = UNSET
    probs: list[float] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class SalientSide:
    """The scored tokens of one side, in the file's order. Shapes: ranking, tokens and scores are parallel."""

    ranking: tuple[int, ...]
    tokens: tuple[str, ...]
    scores: Numbers

    @property
    def is_by_score(self) -> bool:
        """Whether the scores fall along the ranking, as the format says."""
        return all(score >= other for score, other in zip(self.scores, self.scores[1:], strict=False))

    def text(self) -> tuple[str, ...] | None:
        """The tokens in the order of the text; None unless each from the first to the last is there."""
        if sorted(self.ranking) != list(range(len(self.ranking))):
            return None
        ranks = {index: rank for rank, index in enumerate(self.ranking)}
        return tuple(self.tokens[ranks[index]] for index in range(len(self.ranking)))


@dataclass(frozen=True, slots=True)
class SaliencyRecord:
    """What a model answers for one input, and a score for each token of its sides; see SalientSide.

    has_moved_title: the file numbers the title's tokens on from the query's; here they are numbered from 0
    """

    key: str
    source: str
    line: int
    label: Index | None
    probabilities: Numbers | None
    sides: tuple[SalientSide, ...]
    has_moved_title: bool = False


@dataclass(frozen=True, slots=True)
class Saliency:
    """The rows of a saliency file in their order; an id may stand twice."""

    source: str
    rows: tuple[SaliencyRecord, ...]
    problems: tuple[Problem, ...]


def is_saliency(path: Path) -> bool:
    """Whether the first row that can be read of a file has scores of tokens.

    Raises: NotFound or InvalidValue when there is no such file
    """
    first = next((row for row in read_rows(path, path.name) if isinstance(row, Row)), None)
    return first is not None and not {*_ONE, *_PAIR}.isdisjoint(first.values)


def read_saliency(path: Path, shape: Shape) -> Saliency:
    """The rows of a saliency file, with everything that is wrong in it by itself.

    Raises: NotFound or InvalidValue when there is no such file
    """
    rows, problems = [], []
    for row in read_rows(path, path.name):
        if isinstance(row, Problem):
            problems.append(row)
            continue
        findings = row.findings()
        record = _record(row, shape, findings)
        if record is not None and not findings.is_refused:
            rows.append(record)
        problems.extend(findings.problems)
    return Saliency(path.name, tuple(rows), tuple(problems))


def _record(row: Row, shape: Shape, findings: Findings) -> SaliencyRecord | None:
    answer = convert(row.values, _Answer, findings)
    names = _PAIR if shape == "pair" else _ONE
    for name in names:
        if not isinstance(row.values.get(name), dict):
            reason = _("Must be like {example}.", example='{"3": ["good", 0.7], ...}')
            findings.refuse(name, row.values.get(name, _("missing")), reason)
    if answer is None or findings.is_refused:
        return None
    if answer.id == "":
        findings.refuse("id", answer.id, _("Must not be empty."))
    sides = [_side(row.values[name], name, findings) for name in names]
    is_moved = len(sides) == 2 and _goes_on(sides[0], sides[1])
    if is_moved:
        first, title = sides
        numbers = tuple(index - len(first.ranking) for index in title.ranking)
        sides = [first, SalientSide(numbers, title.tokens, title.scores)]
    label = None if answer.pred_label is UNSET else answer.pred_label
    probabilities = None if answer.probs is UNSET else tuple(answer.probs)
    return SaliencyRecord(str(answer.id), row.source, row.line, label, probabilities, tuple(sides), is_moved)


def _side(given: dict[str, Any], name: str, findings: Findings) -> SalientSide:
    ranking, tokens, scores = [], [], []
    for key, value in given.items():
        is_index = key.isascii() and key.isdigit() and len(key) <= N_DIGITS
        if not is_index:
            findings.refuse(f"{name}.{key}", value, _("Must be an integer from 0."))
        elif not _is_scored(value):
            findings.refuse(f"{name}.{key}", value, _("Must be like {example}.", example='["good", 0.7]'))
        else:
            ranking.append(int(key))
            tokens.append(value[0])
            scores.append(float(value[1]))
    if len(set(ranking)) != len(ranking):
        findings.refuse(name, list(given), _("Duplicate token number (7 and 07). Keep one."))
    return SalientSide(tuple(ranking), tuple(tokens), tuple(scores))


def _is_scored(value: object) -> bool:
    match value:
        case [str(), int() | float() as score]:
            return not isinstance(score, bool) and abs(score) <= _LARGEST and math.isfinite(score)
        case _:
            return False


_LARGEST = 1e300  # also keeps whole numbers from being too large for a float


def _goes_on(first: SalientSide, title: SalientSide) -> bool:
    """Whether the title's tokens are numbered on from the query's, each of both once."""
    n_first, n_title = len(first.ranking), len(title.ranking)
    is_whole = sorted(first.ranking) == list(range(n_first))
    return n_first > 0 < n_title and is_whole and sorted(title.ranking) == list(range(n_first, n_first + n_title))


def top_of(record: SaliencyRecord, shares: Sequence[Fraction]) -> tuple[ModelOutput, int]:
    """The record with the first ceil(n x share) of each side's n scored tokens as its rationale.

    Also how many tokens were left out that have the score of the last one taken.
    Source: PaddleNLP model_interpretation newp_text_generate.py, without the error of a share's binary form
    """
    sides, n_tied = [], 0
    for side, share in zip(record.sides, shares, strict=True):
        k = min(-(-len(side.ranking) * share.numerator // share.denominator), len(side.ranking))
        ranking, rest = side.ranking[:k], side.ranking[k:]
        n_tied += side.scores[k:].count(side.scores[k - 1]) if k else 0
        sides.append(RankedSide(ranking, side.tokens[:k], rest, is_rest_ranked=True, scores=side.scores))
    output = ModelOutput(
        record.key, record.source, record.line, record.label, tuple(sides), p_full=record.probabilities
    )
    return output, n_tied
