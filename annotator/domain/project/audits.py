"""An audit: a sample of the accepted changed versions of a project, judged by people who neither wrote nor checked them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.numbers import require_between
from annotator.domain.perturbations import PerturbationKind
from annotator.errors import InvalidValue
from annotator.language import _, unsaid

Fault = Literal["kind", "result", "rationale", "language", "other"]
Per = Literal["altogether", "of each kind"]
# What an audited version is by now; "changed": it says something else than what was judged, so the verdict is out of date.
ItemState = Literal["unjudged", "right", "wrong", "changed", "gone"]

FAULTS: Mapping[Fault, str] = {
    "kind": unsaid("the change doesn't match its type"),
    "result": unsaid("its label or answer is wrong"),
    "rationale": unsaid("the supporting words changed, but this type keeps them"),
    "language": unsaid("unnatural text"),
    "other": unsaid("something else, see the comment"),
}


def faults_of(kind: PerturbationKind) -> dict[Fault, str]:
    """The conditions of a kind that a version can fail."""
    return {fault: words for fault, words in FAULTS.items() if fault != "rationale" or kind.keeps_rationale}


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a sample is drawn: so many, or this share, of all versions together or of each kind. kinds (): of all."""

    per: Per = "altogether"
    n: int | None = 100
    percent: int | None = None
    kinds: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if (self.n is None) == (self.percent is None):
            raise InvalidValue(_("Give either the number or the share of versions."))
        if self.n is not None and self.n < 1:
            raise InvalidValue(
                _("{name} is {value}; use {least} or more.", value=f"{self.n:,}", name=_("Number of versions"), least=1)
            )
        if self.percent is not None:
            require_between(_("Share in %"), self.percent, 1, 100)

    def size(self, population: int) -> int:
        """How many are drawn of so many; of a share at least one.

        >>> Drawing(n=10).size(4), Drawing(n=None, percent=10).size(25), Drawing(n=None, percent=10).size(0)
        (4, 3, 0)
        """
        wanted = self.n if self.n is not None else -(-population * (self.percent or 0) // 100)
        return min(population, wanted)


@dataclass(frozen=True, slots=True)
class Audit:
    """A sample that was drawn; population: accepted versions by kind at that time."""

    id: int
    project_id: int
    drawing: Drawing
    population: Mapping[str, int]
    made_by: str
    made_at: str


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What somebody said of a version; texts: a digest of what it said then, result: its result then."""

    auditor: int
    auditor_name: str
    is_right: bool
    faults: tuple[Fault, ...]
    comment: str
    texts: str
    result: str | None
    judged_at: str


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A version in a sample. instance_id: what it had become when it was drawn."""

    audit_id: int
    position: int
    perturbation_id: int
    version: int
    kind: str
    instance_id: int
    held_by: int | None = None
    held_until: str | None = None
    verdict: AuditVerdict | None = None
