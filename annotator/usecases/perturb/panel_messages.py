"""What the Perturb screen is told (docs/perturb.md): plain values, offsets as a browser counts them."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.domain.authoring import ChangedText, Perturbation
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.people import Right, User, has_right
from annotator.domain.projects import Project, kinds_of
from annotator.domain.texts import first_words
from annotator.perturb.changes import SegmentChange
from annotator.perturb.registry import Suggestion
from annotator.store import Store
from annotator.store import perturbations as perturbations_store
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.text.language import direction
from annotator.text.utf16 import utf16_offsets
from annotator.usecases.access.rights import require
from annotator.usecases.perturb.assessment import Assessment, nothing_left, staleness
from annotator.usecases.perturb.checks import ToCheck
from annotator.usecases.perturb.version_messages import changes_from, changes_since
from annotator.usecases.perturb.versions import Original

Shown = dict[str, Any]
_PER_PAGE = 20
_RIGHTS: tuple[Right, ...] = ("annotate", "review")  # one of them opens the screen


def show_rules(store: Store, actor: User, project_id: int) -> Shown:
    """Kinds, labels, what the person may do here, and how much waits for them."""
    roles = require(store, actor, project_id, *_RIGHTS)
    project = get_project_by_id(store, project_id)
    to_check, returned = perturbations_store.waiting_for(
        store, project_id, actor, is_lead=has_right(actor, roles, "manage project")
    )
    titles = {spec.name: spec.title for spec in project.task.segments}
    return {
        "kinds": [
            {"name": k.name, "title": k.title, "description": k.description, "family": k.family, "keeps_label": k.keeps_label}
            for k in kinds_of(project)
        ],
        "labels": list(project.labels), "result_kind": project.task.result_kind, "titles": titles,
        "checkers": project.settings.checkers_per_perturbation,
        "waiting": {"to_check": to_check, "returned": returned},
        "may": {"write": has_right(actor, roles, "annotate"), "check": True},
    }  # fmt: skip


def show_original(actor: User, original: Original) -> Shown:
    """An original with its gold sets, the person's draft, and what others wrote of it."""
    return {
        **_shown_instance(original.gold),
        "draft": None if original.draft is None else _shown_changed(original.draft),
        "others": [_brief(_as_seen(actor, original.project, one)) for one in original.others],
    }


def show_assessment(assessment: Assessment) -> Shown:
    """What a changed text comes to: its tokens, the runs of the diff, and the proposed sets."""
    change, sets = assessment.change, assessment.gold.sets
    return {
        "segments": _shown_segments(assessment.after),
        "runs": [run for segment in change.segments for run in _runs(segment)],
        "n_edited": change.n_edited, "minimality": change.minimality, "n_inside": change.n_edited_inside(sets),
        "share_inside": change.share_inside(sets) if sets else None,
        "sets": [list(one.token_indices) for one in assessment.carried.sets], "origins": list(assessment.carried.origins),
        "notes": [note.sentence() for note in assessment.carried.notes],
        "problems": list(assessment.problems), "nothing_left": nothing_left(assessment),
    }  # fmt: skip


def show_suggestions(text: str, suggestions: Sequence[Suggestion]) -> Shown:
    """Suggestions with their edits as [start, end, replacement], in UTF-16 units of the text that was sent."""
    return {
        "suggestions": [
            {"why": one.why, "maker": one.maker,
             "edits": [[*utf16_offsets(text, (edit.start, edit.end)), edit.replacement] for edit in one.edits]}
            for one in suggestions
        ]
    }  # fmt: skip


def show_check(store: Store, actor: User, found: ToCheck | None) -> Shown:
    """A perturbation beside its original, and what the person may do with it; {"perturbation": None} when nothing waits."""
    if found is None:
        return {"perturbation": None}
    project = get_project_by_id(store, found.perturbation.project_id)
    return {
        "perturbation": _full(store, actor, project, found.perturbation)
        | {"stale": list(found.stale), "may_revise": found.perturbation.may_be_revised_by(actor.id)},
        "original": _shown_instance(found.assessment.gold),
        "look": show_assessment(found.assessment),
    }


def show_mine(store: Store, actor: User, project_id: int, page: int) -> Shown:
    """A page of what the person wrote: what came back first; on the first page also what they have begun."""
    require(store, actor, project_id, *_RIGHTS)
    project = get_project_by_id(store, project_id)
    offset = (page - 1) * _PER_PAGE
    found = perturbations_store.perturbations_by(store, project_id, actor, limit=_PER_PAGE + 1, offset=offset)
    rows = []
    for one in found[:_PER_PAGE]:
        stale = staleness(store, project, one) if one.state != "withdrawn" else ()
        changes = changes_from(get_instance(store, one.original_id), one.current.changed)
        rows.append(_full(store, actor, project, one) | {"stale": list(stale), "changes": changes})
    begun = perturbations_store.drafts_by(store, project_id, actor) if page == 1 else []
    drafts = [_shown_draft(store, original_id, changed) for original_id, changed in begun]
    return {"rows": rows, "drafts": drafts, "page": page, "has_more": len(found) > _PER_PAGE}


def _shown_draft(store: Store, original_id: int, changed: ChangedText) -> Shown:
    original = get_instance(store, original_id)
    return {
        "id": original_id, "key": original.key, "kind": changed.kind, "result": changed.result,
        "language": original.language, "direction": direction(original.language),
        "changes": changes_from(original, changed),
    }  # fmt: skip


def show_originals(store: Store, actor: User, project_id: int, words: str, page: int, *, is_without: bool) -> Shown:
    """A page of originals, with how many changed versions each has and how many are on their way."""
    roles = require(store, actor, project_id, "annotate")
    rows, n = perturbations_store.list_originals(
        store, project_id, actor, words=words, is_without=is_without, is_lead=has_right(actor, roles, "manage project"),
        limit=_PER_PAGE, offset=(page - 1) * _PER_PAGE,
    )  # fmt: skip
    is_lead = has_right(actor, roles, "manage project")
    waiting = 0 if is_lead or words else perturbations_store.count_unfinished(store, project_id, is_without=is_without)
    rows = [row | {"excerpt": first_words(row["excerpt"]), "has_draft": bool(row["has_draft"])} for row in rows]
    return {"rows": rows, "n": n, "n_unfinished": waiting, "page": page, "per_page": _PER_PAGE}


def show_progress(store: Store, actor: User, project_id: int) -> Shown:
    """How many there are against the quota: by kind, by author, by checker; originals without one.

    Of people only leads are told everybody's numbers: from those of the checkers one could tell what the first one said.
    """
    roles = require(store, actor, project_id, *_RIGHTS)
    sees_all = has_right(actor, roles, "see all annotations")
    project = get_project_by_id(store, project_id)
    tells_authors = sees_all or project.settings.checkers_see_author
    counts = perturbations_store.counts_by(store, project_id)
    known = {kind.name: kind.title for kind in kinds_of(project)}
    by_kind: dict[str, dict[str, int]] = {name: {} for name in known}
    for row in counts["kinds"]:
        by_kind.setdefault(row["kind"] or "", {})[row["state"]] = row["n"]
    originals = counts["originals"][0]
    return {
        "target": project.settings.perturbations_per_kind,
        "kinds": [{"name": name, "title": known.get(name, name), **_states(of)} for name, of in by_kind.items()],
        "authors": _by_person(counts["authors"], "state", None if tells_authors else actor),
        "checkers": _by_person(counts["checkers"], "verdict", None if sees_all else actor),
        "tells_all": {"authors": tells_authors, "checkers": sees_all},
        "originals": originals["n"], "without": originals["n_without"],
        "offered": originals["n_without"] if sees_all else originals["n_complete_without"],
    }  # fmt: skip


def _states(counts: Mapping[str, int]) -> Shown:
    approved = counts.get("approved", 0) + counts.get("imported", 0)
    return {"approved": approved, "waiting": counts.get("waiting", 0), "returned": counts.get("returned", 0)}


def _by_person(rows: Sequence[Any], what: str, only: User | None) -> list[Shown]:
    found: dict[str, Shown] = {}
    for row in rows:
        if only is not None and row["name"] != only.name:
            continue
        found.setdefault(row["name"], {"name": row["name"]})[row[what]] = row["n"]
    return list(found.values())


def _shown_instance(gold: GoldInstance) -> Shown:
    instance = gold.instance
    return {
        "id": instance.id, "key": instance.key, "split": instance.split, "language": instance.language,
        "direction": direction(instance.language), "result": gold.result, "segments": _shown_segments(instance),
        "gold": [list(one.token_indices) for one in gold.sets],
    }  # fmt: skip


def _shown_segments(instance: Instance) -> list[Shown]:
    """Each segment's text cut at its tokens: what stands before each, the token itself, and what follows the last."""
    shown = []
    for segment, at in zip(instance.segments, instance.layout.segments, strict=True):
        body = segment.body
        shown.append({
            "name": segment.name, "first": at.first_token, "is_selectable": segment.is_selectable, "text": body.text,
            "tokens": body.tokens(),
            "before": [body.text[end:start] for end, start in zip((0, *body.ends), body.starts, strict=False)],
            "rest": body.text[body.ends[-1] :] if body.ends else body.text,
        })  # fmt: skip
    return shown


def _runs(segment: SegmentChange) -> list[list[str | int]]:
    """[kind, start, end, other start, other end] in the instances' token numbers."""
    before, after = segment.first_before, segment.first_after
    return [
        [run.kind, before + run.start, before + run.end, after + run.other_start, after + run.other_end]
        for run in segment.diff.runs
    ]


def _shown_changed(changed: ChangedText) -> Shown:
    return {"kind": changed.kind, "texts": dict(changed.texts), "result": changed.result, "note": changed.note}


def _as_seen(actor: User, project: Project, one: Perturbation) -> Perturbation:
    names_authors = project.settings.checkers_see_author
    return one if actor.id is None else one.as_seen_by(actor.id, names_authors=names_authors)


def _brief(one: Perturbation) -> Shown:
    return {
        "id": one.id, "author": one.author_name or None, "state": one.state, "instance": one.instance_id,
        **_shown_changed(one.current.changed),
    }  # fmt: skip


def _full(store: Store, actor: User, project: Project, whole: Perturbation) -> Shown:
    """One as the actor sees it; what each version changed is told against the one before it among those that they see."""
    one = _as_seen(actor, project, whole)
    original = get_instance(store, one.original_id)
    since = changes_since(original, one)
    return _brief(one) | {
        "original": one.original_id, "key": original.key, "version": one.current.number,
        "may_check": actor.id is not None and one.may_be_checked_by(actor.id),
        "language": original.language, "direction": direction(original.language),
        "wanted": project.settings.checkers_per_perturbation,
        "versions": [
            {"number": v.number, "by": v.made_by_name or None, "reason": v.reason, "at": v.made_at,
             "is_correction": place > 0 and v.made_by != one.author, "since": since.get(v.number, {}),
             **_shown_changed(v.changed)}
            for place, v in enumerate(one.versions)
        ],
        "checks": [
            {"version": c.version, "by": c.checker_name or None, "verdict": c.verdict, "reason": c.reason, "at": c.at}
            for c in one.checks
        ],
    }  # fmt: skip
