"""Functional tests: what a case asks of a model, after CheckList (Ribeiro et al. 2020) and ER-TEST (Joshi et al. 2022)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

CaseType = Literal["MFT", "INV", "DIR"]
Expectation = Literal["label", "same", "not_up", "not_down"]
Text = str | Mapping[str, str]

EXPECTATIONS: dict[CaseType, tuple[Expectation, ...]] = {
    "MFT": ("label",),
    "INV": ("same",),
    "DIR": ("not_up", "not_down"),
}
CAPABILITIES = ("Vocabulary", "Robustness", "Logic", "Entity")  # ER-TEST, section 3.2.3; a suite may have others
TOLERANCE = 0.1  # CheckList's own


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
