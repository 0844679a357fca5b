"""What a metric says of itself: name, title, bounds, direction, when it is undefined, source."""

from dataclasses import dataclass
from typing import Literal

from annotator.metrics.plain_words import in_plain_words

Direction = Literal["higher is better", "lower is better", "neither"]


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
        """What screens say of it, in English: the catalogues of other languages gather these; () where none says anything of it.

        In other languages its source names papers and files as they are called, and says the rest in that language.
        """
        plain = self.in_plain_words
        return () if plain is None else (self.title, plain, self.definition, self.undefined, self.source)

    @property
    def in_plain_words(self) -> str | None:
        """What it tells, in a sentence for newcomers; None of a metric that no table of a project has."""
        return in_plain_words(self.name)
