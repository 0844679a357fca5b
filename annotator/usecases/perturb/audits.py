"""Auditing accepted changed versions: drawing a sample, and judging it without knowing who wrote or checked what."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from annotator.assignment.orders import drawn
from annotator.domain.instances import Instance
from annotator.domain.people import Right, User, has_right
from annotator.domain.perturbations import PerturbationKind, own_kind
from annotator.domain.project.audits import AuditItem, AuditVerdict, Drawing, Fault, faults_of
from annotator.domain.projects import Project, kinds_of
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.instances import get_instance, get_instances
from annotator.store.people import list_members, roles_of
from annotator.store.perturb import audits as audits_store
from annotator.store.perturb.audits import AcceptedVersion
from annotator.store.perturb.perturbations import get_perturbation
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require, require_role
from annotator.usecases.perturb.panel_values import Piece, pieces_of

if TYPE_CHECKING:
    from annotator.metrics.significance import Bounds

LONGEST_COMMENT = 10_000
_RIGHTS: tuple[Right, ...] = ("annotate", "review")
_EXPECTED_SHARE = 0.95  # right after checking in Wang et al. 2022, section 3.2: what an interval is foretold for


@dataclass(frozen=True, slots=True)
class DrawingPreview:
    """What a drawing comes to, said before it is made.

    kinds:       by kind, how many are drawn and of how many
    bounds:      the interval that so many give where 95 % are right; None of no version
    n_third:     people who had no part in at least one of the versions that would be drawn
    n_unjudged:  versions drawn that nobody here could judge, since everybody wrote or checked them
    """

    kinds: dict[str, tuple[int, int]]
    bounds: "Bounds | None"
    n_third: int
    n_unjudged: int

    @property
    def n(self) -> int:
        return sum(n for n, _ in self.kinds.values())


@dataclass(frozen=True, slots=True)
class ToAudit:
    """A version before somebody who judges it: the texts with what was changed, and nobody's name or verdict.

    segments: (name, pieces) as of `pieces_of`; faults: the conditions of its kind; says: a digest of what it says now
    """

    item: AuditItem
    kind: PerturbationKind
    before: str | None
    after: str | None
    language: str
    segments: tuple[tuple[str, tuple[Piece, ...]], ...]
    faults: dict[Fault, str]
    says: str


def kinds_to_audit(store: Store, project: Project) -> list[str]:
    """The kinds of which there are accepted versions that were written here."""
    return sorted({version.kind for version in audits_store.accepted_versions(store, project.id)})


def preview_drawing(store: Store, actor: User, project: Project, drawing: Drawing) -> DrawingPreview:
    """How many of each kind, how wide the interval will be, and whether there are people who may judge them."""
    from annotator.metrics.significance import wilson  # noqa: PLC0415  (NumPy, which the sidebar's count needs not)

    require(store, actor, project.id, "manage project")
    versions = _among(store, project, drawing)
    chosen = _draw(versions, drawing)
    population, sizes = Counter(v.kind for v in versions), Counter(v.kind for v in chosen)
    possible = {
        user.id
        for user, _roles in list_members(store, project.id)
        if user.id is not None and any(has_right(user, roles_of(store, user, project.id), right) for right in _RIGHTS)
    }
    judges = [possible - people for people in _parts(store, chosen)]
    return DrawingPreview(
        {kind: (sizes[kind], n) for kind, n in sorted(population.items())},
        wilson(_EXPECTED_SHARE, len(chosen)) if chosen else None,
        len(set().union(*judges)),
        sum(not of_version for of_version in judges),
    )


def draw_audit(store: Store, actor: User, project: Project, drawing: Drawing) -> int:
    """Draw the sample; answers the audit's number. Raises InvalidValue where there is no accepted version to draw."""
    with store.transaction():
        require(store, actor, project.id, "manage project")
        versions = _among(store, project, drawing)
        chosen = _draw(versions, drawing)
        if not chosen:
            raise InvalidValue(_("No accepted perturbed versions of these types."))
        in_order = sorted(
            chosen, key=lambda v: _shuffled(drawing.seed, v)
        )  # so that kinds and authors do not come in rows
        audit_id = audits_store.add_audit(
            store, project.id, drawing, Counter(v.kind for v in versions), in_order, actor.name
        )
        add_event(
            store, actor.name, "draw audit", "project", project.id,
            project_id=project.id, versions=len(chosen), of=len(versions), seed=drawing.seed,
        )  # fmt: skip
    return audit_id


def count_to_audit(store: Store, actor: User, project_id: int) -> int:
    """How many versions a person could judge now; 0 for somebody who judges none."""
    roles = roles_of(store, actor, project_id)
    if actor.id is None or not any(has_right(actor, roles, right) for right in _RIGHTS):
        return 0
    return len(_wanted(store, audits_store.items_open_to(store, project_id, actor.id)))


def next_to_audit(store: Store, actor: User, project_id: int) -> ToAudit | None:
    """The next version that waits for a third person; it stays with the person for as long as a lease does."""
    with store.transaction():
        user_id = _require_judge(store, actor, project_id)
        project = get_project_by_id(store, project_id)
        wanted = _wanted(store, audits_store.items_open_to(store, project_id, user_id))
        if not wanted:
            return None
        item = wanted[0]
        until = iso(store.moment() + dt.timedelta(minutes=project.settings.lease_minutes))
        audits_store.hold_item(store, item, user_id, until)
    return _shown(store, project, item)


def judge(
    store: Store, actor: User, audit_id: int, perturbation_id: int, says: str, *, faults: Sequence[Fault], comment: str = ""
) -> None:  # fmt: skip
    """A version is right, or fails these conditions. says: what it said when it was shown.

    Raises: NotAllowed for whoever wrote or checked it; Conflict when it was judged, taken or changed meanwhile
    """
    with store.transaction():
        item = _item(store, audit_id, perturbation_id)
        project = get_project_by_id(store, get_perturbation(store, perturbation_id).project_id)
        user_id = _require_judge(store, actor, project.id)
        _require_third(store, item, user_id)
        instance = get_instance(store, item.instance_id)
        _require_open(store, item, user_id, instance, says)
        _check_faults(project, item, faults, comment)
        verdict = AuditVerdict(
            user_id, actor.name, not faults, tuple(faults), comment.strip(), digest_of(instance), instance.result,
            store.now(),
        )  # fmt: skip
        audits_store.set_verdict(store, item, verdict)
        add_event(
            store, actor.name, "judge version", "instance", instance.id, project_id=project.id,
            perturbation=perturbation_id, version=item.version, is_right=verdict.is_right, faults=list(faults),
            comment=verdict.comment,
        )  # fmt: skip


def is_stale(item: AuditItem, instance: Instance) -> bool:
    """Whether a version says something else by now than what was judged; one that left the data set says what it said."""
    if item.verdict is None or instance.state == "discarded":
        return False
    return (item.verdict.texts, item.verdict.result) != (digest_of(instance), instance.result)


def digest_of(instance: Instance) -> str:
    """Of the texts of an instance; its result is compared apart, since a label may be called otherwise."""
    contents = "\0".join(f"{segment.name}\1{segment.body.text}" for segment in instance.segments)
    return blake2b(contents.encode(), digest_size=16).hexdigest()


def kind_of(project: Project, name: str) -> PerturbationKind:
    """A kind by name; one that the project has no longer is one of its own."""
    return {kind.name: kind for kind in kinds_of(project)}.get(name) or own_kind(name)


def _among(store: Store, project: Project, drawing: Drawing) -> list[AcceptedVersion]:
    versions = audits_store.accepted_versions(store, project.id)
    return [version for version in versions if not drawing.kinds or version.kind in drawing.kinds]


def _draw(versions: Sequence[AcceptedVersion], drawing: Drawing) -> list[AcceptedVersion]:
    if drawing.per == "altogether":
        return drawn(versions, drawing.size(len(versions)), drawing.seed, _name)
    kinds = sorted({version.kind for version in versions})
    of_kinds = [[version for version in versions if version.kind == kind] for kind in kinds]
    return [v for of_kind in of_kinds for v in drawn(of_kind, drawing.size(len(of_kind)), drawing.seed, _name)]


def _name(version: AcceptedVersion) -> str:
    return str(version.perturbation_id)


def _shuffled(seed: int, version: AcceptedVersion) -> bytes:
    return blake2b(f"order\0{seed}\0{version.perturbation_id}".encode(), digest_size=16).digest()


def _parts(store: Store, versions: Sequence[AcceptedVersion]) -> list[set[int]]:
    people = audits_store.people_with_part(store, [version.perturbation_id for version in versions])
    return [people[version.perturbation_id] for version in versions]


def _wanted(store: Store, items: Sequence[AuditItem]) -> list[AuditItem]:
    """Those without a verdict, or with one on what they said before."""
    instances = get_instances(store, [item.instance_id for item in items if item.verdict is not None])
    return [item for item in items if item.verdict is None or is_stale(item, instances[item.instance_id])]


def _shown(store: Store, project: Project, item: AuditItem) -> ToAudit:
    perturbation = get_perturbation(store, item.perturbation_id)
    original, instance = get_instance(store, perturbation.original_id), get_instance(store, item.instance_id)
    bodies = {segment.name: segment.body for segment in original.segments}
    segments = tuple(
        (s.name, tuple(pieces_of(bodies[s.name], s.body)) if s.name in bodies else (("inserted", "", s.body.text),))
        for s in instance.segments
        if s.body.n_tokens
    )
    kind = kind_of(project, item.kind)
    return ToAudit(
        item, kind, original.result, instance.result, instance.language, segments, faults_of(kind), _says(instance)
    )


def _says(instance: Instance) -> str:
    """What the person who judges has before them."""
    return blake2b(f"{digest_of(instance)}\0{instance.result}".encode(), digest_size=16).hexdigest()


def _require_judge(store: Store, actor: User, project_id: int) -> int:
    roles = require_role(store, actor, project_id)
    if actor.id is None or not any(has_right(actor, roles, right) for right in _RIGHTS):
        raise NotAllowed(_("Your role doesn't allow this. Ask a lead."))
    return actor.id


def _item(store: Store, audit_id: int, perturbation_id: int) -> AuditItem:
    for item in audits_store.items_of(store, audit_id):
        if item.perturbation_id == perturbation_id:
            return item
    raise NotFound(_("No {what} number {number}.", number=perturbation_id, what=_("perturbed version")))


def _require_third(store: Store, item: AuditItem, user_id: int) -> None:
    if user_id in audits_store.people_with_part(store, [item.perturbation_id])[item.perturbation_id]:
        raise NotAllowed(_("You can't check your own work."))


def _require_open(store: Store, item: AuditItem, user_id: int, instance: Instance, says: str) -> None:
    is_judged = item.verdict is not None and not is_stale(item, instance)
    is_elsewhere = item.held_by not in {None, user_id} and (item.held_until or "") >= store.now()
    if is_judged or is_elsewhere or instance.state == "discarded":
        raise Conflict(_("This version is taken or discarded. Go on with the next."))
    if says != _says(instance):
        raise Conflict(_("This has changed. Reload and check it again."))


def _check_faults(project: Project, item: AuditItem, faults: Sequence[Fault], comment: str) -> None:
    unknown = [fault for fault in faults if fault not in faults_of(kind_of(project, item.kind))]
    if unknown:
        raise InvalidValue(_("'{condition}' isn't a condition of type '{kind}'.", condition=unknown[0], kind=item.kind))
    if "other" in faults and not comment.strip():
        raise InvalidValue(_("Describe the problem in the comment."))
    if len(comment) > LONGEST_COMMENT:
        raise InvalidValue(_("Use at most {most} characters.", most=f"{LONGEST_COMMENT:,}"))
