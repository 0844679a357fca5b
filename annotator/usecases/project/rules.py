"""What a project's name, labels and rules must keep, and what of them may not go while it is in use."""

from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue
from annotator.language import _, listed, several
from annotator.store import Store
from annotator.store.perturb.perturbations import count_of_kind
from annotator.store.projects import find_project as find_by_name
from annotator.text.characters import subtags
from annotator.usecases.models.preview_settings import check_preview_model, check_preview_prompt
from annotator.usecases.project.label_replacement import require_unambiguous, require_unused

_LONGEST_NAME = 200


def checked_rules(store: Store, project: Project, before: Project) -> Project:
    """A project as it may be written; raises InvalidValue naming the rule that cannot be, or what is still in use."""
    is_renamed = project.name.strip() != before.name
    project = replace(
        project,
        # What a model's answers put first is drawn, and not a rule that could be written (usecases/queue); a rate is stated
        # where it is used (usecases/lead/pay.py), so that rules that were read before do not take it back.
        settings=replace(project.settings, model_order=before.settings.model_order, pay_rate=before.settings.pay_rate),
        name=checked_name(store, project.name) if is_renamed else before.name,
        labels=checked_labels(project.task, project.labels),
        language=checked_language(project.language),
    )
    for label in before.labels:
        if label not in project.labels:
            require_unused(store, before, label)
    for label in project.labels:
        if label not in before.labels:
            require_unambiguous(store, before, label)
    _check_kinds(store, project, before)
    for rules in (project.settings.required_segments, project.settings.forbidden_segments):
        for label, segments in rules.items():
            _check_segment_rule(project, label, segments)
    _check_no_contradiction(project.settings)
    _check_previews(store, project, before)
    return project


def _check_kinds(store: Store, project: Project, before: Project) -> None:
    """A kind of the project's own stays while changed versions of it are on their way: they could not be checked."""
    for kind in before.settings.own_perturbation_kinds:
        n = count_of_kind(store, project.id, kind)
        if n and kind not in project.settings.own_perturbation_kinds:
            raise InvalidValue(
                several(
                    "The kind '{kind}' cannot be removed: {n} changed version of it is waiting for a checker or an author. Have "
                    "these approved or withdrawn first.",
                    "The kind '{kind}' cannot be removed: {n} changed versions of it are waiting for a checker or an author. "
                    "Have these approved or withdrawn first.",
                    n,
                    kind=kind,
                )
            )


def _check_segment_rule(project: Project, label: str, segments: Sequence[str]) -> None:
    if project.labels and label not in project.labels:
        raise InvalidValue(
            _("A rule for segments names '{label}', which is not a label of the project. Remove the rule.", label=label)
        )
    for name in segments:
        spec = project.task.spec_of(name)
        if spec is None or not spec.is_selectable:
            raise InvalidValue(
                _(
                    "The rule for '{label}' names the segment '{name}', in which nothing can be marked.",
                    label=label,
                    name=name,
                )
            )


def _check_no_contradiction(settings: ProjectSettings) -> None:
    for label, required in settings.required_segments.items():
        both = [name for name in required if name in settings.forbidden_segments.get(label, ())]
        if both:
            raise InvalidValue(
                _(
                    "'{label}' cannot both require and forbid '{both}'. Remove one of the two.",
                    label=label,
                    both=both[0],
                )
            )


def _check_previews(store: Store, project: Project, before: Project) -> None:
    """A model is looked for when it is chosen: one whose folder went away since hinders no other change of the rules."""
    now = project.settings
    if now.preview_model != before.settings.preview_model:
        check_preview_model(store, project, now.preview_model)
    check_preview_prompt(project)
    for label, name in now.preview_labels.items():
        if name and name not in project.labels:
            raise InvalidValue(
                _(
                    "The preview model's label '{label}' is to be called '{name}', which is no label of the project ({labels}). "
                    "Correct it, or remove it.",
                    label=label,
                    name=name,
                    labels=listed(project.labels),
                )
            )


def checked_name(store: Store, name: str) -> str:
    """A name without the spaces around it, that no other project has."""
    cleaned = name.strip()
    if not 1 <= len(cleaned) <= _LONGEST_NAME:
        raise InvalidValue(
            _("The name of a project must have 1 to {longest_name} characters.", longest_name=_LONGEST_NAME)
        )
    if find_by_name(store, cleaned) is not None:
        raise InvalidValue(_("There is a project '{cleaned}' already. Choose another name.", cleaned=cleaned))
    return cleaned


def checked_language(language: str) -> str:
    """A language tag; raises InvalidValue for what is none."""
    subtags(language.strip())
    return language.strip()


def checked_labels(task: Task, labels: Sequence[str]) -> tuple[str, ...]:
    """Labels without the spaces around them; none where the task has answers."""
    cleaned = tuple(label.strip() for label in labels)
    if task.result_kind == "answer" and cleaned:
        raise InvalidValue(_("Task '{name}' has answers, not labels; leave the labels out.", name=task.name))
    if "" in cleaned or len(set(cleaned)) != len(cleaned):
        raise InvalidValue(_("Labels must be different and not empty (they are: {labels}).", labels=listed(labels)))
    return cleaned
