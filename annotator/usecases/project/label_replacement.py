"""A label too many: what uses it, and another label in its place everywhere."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, LabelInUse
from annotator.language import _, listed, several, together
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import InstanceRow
from annotator.store.jobs import open_jobs
from annotator.store.project import label_replacement
from annotator.store.project.label_replacement import LabelUse, instances_with_label, is_meant_by_open_work, label_use
from annotator.store.projects import get_project_by_id, update_project
from annotator.usecases.access.rights import require
from annotator.usecases.models.label_tables import follow_replacement

_NAMED = 5  # texts that a sentence or a dialog leads to
Rule = TypeVar("Rule")

_LETTERS = "choice"  # the task whose labels are places among an instance's own choices


@dataclass(frozen=True, slots=True)
class LabelUses:
    """What stands in the way of removing a label.

    told:    the counts, as part of a sentence
    texts:   the first texts that carry it, or annotations of which do
    n_cases: saved cases of functional tests that expect something of it
    refusal: why it cannot be replaced; "" where it can be
    """

    told: str
    texts: tuple[InstanceRow, ...]
    n_cases: int
    refusal: str


def require_unused(store: Store, project: Project, label: str) -> None:
    """Raise LabelInUse, saying by what, where a label cannot simply be removed."""
    use = label_use(store, project.id, label)
    if not use.is_used:
        return
    keys = listed([f"'{row.key}'" for row in instances_with_label(store, project.id, label, 3)])
    values = {"label": label, "uses": _summary(use)}
    if keys:
        refusal = _(
            "The label '{label}' cannot be removed: it is used by {uses} of this project (the first: {keys}).",
            **values, keys=keys,
        )  # fmt: skip
    else:
        refusal = _("The label '{label}' cannot be removed: it is used by {uses} of this project.", **values)
    remedy = _refusal(project) or _("Replace it by another label instead (Project, Rules).")
    raise LabelInUse(together(refusal, remedy), label=label)


def uses_of(store: Store, actor: User, project: Project, label: str) -> LabelUses:
    """What uses a label, for a lead who wants to be rid of it."""
    require(store, actor, project.id, "manage project")
    return LabelUses(
        _summary(label_use(store, project.id, label)),
        tuple(instances_with_label(store, project.id, label, _NAMED)),
        label_replacement.count_expecting_cases(store, project.id, label),
        _refusal(project),
    )


def replace_label(store: Store, actor: User, project: Project, label: str, by: str) -> str:
    """Write another label, which may be new, wherever one stands, and remove that one; answers what was changed.

    Texts, annotations with their drafts, open proposals, changed versions, and what models answered and explained follow. What
    reviewers scored, which rounds were accepted and which annotation is gold stays. Saved cases of functional tests never
    change, nor do files of trained models, which have to be trained again.
    Raises: InvalidValue where the labels cannot be put together
    """
    by = by.strip()
    with store.transaction():
        require(store, actor, project.id, "manage project")
        now = get_project_by_id(store, project.id)
        _check(store, now, label, by)
        if by not in now.labels:
            require_unambiguous(store, now, by, label)
        counts = asdict(label_replacement.replace_label(store, now.id, label, by))
        after = _without(now, label, by)
        update_project(store, after)
        follow_replacement(store, actor, after, label, by)
        add_event(
            store, actor.name, "replace label", "project", now.id, project_id=now.id, label=label, by=by, **counts,
        )  # fmt: skip
    return replacement_summary(counts)


def require_unambiguous(store: Store, project: Project, name: str, successor: str = "") -> None:
    """Raise InvalidValue for a new name that pages which are open now still send for another label.

    successor: the label that is to get the name
    """
    if is_meant_by_open_work(store, project.id, name, successor):
        raise InvalidValue(
            _(
                "'{name}' was the name of another label a while ago, and people hold texts since before: their pages would still "
                "mean that one. Choose another name, or wait until they have handed in what they hold.",
                name=name,
            )
        )


def replacement_summary(counts: Mapping[str, int]) -> str:
    """What carried the label, in the words of a list.

    >>> replacement_summary({"instances": 2, "annotations": 1, "n_dropped": 1})
    '2 texts, 1 annotation; 1 attribution was deleted, since the model has one of the other label'
    """
    parts = listed([in_words(counts[name]) for name, in_words in _CARRIERS.items() if counts.get(name)])
    n = counts.get("n_dropped", 0)
    if not n:
        return parts or _("nothing carried it")
    return several(
        "{parts}; {n} attribution was deleted, since the model has one of the other label",
        "{parts}; {n} attributions were deleted, since the model has one of the other label",
        n,
        parts=parts or _("nothing carried it"),
    )


_CARRIERS: Mapping[str, Callable[[int], str]] = {
    "instances": lambda n: counted(n, "text"),
    "annotations": lambda n: counted(n, "annotation"),
    "drafts": lambda n: counted(n, "draft"),
    "proposals": lambda n: counted(n, "open proposal"),
    "perturbations": lambda n: counted(n, "changed version"),
    "predictions": lambda n: counted(n, "prediction"),
    "attributions": lambda n: counted(n, "attribution"),
}


def _summary(use: LabelUse) -> str:
    parts = (
        (use.n_instances, counted(use.n_instances, "instance")),
        (use.n_annotations, counted(use.n_annotations, "annotation")),
        (use.n_proposals, counted(use.n_proposals, "open proposal")),
        (use.n_perturbations, counted(use.n_perturbations, "waiting changed version")),
    )
    return listed([words for n, words in parts if n], "and")


def _refusal(project: Project) -> str:
    if project.task.name == _LETTERS:
        return _(
            "It cannot be replaced by another label either, since the labels of a choice project name places among the "
            "choices of each text: another label would be another answer."
        )
    return ""


def _check(store: Store, project: Project, label: str, by: str) -> None:
    if label not in project.labels:
        raise InvalidValue(_("'{label}' is not a label of this project any more. Open the rules again.", label=label))
    if not by or by == label or "," in by:
        raise InvalidValue(
            _("'{by}' cannot take the place of '{label}'. Choose another label, without commas.", by=by, label=label)
        )
    if refusal := _refusal(project):
        raise InvalidValue(refusal)
    if len({*project.labels, by}) <= 2 and by in project.labels:
        raise InvalidValue(
            _(
                "'{label}' and '{by}' are the project's only labels: with one alone there would be nothing to decide. Add "
                "another label first, or write a new name in place of this one.",
                label=label,
                by=by,
            )
        )
    n = label_replacement.count_opposed(store, project.id, label, by)
    if n:
        raise InvalidValue(
            several(
                "{n} open proposal wants one of '{label}' and '{by}' in place of the other. Decide it first (Project, "
                "Decisions).",
                "{n} open proposals want one of '{label}' and '{by}' in place of the other. Decide them first (Project, "
                "Decisions).",
                n,
                label=label,
                by=by,
            )
        )
    if open_jobs(store, project.id):
        raise InvalidValue(
            _(
                "A model is at work in this project, and would bring the old label back. Wait until that is done, or stop it."
            )
        )


def _without(project: Project, label: str, by: str) -> Project:
    """The labels in their order; a new one stands where the old one stood. Of two labels the rules of the one that stays hold."""
    others = tuple(candidate for candidate in project.labels if candidate != label)
    labels = others if by in others else tuple(by if candidate == label else candidate for candidate in project.labels)
    settings = project.settings
    return replace(
        project,
        labels=labels,
        settings=replace(
            settings,
            required_segments=_moved(settings.required_segments, label, by, is_new=by not in others),
            forbidden_segments=_moved(settings.forbidden_segments, label, by, is_new=by not in others),
            import_labels={
                file_label: by if ours == label else ours for file_label, ours in settings.import_labels.items()
            },
            preview_labels={
                preview_label: by if ours == label else ours for preview_label, ours in settings.preview_labels.items()
            },
            preview_words=_moved(settings.preview_words, label, by, is_new=by not in others),
            model_order=None if settings.model_order is None else settings.model_order.with_label(label, by),
        ),
    )


def _moved(rules: Mapping[str, Rule], label: str, by: str, *, is_new: bool) -> dict[str, Rule]:
    """What is said of each label; one that is only renamed keeps it."""
    return {(by if name == label else name): rule for name, rule in rules.items() if is_new or name != label}
