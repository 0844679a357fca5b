"""The register of metrics: what each is, in one place that screens, commands and documents read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from annotator.errors import NotFound
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
    """

    name: str
    title: str
    definition: str
    direction: Direction
    lowest: float | None
    highest: float | None
    undefined: str
    source: str

    @property
    def in_plain_words(self) -> str | None:
        """What it tells, in a sentence for newcomers; None of a metric that no table of a project has."""
        return in_plain_words(self.name)


_DEFINITIONS: dict[str, Definition] = {}


def register(definitions: Iterable[Definition]) -> None:
    """Add definitions; each module of metrics does so for its own when it is loaded. A name stands for one thing."""
    for definition in definitions:
        known = _DEFINITIONS.setdefault(definition.name, definition)
        if known != definition:
            raise ValueError(f"two definitions of {definition.name}")


def definition_of(name: str) -> Definition:
    """A metric by name; raises NotFound."""
    _load_all()
    try:
        return _DEFINITIONS[name]
    except KeyError:
        raise NotFound(f"There is no metric '{name}'. docs/metrics.md lists those there are.") from None


def all_definitions() -> list[Definition]:
    """Every metric, by family and name."""
    _load_all()
    return sorted(_DEFINITIONS.values(), key=lambda definition: definition.name)


def _load_all() -> None:
    """Each family registers its own definitions."""
