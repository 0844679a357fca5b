"""Suites of functional tests as JSONL, a case a line (docs/formats.md), after CheckList (Ribeiro et al. 2020).

    {"test": "intensifiers", "type": "DIR", "category": "Vocabulary", "case": 0,
     "texts": ["A good crew.", "A really good crew."], "expectation": "not_down", "label": null, "tolerance": 0.1,
     "applies": {"original_is_not": ["neutral"]}, "edits": [...]}

Other fields are left alone. `capability`, CheckList's word, is taken for `category`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from annotator.domain.suites import EXPECTATIONS, TOLERANCE, Applies, Case, CaseType, Expectation
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.files import new_file
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.language import _
from annotator.language import listed as listed_words

# What CheckList's released suite for sentiment expects (Ribeiro et al. 2020), where its cases as JSON do not say it.


LABELS: Mapping[str, str] = {"0": "negative", "1": "neutral", "2": "positive"}
NEUTRAL = "1"
_NOT_NEGATIVE = "not:0"

# By test: what is expected of the probability of the label that is predicted for the original.
DIRECTIONS: Mapping[str, Expectation] = {
    "intensifiers": "not_down",
    "reducers": "not_up",
    '"used to" should reduce': "not_up",
}
NOT_FOR_NEUTRAL = frozenset(
    {"intensifiers", "reducers"}
)  # where the original is predicted neutral, nothing is expected
# By test: the labels, where they are null.
EXPECTED: Mapping[str, str] = {
    "simple negations: not negative": _NOT_NEGATIVE,
    "simple negations: I thought x was negative, but it was not (should be neutral or positive)": _NOT_NEGATIVE,
    "Hard: Negation of negative with neutral stuff in the middle (should be positive or neutral)": _NOT_NEGATIVE,
}


_NOT = "not:"


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases of a file in order, and what is wrong with its lines."""

    source: str
    cases: tuple[Case, ...]
    problems: tuple[Problem, ...]
    is_checklist: bool = False  # CheckList's own suite for sentiment, whose labels are numbers


class _Applies(msgspec.Struct, omit_defaults=True):
    original_is: list[str | int] = []
    original_is_not: list[str | int] = []


class _Row(msgspec.Struct, omit_defaults=True):
    test: str
    type: str
    case: str | int
    texts: list[str | dict[str, str]]
    category: str | None = None
    capability: str | None = None
    expectation: str | None = None
    label: str | int | list[str | int] | None = None
    tolerance: float = TOLERANCE
    applies: bool | _Applies = True
    edits: Any = None


def read_suite(path: Path, expected: Mapping[str, str] = MappingProxyType({})) -> Suite:
    """The cases of a file; a line with a problem gives none.

    expected: by test, what its cases expect where they do not say it: not_up or not_down (DIR), a label or not:LABEL (MFT)
    Raises: NotFound or InvalidValue when there is no such file, or nothing in it
    """
    reader = _SuiteReader(expected)
    for row in read_rows(path, path.name):
        if isinstance(row, Problem):
            reader.problems.append(row)
        else:
            reader.add(row)
    if not reader.cases and not reader.problems:
        raise InvalidValue(_("No usable rows in '{path}' (see docs/formats.md).", path=path))
    return Suite(path.name, tuple(reader.cases), tuple(reader.problems), reader.is_checklist)


def is_suite(path: Path) -> bool:
    """Whether the first line of a file is a case, and not a prediction for one."""
    first = next(iter(read_rows(path, path.name)), None)
    return (
        isinstance(first, Row) and {"test", "type", "texts"} <= first.values.keys() and "position" not in first.values
    )


def write_suite(path: Path, cases: Iterable[Case]) -> None:
    """Write cases; they read back as equal ones.

    Raises: ExportRefused when the file cannot be written
    """
    with new_file(path) as file:
        for case in cases:
            file.write(msgspec.json.encode(_row_of(case)) + b"\n")


@dataclass(slots=True)
class _SuiteReader:
    expected: Mapping[str, str] = field(default_factory=dict)
    is_checklist: bool = False
    cases: list[Case] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _tests: dict[str, tuple[str, str, int]] = field(default_factory=dict)  # type, category, first line
    _lines: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take the case of a row, or note what is wrong with it."""
        findings = row.findings()
        read = convert(row.values, _Row, findings)
        if read is not None:
            self._complete(read)
        case = None if read is None else _case_of(read, row.line, findings)
        if case is not None:
            self._check_place(case, findings)
            if not findings.is_refused:
                self.cases.append(case)
        self.problems.extend(findings.problems)

    def _complete(self, row: _Row) -> None:
        """What a row does not say that is expected of its test: as it was asked for, else as CheckList's own suite has it."""
        is_open = row.expectation is None and row.label is None
        if not is_open or row.type == "INV":
            return
        said_for_test = self.expected.get(row.test)
        if row.type == "DIR":
            row.expectation = said_for_test or DIRECTIONS.get(row.test)
        else:
            row.label = said_for_test or EXPECTED.get(row.test)
        if said_for_test is None and row.test in {*DIRECTIONS, *EXPECTED}:
            self.is_checklist = True
            if row.test in NOT_FOR_NEUTRAL and row.applies is True:
                row.applies = _Applies(original_is_not=[NEUTRAL])

    def _check_place(self, case: Case, findings: Findings) -> None:
        """One test has one type and category, and each of its cases stands once."""
        line = self._lines.setdefault((case.test, case.case), case.line)
        if line != case.line:
            reason = _("Duplicate of line {line}. Keep one.", line=line)
            findings.refuse("case", case.case, reason)
        known_type, category, first = self._tests.setdefault(case.test, (case.type, case.category, case.line))
        for name, known, given in (("type", known_type, case.type), ("category", category, case.category)):
            if known != given:
                reason = _("Differs from line {line}. Make them agree.", line=first)
                findings.refuse(name, given, reason)


def _case_of(row: _Row, line: int, findings: Findings) -> Case | None:
    category = row.category if row.category is not None else row.capability
    for name, value in (("test", row.test), ("case", str(row.case)), ("category", category or "")):
        if not value.strip():
            findings.refuse(name, value, _("Must not be empty."))
    if row.type not in EXPECTATIONS:
        findings.refuse("type", row.type, _("Available types: {types}.", types=listed(list(EXPECTATIONS))))
        return None
    kind: CaseType = row.type
    _check_texts(kind, row.texts, findings)
    expectation = _expectation(kind, row.expectation, findings)
    labels, is_forbidden = _labels(kind, row.label, findings)
    if not 0 <= row.tolerance < 1:
        findings.refuse("tolerance", row.tolerance, _("Tolerance is a probability difference: 0 or more, below 1."))
    if findings.is_refused or expectation is None or category is None:
        return None
    return Case(
        row.test, kind, category, str(row.case), tuple(row.texts), expectation, labels, is_forbidden, row.tolerance,
        _applies(row.applies), row.edits, line,
    )  # fmt: skip


def _check_texts(kind: CaseType, texts: list[str | dict[str, str]], findings: Findings) -> None:
    n_needed = 1 if kind == "MFT" else 2
    if len(texts) < n_needed:
        reason = (
            _("A {kind} case needs one text.", kind=kind)
            if n_needed == 1
            else _("A {kind} case needs the original and a perturbed text.", kind=kind)
        )
        findings.refuse("texts", texts, reason)
    for number, text in enumerate(texts):
        if text == {}:
            findings.refuse(f"texts[{number}]", text, _("No segment. Write {segment: text}, or only the text."))


def _expectation(kind: CaseType, given: str | None, findings: Findings) -> Expectation | None:
    known = EXPECTATIONS[kind]
    if given is None and len(known) == 1:
        return known[0]
    if given not in known:
        findings.refuse("expectation", given or "", _missing_expectation(kind, known))
        return None
    return given


def _missing_expectation(kind: CaseType, known: tuple[Expectation, ...]) -> str:
    return _(
        "{kind} cases need the expectation {expectations} (--expect).",
        kind=kind,
        expectations=listed_words(known, "or"),
    )


def _labels(
    kind: CaseType, given: str | int | list[str | int] | None, findings: Findings
) -> tuple[tuple[str, ...], bool]:
    """The labels of a case, and whether they are forbidden. What an INV case says is not looked at."""
    if kind == "INV" or (kind == "DIR" and given is None):
        return (), False
    if kind == "DIR":
        if isinstance(given, list) or str(given).startswith(_NOT):
            findings.refuse("label", given, _("DIR cases watch one label, or (null) the first text's."))
        return (str(given),), False
    if given is None or given == [] or given in ("", _NOT):
        findings.refuse(
            "label", "" if given is None else given, _("MFT cases need a label, list or not:LABEL (--expect).")
        )
    if isinstance(given, list):
        return tuple(str(label) for label in given), False
    text = str(given)
    return ((text.removeprefix(_NOT),), True) if text.startswith(_NOT) else ((text,), False)


def _applies(given: bool | _Applies) -> Applies:
    if isinstance(given, bool):
        return Applies(given)
    return Applies(True, tuple(map(str, given.original_is)), tuple(map(str, given.original_is_not)))


def _row_of(case: Case) -> _Row:
    label: str | list[str | int] | None = list(case.labels) or None
    if case.is_forbidden:
        label = _NOT + case.labels[0]
    elif len(case.labels) == 1 and not case.labels[0].startswith(_NOT):
        label = case.labels[0]
    applies: bool | _Applies = case.applies.is_judged
    if case.applies.original_is or case.applies.original_is_not:
        applies = _Applies(list(case.applies.original_is), list(case.applies.original_is_not))
    return _Row(
        case.test, case.type, case.case, [text if isinstance(text, str) else dict(text) for text in case.texts],
        case.category, None, case.expectation, label, case.tolerance, applies, case.edits,
    )  # fmt: skip
