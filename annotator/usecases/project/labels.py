"""Labels after work has begun: one more, another name, another label everywhere; what it does is said before."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, LabelInUse
from annotator.language import _, listed, several, together, unsaid
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import InstanceRow
from annotator.store.jobs import open_jobs
from annotator.store.project import label_replacement
from annotator.store.project import label_replacement as label_replacement_store
from annotator.store.project import label_replacement as replacement_store
from annotator.store.projects import get_project_by_id, set_labels, update_project
from annotator.store.trained_models import list_label_tables, models_trained
from annotator.usecases.access.rights import require
from annotator.usecases.models.label_tables import follow_replacement

# A label too many: what uses it, and another label in its place everywhere.


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
    use = label_replacement_store.label_use(store, project.id, label)
    if not use.is_used:
        return
    keys = listed([f"'{row.key}'" for row in label_replacement_store.instances_with_label(store, project.id, label, 3)])
    values = {"label": label, "uses": _summary(use)}
    if keys:
        refusal = _(
            "Can't remove label '{label}': used by {uses} ({keys}, …).",
            **values, keys=keys
        )  # fmt: skip
    else:
        refusal = _("Can't remove “{label}”: used by {uses}.", **values)
    remedy = _refusal(project) or _("Replace it by another label (Project, Rules).")
    raise LabelInUse(together(refusal, remedy), label=label)


def uses_of(store: Store, actor: User, project: Project, label: str) -> LabelUses:
    """What uses a label, for a lead who wants to be rid of it."""
    require(store, actor, project.id, "manage project")
    return LabelUses(
        _summary(label_replacement_store.label_use(store, project.id, label)),
        tuple(label_replacement_store.instances_with_label(store, project.id, label, _NAMED)),
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
    if label_replacement_store.is_meant_by_open_work(store, project.id, name, successor):
        raise InvalidValue(
            _("Reserved texts still use '{name}' for another label. Choose another name, or wait.", name=name)
        )


def replacement_summary(counts: Mapping[str, int]) -> str:
    """What carried the label, in the words of a list.

    >>> replacement_summary({"instances": 2, "annotations": 1, "n_dropped": 1})
    '2 texts, 1 annotation; 1 duplicate attribution deleted'
    """
    parts = listed([in_words(counts[name]) for name, in_words in _CARRIERS.items() if counts.get(name)])
    parts = parts or _("nothing carried it")
    n = counts.get("n_dropped", 0)
    if not n:
        return parts
    return several(
        "{parts}; {n} duplicate attribution deleted", "{parts}; {n} duplicate attributions deleted", n, parts=parts
    )


_CARRIERS: Mapping[str, Callable[[int], str]] = {
    "instances": lambda n: counted(n, "text"),
    "annotations": lambda n: counted(n, "annotation"),
    "drafts": lambda n: counted(n, "draft"),
    "proposals": lambda n: counted(n, "open proposal"),
    "perturbations": lambda n: counted(n, "perturbed version"),
    "predictions": lambda n: counted(n, "prediction"),
    "attributions": lambda n: counted(n, "attribution"),
}


def _summary(use: label_replacement_store.LabelUse) -> str:
    parts = (
        (use.n_instances, counted(use.n_instances, "instance")),
        (use.n_annotations, counted(use.n_annotations, "annotation")),
        (use.n_proposals, counted(use.n_proposals, "open proposal")),
        (use.n_perturbations, counted(use.n_perturbations, "pending perturbed version")),
    )
    return listed([words for n, words in parts if n], "and")


def _refusal(project: Project) -> str:
    if project.task.name == _LETTERS:
        return _("Choice labels are positions, so can't be replaced either.")
    return ""


def _check(store: Store, project: Project, label: str, by: str) -> None:
    if label not in project.labels:
        raise InvalidValue(_("'{label}' is no longer a project label. Reload.", label=label))
    if not by or by == label or "," in by:
        raise InvalidValue(_("'{by}' can't replace '{label}'. Choose another, without commas.", by=by, label=label))
    if refusal := _refusal(project):
        raise InvalidValue(refusal)
    if len({*project.labels, by}) <= 2 and by in project.labels:
        raise InvalidValue(_("Two labels are needed. Add one first, or rename '{label}'.", label=label))
    n = label_replacement.count_opposed(store, project.id, label, by)
    if n:
        raise InvalidValue(
            several(
                "{n} open proposal concerns '{label}' and '{by}'. Decide it first.",
                "{n} open proposals concern '{label}' and '{by}'. Decide them first.",
                n,
                label=label,
                by=by,
            )
        )
    if open_jobs(store, project.id):
        raise InvalidValue(_("A running model uses the old label. Wait, or stop it."))


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


@dataclass(frozen=True, slots=True)
class LabelEffects:
    """What another name or label in the place of one changes, and what it leaves as it is.

    changes, stays: sentences
    texts:          the first that carry the label
    """

    label: str
    n_instances: int
    n_annotations: int
    changes: tuple[str, ...]
    stays: tuple[str, ...]
    texts: tuple[InstanceRow, ...]


def label_effects(store: Store, actor: User, project: Project, label: str) -> LabelEffects:
    """What replacing a label would do, for a lead who is about to."""
    require(store, actor, project.id, "manage project")
    use = label_replacement_store.label_use(store, project.id, label)
    reach = label_replacement_store.label_reach(store, project.id, label)
    n_tables = len({(t.model, t.learned_in) for t in list_label_tables(store, project.id) if label in t.labels})
    changes = (
        (use.n_instances, counted(use.n_instances, "instance")),
        (use.n_annotations, counted(use.n_annotations, "annotation")),
        (reach.n_drafts, counted(reach.n_drafts, "draft")),
        (use.n_proposals, counted(use.n_proposals, "open proposal")),
        (reach.n_versions, counted(reach.n_versions, "perturbed version")),
        (reach.n_predictions, counted(reach.n_predictions, "model prediction")),
        (
            reach.n_probabilities,
            counted(reach.n_probabilities, "probability in another prediction", "probabilities in other predictions"),
        ),
        (reach.n_attributions, counted(reach.n_attributions, "attribution")),
        (n_tables, counted(n_tables, "model label table")),
    )
    n_cases = replacement_store.count_expecting_cases(store, project.id, label)
    return LabelEffects(
        label, use.n_instances, use.n_annotations,
        tuple(words for n, words in changes if n),
        tuple(_stays(reach, n_cases, has_models=bool(models_trained(store, project.id)))),
        tuple(label_replacement_store.instances_with_label(store, project.id, label, _NAMED)),
    )  # fmt: skip


def _stays(reach: label_replacement_store.LabelReach, n_cases: int, *, has_models: bool) -> list[str]:
    sentences = [_("Review scores and accepted rounds stay.")]
    if n := reach.n_gold_choices:
        sentences.append(
            several(
                "{n} of the lead's gold choices stays, with the new label.",
                "{n} of the lead's gold choices stay, with the new label.",
                n,
            )
        )
    if n := reach.n_runs_with_numbers:
        sentences.append(
            several("The numbers of {n} run become out of date.", "The numbers of {n} runs become out of date.", n)
        )
    if n := reach.n_releases:
        sentences.append(several("{n} release keeps its old labels.", "{n} releases keep their old labels.", n))
    if n_cases:
        sentences.append(
            several(
                "{n} saved test case still expects this label and will fail.",
                "{n} saved test cases still expect this label and will fail.",
                n_cases,
            )
        )
    if has_models:
        sentences.append(_("Models trained here must be retrained."))
    return sentences


UNDONE = unsaid("To undo, rename the label back.")
NOT_UNDONE = unsaid("Can't be undone: the labels become one. Back up if in doubt.")


def add_label(store: Store, actor: User, project: Project, label: str) -> Project:
    """One more label, at the end; what is marked stays as it is, and open pages offer it with the next text.

    Raises: InvalidValue for a name that cannot be, or that pages which are open now mean otherwise
    """
    label = label.strip()
    with store.transaction():
        require(store, actor, project.id, "manage project")
        now = get_project_by_id(store, project.id)
        if now.task.result_kind == "answer":
            raise InvalidValue(_("Project '{name}' needs answers.", name=now.name))
        if not label or "," in label:
            raise InvalidValue(_("'{label}' isn't a valid label: no commas, at least one character.", label=label))
        if label in now.labels:
            raise InvalidValue(_("'{label}' is already a project label.", label=label))
        require_unambiguous(store, now, label)
        set_labels(store, now.id, [*now.labels, label])
        add_event(store, actor.name, "add label", "project", now.id, project_id=now.id, label=label)
        return get_project_by_id(store, now.id)


def rename_label(store: Store, actor: User, project: Project, label: str, name: str) -> str:
    """Another name for a label, wherever it stands; answers what was changed. The inverse undoes it."""
    if name.strip() in project.labels:
        raise InvalidValue(_("'{name}' is already a project label. To merge, map one to the other.", name=name.strip()))
    return replace_label(store, actor, project, label, name)


def map_label(store: Store, actor: User, project: Project, label: str, other: str) -> str:
    """Another label of the project in the place of one, which is then gone; answers what was changed. It cannot be undone."""
    if other.strip() not in project.labels:
        raise InvalidValue(
            _("'{label}' isn't a project label ({labels}).", label=other.strip(), labels=listed(project.labels))
        )
    return replace_label(store, actor, project, label, other)
