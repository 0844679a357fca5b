"""What a project's rules must keep while they are in use, and what other rules would do to work that is done."""

from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue
from annotator.language import _, listed, several
from annotator.store import Store
from annotator.store.perturb.perturbations import count_of_kind
from annotator.store.project.open_work import ReopenedTexts, reopened_texts
from annotator.store.projects import find_project as find_by_name
from annotator.store.projects import get_project_by_id
from annotator.store.review.rounds import count_undecided
from annotator.text.characters import subtags
from annotator.usecases.access.rights import require, roles_with
from annotator.usecases.models.model_places import check_preview_model, check_preview_prompt
from annotator.usecases.project.labels import require_unambiguous, require_unused

_LONGEST_NAME = 200


def checked_rules(store: Store, project: Project, before: Project) -> Project:
    """A project as it may be written; raises InvalidValue naming the rule that cannot be, or what is still in use."""
    is_renamed = project.name.strip() != before.name
    project = replace(
        project,
        # What a model's answers put first is drawn, and not a rule that could be written (usecases/queue); a rate is stated
        # where it is used (usecases/lead/progress.py), so that rules that were read before do not take it back.
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
                    "Can't remove type '{kind}': decide its {n} pending perturbed version first.",
                    "Can't remove type '{kind}': decide its {n} pending perturbed versions first.",
                    n,
                    kind=kind,
                )
            )


def _check_segment_rule(project: Project, label: str, segments: Sequence[str]) -> None:
    if project.labels and label not in project.labels:
        raise InvalidValue(_("A segment rule uses '{label}', which isn't a project label.", label=label))
    for name in segments:
        spec = project.task.spec_of(name)
        if spec is None or not spec.is_selectable:
            raise InvalidValue(
                _("The rule for '{label}' uses '{name}', which can't be marked.", label=label, name=name)
            )


def _check_no_contradiction(settings: ProjectSettings) -> None:
    for label, required in settings.required_segments.items():
        both = [name for name in required if name in settings.forbidden_segments.get(label, ())]
        if both:
            raise InvalidValue(_("'{label}' can't both require and forbid '{both}'.", label=label, both=both[0]))


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
                    "Preview label '{label}' maps to '{name}', not a project label ({labels}).",
                    label=label,
                    name=name,
                    labels=listed(project.labels),
                )
            )


def checked_name(store: Store, name: str) -> str:
    """A name without the spaces around it, that no other project has."""
    cleaned = name.strip()
    if not 1 <= len(cleaned) <= _LONGEST_NAME:
        raise InvalidValue(_("Names are one line of 1–{n} visible characters.", n=_LONGEST_NAME))
    if find_by_name(store, cleaned) is not None:
        raise InvalidValue(_("'{name}' already exists. Choose another name.", name=cleaned))
    return cleaned


def checked_language(language: str) -> str:
    """A language tag; raises InvalidValue for what is none."""
    subtags(language.strip())
    return language.strip()


def checked_labels(task: Task, labels: Sequence[str]) -> tuple[str, ...]:
    """Labels without the spaces around them; none where the task has answers."""
    cleaned = tuple(label.strip() for label in labels)
    if task.result_kind == "answer" and cleaned:
        raise InvalidValue(_("This needs labels; this project has answers."))
    if "" in cleaned or len(set(cleaned)) != len(cleaned):
        raise InvalidValue(_("Labels must be unique and not empty."))
    return cleaned


# What other rules would do to work that is done, in sentences, before they are saved.


def effects_of_rules(store: Store, actor: User, project: Project) -> tuple[str, ...]:
    """What rules that ask for more people would undo of complete texts and waiting rounds; nothing is stored.

    Raises: InvalidValue for rules that could not be saved
    """
    with store.snapshot():
        require(store, actor, project.id, "manage project")
        before = get_project_by_id(store, project.id)
        checked_rules(store, project, before)
        return (*_of_annotators(store, project, before), *_of_reviewers(store, project, before))


def _of_annotators(store: Store, project: Project, before: Project) -> tuple[str, ...]:
    wanted = project.settings.annotators_per_instance
    if wanted <= before.settings.annotators_per_instance:
        return ()
    reopened = reopened_texts(store, project.id, wanted, roles_with("annotate"))
    return _reopened_words(reopened, wanted) if reopened.n else ()


def _reopened_words(reopened: ReopenedTexts, wanted: int) -> tuple[str, ...]:
    sentences = [
        several(
            "{n} complete text becomes incomplete ({annotators} per text).",
            "{n} complete texts become incomplete ({annotators} per text).",
            reopened.n,
            annotators=counted(wanted, "annotator"),
        )
    ]
    if reopened.n_with_gold:
        sentences.append(
            several(
                "{n} of them has gold, which may change.",
                "{n} of them have gold, which may change.",
                reopened.n_with_gold,
            )
        )
    if reopened.n_training:
        sentences.append(
            several("{n} of them stays a training text.", "{n} of them stay training texts.", reopened.n_training)
        )
    if reopened.n_checks:
        sentences.append(
            several(
                "{n} of them is a blind check, unused until complete.",
                "{n} of them are blind checks, unused until complete.",
                reopened.n_checks,
            )
        )
    if reopened.n_for_nobody:
        sentences.append(
            several(
                "{n} of them would be stuck: nobody can annotate it. Add annotators under People.",
                "{n} of them would be stuck: nobody can annotate them. Add annotators under People.",
                reopened.n_for_nobody,
            )
        )
    return tuple(sentences)


def _of_reviewers(store: Store, project: Project, before: Project) -> tuple[str, ...]:
    wanted = project.settings.reviewers_per_annotation
    n = count_undecided(store, project.id) if wanted > before.settings.reviewers_per_annotation else 0
    if not n:
        return ()
    return (
        several(
            "{n} annotation in review will need {reviewers}.",
            "{n} annotations in review will need {reviewers} each.",
            n,
            reviewers=counted(wanted, "reviewer"),
        ),
        _("Accepted annotations stay accepted."),
    )
