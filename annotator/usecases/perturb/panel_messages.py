"""What the Perturb screen is told (docs/perturb.md): its messages, made for one person."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.people import Right, User, has_right
from annotator.domain.perturbations import (
    ChangedText,
    Perturbation,
    PerturbationVersion,
    StateCount,
    description_of,
    title_of,
)
from annotator.domain.projects import Project, kinds_of, titles_of_kinds
from annotator.domain.texts import first_words
from annotator.perturb.suggested_texts import Suggestion
from annotator.perturb.versions import SegmentChange
from annotator.store import Store
from annotator.store.instances import get_instance
from annotator.store.perturb import originals as drafts_store
from annotator.store.perturb import originals as originals_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.store.projects import get_project_by_id
from annotator.text.characters import direction, utf16_offsets
from annotator.text.edits import Edit
from annotator.usecases.access.rights import require
from annotator.usecases.perturb import panel_values
from annotator.usecases.perturb.checks import ToCheck
from annotator.usecases.perturb.version_draft import Assessment, nothing_left, staleness
from annotator.usecases.perturb.versions import Original

_PER_PAGE = 7
_EXCERPT_CHARS = 60
_RIGHTS: tuple[Right, ...] = ("annotate", "review")  # one of them opens the screen


def show_rules(store: Store, actor: User, project_id: int) -> panel_values.ShownRules:
    """Kinds, labels, what the person may do here, and how much waits for them."""
    roles = require(store, actor, project_id, *_RIGHTS)
    project = get_project_by_id(store, project_id)
    to_check, returned = perturbations_store.waiting_for(
        store, project_id, actor, is_lead=has_right(actor, roles, "manage project")
    )
    return panel_values.ShownRules(
        kinds=tuple(
            panel_values.ShownKind(k.name, title_of(k), description_of(k), k.family, k.keeps_label)
            for k in kinds_of(project)
        ),
        labels=project.labels,
        result_kind=project.task.result_kind,
        titles={spec.name: spec.title for spec in project.task.segments},
        checkers=project.settings.checkers_per_perturbation,
        waiting=panel_values.ShownWaiting(to_check, returned),
        may=panel_values.ShownRights(write=has_right(actor, roles, "annotate"), check=True),
    )


def show_original(actor: User, original: Original) -> panel_values.ShownOriginal:
    """An original with its gold sets, the person's draft, and what others wrote of it."""
    return structs.replace(
        _shown_original(original.gold),
        draft=None if original.draft is None else _shown_changed(original.draft),
        others=tuple(_brief(_as_seen(actor, original.project, other)) for other in original.others),
    )


def show_assessment(assessment: Assessment) -> panel_values.ShownAssessment:
    """What a changed text comes to: its tokens, the runs of the diff, and the proposed sets."""
    change, sets = assessment.change, assessment.gold.sets
    return panel_values.ShownAssessment(
        segments=_shown_segments(assessment.after),
        runs=tuple(run for segment in change.segments for run in _runs(segment)),
        n_edited=change.n_edited,
        minimality=change.minimality,
        n_inside=change.n_edited_inside(sets),
        share_inside=change.share_inside(sets) if sets else None,
        sets=tuple(carried.token_indices for carried in assessment.carried.sets),
        origins=tuple(assessment.carried.origins),
        notes=tuple(note.sentence() for note in assessment.carried.notes),
        problems=assessment.problems,
        nothing_left=nothing_left(assessment),
    )


def show_suggestions(text: str, suggestions: Sequence[Suggestion]) -> panel_values.ShownSuggestions:
    """Suggestions with their edits as [start, end, replacement], in UTF-16 units of the text that was sent."""
    return panel_values.ShownSuggestions(
        tuple(
            panel_values.ShownSuggestion(
                suggestion.why, suggestion.maker, tuple(_shown_edit(text, edit) for edit in suggestion.edits)
            )
            for suggestion in suggestions
        )
    )


def _shown_edit(text: str, edit: Edit) -> panel_values.ShownEdit:
    start, end = utf16_offsets(text, (edit.start, edit.end))
    return start, end, edit.replacement


def show_check(store: Store, actor: User, to_check: ToCheck | None) -> panel_values.ShownCheck:
    """A perturbation beside its original, and what the person may do with it; without one when nothing waits."""
    if to_check is None:
        return panel_values.ShownCheck(None)
    perturbation, project = to_check.perturbation, get_project_by_id(store, to_check.perturbation.project_id)
    return panel_values.ShownCheck(
        structs.replace(
            _full(store, actor, project, perturbation, to_check.stale),
            may_revise=perturbation.may_be_revised_by(actor.id),
        ),
        _shown_original(to_check.assessment.gold),
        show_assessment(to_check.assessment),
    )


def show_mine(store: Store, actor: User, project_id: int, page: int) -> panel_values.ShownMine:
    """A page of what the person wrote: what came back first; on the first page also what they have begun."""
    require(store, actor, project_id, *_RIGHTS)
    project = get_project_by_id(store, project_id)
    offset = (page - 1) * _PER_PAGE
    perturbations, n = perturbations_store.perturbations_by(store, project_id, actor, limit=_PER_PAGE, offset=offset)
    rows = tuple(_own(store, actor, project, perturbation) for perturbation in perturbations)
    begun = drafts_store.drafts_by(store, project_id, actor) if page == 1 else []
    drafts = tuple(_shown_draft(store, original_id, changed) for original_id, changed in begun)
    return panel_values.ShownMine(rows, drafts, page, -(-n // _PER_PAGE))


def _own(store: Store, actor: User, project: Project, perturbation: Perturbation) -> panel_values.ShownPerturbation:
    stale = staleness(store, project, perturbation) if perturbation.state != "withdrawn" else ()
    changes = panel_values.changes_from(get_instance(store, perturbation.original_id), perturbation.current.changed)
    return structs.replace(_full(store, actor, project, perturbation, stale), changes=changes)


def _shown_draft(store: Store, original_id: int, changed: ChangedText) -> panel_values.ShownDraft:
    original = get_instance(store, original_id)
    return panel_values.ShownDraft(
        id=original_id, key=original.key, kind=changed.kind, result=changed.result, language=original.language,
        direction=direction(original.language), changes=panel_values.changes_from(original, changed),
    )  # fmt: skip


def show_originals(
    store: Store, actor: User, project_id: int, words: str, page: int, *, is_without: bool
) -> panel_values.ShownOriginals:
    """A page of originals, with how many changed versions each has and how many are on their way."""
    roles = require(store, actor, project_id, "annotate")
    rows, n = originals_store.list_originals(
        store, project_id, actor, words=words, is_without=is_without, is_lead=has_right(actor, roles, "manage project"),
        limit=_PER_PAGE, offset=(page - 1) * _PER_PAGE,
    )  # fmt: skip
    is_lead = has_right(actor, roles, "manage project")
    waiting = 0 if is_lead or words else originals_store.count_unfinished(store, project_id, is_without=is_without)
    shown = tuple(replace(row, excerpt=first_words(row.excerpt, _EXCERPT_CHARS)) for row in rows)
    return panel_values.ShownOriginals(shown, n, waiting, page, _PER_PAGE)


def show_progress(store: Store, actor: User, project_id: int) -> panel_values.ShownProgress:
    """How many there are against the quota: by kind, by author, by checker; originals without one.

    Of people only leads are told everybody's numbers: from those of the checkers one could tell what the first one said.
    """
    roles = require(store, actor, project_id, *_RIGHTS)
    sees_all = has_right(actor, roles, "see all annotations")
    project = get_project_by_id(store, project_id)
    tells_authors = sees_all or project.settings.checkers_see_author
    counts = originals_store.counts_by(store, project_id)
    titles = titles_of_kinds(project)
    by_kind: dict[str, dict[str, int]] = {name: {} for name in titles}
    for count in counts.kinds:
        by_kind.setdefault(count.name, {})[count.state] = count.n
    return panel_values.ShownProgress(
        target=project.settings.perturbations_per_kind,
        kinds=tuple(_kind_progress(name, titles.get(name, name), of) for name, of in by_kind.items()),
        authors=_by_person(counts.authors, None if tells_authors else actor),
        checkers=_by_person(counts.checkers, None if sees_all else actor),
        tells_all=panel_values.ShownTold(tells_authors, sees_all),
        originals=counts.n_originals,
        without=counts.n_without,
        offered=counts.n_without if sees_all else counts.n_complete_without,
    )


def _kind_progress(name: str, title: str, counts: Mapping[str, int]) -> panel_values.ShownKindProgress:
    approved = counts.get("approved", 0) + counts.get("imported", 0)
    return panel_values.ShownKindProgress(name, title, approved, counts.get("waiting", 0), counts.get("returned", 0))


def _by_person(counted: Sequence[StateCount], only: User | None) -> tuple[Mapping[str, str | int], ...]:
    counts_by_name: dict[str, dict[str, str | int]] = {}
    for count in counted:
        if only is None or count.name == only.name:
            counts_by_name.setdefault(count.name, {"name": count.name})[count.state] = count.n
    return tuple(counts_by_name.values())


def _shown_original(gold: GoldInstance) -> panel_values.ShownOriginal:
    instance = gold.instance
    return panel_values.ShownOriginal(
        id=instance.id, key=instance.key, split=instance.split, language=instance.language,
        direction=direction(instance.language), result=gold.result, segments=_shown_segments(instance),
        gold=tuple(rationale_set.token_indices for rationale_set in gold.sets),
    )  # fmt: skip


def _shown_segments(instance: Instance) -> tuple[panel_values.ShownSegment, ...]:
    shown = []
    for segment, at in zip(instance.segments, instance.layout.segments, strict=True):
        body, (before, rest) = segment.body, segment.body.gaps()
        head = (segment.name, at.first_token, segment.is_selectable)
        shown.append(panel_values.ShownSegment(*head, body.text, tuple(body.tokens()), before, rest))
    return tuple(shown)


def _runs(segment: SegmentChange) -> list[panel_values.ShownRun]:
    """The runs of a segment's diff in the instances' token numbers."""
    before, after = segment.first_before, segment.first_after
    return [
        (run.kind, before + run.start, before + run.end, after + run.other_start, after + run.other_end)
        for run in segment.diff.runs
    ]


def _shown_changed(changed: ChangedText) -> panel_values.ShownChanged:
    return panel_values.ShownChanged(changed.kind, changed.texts, changed.result, changed.note)


def _as_seen(actor: User, project: Project, perturbation: Perturbation) -> Perturbation:
    names_authors = project.settings.checkers_see_author
    return perturbation if actor.id is None else perturbation.blinded_for(actor.id, names_authors=names_authors)


def _brief(perturbation: Perturbation) -> panel_values.ShownBrief:
    changed = perturbation.current.changed
    return panel_values.ShownBrief(
        *(perturbation.id, perturbation.author_name or None, perturbation.state, perturbation.instance_id),
        *(changed.kind, changed.texts, changed.result, changed.note),
    )


def _full(
    store: Store, actor: User, project: Project, whole: Perturbation, stale: tuple[str, ...]
) -> panel_values.ShownPerturbation:
    """One as the actor sees it; what each version changed is told against the one before it among those that they see."""
    perturbation = _as_seen(actor, project, whole)
    original = get_instance(store, perturbation.original_id)
    since = panel_values.changes_since(original, perturbation)
    return panel_values.ShownPerturbation(
        **structs.asdict(_brief(perturbation)),
        original=perturbation.original_id,
        key=original.key,
        version=perturbation.current.number,
        may_check=actor.id is not None and perturbation.may_be_checked_by(actor.id),
        language=original.language,
        direction=direction(original.language),
        wanted=project.settings.checkers_per_perturbation,
        versions=tuple(
            _shown_version(
                version, since.get(version.number, {}), is_correction=n > 0 and version.made_by != perturbation.author
            )
            for n, version in enumerate(perturbation.versions)
        ),
        checks=tuple(
            panel_values.ShownVerdict(c.version, c.checker_name or None, c.verdict, c.reason, c.at)
            for c in perturbation.checks
        ),
        stale=stale,
    )


def _shown_version(
    version: PerturbationVersion, since: panel_values.ChangedSegments, *, is_correction: bool
) -> panel_values.ShownVersion:
    changed = version.changed
    return panel_values.ShownVersion(
        *(version.number, version.made_by_name or None, version.reason, version.made_at, is_correction, since),
        *(changed.kind, changed.texts, changed.result, changed.note),
    )
