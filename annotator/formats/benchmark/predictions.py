"""The format `benchmark-predictions`: what a model answers and which tokens it points to, in three dialects.

PaddleNLP: {"id", "pred_label", "rationale": [[index, by importance]], "no_rationale": [[...]], "rationale_token": [[...]],
            "rationale_pred", "no_rationale_pred"}
TrustAI:   {"id", "pred_label", "pred_proba": [...], "rationale", "non_rationale", "rationale_tokens", "rationale_pred_proba",
            "non_rationale_pred_proba"}
The competition's upload: `id<TAB>label<TAB>i,j,k`, and for a pair a fourth column.

Names of both dialects may be mixed. Unknown keys are left alone.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from annotator.domain.models import Input
from annotator.domain.numbers import counted
from annotator.errors import Problem
from annotator.formats.benchmark.gold import n_sides_of
from annotator.formats.benchmark.records import N_DIGITS, Index, Shape, label_text
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import Row, convert, read_lines, read_rows
from annotator.language import _

Dialect = Literal["paddlenlp", "trustai", "mixed", "plain", "competition", "saliency"]  # plain: names that both have
Numbers = tuple[float, ...]

# What every row has, or none: our name, and what the dialects call it.
FIELDS: dict[str, tuple[str, ...]] = {
    "label": ("pred_label",),
    "rationale": ("rationale",),
    "rest": ("no_rationale", "non_rationale"),
    "tokens": ("rationale_token", "rationale_tokens"),
    "label_only": ("rationale_pred",),
    "label_rest": ("no_rationale_pred", "non_rationale_pred"),
    "p_full": ("pred_proba",),
    "p_only": ("rationale_pred_proba",),
    "p_rest": ("no_rationale_pred_proba", "non_rationale_pred_proba"),
}


_PADDLENLP = frozenset({"no_rationale", "rationale_token", "rationale_pred", "no_rationale_pred"})
_TRUSTAI = frozenset(
    {"non_rationale", "rationale_tokens", "pred_proba", "rationale_pred_proba", "non_rationale_pred_proba"}
)


class BenchmarkRow(msgspec.Struct):
    """A line as we write it: PaddleNLP's names, and TrustAI's for what only its evaluator reads."""

    id: int
    rationale: list[list[int]]
    no_rationale: list[list[int]]
    rationale_token: list[list[str]]
    pred_label: Index | UnsetType = UNSET
    rationale_pred: Index | UnsetType = UNSET
    no_rationale_pred: Index | UnsetType = UNSET
    pred_proba: list[float] | UnsetType = UNSET
    rationale_pred_proba: list[float] | UnsetType = UNSET
    non_rationale_pred_proba: list[float] | UnsetType = UNSET


# The fields of an answer's label and probabilities, by what was answered.
ANSWERS_ON: dict[Input, tuple[str, str]] = {
    "full": ("pred_label", "pred_proba"),
    "rationale": ("rationale_pred", "rationale_pred_proba"),
    "rest": ("no_rationale_pred", "non_rationale_pred_proba"),
}


class _Values(msgspec.Struct):
    """A row by our names."""

    id: Index
    label: Index | UnsetType = UNSET
    rationale: list[list[Index]] | UnsetType = UNSET
    rest: list[list[Index]] | UnsetType = UNSET
    tokens: list[list[str]] | UnsetType = UNSET
    label_only: Index | UnsetType = UNSET
    label_rest: Index | UnsetType = UNSET
    p_full: list[float] | UnsetType = UNSET
    p_only: list[float] | UnsetType = UNSET
    p_rest: list[float] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class RankedSide:
    """What a model points to in one side of an input; a reading's side is the passage, then the title.

    ranking: token indices as the file gives them, most important first; an index may repeat or lie outside of the text
    tokens:  what the file calls these tokens; None where it does not
    rest:    the other tokens; in their order of importance too where `is_rest_ranked`
    scores:  of `ranking`, then of `rest`; None where the file has none
    written_as_text: places in `ranking` whose index the file writes as text, which no program takes for a number
    """

    ranking: tuple[int, ...]
    tokens: tuple[str, ...] | None = None
    rest: tuple[int, ...] | None = None
    is_rest_ranked: bool = False
    scores: Numbers | None = None
    written_as_text: tuple[int, ...] = ()

    def full_ranking(self) -> tuple[int, ...] | None:
        """All tokens of the side by importance; None where the file does not rank each of them once."""
        if self.rest is None or not self.is_rest_ranked:
            return None
        every = self.ranking + self.rest
        return every if sorted(every) == list(range(len(every))) else None


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """What a model answers for one input and why; None for what the file does not hold.

    label, label_only, label_rest: on the whole input, on the rationale alone, on the rest, as the file writes them
    p_full, p_only, p_rest:        the probability of each label on the same three
    """

    key: str
    source: str
    line: int
    label: Index | None
    sides: tuple[RankedSide, ...] | None
    label_only: Index | None = None
    label_rest: Index | None = None
    p_full: Numbers | None = None
    p_only: Numbers | None = None
    p_rest: Numbers | None = None


@dataclass(frozen=True, slots=True)
class ModelOutputs:
    """The rows of a predictions file in their order; an id may stand twice."""

    source: str
    dialect: Dialect
    rows: tuple[ModelOutput, ...]
    problems: tuple[Problem, ...]


def read_predictions(path: Path, shape: Shape) -> ModelOutputs:
    """The rows of a predictions file, of whichever dialect, with everything that is wrong in it by itself.

    Raises: NotFound or InvalidValue when there is no such file
    """
    reader = _Reader(path.name, shape)
    first = next(read_lines(path), None)
    is_json = first is None or (first.content or b"").lstrip().startswith((b"{", b"["))
    for values in read_rows(path, path.name) if is_json else _upload_rows(path, n_sides_of(shape)):
        if isinstance(values, Problem):
            reader.problems.append(values)
        else:
            reader.add(values)
    reader.problems.extend(reader.fields_of_some_rows())
    dialect = reader.dialect() if is_json else "competition"
    return ModelOutputs(path.name, dialect, tuple(reader.rows), tuple(reader.problems))


def _upload_rows(path: Path, n_sides: int) -> Iterator[Row | Problem]:
    """Lines of the competition's upload as rows."""
    for line in read_lines(path):
        findings = Findings(path.name, line.number)
        try:
            cells = (line.content or b"").decode("utf-8").split("\t")
        except UnicodeDecodeError as error:
            findings.refuse("line", "", _("Byte {number} isn't UTF-8. Save as UTF-8.", number=error.start + 1))
            cells = []
        if cells and len(cells) != 2 + n_sides:
            form = ", ".join([_("id"), _("label"), *[_("token numbers")] * n_sides])
            reason = _(
                "Expected {n} columns ({form}), tab-separated; found {columns}.",
                columns=counted(len(cells), "column"),
                n=2 + n_sides,
                form=form,
            )
            findings.refuse("line", cells, reason)
        sides = [_indices_of(cell, findings) for cell in cells[2:]]
        yield from findings.problems
        if not findings.is_refused:
            yield Row(path.name, line.number, {"id": cells[0].strip(), "pred_label": cells[1], "rationale": sides})


def _indices_of(cell: str, findings: Findings) -> list[int]:
    """Token indices of one cell, parted by commas."""
    words = [word.strip() for word in cell.split(",")] if cell.strip() else []
    wrong = [word for word in words if _as_index(word) is None]
    if wrong:
        reason = _("Must be comma-separated token numbers by importance, no header.")
        findings.refuse("rationale", wrong[0], reason)
    return [_as_index(word) or 0 for word in words]


def _as_index(given: Index) -> int | None:
    text = str(given).strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= N_DIGITS else None


@dataclass(slots=True)
class _Reader:
    source: str
    shape: Shape
    problems: list[Problem] = field(default_factory=list)
    rows: list[ModelOutput] = field(default_factory=list)
    _lines: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in FIELDS})  # that have the field
    _every_line: list[int] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)

    def add(self, row: Row) -> None:
        """Take a row; what is wrong with it is noted."""
        findings = row.findings()
        named, names = _by_our_names(row.values, findings)
        values = convert(named, _Values, findings, names)
        if values is not None:
            self._every_line.append(row.line)
            self._names.update(names.values())
            for name, lines in self._lines.items():
                lines.extend([row.line] if name in named else ())
            output = self._output(row, values, findings, names)
            if not findings.is_refused:
                self.rows.append(output)
        self.problems.extend(findings.problems)

    def _output(self, row: Row, values: _Values, findings: Findings, names: dict[str, str]) -> ModelOutput:
        key = str(values.id)
        if not key:
            findings.refuse("id", values.id, _("Must not be empty."))
        sides = self._sides(values, findings, names)
        label, only, rest = (
            _given(label_given) for label_given in (values.label, values.label_only, values.label_rest)
        )
        p_full, p_only, p_rest = (
            _numbers(numbers_given) for numbers_given in (values.p_full, values.p_only, values.p_rest)
        )
        if self.shape == "reading":
            p_full = p_only = p_rest = None  # there are no probabilities of answers
        _check_probabilities(label, {"p_full": p_full, "p_only": p_only, "p_rest": p_rest}, names, findings)
        return ModelOutput(key, row.source, row.line, label, sides, only, rest, p_full, p_only, p_rest)

    def _sides(self, values: _Values, findings: Findings, names: dict[str, str]) -> tuple[RankedSide, ...] | None:
        if values.rationale is UNSET:
            return None
        rest = None if values.rest is UNSET else values.rest
        tokens = None if values.tokens is UNSET else values.tokens
        n_sides = n_sides_of(self.shape)
        lists: tuple[tuple[str, Sequence[object] | None], ...]
        lists = (("rationale", values.rationale), ("rest", rest), ("tokens", tokens))
        for name, given in lists:
            if given is not None and len(given) != n_sides:
                reason = _(
                    "Has {lists}; {n_sides} needed, one per side.", lists=counted(len(given), "list"), n_sides=n_sides
                )
                findings.refuse(names.get(name, name), given, reason)
        if findings.is_refused:
            return None
        is_ranked = names.get("rest") == "no_rationale"  # TrustAI's own tools sort theirs by position
        return tuple(
            RankedSide(
                _read_indices(values.rationale[side], f"rationale[{side}]", findings),
                None if tokens is None else tuple(tokens[side]),
                None if rest is None else _read_indices(rest[side], f"{names['rest']}[{side}]", findings),
                is_ranked and rest is not None,
                written_as_text=tuple(n for n, index in enumerate(values.rationale[side]) if isinstance(index, str)),
            )
            for side in range(n_sides)
        )

    def dialect(self) -> Dialect:
        """Whose names the rows have."""
        is_paddlenlp, is_trustai = not self._names.isdisjoint(_PADDLENLP), not self._names.isdisjoint(_TRUSTAI)
        if is_paddlenlp and is_trustai:
            return "mixed"
        return "paddlenlp" if is_paddlenlp else "trustai" if is_trustai else "plain"

    def fields_of_some_rows(self) -> Iterable[Problem]:
        """A program takes a field from every row, and stops at one without it."""
        for name, lines in self._lines.items():
            having = set(lines)
            for line in self._every_line if having else ():
                if line not in having:
                    reason = _(
                        "Line {line} has '{field}'. Add it everywhere or nowhere.", line=lines[0], field=FIELDS[name][0]
                    )
                    yield Problem(self.source, line, FIELDS[name][0], _("missing"), reason)


def _by_our_names(values: dict[str, Any], findings: Findings) -> tuple[dict[str, Any], dict[str, str]]:
    """The fields that are known here by our names, and what the row calls them."""
    named = {"id": values["id"]} if "id" in values else {}
    names: dict[str, str] = {"id": "id"}
    for name, spellings in FIELDS.items():
        for spelling in spellings:
            if spelling not in values:
                continue
            if name in named and named[name] != values[spelling]:
                findings.refuse(spelling, values[spelling], _("It contradicts '{field}'. Keep one.", field=names[name]))
            named[name], names[name] = values[spelling], spelling
    return named, names


def _read_indices(given: Sequence[Index], field_name: str, findings: Findings) -> tuple[int, ...]:
    read = []
    for number, given_index in enumerate(given):
        index = _as_index(given_index)
        if index is None:
            findings.refuse(f"{field_name}[{number}]", given_index, _("Must be an integer from 0."))
        read.append(index or 0)
    return tuple(read)


def _given(value: Index | UnsetType) -> Index | None:
    return None if value is UNSET else value


def _numbers(given: list[float] | UnsetType) -> Numbers | None:
    return None if given is UNSET else tuple(given)


def _check_probabilities(
    label: Index | None, given: dict[str, Numbers | None], names: dict[str, str], findings: Findings
) -> None:
    """The label's number has a probability in each list, and the lists are of the same labels."""
    full = given["p_full"]
    probabilities = [(names[name], numbers) for name, numbers in given.items() if numbers is not None]
    if probabilities and full is None:
        findings.refuse("pred_proba", _("missing"), _("Required with '{field}'.", field=probabilities[0][0]))
        return
    for name, numbers in probabilities:
        if len(numbers) != len(full or ()):
            findings.refuse(
                name,
                list(numbers),
                _(
                    "It has {n_numbers} numbers, but pred_proba has {n_full}.",
                    n_numbers=len(numbers),
                    n_full=len(full or ()),
                ),
            )
        if not all(math.isfinite(number) for number in numbers):
            findings.refuse(name, list(numbers), _("Must be a finite number."))
    number = None if label is None else _as_index(label_text(label))
    if full is not None and (number is None or not 0 <= number < len(full)):
        reason = _("Must be the number of a label ({labels}), from 0.", labels=counted(len(full), "label"))
        findings.refuse("pred_label", _("missing") if label is None else label, reason)
