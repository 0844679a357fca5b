"""A second pass over chosen texts, in which all evidence is marked, so that their gold is exhaustive."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.instances import GoldChoice
from annotator.errors import InvalidValue
from annotator.language import _, unsaid

# How far a text of a pass is, or why its gold is not taken over.
CopyState = Literal[
    "waiting", "ready", "taken", "gold changed", "other result", "text changed", "discarded", "discarded in the pass"
]
COPY_STATES: Mapping[CopyState, str] = {
    "waiting": unsaid("to be annotated or decided"),
    "ready": unsaid("ready to adopt"),
    "taken": unsaid("adopted: the gold is exhaustive"),
    "gold changed": unsaid("gold changed in the first project since"),
    "other result": unsaid("result in the first project differs"),
    "text changed": unsaid("text changed in the first project"),
    "discarded": unsaid("discarded in the first project"),
    "discarded in the pass": unsaid("discarded in the pass"),
}


@dataclass(frozen=True, slots=True)
class EvidencePass:
    """The project of a second pass and the project whose texts it holds. is_automatic: what is accepted is taken over at once."""

    project_id: int
    project_name: str
    source_id: int
    is_automatic: bool
    made_by: str
    made_at: str


@dataclass(frozen=True, slots=True)
class EvidenceCopy:
    """A text of a second pass.

    result, copy_result: the gold result when it was copied, as the first project and the pass call it now
    gold:                the gold sets then, as JSON
    taken:               the version of the original that was made of the copy's gold; former_choice: what was chosen before
    """

    copy_id: int
    original_id: int
    result: str | None
    copy_result: str | None
    gold: str
    taken: int | None = None
    former_choice: GoldChoice | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which texts get the second pass. split None: of all splits; n None: all of them, else a sample that the seed draws."""

    split: str | None = None
    n: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n is not None and self.n < 1:
            raise InvalidValue(
                _("{name} is {value}; use {least} or more.", value=f"{self.n:,}", name=_("Number"), least=1)
            )
