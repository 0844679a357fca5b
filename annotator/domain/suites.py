"""Functional tests: what a case asks of a model, after CheckList (Ribeiro et al. 2020) and ER-TEST (Joshi et al. 2022)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotator.language import _, unsaid

CaseType = Literal["MFT", "INV", "DIR"]
Expectation = Literal["label", "same", "not_up", "not_down"]
Verdict = Literal["passed", "failed", "not applicable"]
Text = str | Mapping[str, str]

EXPECTATIONS: dict[CaseType, tuple[Expectation, ...]] = {
    "MFT": ("label",),
    "INV": ("same",),
    "DIR": ("not_up", "not_down"),
}
# ER-TEST, section 3.2.3; a suite may have others
CAPABILITIES = (unsaid("Vocabulary"), unsaid("Robustness"), unsaid("Logic"), unsaid("Entity"))
TOLERANCE = 0.1  # CheckList's own


def capability_name(category: str) -> str:
    """A capability as it is shown: those of the papers have names in every language, a suite's own only theirs."""
    return _(category) if category in CAPABILITIES else category


@dataclass(frozen=True, slots=True)
class Applies:
    """Whether a case is judged: ever, and only where the label predicted for its first text is, or is not, one of these."""

    is_judged: bool = True
    original_is: tuple[str, ...] = ()
    original_is_not: tuple[str, ...] = ()

    def to(self, original: str) -> bool:
        """Whether the case is judged when its first text got this label.

        >>> Applies(original_is_not=("neutral",)).to("neutral")
        False
        """
        is_wanted = not self.original_is or original in self.original_is
        return self.is_judged and is_wanted and original not in self.original_is_not


@dataclass(frozen=True, slots=True)
class Case:
    """One case: texts, of which INV and DIR compare the later ones with the first, and what is expected of them.

    texts:  a text, or its segments by name
    labels: MFT: each text gets one of them, or (is_forbidden) not this one; DIR: the label whose probability is watched, ()
            for the one predicted for the first text
    edits:  what was changed, as the file gives it
    """

    test: str
    type: CaseType
    category: str
    case: str
    texts: tuple[Text, ...]
    expectation: Expectation
    labels: tuple[str, ...] = ()
    is_forbidden: bool = False
    tolerance: float = TOLERANCE
    applies: Applies = Applies()
    edits: object = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """What a model answers to one text of a case. probabilities: by label; None where the model does not give them."""

    label: str
    probabilities: Mapping[str, float] | None

    def p(self, label: str) -> float | None:
        """The probability of a label, if the model gives it."""
        return None if self.probabilities is None else self.probabilities.get(label)


@dataclass(frozen=True, slots=True)
class StoredTest:
    """A test of a suite without its cases.

    recipe: how the cases were made, as it was written down; {} of a test that came with a file
    """

    id: int
    suite_id: int
    name: str
    type: CaseType
    category: str
    n_cases: int
    n_texts: int
    recipe: Mapping[str, object]
    created_by: str
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredSuite:
    """A suite of a project, its tests in order."""

    id: int
    project_id: int
    name: str
    tests: tuple[StoredTest, ...]

    @property
    def n_cases(self) -> int:
        return sum(test.n_cases for test in self.tests)


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The answers of a model, with one seed ("" for none), to the tests of a suite.

    computed_by: the model that was asked here; None where a file brought the answers
    tests:       the numbers of the tests that it answered
    """

    id: int
    suite_id: int
    model: str
    seed: str
    computed_by: str | None
    tests: tuple[int, ...]


Answer = Sequence[CaseAnswer]  # one prediction for each text of a case


def watched_label(case: Case, answer: Answer) -> str:
    """The label whose probability is compared: the named one (DIR), or that predicted for the first text."""
    return case.labels[0] if case.labels else answer[0].label


def has_probabilities(answer: Answer) -> bool:
    return all(prediction.probabilities is not None for prediction in answer)
