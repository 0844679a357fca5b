"""Functional tests: cases, recipes, word lists; after CheckList (Ribeiro et al. 2020) and ER-TEST (Joshi et al. 2022)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unknown, unsaid

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


# How a functional test is made: its templates, or the change that is made to texts, and what is expected.


@dataclass(frozen=True, slots=True)
class Alternative:
    """One template of a test, and what is expected of its cases (see Case.labels)."""

    texts: tuple[Text, ...]
    labels: tuple[str, ...] = ()
    is_forbidden: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """A test before its cases are made.

    change: "", or what is done to the texts (see changes.find_change); the templates then have one text each
    labels: DIR: the label whose probability is watched
    about:  what it tests, in a sentence
    """

    name: str
    type: CaseType
    category: str
    expectation: Expectation
    alternatives: tuple[Alternative, ...]
    change: str = ""
    labels: tuple[str, ...] = ()
    tolerance: float = TOLERANCE
    applies: Applies = field(default_factory=Applies)
    about: str = ""

    def __post_init__(self) -> None:
        if self.expectation not in EXPECTATIONS[self.type]:
            allowed = listed(EXPECTATIONS[self.type], "or")
            raise InvalidValue(
                _(
                    "A {type} test expects {allowed}, not {expectation}.",
                    type=self.type,
                    allowed=allowed,
                    expectation=self.expectation,
                )
            )
        if not self.name.strip() or not self.category.strip():
            raise InvalidValue(_("Give the test a name and a capability."))
        if not 0 <= self.tolerance < 1:
            raise InvalidValue(_("Tolerance is a probability difference: 0 or more, below 1."))
        for alternative in self.alternatives:
            self._check(alternative)

    def _check(self, alternative: Alternative) -> None:
        n, label = len(alternative.texts), alternative.labels
        if self.type == "MFT" and (self.change or not label):
            raise InvalidValue(
                _("MFT tests can't be made by a change.")
                if self.change
                else _("Choose the expected label of the MFT test.")
            )
        if self.change and n != 1:
            raise InvalidValue(_("Changes need one text; '{name}' has {n}.", name=self.name, n=n))
        if self.type != "MFT" and not self.change and n < 2:
            raise InvalidValue(_("{type} tests need an original and perturbed texts.", type=self.type))


@dataclass(frozen=True, slots=True)
class ReadySuite:
    """A suite as it comes: its recipes, the word lists they ask for, and the labels they speak of.

    task: the task whose segments its texts have
    """

    name: str
    title: str
    task: str
    source: str
    labels: tuple[str, ...]
    words: Mapping[str, Sequence[str]]
    recipes: tuple[Recipe, ...]

    def recipe(self, name: str) -> Recipe:
        """The recipe of a name; raises NotFound naming those there are."""
        for recipe in self.recipes:
            if recipe.name == name:
                return recipe
        raise NotFound(unknown(_("test"), name, listed([recipe.name for recipe in self.recipes])))


# Word lists: what fills a template's slots, and what marks words in texts.


# keep: its words are proposed as a rationale; ignore: they are marked as no rationale; slot: they fill slots of templates.
WordListRole = Literal["keep", "ignore", "slot"]
WORD_LIST_ROLES = cast("tuple[WordListRole, ...]", get_args(WordListRole))
FORMS = "|"  # between the forms of one word: "big | small"

MOST_WORDS = 100_000
LONGEST_WORD = 500
_NAME = re.compile(r"[^\W\d](?:\w{0,58}[^\W\d])?")


@dataclass(frozen=True, slots=True)
class WordList:
    """Words under a name by which a template's slot asks for them.

    name:  letters and underscores, digits within; it does not end in a digit, which numbers copies of a slot
    words: in order, each once; forms of one word are parted by "|"
    """

    name: str
    language: str
    role: WordListRole
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidValue(
                _(
                    "Invalid list name '{name}'. Use up to 60 letters, digits and _; no digit first or last.",
                    name=self.name,
                )
            )
        if self.role not in WORD_LIST_ROLES:
            raise InvalidValue(
                _("A word list is for {roles}, not '{role}'.", roles=", ".join(WORD_LIST_ROLES), role=self.role)
            )
        if not 1 <= len(self.words) <= MOST_WORDS:
            raise InvalidValue(
                _(
                    "Word list '{name}' has {words}; use 1 to {most}.",
                    name=self.name,
                    words=counted(len(self.words), "word"),
                    most=f"{MOST_WORDS:,}",
                )
            )
        for word in self.words:
            _check(self.name, word)


def _check(name: str, word: str) -> None:
    if len(word) > LONGEST_WORD or not all(form.strip() for form in word.split(FORMS)):
        raise InvalidValue(
            _(
                "Word list '{name}': '{word}' needs 1 to {longest} characters.",
                name=name,
                word=word[:60],
                longest=LONGEST_WORD,
            )
        )


def words_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Words as people write them: white space around them falls away, empty lines and words that come again too.

    >>> words_of(["good ", "", "big |  small", "good"])
    ('good', 'big|small')
    """
    cleaned = (FORMS.join(" ".join(form.split()) for form in line.split(FORMS)) for line in lines)
    return tuple(dict.fromkeys(word for word in cleaned if word))
