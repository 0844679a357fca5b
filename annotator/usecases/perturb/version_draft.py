"""What a changed text comes to: its tokens, the change, the original's sets in it, and what keeps it from being handed in."""

import json
from dataclasses import dataclass

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.perturbations import ChangedText, Perturbation, get_kind
from annotator.domain.projects import Project, kinds_of
from annotator.domain.tasks import Task
from annotator.errors import InvalidAnnotation, InvalidValue
from annotator.language import _, listed, together
from annotator.perturb.versions import Carried, Change, carry_sets, changed_instance, compare, visible
from annotator.store import Store
from annotator.store.instances import get_instance, get_instances
from annotator.store.perturb import originals as originals_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.text.tokenisation import tokenise
from annotator.usecases.gold import gold_of_instance

LONGEST_NOTE = 10_000


def make_ready(language: str) -> None:
    """Load the tokeniser of a language, for which the first text that is written would wait.

    After a start that takes most of a second. Whoever stores something loads it before, since everybody's saves wait for a
    transaction.
    """
    tokenise("a", language)


def make_ready_for(store: Store, perturbation_id: int) -> None:
    """The same for the language of a perturbation's original."""
    make_ready(get_instance(store, perturbations_store.get_perturbation(store, perturbation_id).original_id).language)


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a changed text comes to.

    gold:     of the original; carried: its sets in the changed text, a proposal
    problems: what keeps it from being handed in
    """

    after: Instance
    change: Change
    gold: GoldInstance
    carried: Carried
    problems: tuple[str, ...]


def assess(
    store: Store, project: Project, instance: Instance, changed: ChangedText, but: int | None = None
) -> Assessment:
    """The same for anybody who may see it; but: the perturbation that this is, so that it is no duplicate of itself."""
    kind = get_kind(changed.kind, kinds_of(project))
    after = changed_instance(instance, changed)
    change = compare(instance.segments, after.segments)
    gold = gold_of_instance(store, project, instance)
    carried = carry_sets(gold.sets, change, fills_gaps=not kind.keeps_rationale)
    emptied = [_("'{name}' is empty. Write its text.", name=name) for name in emptied_segments(project.task, after)]
    problems = (*emptied, *_problems(store, project, instance, changed, change, but))
    return Assessment(after, change, gold, carried, problems)


def checked_gold(
    store: Store, project: Project, instance: Instance, changed: ChangedText, perturbation: Perturbation | None, *,
    may_be_empty: bool,
) -> GoldInstance:  # fmt: skip
    """The original's gold, when the changed text can be handed in."""
    assessment = assess(store, project, instance, changed, None if perturbation is None else perturbation.id)
    if assessment.problems:
        raise InvalidValue(together(*assessment.problems))
    if not may_be_empty and (message := nothing_left(assessment)):
        raise InvalidAnnotation(_("{message} Submit again to confirm.", message=message), is_warning=True)
    return assessment.gold


def packed_sets(gold: GoldInstance) -> str:
    """Gold sets as they are kept with a perturbation, to know later whether they are still the same."""
    return json.dumps(
        [[[span.start, span.end] for span in rationale_set.spans] for rationale_set in gold.sets], separators=(",", ":")
    )


def is_unchanged(changed: ChangedText, before: ChangedText) -> bool:
    """Whether a further version says what the one before it says: kind, result, note, and texts but for white space."""
    texts = {**before.texts, **changed.texts}
    unchanging = (changed.kind, changed.result, changed.note.strip())
    return unchanging == (before.kind, before.result, before.note.strip()) and all(
        visible(text) == visible(before.texts.get(name, "")) for name, text in texts.items()
    )


def emptied_segments(task: Task, after: Instance) -> list[str]:
    """Segments of a changed version in which nothing is left, and of which the task needs a text."""
    is_needed = {s.name: (spec := task.spec_of(s.name)) is None or not spec.may_be_empty for s in after.segments}
    return [s.name for s in after.segments if is_needed[s.name] and not (s.body.n_tokens and s.body.text.strip())]


def staleness(store: Store, project: Project, perturbation: Perturbation) -> tuple[str, ...]:
    """What became of the original since this version was written, in sentences; () where it is as it was."""
    original = get_instance(store, perturbation.original_id)
    if original.state == "discarded":
        return (_("'{key}' was discarded.", key=original.key),)
    is_changed = originals_store.fingerprint_of_instance(store, original.id) != perturbation.original_fingerprint
    if is_changed or packed_sets(gold_of_instance(store, project, original)) != perturbation.gold:
        return (_("'{key}' or its gold sets have changed.", key=original.key),)
    return ()


def nothing_left(assessment: Assessment) -> str:
    """What is to be said where the edit deletes everything, or every token of every set; else ""."""
    if assessment.change.is_empty or (assessment.gold.sets and not assessment.carried.sets):
        return _("No rationale tokens are left: no set proposed.")
    return ""


def _problems(
    store: Store, project: Project, instance: Instance, changed: ChangedText, change: Change, but: int | None
) -> list[str]:
    problems = []
    if change.is_no_op:
        problems.append(_("Nothing has changed, white space aside."))
    elif (same := _same_text(store, instance, changed, but)) is not None:
        problems.append(_("{same} has the same text. Change something else.", same=same))
    if changed.result is None or (not changed.result and project.task.result_kind == "label"):
        problems.append(
            _("Choose the label of the perturbed text.")
            if project.labels
            else _("Give the answer to the perturbed text.")
        )
    elif project.task.result_kind == "label" and project.labels and changed.result not in project.labels:
        problems.append(
            _("'{label}' isn't a project label ({labels}).", label=changed.result, labels=listed(project.labels))
        )
    if len(changed.note) > LONGEST_NOTE:
        problems.append(_("{name} has at most {most} characters.", most=f"{LONGEST_NOTE:,}", name=_("Note")))
    return problems


def _same_text(store: Store, instance: Instance, changed: ChangedText, but: int | None) -> str | None:
    """What else has this text but for white space: another changed version of this original, on its way or there."""
    texts = {s.name: visible(changed.texts.get(s.name, s.body.text)) for s in instance.segments}
    for other in perturbations_store.perturbations_of(store, instance.id):
        if other.id != but and other.state in {"waiting", "returned"}:
            theirs = {s.name: visible(other.current.changed.texts.get(s.name, s.body.text)) for s in instance.segments}
            if theirs == texts:
                return _("Another perturbed version of this original")
    for child in get_instances(store, originals_store.children_of(store, instance.id)).values():
        if child.state != "discarded" and {s.name: visible(s.body.text) for s in child.segments} == texts:
            return _("The perturbed version '{key}'", key=child.key)
    return None
