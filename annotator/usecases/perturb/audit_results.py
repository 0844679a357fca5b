"""What audits say: the share of accepted changed versions that are right, with its interval; and what becomes of wrong ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from annotator.domain.numbers import percent
from annotator.domain.people import User
from annotator.domain.project.audits import FAULTS, Audit, AuditItem, AuditVerdict, ItemState
from annotator.domain.projects import Project
from annotator.errors import Conflict, NotFound
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _
from annotator.metrics.significance import wilson
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.annotate.assignments import end_work_on
from annotator.store.events import add_event
from annotator.store.instances import discard, get_instances
from annotator.store.people import get_user_by_id
from annotator.store.perturb import audits as audits_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.store.review.reviews import end_reviews_of_instance
from annotator.usecases.access.rights import require
from annotator.usecases.perturb.audits import is_stale

ALTOGETHER = "altogether"
Remedy = Literal["send back", "discard"]


@dataclass(frozen=True, slots=True)
class AuditShare:
    """The versions of a kind, or altogether.

    n_judged: those whose verdict holds, of n_drawn of `population` accepted ones; n_changed: judged, and changed since then
    share, low, high: of those judged the share that is right and its 95 % interval (Wilson, without a correction for a
    finite population); None where none is judged
    """

    kind: str
    population: int
    n_drawn: int
    n_judged: int
    n_right: int
    n_changed: int
    share: float | None
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        """The share in words.

        >>> AuditShare("altogether", 300, 100, 40, 39, 0, 0.975, 0.8712, 0.9956).words
        '97.5 % right of 40 judged (95 % CI 87.1 % to 99.6 %)'
        """
        if self.share is None or self.low is None or self.high is None:
            return _("none judged yet")
        share, low, high = (percent(value) for value in (self.share, self.low, self.high))
        return _(
            "{share} right of {n} judged (95 % CI {low} to {high})",
            share=share,
            n=f"{self.n_judged:,}",
            low=low,
            high=high,
        )


@dataclass(frozen=True, slots=True)
class AuditedVersion:
    """A version that was drawn, with what was said of it and what it is by now; n_annotations: of the instance it became."""

    item: AuditItem
    key: str
    state: ItemState
    is_in_data_set: bool
    n_annotations: int

    @property
    def fault_words(self) -> str:
        """What is wrong with it, in the words of files and records."""
        return "; ".join(FAULTS[fault] for fault in self.item.verdict.faults) if self.item.verdict else ""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """An audit with its shares, all together first, and its versions in the order in which they are judged."""

    audit: Audit
    shares: tuple[AuditShare, ...]
    versions: tuple[AuditedVersion, ...]

    @property
    def wrong(self) -> list[AuditedVersion]:
        """Those that were judged wrong, whatever became of them."""
        return [version for version in self.versions if version.state == "wrong"]

    @property
    def overall(self) -> AuditShare:
        return self.shares[0]


def audits_of_project(store: Store, actor: User, project: Project) -> list[AuditResult]:
    """The audits of a project with their results, newest first."""
    require(store, actor, project.id, "manage project")
    return results_of(store, project.id)


def results_of(store: Store, project_id: int) -> list[AuditResult]:
    """The same for a use case that has asked whether they may be seen."""
    return [_result(store, audit) for audit in audits_store.audits_of(store, project_id)]


def remedy_wrong(
    store: Store, actor: User, project: Project, audit_id: int, perturbation_ids: Sequence[int], remedy: Remedy
) -> int:
    """Send versions that were judged wrong back to their authors, or discard them; answers how many.

    Both take the instance out of the data set, with what was annotated of it kept. The verdict counts on as wrong.
    Raises: Conflict for one that is not wrong, or not in the data set, any more
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        audit = audits_store.find_audit(store, audit_id)
        if audit is None or audit.project_id != project.id:
            raise NotFound(_("Audit {number} isn't in '{project}'.", number=audit_id, project=project.name))
        wrong = {v.item.perturbation_id: v for v in _result(store, audit).wrong if v.is_in_data_set}
        for number in perturbation_ids:
            if number not in wrong:
                raise Conflict(_("This has changed. Reload and check it again."))
            _remedy(store, actor, project, wrong[number], remedy)
    return len(perturbation_ids)


def csv_rows(result: AuditResult) -> Iterator[dict[str, object]]:
    """A row for each version that was drawn; who judged it is not told."""
    for version in result.versions:
        verdict = version.item.verdict
        yield {
            "audit": result.audit.id, "key": version.key, "kind": version.item.kind, "version": version.item.version,
            "verdict": version.state, "faults": ";".join(verdict.faults) if verdict else "",
            "comment": verdict.comment if verdict else "", "judged_at": verdict.judged_at if verdict else "",
            "in_data_set": version.is_in_data_set,
        }  # fmt: skip


def csv_of(result: AuditResult) -> str:
    """The same as a file."""
    rows = list(csv_rows(result))
    return written_csv(list(rows[0]), [list(row.values()) for row in rows])


def _result(store: Store, audit: Audit) -> AuditResult:
    items = audits_store.items_of(store, audit.id)
    ids = [item.instance_id for item in items]
    instances, annotations = get_instances(store, ids), annotations_of(store, ids)
    perturbations = {n: perturbations_store.get_perturbation(store, n) for n in {i.perturbation_id for i in items}}
    versions = []
    for item in items:
        instance = instances[item.instance_id]
        became = perturbations[item.perturbation_id].instance_id
        is_in_data_set = became == instance.id and instance.state != "discarded"
        state = _state(item, is_changed=is_stale(item, instance), is_in_data_set=is_in_data_set)
        versions.append(AuditedVersion(item, instance.key, state, is_in_data_set, len(annotations[instance.id])))
    kinds = sorted(audit.population)
    shares = [_share(ALTOGETHER, sum(audit.population.values()), versions)]
    shares += [_share(k, audit.population[k], [v for v in versions if v.item.kind == k]) for k in kinds]
    return AuditResult(audit, tuple(shares), tuple(versions))


def _state(item: AuditItem, *, is_changed: bool, is_in_data_set: bool) -> ItemState:
    if item.verdict is None:
        return "unjudged" if is_in_data_set else "gone"
    if is_changed:
        return "changed"
    return "right" if item.verdict.is_right else "wrong"


def _share(kind: str, population: int, versions: Sequence[AuditedVersion]) -> AuditShare:
    states = [version.state for version in versions]
    n_right, n_judged = states.count("right"), states.count("right") + states.count("wrong")
    bounds = wilson(n_right / n_judged, n_judged) if n_judged else None
    return AuditShare(
        kind, population, len(versions), n_judged, n_right, states.count("changed"),
        n_right / n_judged if n_judged else None,
        None if bounds is None else bounds.low, None if bounds is None else bounds.high,
    )  # fmt: skip


def _remedy(store: Store, actor: User, project: Project, version: AuditedVersion, remedy: Remedy) -> None:
    """The instance leaves the data set; what is sent back has the verdict as its rejection, so that its author reads why."""
    perturbation = perturbations_store.get_perturbation(store, version.item.perturbation_id)
    instance_id = version.item.instance_id
    end_work_on(store, instance_id)
    end_reviews_of_instance(store, instance_id)
    discard(store, instance_id)
    if remedy == "send back":
        verdict = cast("AuditVerdict", version.item.verdict)
        reason = f"{version.fault_words}. {verdict.comment}".strip() if verdict.comment else version.fault_words
        auditor = get_user_by_id(store, verdict.auditor)
        perturbations_store.add_check(store, perturbation, auditor, "reject", reason)
        perturbations_store.set_state(store, perturbation.id, "returned")
    action = "send back version" if remedy == "send back" else "discard version"
    _note(store, actor, project, version, action)


def _note(store: Store, actor: User, project: Project, version: AuditedVersion, action: str) -> None:
    add_event(
        store, actor.name, action, "instance", version.item.instance_id, project_id=project.id,
        perturbation=version.item.perturbation_id, version=version.item.version, faults=version.fault_words,
    )  # fmt: skip
