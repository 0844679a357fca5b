"""How a functional test is made: its templates, or the change that is made to texts, and what is expected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.suites import EXPECTATIONS, TOLERANCE, Applies, CaseType, Expectation, Text
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed


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
                    "A test of type {type} expects {allowed}; not {expectation}.",
                    type=self.type,
                    allowed=allowed,
                    expectation=self.expectation,
                )
            )
        if not self.name.strip() or not self.category.strip():
            raise InvalidValue(_("A test has a name and a capability; write both."))
        if not 0 <= self.tolerance < 1:
            raise InvalidValue(_("A tolerance is a difference of probabilities, from 0 and below 1."))
        for alternative in self.alternatives:
            self._check(alternative)

    def _check(self, alternative: Alternative) -> None:
        n, label = len(alternative.texts), alternative.labels
        if self.type == "MFT" and (self.change or not label):
            raise InvalidValue(
                _("A test of type MFT compares nothing, so it cannot be made by a change.")
                if self.change
                else _("A test of type MFT expects a label; choose one.")
            )
        if self.change and n != 1:
            raise InvalidValue(
                _("What a change is made to is one text; a template of '{name}' has {n}.", name=self.name, n=n)
            )
        if self.type != "MFT" and not self.change and n < 2:
            raise InvalidValue(
                _("A test of type {type} compares changed texts with the original; write both.", type=self.type)
            )


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
        raise NotFound(
            _(
                "'{suite}' has no test '{test}'. It has {tests}.",
                suite=self.name,
                test=name,
                tests=listed([recipe.name for recipe in self.recipes]),
            )
        )
