"""Checking changed versions: two others approve, correct or reject; what both approve becomes an instance."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from annotator.domain.instances import Instance
from annotator.domain.people import Right, User, has_right
from annotator.domain.perturbations import ChangedText, Perturbation, Verdict
from annotator.domain.projects import Project
from annotator.domain.sources import AUTHOR, CORRECTORS, NOTE, SourceInstance, SourceText
from annotator.errors import Conflict, InvalidValue, NotAllowed
from annotator.language import _, unsaid
from annotator.perturb.versions import changed_instance
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import find_instance_ids, get_instance
from annotator.store.people import roles_of
from annotator.store.perturb import perturbations as perturbations_store
from annotator.store.project.label_replacement import label_of_now
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require_role
from annotator.usecases.notices.notices import tell
from annotator.usecases.perturb.version_draft import (
    Assessment,
    assess,
    checked_gold,
    emptied_segments,
    make_ready_for,
    packed_sets,
    staleness,
)
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

LONGEST_REASON = 10_000
_RIGHTS: tuple[Right, ...] = ("annotate", "review")


@dataclass(frozen=True, slots=True)
class ToCheck:
    """What a checker has before them; stale: what became of the original since it was written."""

    perturbation: Perturbation
    assessment: Assessment
    stale: tuple[str, ...]


def next_to_check(store: Store, actor: User, project_id: int, after: int = 0) -> ToCheck | None:
    """The next that waits and is not the person's own, from the first again at the end; None if there is none."""
    is_lead = _require_checker(store, actor, project_id)
    perturbation = perturbations_store.next_to_check(store, project_id, actor, after, is_lead=is_lead)
    if perturbation is None:
        return None if after == 0 else next_to_check(store, actor, project_id)
    return open_check(store, actor, perturbation.id)


def open_check(store: Store, actor: User, perturbation_id: int) -> ToCheck:
    """One perturbation beside its original, for those who may check in its project."""
    perturbation = perturbations_store.get_perturbation(store, perturbation_id)
    project = get_project_by_id(store, perturbation.project_id)
    original = _shown_original(store, actor, project, perturbation)
    assessment = assess(store, project, original, _as_it_fits(original, perturbation.current.changed), perturbation.id)
    independence.show(store, actor, project.id, original.id, independence.annotations_behind(assessment.gold))
    return ToCheck(perturbation, assessment, staleness(store, project, perturbation))


def assess_correction(store: Store, actor: User, perturbation_id: int, changed: ChangedText) -> Assessment:
    """What a checker's correction would come to; nothing is kept of it."""
    perturbation = perturbations_store.get_perturbation(store, perturbation_id)
    project = get_project_by_id(store, perturbation.project_id)
    original = _shown_original(store, actor, project, perturbation)
    assessment = assess(store, project, original, changed, perturbation.id)
    independence.show(store, actor, project.id, original.id, independence.annotations_behind(assessment.gold))
    return assessment


def approve(store: Store, actor: User, perturbation_id: int, version: int, reason: str = "") -> Perturbation:
    """Example and label are right. With the last approval that is wanted it becomes an instance."""
    make_ready_for(store, perturbation_id)
    with store.transaction():
        project, perturbation = _checkable(store, actor, perturbation_id, version)
        _require_text(store, project, perturbation)
        _add_check(store, actor, perturbation, "approve", reason)
        return settle_checks(store, actor, project, perturbation_id)


def reject(store: Store, actor: User, perturbation_id: int, version: int, reason: str) -> Perturbation:
    """It goes back to its author, with the reason."""
    with store.transaction():
        _, perturbation = _checkable(store, actor, perturbation_id, version)
        _add_check(store, actor, perturbation, "reject", _required(reason, unsaid("Say briefly why.")))
        perturbations_store.set_state(store, perturbation_id, "returned")
        tell(store, actor, [perturbation.author], perturbation.project_id, "version returned")
        return perturbations_store.get_perturbation(store, perturbation_id)


def correct(
    store: Store, actor: User, perturbation_id: int, version: int, changed: ChangedText, reason: str, *,
    may_be_empty: bool = False,
) -> Perturbation:  # fmt: skip
    """A version of the checker's own; the checking begins anew, and the author is among those who may check it."""
    make_ready_for(store, perturbation_id)
    with store.transaction():
        project, perturbation = _checkable(store, actor, perturbation_id, version)
        correction = _required(reason, unsaid("Say briefly what you corrected."))
        changed = replace(changed, result=label_of_now(store, project, changed.result))
        before = perturbation.current.changed
        texts = {**before.texts, **changed.texts}
        if replace(changed, texts=texts, note=changed.note.strip()) == replace(before, note=before.note.strip()):
            raise InvalidValue(_("Nothing has changed, white space aside."))
        original = get_instance(store, perturbation.original_id)
        gold = checked_gold(store, project, original, changed, perturbation, may_be_empty=may_be_empty)
        _add_check(store, actor, perturbation, "correct", correction)
        perturbations_store.add_version(store, perturbation, actor, changed, packed_sets(gold), correction)
        return settle_checks(store, actor, project, perturbation_id)


def settle_all(store: Store, actor: User, project: Project) -> None:
    """After the number of checkers has fallen: what has enough approvals becomes an instance; what cannot go on waits."""
    for perturbation_id in perturbations_store.waiting_ids(store, project.id):
        with suppress(InvalidValue), store.transaction():  # a step of its own: what it did until it failed is undone
            settle_checks(store, actor, project, perturbation_id)


def settle_checks(store: Store, actor: User, project: Project, perturbation_id: int) -> Perturbation:
    """As an instance, when as many as are wanted have approved it; inside a transaction."""
    perturbation = perturbations_store.get_perturbation(store, perturbation_id)
    n_approved = sum(check.verdict == "approve" for check in perturbation.checks_of_current)
    if perturbation.state != "waiting" or n_approved < project.settings.checkers_per_perturbation:
        return perturbation
    instance_id = _as_instance(store, project, perturbation)
    perturbations_store.set_state(store, perturbation_id, "approved", instance_id)
    add_event(
        store, actor.name, "approve perturbation", "instance", perturbation.original_id, project_id=project.id,
        perturbation=perturbation_id, version=perturbation.current.number, instance=instance_id,
    )  # fmt: skip
    return perturbations_store.get_perturbation(store, perturbation_id)


def _as_instance(store: Store, project: Project, perturbation: Perturbation) -> int:
    """The approved version in the data set, in the split of its original, to be annotated like any other."""
    _require_text(store, project, perturbation)
    original = get_instance(store, perturbation.original_id)
    changed = perturbation.current.changed
    key = _free_key(store, project, original, changed.kind)
    source = SourceInstance(
        key, _segments(original, changed), source="perturbation", line=None, split=original.split,
        language=original.language, result=changed.result, parent_key=original.key, perturbation_kind=changed.kind,
        metadata={AUTHOR: perturbation.author_name}
        | ({CORRECTORS: correctors} if (correctors := perturbation.correctors) else {})
        | ({NOTE: changed.note} if changed.note else {}),
    )  # fmt: skip
    report = ImportReport()
    Intake(store, project, ImportOptions(), report, lambda _: None).run([source])
    if report.problems:
        raise InvalidValue(str(report.problems[0]))
    return find_instance_ids(store, project.id, key, original.split)[0]


def _require_text(store: Store, project: Project, perturbation: Perturbation) -> None:
    """Raise InvalidValue for a version that nobody could annotate; older programs let it be submitted."""
    original = get_instance(store, perturbation.original_id)
    after = changed_instance(original, _as_it_fits(original, perturbation.current.changed))
    if emptied := emptied_segments(project.task, after):
        raise InvalidValue(_("'{name}' is empty. Reject or correct it.", name=emptied[0]))


def _segments(original: Instance, changed: ChangedText) -> Mapping[str, SourceText | str]:
    """Each segment's text with its tokens; what stayed as it is shares the original's document where that has a name."""
    after = changed_instance(original, changed)
    segments: dict[str, SourceText | str] = {}
    for before, segment in zip(original.segments, after.segments, strict=True):
        is_shared = before.docid is not None and before.body.text == segment.body.text
        segments[segment.name] = str(before.docid) if is_shared else SourceText(segment.body.text, segment.body)
    return segments


def _free_key(store: Store, project: Project, original: Instance, kind: str) -> str:
    key, number = f"{original.key}~{kind}", 1
    while find_instance_ids(store, project.id, key):
        number += 1
        key = f"{original.key}~{kind}-{number}"
    return key


def _require_checker(store: Store, actor: User, project_id: int) -> bool:
    """Whether the person is a lead; raises NotAllowed for somebody who may not check."""
    roles = require_role(store, actor, project_id)
    if actor.id is None or not any(has_right(actor, roles, right) for right in _RIGHTS):
        raise NotAllowed(_("Your role doesn't allow this. Ask a lead."))
    return has_right(actor, roles, "manage project")


def _shown_original(store: Store, actor: User, project: Project, perturbation: Perturbation) -> Instance:
    """The original, whose gold is shown with the check: to nobody who is still to find it.

    What is decided is shown to those who had a part in it and to reviewers; an annotator may be the one to annotate it.
    """
    is_lead = _require_checker(store, actor, project.id)
    original = get_instance(store, perturbation.original_id)
    has_part = actor.id == perturbation.author or any(check.checker == actor.id for check in perturbation.checks)
    reviews = has_right(actor, roles_of(store, actor, project.id), "review")
    if original.state not in {"complete", "discarded"} and not is_lead:
        raise Conflict(_("'{key}' isn't finished yet. Come back later.", key=original.key))
    if perturbation.state != "waiting" and not (is_lead or reviews or has_part):
        raise Conflict(_("Nothing left to check here."))
    return original


def _as_it_fits(original: Instance, changed: ChangedText) -> ChangedText:
    """Without texts of segments that the original lost since; that it was changed is said beside it."""
    names = {segment.name for segment in original.segments}
    return replace(changed, texts={name: text for name, text in changed.texts.items() if name in names})


def _checkable(store: Store, actor: User, perturbation_id: int, version: int) -> tuple[Project, Perturbation]:
    perturbation = perturbations_store.get_perturbation(store, perturbation_id)
    project = get_project_by_id(store, perturbation.project_id)
    _require_checker(store, actor, project.id)
    if perturbation.current.number != version or perturbation.state != "waiting":
        raise Conflict(_("This has changed. Reload and check it again."))
    _shown_original(store, actor, project, perturbation)
    if perturbation.current.made_by == actor.id:
        raise NotAllowed(_("You can't check your own work."))
    if actor.id is None or not perturbation.may_be_checked_by(actor.id):
        raise Conflict(_("You've already checked this version."))
    return project, perturbation


def _add_check(store: Store, actor: User, perturbation: Perturbation, verdict: Verdict, reason: str) -> None:
    if len(reason) > LONGEST_REASON:
        raise InvalidValue(_("Use at most {most} characters.", most=f"{LONGEST_REASON:,}"))
    perturbations_store.add_check(store, perturbation, actor, verdict, reason.strip())
    add_event(
        store, actor.name, f"check perturbation: {verdict}", "instance", perturbation.original_id,
        project_id=perturbation.project_id, perturbation=perturbation.id, version=perturbation.current.number,
        reason=reason.strip(),
    )  # fmt: skip


def _required(reason: str, refusal: str) -> str:
    if not reason.strip():
        raise InvalidValue(_(refusal))
    return reason
