"""What our own JSONL carries of a project beside its instances: header, lists, views, trainings, perturbations, its record."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotator.domain.instances import GoldInstance
from annotator.domain.models import HeldOut
from annotator.domain.perturbations import ChangedText, PerturbationState, Verdict
from annotator.domain.project.audits import Drawing, Fault
from annotator.domain.project.guidelines import GuidelinesVersion
from annotator.domain.project.qualification import Audience, Purpose, Spoiling
from annotator.domain.project.releases import FrozenGold, ReleaseRules
from annotator.domain.sufficient_sets import SufficientSets


@dataclass(frozen=True, slots=True)
class SourceProject:
    """The header of our own JSONL: what the project is and who takes part."""

    name: str
    task: str
    segments: tuple[Mapping[str, object], ...]
    labels: tuple[str, ...]
    language: str
    settings: Mapping[str, object]
    guidelines: str = ""
    question: str = ""
    licence: str = ""
    citation: str = ""
    members: tuple[tuple[str, str], ...] = ()  # (name, role)
    guidelines_versions: tuple[GuidelinesVersion, ...] = ()
    guidelines_read: tuple[tuple[str, int, str], ...] = ()  # (name, version, when)


@dataclass(frozen=True, slots=True)
class SourceEvent:
    """One line of the append-only record of who did what."""

    at: str
    actor: str
    action: str
    subject: str
    key: str
    detail: Mapping[str, object]
    split: str = ""


@dataclass(frozen=True, slots=True)
class SourceList:
    """A saved list of instances, which are named by (key, split) in its order (only our own JSONL carries it).

    by_user: whether made_by has an account here, and did not come with a file
    """

    name: str
    note: str
    made_by: str
    by_user: bool
    created_at: str
    changed_at: str
    members: tuple[tuple[str, str], ...] = ()
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceView:
    """A saved view of the Metrics page (only our own JSONL carries it). by_user: as in `SourceList`."""

    name: str
    query: str
    made_by: str
    by_user: bool
    created_at: str
    changed_at: str


@dataclass(frozen=True, slots=True)
class SourceQualification:
    """Training: rules, texts, and who may work (only our own JSONL carries it).

    rules:   of each audience that has any, by name
    members: key and split of each text; items: for each of them its purpose, how it is worsened, and the seed
    passed:  audience and name of those who passed or were let through
    """

    rules: Mapping[Audience, Mapping[str, bool | int]]
    members: tuple[tuple[str, str], ...]
    items: tuple[tuple[Purpose, Spoiling, int], ...]
    passed: tuple[tuple[Audience, str], ...]
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceRelease:
    """A release of gold, whose gold follows it (only our own JSONL carries it). by_user: as in `SourceList`."""

    number: int
    name: str
    rules: ReleaseRules
    gold: FrozenGold
    made_by: str
    by_user: bool
    created_at: str
    secret: bytes
    n_erased: int = 0
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceFrozen:
    """An instance of a release with its gold."""

    release: int
    gold: GoldInstance


@dataclass(frozen=True, slots=True)
class SourceTraining:
    """What a model that was trained in a project learned from (only our own JSONL carries it). members: (key, split)."""

    model: str
    digest: str
    seed: int
    split: str | None
    trained_at: str
    held_out: HeldOut | None
    members: tuple[tuple[str, str], ...] = ()
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceSufficientSets:
    """A model's own sets of an instance; parameters: how they were looked for, as JSON."""

    model: str
    parameters: str
    key: str
    split: str
    sets: SufficientSets
    source: str = ""
    line: int | None = None

    def rows(self) -> Iterator[dict[str, object]]:
        """Each set of either side, and what the model answers to it; comprehensive: of all sets of its side."""
        sets = self.sets
        for side, family in (("model", sets.own), ("people", sets.people)):
            for judged in family.sets if family is not None else ():
                yield {
                    "key": self.key, "split": self.split, "model": self.model, "params": self.parameters,
                    "label": sets.label, "p_full": sets.full, "p_empty": sets.p_empty, "threshold": sets.threshold,
                    "side": side, "tokens": list(judged.tokens), "p": judged.alone, "p_rest": judged.of_rest,
                    "sufficient": judged.is_sufficient(sets.threshold), "compact": judged.is_compact(sets.threshold),
                    "comprehensive": family is not None and family.is_comprehensive(sets.threshold),
                    "late": judged.is_late,
                }  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """One version of a perturbation."""

    by: str
    changed: ChangedText
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What somebody said of a version, which is named by its number from 1."""

    version: int
    by: str
    verdict: Verdict
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class SourcePerturbation:
    """A perturbation that was written here, with its versions and checks (only our own JSONL carries it).

    original, instance: (key, split); fingerprint (hexadecimal), gold (JSON): of the original when it was written
    """

    original: tuple[str, str]
    author: str
    state: PerturbationState
    fingerprint: str
    gold: str
    versions: tuple[SourceVersion, ...]
    checks: tuple[SourceCheck, ...] = ()
    instance: tuple[str, str] | None = None
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceAuditItem:
    """A version that an audit drew, and what was said of it.

    original, instance: (key, split); place: of the perturbation among those of its original, from 0; auditor None: not judged
    """

    original: tuple[str, str]
    place: int
    version: int
    kind: str
    instance: tuple[str, str]
    auditor: str | None = None
    is_right: bool | None = None
    faults: tuple[Fault, ...] = ()
    comment: str = ""
    texts: str | None = None
    result: str | None = None
    judged_at: str | None = None


@dataclass(frozen=True, slots=True)
class SourceAudit:
    """A sample of accepted changed versions; it stands after these (only our own JSONL carries it)."""

    drawing: Drawing
    population: Mapping[str, int]
    made_by: str
    made_at: str
    items: tuple[SourceAuditItem, ...]
    source: str = ""
    line: int | None = None
