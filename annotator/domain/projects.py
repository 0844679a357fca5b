"""A project and the rules that its lead sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotator.domain.tasks import Task
from annotator.errors import InvalidValue

Order = Literal["sequential", "random"]
ResultMode = Literal["confirm", "contest", "give", "labels_only"]
GoldPolicy = Literal["chosen", "all", "majority", "union"]
GOLD_POLICIES: tuple[GoldPolicy, ...] = ("chosen", "all", "majority", "union")
DISCARD_REASONS: tuple[str, ...] = (
    "offensive",
    "names a person",
    "politics, weapons, drugs, violence, pornography",
    "broken text",
    "wrong language",
    "other",
)


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The rules of a project; every default is the papers' or the least surprising.

    result_mode: annotators confirm a given result, may contest it, give it themselves, or give only labels.
    may_be_empty: zero sets may be submitted as "no rationale in the text".
    required_segments, forbidden_segments: for a label, segments that some, or no, set must touch (e-SNLI).
    """

    order: Order = "sequential"
    seed: int = 0
    annotators_per_instance: int = 1
    reviewers_per_annotation: int = 0
    result_mode: ResultMode = "contest"
    may_be_empty: bool = False
    sets_may_cross_segments: bool = True
    required_segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forbidden_segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lease_minutes: int = 30
    idle_after_seconds: int = 60
    gold_policy: GoldPolicy = "chosen"
    is_exhaustive: bool = False
    researchers_see_submitted: bool = False

    def __post_init__(self) -> None:
        for name, lowest, highest in (
            ("annotators_per_instance", 1, 100),
            ("reviewers_per_annotation", 0, 100),
            ("lease_minutes", 1, 60 * 24 * 30),
            ("idle_after_seconds", 5, 3600),
        ):
            value = getattr(self, name)
            if not lowest <= value <= highest:
                raise InvalidValue(f"{name} is {value}; it must lie between {lowest} and {highest}.")


@dataclass(frozen=True, slots=True)
class Project:
    """One data set being built."""

    id: int
    name: str
    task: Task
    labels: tuple[str, ...]
    language: str
    settings: ProjectSettings
    guidelines: str = ""
    question: str = ""  # empty: the task's own
    licence: str = ""
    citation: str = ""

    @property
    def shown_question(self) -> str:
        return self.question or self.task.question
