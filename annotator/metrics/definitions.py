"""What a metric says of itself: name, title, bounds, direction, when it is undefined, source."""

import re
from dataclasses import dataclass
from typing import Literal

from annotator.metrics.plain_words import in_plain_words

Direction = Literal["higher is better", "lower is better", "neither"]
_AS_THEY_ARE = re.compile(r"[^a-z]*(?:[a-z][^a-z]+)*[a-z]?|.*(?:\b(?:19|20)\d\d\b|\.py\b).*")  # MAP; a paper, a script


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric.

    name:       unique, as commands and files write it: family and measure, such as "eraser.token_f1"
    title:      as a screen writes it
    definition: what is computed, in a sentence or a formula
    lowest, highest: the bounds; None where there is none
    undefined:  when there is no value, and what is done then
    source:     paper and section, or the program whose number it is
    version:    raised whenever the same input comes to another value; signatures name it
    """

    name: str
    title: str
    definition: str
    direction: Direction
    lowest: float | None
    highest: float | None
    undefined: str
    source: str
    version: int = 1

    @property
    def words(self) -> tuple[str, ...]:
        """What screens say of it, in English and by clauses, which many metrics share: the catalogues gather these.

        Returns () where no screen says anything of it. Papers, scripts and abbreviations are called the same in all languages.
        """
        plain = self.in_plain_words
        if plain is None:
            return ()
        texts = f"{self.definition}; {self.undefined}; {self.source}"
        clauses = (*self.title.split(", "), *plain.split(": "), *texts.split("; "))
        return tuple(clause for clause in clauses if not _AS_THEY_ARE.fullmatch(clause))

    @property
    def in_plain_words(self) -> str | None:
        """What it tells, in a sentence for newcomers; None of a metric that no table of a project has."""
        return in_plain_words(self.name)
